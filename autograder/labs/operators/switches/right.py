"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.stubs.DispatchSwitch": """
class DispatchSwitch:
    __slots__ = ("name", "functions")

    def __init__(self, name, cases):
        pairs = [(kind, function) for kinds, function in cases for kind in kinds]
        self.functions = dict(pairs)
        self.name = name
        if len(self.functions) < len(pairs):
            raise ValueError(f"{name}: a dtype stands in two cases")

    def function_for(self, kind):
        function = self.functions.get(kind)
        if function is None:
            message = '"{}" not implemented for {!r}'.format(self.name, SCALAR_TYPE_NAMES[kind])
            raise NotImplementedError(message)
        return function

    def __call__(self, iter, *scalars):
        function = self.function_for(iter.plan.common_dtype)
        strides = iter.plan.loop_strides
        places = [x._storage_offset for x in iter.operands]
        arrays = [x._flat() for x in iter.operands]

        def walk(d, places):
            if d == len(iter.plan.loop_sizes):
                values = [array[place] for array, place in zip(arrays, places)]
                arrays[0][places[0]] = function(*values[1:], *scalars)
                return
            for i in range(iter.plan.loop_sizes[d]):
                walk(d + 1, [place + i * steps[d] for place, steps in zip(places, strides)])

        walk(0, places)
""",
}
