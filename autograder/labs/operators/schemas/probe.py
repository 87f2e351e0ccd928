"""Probes of the schema language: what was read, as tuples, and what stands next in the text."""


def read_type(engine, text, of=None):
    """Return {"type", "annotation", "next token"} after `parse_type`, or `of`, has read the beginning of `text`."""
    tokens = engine.dispatch.schema.Tokens(text)
    made = (of or engine.dispatch.schema.parse_type)(tokens)
    if type(made) is not tuple or len(made) != 2:
        return ("not a tuple of two", type(made).__name__)
    return {
        "type": described(engine, made[0]),
        "annotation": _annotation(engine, made[1]),
        "next token": tokens.peek() or "the end",
    }


def read_arguments(engine, text):
    """Return {"arguments", "next token"} after `parse_arguments` has read the beginning of `text`."""
    tokens = engine.dispatch.schema.Tokens(text)
    arguments = engine.dispatch.schema.parse_arguments(tokens)
    if type(arguments) is not tuple:
        return ("not a tuple", type(arguments).__name__)
    return {
        "arguments": [_argument(engine, argument) for argument in arguments],
        "next token": tokens.peek() or "the end",
    }


def written(engine, text):
    """Parse the schema `text` and return the text that `schema_text` writes for it."""
    return engine.dispatch.function_schema.schema_text(engine.dispatch.schema.parse_schema(text))


def described(engine, type):
    """Describe a type as nested tuples: ("optional", ("list of 2", "int")) for `int[2]?`."""
    schemas = engine.dispatch.function_schema
    if isinstance(type, schemas.OptionalType):
        return "optional", described(engine, type.inner)
    if isinstance(type, schemas.ListType):
        return "list" if type.size is None else f"list of {type.size}", described(engine, type.element)
    return str(type) if isinstance(type, schemas.BaseType) else "not a type"


def _annotation(engine, annotation):
    if annotation is None:
        return None
    if not isinstance(annotation, engine.dispatch.function_schema.Annotation):
        return "not an Annotation"
    return annotation.alias_sets, "write" if annotation.is_write else "no write", annotation.joins


def _argument(engine, argument):
    """Show an argument's name and type, and anything else only if the argument has it."""
    if not isinstance(argument, engine.dispatch.function_schema.Argument):
        return {"not an Argument": type(argument).__name__}
    shown = {"name": argument.name, "type": _spelled(engine, argument.type, argument.annotation)}
    if argument.kwarg_only is not False:
        shown["kwarg_only"] = argument.kwarg_only
    if argument.default is not None or argument.default_text is not None:
        shown |= {"default": _plain(argument.default), "default_text": argument.default_text}
    return shown


def _spelled(engine, type, annotation):
    schemas = engine.dispatch.function_schema
    if not isinstance(type, (schemas.BaseType, schemas.OptionalType, schemas.ListType)):
        return "not a type"
    if annotation is not None and not isinstance(annotation, schemas.Annotation):
        return "not an Annotation"
    return type.spelled(annotation)


def _plain(default):
    if type(default) is tuple:
        return tuple(map(_plain, default))
    return default if type(default) in (type(None), bool, int, float, str) else repr(default)
