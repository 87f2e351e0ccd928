"""Probe of boxing: the stack of a call, with stand-ins for anything but plain data."""

from autograder.examine.error_data import type_name


def stack(engine, schema, args, kwargs, *, of=None):
    """Return the stack of a call as a list, with tensors named as in the arguments, devices and dtypes as text.

    Args:
        schema: its text.
        args, kwargs: of the call; "@0", "@1", ... stand for tensors, in lists too.
        of: called instead of `stack_of`.
    """
    return _asked(engine, schema, args, kwargs, [], of)


def kept_names(engine, schema, args, kwargs):
    """Return {"stack": the stack, or ("refused", type of the error), "kwargs": the names left in `kwargs`}.

    Under "list" is whether a second call gives a list of its own.
    """
    left, seen = [], []
    try:
        made = _asked(engine, schema, args, kwargs, left, seen=seen)
    except RuntimeError as error:
        made = ("refused", type_name(error))
    is_old = len(seen) == 2 and seen[0] is seen[1]
    return {"stack": made, "kwargs": left, "list": "the one of the call before" if is_old else "new"}


def _asked(engine, schema, args, kwargs, left, of=None, seen=None):
    parsed = engine.dispatch.schema.parse_schema(schema)
    tensors = [engine.empty(1) for _ in range(4)]
    args = tuple(_given(value, tensors) for value in args)
    kwargs = {name: _given(value, tensors) for name, value in kwargs.items()}
    function = of or engine.dispatch.boxing.stack_of
    try:
        made = function(parsed, args, kwargs)
        if seen is not None:
            seen += [made, function(parsed, args, kwargs)]
    finally:
        left.extend(kwargs)
    if type(made) is not list:
        return ("not a list", type(made).__name__)
    return [_seen(engine, value, tensors) for value in made]


def _given(value, tensors):
    if isinstance(value, (list, tuple)):
        return type(value)(_given(entry, tensors) for entry in value)
    return tensors[int(value[1:])] if isinstance(value, str) and value.startswith("@") else value


def _seen(engine, value, tensors):
    if type(value) in (list, tuple):
        return type(value)(_seen(engine, entry, tensors) for entry in value)
    if isinstance(value, engine.Tensor):
        return next((f"@{number}" for number, tensor in enumerate(tensors) if tensor is value), "another tensor")
    return value if type(value) in (type(None), bool, int, float, str) else (type(value).__name__, str(value))
