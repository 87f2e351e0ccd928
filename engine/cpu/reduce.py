"""Reduction kernels: one number from many, over any dimensions of any geometry.

The plain loop that they replace, `self` being read in the order of the iterator's plan:

    for every output: out = start
    for to, of in zip(offsets of out, repeated along what is reduced, offsets of self):
        out[to] = f(out[to], element(self[of]))
    for every output: out = finish(out)

A sum of n floats made one by one is off by up to n roundings. Here it is made of sums of few elements, of pairs of
those, of pairs of pairs and so on, so that no number is added to a much longer sum. Memory is read as it lies: a run of
neighbours of one output by a loop that compiles to vectors, neighbouring outputs side by side. An output of very many
elements is made in pieces of a fixed size, so that threads change no digit.
Mirrors aten/src/ATen/native/cpu/{SumKernel,ReduceOpsKernel}.cpp.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from ..aten.native import reduce_extremes, reduce_norms, reduce_ops, reduce_truth
from ..aten.stubs import DispatchStub
from ..dtypes import DTYPES, bool_, dtype
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, named, rows_of
from .ranges import Ranged
from .reduce_walk import BLOCK, STEPS, find, seek, walk_of

RUN, CHUNK = 4096, 64  # elements that are reduced one after the other: neighbours in vectors, others
LEVELS = 48  # of pairs of pairs: enough for 2**48 runs

# ---- functions of single numbers


def of_two(name: str, of_floats: Callable, of_integers: Callable, of_bools: Callable) -> Callable:
    """An intrinsic of two numbers of one type; each builder makes an instruction of LLVM."""

    def typed(typingctx, a, b):
        build = of_floats if isinstance(a, types.Float) else of_bools if a is types.boolean else of_integers
        return a(a, a), lambda context, builder, signature, args: build(builder, *args)

    typed.__name__ = name
    return intrinsic(typed)


def instruction(name: str) -> Callable:
    """The builder that calls one of LLVM's own functions of two numbers."""

    def build(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        kind = ir.FunctionType(a.type, (a.type, a.type))
        flags = ("nsz",) if isinstance(a.type, (ir.FloatType, ir.DoubleType)) else ()
        return builder.call(builder.module.declare_intrinsic(name, (a.type,), kind), (a, b), fastmath=flags)

    return build


# The order of these sums is the compiler's to choose: else there could be no vectors. As PyTorch's, maximum and minimum
# are NaN where one of the two is.
BUILDER = ir.IRBuilder
REASSOCIATED = ("reassoc", "nsz")
plus = of_two("plus", lambda builder, a, b: builder.fadd(a, b, flags=REASSOCIATED), BUILDER.add, BUILDER.or_)
times = of_two("times", lambda builder, a, b: builder.fmul(a, b, flags=REASSOCIATED), BUILDER.mul, BUILDER.and_)
maximum = of_two("maximum", instruction("llvm.maximum"), instruction("llvm.smax"), BUILDER.or_)
minimum = of_two("minimum", instruction("llvm.minimum"), instruction("llvm.smin"), BUILDER.and_)

# What becomes of an element before it is taken in: functions of (what converts it to what is accumulated, the element,
# a parameter).


def itself(cast, a, parameter):
    """The element."""
    return cast(a)


def unless_nan(cast, a, parameter):
    """The element, or 0 in place of NaN."""
    return cast(a) if a == a else cast(0)


def is_nonzero(cast, a, parameter):
    """1 for an element that is not 0."""
    return cast(a != 0)


def size_of(cast, a, parameter):
    """|a|"""
    return abs(cast(a))


def square(cast, a, parameter):
    """a * a"""
    return cast(a) * cast(a)


def power(cast, a, parameter):
    """|a| ** parameter"""
    return abs(cast(a)) ** parameter


# What becomes of the result: functions of (what was accumulated, parameter).


def unchanged(total, parameter):
    """The result as it is."""
    return total


def quotient(total, parameter):
    """The result over a number."""
    return total / parameter


def root(total, parameter):
    """Its square root."""
    return np.sqrt(total)


def any_root(total, parameter):
    """total ** (1 / parameter)"""
    return total ** (1 / parameter)


# ---- one output


@register_jitable
def reduce_part(f, element, cast, start, parameter, x, p, n, step):
    """The reduction of n elements that lie `step` apart, one after the other; neighbours in vectors."""
    total = start
    p, n = np.uintp(p), np.uintp(n)
    if step == 1:
        for r in range(n):
            total = f(total, element(cast, x[p + r], parameter))
        return total
    step, four = np.uintp(step), np.uintp(4)
    a, b, c = start, start, start
    for _ in range(n // four):
        total = f(total, element(cast, x[p], parameter))
        a = f(a, element(cast, x[p + step], parameter))
        b = f(b, element(cast, x[p + step + step], parameter))
        c = f(c, element(cast, x[p + step + step + step], parameter))
        p += four * step
    for _ in range(n % four):
        total = f(total, element(cast, x[p], parameter))
        p += step
    return f(f(total, a), f(b, c))


@register_jitable
def reduce_pairwise(f, element, cast, start, parameter, x, p, rows):
    """The reduction of all rows of one output: parts[k] is that of 2**k parts, if bit k of their count is set."""
    last = rows.shape[1] - 1
    n, step = rows[0, last], rows[1, last]
    size = RUN if step == 1 else CHUNK
    parts, index, cell = np.empty(LEVELS, np.dtype(cast)), np.zeros(last, np.int64), np.array((p,))
    count = 0
    for _ in range(rows_of(rows)):
        for first in range(0, n, size):
            m = min(size, n - first)
            part = reduce_part(f, element, cast, start, parameter, x, cell[0] + first * step, m, step)
            level = 0
            while count >> level & 1:
                part = f(parts[level], part)
                level += 1
            parts[level] = part
            count += 1
        advance(index, cell, rows)
    total = start
    for level in range(LEVELS):
        if count >> level & 1:
            total = f(parts[level], total)
    return total


# ---- neighbouring outputs


@register_jitable
def add_rows(f, element, cast, parameter, sums, x, q, step, n, width):
    """sums[j] = f(sums[j], element j), of each of n rows that lie `step` apart; four rows at a time."""
    a, step, n, width, four = np.uintp(q), np.uintp(step), np.uintp(n), np.uintp(width), np.uintp(4)
    for _ in range(n // four):
        b, c, d = a + step, a + step + step, a + step + step + step
        for j in range(width):
            one = f(element(cast, x[a + j], parameter), element(cast, x[b + j], parameter))
            other = f(element(cast, x[c + j], parameter), element(cast, x[d + j], parameter))
            sums[j] = f(sums[j], f(one, other))
        a += four * step
    for _ in range(n % four):
        for j in range(width):
            sums[j] = f(sums[j], element(cast, x[a + j], parameter))
        a += step


@register_jitable
def reduce_across(f, element, cast, start, parameter, sums, x, p, rows, width):
    """sums[0, j] = the reduction of element j of every row, j < width; pairwise as above, on all j at once.

    Args:
        sums: (LEVELS, at least width)
        x, p: flat array, and the cell of the first row's first element.
    """
    last = rows.shape[1] - 1
    n, step = rows[0, last], rows[1, last]
    index, cell = np.zeros(last, np.int64), np.array((p,))
    count = 0
    for _ in range(rows_of(rows)):
        for first in range(0, n, CHUNK):
            level = 0
            while count >> level & 1:
                level += 1
            part = sums[level]
            part[:width] = start
            m = min(CHUNK, n - first)
            add_rows(f, element, cast, parameter, part, x, cell[0] + first * step, step, m, width)
            for lower in range(level):
                for j in range(width):
                    part[j] = f(sums[lower, j], part[j])
            count += 1
        advance(index, cell, rows)
    collect(f, start, sums, count, width)


@register_jitable
def collect(f, start, sums, count, width):
    """sums[0] = the reduction of all levels that are in use."""
    if not count & 1:
        sums[0, :width] = start
    for level in range(1, LEVELS):
        if count >> level & 1:
            for j in range(width):
                sums[0, j] = f(sums[level, j], sums[0, j])


# ---- the kernel


def reduction(f: Callable, element: Callable, finish: Callable, cast: Callable) -> Callable:
    """The kernel of a function of (what is accumulated, an element); items begin..end of a `Walk`.

    Where outputs are made in pieces, the result of piece s of output i is left in partials[s, i].
    """

    def reduce(begin, end, partials, out, o, x, p, kept, rows, width, steps, piece, start, parameter):
        index, cells, last = np.zeros(kept.shape[1], np.int64), np.array((o, p)), kept.shape[1] - 1
        count, step, to_step, x_step = rows[0, 0], rows[1, 0], kept[1, last], kept[2, last]
        if width == 1 and rows.shape[1] == 1 and count <= RUN and partials.shape[0] == 0:
            seek(cells, index, kept, begin)
            while begin < end:
                n = min(end - begin, kept[0, last] - index[last])
                if step == 1:
                    for i in range(n):
                        of, total = np.uintp(cells[1] + i * x_step), start
                        for r in range(np.uintp(count)):
                            total = f(total, element(cast, x[of + r], parameter))
                        out[cells[0] + i * to_step] = finish(total, parameter)
                else:
                    for i in range(n):
                        of = cells[1] + i * x_step
                        total = reduce_part(f, element, cast, start, parameter, x, of, count, step)
                        out[cells[0] + i * to_step] = finish(total, parameter)
                begin += n
                cells[0], cells[1] = o, p
                seek(cells, index, kept, begin)
            return
        origins, mine, pieces = cells.copy(), rows.copy(), max(partials.shape[0], 1)
        sums = np.empty((LEVELS if width > 1 else 1, min(width, BLOCK)), out.dtype)
        for item in range(begin, end):
            which, number, n = find(cells, origins, index, kept, rows, mine, steps, width, item, pieces, piece)
            if width > 1:
                reduce_across(f, element, cast, start, parameter, sums, x, cells[1], mine, n)
            else:
                sums[0, 0] = reduce_pairwise(f, element, cast, start, parameter, x, cells[1], mine)
            for j in range(n):
                if pieces > 1:
                    partials[which, number + j] = sums[0, j]
                else:
                    out[cells[0] + j * steps[0]] = finish(sums[0, j], parameter)

    return reduce


def gathering(f: Callable, finish: Callable) -> Callable:
    """The kernel that makes outputs of their partial results."""

    def gather(partials, out, o, kept, width, steps, parameter):
        index, cells = np.zeros(kept.shape[1], np.int64), np.array((o, 0))
        for i in range(partials.shape[1]):
            total = partials[0, i]
            for s in range(1, partials.shape[0]):
                total = f(total, partials[s, i])
            cells[0] = o
            seek(cells, index, kept, i // width)
            out[cells[0] + i % width * steps[0]] = finish(total, parameter)

    return gather


def reduction_kernel(
    name: str,
    f: Callable,
    start_of: Callable[[dtype], Any],
    element: Callable = itself,
    finish: Callable = unchanged,
) -> Callable[..., None]:
    """kernel(iter, parameter): the reduction over the plan and operands of `make_reduction`, in the output's dtype.

    Args:
        start_of: dtype -> the number from which the reduction starts.
    """
    functions = [register_jitable(function) for function in (f, element, finish)]

    def compiled(result: dtype) -> Ranged:
        def loop(kind: dtype) -> Callable:
            return named(reduction(*functions, result.numpy.type), f, element, finish)

        def arguments(kind: dtype) -> tuple:
            arrays = (NUMBA[result][:, ::1], NUMBA[result][::1], INDEX, NUMBA[kind][::1], INDEX)
            return (*arrays, GEOMETRY, GEOMETRY, INDEX, STEPS, INDEX, NUMBA[result], NUMBA[result])

        return Ranged(name, tuple(DTYPES.values()), loop, arguments)

    def gather(kind: dtype) -> Callable:
        return named(gathering(functions[0], functions[2]), f, finish)

    def gather_signature(kind: dtype) -> tuple:
        return (NUMBA[kind][:, ::1], NUMBA[kind][::1], INDEX, GEOMETRY, INDEX, STEPS, NUMBA[kind])

    loops = {kind: compiled(kind) for kind in DTYPES.values()}
    gathers = Compiled(name, tuple(DTYPES.values()), gather, gather_signature)
    starts = {kind: start_of(kind) for kind in DTYPES.values()}
    no_partials = {kind: np.empty((0, 0), kind.numpy) for kind in DTYPES.values()}

    def kernel(iter: Any, parameter: float = 0) -> None:
        out, x = iter.operands
        kept, rows, width, steps, items, pieces, piece, cost = walk_of(iter.plan)
        partials = no_partials[out._dtype]
        if pieces > 1:
            partials = np.empty((pieces, max(1, out.numel())), out._dtype.numpy)
        to, o, start = out._flat(), out._storage_offset, starts[out._dtype]
        walk = kept, rows, width, steps, piece
        loop, of, p = loops[out._dtype], x._flat(), x._storage_offset
        loop(x._dtype, items, cost, partials, to, o, of, p, *walk, start, parameter)
        if pieces > 1:
            gathers[out._dtype](partials, to, o, kept, width, steps, parameter)

    return kernel


def lowest(kind: dtype) -> Any:
    """The number that no other of the dtype is below."""
    if kind is bool_:
        return False
    return -np.inf if kind.is_floating_point else int(np.iinfo(kind.numpy).min)


def highest(kind: dtype) -> Any:
    """The number that no other of the dtype is above."""
    if kind is bool_:
        return True
    return np.inf if kind.is_floating_point else int(np.iinfo(kind.numpy).max)


def zero(kind: dtype) -> Any:
    """The number that a sum starts from."""
    return 0


def one(kind: dtype) -> Any:
    """The number that a product starts from."""
    return 1


def sum(total, a):
    """The sum so far and one more."""
    return plus(total, a)


def prod(total, a):
    """The product so far and one more."""
    return times(total, a)


def amax(largest, a):
    """The largest so far, or this one."""
    return maximum(largest, a)


def amin(smallest, a):
    """The smallest so far, or this one."""
    return minimum(smallest, a)


KERNELS: tuple[tuple[DispatchStub, Callable[..., None]], ...] = (
    (reduce_ops.sum_stub, reduction_kernel("sum_cpu", sum, zero)),
    (reduce_ops.nansum_stub, reduction_kernel("nansum_cpu", sum, zero, unless_nan)),
    (reduce_ops.mean_stub, reduction_kernel("mean_cpu", sum, zero, finish=quotient)),
    (reduce_ops.prod_stub, reduction_kernel("prod_cpu", prod, one)),
    (reduce_ops.count_nonzero_stub, reduction_kernel("count_nonzero_cpu", sum, zero, is_nonzero)),
    (reduce_extremes.amax_stub, reduction_kernel("amax_cpu", amax, lowest)),
    (reduce_extremes.amin_stub, reduction_kernel("amin_cpu", amin, highest)),
    (reduce_truth.and_stub, reduction_kernel("and_cpu", amin, highest)),
    (reduce_truth.or_stub, reduction_kernel("or_cpu", amax, lowest)),
)
NORMS: dict[float | None, Callable[..., None]] = {
    0.0: reduction_kernel("norm_cpu", sum, zero, is_nonzero),
    1.0: reduction_kernel("norm_cpu", sum, zero, size_of),
    2.0: reduction_kernel("norm_cpu", sum, zero, square, root),
    np.inf: reduction_kernel("norm_cpu", amax, zero, size_of),
    -np.inf: reduction_kernel("norm_cpu", amin, highest, size_of),
    None: reduction_kernel("norm_cpu", sum, zero, power, any_root),
}


def norm(iter: Any, ord: float) -> None:
    """The kernel of the order; None stands for all others."""
    NORMS[ord if ord in NORMS else None](iter, ord)


def register() -> None:
    """Enter the kernels for the CPU at their stubs."""
    for stub, kernel in KERNELS:
        stub.register("cpu", kernel)
    reduce_norms.norm_stub.register("cpu", norm)


register()
