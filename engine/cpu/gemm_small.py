"""gemm of small matrices: A is read where it is, for a copy costs more than it gains in so few products.

The plain loop that it replaces is the one in `gemm`, for each matrix of a batch.

A tile reads an element from each of its rows of A at each step, so a few cache lines serve many steps: as well as from
a panel, unless the rows collide in the cache. B is read where it is, too, if its rows are contiguous and it is small;
else it is packed as in `gemm`. At the edges of C rows are read twice and written once, and lanes without a column
are masked.
"""

from collections.abc import Callable

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

from .argument_structs import Matrix, MatrixBatch
from .gemm import PART, aligned, columns_of, pack_columns, pack_panel
from .gemm_tile import (
    BYTES,
    FEWER_ROWS,
    FEWEST_ROWS,
    I32,
    I64,
    ROWS,
    VECTORS,
    Vectors,
    data_of,
    make_tile_in_place,
)

SMALL = 2**21  # multiplications of a product for which packing A does not pay
READ_BYTES = 2**16  # of a B that is not packed
PAGE = 4096  # bytes: lines this far apart are in one set of the first cache
HEIGHT = FEWER_ROWS


def in_lanes(vectors: Vectors, width: ir.Value, first: int) -> ir.Value:
    """Return the mask of the lanes whose column, `first` plus the lane's index, is less than `width`."""
    builder, kind = vectors.builder, ir.VectorType(I32, vectors.lanes)
    limit = builder.trunc(builder.sub(width, I64(first)), I32)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), limit, I32(0))
    limits = builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(kind, None))
    return builder.icmp_signed("<", ir.Constant(kind, list(range(vectors.lanes))), limits)


def masked(vectors: Vectors, what: str, pointer: ir.Value, mask: ir.Value, value: ir.Value | None = None) -> ir.Value:
    """Build a call to llvm.masked.load or llvm.masked.store, for elements that need not be aligned."""
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
    """Build the loop over t that sums products in a register for each vector of each row, and return the sums.

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
    """Compute C = alpha * A @ B + beta * C for at most HEIGHT rows and a tile's columns; rows of B, C are contiguous.

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
    """Return a mask that has `bit` in every lane."""
    kind = ir.VectorType(ir.IntType(1), lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), bit, I32(0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(I32, lanes), None))


full_tile, fewer_tile, fewest_tile = (make_tile_in_place(rows) for rows in (ROWS, FEWER_ROWS, FEWEST_ROWS))


@register_jitable
def multiply_ragged(rows, width, k, alpha, a, b, beta, c):
    """Compute C = alpha * A @ B + beta * C for at most a tile's rows and columns; arguments as in `multiply_rows`."""
    for i in range(0, rows, HEIGHT):
        of_a = Matrix(a.elements, a.start + i * a.row_stride, a.row_stride, a.column_stride)
        to = Matrix(c.elements, c.start + i * c.row_stride, c.row_stride, 1)
        small_tile(of_a, b, to, k, min(HEIGHT, rows - i), width, alpha, beta)


@register_jitable
def multiply_rows(m, n, k, alpha, a, b, beta, c, panel):
    """Compute C = alpha * A @ B + beta * C, one register tile at a time, without packing A unless its rows collide.

    Args:
        a, c: each a `Matrix`; c.column_stride is 1.
        b: a `Matrix`, panels of B or, if column_stride is 1, B itself, as `multiply_panels` takes it.
        panel: memory for ROWS * k elements, where rows of A that collide are copied before they are read.
    """
    columns, does_collide = columns_of(a.elements), do_collide(a)
    y, b_k, out, c_m = b.elements, b.row_stride, c.elements, c.row_stride
    i = 0
    while i < m:
        left = m - i
        rows = ROWS if left >= ROWS else FEWER_ROWS if left >= FEWER_ROWS else min(left, FEWEST_ROWS)
        x, p, a_m, a_k = a.elements, a.start + i * a.row_stride, a.row_stride, a.column_stride
        if does_collide:
            pack_panel(rows, x, p, a_m, a_k, rows, k, panel, 0)
            x, p, a_m, a_k = panel, 0, 1, rows
        for j in range(0, n, columns):
            width, of_a = min(columns, n - j), Matrix(x, p, a_m, a_k)
            of_b, to = Matrix(y, b.start + j * b.column_stride, b_k, 1), Matrix(out, c.start + i * c_m + j, c_m, 1)
            if width < columns or rows < FEWEST_ROWS:
                multiply_ragged(rows, width, k, alpha, of_a, of_b, beta, to)
            elif rows == ROWS:
                full_tile(of_a, of_b, to, k, alpha, beta)
            elif rows == FEWER_ROWS:
                fewer_tile(of_a, of_b, to, k, alpha, beta)
            else:
                fewest_tile(of_a, of_b, to, k, alpha, beta)
        i += rows


