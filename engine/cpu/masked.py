"""Kernels of masks: masked_fill, masked_select, masked_scatter_, and of what is not zero: nonzero.

The plain loop of nonzero, and of masked_select with `self[place]` instead of `place`:

    for place in every place of x, the last dimension fastest:
        if x[place] != 0:
            out.append(place)

Elements are counted first, so that the output is made once. Whether an element counts is not branched on, for masks
are hard to foretell: each place is written to a block, and the end of the block moves on by 0 or 1. Mirrors
aten/src/ATen/native/TensorAdvancedIndexing.cpp and aten/src/ATen/native/cpu/IndexKernel.cpp.
"""

import functools
from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.empty_tensor import new_tensor
from ..aten.native import masked
from ..dtypes import DTYPES, bool_, dtype
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .copy import copy_kernel
from .elementwise import ALL, Table, register
from .half_bits import BITS, BITS_OF
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, rows_of

BLOCK = 1024  # elements at a time


# Functions of single numbers: inputs, then scalars.


def masked_fill(mask, a, value):
    """Return `value` if the mask is True, else a."""
    return value if mask else a


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (masked.masked_fill_stub, "masked_fill", {ALL: masked_fill}, (None, bool_, None), 1),
)

register(KERNELS)

# ---- loops; geometries are (1 + operands, n) sizes and strides, innermost last


@register_jitable
def places_in(x, p, step, first, n, places):
    """Write the indices, from `first` on, of the nonzero elements among n to `places`, and return their count."""
    found = 0
    for j in range(n):
        places[found] = first + j
        found += x[np.uintp(p) + np.uintp(j) * np.uintp(step)] != 0
    return found


def count_nonzero(x, p, geometry):
    """Return the number of nonzero elements."""
    last = geometry.shape[1] - 1
    index, cell = np.zeros(last, np.int64), np.array((p,))
    n, step = np.uintp(geometry[0, last]), np.uintp(geometry[1, last])
    total = 0
    for _ in range(rows_of(geometry)):
        at = np.uintp(cell[0])
        if step == 1:
            for j in range(n):
                total += x[at + j] != 0
        else:
            for j in range(n):
                total += x[at + j * step] != 0
        advance(index, cell, geometry)
    return total


def nonzero(x, p, geometry, out, o, count):
    """Write coordinate d of the k-th nonzero element to out[o + d * count + k]."""
    last = geometry.shape[1] - 1
    index, cell = np.zeros(last, np.int64), np.array((p,))
    n, step = geometry[0, last], geometry[1, last]
    places = np.empty(BLOCK + 1, np.int64)
    for _ in range(rows_of(geometry)):
        for first in range(0, n, BLOCK):
            found = places_in(x, cell[0] + first * step, step, first, min(BLOCK, n - first), places)
            for d in range(last):
                column, coordinate = o + d * count, index[d]
                for k in range(found):
                    out[np.uintp(column) + np.uintp(k)] = coordinate
            column = o + last * count
            for k in range(found):
                out[np.uintp(column) + np.uintp(k)] = places[k]
            o += found
        advance(index, cell, geometry)


def masked_select(mask, q, x, p, geometry, y, r):
    """Copy the k-th element of x whose mask is True to element k of y, for each k."""
    last = geometry.shape[1] - 1
    index, cells = np.zeros(last, np.int64), np.array((q, p))
    n, step, x_step = geometry[0, last], geometry[1, last], np.uintp(geometry[2, last])
    places = np.empty(BLOCK + 1, np.int64)
    for _ in range(rows_of(geometry)):
        for first in range(0, n, BLOCK):
            found = places_in(mask, cells[0] + first * step, step, first, min(BLOCK, n - first), places)
            of, to = np.uintp(cells[1]), np.uintp(r)
            for k in range(np.uintp(found)):
                y[to + k] = x[of + np.uintp(places[k]) * x_step]
            r += found
        advance(index, cells, geometry)


