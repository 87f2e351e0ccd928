"""Wrong answers to the exercises about composite operators, the switch over dtypes, and the argument parser."""

from autograder.mutants.model import WrongAnswer

NORM, SWITCH, MATCH = (
    "aten.native.layer_norm.rms_norm_composite",
    "aten.stubs.DispatchSwitch",
    "aten.python_arg_parser.match",
)

RMS = """
def rms_norm_composite(input, ndim, weight, eps):
    dims = tuple(range(len(input._sizes) - ndim, len(input._sizes)))
    if eps is None:
        eps = epsilon(input._dtype)
    squares = at.mul_Tensor(input, input)
    root = at.sqrt(at.add_Scalar(at.mean_dim(squares, dims, True), eps))
    result = at.div_Tensor(input, root)
    if weight is not None:
        result = at.mul_Tensor(result, weight)
    return result
"""
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
MATCHED = """
def match(signature, args, kwargs):
    given = args
    if signature.spreads and args and not fits(signature.parameters[0], args[0]):
        if signature.parameters[0].accepts(args, signature.parameters[0]):
            given = (args,)
    if len(given) > signature.max_pos_args:
        return extra_args(signature, args)
    found, taken = [], 0
    for index, parameter in enumerate(signature.parameters):
        if index < len(given):
            value, place = given[index], index + 1
        else:
            value, place = keyword_value(parameter, kwargs), None
            taken += value is not ABSENT
        if value is ABSENT:
            if parameter.default is ABSENT:
                return missing_args(signature, index)
            found.append(parameter.default)
            continue
        if not fits(parameter, value):
            return wrong_type(signature, parameter, value, place)
        found.append(value)
    if taken < len(kwargs):
        return extra_kwargs(signature, args, kwargs)
    return found


def fits(parameter, value):
    return parameter.accepts(value, parameter) or (value is None and parameter.allow_none)
"""


