"""Rows of a tensor, named by positions: index, index_put_, index_select, index_add, index_copy, index_fill, take.

What follows from geometry alone is worked out once and cached: a `Rows`. Reads run on several threads; writes do
not, for a position may be there twice and the last one wins. Mirrors aten/src/ATen/native/cpu/IndexKernel.cpp.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from ..aten.native import advanced_indexing, index_along_dim
from ..aten.native.indexing_utils import AdvancedIndex, IndexGeometry
from ..dtypes import int64
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .copy import strided_copy
from .half_bits import BITS_OF
from .index_rows import ADD, ADD_CELLS, PLACE_OF_EACH, READ, WRITE, Walk
from .ranges import Ranged

EVERY = 2**62  # a size that no cell reaches
NOWHERE = np.empty(0, np.int64)


class Rows(NamedTuple):
    """A walk through rows of two tensors at the positions of an index.

    Args:
        length: how many positions there are; 0 if there is nothing to do.
        cost: elements of a row.
        walk: argument of the loop.
        positions: (2, n) sizes and strides of a walk through the positions in the order of y, for each index.
        is_vector: the positions are adjacent, in one index.
    """

    length: int
    cost: int
    walk: Walk
    positions: tuple[np.ndarray, ...] = ()
    is_vector: bool = True


NOTHING = Rows(0, 0, Walk(0, 0, 0, 0, np.empty((3, 0), np.int64), NOWHERE))


def row_walk(sizes: Ints, x_strides: Ints, y_strides: Ints) -> np.ndarray:
    """Return a row's sizes and strides, (3, n), in the memory order of y, with dimensions merged where possible."""
    order = sorted(range(len(sizes)), key=lambda d: -y_strides[d])
    rows = (tuple(numbers[d] for d in order) for numbers in (sizes, x_strides, y_strides))
    sizes, x_strides, y_strides = coalesce_dims(*rows)
    return np.array([sizes, x_strides, y_strides] if sizes else [[1], [0], [0]], np.int64)


def plan_rows(geometry: IndexGeometry, y_strides: Ints) -> Rows:
    """Return the walk over an advanced index and `y`, the tensor of the index's sizes that is read or written."""
    sizes, before = geometry.sizes, geometry.before
    if 0 in sizes:
        return NOTHING
    after = before + len(geometry.shape)
    kept = [d for d in range(len(sizes)) if not before <= d < after]
    row = row_walk(*(tuple(numbers[d] for d in kept) for numbers in (sizes, geometry.strides, y_strides)))
    order = sorted(range(before, after), key=lambda d: -y_strides[d])
    outer, y_outer = tuple(sizes[d] for d in order), tuple(y_strides[d] for d in order)
    of_indices = (tuple(index[d - before] for d in order) for index in geometry.index_strides)
    dims, *strides = coalesce_dims(outer, y_outer, *of_indices)
    positions = tuple(np.array([dims, index] if dims else [[1], [0]], np.int64) for index in strides[1:])
    merged = coalesce_dims(outer, y_outer)
    y_step, places = merged[1][0] if len(merged[0]) == 1 else 0, NOWHERE
    if len(merged[0]) > 1:
        places = np.zeros(math.prod(merged[0]), np.int64)
        PLACE_OF_EACH[int64](places, np.array(merged, np.int64))
    count, steps = math.prod(geometry.shape), positions[0]
    is_vector = len(positions) == 1 and steps.shape[1] == 1 and bool(steps[1, 0] == 1 or count == 1)
    size, step = (geometry.indexed_sizes[0], geometry.indexed_strides[0]) if is_vector else (EVERY, 1)
    walk = Walk(-size, size, step, y_step, row, places)
    return Rows(count, int(np.prod(row[0])), walk, positions, is_vector)


@functools.lru_cache(4096)
def plan_along(dim: int, x_sizes: Ints, x_strides: Ints, sizes: Ints, y_strides: Ints) -> Rows:
    """Return the walk over rows of `x` along `dim` and over rows of `y`, which has `sizes` and `y_strides`."""
    if 0 in sizes:
        return NOTHING
    kept = [d for d in range(len(x_sizes)) if d != dim]
    row = row_walk(*(tuple(numbers[d] for d in kept) for numbers in (sizes, x_strides, y_strides)))
    size, step, y_step = (x_sizes[dim], x_strides[dim], y_strides[dim]) if x_sizes else (1, 0, 0)
    count = sizes[dim] if sizes else 1
    return Rows(count, int(np.prod(row[0])), Walk(0, size, step, y_step, row, NOWHERE))


