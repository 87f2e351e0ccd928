"""The kernels of products of matrices and vectors, and of batches of them: `gemm` and `gemv` on threads.

The plain loop that they replace, for each matrix of the batch:

    for i in range(m):
        for j in range(n):
            out[i, j] = beta * out[i, j] + alpha * sum(self[i, t] * mat2[t, j] for t in range(k))

Threads share the matrices of a batch, or the rows and columns of one output.
Mirrors aten/src/ATen/native/LinearAlgebra.cpp, where a BLAS library does it.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

from numba.extending import register_jitable

from ..aten.native import blas, linear_algebra
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dispatch.observers import kernels_changed
from ..dtypes import dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .argument_structs import Matrix, MatrixBatch, VectorBatch, type_of
from .gemm import BLOCK, DIRECT_ROWS, HEIGHTS, blocked, is_better_transposed
from .gemm_loops import loop_products
from .gemm_small import SMALL, in_place, room_for, small_products
from .gemm_tile import BYTES, ROWS, VECTORS
from .gemv import GROUP, by_columns, by_rows, in_batches, one_by_one
from .loops import INDEX, NUMBA
from .parallel import get_num_threads
from .ranges import Ranged

THIN, TINY = 1, 2**10  # of k, of all multiplications: for what is less, plain loops are as fast
GRAIN = 2**18  # multiplications that are worth another thread
COST = 1 / 8  # of a multiplication, in elements of a simple operation
NUMBERS = (float32, float64, int64, int32)
Number = bool | int | float
Geometry = tuple[Ints, Ints]

# ---- matrices


@register_jitable
def share_of(which, parts, size, unit):
    """Return (first, end) of part `which` of `size` indices, cut into `parts` that begin at multiples of `unit`."""
    units = (size + unit - 1) // unit
    return units * which // parts * unit, min(size, units * (which + 1) // parts * unit)


class Strides(NamedTuple):
    """The strides of a batch of matrices, in elements."""

    batch: int
    row: int
    column: int


class Product(NamedTuple):
    """The geometry of a matrix product, and its division into parts.

    Attributes:
        m, n, k: A is (m, k), B is (k, n), C is (m, n).
        down, across: parts of the rows and of the columns of C.
        height: rows of a panel of A.
        is_direct: whether B is read unpacked.
        is_in_place: whether A is read unpacked.
        c, a, b: strides.
    """

    m: int
    n: int
    k: int
    down: int
    across: int
    height: int
    is_direct: bool
    is_in_place: bool
    c: Strides
    a: Strides
    b: Strides


@register_jitable
def matrix_of(elements, start, strides, batch, row, column):
    """Return the part of matrix `batch` from `row` and `column` on; the batch begins at `start`."""
    first = start + batch * strides.batch + row * strides.row + column * strides.column
    return Matrix(elements, first, strides.row, strides.column)


def products(begin, end, product, alpha, a, p, b, q, beta, c, o):
    """Compute parts `begin` to `end` of C = alpha * A @ B + beta * C, numbered over the matrices of a batch.

    Args:
        product: a `Product`.
        a, p, b, q, c, o: flat arrays, and the index of the first element in each.
    """
    down, across, k = product.down, product.across, product.k
    columns = VECTORS * BYTES // a.itemsize
    room = a
    if product.is_in_place:
        room = room_for(k, product.n, matrix_of(a, p, product.a, 0, 0, 0), matrix_of(b, q, product.b, 0, 0, 0))
    for part in range(begin, end):
        batch, part = part // (down * across), part % (down * across)
        i, end_i = share_of(part // across, down, product.m, ROWS)
        j, end_j = share_of(part % across, across, product.n, columns)
        of_a, of_b = matrix_of(a, p, product.a, batch, i, 0), matrix_of(b, q, product.b, batch, 0, j)
        to = matrix_of(c, o, product.c, batch, i, j)
        if product.is_in_place:
            in_place(end_i - i, end_j - j, k, alpha, of_a, of_b, beta, to, room)
        else:
            blocked(product.height, product.is_direct, end_i - i, end_j - j, k, alpha, of_a, of_b, beta, to)


class Plan(NamedTuple):
    """The plan of a matrix product.

    Attributes:
        product: argument of the kernel.
        parts: of the work.
        cost: of one part, in elements of a simple operation.
        is_transposed: whether out.T = mat2.T @ self.T is made.
    """

    product: Product
    parts: int
    cost: int
    is_transposed: bool


_height = ROWS


def set_tile_height(rows: int) -> None:
    """Set the tile height that products of large matrices use from now on.

    Raises:
        ValueError: the processor at hand has no tile with this number of rows.

    >>> from engine.cpu.gemm import HEIGHTS
    >>> set_tile_height(HEIGHTS[0])
    """
    global _height
    if rows not in HEIGHTS:
        raise ValueError(f"expected a tile height of {', '.join(map(str, HEIGHTS))}, got {rows}")
    _height = rows
    kernels_changed()


def parts_of(parts: int, m: int, n: int, columns: int) -> tuple[int, int]:
    """Return the numbers of parts of rows and columns: the squarest parts of at least a tile need the least packing."""
    ways = [(down, parts // down) for down in range(1, parts + 1) if parts % down == 0]
    fitting = [way for way in ways if way[0] * ROWS <= max(m, ROWS) and way[1] * columns <= max(n, columns)]
    return min(fitting, key=lambda way: m / way[0] + n / way[1], default=(1, 1))


@functools.lru_cache(maxsize=1024)
def plan_of(out: Geometry, self: Geometry, mat2: Geometry, itemsize: int, threads: int, height: int) -> Plan:
    """Return the plan of a product of matrices or of batches of matrices."""
    batch, m, n, k = (1, *out[0], self[0][-1])[-4:]
    c, a, b = ((0, *strides)[-3:] for _, strides in (out, self, mat2))
    columns = VECTORS * BYTES // itemsize
    is_transposed = is_better_transposed(m, n, c[1], c[2], columns)
    if is_transposed:
        m, n = n, m
        c, a, b = ((steps[0], steps[2], steps[1]) for steps in (c, b, a))
    is_direct = b[2] == 1 and m <= DIRECT_ROWS
    is_in_place = not is_direct and c[2] == 1 and (m * n * k <= SMALL or (batch > 1 and n <= 2 * BLOCK))
    parts = 1 if batch >= 2 * threads or batch * m * n * k <= GRAIN else threads
    down, across = parts_of(parts, 0 if is_direct else m, n, columns) if parts > 1 else (1, 1)
    product = Product(m, n, k, down, across, height, is_direct, is_in_place, Strides(*c), Strides(*a), Strides(*b))
    return Plan(product, batch * down * across, int(m * n * k * COST / (down * across)), is_transposed)


# ---- kernels


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `products` after `begin` and `end`."""
    array, number = (NUMBA[kind][::1], INDEX), NUMBA[kind]
    return type_of(Product, kind), number, *array, *array, number, *array


