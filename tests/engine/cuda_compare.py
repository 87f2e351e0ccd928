"""One way to compare device "cuda" with the CPU: the same function of the same tensors, forward and backward."""

from collections.abc import Callable
from typing import Any

import numpy as np

import engine

TOLERANCE = {engine.float32: (1.3e-6, 1e-5), engine.float64: (1e-7, 1e-7)}  # torch.testing.assert_close


def on_cuda(tensor: engine.Tensor) -> engine.Tensor:
    """A copy on the device with the same strides and offset, gaps included, which requires grad if the tensor does."""
    if tensor.numel() == 0:
        made = tensor.detach().to("cuda")
    else:
        cells = engine.as_strided(tensor.detach(), (tensor.untyped_storage().nbytes() // tensor.itemsize,), (1,), 0)
        made = cells.to("cuda").as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    return made.requires_grad_(tensor.requires_grad)


def agree(function: Callable[..., Any], *tensors: Any) -> Any:
    """Call `function` with tensors on the CPU and with copies on the device: all that can be seen is the same.

    Compares values, dtypes, sizes, strides and devices of results; then gradients with respect to all tensors that
    require grad, in the direction of random cotangents. Returns the results on the device.
    """
    copies = [on_cuda(tensor) if isinstance(tensor, engine.Tensor) else tensor for tensor in tensors]
    theirs, ours = _listed(function(*tensors)), _listed(function(*copies))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert_same(one, other)
    for one, other in zip(_gradients(ours, copies), _gradients(theirs, tensors), strict=True):
        assert_same(one, other)
    return ours[0] if len(ours) == 1 else ours


def assert_same(ours: Any, theirs: Any) -> None:
    """A tensor on the device is that on the CPU; anything else is equal."""
    if not isinstance(theirs, engine.Tensor):
        assert ours == theirs
        return
    assert ours.device.type == "cuda"
    assert (ours.dtype, ours.shape, ours.stride()) == (theirs.dtype, theirs.shape, theirs.stride())
    relative, absolute = TOLERANCE.get(theirs.dtype, (0, 0))
    np.testing.assert_allclose(ours.detach().cpu().numpy(), theirs.detach().numpy(), relative, absolute)


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _gradients(results: list[Any], tensors: Any) -> list[Any]:
    outputs = [result for result in results if isinstance(result, engine.Tensor) and result.requires_grad]
    leaves = [tensor for tensor in tensors if isinstance(tensor, engine.Tensor) and tensor.requires_grad]
    if not outputs or not leaves:
        return []
    random = np.random.default_rng(0)
    cotangents = [
        engine.from_numpy(np.array(random.standard_normal(tuple(output.shape)))).to(output.device, output.dtype)
        for output in outputs
    ]
    return [
        gradient
        for gradient in engine.autograd.grad(outputs, leaves, cotangents, allow_unused=True)
        if gradient is not None
    ]
