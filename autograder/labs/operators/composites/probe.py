"""Probe of `rms_norm_composite` (engine/aten/native/layer_norm.py): values, and gradients if they are asked for."""

import numpy as np


def normalized(engine, sizes, values, ndim, weight, eps, dtype, gradients):
    """Call `rms_norm_composite` on an input; return the values and, if `gradients` is set, the gradients.

    Args:
        sizes, values: of the input; the values in reading order, of a tensor that is transposed in memory.
        weight: its values; None for none.
        dtype: "float64" or "float32".
        gradients: whether the input requires grad, and so does the weight.
    Returns:
        {"result": elements, "sizes", "dtype", "is new": whether its memory is its own, "unchanged": whether input and
        weight are as they were, and no write was counted}. With gradients also {"history": whether one was recorded,
        "input", "weight": the gradients where 1, 2, 3, ... come in, "second": the gradient of the input of the sum of
        its gradient times n, ..., 2, 1}. Not a tensor: {"no tensor": type}.
    """
    kind = engine.dtypes.DTYPES[dtype]
    x = engine.from_numpy(np.array(values, dtype).reshape(sizes).T.copy()).permute(*reversed(range(len(sizes))))
    scale = None if weight is None else engine.tensor(weight, dtype=kind).view(sizes[len(sizes) - ndim :])
    before = _state(x, scale)
    if gradients:
        x.requires_grad_()
        if scale is not None:
            scale.requires_grad_()
    result = engine.aten.native.layer_norm.rms_norm_composite(x, ndim, scale, eps)
    if type(result) is not engine.Tensor:
        return {"no tensor": type(result).__name__}
    seen = {
        "result": result.detach().reshape(-1).tolist(),
        "sizes": tuple(result.size()),
        "dtype": str(result.dtype),
        "is new": result is not x and result.untyped_storage() is not x.untyped_storage(),
    }
    if gradients:
        seen.update(_gradients(engine, x, scale, result, kind))
    seen["unchanged"] = _state(x.detach(), scale) == before
    return seen


def _state(x, weight):
    return [None if tensor is None else (tensor.detach().tolist(), tensor._version) for tensor in (x, weight)]


def _gradients(engine, x, weight, result, kind):
    if not result.requires_grad:
        return {"history": False}
    count = result.numel()
    cotangents = engine.arange(1, count + 1).to(kind).view(result.size())
    wanted = [x] if weight is None else [x, weight]
    first, *of_weight = engine.autograd.grad([result], wanted, [cotangents], create_graph=True, allow_unused=True)
    seen = {"history": True, "input": _elements(first), "weight": _elements(*of_weight)}
    if first is None or not first.requires_grad:
        return {**seen, "second": None}
    factors = engine.tensor([*range(count, 0, -1)], dtype=kind).view(x.size())
    (second,) = engine.autograd.grad([first], [x], [factors], allow_unused=True)
    return {**seen, "second": _elements(second)}


def _elements(tensor=None):
    return None if tensor is None else tensor.detach().reshape(-1).tolist()