def small_arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `small_products` after `begin` and `end`."""
    number, matrices = NUMBA[kind], type_of(MatrixBatch, kind)
    return INDEX, INDEX, INDEX, number, matrices, matrices, number, matrices


def loop_arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `loop_products` after `begin` and `end`."""
    array = NUMBA[kind][::1], INDEX
    return INDEX, INDEX, type_of(Matrix, kind), *array, INDEX, *array, INDEX


LOOP_PRODUCTS = Ranged("matmul", NUMBERS, lambda kind: loop_products, loop_arguments, ("contract",))
SMALL_PRODUCTS = Ranged("matmul", NUMBERS, lambda kind: small_products, small_arguments)
PRODUCTS = Ranged("matmul", NUMBERS, lambda kind: products, arguments)


def vector_arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments of a matrix-vector kernel after `begin` and `end`."""
    number, vectors = NUMBA[kind], type_of(VectorBatch, kind)
    return INDEX, INDEX, number, type_of(MatrixBatch, kind), vectors, number, vectors


def ranged(one: Callable[..., None], *fastmath: str) -> Ranged:
    """Build the batched kernel of a function that multiplies one matrix by one vector."""
    return Ranged(one.__name__, NUMBERS, lambda kind: in_batches(one), vector_arguments, fastmath)


BY_ROWS = ranged(by_rows, "contract", "reassoc", "nsz")
BY_COLUMNS, ONE_BY_ONE = ranged(by_columns, "contract"), ranged(one_by_one, "contract")


def no_product(name: str, kind: dtype) -> NotImplementedError:
    """Return the error for bool, the only dtype without products."""
    return NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")


def matvec_kernel(name: str) -> Callable[..., None]:
    """Build kernel(out, self, vec, alpha=1, beta=0): out = alpha * self @ vec + beta * out, also batched; no size 0."""

    def kernel(out: Tensor, self: Tensor, vec: Tensor, alpha: Number = 1, beta: Number = 0) -> None:
        kind = self._dtype
        if kind not in NUMBERS:
            raise no_product(name, kind)
        if len(self._sizes) == 2:
            batch, (m, k), (a_m, a_k), (x_k,), (y_m,) = 1, self._sizes, self._strides, vec._strides, out._strides
            a_b = x_b = y_b = 0
        else:
            (batch, m, k), (a_b, a_m, a_k), (x_b, x_k), (y_b, y_m) = (
                self._sizes, self._strides, vec._strides, out._strides)  # fmt: skip
        kernel_of = BY_ROWS if a_k == 1 == x_k else BY_COLUMNS if a_m == 1 else ONE_BY_ONE
        kernel_of(kind, batch * -(-m // GROUP), k, m, k, alpha, (self._flat(), self._storage_offset, a_b, a_m, a_k),
                  (vec._flat(), vec._storage_offset, x_b, x_k),
                  beta, (out._flat(), out._storage_offset, y_b, y_m))  # fmt: skip

    return kernel


def dot_kernel(out: Tensor, self: Tensor, tensor: Tensor) -> None:
    """Compute the dot product of two vectors of equal, nonzero length into `out`."""
    kind = self._dtype
    if kind not in NUMBERS:
        raise no_product("dot", kind)
    (n,), (step,), (x_k,) = self._sizes, self._strides, tensor._strides
    compiled = (BY_ROWS if step == 1 == x_k else ONE_BY_ONE).compiled[kind]
    compiled(0, 1, 1, n, 1, (self._flat(), self._storage_offset, 0, 0, step),
             (tensor._flat(), tensor._storage_offset, 0, x_k), 0, (out._flat(), out._storage_offset, 0, 1))  # fmt: skip


def matmul_kernel(name: str) -> Callable[..., None]:
    """Build kernel(out, self, mat2, alpha=1, beta=0): out = alpha * self @ mat2 + beta * out, of 2 or 3 dimensions.

    All are of one dtype, and no size is 0.
    """
    with_vector = matvec_kernel(name)

    def kernel(out: Tensor, self: Tensor, mat2: Tensor, alpha: Number = 1, beta: Number = 0) -> None:
        kind = self._dtype
        if kind not in NUMBERS:
            raise no_product(name, kind)
        if len(out._sizes) == 2:
            (m, n), (c_m, c_n), (a_m, a_k), (b_k, b_n) = out._sizes, out._strides, self._strides, mat2._strides
            batch, c_b, a_b, b_b = 1, 0, 0, 0
        else:
            (batch, m, n), (c_b, c_m, c_n) = out._sizes, out._strides
            (a_b, a_m, a_k), (b_b, b_k, b_n) = self._strides, mat2._strides
        k = self._sizes[-1]
        work = m * n * k
        if n == 1:
            with_vector(without(out, -1), self, without(mat2, -1), alpha, beta)
        elif m == 1:
            with_vector(without(out, -2), transposed(mat2), without(self, -2), alpha, beta)
        elif (k <= THIN or work <= TINY) and c_b == 0 and b_n == c_n == 1 == alpha and beta == 0:
            LOOP_PRODUCTS(kind, m, n * k, n, k, (self._flat(), self._storage_offset, a_m, a_k),
                          mat2._flat(), mat2._storage_offset, b_k, out._flat(), out._storage_offset, c_m)  # fmt: skip
        elif work <= GRAIN and (c_n == 1 or c_m == 1):
            SMALL_PRODUCTS(kind, batch, work >> 4, m, n, k, alpha,
                           (self._flat(), self._storage_offset, a_b, a_m, a_k),
                           (mat2._flat(), mat2._storage_offset, b_b, b_k, b_n), beta,
                           (out._flat(), out._storage_offset, c_b, c_m, c_n))  # fmt: skip
        else:
            blocks(out, self, mat2, alpha, beta)

    return kernel


def blocks(out: Tensor, self: Tensor, mat2: Tensor, alpha: Number, beta: Number) -> None:
    """Compute out = alpha * self @ mat2 + beta * out in blocks, by `products`."""
    geometries = (out._sizes, out._strides), (self._sizes, self._strides), (mat2._sizes, mat2._strides)
    plan = plan_of(*geometries, self._dtype.itemsize, get_num_threads(), _height)
    a, b = (mat2, self) if plan.is_transposed else (self, mat2)
    PRODUCTS(self._dtype, plan.parts, plan.cost, plan.product, alpha, a._flat(), a._storage_offset,
             b._flat(), b._storage_offset, beta, out._flat(), out._storage_offset)  # fmt: skip


def without(x: Tensor, dim: int) -> Tensor:
    """Return a view without dimension `dim`, which is -1 or -2 and has size 1."""
    last = -1 if dim == -2 else -2
    return x._alias((*x._sizes[:-2], x._sizes[last]), (*x._strides[:-2], x._strides[last]), x._storage_offset)


def transposed(x: Tensor) -> Tensor:
    """Return a view with the last two dimensions swapped."""
    (*sizes, rows, columns), (*strides, row, column) = x._sizes, x._strides
    return x._alias((*sizes, columns, rows), (*strides, column, row), x._storage_offset)


linear_algebra.mm_stub.register("cpu", matmul_kernel("addmm_impl_cpu_"))
linear_algebra.bmm_stub.register("cpu", matmul_kernel("bmm"))
linear_algebra.baddbmm_stub.register("cpu", matmul_kernel("baddbmm"))
blas.addmv_stub.register("cpu", matvec_kernel("addmv_impl_cpu"))
blas.dot_stub.register("cpu", dot_kernel)
