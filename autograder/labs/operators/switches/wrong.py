"""Wrong answers to aten.stubs.DispatchSwitch."""

from autograder.made_up.wrong_answer import WrongAnswer, replaced

SWITCH = "aten.stubs.DispatchSwitch"


SWITCHED = """
class DispatchSwitch:
    def __init__(self, name, cases):
        self.name, self.functions = name, {}
        for kinds, function in cases:
            for kind in kinds:
                if kind in self.functions:
                    raise ValueError(f"{kind} has two functions")
                self.functions[kind] = function

    def function_for(self, kind):
        if kind in self.functions:
            return self.functions[kind]
        raise NotImplementedError(f'"{self.name}" not implemented for \\'{SCALAR_TYPE_NAMES[kind]}\\'')

    def __call__(self, iter, *scalars):
        function = self.function_for(iter.plan.common_dtype)
        cells, plan = [x._flat() for x in iter.operands], iter.plan
        walks = []
        for operand, strides in zip(iter.operands, plan.loop_strides):
            walks.append(strided_offsets(plan.loop_sizes, strides, operand._storage_offset))
        for n in range(len(walks[0])):
            values = [cells[k][walks[k][n]] for k in range(1, len(cells))]
            cells[0][walks[0][n]] = function(*values, *scalars)
"""

WRONG_ANSWERS = (
    WrongAnswer(SWITCH, "a function can be asked for once", ("choice",), (
        "return self.functions[kind]", "return self.functions.pop(kind)",
    )),
    WrongAnswer(SWITCH, "the output's dtype chooses", ("choice", ), replaced(
        SWITCHED, ("self.function_for(iter.plan.common_dtype)", "self.function_for(iter.operands[0]._dtype)"))),
    WrongAnswer(SWITCH, "the last case of a dtype counts", ("choice",), replaced(
        SWITCHED, ('                if kind in self.functions:\n                    raise ValueError(f"{kind} has two '
                   'functions")\n', ""))),
    WrongAnswer(SWITCH, "without elements nothing is asked", ("choice",), replaced(
        SWITCHED, ("        function = self.function_for(iter.plan.common_dtype)\n",
                   "        if 0 in iter.plan.loop_sizes:\n            return\n"
                   "        function = self.function_for(iter.plan.common_dtype)\n"))),
    WrongAnswer(SWITCH, "every operand begins at cell 0", ("walk",), replaced(
        SWITCHED, (", operand._storage_offset)", ")"))),
    WrongAnswer(SWITCH, "all operands walk as the output does", ("walk",), replaced(
        SWITCHED, ("strided_offsets(plan.loop_sizes, strides,",
                   "strided_offsets(plan.loop_sizes, plan.loop_strides[0],"))),
    WrongAnswer(SWITCH, "the scalars come first", ("walk",), replaced(
        SWITCHED, ("function(*values, *scalars)", "function(*scalars, *values)"))),
    WrongAnswer(SWITCH, "a missing dtype is a KeyError", ("choice",), replaced(
        SWITCHED, ("        if kind in self.functions:\n            return self.functions[kind]\n",
                   "        return self.functions[kind]\n"))),
    WrongAnswer(SWITCH, "the inputs the other way round", ("walk",), replaced(
        SWITCHED, ("range(1, len(cells))]", "range(len(cells) - 1, 0, -1)]"))),
    WrongAnswer(SWITCH, "the cases are gone through twice", ("choice", "walk"), replaced(
        SWITCHED, ("        self.name, self.functions = name, {}\n", "        self.name, self.functions = name, {}\n"
                   "        kinds = [kind for kinds, _ in cases for kind in kinds]\n"
                   "        if len(kinds) != len(set(kinds)):\n            raise ValueError(name)\n"))),
    WrongAnswer(SWITCH, "results are remembered by number", ("walk",), replaced(
        SWITCHED, ("            cells[0][walks[0][n]] = function(*values, *scalars)\n",
                   "            if tuple(values) not in known:\n"
                   "                known[tuple(values)] = function(*values, *scalars)\n"
                   "            cells[0][walks[0][n]] = known[tuple(values)]\n"),
        ("        walks = []\n", "        walks, known = [], {}\n"))),
    WrongAnswer(SWITCH, "a dtype may be named twice in one case", ("choice",), replaced(
        SWITCHED, ("            for kind in kinds:\n", "            for kind in set(kinds):\n"))),
    WrongAnswer(SWITCH, "the text has no quotes around the kernel's name", ("choice",), replaced(
        SWITCHED, ("'\"{self.name}\" not implemented for", "'{self.name} not implemented for"))),
    WrongAnswer(SWITCH, "`functions` is a list of pairs", ("choice",), replaced(
        SWITCHED, ("self.name, self.functions = name, {}", "self.name, self.functions, table = name, [], {}"),
        ("                if kind in self.functions:\n                    raise", "                if kind in table:\n"
         "                    raise"),
        ("                self.functions[kind] = function\n", "                table[kind] = function\n"
         "                self.functions.append((kind, function))\n"),
        ("        if kind in self.functions:\n            return self.functions[kind]\n",
         "        if kind in dict(self.functions):\n            return dict(self.functions)[kind]\n"))),
    WrongAnswer(SWITCH, "elements go through floats", ("walk",), replaced(
        SWITCHED, ("values = [cells[k]", "values = [1.0 * cells[k]"))),
)  # fmt: skip
