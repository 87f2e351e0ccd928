"""Indices of nonzero elements, and elements that a mask chooses: nonzero, masked_select, masked_scatter_.

The plain loop of nonzero, and of masked_select with `self[i]` instead of the coordinates of i:

    found = 0
    for i in range(n):
        if x[i] != 0:
            out[found] = coordinates of i
            found += 1

What `found` is at i takes two kernels. A block has a run of elements: the first kernel counts what is not zero in
each, on which the host waits, for that is the size of the output. In the second a block adds up the counts before its
own and goes through its run tile by tile, of which each thread has a few elements side by side: from how many each
finds, a scan in shared memory makes how many the threads before it find. Mirrors
aten/src/ATen/native/cuda/{Nonzero,IndexKernel}.cu, which call cub.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import types

from ..aten.empty_tensor import new_tensor
from ..aten.native import masked
from ..dtypes import CUDA, int64
from ..strides import Ints, coalesce_dims
from ..tensor_impl import Tensor
from .driver import cuda
from .index_rows import place
from .launch import SHAPES, launch
from .loops import device_function, jitted
from .runtime import to_host

THREADS = SHAPES["reduction"].threads
BLOCKS = min(SHAPES["reduction"].blocks, 1024)  # each adds up the counts of those before it
ITEMS = 8  # elements of a thread in a tile
TILE = THREADS * ITEMS


# ---- kernels: x[q + place of i] is the mask, `run` elements a block


@cuda.jit
def count_nonzero(n, x, q, sizes, sx, run, counts):
    """Count the nonzero elements of each block b into counts[b]."""
    total = cuda.shared.array(1, types.int64)
    t, begin = cuda.threadIdx.x, cuda.blockIdx.x * run
    if t == 0:
        total[0] = 0
    cuda.syncthreads()
    mine = 0
    for i in range(begin + t, min(begin + run, n), THREADS):
        mine += x[q + place(i, sizes, sx)] != 0
    cuda.atomic.add(total, 0, mine)
    cuda.syncthreads()
    if t == 0:
        counts[cuda.blockIdx.x] = total[0]


class MaskWalk(NamedTuple):
    """The geometry of a mask and of another tensor, as a kernel takes it.

    Attributes:
        n, run: elements of the mask, and of a block.
        sizes: of the mask and of `a`, innermost last; at least one.
        mask_strides, a_strides: along them.
        step: of `y`, from one row, or element, to the next.
    """

    n: int
    run: int
    sizes: Ints
    mask_strides: Ints
    a_strides: Ints
    step: int


def chosen(function: Callable) -> Any:
    """Build the kernel that calls f(rank, i, y, r, step, a, p, sizes, sa) for each i whose element is nonzero."""
    f = device_function(function)

    def chosen(x, q, counts, y, r, a, p, walk):
        sizes, sx, run = walk.sizes, walk.mask_strides, walk.run
        before = cuda.shared.array(1, types.int64)
        ends = cuda.shared.array(THREADS, types.int64)
        t, block = cuda.threadIdx.x, cuda.blockIdx.x
        if t == 0:
            before[0] = 0
        cuda.syncthreads()
        mine = 0
        for b in range(t, block, THREADS):
            mine += counts[b]
        cuda.atomic.add(before, 0, mine)
        cuda.syncthreads()
        rank, end = before[0], min((block + 1) * run, walk.n)
        for first in range(block * run + t * ITEMS, end + t * ITEMS, TILE):
            after, found = min(first + ITEMS, end), 0
            for i in range(first, after):
                found += x[q + place(i, sizes, sx)] != 0
            ends[t] = found
            cuda.syncthreads()
            reach = 1
            while reach < THREADS:  # ends[t] is what `reach` threads find, the last of them its own
                left = ends[t - reach] if t >= reach else 0
                cuda.syncthreads()
                ends[t] += left
                cuda.syncthreads()
                reach *= 2
            mine = rank + ends[t] - found
            for i in range(first, after):
                if x[q + place(i, sizes, sx)] != 0:
                    f(mine, i, y, r, walk.step, a, p, sizes, walk.a_strides)
                    mine += 1
            rank += ends[THREADS - 1]
            cuda.syncthreads()

    return jitted(function, chosen)[0]


def coordinates(rank, i, y, r, step, a, p, sizes, sa):
    """Write coordinate d of element i into column d of row `rank` of y, whose columns are `step` apart."""
    for d in range(len(sizes) - 1, -1, -1):
        y[r + d * step + rank] = i % sizes[d]
        i //= sizes[d]


def select(rank, i, y, r, step, a, p, sizes, sa):
    """Compute y[rank] = a[i]."""
    y[r + rank * step] = a[p + place(i, sizes, sa)]


def scatter(rank, i, y, r, step, a, p, sizes, sa):
    """Compute a[i] = y[rank]."""
    a[p + place(i, sizes, sa)] = y[r + rank * step]


NONZERO, SELECT, SCATTER = chosen(coordinates), chosen(select), chosen(scatter)

# ---- launches


def partition(n: int) -> tuple[int, int]:
    """Return (number of blocks, elements of each block except the last) for n elements."""
    tiles = -(-n // TILE)
    run = -(-tiles // BLOCKS) * TILE
    return -(-n // run), run


def count_per_block(x: Tensor, sizes: Ints, strides: Ints) -> Tensor:
    """Count the nonzero elements of each block."""
    blocks, run = partition(x.numel())
    counts = new_tensor((blocks,), (1,), int64, CUDA)
    launch(
        count_nonzero, blocks, THREADS, x.numel(), x._flat(), x._storage_offset, sizes, strides, run, counts._flat()
    )  # fmt: skip
    return counts


def in_order(sizes: Ints, *strides: Ints) -> tuple[Ints, ...]:
    """Return the sizes and strides with dimensions coalesced where possible, but not reordered."""
    walk = coalesce_dims(sizes, *strides)
    return walk if walk[0] else ((1,), *[(0,)] * len(strides))


def count_kernel(x: Tensor) -> int:
    """Return the number of nonzero elements, after earlier kernels are done."""
    if 0 in x._sizes:
        return 0
    counts: Any = count_per_block(x, *in_order(x._sizes, x._strides))._flat()
    return int(to_host(counts).sum())


def start(kernel: Any, x: Tensor, walk: tuple[Ints, ...], y: Tensor, step: int, a: Tensor) -> None:
    """Launch one of the kernels above; `walk` is the sizes, and the strides of x and of a."""
    sizes, sx, sa = walk
    counts, (blocks, run) = count_per_block(x, sizes, sx), partition(x.numel())
    launch(
        kernel, blocks, THREADS, x._flat(), x._storage_offset, counts._flat(), y._flat(), y._storage_offset,
        a._flat(), a._storage_offset, MaskWalk(x.numel(), run, sizes, sx, sa, step),
    )  # fmt: skip


def nonzero_kernel(x: Tensor, out: Tensor) -> None:
    """Write the coordinates of the nonzero elements into `out`, (count, number of dimensions)."""
    start(NONZERO, x, (x._sizes, x._strides, x._strides), out, out._sizes[0], x)


def masked_select_kernel(self: Tensor, mask: Tensor, out: Tensor) -> None:
    """Copy the elements of `self` at which the mask is True into `out`, in order."""
    start(SELECT, mask, in_order(self._sizes, mask._strides, self._strides), out, out._strides[0], self)


def masked_scatter_kernel(self: Tensor, mask: Tensor, source: Tensor) -> None:
    """Copy the elements of `source`, in order, into the elements of `self` at which the mask is True."""
    start(SCATTER, mask, in_order(self._sizes, mask._strides, self._strides), source, 1, self)


masked.count_stub.register("cuda", count_kernel)
masked.nonzero_stub.register("cuda", nonzero_kernel)
masked.masked_select_stub.register("cuda", masked_select_kernel)
masked.masked_scatter_stub.register("cuda", masked_scatter_kernel)
