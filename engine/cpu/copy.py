"""The strided copy: from any geometry to any other, converting the dtype on the way.

The plain loop that it replaces:

    for to, of in zip(strided_offsets(sizes, dst_strides, dst_offset), strided_offsets(sizes, src_strides, src_offset)):
        dst[to] = src[of]

Mirrors aten/src/ATen/native/cpu/CopyKernel.cpp and copy_same_type_transpose_ of aten/src/ATen/native/Copy.cpp.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..aten.native.cat import cat_serial_stub
from ..aten.native.copy import copy_stub
from ..dtypes import DTYPES, dtype
from ..strides import Ints, coalesce_dims, contiguous_strides, expand
from ..tensor_impl import Tensor
from .half_bits import is_converted, ways
from .loops import GEOMETRY, INDEX, NUMBA, named, noters
from .parallel import GRAIN_SIZE
from .ranges import Ranged, is_shared

ROWS, COLUMNS = 256, 8  # elements of a tile: 8 places in the source to read on from, lines of `dst` still in the cache
MEMORY = 4096  # geometries that a memo keeps
OF_STORAGE = {kind.storage: kind for kind in DTYPES.values()}  # either half for uint16: copied as they are
LONG = 4 * GRAIN_SIZE  # elements of a run that are worth other threads


@register_jitable(error_model="numpy")
def copy_rows(dst, to, dst_outer, dst_inner, src, of, src_outer, src_inner, outer, inner):
    """Set dst[to + i * dst_outer + j * dst_inner] = src[of + i * src_outer + j * src_inner], i < outer, j < inner.

    Where the source's neighbors are along i, as in a transpose, a walk along j would fetch a cache line for each
    element; so few columns are copied at a time. Indices are unsigned because numba would test others for being
    negative.
    """
    columns = COLUMNS if 0 < src_outer < src_inner else inner
    for first in range(0, inner, columns):
        width = np.uintp(min(columns, inner - first))
        for i in range(outer):
            row = np.uintp(to + i * dst_outer + first * dst_inner)
            origin = np.uintp(of + i * src_outer + first * src_inner)
            for j in range(width):
                dst[row + j * np.uintp(dst_inner)] = src[origin + j * np.uintp(src_inner)]


def copy(begin, end, dst, to, src, of, geometry):
    """Copy blocks begin..end of ROWS rows, numbered over planes: an odometer walks all dimensions except the last two.

    Args:
        geometry: (3, ndim) int64: sizes, strides of `dst`, strides of `src`; ndim is at least 2.
    """
    sizes, dst_strides, src_strides = geometry
    last = sizes.size - 1
    index = np.zeros(sizes.size, np.int64)
    outer, dst_outer, dst_inner = sizes[last - 1], dst_strides[last - 1], dst_strides[last]
    src_outer, src_inner = src_strides[last - 1], src_strides[last]
    blocks = (outer + ROWS - 1) // ROWS
    plane, block = begin // blocks, begin % blocks
    for d in range(last - 2, -1, -1):
        index[d] = plane % sizes[d]
        plane //= sizes[d]
        to += index[d] * dst_strides[d]
        of += index[d] * src_strides[d]
    for _ in range(begin, end):
        i = block * ROWS
        copy_rows(dst, to + i * dst_outer, dst_outer, dst_inner, src, of + i * src_outer, src_outer, src_inner,
                  min(ROWS, outer - i), sizes[last])  # fmt: skip
        block += 1
        if block < blocks:
            continue
        block = 0
        for d in range(last - 2, -1, -1):
            index[d] += 1
            to += dst_strides[d]
            of += src_strides[d]
            if index[d] < sizes[d]:
                break
            to -= sizes[d] * dst_strides[d]
            of -= sizes[d] * src_strides[d]
            index[d] = 0


def convert(begin, end, dst, to, src, of):
    """Set dst[to + i] = src[of + i], converted to the dtype of `dst`, for begin <= i < end."""
    out, x = dst[to + begin : to + end], src[of + begin : of + end]
    for i in range(out.size):
        out[i] = x[i]


def converting(to: dtype, of: dtype) -> Callable:
    """Return `convert` for two dtypes of which one is a half, or whose conversion in PyTorch is not LLVM's."""
    if not is_converted(to, of):
        return convert
    read, write = ways(to, of)

    def convert_bits(begin, end, dst, to, src, of):
        out, x = dst[to + begin : to + end], src[of + begin : of + end]
        for i in range(out.size):
            out[i] = write(read(x[i]))

    return named(convert_bits, read, write)


