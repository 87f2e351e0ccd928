"""Wrong answers to dispatch.boxing.stack_of."""

from autograder.made_up.wrong_answer import WrongAnswer

STACK = "dispatch.boxing.stack_of"
UNKNOWN = """
    if any(name not in [argument.name for argument in schema.arguments] for name in kwargs):
        raise RuntimeError("unknown")
    return stack
"""
LOOP = """
    stack = []
    for position, argument in enumerate(schema.arguments):
        if position < len(args):
            if argument.name in kwargs:
                raise RuntimeError("twice")
            stack.append(converted(schema, position, args[position]))
        elif argument.name in kwargs:
            stack.append(converted(schema, position, kwargs[argument.name]))
        elif argument.has_default:
            stack.append(argument.default)
        else:
            raise RuntimeError("missing")
"""
HEAD = """
def stack_of(schema, args, kwargs):
    if len(args) > len(schema.positional):
        raise RuntimeError("too many")
"""

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(STACK, "keyword-only arguments by position", ("refusals",),
                HEAD.replace("positional", "arguments") + LOOP + UNKNOWN),
    WrongAnswer(STACK, "unknown names are ignored", ("refusals",), HEAD + LOOP + "    return stack\n"),
    WrongAnswer(STACK, "the name wins where an argument is given twice", ("refusals",),
                HEAD + LOOP.replace('raise RuntimeError("twice")', "args = args[:position] + (kwargs[argument.name],)"
                                    " + args[position + 1:]") + UNKNOWN),
    WrongAnswer(STACK, "a missing argument is None", ("refusals",),
                HEAD + LOOP.replace('raise RuntimeError("missing")', "stack.append(None)") + UNKNOWN),
    WrongAnswer(STACK, "nothing is converted", ("conversions",),
                HEAD + LOOP.replace("converted(schema, position, args[position])", "args[position]")
                .replace("converted(schema, position, kwargs[argument.name])", "kwargs[argument.name]") + UNKNOWN),
    WrongAnswer(STACK, "names are converted by their place in the call", ("ordinary", "conversions", "refusals"), """
def stack_of(schema, args, kwargs):
    if len(args) > len(schema.positional):
        raise RuntimeError("too many")
    given = {argument.name: converted(schema, i, value) for i, (argument, value) in
             enumerate(zip(schema.arguments, args))}
    for i, (name, value) in enumerate(kwargs.items()):
        if name in given:
            raise RuntimeError("twice")
        given[name] = converted(schema, len(args) + i, value)
    stack = []
    for argument in schema.arguments:
        if argument.name not in given and not argument.has_default:
            raise RuntimeError("missing")
        stack.append(given.pop(argument.name, argument.default))
    if given:
        raise RuntimeError("unknown")
    return stack
"""),
    WrongAnswer(STACK, "takes the names out of kwargs", ("refusals",),
                HEAD + LOOP.replace("kwargs[argument.name])", "kwargs.pop(argument.name))") + """
    if kwargs:
        raise RuntimeError("unknown")
    return stack
"""),
    WrongAnswer(STACK, "defaults only where None stands", ("ordinary", "refusals"),
                HEAD + LOOP.replace("elif argument.name in kwargs:", "elif kwargs.get(argument.name) is not None:")
                + UNKNOWN),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        STACK,
        "takes names out of kwargs, and puts them back unless it refuses",
        ("refusals",),
        """
def stack_of(schema, args, kwargs):
    if len(args) > len(schema.positional):
        raise RuntimeError("too many")
    before = dict(kwargs)
    stack = []
    for position, argument in enumerate(schema.arguments):
        if position < len(args):
            stack.append(converted(schema, position, args[position]))
        elif argument.name in kwargs:
            stack.append(converted(schema, position, kwargs.pop(argument.name)))
        elif argument.has_default:
            stack.append(argument.default)
        else:
            raise RuntimeError("missing")
    if kwargs:
        raise RuntimeError("unknown, or twice")
    kwargs.update(before)
    return stack
""",
    ),
    WrongAnswer(
        STACK,
        "a default of None is none",
        (
            "ordinary",
            "conversions",
            "refusals",
        ),
        ("elif argument.has_default:", "elif argument.default is not None:"),
    ),
    WrongAnswer(
        STACK,
        "values that are false have the default",
        (
            "ordinary",
            "refusals",
        ),
        ("elif argument.name in rest:", "elif rest.get(argument.name):"),
    ),
    WrongAnswer(
        STACK,
        "a tuple comes back",
        (
            "ordinary",
            "conversions",
            "refusals",
        ),
        ("return stack", "return tuple(stack)"),
    ),
    WrongAnswer(
        STACK,
        "arguments by name are not converted",
        ("conversions",),
        ("stack.append(converted(schema, position, rest.pop(argument.name)))", "stack.append(rest.pop(argument.name))"),
    ),
    WrongAnswer(
        STACK,
        "a TypeError for too many",
        ("refusals",),
        (
            "if len(args) > len(schema.positional):",
            """
if len(args) > len(schema.arguments):
    raise TypeError("too many")
if len(args) > len(schema.positional):
""",
        ),
    ),
    WrongAnswer(
        STACK,
        "defaults are converted",
        ("ordinary", "refusals"),
        ("stack.append(argument.default)", "stack.append(converted(schema, position, argument.default))"),
    ),
    WrongAnswer(
        STACK,
        "one list for all calls",
        ("refusals",),
        """
STACK = []


def stack_of(schema, args, kwargs):
    if len(args) > len(schema.positional):
        raise RuntimeError(misfit(schema, args, kwargs))
    rest = dict(kwargs)
    STACK.clear()
    for position, argument in enumerate(schema.arguments):
        if position < len(args):
            STACK.append(converted(schema, position, args[position]))
        elif argument.name in rest:
            STACK.append(converted(schema, position, rest.pop(argument.name)))
        elif argument.has_default:
            STACK.append(argument.default)
        else:
            raise RuntimeError(misfit(schema, args, kwargs, argument.name))
    if rest:
        raise RuntimeError(misfit(schema, args, kwargs, next(iter(rest))))
    return STACK
""",
    ),
)
