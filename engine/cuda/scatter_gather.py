"""Elements along a dimension, each place with a position of its own: gather, scatter and its reductions.

gather, scatter and scatter_add are the kernels of `index_rows`. The other reductions go through a line along the
dimension with one thread, in order; lines share no cells. The plain loop, along dimension 0 of two:

    for j in every line:
        for i in range(length):
            x[index[i][j]][j] = f(x[index[i][j]][j], y[i][j])

PyTorch tries a write until no other came in between (compare and swap), which numba can for integers only; here the
result is the same as on the CPU, and a tensor of few lines keeps few threads busy. Mirrors
aten/src/ATen/native/cuda/ScatterGatherKernel.cu.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..aten.native import scatter_gather
from ..dtypes import bool_
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import flat_and_offset
from .index_rows import ADD, ADD_BOOL, READ, WRITE, Named, coalesced_walk, note, place, place_of, read_note, start
from .launch import grid_of, launch
from .loops import device_function, jitted
from .runtime import to_host

# ---- functions of single numbers: what is there, what comes


def multiply(a, b):
    """Return a * b; used for numbers only."""
    return a * b


def both(a, b):
    """Return `a and b`."""
    return a & b


def either(a, b):
    """Return `a or b`."""
    return a | b


def amax(a, b):
    """Return the larger of the two; NaN if either is NaN."""
    return a if b <= a or a != a else b


def amin(a, b):
    """Return the smaller of the two; NaN if either is NaN."""
    return a if b >= a or a != a else b


# ---- the kernel


class Lines(NamedTuple):
    """The sizes and strides of lines along a dimension, as a kernel takes them.

    Attributes:
        sizes: of the other dimensions, innermost last; at least one.
        x_strides, index_strides, y_strides: along them.
        length: elements of a line of the index.
        steps: from one element of a line to the next in x, in the index, in y.
        size: elements of a line of x, which a position must be below.
    """

    sizes: Ints
    x_strides: Ints
    index_strides: Ints
    y_strides: Ints
    length: int
    steps: Ints
    size: int


def lines(function: Callable) -> Any:
    """Build the kernel for one of the functions above."""
    f = device_function(function)

    def scatter(n, x, p, index, q, y, r, lines, outside):
        x_step, index_step, y_step = lines.steps
        j = cuda.grid(1)
        while j < n:
            of_x, of_index = p + place(j, lines.sizes, lines.x_strides), q + place(j, lines.sizes, lines.index_strides)
            of_y = r + place(j, lines.sizes, lines.y_strides)
            for i in range(lines.length):
                position = index[of_index + i * index_step]
                if position < 0 or position >= lines.size:
                    cuda.atomic.min(outside, 0, j * lines.length + i)
                else:
                    cell = of_x + position * x_step
                    x[cell] = f(x[cell], y[of_y + i * y_step])
            j += cuda.gridsize(1)

    return jitted(function, scatter)[0]


NUMBERS = {None: WRITE, "add": ADD, "multiply": lines(multiply), "amax": lines(amax), "amin": lines(amin)}
BOOLS = {None: WRITE, "add": ADD_BOOL, "multiply": lines(both), "amax": lines(either), "amin": lines(both)}
ONE_A_THREAD = (READ, WRITE, ADD, ADD_BOOL)


def as_vector(x: Tensor) -> Tensor:
    """Return the tensor, as a vector if it is a scalar."""
    return x if x._sizes else x._alias((1,), (0,), x._storage_offset)


def along_dim(kernel: Any, x: Tensor, dim: int, index: Tensor, y: Tensor) -> int | None:
    """Run a kernel of `index_rows` with one thread per index. Return an index out of bounds, or None."""
    strides = (*x._strides[:dim], 0, *x._strides[dim + 1 :])
    named = Named(strides, (index,), (index._strides,), (x._sizes[dim],), (x._strides[dim],), False)
    outside = start(kernel, x, named, y)
    return None if outside is None else outside[1]


def line_by_line(kernel: Any, x: Tensor, dim: int, index: Tensor, y: Tensor) -> int | None:
    """Run a kernel of this file with one thread per line along `dim`. Return an index out of bounds, or None."""
    operands = x, index, y
    length, across = index._sizes[dim], (*index._sizes[:dim], 1, *index._sizes[dim + 1 :])
    sizes, si, sx, sy = coalesced_walk(across, index._strides, x._strides, y._strides)
    cells = [part for tensor in operands for part in flat_and_offset(tensor)]
    steps = tuple([tensor._strides[dim] for tensor in operands])
    count, walk = index.numel() // length, Lines(sizes, sx, si, sy, length, steps, x._sizes[dim])
    launch(kernel, *grid_of("elementwise", count), count, *cells, walk, note())
    found = read_note()
    if found is None:
        return None
    j, i = divmod(found, length)
    positions, first = flat_and_offset(index)
    first += place_of(j, sizes, si) + i * steps[1]
    return to_host(positions[first : first + 1]).item()


def run(kernel: Any, x: Tensor, dim: int, index: Tensor, y: Tensor) -> None:
    """Run a kernel over all elements of `index`; `y` may be larger.

    Raises:
        RuntimeError: a position is out of range.
    """
    x, index, y = map(as_vector, (x, index, y))
    y = y._alias(index._sizes, y._strides, y._storage_offset)
    position = (along_dim if kernel in ONE_A_THREAD else line_by_line)(kernel, x, dim, index, y)
    if position is not None:
        raise RuntimeError(f"index {position} is out of bounds for dimension {dim} with size {x._sizes[dim]}")


def gather_kernel(out: Tensor, self: Tensor, dim: int, index: Tensor) -> None:
    """Copy the elements of `self` at the positions in `index` along `dim` into `out`."""
    run(READ, self, dim, index, out)


def scatter_kernel(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str | None) -> None:
    """Write `src` to the positions in `index` of `self` along `dim`, or reduce it with the elements there."""
    run((BOOLS if self._dtype is bool_ else NUMBERS)[reduce], self, dim, index, src)


scatter_gather.gather_stub.register("cuda", gather_kernel)
scatter_gather.scatter_stub.register("cuda", scatter_kernel)
