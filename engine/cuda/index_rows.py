"""Kernels of elements that positions name: one thread a position and element, whatever the operator.

The plain loop of a read, `x` having a stride of 0 where a position says how far to go; a write goes the other way:

    for place in every place of y:
        cell = x[place], moved on by position * step for each of the indices at that place
        y[place] = x[cell]

So index, index_select, gather and take are one kernel, as are their writes, and as are their additions, which are
atomic: their order, and so the last bits of a sum, may change from run to run, as in PyTorch. Where several elements
are written to one cell any of them may be the last. PyTorch ends the program if a position is outside; here the kernel
notes the first such place and goes on, and who started it reads the note, which waits for the kernel, because the error
must be the same as on the CPU. Mirrors aten/src/ATen/native/cuda/{IndexKernel,Indexing,ScatterGatherKernel}.cu.
"""

import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..aten.scalar_ops import scalar_to_tensor
from ..dtypes import int64
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import flat_and_offset
from .launch import grid_of, launch
from .loops import device_function, jitted
from .runtime import to_host

Number = bool | int | float

# ---- position of an element


def place_of(i, sizes, strides):
    """Return the storage offset of element i, with the last of at least one dimension innermost."""
    at = 0
    for d in range(len(sizes) - 1, 0, -1):
        at += i % sizes[d] * strides[d]
        i //= sizes[d]
    return at + i * strides[0]


place = device_function(place_of)


@functools.lru_cache(4096)
def coalesced_walk(sizes: Ints, *strides: Ints) -> tuple[Ints, ...]:
    """Return sizes and strides of a walk in which adjacent threads access adjacent elements of the first operand."""
    order = sorted(range(len(sizes)), key=lambda d: -strides[0][d])
    walk = coalesce_dims(*(tuple(numbers[d] for d in order) for numbers in (sizes, *strides)))
    return walk if walk[0] else ((1,), *[(0,)] * len(strides))


# ---- the places whose positions are outside

INSIDE = 2**63 - 1
_noted = threading.local()


def note() -> Any:
    """Return the device cell that holds the number of the first index out of bounds, or `INSIDE` if there is none."""
    if not hasattr(_noted, "cell"):
        _noted.cell = cuda.to_device(np.array([INSIDE]))
    return _noted.cell


def read_note() -> int | None:
    """Return the number of the first index out of bounds, after earlier kernels are done, and clear the note."""
    first = to_host(note()).item()
    if first == INSIDE:
        return None
    note().copy_to_device(np.array([INSIDE]))
    return first


# ---- what is done with one element: x the indexed tensor, y that which is as large as the positions


def read(x, cell, y, at, alpha):
    """Compute y[at] = x[cell]."""
    y[at] = x[cell]


def write(x, cell, y, at, alpha):
    """Compute x[cell] = y[at]."""
    x[cell] = y[at]


def add(x, cell, y, at, alpha):
    """Compute x[cell] += alpha * y[at], atomically."""
    cuda.atomic.add(x, cell, alpha * y[at])


def add_bool(x, cell, y, at, alpha):
    """Compute x[cell] = x[cell] or (alpha and y[at]); all threads that write store the same value."""
    if alpha and y[at]:
        x[cell] = True


# ---- the kernel


class IndexWalk(NamedTuple):
    """The sizes, strides and offsets by which a kernel finds elements; numba passes the record field by field.

    Attributes:
        sizes: of `y`, innermost last; at least one.
        x_strides, y_strides: along `sizes`; of `x` 0 where the indices say how far to go.
        index_strides: of each index along `sizes`.
        firsts: the cell of the first element of each index.
        lengths, steps: of the dimension of `x` that each index moves along: its size and stride.
        lowest: the lowest position, in lengths: -1 where negative positions count from the end, else 0.
    """

    sizes: Ints
    x_strides: Ints
    y_strides: Ints
    index_strides: tuple[Ints, ...]
    firsts: Ints
    lengths: Ints
    steps: Ints
    lowest: int


def rows(function: Callable) -> Any:
    """Build the indexing kernel for one of the functions above."""
    f = device_function(function)

    def index(n, x, p, y, r, indices, walk, alpha, outside):
        sizes, sx, sy, si = walk.sizes, walk.x_strides, walk.y_strides, walk.index_strides
        firsts, lengths, steps = walk.firsts, walk.lengths, walk.steps
        i = cuda.grid(1)
        while i < n:
            rest, cell, at, of_first, is_inside = i, p, r, firsts[0], True
            for d in range(len(sizes) - 1, 0, -1):  # one division a dimension, which costs more than all the rest
                k = rest % sizes[d]
                rest //= sizes[d]
                cell += k * sx[d]
                at += k * sy[d]
                of_first += k * si[0][d]
            cell, at, of_first = cell + rest * sx[0], at + rest * sy[0], of_first + rest * si[0][0]
            for k in range(len(indices)):
                position = indices[k][of_first if k == 0 else firsts[k] + place(i, sizes, si[k])]
                if position < walk.lowest * lengths[k] or position >= lengths[k]:
                    is_inside = False
                    cuda.atomic.min(outside, 0, i * len(indices) + k)
                elif position < 0:
                    cell += (position + lengths[k]) * steps[k]
                else:
                    cell += position * steps[k]
            if is_inside:
                f(x, cell, y, at, alpha)
            i += cuda.gridsize(1)

    return jitted(function, index)[0]


READ, WRITE, ADD, ADD_BOOL = rows(read), rows(write), rows(add), rows(add_bool)


class Named(NamedTuple):
    """The cells of `x` that indices select, seen in the sizes of the other operand.

    Args:
        strides: of `x`, 0 along the dimensions that the indices walk.
        indices: tensors of positions.
        index_strides: of each index.
        lengths, steps: of the dimension of `x` that each index moves along: its size and stride.
        wraps: negative positions count from the end.
    """

    strides: Ints
    indices: tuple[Tensor, ...]
    index_strides: tuple[Ints, ...]
    lengths: Ints
    steps: Ints
    wraps: bool


def start(kernel: Any, x: Tensor, named: Named, y: Tensor, alpha: Number = 1) -> tuple[int, int] | None:
    """Launch a kernel over all elements of `y`, whose sizes are the walk's.

    Returns:
        (k, position): the k-th index has a position outside; None if there is none.
    """
    strides, indices, index_strides, lengths, steps, wraps = named
    if not indices:
        nowhere = scalar_to_tensor(0, int64)
        indices, index_strides, lengths, steps = (nowhere,), ((0,) * len(y._sizes),), (1,), (0,)
    if 0 in y._sizes:
        return None
    sizes, sy, sx, *si = coalesced_walk(y._sizes, y._strides, strides, *index_strides)
    cells, firsts = zip(*map(flat_and_offset, indices), strict=True)
    grid, block = grid_of("elementwise", y.numel())
    walk = IndexWalk(sizes, sx, sy, tuple(si), firsts, lengths, steps, -1 if wraps else 0)
    numbers = x._dtype.numpy.type(alpha), note()
    launch(kernel, grid, block, y.numel(), *flat_and_offset(x), *flat_and_offset(y), cells, walk, *numbers)
    found = read_note()
    if found is None:
        return None
    i, k = divmod(found, len(indices))
    first = firsts[k] + place_of(i, sizes, si[k])
    return k, to_host(cells[k][first : first + 1]).item()
