"""The division of a reduction among the threads of a block: `height` threads an output, `width` outputs a block.

    contiguous rows, 4 outputs:      columns, neighbors in memory belong to neighboring outputs:

        output 0:  0 1 2 3               output:  0 1 2 3
        output 1:  4 5 6 7                        0 1 2 3
        output 2:  8 9 ...                        4 5 6 7      (numbers of threads)

Either way neighboring threads read neighboring cells. A row with more elements than a block should add up, or of
which there are too few to keep the device busy, is cut in parts, and another launch reduces their results.
Mirrors ReduceConfig of aten/src/ATen/native/cuda/Reduce.cuh.
"""

import functools
import math
from typing import NamedTuple

from ..aten.iterator_plan import IteratorPlan
from ..cpu.reduce_walk import geometry_of
from ..strides import Ints
from .launch import SHAPES

THREADS = SHAPES["reduction"].threads
LANES = max(2, THREADS // 8)  # neighboring columns that a block reads at once: a warp's width
MOST, LEAST = 256, 16  # elements that a thread of a block takes in, where rows are cut
ENOUGH = 4 * THREADS  # blocks that keep a device busy


class Walk(NamedTuple):
    """The launch arguments of a reduction kernel; numba passes the record field by field.

    Attributes:
        sizes: of the dimensions that stay, innermost last; at least one.
        out_strides: of each output along them.
        strides: of the input along them.
        rows, steps: sizes and strides of the dimensions that are reduced; at least one.
        outputs, n: how many results there are, and the elements of each.
        shares: of `shares_of`.
        parts, size: into how many parts a row is cut, and the elements of one.
    """

    sizes: Ints
    out_strides: tuple[Ints, ...]
    strides: Ints
    rows: Ints
    steps: Ints
    outputs: int
    n: int
    shares: Ints
    parts: int
    size: int

    @property
    def blocks(self) -> int:
        """The number of pieces of work, one for a block."""
        return -(-self.outputs // self.shares[1]) * self.parts

    def next(self) -> "Walk":
        """Return the walk that reduces the partial results, which are contiguous, part after part."""
        return walk_of(self.sizes, self.out_strides, contiguous(self.sizes), (self.parts,), (self.outputs,))


@functools.lru_cache(maxsize=2048)
def walks_of(plan: IteratorPlan) -> tuple[Walk, ...]:
    """Return the launches for a reduction's plan; all except the last write partial results."""
    kept, rows, outputs = geometry_of(plan)
    kept = sorted(kept, key=lambda dimension: -dimension[-1]) or [(1, *(0,) * outputs, 0)]
    sizes, *out_strides, strides = zip(*kept, strict=True)
    walks = [walk_of(sizes, tuple(out_strides), strides, *zip(*rows, strict=True))]
    while walks[-1].parts > 1:
        walks.append(walks[-1].next())
    return tuple(walks)


def walk_of(sizes: Ints, out_strides: tuple[Ints, ...], strides: Ints, rows: Ints, steps: Ints) -> Walk:
    """Return the walk over a geometry, with its division into blocks; arguments as the attributes of `Walk`."""
    outputs, n = math.prod(sizes), math.prod(rows)
    shares = shares_of(outputs, n, outputs > 1 and strides[-1] < min(steps))
    height, width, _, _ = shares
    blocks = -(-outputs // width)
    parts = max(-(-n // (height * MOST)), min(-(-ENOUGH // blocks), n // (height * LEAST)), 1)
    size = -(-n // parts)
    return Walk(sizes, out_strides, strides, rows, steps, outputs, n, shares, -(-n // size), size)


def shares_of(outputs: int, n: int, is_columns: bool) -> Ints:
    """Return how the threads of a block share `outputs` rows of `n` elements, and map to rows and elements.

    Args:
        is_columns: whether elements of neighboring outputs are neighbors in memory, so that threads should be.
    Returns:
        height, width: threads of an output, outputs of a block; their product is `THREADS`.
        down, across: how far apart threads of neighboring elements are, and threads of neighboring outputs.
    """
    if is_columns:
        height = min(power_of_two(n), THREADS // min(LANES, power_of_two(outputs)))
    else:
        height = min(power_of_two(-(-n // 4)), THREADS)
    height = max(height, min(power_of_two(n), THREADS // min(THREADS, power_of_two(outputs))))
    width = THREADS // height
    return height, width, *((width, 1) if is_columns else (1, height))


def power_of_two(count: int) -> int:
    """Return the smallest power of two >= `count`.

    >>> power_of_two(5)
    8
    """
    return 1 << (count - 1).bit_length() if count > 1 else 1


def contiguous(sizes: Ints) -> Ints:
    """Return the strides of contiguous memory of these sizes."""
    strides = [1]
    for size in sizes[:0:-1]:
        strides.append(strides[-1] * size)
    return tuple(reversed(strides))
