"""Checks of the tensor an operation writes to: it may not hold a cell twice, or overlap part of one of its inputs.

Mirrors aten/src/ATen/MemoryOverlap.cpp; the geometry of it is in `engine/strides.py`.
"""

import functools

from .. import strides as geometry
from ..strides import Ints, MemOverlap
from ..tensor_impl import Tensor


@functools.lru_cache(4096)
def is_expanded(sizes: Ints, strides: Ints) -> bool:
    """Return True if two elements of this geometry certainly share memory; computed once per geometry."""
    return geometry.has_internal_overlap(sizes, strides) is MemOverlap.YES


def assert_no_internal_overlap(sizes: Ints, strides: Ints) -> None:
    """Raise an error for a write to a tensor whose elements share memory, such as an expanded tensor.

    Raises:
        RuntimeError: two elements of this geometry surely share a cell.

    Source: assert_no_internal_overlap (aten/src/ATen/MemoryOverlap.cpp).
    """
    if is_expanded(sizes, strides):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


def assert_no_partial_overlap(output: Tensor, other: Tensor) -> None:
    """Raise an error if `output` shares some, but not all, of its memory with an input.

    Raises:
        RuntimeError: they share some cells, not all, or all in another order.

    Source: assert_no_partial_overlap (aten/src/ATen/MemoryOverlap.cpp).
    """
    if output._storage is other._storage and output is not other and _overlap_partially(output, other):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )


def assert_no_overlap(output: Tensor, other: Tensor) -> None:
    """Raise an error if `output` shares any memory with an input.

    Raises:
        RuntimeError: they share some or all cells.

    Source: assert_no_overlap (aten/src/ATen/MemoryOverlap.cpp).
    """
    if output._storage is other._storage and (_is_same(output, other) or _overlap_partially(output, other)):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )


def _overlap_partially(a: Tensor, b: Tensor) -> bool:
    # A storage seen as two dtypes has no common unit of elements; such views count as too hard.
    return a._dtype is b._dtype and geometry.has_partial_overlap(
        (a._sizes, a._strides, a._storage_offset), (b._sizes, b._strides, b._storage_offset)
    )


def _is_same(a: Tensor, b: Tensor) -> bool:
    if a is b:
        return True
    whole = (a._storage_offset, a.numel(), a._strides) == (b._storage_offset, b.numel(), b._strides)
    return whole and 0 not in a._sizes and geometry.is_non_overlapping_and_dense(a._sizes, a._strides)
