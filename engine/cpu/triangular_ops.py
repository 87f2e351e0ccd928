"""Triangles of matrices, and numbers repeated: tril, triu, repeat_interleave, flip.

The plain loop of tril:

    for i in range(rows):
        for j in range(columns):
            out[i][j] = x[i][j] if j <= i + diagonal else 0

Mirrors aten/src/ATen/native/TriangularOps.cpp, Repeat.cpp and TensorTransformations.cpp.
"""

import functools

import numpy as np
from numba import types

from ..aten.native import repeat, tensor_transformations, triangular_ops
from ..dtypes import dtype, int8, int16, int32, int64, uint8
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .half_bits import BITS, BITS_OF
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, rows_of


def triangle(out, o, x, p, batch, matrix, diagonal, lower):
    """Copy a triangle of each matrix, with zeros elsewhere; batch: (3, n) sizes, strides of out, x; matrix: (3, 2)."""
    index, cells = np.zeros(batch.shape[1], np.int64), np.array((o, p))
    rows, columns = matrix[0, 0], matrix[0, 1]
    so, sx = np.uintp(matrix[1, 1]), np.uintp(matrix[2, 1])
    count = 1
    for d in range(batch.shape[1]):
        count *= batch[0, d]
    for _ in range(count):
        for i in range(rows):
            to, of = np.uintp(cells[0] + i * matrix[1, 0]), np.uintp(cells[1] + i * matrix[2, 0])
            edge = min(max(i + diagonal + (1 if lower else 0), 0), columns)
            first, last = (0, edge) if lower else (edge, columns)
            for j in range(np.uintp(first)):
                out[to + j * so] = 0
            for j in range(np.uintp(first), np.uintp(last)):
                out[to + j * so] = x[of + j * sx]
            for j in range(np.uintp(last), np.uintp(columns)):
                out[to + j * so] = 0
        advance(index, cells, batch)


def repeats_of(out, repeats, p, step, n):
    """Write each k < n, in ascending order, `repeats[p + k * step]` times to `out`."""
    to = 0
    for k in range(n):
        for _ in range(repeats[p + k * step]):
            out[to] = k
            to += 1


def flip(out, o, x, p, walk):
    """Copy x to out; walk: (3, n) sizes, strides of out, strides of x, which are negative along reversed dimensions."""
    last = walk.shape[1] - 1
    index, cells = np.zeros(last, np.int64), np.array((o, p))
    n, so, sx = np.uintp(walk[0, last]), np.uintp(walk[1, last]), np.uintp(walk[2, last])
    for _ in range(rows_of(walk)):
        to, of = np.uintp(cells[0]), np.uintp(cells[1])
        if so == 1 and walk[2, last] == 1:
            for j in range(n):
                out[to + j] = x[of + j]
        elif so == 1 and walk[2, last] == -1:
            first = of + np.uintp(1) - n
            for j in range(n):
                out[to + n - np.uintp(1) - j] = x[first + j]
        else:
            for j in range(n):
                out[to + j * so] = x[of + j * sx]
        advance(index, cells, walk)


def _flip_types(kind: dtype) -> tuple:
    return (NUMBA[kind][::1], INDEX, NUMBA[kind][::1], INDEX, GEOMETRY)


def summary(x, p, n):
    """Return the minimum, the maximum and the sum of n numbers."""
    smallest, largest, total = np.int64(x[p]), np.int64(x[p]), np.int64(0)
    for i in range(p, p + n):
        value = np.int64(x[i])
        smallest, largest = min(smallest, value), max(largest, value)
        total += value
    return smallest, largest, total


def _triangle_types(kind: dtype) -> tuple:
    cells = NUMBA[kind][::1]
    return (cells, INDEX, cells, INDEX, GEOMETRY, GEOMETRY, INDEX, types.boolean)


def _repeat_types(kind: dtype) -> tuple:
    return (NUMBA[kind][::1], NUMBA[kind][::1], INDEX, INDEX, INDEX)


TRIANGLE = Compiled("tril_triu", BITS, lambda kind: triangle, _triangle_types)
FLIP = Compiled("flip", BITS, lambda kind: flip, _flip_types)
REPEAT = Compiled("repeat_interleave", (int32, int64), lambda kind: repeats_of, _repeat_types)

SUMMARY = Compiled(
    "summary", (uint8, int8, int16, int32, int64), lambda kind: summary, lambda kind: (NUMBA[kind][::1], INDEX, INDEX)
)


@functools.lru_cache(4096)
def matrices_of(sizes: Ints, out_strides: Ints, strides: Ints) -> tuple[np.ndarray, np.ndarray]:
    """Return the walk (3, n) over the matrices, and the geometry (3, 2) of one of them."""
    batch = np.array(coalesce_dims(sizes[:-2], out_strides[:-2], strides[:-2]), np.int64).reshape(3, -1)
    return batch, np.array([sizes[-2:], out_strides[-2:], strides[-2:]], np.int64)


def triangle_kernel(out: Tensor, self: Tensor, diagonal: int, lower: bool) -> None:
    """Copy the matrices of `self` to `out`, with zeros above or below a diagonal."""
    kind = BITS_OF[self._dtype]
    rows, columns = self._sizes[-2:]
    to, of = out._flat().view(kind.numpy), self._flat().view(kind.numpy)
    walk = matrices_of(self._sizes, out._strides, self._strides)
    TRIANGLE[kind](to, out._storage_offset, of, self._storage_offset, *walk, max(min(diagonal, columns), -rows), lower)


def repeat_interleave_kernel(out: Tensor, repeats: Tensor) -> None:
    """Write each index k, in ascending order, `repeats[k]` times to `out`."""
    (n,), (step,) = repeats._sizes, repeats._strides
    REPEAT[repeats._dtype](out._flat(), repeats._flat(), repeats._storage_offset, step, n)


def summary_kernel(x: Tensor) -> tuple[int, int, int]:
    """Return the minimum, the maximum and the sum of a contiguous tensor that is not empty."""
    return SUMMARY[x._dtype](x._flat(), x._storage_offset, x.numel())


def flip_kernel(out: Tensor, self: Tensor, flipped: tuple[bool, ...]) -> None:
    """Copy `self` to `out`, reversed along the flipped dimensions."""
    walk = [*zip(self._sizes, self._strides, flipped, strict=True)]
    first = self._storage_offset + sum((size - 1) * step for size, step, backwards in walk if backwards)
    steps = tuple(-step if backwards else step for _, step, backwards in walk)
    kind = BITS_OF[self._dtype]
    to, of = out._flat().view(kind.numpy), self._flat().view(kind.numpy)
    FLIP[kind](to, out._storage_offset, of, first, _flip_walk(self._sizes, out._strides, steps))


@functools.lru_cache(4096)
def _flip_walk(sizes: Ints, out_strides: Ints, strides: Ints) -> np.ndarray:
    """Return the walk (3, n) in the order of the output in memory."""
    order = sorted(range(len(sizes)), key=lambda d: -out_strides[d])
    walk = coalesce_dims(*(tuple(numbers[d] for d in order) for numbers in (sizes, out_strides, strides)))
    return np.array(walk if walk[0] else [[1], [0], [0]], np.int64)


triangular_ops.triangle_stub.register("cpu", triangle_kernel)
repeat.repeat_interleave_stub.register("cpu", repeat_interleave_kernel)
tensor_transformations.flip_stub.register("cpu", flip_kernel)
repeat.summary_stub.register("cpu", summary_kernel)
