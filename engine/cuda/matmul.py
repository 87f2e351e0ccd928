"""The kernels of products of matrices and vectors, and of batches of them: which of `gemm`, `gemm_tile` and `gemv`.

Mirrors aten/src/ATen/native/cuda/Blas.cpp and aten/src/ATen/cuda/CUDABlas.cpp, where cuBLAS does it.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..aten.empty_tensor import new_tensor
from ..aten.native import blas, linear_algebra
from ..compiled import memo
from ..cpu.matmul import NUMBERS, no_product, transposed, without
from ..dtypes import dtype
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import is_simulated
from .elementwise import constant
from .gemm import T, gemm_naive_kernel, gemm_tiled_kernel
from .gemm_tile import Operand, register_kernel
from .gemv import THREADS, by_columns_kernel, by_rows_kernel
from .launch import SHAPES, blocks_of, grid_of, launch
from .vectors import lanes_of

Number = bool | int | float

# ---- which kernel


class Way(NamedTuple):
    """A matrix product kernel, and the smallest sizes for which it pays off.

    Attributes:
        rows: of the tile that a thread has in its registers; or TILED or NAIVE.
        side, depth: of the output's rows and columns, and of the steps along k, the least.
        blocks: the least; fewer leave most of the device without work.
    """

    rows: int
    side: int
    depth: int
    blocks: int


NAIVE, TILED = -1, 0
# fmt: off
ON_DEVICE = (
    Way(8,     64, 8, 128),
    Way(4,     32, 8, 1),
    Way(TILED, 2,  4, 1),
    Way(NAIVE, 1,  1, 1),
)
# Here threads are what costs time.
ON_SIMULATOR = (
    Way(4,     12, 6, 1),
    Way(TILED, 6,  6, 1),
    Way(NAIVE, 1,  1, 1),
)
# fmt: on
WAYS = ON_SIMULATOR if is_simulated() else ON_DEVICE
"""The first that fits is taken."""

BLOCKS, STEPS = (8, 24) if is_simulated() else (256, 512)
"""A product of fewer blocks has k cut into parts of at least STEPS steps: the blocks that an H100 runs at a time."""
UNIT = 8  # steps that the parts of k are a multiple of, so that all begin at a vector

MOST_ROWS = {4: WAYS[0].rows, 8: 4}
"""By the bytes of an element: the sums fill half of a thread's registers."""