# ---- kernels


def run(info: AdvancedIndex, y: Tensor, loops: Ranged) -> None:
    """Run a loop over the elements that an index selects and over `y`, which has the index's sizes.

    Raises:
        IndexError: a position is out of bounds.
    """
    src, indices, geometry = info
    plan = geometry.plans.get(y._strides)
    if plan is None:
        plan = geometry.plans[y._strides] = plan_rows(geometry, y._strides)
    if not plan.length:
        return
    report = np.zeros(2, np.int64)
    if plan.is_vector:
        positions, q = indices[0]._flat(), indices[0]._storage_offset
    else:
        positions, q = np.zeros(plan.length, np.int64), 0
        of_each = zip(indices, plan.positions, geometry.indexed_sizes, geometry.indexed_strides, strict=True)
        for k, (index, walk, size, step) in enumerate(of_each):
            ADD_CELLS[int64](positions, index._flat(), index._storage_offset, walk, size, step, report)
            _require_inside(report, k, size)
    apply(loops, src, y, positions, q, plan, report, 1)
    _require_inside(report, 0, geometry.indexed_sizes[0])


def apply(
    loops: Ranged, x: Tensor, y: Tensor, positions: np.ndarray, q: int, plan: Rows, report: np.ndarray, alpha: Any
) -> None:
    """Run a loop over all positions of a plan."""
    kind, of_x, of_y = x._dtype, x._flat(), y._flat()
    if loops is not ADD and kind.is_floating_point:
        kind = BITS_OF[kind]
        of_x, of_y = of_x.view(kind.numpy), of_y.view(kind.numpy)
    args = (of_x, x._storage_offset, of_y, y._storage_offset, positions, q, plan.walk, report,
            kind.numpy.type(alpha))  # fmt: skip
    if loops is READ:
        loops(kind, plan.length, plan.cost, *args)
    else:
        loops.compiled[kind](0, plan.length, *args)


def _require_inside(report: np.ndarray, k: int, size: int) -> None:
    if report[0]:
        raise IndexError(f"index {report[1]} is out of bounds for dimension {k} with size {size}")


def index_kernel(out: Tensor, info: AdvancedIndex) -> None:
    """Write the elements that the indices select into `out`."""
    run(info, out, READ)


def index_put_kernel(info: AdvancedIndex, values: Tensor, accumulate: bool) -> None:
    """Set the elements that the indices select to `values`, or add `values` to them."""
    run(info, values, ADD if accumulate else WRITE)


def along_dim(loops: Ranged, x: Tensor, dim: int, index: Tensor, y: Tensor, alpha: Any = 1) -> int | None:
    """Run a loop over rows of `x` along `dim` and rows of `y`, one for each position of the vector `index`.

    Returns:
        a position that is outside of [0, size), None if there is none.
    """
    plan = plan_along(dim, x._sizes, x._strides, y._sizes, y._strides)
    if not plan.length:
        return None
    report = np.zeros(2, np.int64)
    positions, q = positions_of(index)
    apply(loops, x, y, positions, q, plan, report, alpha)
    return int(report[1]) if report[0] else None


def positions_of(index: Tensor) -> tuple[np.ndarray, int]:
    """Return the positions in a vector as a contiguous int64 array, and the offset of the first one."""
    if index._dtype is int64 and (index.numel() <= 1 or index._strides[-1] == 1):
        return index._flat(), index._storage_offset
    positions = np.empty(index.numel(), np.int64)
    strides = index._strides or (1,)
    strided_copy((positions.size,), positions, 0, (1,), index._flat(), index._storage_offset, strides)
    return positions, 0


advanced_indexing.index_stub.register("cpu", index_kernel)
advanced_indexing.index_put_stub.register("cpu", index_put_kernel)
index_along_dim.index_select_stub.register("cpu", functools.partial(along_dim, READ))
index_along_dim.index_copy_stub.register("cpu", functools.partial(along_dim, WRITE))
index_along_dim.index_add_stub.register("cpu", functools.partial(along_dim, ADD))
