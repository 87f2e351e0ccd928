"""The gradient of unfold: windows that share cells are added up.

The plain loop, of windows of `size` elements, `step` apart, along one dimension:

    for w in range(windows):
        for k in range(size):
            x[w * step + k] += grad[w][k]

Mirrors aten/src/ATen/native/cpu/UnfoldBackwardKernel.cpp.
"""

import functools

import numpy as np

from ..aten.native import view_backward
from ..dtypes import dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .loops import GEOMETRY, INDEX, NUMBA, advance, enter
from .ranges import Ranged

KINDS = (float32, float64, int32, int64)


def add_windows(begin, end, x, p, grad, r, walk, within):
    """Add the gradients of all windows in rows `begin` to `end` to x; within: (3, 2) counts, strides in x, in grad."""
    index, cells = np.zeros(walk.shape[1] - 1, np.int64), np.array((p, r))
    enter(index, cells, walk, begin)
    windows, size = np.uintp(within[0, 0]), np.uintp(within[0, 1])
    x_window, x_step = np.uintp(within[1, 0]), np.uintp(within[1, 1])
    grad_window, grad_step = np.uintp(within[2, 0]), np.uintp(within[2, 1])
    for _ in range(begin, end):
        to, at = np.uintp(cells[0]), np.uintp(cells[1])
        for w in range(windows):
            for k in range(size):
                x[to + w * x_window + k * x_step] += grad[at + w * grad_window + k * grad_step]
        advance(index, cells, walk)


def _arguments(kind: dtype) -> tuple:
    cells = (NUMBA[kind][::1], INDEX)
    return (*cells, *cells, GEOMETRY, GEOMETRY)


ADD_WINDOWS = Ranged("unfold_backward", KINDS, lambda kind: add_windows, _arguments)


@functools.lru_cache(4096)
def walks_of(dim: int, sizes: Ints, x_strides: Ints, grad_strides: Ints) -> tuple[np.ndarray, np.ndarray]:
    """Return the walk (3, n) over the other dimensions and one with strides 0, and the geometry (3, 2) of windows."""
    rows = sizes, x_strides, grad_strides
    kept = [d for d in range(len(sizes) - 1) if d != dim]
    outer = [[*(numbers[d] for d in kept), last] for numbers, last in zip(rows, (1, 0, 0), strict=True)]
    return np.array(outer, np.int64), np.array([(numbers[dim], numbers[-1]) for numbers in rows], np.int64)


def unfold_backward_kernel(windows: Tensor, grad: Tensor, dim: int) -> None:
    """Add `grad` to `windows`, window by window, on threads: rows along the other dimensions share no cells."""
    walk, within = walks_of(dim, windows._sizes, windows._strides, grad._strides)
    cost = int(within[0].prod())
    ADD_WINDOWS(
        windows._dtype, windows.numel() // cost, cost, windows._flat(), windows._storage_offset, grad._flat(),
        grad._storage_offset, walk, within,
    )  # fmt: skip


view_backward.unfold_backward_stub.register("cpu", unfold_backward_kernel)
