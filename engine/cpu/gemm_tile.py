"""The register tile of the matrix product: rows x columns of the output, held in vector registers.

The plain loop that `tile` replaces, of packed rows of A (the `rows` elements of one t are adjacent) and rows of B:

    for i in range(rows):
        for j in range(columns):
            total = sum(a[p + t * rows + i] * b[q + t * b_k + j] for t in range(k))
            c[o + i * c_m + j] = alpha * total + beta * c[o + i * c_m + j]  # c is not read if beta is 0

Each step of t loads a row of B, `VECTORS` vectors, and adds its product with each of the tile's elements of A to a
register of its own, so that 2 + 12 loads feed 24 multiply-adds. Nothing in it belongs to one processor: LLVM makes
vectors of any length from the registers of the processor.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .argument_structs import Matrix

# What a processor has -> bytes of a vector, vectors of a tile's row, rows of a tile: the most that its registers hold,
# and less for the last rows of a matrix.
TILES = (
    ("avx512f", (64, 2, (12, 8, 4))),  # 32 registers: 24 sums, 2 of B, 1 of A
    ("avx2", (32, 2, (6, 4, 2))),  # 16 registers: 12 sums, 2 of B, 1 of A
    ("neon", (16, 2, (12, 8, 4))),  # 32 registers
    ("", (16, 2, (6, 4, 2))),
)


def choose_tile() -> tuple[int, int, tuple[int, ...]]:
    """Return (bytes of a vector, vectors of a row, numbers of rows) of the tiles for the host processor."""
    has = binding.get_host_cpu_features()
    return next(tile for feature, tile in TILES if not feature or has.get(feature))


BYTES, VECTORS, (ROWS, FEWER_ROWS, FEWEST_ROWS) = choose_tile()
QUAD = 4  # elements: what `transpose` works on

I32, I64 = ir.IntType(32), ir.IntType(64)


class Vectors:
    """LLVM vectors of one array's elements, with the operations that the intrinsics below need."""

    def __init__(self, builder: ir.IRBuilder, number: ir.Type, lanes: int):
        self.builder, self.number, self.lanes = builder, number, lanes
        self.type = ir.VectorType(number, lanes)
        self.is_float = not isinstance(number, ir.IntType)
        self.bytes = number.width // 8 if isinstance(number, ir.IntType) else {"float": 4, "double": 8}[str(number)]

    def load(self, pointer: ir.Value) -> ir.Value:
        """Load a vector from `pointer`, which need not be aligned."""
        loaded = self.builder.load(self.builder.bitcast(pointer, self.type.as_pointer()))
        loaded.align = self.bytes
        return loaded

    def store(self, value: ir.Value, pointer: ir.Value) -> None:
        """Store a vector to `pointer`, which need not be aligned."""
        self.builder.store(value, self.builder.bitcast(pointer, self.type.as_pointer())).align = self.bytes

    def splat(self, value: ir.Value) -> ir.Value:
        """Return a vector with `value` in every lane."""
        undefined = ir.Constant(self.type, ir.Undefined)
        first = self.builder.insert_element(undefined, value, I32(0))
        return self.builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(I32, self.lanes), None))

    def multiply(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """Return x * y."""
        return self.builder.fmul(x, y) if self.is_float else self.builder.mul(x, y)

    def multiply_add(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        """Return x * y + z, fused if the processor supports it."""
        if not self.is_float:
            return self.builder.add(self.builder.mul(x, y), z)
        kind = ir.FunctionType(self.type, (self.type,) * 3)
        name = f"llvm.fmuladd.v{self.lanes}f{self.bytes * 8}"
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), (x, y, z))


