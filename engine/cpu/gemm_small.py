"""gemm of small matrices, which stay in the first cache: only a B whose rows are not contiguous is packed.

The plain loop that it replaces is the one in `gemm`, for each matrix of a batch.

One tile of the output's rows x columns is held in vector registers, as in `gemm_tile`, but A is not packed. At
the edges of the matrix rows are read twice and written once, and lanes without a column are masked.
"""

from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

from .gemm_tile import BYTES, FEWER_ROWS, I32, I64, VECTORS, Vectors, data_of
from .records import Matrix, MatrixBatch

SMALL = 2**18  # multiplications of a product for which packing does not pay
HEIGHT = FEWER_ROWS


def in_lanes(vectors: Vectors, width: ir.Value, first: int) -> ir.Value:
    """The mask of the lanes whose column, from `first` on, is less than `width`."""
    builder, kind = vectors.builder, ir.VectorType(I32, vectors.lanes)
    limit = builder.trunc(builder.sub(width, I64(first)), I32)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), limit, I32(0))
    limits = builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(kind, None))
    return builder.icmp_signed("<", ir.Constant(kind, list(range(vectors.lanes))), limits)


def masked(vectors: Vectors, what: str, pointer: ir.Value, mask: ir.Value, value: ir.Value | None = None) -> ir.Value:
    """llvm.masked.load or llvm.masked.store, of elements that need not be aligned."""
    builder = vectors.builder
    pointer = builder.bitcast(pointer, vectors.type.as_pointer())
    letter = "f" if vectors.is_float else "i"
    name = f"llvm.masked.{what}.v{vectors.lanes}{letter}{vectors.bytes * 8}.p0"
    align = I32(vectors.bytes)
    if value is None:
        given, result = (pointer, align, mask, ir.Constant(vectors.type, None)), vectors.type
    else:
        given, result = (value, pointer, align, mask), ir.VoidType()
    kind = ir.FunctionType(result, [x.type for x in given])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)


def products_of(
    vectors: Vectors, of_a: Callable[[ir.Value], list], b: ir.Value, b_k: ir.Value, masks: list, k: ir.Value
) -> list[ir.Value]:
    """The loop over t: a register for each vector of each row.

    Args:
        of_a: t -> pointers to the rows' elements.
    """
    builder = vectors.builder
    zero = ir.Constant(vectors.type, None)
    sums = [cgutils.alloca_once_value(builder, zero) for _ in range(HEIGHT * VECTORS)]
    with cgutils.for_range(builder, k) as loop:
        row = builder.gep(b, [builder.mul(loop.index, b_k)])
        of_b = [masked(vectors, "load", builder.gep(row, [I64(j * vectors.lanes)]), masks[j]) for j in range(VECTORS)]
        for i, pointer in enumerate(of_a(loop.index)):
            number = vectors.splat(builder.load(pointer))
            for j in range(VECTORS):
                cell = sums[i * VECTORS + j]
                builder.store(vectors.multiply_add(number, of_b[j], builder.load(cell)), cell)
    return [builder.load(cell) for cell in sums]


@intrinsic
def small_tile(typingctx, a, b, c, k, count, width, alpha, beta):
    """C = alpha * A @ B + beta * C, of at most HEIGHT rows and a tile's columns; rows of B and of C are contiguous.

    Args:
        a, b, c: each a `Matrix`.
        count, width: rows and columns of C.
    """

    def build(context, builder, signature, args):
        of_a, of_b, of_c = (Matrix(*cgutils.unpack_tuple(builder, value)) for value in args[:3])
        k, count, width, alpha, beta = args[3:]
        kind = Matrix(*signature.args[0].types).elements
        vectors = Vectors(builder, context.get_data_type(kind.dtype), BYTES * 8 // kind.dtype.bitwidth)
        a, b, c = (data_of(context, builder, kind, x.elements, x.start) for x in (of_a, of_b, of_c))
        masks = [in_lanes(vectors, width, j * vectors.lanes) for j in range(VECTORS)]
        has_row = [builder.icmp_signed("<", I64(i), count) for i in range(HEIGHT)]
        last = builder.sub(count, I64(1))
        rows = [
            builder.gep(a, [builder.mul(of_a.row_stride, builder.select(has_row[i], I64(i), last))])
            for i in range(HEIGHT)
        ]

        def column_of_a(t: ir.Value) -> list[ir.Value]:
            step = builder.mul(t, of_a.column_stride)
            return [builder.gep(row, [step]) for row in rows]

        sums = products_of(vectors, column_of_a, b, of_b.row_stride, masks, k)
        zero = ir.Constant(vectors.number, 0)
        adds = builder.fcmp_unordered("!=", beta, zero) if vectors.is_float else builder.icmp_signed("!=", beta, zero)
        alphas, betas = vectors.splat(alpha), vectors.splat(beta)
        reads = [builder.and_(mask, splat_bit(builder, adds, vectors.lanes)) for mask in masks]
        for i in range(HEIGHT):
            with builder.if_then(has_row[i]):
                for j in range(VECTORS):
                    to = builder.gep(c, [builder.add(builder.mul(of_c.row_stride, I64(i)), I64(j * vectors.lanes))])
                    value = vectors.multiply(alphas, sums[i * VECTORS + j])
                    former = masked(vectors, "load", to, reads[j])
                    masked(vectors, "store", to, masks[j], vectors.multiply_add(betas, former, value))
        return context.get_dummy_value()

    return types.void(a, b, c, k, count, width, alpha, beta), build


def splat_bit(builder: ir.IRBuilder, bit: ir.Value, lanes: int) -> ir.Value:
    """One bit in every lane of a mask."""
    kind = ir.VectorType(ir.IntType(1), lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), bit, I32(0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(I32, lanes), None))


@register_jitable
def transposed(x):
    """The transposes of a batch of matrices."""
    return MatrixBatch(x.elements, x.start, x.batch_stride, x.column_stride, x.row_stride)


def small_products(begin, end, m, n, k, alpha, a, b, beta, c):
    """C = alpha * A @ B + beta * C, for matrices begin..end of a batch; one of C's last two strides is 1.

    Args:
        m, n, k: A is (m, k), B is (k, n), C is (m, n).
        a, b, c: each a `MatrixBatch`. C shares no element with A or B.
    """
    if c.column_stride != 1:  # C.T = B.T @ A.T
        m, n, a, b, c = n, m, transposed(b), transposed(a), transposed(c)
    x, y, out = a.elements, b.elements, c.elements
    columns = VECTORS * BYTES // x.itemsize
    copy = np.empty(0 if b.column_stride == 1 else k * n, x.dtype)
    for which in range(begin, end):
        rows, first, step = y, b.start + which * b.batch_stride, b.row_stride
        if b.column_stride != 1:
            for t in range(k):
                for j in range(n):
                    copy[np.uintp(t * n + j)] = y[np.uintp(first + t * b.row_stride + j * b.column_stride)]
            rows, first, step = copy, 0, n
        of_a, to = a.start + which * a.batch_stride, c.start + which * c.batch_stride
        for j in range(0, n, columns):
            width, of_b = min(columns, n - j), Matrix(rows, first + j, step, 1)
            for i in range(0, m, HEIGHT):
                small_tile(
                    Matrix(x, of_a + i * a.row_stride, a.row_stride, a.column_stride), of_b,
                    Matrix(out, to + i * c.row_stride + j, c.row_stride, 1),
                    k, min(HEIGHT, m - i), width, alpha, beta,
                )  # fmt: skip
