"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.stubs.DispatchSwitch": (
        """
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
        """
class DispatchSwitch:
    def __init__(self, name, cases):
        rows = [(kind, function) for kinds, function in cases for kind in kinds]
        table = {}
        while rows:
            kind, function = rows.pop()
            if kind in table:
                raise ValueError("%s: twice" % name)
            table[kind] = function
        self.name, self.functions = name, table

    def function_for(self, kind):
        try:
            return self.functions[kind]
        except KeyError:
            raise NotImplementedError(f'"{self.name}" not implemented for ' + repr(SCALAR_TYPE_NAMES[kind])) from None

    def __call__(self, iter, *scalars):
        run, plan = self.function_for(iter.plan.common_dtype), iter.plan
        places = [
            list(strided_offsets(plan.loop_sizes, strides, x._storage_offset))
            for x, strides in zip(iter.operands, plan.loop_strides)
        ]
        columns = [x._flat()[at].tolist() for x, at in zip(iter.operands[1:], places[1:])]
        results = [run(*values, *scalars) for values in zip(*columns)]
        output = iter.operands[0]._flat()
        for at, result in zip(places[0], results):
            output[at] = result
""",
    ),
}