def _changed(source: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


ALL = ("ordinary", "spread", "refusals")
WRONG_ANSWERS = (
    WrongAnswer(NORM, "the mean of all elements", ("values", "gradients"), _changed(
        RMS, ("range(len(input._sizes) - ndim, len(input._sizes))", "range(len(input._sizes))"))),
    WrongAnswer(NORM, "over the last dimension only", ("values", "gradients"), _changed(
        RMS, ("tuple(range(len(input._sizes) - ndim, len(input._sizes)))", "(len(input._sizes) - 1,)"))),
    WrongAnswer(NORM, "the first dimensions instead of the last", ("values", "gradients"), _changed(
        RMS, ("range(len(input._sizes) - ndim, len(input._sizes))", "range(ndim)"))),
    WrongAnswer(NORM, "eps 0 is taken for no eps", ("values", "gradients"), _changed(
        RMS, ("if eps is None", "if not eps"))),
    WrongAnswer(NORM, "eps is added outside of the root", ("values", "gradients"), _changed(
        RMS, ("at.sqrt(at.add_Scalar(at.mean_dim(squares, dims, True), eps))",
              "at.add_Scalar(at.sqrt(at.mean_dim(squares, dims, True)), eps)"))),
    WrongAnswer(NORM, "the epsilon of float64 for all", ("values", "gradients"), _changed(
        RMS, ("epsilon(input._dtype)", "2.220446049250313e-16"))),
    WrongAnswer(NORM, "the root of the mean is a constant to autograd", ("gradients",), _changed(
        RMS, ("squares = at.mul_Tensor(input, input)",
              "squares = at.mul_Tensor(input.detach(), input.detach())"))),
    WrongAnswer(NORM, "the weight is left out", ("values", "gradients"), _changed(
        RMS, ("    if weight is not None:\n        result = at.mul_Tensor(result, weight)\n", ""))),
    WrongAnswer(NORM, "the result has no history", ("gradients",), _changed(
        RMS, ("    return result\n", "    return result.detach()\n"))),
    WrongAnswer(NORM, "the input is scaled in place", ("values", "gradients"), _changed(
        RMS, ("result = at.div_Tensor(input, root)", "result = at.div__Tensor(input, root)"))),
    WrongAnswer(SWITCH, "the output's dtype chooses", ("choice", ), _changed(
        SWITCHED, ("self.function_for(iter.plan.common_dtype)", "self.function_for(iter.operands[0]._dtype)"))),
    WrongAnswer(SWITCH, "the last case of a dtype counts", ("choice",), _changed(
        SWITCHED, ('                if kind in self.functions:\n                    raise ValueError(f"{kind} has two '
                   'functions")\n', ""))),
    WrongAnswer(SWITCH, "without elements nothing is asked", ("choice",), _changed(
        SWITCHED, ("        function = self.function_for(iter.plan.common_dtype)\n",
                   "        if 0 in iter.plan.loop_sizes:\n            return\n"
                   "        function = self.function_for(iter.plan.common_dtype)\n"))),
    WrongAnswer(SWITCH, "every operand begins at cell 0", ("walk",), _changed(
        SWITCHED, (", operand._storage_offset)", ")"))),
    WrongAnswer(SWITCH, "all operands walk as the output does", ("walk",), _changed(
        SWITCHED, ("strided_offsets(plan.loop_sizes, strides,",
                   "strided_offsets(plan.loop_sizes, plan.loop_strides[0],"))),
    WrongAnswer(SWITCH, "the scalars come first", ("walk",), _changed(
        SWITCHED, ("function(*values, *scalars)", "function(*scalars, *values)"))),
    WrongAnswer(SWITCH, "a missing dtype is a KeyError", ("choice",), _changed(
        SWITCHED, ("        if kind in self.functions:\n            return self.functions[kind]\n",
                   "        return self.functions[kind]\n"))),
    WrongAnswer(SWITCH, "the inputs the other way round", ("walk", "choice"), _changed(
        SWITCHED, ("range(1, len(cells))]", "range(len(cells) - 1, 0, -1)]"))),
    WrongAnswer(MATCH, "keywords are taken out of the caller's dict", ALL, _changed(
        MATCHED, ("taken += value is not ABSENT", "taken += kwargs.pop(parameter.name, ABSENT) is not ABSENT"))),
    WrongAnswer(MATCH, "keywords that are left over are read over", ("spread", "refusals"), _changed(
        MATCHED, ("    if taken < len(kwargs):\n        return extra_kwargs(signature, args, kwargs)\n", ""))),
    WrongAnswer(MATCH, "None fits every parameter", ("spread", "refusals"), _changed(
        MATCHED, ("(value is None and parameter.allow_none)", "value is None"))),
    WrongAnswer(MATCH, "None fits no parameter", ALL, _changed(
        MATCHED, (" or (value is None and parameter.allow_none)", ""))),
    WrongAnswer(MATCH, "ints are never spread", ("spread",), _changed(
        MATCHED, ("            given = (args,)", "            pass"))),
    WrongAnswer(MATCH, "all that is given is spread, a list too", ("spread",), _changed(
        MATCHED, ("and args and not fits(signature.parameters[0], args[0])", "and args"),
        ("        if signature.parameters[0].accepts(args, signature.parameters[0]):\n            given = (args,)",
         "        given = (args,)"))),
    WrongAnswer(MATCH, "NumPy's names are not known", ALL, _changed(
        MATCHED, ("keyword_value(parameter, kwargs)", "kwargs.get(parameter.name, ABSENT)"))),
    WrongAnswer(MATCH, "keyword-only parameters are filled by position", ("refusals",), _changed(
        MATCHED, ("    if len(given) > signature.max_pos_args:", "    if len(given) > len(signature.parameters):"))),
    WrongAnswer(MATCH, "places are counted from 0", ("spread", "refusals"), _changed(
        MATCHED, ("given[index], index + 1", "given[index], index"))),
    WrongAnswer(MATCH, "what is spread becomes a list", ("spread",), _changed(
        MATCHED, ("            given = (args,)", "            given = (list(args),)"))),
    WrongAnswer(MATCH, "keywords left over are compared with the arguments after spreading", ("spread",), _changed(
        MATCHED, ("extra_kwargs(signature, args, kwargs)", "extra_kwargs(signature, given, kwargs)"))),
)  # fmt: skip
