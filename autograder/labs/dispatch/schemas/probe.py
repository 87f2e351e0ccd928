"""Probes of the schema language: what was read, as tuples, and what stands next in the text."""


def read_type(engine, text):
    """(type, annotation, next token) that `parse_type` reads at the beginning of `text`."""
    tokens = engine.dispatch.schema.Tokens(text)
    type, annotation = engine.dispatch.schema.parse_type(tokens)
    return described(engine, type), _annotation(annotation), tokens.peek()


def read_arguments(engine, text):
    """([argument, ...], next token) that `parse_arguments` reads at the beginning of `text`."""
    tokens = engine.dispatch.schema.Tokens(text)
    arguments = engine.dispatch.schema.parse_arguments(tokens)
    return type(arguments).__name__, [_argument(argument) for argument in arguments], tokens.peek()


def written(engine, text):
    """Return the text that `schema_text` writes for the schema that `text` spells."""
    return engine.dispatch.function_schema.schema_text(engine.dispatch.schema.parse_schema(text))


def described(engine, type):
    """("optional", ("list of 2", "int")) of `int[2]?`."""
    schemas = engine.dispatch.function_schema
    if isinstance(type, schemas.OptionalType):
        return "optional", described(engine, type.inner)
    if isinstance(type, schemas.ListType):
        return "list" if type.size is None else f"list of {type.size}", described(engine, type.element)
    return str(type)


def _annotation(annotation):
    if annotation is None:
        return None
    return annotation.alias_sets, "write" if annotation.is_write else "no write", annotation.joins


def _argument(argument):
    """Only what the argument has beyond name and type is shown."""
    shown = {"name": argument.name, "type": argument.type.spelled(argument.annotation)}
    if argument.kwarg_only is not False:
        shown["kwarg_only"] = argument.kwarg_only
    if argument.default is not None or argument.default_text is not None:
        shown |= {"default": _plain(argument.default), "default_text": argument.default_text}
    return shown


def _plain(default):
    if type(default) is tuple:
        return tuple(map(_plain, default))
    return default if type(default) in (type(None), bool, int, float, str) else repr(default)