def ranged(function: Callable[[dtype, dtype], Callable], *walk: Any) -> dict[dtype, Ranged]:
    """Return {dtype of the target: kernels over a range, by dtype of the source}.

    Args:
        function: (dtype of the target, dtype of the source) -> the function that is compiled.
    """

    def into(kind: dtype) -> Ranged:
        def arguments(of: dtype) -> tuple:
            return NUMBA[kind][::1], INDEX, NUMBA[of][::1], INDEX, *walk

        return Ranged("copy_", tuple(DTYPES.values()), lambda of: function(kind, of), arguments)

    return {kind: into(kind) for kind in DTYPES.values()}


def fill(begin, end, dst, to, value):
    """Set dst[to + i] = value for begin <= i < end."""
    dst[to + begin : to + end] = value


COPY, CONVERT = ranged(lambda to, of: copy, GEOMETRY), ranged(converting)
FILL = Ranged("fill_", tuple(DTYPES.values()), lambda kind: fill, lambda kind: (NUMBA[kind][::1], INDEX, NUMBA[kind]))


class Walk(NamedTuple):
    """A walk through two geometries of equal sizes, or through one geometry and a single source cell.

    Args:
        run: number of elements if both are adjacent from their first one on, so that they are one slice; 0 if they
            don't.
        repeats: whether the source of such a run is one cell.
        geometry: (3, ndim) int64 for `copy`: sizes, strides of the target, strides of the source.
        blocks, cost: of such a copy: how many there are, and elements of each.
    """

    run: int
    repeats: bool
    geometry: np.ndarray
    blocks: int
    cost: int


