"""nll_loss of a contiguous tensor, and its way back. Mirrors the kernels of LossNLL.cpp and LossNLL2d.cpp.

The plain loop that it replaces, for each place of each of the batch:

    c = target[b, place]
    out[b, place] = -x[b, c, place] * weight[c]
    grad_x[b, c, place] = -grad_out[b, place] * weight[c]
"""

from typing import Any

import numpy as np
from numba import types

from ..aten.native import loss_backward, loss_nll
from ..aten.native.loss import MEAN, NONE
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA, Compiled
from .row_sums import FLOATS, vector


def nll_loss(out, total_weight, x, target, weight, batch, classes, size, reduction, ignore_index):
    """Compute `out` and `total_weight`; return the index of an invalid target, or -1 if all targets are valid."""
    total, weights = 0.0, 0.0
    for cell in range(batch * size):
        c = target[cell]
        if c == ignore_index:
            if reduction == NONE:
                out[cell] = 0
            continue
        if c < 0 or c >= classes:
            return cell
        factor = weight[c] if weight.size else x.dtype.type(1)
        loss = -x[(cell // size * classes + c) * size + cell % size] * factor
        if reduction == NONE:
            out[cell] = loss
        else:
            total += loss
            weights += factor
    total_weight[0] = weights
    if reduction != NONE:
        out[0] = total / weights if reduction == MEAN else total
    return -1


def nll_loss_backward(grad_x, grad, total_weight, target, weight, batch, classes, size, reduction, ignore_index):
    """Compute `grad_x`; return the index of an invalid target, or -1 if all targets are valid."""
    grad_x[:] = 0
    for cell in range(batch * size):
        c = target[cell]
        if c == ignore_index:
            continue
        if c < 0 or c >= classes:
            return cell
        slope = grad[0] / total_weight[0] if reduction == MEAN else grad[cell] if reduction == NONE else grad[0]
        factor = weight[c] if weight.size else grad_x.dtype.type(1)
        grad_x[(cell // size * classes + c) * size + cell % size] = -slope * factor
    return -1


def signature(kind: dtype) -> tuple:
    """Return numba's types of the arguments of both loops."""
    array, cells = NUMBA[kind][::1], types.int64[::1]
    return (array, array, array, cells, array, *(INDEX,) * 5)


LOOPS = Compiled("nll_loss_out_frame", FLOATS, lambda kind: nll_loss, signature)
BACKWARD = Compiled("nll_loss_backward_out_frame", FLOATS, lambda kind: nll_loss_backward, signature)


def nll_loss_kernel(
    output: Tensor, total_weight: Tensor, self: Tensor, target: Tensor, weight: Tensor | None,
    reduction: int, ignore_index: int, sizes: tuple[int, int, int],
) -> None:  # fmt: skip
    """Compute the loss into `output` and the sum of weights into `total_weight`; all tensors are contiguous.

    Raises:
        IndexError: a target is none of the classes.
    """
    loop, targets = LOOPS[self._dtype], vector(target, target)
    outputs = vector(output, self), vector(total_weight, self)
    require_classes(targets, loop(*outputs, vector(self, self), targets, vector(weight, self),
                                  *sizes, reduction, ignore_index))  # fmt: skip


def nll_loss_backward_kernel(
    grad_input: Tensor, grad_output: Tensor, target: Tensor, weight: Tensor | None, total_weight: Tensor,
    reduction: int, ignore_index: int, sizes: tuple[int, int, int],
) -> None:  # fmt: skip
    """Compute the gradient of nll_loss's input into `grad_input`; all tensors are contiguous.

    Raises:
        IndexError: a target is none of the classes.
    """
    loop, targets = BACKWARD[grad_input._dtype], vector(target, target)
    grad, total = vector(grad_output, grad_input), vector(total_weight, grad_input)
    require_classes(targets, loop(vector(grad_input, grad_input), grad, total, targets, vector(weight, grad_input),
                                  *sizes, reduction, ignore_index))  # fmt: skip


def require_classes(targets: np.ndarray, bad: Any) -> None:
    """Raise IndexError if a target is not a class.

    Args:
        bad: the cell of a target that is none of the classes, or -1.
    Raises:
        IndexError: there is such a target.
    """
    if bad >= 0:
        raise IndexError(f"Target {targets[bad]} is out of bounds.")


loss_nll.nll_loss_stub.register("cpu", nll_loss_kernel)
loss_backward.nll_loss_backward_stub.register("cpu", nll_loss_backward_kernel)
