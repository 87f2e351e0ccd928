"""nll_loss of a contiguous tensor. Mirrors the kernels of aten/src/ATen/native/LossNLL.cpp and LossNLL2d.cpp.

The plain loop that it replaces, for each place of each of the batch:

    c = target[b, place]
    out[b, place] = -x[b, c, place] * weight[c]
"""

from collections.abc import Callable

import numpy as np
from numba import types

from ..aten.native import loss_nll
from ..aten.native.loss import MEAN, NONE
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA, Compiled
from .row_sums import FLOATS, vector


def nll_loss(out, total_weight, x, target, weight, batch, classes, size, reduction, ignore_index, bad):
    """bad[0] becomes the cell of a target that is none of the classes."""
    total, weights = 0.0, 0.0
    for cell in range(batch * size):
        c = target[cell]
        if c == ignore_index:
            if reduction == NONE:
                out[cell] = 0
            continue
        if c < 0 or c >= classes:
            bad[0] = cell
            return
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


def function(kind: dtype) -> Callable:
    """What numba compiles for a dtype."""
    return nll_loss


def signature(kind: dtype) -> tuple:
    """numba's types of the arguments."""
    array, cells = NUMBA[kind][::1], types.int64[::1]
    return (array, array, array, cells, array, *(INDEX,) * 5, cells)


LOOPS = Compiled("nll_loss_out_frame", FLOATS, function, signature)


def nll_loss_kernel(
    output: Tensor, total_weight: Tensor, self: Tensor, target: Tensor, weight: Tensor | None,
    reduction: int, ignore_index: int, sizes: tuple[int, int, int],
) -> None:  # fmt: skip
    """All tensors are contiguous.

    Raises:
        IndexError: a target is none of the classes.
    """
    bad = np.full(1, -1)
    targets = vector(target, target)
    loop = LOOPS[self._dtype]
    loop(vector(output, self), vector(total_weight, self), vector(self, self), targets, vector(weight, self),
         *sizes, reduction, ignore_index, bad)  # fmt: skip
    if bad[0] >= 0:
        raise IndexError(f"Target {targets[bad[0]]} is out of bounds.")


loss_nll.nll_loss_stub.register("cpu", nll_loss_kernel)
