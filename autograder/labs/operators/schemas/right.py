"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.schema.parse_type": """
def parse_type(tokens):
    type, annotation = parse_base_type(tokens), None
    if tokens.kind == "(":
        annotation = parse_annotation(tokens)
    wrappers = []
    while True:
        if tokens.accept("?"):
            wrappers.append("?")
        elif tokens.kind == "[":
            wrappers.append(parse_size(tokens))
        else:
            break
    for wrapper in wrappers:
        if wrapper != "?":
            type = ListType(type, wrapper)
        elif not type.is_optional:
            type = OptionalType(type)
    return type, annotation
""",
    "dispatch.schema.parse_arguments": (
        """
def parse_arguments(tokens):
    behind = []

    def thing(tokens):
        if tokens.accept("*"):
            behind.append(True)
            return ()
        kind, annotation = parse_type(tokens)
        name = tokens.take("ident")
        if not tokens.accept("="):
            return (Argument(name, kind, annotation, bool(behind)),)
        begin = tokens.start()
        value = parse_default(tokens, kind)
        return (Argument(name, kind, annotation, bool(behind), value, tokens.text[begin : tokens.end()]),)

    return sum(tokens.listed("(", ")", thing), ())
""",
        """
def parse_arguments(tokens):
    tokens.take("(")
    arguments, is_keyword = (), False
    if tokens.accept(")"):
        return arguments
    while True:
        if tokens.kind == "*":
            tokens.take("*")
            is_keyword = True
        else:
            arguments = (*arguments, _argument(tokens, is_keyword))
        if tokens.accept(")"):
            return arguments
        tokens.take(",")


def _argument(tokens, is_keyword):
    type, annotation = parse_type(tokens)
    given = {"name": tokens.take("ident"), "type": type, "annotation": annotation, "kwarg_only": is_keyword}
    if tokens.accept("="):
        start = tokens.start()
        given["default"] = parse_default(tokens, type)
        given["default_text"] = tokens.text[start : tokens.start()].strip()
    return Argument(**given)
""",
    ),
    "dispatch.function_schema.schema_text": (
        """
def schema_text(schema):
    positional = [str(argument) for argument in schema.positional]
    named = [str(argument) for argument in schema.arguments[len(positional) :]]
    if named:
        named.insert(0, "*")
    match [str(one) for one in schema.returns]:
        case [alone] if not alone.startswith("("):
            returns = alone
        case several:
            returns = "(%s)" % ", ".join(several)
    return "%s(%s) -> %s" % (schema.name, ", ".join(positional + named), returns)
""",
        """
def schema_text(schema):
    text = str(schema.name) + "("
    star = True
    for number, argument in enumerate(schema.arguments):
        text += ", " if number else ""
        if argument.kwarg_only and star:
            text += "*, "
            star = False
        text += str(argument)
    text += ") -> "
    returns = ", ".join(str(one) for one in schema.returns)
    bare = len(schema.returns) == 1 and returns[:1] != "("
    return text + (returns if bare else "(" + returns + ")")
""",
    ),
}