@functools.lru_cache(MEMORY)
def plan_walk(sizes: Ints, dst_strides: Ints, src_strides: Ints) -> Walk:
    """Return the walk over two geometries in memory order of the target, with dimensions merged where possible.

    Args:
        sizes: of both, elements; none is 0.
        dst_strides, src_strides: in elements.
    """
    outermost_first = sorted(range(len(sizes)), key=lambda d: -dst_strides[d])
    walk = [tuple(numbers[d] for d in outermost_first) for numbers in (sizes, dst_strides, src_strides)]
    sizes, dst_strides, src_strides = coalesce_dims(*walk)
    run = 0
    if dst_strides in ((), (1,)) and src_strides in (dst_strides, (0,)):
        run = sizes[0] if sizes else 1
    order = _plane_last(src_strides)
    rows = [tuple(numbers[d] for d in order) for numbers in (sizes, dst_strides, src_strides)]
    padding = (1,) * (2 - len(sizes))
    geometry = np.array([padding + row for row in rows], np.int64)
    *planes, outer, inner = geometry[0].tolist()
    blocks = math.prod(planes) * -(-outer // ROWS)
    return Walk(run, src_strides != dst_strides, geometry, blocks, min(ROWS, outer) * inner)


def _plane_last(src_strides: Ints) -> Ints:
    """Return the dimensions, with the one along which the source is densest moved to just before the last one."""
    dims = range(len(src_strides))
    denser = [d for d in dims if 0 < src_strides[d] < src_strides[-1]]
    if not denser:
        return tuple(dims)
    beside = min(denser, key=src_strides.__getitem__)
    return (*(d for d in dims[:-1] if d != beside), beside, dims[-1])


def strided_copy(
    sizes: Ints, dst: np.ndarray, to: int, dst_strides: Ints, src: np.ndarray, of: int, src_strides: Ints
) -> None:
    """Copy every element of a strided array to the same index of another. Halves are not converted.

    Args:
        sizes: of both, elements.
        dst, src: flat arrays, the storages' elements.
        to, of: cell of the first element in `dst` and in `src`.
        dst_strides, src_strides: in elements.
    """
    if 0 not in sizes:
        walk = plan_walk(sizes, dst_strides, src_strides)
        copy_walked(walk, OF_STORAGE[dst.dtype], dst, to, OF_STORAGE[src.dtype], src, of)


def copy_walked(walk: Walk, kind: dtype, dst: np.ndarray, to: int, src_kind: dtype, src: np.ndarray, of: int) -> None:
    """Copy `src` to `dst` along a walk. A run of one dtype is moved, or filled, as bytes."""
    run, repeats, geometry, blocks, cost = walk
    if kind is not src_kind and (repeats or not run) and is_converted(kind, src_kind):
        copy_converted(geometry, kind, dst, to, src_kind, src, of)
    elif not run or (repeats and (kind is not src_kind or noters)):  # noted, a kernel reads the one cell
        loop = COPY[kind]
        if is_shared(blocks, cost):
            loop(src_kind, blocks, cost, dst, to, src, of, geometry)
        else:
            loop.compiled[src_kind](0, blocks, dst, to, src, of, geometry)
    elif repeats:
        fill_run(kind, dst, to, run, src[of])
    elif kind is src_kind:
        copy_run(kind, dst, to, src, of, run)
    elif run > LONG:
        CONVERT[kind](src_kind, run, 1, dst, to, src, of)
    else:
        CONVERT[kind].compiled[src_kind](0, run, dst, to, src, of)


def copy_converted(
    geometry: np.ndarray, kind: dtype, dst: np.ndarray, to: int, src_kind: dtype, src: np.ndarray, of: int
) -> None:
    """Copy between strided arrays in three steps: gather the source's elements, convert them in a run, scatter."""
    sizes, dst_strides, src_strides = map(tuple, geometry.tolist())
    count, dense = math.prod(sizes), contiguous_strides(sizes)
    gathered, converted = np.empty(count, src_kind.storage), np.empty(count, kind.storage)
    strided_copy(sizes, gathered, 0, dense, src, of, src_strides)
    CONVERT[kind](src_kind, count, 1, converted, 0, gathered, 0)
    strided_copy(sizes, dst, to, dst_strides, converted, 0, dense)


def copy_run(kind: dtype, dst: np.ndarray, to: int, src: np.ndarray, of: int, run: int) -> None:
    """Set dst[to + i] = src[of + i] for i < run, in one dtype; threads share a long run."""
    if run > LONG or noters:
        CONVERT[kind](kind, run, 1, dst, to, src, of)
    elif run == dst.size == src.size:  # all that there is
        dst[...] = src
    else:
        dst[to : to + run] = src[of : of + run]


def fill_run(kind: dtype, dst: np.ndarray, to: int, run: int, value: Any) -> None:
    """Set dst[to + i] = value for i < run; threads share a long run."""
    if run > LONG or noters:
        FILL(kind, run, 1, dst, to, value)
    elif run == dst.size:
        dst.fill(value)
    else:
        dst[to : to + run] = value


# ---- what the operators call


def copy_kernel(self: Tensor, src: Tensor) -> None:
    """Write the elements of `src`, expanded to the sizes of `self` and converted to its dtype, into `self`."""
    walk = walk_of_copy(self._sizes, self._strides, src._sizes, src._strides)
    if walk is not None:
        copy_walked(walk, self._dtype, self._flat(), self._storage_offset, src._dtype, src._flat(), src._storage_offset)


@functools.lru_cache(MEMORY)
def walk_of_copy(sizes: Ints, strides: Ints, src_sizes: Ints, src_strides: Ints) -> Walk | None:
    """Return the walk that copies a source, expanded, to a target of `sizes`; None if the target is empty."""
    while len(src_sizes) > len(sizes):  # leading sizes of 1, or the two would not broadcast
        src_sizes, src_strides = src_sizes[1:], src_strides[1:]
    return None if 0 in sizes else plan_walk(sizes, strides, expand(src_sizes, src_strides, sizes)[1])


def cat_serial_kernel(out: Tensor, tensors: Sequence[Tensor]) -> None:
    """Concatenate contiguous tensors of one dtype into `out`, which is contiguous."""
    cells, to = out._flat(), out._storage_offset
    for tensor in tensors:
        src, of, run = tensor._elements, tensor._storage_offset, math.prod(tensor._sizes)
        if src is None:  # `_flat` is a call
            src = tensor._flat()
        if run > LONG or noters:
            copy_run(out._dtype, cells, to, src, of, run)
        else:  # without its frame
            cells[to : to + run] = src if run == src.size else src[of : of + run]
        to += run


copy_stub.register("cpu", copy_kernel)
cat_serial_stub.register("cpu", cat_serial_kernel)
