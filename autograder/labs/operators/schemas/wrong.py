"""Wrong answers to the exercises about schemas."""

from autograder.made_up.wrong_answer import WrongAnswer

PARSE_TYPE = "dispatch.schema.parse_type"
PARSE_ARGUMENTS = "dispatch.schema.parse_arguments"
SCHEMA_TEXT = "dispatch.function_schema.schema_text"

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(PARSE_TYPE, "one sign behind the type, no more", ("ordinary", "annotations"), """
def parse_type(tokens):
    type = parse_base_type(tokens)
    annotation = parse_annotation(tokens) if tokens.kind == "(" else None
    if tokens.accept("?"):
        type = OptionalType(type)
    elif tokens.kind == "[":
        type = ListType(type, parse_size(tokens))
    return type, annotation
"""),
    WrongAnswer(
        PARSE_TYPE, "the brackets first, then the question mark: the order is lost", ("ordinary", "annotations"), """
def parse_type(tokens):
    type = parse_base_type(tokens)
    annotation = parse_annotation(tokens) if tokens.kind == "(" else None
    optional = tokens.accept("?")
    while tokens.kind == "[":
        type = ListType(type, parse_size(tokens))
    optional = tokens.accept("?") or optional
    return OptionalType(type) if optional else type, annotation
"""),
    WrongAnswer(PARSE_TYPE, "the annotation is looked for behind the brackets", ("annotations",), (
        """
type: Type = parse_base_type(tokens)
annotation = parse_annotation(tokens) if tokens.kind == "(" else None
""",
        "type = parse_base_type(tokens)",
        "return type, annotation",
        'return type, parse_annotation(tokens) if tokens.kind == "(" else None',
    )),
    WrongAnswer(PARSE_TYPE, "the annotation is read and dropped", ("annotations",), (
        """
type: Type = parse_base_type(tokens)
annotation = parse_annotation(tokens) if tokens.kind == "(" else None
""",
        """
type, annotation = parse_base_type(tokens), None
if tokens.kind == "(":
    parse_annotation(tokens)
""",
    )),
    WrongAnswer(PARSE_TYPE, "the size of a list is dropped", ("ordinary", "annotations"), (
        "type = ListType(type, parse_size(tokens))",
        """
parse_size(tokens)
type = ListType(type)
""",
    )),
    WrongAnswer(PARSE_TYPE, "optional twice over", ("ordinary", "annotations"), """
def parse_type(tokens):
    type = parse_base_type(tokens)
    annotation = parse_annotation(tokens) if tokens.kind == "(" else None
    while tokens.kind in ("?", "["):
        type = OptionalType(type) if tokens.accept("?") else ListType(type, parse_size(tokens))
    return type, annotation
"""),
    WrongAnswer(PARSE_ARGUMENTS, "drops keyword-only markers", ("keyword-only",), """
def parse_arguments(tokens):
    def one(tokens):
        if tokens.accept("*"):
            return None
        type, annotation = parse_type(tokens)
        name = tokens.take("ident")
        if not tokens.accept("="):
            return Argument(name, type, annotation)
        start = tokens.start()
        default = parse_default(tokens, type)
        return Argument(name, type, annotation, False, default, tokens.text[start : tokens.end()])

    return tuple(argument for argument in tokens.listed("(", ")", one) if argument)
"""),
    WrongAnswer(PARSE_ARGUMENTS, "only the argument right behind the star is keyword-only", ("keyword-only",), """
def parse_arguments(tokens):
    arguments = []
    star = False
    tokens.take("(")
    more = tokens.kind != ")"
    while more:
        if tokens.accept("*"):
            star = True
        else:
            type, annotation = parse_type(tokens)
            name, default, text = tokens.take("ident"), None, None
            if tokens.accept("="):
                start = tokens.start()
                default = parse_default(tokens, type)
                text = tokens.text[start : tokens.end()]
            arguments.append(Argument(name, type, annotation, star, default, text))
            star = False
        more = tokens.accept(",")
    tokens.take(")")
    return tuple(arguments)
"""),
    WrongAnswer(PARSE_ARGUMENTS, "only what is written is keyword-only", ("ordinary", "keyword-only", "refusals"), """
def parse_arguments(tokens):
    arguments = []
    tokens.take("(")
    more = tokens.kind != ")"
    while more:
        if not tokens.accept("*"):
            type, annotation = parse_type(tokens)
            name, default, text = tokens.take("ident"), None, None
            if tokens.accept("="):
                start = tokens.start()
                default = parse_default(tokens, type)
                text = tokens.text[start : tokens.end()]
            written = annotation is not None and annotation.is_write
            arguments.append(Argument(name, type, annotation, written, default, text))
        more = tokens.accept(",")
    tokens.take(")")
    return tuple(arguments)
"""),
    WrongAnswer(PARSE_ARGUMENTS, "a comma before the parenthesis passes", ("refusals",), """
def parse_arguments(tokens):
    arguments = []
    star = False
    tokens.take("(")
    while not tokens.accept(")"):
        if tokens.accept("*"):
            star = True
        else:
            type, annotation = parse_type(tokens)
            name, default, text = tokens.take("ident"), None, None
            if tokens.accept("="):
                start = tokens.start()
                default = parse_default(tokens, type)
                text = tokens.text[start : tokens.end()]
            arguments.append(Argument(name, type, annotation, star, default, text))
        if tokens.kind != ")":
            tokens.take(",")
    return tuple(arguments)
"""),
    WrongAnswer(
        PARSE_ARGUMENTS, "a default's text is made from its value", ("ordinary", "keyword-only", "refusals"), """
def parse_arguments(tokens):
    arguments = []
    star = False
    tokens.take("(")
    more = tokens.kind != ")"
    while more:
        if tokens.accept("*"):
            star = True
        else:
            type, annotation = parse_type(tokens)
            name, default, text = tokens.take("ident"), None, None
            if tokens.accept("="):
                default = parse_default(tokens, type)
                text = str(default)
            arguments.append(Argument(name, type, annotation, star, default, text))
        more = tokens.accept(",")
    tokens.take(")")
    return tuple(arguments)
"""),
    WrongAnswer(PARSE_ARGUMENTS, "annotations are forgotten", ("ordinary", "keyword-only", "refusals"), """
def parse_arguments(tokens):
    arguments = []
    star = False
    tokens.take("(")
    more = tokens.kind != ")"
    while more:
        if tokens.accept("*"):
            star = True
        else:
            type, _ = parse_type(tokens)
            name, default, text = tokens.take("ident"), None, None
            if tokens.accept("="):
                start = tokens.start()
                default = parse_default(tokens, type)
                text = tokens.text[start : tokens.end()]
            arguments.append(Argument(name, type, None, star, default, text))
        more = tokens.accept(",")
    tokens.take(")")
    return tuple(arguments)
"""),
    WrongAnswer(SCHEMA_TEXT, "no star is written", ("keyword-only",), """
def schema_text(schema):
    returned = ", ".join(map(str, schema.returns))
    if len(schema.returns) != 1 or returned[0] == "(":
        returned = f"({returned})"
    return f"{schema.name}({', '.join(map(str, schema.arguments))}) -> {returned}"
"""),
    WrongAnswer(SCHEMA_TEXT, "a star before every keyword-only argument", ("keyword-only",), """
def schema_text(schema):
    shown = ", ".join(("*, " if argument.kwarg_only else "") + str(argument) for argument in schema.arguments)
    returned = ", ".join(map(str, schema.returns))
    if len(schema.returns) != 1 or returned[0] == "(":
        returned = f"({returned})"
    return f"{schema.name}({shown}) -> {returned}"
"""),
    WrongAnswer(SCHEMA_TEXT, "no star before out arguments", ("keyword-only",), """
def schema_text(schema):
    shown = [str(argument) for argument in schema.arguments]
    if schema.keyword_only:
        shown.insert(len(schema.positional), "*")
    returned = ", ".join(map(str, schema.returns))
    if len(schema.returns) != 1 or returned[0] == "(":
        returned = f"({returned})"
    return f"{schema.name}({', '.join(shown)}) -> {returned}"
"""),
    WrongAnswer(SCHEMA_TEXT, "returns always stand in parentheses", ("ordinary", "keyword-only"), """
def schema_text(schema):
    shown = [str(argument) for argument in schema.arguments]
    if any(argument.kwarg_only for argument in schema.arguments):
        shown.insert(len(schema.positional), "*")
    return f"{schema.name}({', '.join(shown)}) -> ({', '.join(map(str, schema.returns))})"
"""),
    WrongAnswer(SCHEMA_TEXT, "a return that begins with a parenthesis", ("ordinary", "keyword-only"), """
def schema_text(schema):
    shown = [str(argument) for argument in schema.arguments]
    if any(argument.kwarg_only for argument in schema.arguments):
        shown.insert(len(schema.positional), "*")
    returned = ", ".join(map(str, schema.returns))
    if len(schema.returns) != 1:
        returned = f"({returned})"
    return f"{schema.name}({', '.join(shown)}) -> {returned}"
"""),
    WrongAnswer(SCHEMA_TEXT, "the names of the types without annotations", ("ordinary", "keyword-only"), (
        "shown.append(str(argument))",
        """
default = f"={argument.default_text}" if argument.has_default else ""
shown.append(f"{argument.type} {argument.name}{default}")
""",
    )),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        PARSE_TYPE,
        "an annotation is accepted behind a sign as well",
        ("annotations",),
        """
def parse_type(tokens):
    type, annotation = parse_base_type(tokens), None
    while tokens.kind in ("(", "?", "["):
        if tokens.kind == "(":
            annotation = parse_annotation(tokens)
        elif tokens.accept("?"):
            type = type if isinstance(type, OptionalType) else OptionalType(type)
        else:
            type = ListType(type, parse_size(tokens))
    return type, annotation
""",
    ),
    WrongAnswer(
        PARSE_TYPE,
        "a list comes back",
        (
            "ordinary",
            "annotations",
        ),
        ("return type, annotation", "return [type, annotation]"),
    ),
    WrongAnswer(
        PARSE_TYPE,
        "optional once, and never again",
        (
            "ordinary",
            "annotations",
        ),
        """
def parse_type(tokens):
    type = parse_base_type(tokens)
    annotation = parse_annotation(tokens) if tokens.kind == "(" else None
    seen = False
    while tokens.kind in ("?", "["):
        if tokens.accept("?"):
            type = type if seen else OptionalType(type)
            seen = True
        else:
            type = ListType(type, parse_size(tokens))
    return type, annotation
""",
    ),
    WrongAnswer(
        PARSE_TYPE,
        "a broken size ends the type without an error",
        (
            "ordinary",
            "annotations",
        ),
        (
            "type = ListType(type, parse_size(tokens))",
            """
try:
    type = ListType(type, parse_size(tokens))
except RuntimeError:
    break
""",
        ),
    ),
    WrongAnswer(
        PARSE_TYPE,
        "a broken annotation is none",
        ("annotations",),
        (
            'annotation = parse_annotation(tokens) if tokens.kind == "(" else None',
            """
annotation = None
if tokens.kind == "(":
    try:
        annotation = parse_annotation(tokens)
    except RuntimeError:
        pass
""",
        ),
    ),
    WrongAnswer(
        PARSE_TYPE,
        "two of each sign at most",
        (
            "ordinary",
            "annotations",
        ),
        """
def parse_type(tokens):
    type = parse_base_type(tokens)
    annotation = parse_annotation(tokens) if tokens.kind == "(" else None
    for _ in range(2):
        if tokens.accept("?"):
            type = type if isinstance(type, OptionalType) else OptionalType(type)
        elif tokens.kind == "[":
            type = ListType(type, parse_size(tokens))
    return type, annotation
""",
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "the text of a default ends where the next token starts",
        (
            "ordinary",
            "keyword-only",
            "refusals",
        ),
        ("default_text = tokens.text[start : tokens.end()]", "default_text = tokens.text[start : tokens.start()]"),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "the text of a default starts behind the equals sign",
        (
            "ordinary",
            "keyword-only",
            "refusals",
        ),
        ("start = tokens.start()", "start = tokens.end()"),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "a list comes back",
        (
            "ordinary",
            "keyword-only",
            "refusals",
        ),
        ("return tuple(arguments)", "return arguments"),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "something must follow the star",
        ("keyword-only",),
        (
            "kwarg_only = True",
            """
kwarg_only = True
tokens.take(",")
continue
""",
        ),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "a default of None is no default",
        (
            "ordinary",
            "keyword-only",
            "refusals",
        ),
        (
            "default_text = tokens.text[start : tokens.end()]",
            "default_text = None if default is None else tokens.text[start : tokens.end()]",
        ),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "the closing parenthesis is not insisted on",
        ("refusals",),
        ('tokens.take(")")', 'tokens.accept(")")'),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "the opening parenthesis is not insisted on",
        ("refusals",),
        ('tokens.take("(")', 'tokens.accept("(")'),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "the name is the text of the next token, of any kind",
        ("refusals",),
        (
            'name, default, default_text = tokens.take("ident"), None, None',
            """
name, default, default_text = tokens.peek(), None, None
tokens.accept(tokens.kind)
""",
        ),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "reads all to the end of the text",
        (
            "ordinary",
            "keyword-only",
            "refusals",
        ),
        (
            'tokens.take(")")',
            """
tokens.take(")")
while tokens.kind != "eof":
    tokens.take(tokens.kind)
""",
        ),
    ),
    WrongAnswer(
        PARSE_ARGUMENTS,
        "a comma before the first thing passes",
        ("refusals",),
        (
            'is_more = tokens.kind != ")"',
            """
tokens.accept(",")
is_more = tokens.kind != ")"
""",
        ),
    ),
    WrongAnswer(
        SCHEMA_TEXT,
        "a star in a type is taken for the star",
        ("keyword-only",),
        ('if argument.kwarg_only and "*" not in shown:', 'if argument.kwarg_only and "*" not in ", ".join(shown):'),
    ),
    WrongAnswer(
        SCHEMA_TEXT,
        "one return with a name is put in parentheses",
        (
            "ordinary",
            "keyword-only",
        ),
        (
            'if len(schema.returns) != 1 or returned.startswith("("):',
            'if len(schema.returns) != 1 or "(" in returned or schema.returns[0].name:',
        ),
    ),
    WrongAnswer(
        SCHEMA_TEXT,
        "a parenthesis anywhere in a return asks for another pair",
        (
            "ordinary",
            "keyword-only",
        ),
        ('if len(schema.returns) != 1 or returned.startswith("("):', 'if len(schema.returns) != 1 or "(" in returned:'),
    ),
    WrongAnswer(
        SCHEMA_TEXT,
        "spaces inside a default are made one",
        (
            "ordinary",
            "keyword-only",
        ),
        ("shown.append(str(argument))", 'shown.append(" ".join(str(argument).split()))'),
    ),
    WrongAnswer(
        SCHEMA_TEXT,
        "no returns at all are nothing",
        (
            "ordinary",
            "keyword-only",
        ),
        (
            'if len(schema.returns) != 1 or returned.startswith("("):',
            'if len(schema.returns) > 1 or returned.startswith("("):',
        ),
    ),
    WrongAnswer(
        SCHEMA_TEXT,
        "the name without its overload",
        (
            "ordinary",
            "keyword-only",
        ),
        (
            "return f\"{schema.name}({', '.join(shown)}) -> {returned}\"",
            "return f\"{schema.name.base}({', '.join(shown)}) -> {returned}\"",
        ),
    ),
)
