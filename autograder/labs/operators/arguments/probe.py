"""Probe of `match` (engine/aten/python_arg_parser.py): a call against a signature."""

import numpy as np


def matched(engine, signature, args, kwargs):
    """Return the value that each parameter is given, or the sentence that refuses the call.

    Args:
        signature: "add(Tensor input, Tensor other, *, Scalar alpha=1)".
        args, kwargs: of the call; {"tensor": sizes} stands for a tensor of zeros, {"dtype": "float32"} for a dtype,
            {"array": [1, 2]} for one of NumPy.
    Returns:
        (the list, or the sentence; the keywords that `kwargs` has afterwards). A tensor is shown as it was given.
    """
    parser = engine.aten.python_arg_parser
    call = tuple(_made(engine, value) for value in args)
    keywords = {name: _made(engine, value) for name, value in kwargs.items()}
    found = parser.match(parser.parse_signature(signature), call, keywords)
    if type(found) is list:
        found = [_shown(engine, value) for value in found]
    return found, list(keywords)


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