def masked_scatter(mask, q, x, p, geometry, y, r):
    """Copy element k of y to the k-th element of x whose mask is True, for each k."""
    last = geometry.shape[1] - 1
    index, cells = np.zeros(last, np.int64), np.array((q, p))
    n, step, x_step = geometry[0, last], geometry[1, last], np.uintp(geometry[2, last])
    places = np.empty(BLOCK + 1, np.int64)
    for _ in range(rows_of(geometry)):
        for first in range(0, n, BLOCK):
            found = places_in(mask, cells[0] + first * step, step, first, min(BLOCK, n - first), places)
            of, to = np.uintp(cells[1]), np.uintp(r)
            for k in range(np.uintp(found)):
                x[of + np.uintp(places[k]) * x_step] = y[to + k]
            r += found
        advance(index, cells, geometry)


# ---- kernels

CELLS, MASK = types.int64[::1], types.boolean[::1]
KINDS = tuple(DTYPES.values())
COUNT = Compiled("nonzero", KINDS, lambda kind: count_nonzero, lambda kind: (NUMBA[kind][::1], INDEX, GEOMETRY))
NONZERO = Compiled(
    "nonzero", KINDS, lambda kind: nonzero, lambda kind: (NUMBA[kind][::1], INDEX, GEOMETRY, CELLS, INDEX, INDEX)
)


def masked_loop(name: str, loop: Callable) -> Compiled:
    """Build, for each dtype, the kernel of a loop over a mask and the elements that it selects."""

    def signature(kind: dtype) -> tuple:
        return (MASK, INDEX, NUMBA[kind][::1], INDEX, GEOMETRY, NUMBA[kind][::1], INDEX)

    return Compiled(name, BITS, lambda kind: loop, signature)


SELECT = masked_loop("masked_select", masked_select)
SCATTER = masked_loop("masked_scatter", masked_scatter)


@functools.lru_cache(4096)
def in_order(sizes: Ints, *strides: Ints) -> np.ndarray:
    """Return the walk in dimension order, with dimensions merged where possible, as an array (1 + operands, n)."""
    walk = coalesce_dims(sizes, *strides)
    return np.array(walk if walk[0] else [[1]] + [[0]] * len(strides), np.int64)


@functools.lru_cache(4096)
def as_it_is(sizes: Ints, strides: Ints) -> np.ndarray:
    """Return the walk through all dimensions, with none merged, as an array (2, n)."""
    return np.array((sizes, strides), np.int64)


def count_kernel(x: Tensor) -> int:
    """Return the number of nonzero elements of a tensor."""
    return 0 if 0 in x._sizes else COUNT[x._dtype](x._flat(), x._storage_offset, in_order(x._sizes, x._strides))


def nonzero_kernel(x: Tensor, out: Tensor) -> None:
    """Write the coordinates of the nonzero elements into `out`, of sizes (count, number of dimensions)."""
    walk = as_it_is(x._sizes, x._strides)
    NONZERO[x._dtype](x._flat(), x._storage_offset, walk, out._flat(), out._storage_offset, out._sizes[0])


def masked_kernel(loop: Compiled) -> Callable[[Tensor, Tensor, Tensor], None]:
    """Build kernel(self, mask, y), which runs a loop over `self`, a mask of the same sizes, and the vector `y`."""

    def kernel(self: Tensor, mask: Tensor, y: Tensor) -> None:
        kind = BITS_OF[self._dtype]
        x_cells, y_cells = self._flat().view(kind.numpy), y._flat().view(kind.numpy)
        walk = in_order(self._sizes, mask._strides, self._strides)
        loop[kind](mask._flat(), mask._storage_offset, x_cells, self._storage_offset, walk, y_cells, y._storage_offset)

    return kernel


def masked_select_kernel(self: Tensor, mask: Tensor, out: Tensor) -> None:
    """Write the elements of `self` where the mask is True into `out`, which need not be contiguous."""
    dense = out if out._strides == (1,) else new_tensor(out._sizes, (1,), out._dtype)
    masked_kernel(SELECT)(self, mask, dense)
    if dense is not out:
        copy_kernel(out, dense)


masked.count_stub.register("cpu", count_kernel)
masked.nonzero_stub.register("cpu", nonzero_kernel)
masked.masked_select_stub.register("cpu", masked_select_kernel)
masked.masked_scatter_stub.register("cpu", masked_kernel(SCATTER))
