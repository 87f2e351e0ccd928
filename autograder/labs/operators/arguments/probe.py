"""Probe of `match` (engine/aten/python_arg_parser.py): a call against a signature."""

import numpy as np


def matched(engine, signature, args, kwargs):
    """Return the value that `match` assigns to each parameter, or the sentence that refuses the call.

    Args:
        signature: "add(Tensor input, Tensor other, *, Scalar alpha=1)".
        args, kwargs: of the call; {"tensor": sizes} stands for a tensor of zeros, {"dtype": "float32"} for a dtype,
            {"array": [1, 2]} for one of NumPy.
    Returns:
        (the list, or the sentence; the keywords that `kwargs` has afterwards). A tensor is shown as it was given, and
        a list, tuple or tensor that is not the very one given as ("a copy of", it).
    """
    found, call, keywords, known = _asked(engine, signature, args, kwargs)
    if type(found) in (list, tuple):
        found = type(found)(_entry(engine, value, call, known) for value in found)
    return found, list(keywords)


def is_spread(engine, signature, args, kwargs):
    """Return "spread" if a call that does not fit is read as if its arguments were one list, else "not spread".

    An answer that takes this call and refuses others is "not refused"; that it refuses none is asked elsewhere.
    """
    found, _, _, known = _caught(engine, signature, args, kwargs)
    if type(found) is str:
        return "spread" if "found element" in found else "not spread"
    values = found if type(found) in (list, tuple) else ()
    if any(type(value) in (list, tuple) and _is_none_of(value, known) for value in values):
        return "spread"
    return "not refused" if all(_is_refused(engine, *other) for other in MISFITS) else "not spread"


def left_over(engine, signature, args, kwargs):
    """Report whether the error about a keyword refers to "args as they came", or what happens otherwise."""
    parser = engine.aten.python_arg_parser
    found, call, keywords, _ = _caught(engine, signature, args, kwargs)
    parsed = parser.parse_signature(signature)
    after, before = parser.extra_kwargs(parsed, (call,), keywords), parser.extra_kwargs(parsed, call, keywords)
    if type(found) is not str:
        is_refused = _is_refused(engine, signature, (args,), kwargs)
        return "not refused" if is_refused else "args as they came"
    return "args after spreading" if found == after != before else "args as they came"


MISFITS: tuple[tuple[str, tuple, dict], ...] = (
    ("neg(Tensor input)", (), {}),
    ("neg(Tensor input)", (None,), {}),
    ("transpose(int dim0, int dim1)", (1, 0, 2), {}),
    ("transpose(int dim0, int dim1)", ((1, 0), 1), {}),
)


def _is_refused(engine, signature, args, kwargs):
    return type(_caught(engine, signature, args, kwargs)[0]) is str


def _caught(engine, signature, args, kwargs):
    """Return the result of `_asked`, or the text of an error, since raising the sentence is judged elsewhere."""
    try:
        return _asked(engine, signature, args, kwargs)
    except (TypeError, ValueError) as error:
        return str(error), (), {}, ()


def _asked(engine, signature, args, kwargs):
    """Return the answer of `match`, and its arguments by position, by keyword (a dict), and these with the defaults."""
    parser = engine.aten.python_arg_parser
    call = tuple(_made(engine, value) for value in args)
    keywords = {name: _made(engine, value) for name, value in kwargs.items()}
    parsed = parser.parse_signature(signature)
    known = (*call, *keywords.values(), *(parameter.default for parameter in parsed.parameters))
    return parser.match(parsed, call, keywords), call, keywords, known


def _entry(engine, value, call, known):
    """Show a value of the list. A value that holds all positional arguments together is not shown as a copy."""
    shown = _shown(engine, value)
    is_call = type(value) in (list, tuple) and len(value) == len(call) and all(map(lambda a, b: a is b, value, call))
    is_kept = is_call or type(value) not in (list, tuple, engine.Tensor) or not _is_none_of(value, known)
    return shown if is_kept else ("a copy of", shown)


def _is_none_of(value, known):
    return all(value is not other for other in known)


def _made(engine, value):
    if type(value) in (list, tuple):
        return type(value)(_made(engine, element) for element in value)
    if type(value) is not dict:
        return value
    if "array" in value:
        return np.array(value["array"])
    return engine.zeros(value["tensor"]) if "tensor" in value else engine.dtypes.DTYPES[value["dtype"]]


def _shown(engine, value):
    if isinstance(value, engine.Tensor):
        return {"tensor": tuple(value.size())}
    if isinstance(value, engine.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if type(value) in (list, tuple):
        return type(value)(_shown(engine, element) for element in value)
    return value
