"""Triangles of matrices: tril, triu.

The plain loop of tril:

    for i in range(rows):
        for j in range(columns):
            out[i][j] = x[i][j] if j <= i + diagonal else 0

Mirrors aten/src/ATen/native/cuda/TriangularOps.cu.
"""

import functools
from typing import Any

import numpy as np

from ..aten.native import triangular_ops
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import as_numpy, flat_and_offset
from .launch import grid_of, launch


@cuda.jit
def triangle(n, out, o, x, p, sizes, so, sx, diagonal, lower):
    """Compute out = x with zeros above the diagonal (`lower`) or below; rows and columns are the last two sizes."""
    i = cuda.grid(1)
    while i < n:
        rest = type(sizes[0])(i)
        column = rest % sizes[len(sizes) - 1]
        rest = type(sizes[0])(rest // sizes[len(sizes) - 1])
        row = rest % sizes[len(sizes) - 2]
        rest = type(sizes[0])(rest // sizes[len(sizes) - 2])
        to = o + column * so[len(sizes) - 1] + row * so[len(sizes) - 2]
        of = p + column * sx[len(sizes) - 1] + row * sx[len(sizes) - 2]
        for d in range(len(sizes) - 3, -1, -1):
            k = rest % sizes[d]
            rest = type(sizes[0])(rest // sizes[d])
            to += k * so[d]
            of += k * sx[d]
        above = np.int64(column) - np.int64(row) - diagonal
        if above <= 0 if lower else above >= 0:
            out[np.uintp(to)] = x[np.uintp(of)]
        else:
            out[np.uintp(to)] = 0
        i += cuda.gridsize(1)


@functools.lru_cache(4096)
def matrix_walk(sizes: Ints, out_strides: Ints, strides: Ints) -> tuple[Any, ...]:
    """Return sizes and both strides with the batch dimensions coalesced, and rows and columns last."""
    batch = coalesce_dims(sizes[:-2], out_strides[:-2], strides[:-2])
    whole = [(*outer, *inner[-2:]) for outer, inner in zip(batch, (sizes, out_strides, strides), strict=True)]
    loop_sizes, loop_strides = as_numpy(whole[0], whole[1:])
    return loop_sizes, *loop_strides


def triangle_kernel(out: Tensor, self: Tensor, diagonal: int, lower: bool) -> None:
    """Copy the matrices of `self` into `out`, with zeros above or below a diagonal."""
    rows, columns = self._sizes[-2:]
    grid, block = grid_of("elementwise", self.numel())
    walk = matrix_walk(self._sizes, out._strides, self._strides)
    diagonal = max(min(diagonal, columns), -rows)
    launch(triangle, grid, block, self.numel(), *flat_and_offset(out), *flat_and_offset(self), *walk, diagonal, lower)


triangular_ops.triangle_stub.register("cuda", triangle_kernel)
