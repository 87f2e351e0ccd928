"""Probe of `rms_norm_composite` (engine/aten/native/layer_norm.py): values, and gradients if they are asked for."""

import numpy as np


def normalized(engine, sizes, values, ndim, weight, eps, dtype, gradients):
    """Return what the function, named as in Python, makes of an input.

    Args:
        sizes, values: of the input; the values in reading order, of a tensor that is transposed in memory.
        weight: its values; None for none.
        dtype: "float64", or "float32" with results of two digits only.
        gradients: whether the input requires grad, and so does the weight.
    Returns:
        {"result": elements, "sizes": ...}, with the gradients of input and weight under "input" and "weight" where
        cotangents 1, 2, 3, ... come in, and whether the input is "unchanged". Floats are rounded to 8 decimals, or 2.
    """
    kind = engine.dtypes.DTYPES[dtype]
    x = engine.from_numpy(np.array(values, dtype).reshape(sizes).T.copy()).permute(*reversed(range(len(sizes))))
    before = x.tolist()
    scale = None if weight is None else engine.tensor(weight, dtype=kind).view(sizes[len(sizes) - ndim :])
    if gradients:
        x.requires_grad_()
        if scale is not None:
            scale.requires_grad_()
    result = engine.aten.native.layer_norm.rms_norm_composite(x, ndim, scale, eps)
    digits = 8 if dtype == "float64" else 2
    seen = {"result": _rounded(result.detach(), digits), "sizes": tuple(result.size())}
    if gradients:
        cotangents = engine.arange(1, result.numel() + 1).to(kind).view(result.size())
        result.backward(cotangents)
        seen["input"] = _rounded(x.grad, digits)
        seen["weight"] = None if scale is None else _rounded(scale.grad, digits)
    seen["unchanged"] = x.detach().tolist() == before
    return seen


def _rounded(tensor, digits):
    """Each element; what two right answers differ in is far below the last digit, and -0.0 is 0.0."""
    return None if tensor is None else [round(value, digits) + 0.0 for value in tensor.reshape(-1).tolist()]