def tiles_of(rows: int, sizes: Ints) -> int:
    """Return the number of blocks for a product of sizes (batch, m, n, k), for tiles of `rows` elements a thread."""
    batch, m, n, _ = sizes
    side = T * max(rows, 1)
    return batch * -(-m // side) * -(-n // side)


def way_of(sizes: Ints, itemsize: int) -> int:
    """Return `Way.rows` of the first kernel that suits a product of sizes (batch, m, n, k)."""
    _, m, n, k = sizes
    return next(
        rows
        for rows, side, depth, blocks in WAYS
        if rows <= MOST_ROWS[itemsize] and min(m, n) >= side and k >= depth and tiles_of(rows, sizes) >= blocks
    )


def operand_of(sizes: Ints, strides: Ints, offset: int, itemsize: int) -> Operand:
    """Return the access pattern with which the register-tiled kernel reads a matrix.

    Args:
        sizes: (rows, k), of A, or of B transposed.
        strides: (batch, rows, k)
        offset: of the first element.
    """
    is_along_k = strides[2] == 1 or strides[2] < strides[1] != 1
    neighbors, apart = (strides[2], strides[1]) if is_along_k else (strides[1], strides[2])
    numbers = (sizes[is_along_k], apart, strides[0], offset)
    return Operand(is_along_k, neighbors == 1 and all(number % lanes_of(itemsize) == 0 for number in numbers))


# ---- matrices

Launch = tuple[Any, int, int | tuple[int, int]]  # kernel, blocks, threads


@memo
def naive_of(kind: dtype) -> Any:
    """Build the kernel with one thread per element."""
    return gemm_naive_kernel(kind.numpy.type)


@memo
def tiled_of(kind: dtype, is_row_a: bool, is_row_b: bool) -> Any:
    """Build the kernel with tiles in shared memory."""
    return gemm_tiled_kernel(kind.numpy.type, is_row_a, is_row_b)


@memo
def register_tiled_of(rows: int, kind: dtype, a: Operand, b: Operand) -> Any:
    """Build the kernel with tiles in registers."""
    return register_kernel(rows, kind.numpy.type, kind.itemsize, a, b)


@functools.lru_cache(maxsize=1024)
def plan_of(kind: dtype, sizes: Ints, a: Ints, p: int, b: Ints, q: int, rows: int | None = None) -> Launch:
    """Return the launch of a product: its kernel, the number of blocks, and the threads per block.

    Args:
        sizes: (batch, m, n, k)
        a, b: strides of (batch, m, k), (batch, k, n)
        p, q: offsets of the first elements.
        rows: `Way.rows`, if it is not to be the best.
    """
    _, m, n, k = sizes
    rows = way_of(sizes, kind.itemsize) if rows is None else rows
    if rows == NAIVE:
        return naive_of(kind), *grid_of("elementwise", sizes[0] * m * n)
    if rows == TILED:
        return tiled_of(kind, a[2] <= a[1], b[2] <= b[1]), blocks_of("tile", tiles_of(rows, sizes))[0], (T, T)
    operands = operand_of((m, k), a, p, kind.itemsize), operand_of((n, k), (b[0], b[2], b[1]), q, kind.itemsize)
    if not all(operand.is_vector for operand in operands):
        rows = 4  # addresses of single elements take the registers that more sums need
    return register_tiled_of(rows, kind, *operands), tiles_of(rows, sizes), T * T


def batched(x: Tensor) -> Ints:
    """Return the strides of (batch, rows, columns), with 0 for the batch of a single matrix."""
    return x._strides if len(x._sizes) == 3 and x._sizes[0] > 1 else (0, *x._strides[-2:])


def product(
    out: Tensor, self: Tensor, mat2: Tensor, alpha: Number = 1, beta: Number = 0, rows: int | None = None
) -> None:
    """Compute out = alpha * self @ mat2 + beta * out for non-empty tensors of two or three dimensions and one dtype.

    Args:
        rows: `Way.rows`, if it is not to be the best.
    """
    kind, (m, n), k = self._dtype, out._sizes[-2:], self._sizes[-1]
    sizes = (out._sizes[0] if len(out._sizes) == 3 else 1, m, n, k)
    a, b, number = batched(self), batched(mat2), kind.numpy.type
    kernel, grid, block = plan_of(kind, sizes, a, self._storage_offset, b, mat2._storage_offset, rows)
    launch(kernel, grid, block, sizes, number(alpha), self._flat(), self._storage_offset, a,
           mat2._flat(), mat2._storage_offset, b,
           number(beta), out._flat(), out._storage_offset, batched(out))  # fmt: skip


# ---- vectors


@memo
def gemv_by_rows(kind: dtype) -> Any:
    """Build the kernel with one block per row."""
    return by_rows_kernel(kind.numpy.type)


@memo
def gemv_by_columns(kind: dtype) -> Any:
    """Build the kernel with one thread per row."""
    return by_columns_kernel(kind.numpy.type)


def product_with_vector(out: Tensor, self: Tensor, vec: Tensor, alpha: Number = 1, beta: Number = 0) -> None:
    """Compute out = alpha * self @ vec + beta * out for a non-empty matrix and vector, or batches of them."""
    kind, number = self._dtype, self._dtype.numpy.type
    a, (m, k) = batched(self), self._sizes[-2:]
    rows = out.numel()
    is_by_columns = k <= T or (a[1] < a[2] and rows >= THREADS)
    kernel = (gemv_by_columns if is_by_columns else gemv_by_rows)(kind)
    grid, block = grid_of("elementwise", rows) if is_by_columns else blocks_of("reduction", rows)
    x, y = ((0, *v._strides)[-2:] for v in (vec, out))
    launch(kernel, grid, block, (rows // m, m, k), number(alpha), self._flat(), self._storage_offset, a,
           vec._flat(), vec._storage_offset, x, number(beta), out._flat(), out._storage_offset, y)  # fmt: skip


def dot_kernel(out: Tensor, self: Tensor, tensor: Tensor) -> None:
    """Compute the dot product of two non-empty vectors into `out`: first partial sums, then their sum.

    Raises:
        NotImplementedError: there is no product of bools.
    """
    kind = self._dtype
    if kind not in NUMBERS:
        raise no_product("dot", kind)
    (n,), (a,), (b,), one = self._sizes, self._strides, tensor._strides, constant(kind, 1, 1.0)
    length = max(THREADS, -(-n // SHAPES["reduction"].blocks))
    parts, rest = n // length, n % length
    sums = new_tensor((parts + 1,), (1,), kind, self._storage.device)
    number, to, kernel = kind.numpy.type, sums._flat(), gemv_by_rows(kind)
    for first, count, size in ((0, parts, length), (parts, 1, rest)):
        at = first * length
        launch(kernel, *blocks_of("reduction", count), (count, 1, size), number(1),
               self._flat(), self._storage_offset + at * a, (length * a, 0, a),
               tensor._flat(), tensor._storage_offset + at * b, (length * b, b), number(0),
               to, sums._storage_offset + first, (1, 0))  # fmt: skip
    launch(kernel, 1, THREADS, (1, 1, parts + 1), number(1), to, sums._storage_offset, (0, 0, 1),
           one, 0, (0, 0), number(0), out._flat(), out._storage_offset, (0, 0))  # fmt: skip


# ---- few tiles and many steps


def split_k(sizes: Ints, itemsize: int) -> int:
    """Return the number of parts to split k into, so that a product of few tiles fills the device; 1 for no split."""
    batch, *_, k = sizes
    return 1 if batch > 1 else max(1, min(k // STEPS, BLOCKS // tiles_of(way_of(sizes, itemsize), sizes)))


def product_in_parts(out: Tensor, self: Tensor, mat2: Tensor, alpha: Number, beta: Number, parts: int) -> None:
    """Compute `product` of two matrices with k split into equal parts, whose partial products are then added up.

    Args:
        out: contiguous.
    """
    kind, number, (m, n), k = self._dtype, self._dtype.numpy.type, out._sizes, self._sizes[1]
    (a_m, a_k), (b_k, b_n) = self._strides, mat2._strides
    length = k // parts // UNIT * UNIT
    done = parts * length
    sums = new_tensor((parts, m, n), (m * n, n, 1), kind, out._storage.device)
    product(
        sums,
        self._alias((parts, m, length), (length * a_k, a_m, a_k), self._storage_offset),
        mat2._alias((parts, length, n), (length * b_k, b_k, b_n), mat2._storage_offset),
    )
    if done < k:
        left = self._alias((m, k - done), self._strides, self._storage_offset + done * a_k)
        product(out, left, mat2._alias((k - done, n), mat2._strides, mat2._storage_offset + done * b_k), alpha, beta)
        beta = 1
    launch(gemv_by_columns(kind), *grid_of("elementwise", m * n), (1, m * n, parts), number(alpha),
           sums._flat(), sums._storage_offset, (0, 1, m * n), constant(kind, 1, 1.0), 0, (0, 0),
           number(beta), out._flat(), out._storage_offset, (0, 1))  # fmt: skip


# ---- the stubs


def kernel_of(name: str, multiply: Callable[..., None]) -> Callable[..., None]:
    """Build kernel(out, self, other, alpha=1, beta=0), which raises an error for bools."""

    def kernel(out: Tensor, self: Tensor, other: Tensor, alpha: Number = 1, beta: Number = 0) -> None:
        if self._dtype not in NUMBERS:
            raise no_product(name, self._dtype)
        multiply(out, self, other, alpha, beta)

    return kernel


def product_of_any(out: Tensor, self: Tensor, mat2: Tensor, alpha: Number, beta: Number) -> None:
    """Compute out = alpha * self @ mat2 + beta * out in two or three dimensions; by gemv for one row or column."""
    m, n = out._sizes[-2:]
    if n == 1:
        return product_with_vector(without(out, -1), self, without(mat2, -1), alpha, beta)
    if m == 1:
        return product_with_vector(without(out, -2), transposed(mat2), without(self, -2), alpha, beta)
    is_matrix = len(out._sizes) == 2 and out._strides == (n, 1)
    parts = split_k((1, m, n, self._sizes[1]), self._dtype.itemsize) if is_matrix else 1
    if parts > 1:
        product_in_parts(out, self, mat2, alpha, beta, parts)
    else:
        product(out, self, mat2, alpha, beta)


linear_algebra.mm_stub.register("cuda", kernel_of("addmm_cuda", product_of_any))
linear_algebra.bmm_stub.register("cuda", kernel_of("bmm_cuda", product_of_any))
linear_algebra.baddbmm_stub.register("cuda", kernel_of("baddbmm_cuda", product_of_any))
blas.addmv_stub.register("cuda", kernel_of("addmv_cuda", product_with_vector))
blas.dot_stub.register("cuda", dot_kernel)
