"""Probes of the matrix product: plain loops, blocks, panels, the register tile."""

import dis
import types

import numpy as np

from autograder.labs.cpu.looped import in_numba, require_loop, traced


def _table(rng, rows, row, dtype, begin, width=1, column=1, zeros=0.0):
    """Make a flat array that holds a table of whole eighths from `begin` on, and 99 in what does not belong to it.

    Args:
        dtype: "large int64" for numbers that a float64 can't hold to the last digit.
        zeros: which part of the table is 0; else nothing in it is.
    """
    size = begin + max(rows - 1, 0) * row + max(width - 1, 0) * column + 1 + int(rng.integers(0, 3))
    kind = dtype.removeprefix("large ")
    flat = np.full(size, 99, kind)
    for i in range(rows):
        for j in range(width):
            value = (int(rng.integers(-9, 10)) or 5) * (not zeros or rng.random() >= zeros)
            value += dtype.startswith("large") * (2**54 + 1)
            flat[begin + i * row + j * column] = value / 8 if dtype.startswith("float") else value
    return flat


# ---- plain loops


def matrices(m, n, k, order, gap, begin, dtype, seed):
    """Make the arrays of a product, by name, and all arguments of the call, in their order.

    Args:
        order: how A lies: "rows", or "columns" (the elements of a column are neighbors).
        gap: unused elements behind each row; of C twice as many.
        begin: p, q, o.
    """
    p, q, o = begin
    rng = np.random.default_rng(seed)
    a_m, a_k = (k + gap, 1) if order == "rows" else (1, m + gap)
    b_k, c_m = n + gap, n + 2 * gap
    a = _table(rng, m, a_m, dtype, p, k, a_k, zeros=0.1)
    kind = dtype.removeprefix("large ")  # of a product only one factor is
    b, c = _table(rng, k, b_k, kind, q, n), _table(rng, m, c_m, kind, o, n)
    return {"a": a, "b": b, "c": c}, (m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m)


def rows(engine, how, *args):
    """Return the trace of `row_products`, or C if compiled. The last argument, a cache, is for the trusted side."""
    arrays, given = matrices(*args[:8])
    return _run(engine, how, "loop_products", engine.cpu.gemm_loops.row_products, given, arrays["c"])


def blocks(engine, how, *args):
    """Return the trace of `blocked_products`, or C if compiled. `args[8]` is the steps and columns of a block."""
    arrays, given = matrices(*args[:8])
    function, given = engine.cpu.gemm_loops.blocked_products, (*given, *args[8])
    return _run(engine, how, "loop_products", function, given, arrays["c"])


def _run(engine, how, kernel, function, given, output, *captured):
    if how == "traced":
        return traced(engine, function, *given)
    in_numba(engine, kernel, function, *captured)(*given)
    return output


# ---- panels


def panel(width, count, k, order, gap, begin, dtype, seed):
    """Make the arrays of `pack`, by name, and its arguments.

    Args:
        order: how X lies: "across", elements of one t are neighbors; "along", elements of one i; "apart", neither.
        begin: p, o.
    """
    p, o = begin
    rng = np.random.default_rng(seed)
    step, x_k = {"across": (1, count + gap), "along": (k + gap, 1), "apart": (2, 2 * count + gap)}[order]
    x = _table(rng, count, step, dtype, p, k, x_k)
    to = np.full(o + width * k + gap, 55, dtype)
    return {"x": x, "to": to}, (width, x, p, step, x_k, count, k, to, o)


def packed(engine, how, *args):
    """Return the trace of `pack`, or the panel if compiled."""
    arrays, given = panel(*args)
    return _run(engine, how, "products", engine.cpu.gemm.pack, given, arrays["to"])


# ---- the register tile


def operands(lanes, k, alpha, beta, gap, begin, dtype, seed):
    """Make the arrays of a tile and its arguments; `begin` is (p, q, o). If beta is 0, C holds NaN or a huge number."""
    p, q, o = begin
    rng = np.random.default_rng(seed)
    b_k, c_m = 2 * lanes + gap, 2 * lanes + 2 * gap
    a = _table(rng, k, 4, dtype, p, 4)
    b, c = _table(rng, k, b_k, dtype, q, 2 * lanes), _table(rng, 4, c_m, dtype, o, 2 * lanes)
    if beta == 0:
        c[:] = np.nan if dtype.startswith("float") else 2**40
    number = np.dtype(dtype).type
    return {"a": a, "b": b, "c": c}, (a, p, b, q, b_k, c, o, c_m, k, number(alpha), number(beta))


def tile(engine, how, *args):
    """Return the trace of the tile function that `four_rows` makes, or C if compiled."""
    arrays, given = operands(*args)
    function = engine.cpu.gemm_vectors.four_rows(args[0])
    engine.cpu.gemm_vectors.four_rows(args[0] + 1)  # another tile, which the first one knows nothing of
    require_loop(function)
    if how == "compiled" and _makes_lists(function.__code__):  # numba gives code that ends the process
        raise SyntaxError("a list of vectors lies in memory: give each of the eight sums a name of its own")
    return _run(engine, how, "products", function, given, arrays["c"], args[0])


def _makes_lists(code):
    """Return True if a function, or one nested in it, builds a list that does not at once become a tuple."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    at = list(dis.get_instructions(code))
    into_tuples = sum(one.opname == "LIST_TO_TUPLE" or one.argrepr == "INTRINSIC_LIST_TO_TUPLE" for one in at)
    return sum(one.opname == "BUILD_LIST" for one in at) > into_tuples or any(map(_makes_lists, inner))
