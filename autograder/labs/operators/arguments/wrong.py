"""Wrong answers to aten.python_arg_parser.match."""

from autograder.proof.model import Equivalent, WrongAnswer

MATCH = "aten.python_arg_parser.match"
ALL = ("ordinary", "spread", "refusals")


def _changed(source: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


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

WRONG_ANSWERS = (
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

EQUIVALENT = (
    Equivalent(
        "aten.python_arg_parser.match",
        "if parameter.default is ABSENT:",
        "if parameter.default == ABSENT:",
        "a default is None, a number, a tuple, a dtype: equal to ABSENT only if it is ABSENT",
    ),
)  # fmt: skip