def data_of(context: Any, builder: ir.IRBuilder, kind: types.Array, array: ir.Value, cell: ir.Value) -> ir.Value:
    """Return the pointer to a cell of an array."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [cell])


def make_tile(rows: int) -> Callable[..., None]:
    """Build tile(a, p, b, q, b_k, c, o, c_m, k, alpha, beta) of `rows` rows; arrays are flat, k is at least 1.

    `b_k` is the step from a row of B to the next, or an array of int64: row t then begins at b[q + b_k[t]].
    """

    def tile(typingctx, a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        def build(context, builder, signature, args):
            kinds, (c_m, k, alpha, beta) = signature.args, args[7:]
            number = context.get_data_type(kinds[0].dtype)
            vectors = Vectors(builder, number, BYTES * 8 // kinds[0].dtype.bitwidth)
            a, b, c = (data_of(context, builder, kinds[i], args[i], args[i + 1]) for i in (0, 2, 5))

            def column(t: ir.Value) -> list[ir.Value]:
                first = builder.mul(t, I64(rows))
                return [builder.gep(a, [builder.add(first, I64(i))]) for i in range(rows)]

            sums = products_of(vectors, rows, column, b, row_of(context, builder, kinds[4], args[4]), k)
            update(vectors, rows, sums, c, c_m, alpha, beta)
            return context.get_dummy_value()

        return types.void(a, p, b, q, b_k, c, o, c_m, k, alpha, beta), build

    tile.__name__ = tile.__qualname__ = f"tile_of_{rows}_rows"
    return intrinsic(tile)


def make_tile_in_place(rows: int) -> Callable[..., None]:
    """Build tile(a, b, c, k, alpha, beta) of `rows` rows of A, which are not packed; k is at least 1.

    a, b, c are each a `Matrix`; the rows of B and of C are contiguous. All else is as of `make_tile`.
    """

    def tile(typingctx, a, b, c, k, alpha, beta):
        def build(context, builder, signature, args):
            of_a, of_b, of_c = (Matrix(*cgutils.unpack_tuple(builder, value)) for value in args[:3])
            k, alpha, beta = args[3:]
            kind = Matrix(*signature.args[0].types).elements
            vectors = Vectors(builder, context.get_data_type(kind.dtype), BYTES * 8 // kind.dtype.bitwidth)
            a, b, c = (data_of(context, builder, kind, x.elements, x.start) for x in (of_a, of_b, of_c))
            firsts = [builder.gep(a, [builder.mul(of_a.row_stride, I64(i))]) for i in range(rows)]

            def column(t: ir.Value) -> list[ir.Value]:
                step = builder.mul(t, of_a.column_stride)
                return [builder.gep(first, [step]) for first in firsts]

            sums = products_of(vectors, rows, column, b, lambda t: builder.mul(t, of_b.row_stride), k)
            update(vectors, rows, sums, c, of_c.row_stride, alpha, beta)
            return context.get_dummy_value()

        return types.void(a, b, c, k, alpha, beta), build

    tile.__name__ = tile.__qualname__ = f"tile_in_place_of_{rows}_rows"
    return intrinsic(tile)


def row_of(context: Any, builder: ir.IRBuilder, kind: types.Type, b_k: ir.Value) -> Callable[[ir.Value], ir.Value]:
    """Return a function that builds the offset at which row t of B begins."""
    if not isinstance(kind, types.Array):
        return lambda t: builder.mul(t, b_k)
    table = context.make_array(kind)(context, builder, b_k).data
    return lambda t: builder.load(builder.gep(table, [t]))


def products_of(
    vectors: Vectors,
    rows: int,
    column: Callable[[ir.Value], list[ir.Value]],
    b: ir.Value,
    row: Callable[[ir.Value], ir.Value],
    k: ir.Value,
) -> list[ir.Value]:
    """Build the loop over t that sums products in a register for each vector of each row, and return the sums.

    Args:
        column: t -> pointers to the elements of A, one for each row.
        row: t -> where in `b` the row of B begins.
    """
    builder, before = vectors.builder, vectors.builder.block
    loop, after = builder.append_basic_block("products"), builder.append_basic_block("products.end")
    builder.branch(loop)
    builder.position_at_end(loop)
    t = builder.phi(I64)
    sums = [builder.phi(vectors.type) for _ in range(rows * VECTORS)]
    first_b = row(t)
    of_b = [vectors.load(builder.gep(b, [builder.add(first_b, I64(j * vectors.lanes))])) for j in range(VECTORS)]
    added = []
    for i, pointer in enumerate(column(t)):
        of_a = vectors.splat(builder.load(pointer))
        for j in range(VECTORS):
            added.append(vectors.multiply_add(of_a, of_b[j], sums[i * VECTORS + j]))
    following = builder.add(t, I64(1))
    for phi, start, value in (
        (t, I64(0), following),
        *((s, ir.Constant(vectors.type, None), v) for s, v in zip(sums, added, strict=True)),
    ):
        phi.add_incoming(start, before)
        phi.add_incoming(value, loop)
    builder.cbranch(builder.icmp_signed("<", following, k), loop, after)
    builder.position_at_end(after)
    return added


def update(
    vectors: Vectors, rows: int, sums: list[ir.Value], c: ir.Value, c_m: ir.Value, alpha: ir.Value, beta: ir.Value
) -> None:
    """Build the code for c = alpha * sums + beta * c that does not read c if beta is 0."""
    builder = vectors.builder
    zero = ir.Constant(vectors.number, 0)
    is_new = builder.fcmp_ordered("==", beta, zero) if vectors.is_float else builder.icmp_signed("==", beta, zero)
    alphas, betas = vectors.splat(alpha), vectors.splat(beta)
    with builder.if_else(is_new) as (then, otherwise):
        for branch, reads in ((then, False), (otherwise, True)):
            with branch:
                for i in range(rows):
                    row = builder.gep(c, [builder.mul(c_m, I64(i))])
                    for j in range(VECTORS):
                        to = builder.gep(row, [I64(j * vectors.lanes)])
                        value = vectors.multiply(alphas, sums[i * VECTORS + j])
                        vectors.store(vectors.multiply_add(betas, vectors.load(to), value) if reads else value, to)


full_tile = make_tile(ROWS)


@intrinsic
def transpose(typingctx, x, p, step, to, o, to_step):
    """Set to[o + t * to_step + i] = x[p + i * step + t], i < 4, t < 4: four loads, eight shuffles, four stores."""

    def build(context, builder, signature, args):
        kinds, (step, to_step) = signature.args, (args[2], args[5])
        vectors = Vectors(builder, context.get_data_type(kinds[0].dtype), QUAD)
        x, to = (data_of(context, builder, kinds[i], args[i], args[i + 1]) for i in (0, 3))
        rows = [vectors.load(builder.gep(x, [builder.mul(step, I64(i))])) for i in range(QUAD)]

        def shuffle(one: ir.Value, other: ir.Value, lanes: list[int]) -> ir.Value:
            return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(I32, QUAD), lanes))

        for half, lanes in enumerate(([0, 4, 1, 5], [2, 6, 3, 7])):
            upper, lower = shuffle(rows[0], rows[1], lanes), shuffle(rows[2], rows[3], lanes)
            for which, pairs in enumerate(([0, 1, 4, 5], [2, 3, 6, 7])):
                t = builder.mul(to_step, I64(2 * half + which))
                vectors.store(shuffle(upper, lower, pairs), builder.gep(to, [t]))
        return context.get_dummy_value()

    return types.void(x, p, step, to, o, to_step), build
