"""Wrong answers to aten.python_arg_parser.match."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, replaced

MATCH = "aten.python_arg_parser.match"
ALL = ("ordinary", "spread", "refusals")


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
    WrongAnswer(MATCH, "keywords are taken out of the caller's dict", ALL, replaced(
        MATCHED, ("taken += value is not ABSENT", "taken += kwargs.pop(parameter.name, ABSENT) is not ABSENT"))),
    WrongAnswer(MATCH, "keywords that are left over are read over", ("refusals",), replaced(
        MATCHED, ("    if taken < len(kwargs):\n        return extra_kwargs(signature, args, kwargs)\n", ""))),
    WrongAnswer(MATCH, "None fits every parameter", ("refusals",), replaced(
        MATCHED, ("(value is None and parameter.allow_none)", "value is None"))),
    WrongAnswer(MATCH, "None fits no parameter", ALL, replaced(
        MATCHED, (" or (value is None and parameter.allow_none)", ""))),
    WrongAnswer(MATCH, "ints are never spread", ("spread",), replaced(
        MATCHED, ("            given = (args,)", "            pass"))),
    WrongAnswer(MATCH, "all that is given is spread, a list too", ("spread",), replaced(
        MATCHED, ("and args and not fits(signature.parameters[0], args[0])", "and args"),
        ("        if signature.parameters[0].accepts(args, signature.parameters[0]):\n            given = (args,)",
         "        given = (args,)"))),
    WrongAnswer(MATCH, "NumPy's names are not known", ALL, replaced(
        MATCHED, ("keyword_value(parameter, kwargs)", "kwargs.get(parameter.name, ABSENT)"))),
    WrongAnswer(MATCH, "keyword-only parameters are filled by position", ("refusals",), replaced(
        MATCHED, ("    if len(given) > signature.max_pos_args:", "    if len(given) > len(signature.parameters):"))),
    WrongAnswer(MATCH, "places are counted from 0", ("refusals",), replaced(
        MATCHED, ("given[index], index + 1", "given[index], index"))),
    WrongAnswer(MATCH, "what is spread becomes a list", ("spread",), replaced(
        MATCHED, ("            given = (args,)", "            given = (list(args),)"))),
    WrongAnswer(MATCH, "keywords left over are compared with the arguments after spreading", ("spread",), replaced(
        MATCHED, ("extra_kwargs(signature, args, kwargs)", "extra_kwargs(signature, given, kwargs)"))),
    WrongAnswer(MATCH, "an explicit None is replaced by the default", ALL, replaced(
        MATCHED, ("        found.append(value)", "        found.append(parameter.default if value is None and "
                  "parameter.default is not ABSENT else value)"))),
    WrongAnswer(MATCH, "a None by keyword counts as not given", ALL, replaced(
        MATCHED, ("            taken += value is not ABSENT", "            taken += value is not ABSENT\n"
                  "            value = ABSENT if value is None else value"))),
    WrongAnswer(MATCH, "a keyword that is None is never left over", ("refusals",), replaced(
        MATCHED, ("if taken < len(kwargs)", "if taken < len(kwargs) and not all(v is None for v in kwargs.values())"))),
    WrongAnswer(MATCH, "what equals the default fits", ("refusals",), replaced(
        MATCHED, ("        if not fits(parameter, value):",
                  "        if type(value) is int and value == parameter.default:\n            pass\n"
                  "        elif not fits(parameter, value):"))),
    WrongAnswer(MATCH, "what may be None need not be given", ("refusals",), replaced(
        MATCHED, ("            found.append(parameter.default)",
                  "            found.append(None if parameter.default is ABSENT else parameter.default)"),
        ("            if parameter.default is ABSENT:", "            if parameter.default is ABSENT and not "
         "parameter.allow_none:"))),
    WrongAnswer(MATCH, "keyword-only parameters need not be given", ("refusals",), replaced(
        MATCHED, ("            if parameter.default is ABSENT:",
                  "            if parameter.default is ABSENT and not parameter.keyword_only:"))),
    WrongAnswer(MATCH, "ints are spread whatever the signature says", ("spread",), replaced(
        MATCHED, ("if signature.spreads and args", "if args"))),
    WrongAnswer(MATCH, "ints are spread if the tuple of them is not accepted", ("spread",), replaced(
        MATCHED, ("if signature.parameters[0].accepts(args, signature.parameters[0])", "if True"))),
    WrongAnswer(MATCH, "an empty call is spread", ("spread",), replaced(
        MATCHED, ("and args and not fits(signature.parameters[0], args[0])",
                  "and not (args and fits(signature.parameters[0], args[0])) and not kwargs"))),
    WrongAnswer(MATCH, "None is found with ==", ("refusals",), replaced(
        MATCHED, ("(value is None and parameter.allow_none)", "(parameter.allow_none and value == None and True)"))),
    WrongAnswer(MATCH, "wrong values are found before missing ones", ("refusals",), replaced(
        MATCHED, ("    found, taken = [], 0\n", """    for parameter in signature.parameters[len(given):]:
        value = keyword_value(parameter, kwargs)
        if value is not ABSENT and not fits(parameter, value):
            return wrong_type(signature, parameter, value, None)
    found, taken = [], 0
"""))),
    WrongAnswer(MATCH, "unknown keywords are found first of all", ("refusals",), replaced(
        MATCHED, ("    if len(given) > signature.max_pos_args:", """    rest = signature.parameters[len(given):]
    if sum(keyword_value(p, kwargs) is not ABSENT for p in rest) < len(kwargs):
        return extra_kwargs(signature, args, kwargs)
    if len(given) > signature.max_pos_args:"""))),
    WrongAnswer(MATCH, "of NumPy's names only axis and x are known", ALL, replaced(
        MATCHED, ("keyword_value(parameter, kwargs), None", "kwargs.get(parameter.name, kwargs.get({'dim': 'axis', "
                  "'keepdim': 'keepdims', 'input': 'x', 'other': 'x2'}.get(parameter.name), ABSENT)), None"))),
    WrongAnswer(MATCH, "lists are copied", ALL, replaced(
        MATCHED, ("found.append(value)", "found.append(list(value) if type(value) is list else value)"))),
    WrongAnswer(MATCH, "positional arguments are counted only if nothing can be spread", ("spread",), replaced(
        MATCHED, ("    if len(given) > signature.max_pos_args:",
                  "    if not signature.spreads and len(given) > signature.max_pos_args:"))),
    WrongAnswer(MATCH, "the sentence is raised", ("refusals",), replaced(
        MATCHED, ("                return missing_args(signature, index)",
                  "                raise TypeError(missing_args(signature, index))"),
        ("            return wrong_type(signature, parameter, value, place)",
         "            raise TypeError(wrong_type(signature, parameter, value, place))"))),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "aten.python_arg_parser.match",
        "if parameter.default is ABSENT:",
        "if parameter.default == ABSENT:",
        "a default is None, a number, a tuple, a dtype: equal to ABSENT only if it is ABSENT",
    ),
)  # fmt: skip
