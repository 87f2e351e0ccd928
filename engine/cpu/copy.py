"""The strided copy: from any geometry to any other, converting the dtype on the way.

The plain loop that it replaces:

    for to, of in zip(strided_offsets(sizes, dst_strides, dst_offset), strided_offsets(sizes, src_strides, src_offset)):
        dst[to] = src[of]

Mirrors aten/src/ATen/native/cpu/CopyKernel.cpp and the transpose tiles of ATen/native/Copy.cpp.
"""

import numpy as np
from numba import njit

from ..strides import Ints, coalesce_dims

TILE = 32  # elements: a tile of both sides stays in the first-level cache


@njit(cache=True, nogil=True, error_model="numpy")
def _copy_plane(dst, to, dst_outer, dst_inner, src, of, src_outer, src_inner, outer, inner):
    """dst[to + i * dst_outer + j * dst_inner] = src[of + i * src_outer + j * src_inner], i < outer, j < inner."""
    if dst_inner == 1 and src_inner == 1:
        for i in range(outer):
            row, origin = to + i * dst_outer, of + i * src_outer
            for j in range(inner):
                dst[row + j] = src[origin + j]
        return
    for first_i in range(0, outer, TILE):
        for first_j in range(0, inner, TILE):
            for i in range(first_i, min(first_i + TILE, outer)):
                for j in range(first_j, min(first_j + TILE, inner)):
                    dst[to + i * dst_outer + j * dst_inner] = src[of + i * src_outer + j * src_inner]


@njit(cache=True, nogil=True, error_model="numpy")
def _copy(dst, to, dst_strides, src, of, src_strides, sizes):
    """Walk all dimensions but the last two with an odometer, and copy a plane at each stop."""
    last = sizes.size - 1
    planes = 1
    for d in range(last - 1):
        planes *= sizes[d]
    index = np.zeros(sizes.size, np.int64)
    for _ in range(planes):
        _copy_plane(
            dst, to, dst_strides[last - 1], dst_strides[last],
            src, of, src_strides[last - 1], src_strides[last], sizes[last - 1], sizes[last],
        )  # fmt: skip
        for d in range(last - 2, -1, -1):
            index[d] += 1
            to += dst_strides[d]
            of += src_strides[d]
            if index[d] < sizes[d]:
                break
            to -= sizes[d] * dst_strides[d]
            of -= sizes[d] * src_strides[d]
            index[d] = 0


def strided_copy(
    sizes: Ints, dst: np.ndarray, to: int, dst_strides: Ints, src: np.ndarray, of: int, src_strides: Ints
) -> None:
    """Copy every element of one geometry to the same index of another.

    Args:
        sizes: of both, elements.
        dst, src: flat arrays, the storages' elements.
        to, of: cell of the first element in `dst` and in `src`.
        dst_strides, src_strides: in elements.
    """
    if 0 in sizes:
        return
    outermost_first = sorted(range(len(sizes)), key=lambda d: -dst_strides[d])
    sizes, dst_strides, src_strides = coalesce_dims(
        tuple(sizes[d] for d in outermost_first),
        tuple(dst_strides[d] for d in outermost_first),
        tuple(src_strides[d] for d in outermost_first),
    )
    missing = (1,) * (2 - len(sizes))
    if dst.dtype == src.dtype:  # bits are moved: one kernel serves every dtype of a width
        width = np.dtype(f"i{dst.dtype.itemsize}")
        dst, src = dst.view(width), src.view(width)
    _copy(
        dst, to, np.array(missing + dst_strides, np.int64), src, of, np.array(missing + src_strides, np.int64),
        np.array(missing + sizes, np.int64),
    )  # fmt: skip