@register_jitable
def do_collide(a):
    """Return True if the rows of a `Matrix` map to the same few sets of the L1 cache, which evicts them too early."""
    return a.row_stride * a.elements.itemsize % PAGE == 0


@register_jitable
def is_read_in_place(k, n, b):
    """Return True if B need not be packed: its rows are contiguous, and it stays in the caches."""
    return b.column_stride == 1 and k * n * b.elements.itemsize <= READ_BYTES and not do_collide(b)


@register_jitable
def panel_size(k):
    """Return the number of elements of a packed panel of A, rounded up to whole cache lines."""
    return -(-ROWS * min(k, PART) // BYTES) * BYTES


@register_jitable
def room_for(k, n, a, b):
    """Return memory for the copies that `in_place` makes: a panel of A, then panels of B; if none, any array."""
    columns, part = columns_of(a.elements), min(k, PART)
    of_a = panel_size(k) if do_collide(a) else 0
    of_b = 0 if is_read_in_place(k, n, b) else -(-n // columns) * columns * part
    return aligned(of_a + of_b, a.elements) if of_a + of_b else a.elements


@register_jitable
def room_for_any(size, like):
    """Return memory that suffices for the copies that `in_place` makes if k and n are at most `size`."""
    columns = columns_of(like)
    return aligned(panel_size(size) + -(-size // columns) * columns * min(size, PART), like)


@njit(cache=True, nogil=True, error_model="numpy")
def in_place(m, n, k, alpha, a, b, beta, c, room):
    """Compute C = alpha * A @ B + beta * C on this thread, without packing A unless its rows collide.

    Args:
        m, n, k: A is (m, k), B is (k, n), C is (m, n); none is 0.
        alpha, beta: numbers of the arrays' dtype; if beta is 0, C is not read.
        a, b, c: each a `Matrix`; c.column_stride is 1. C shares no element with A or B.
        room: what `room_for` or `room_for_any` returned.
    """
    x, y, is_read = a.elements, b.elements, is_read_in_place(k, n, b)
    first = panel_size(k) if do_collide(a) else 0
    for t in range(0, k, PART):
        steps, factor = min(PART, k - t), beta if t == 0 else x.dtype.type(1)
        panels = Matrix(y, b.start + t * b.row_stride, b.row_stride, 1)
        if not is_read:
            pack_columns(steps, n, y, panels.start, b.row_stride, b.column_stride, room[first:])
            panels = Matrix(room, first, columns_of(x), steps)
        of_a = Matrix(x, a.start + t * a.column_stride, a.row_stride, a.column_stride)
        multiply_rows(m, n, steps, alpha, of_a, panels, factor, c, room)


@register_jitable
def transposed(x):
    """Return a `MatrixBatch` with each matrix transposed."""
    return MatrixBatch(x.elements, x.start, x.batch_stride, x.column_stride, x.row_stride)


@register_jitable
def matrix_at(x, which):
    """Return matrix `which` of a `MatrixBatch`."""
    return Matrix(x.elements, x.start + which * x.batch_stride, x.row_stride, x.column_stride)


def small_products(begin, end, m, n, k, alpha, a, b, beta, c):
    """Compute C = alpha * A @ B + beta * C for matrices begin..end of a batch; one of C's last two strides is 1.

    Args:
        m, n, k: A is (m, k), B is (k, n), C is (m, n).
        a, b, c: each a `MatrixBatch`. C shares no element with A or B.
    """
    if c.column_stride != 1:  # C.T = B.T @ A.T
        m, n, a, b, c = n, m, transposed(b), transposed(a), transposed(c)
    room = room_for(k, n, a, b)
    for which in range(begin, end):
        in_place(m, n, k, alpha, matrix_at(a, which), matrix_at(b, which), beta, matrix_at(c, which), room)
