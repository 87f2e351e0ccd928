"""Probe of the loop that joins panels and tiles: with small tiles in plain Python, compiled with the engine's."""

import numpy as np

from autograder.labs.cpu.looped import in_numba, traced

ENGINE = "as in the engine"  # columns and heights of a tile


def tile_of(engine, tile, dtype):
    """Return the columns and heights of a tile, the engine's own if `tile` is `ENGINE`."""
    return tile if tile != ENGINE else (engine.cpu.gemm.columns_of(np.empty(1, dtype)), engine.cpu.gemm.HEIGHTS)


def _numbers(rng, *sizes, dtype):
    """Draw whole eighths, none of them 0."""
    found = rng.integers(-9, 10, sizes)
    found[found == 0] = 5
    return (found / 8 if dtype.startswith("float") else found).astype(dtype)


def height_of(heights, left):
    """Return the smallest of `heights` with room for `left` rows, or the largest, like the engine's `height_of`."""
    return min(height for height in heights if height >= min(left, max(heights)))


def packed_rows(x, height, heights):
    """Pack the rows of A into panels, one after the other."""
    panels = []
    for i in range(0, len(x), height):
        rows = height_of(heights, min(height, len(x) - i))
        panel = np.zeros((x.shape[1], rows), x.dtype)
        panel[:, : min(height, len(x) - i)] = x[i : i + height].T
        panels.append(panel.reshape(-1))
    return np.concatenate(panels)


def packed_columns(x, columns):
    """Pack the columns of B into panels, one after the other."""
    k, n = x.shape
    wide = np.zeros((k, -(-n // columns) * columns), x.dtype)
    wide[:, :n] = x
    return wide.reshape(k, -1, columns).swapaxes(0, 1).reshape(-1)


def operands(size, tile, which, numbers, b_is, c_by, begin, dtype, seed):
    """Make A and B as matrices, and the arguments of `multiply_panels`, with plain tuples for its `Matrix` records.

    Args:
        size: m, n, k.
        tile: (columns, heights) of the tile.
        which: which of the heights the panels have.
        numbers: alpha, beta. Where beta is 0, C holds NaN or a huge number.
        b_is: "packed", or "unpacked": n is a multiple of the columns then.
        c_by: "rows", "columns" (the elements of a column are neighbors), or "neither".
        begin: where B and C begin.
    """
    (m, n, k), (columns, heights) = size, tile
    rng = np.random.default_rng(seed)
    a, b, height = _numbers(rng, m, k, dtype=dtype), _numbers(rng, k, n, dtype=dtype), heights[which]
    elements = packed_columns(b, columns) if b_is == "packed" else b.reshape(-1)
    elements = np.concatenate([np.full(begin[0], 99, dtype), elements])
    of_b = elements, begin[0], *((columns, k) if b_is == "packed" else (n, 1))
    c_m, c_n = {"rows": (n + 2, 1), "columns": (1, m + 2), "neither": (2 * n + 1, 2)}[c_by]
    last = begin[1] + (m - 1) * c_m + (n - 1) * c_n
    c = _numbers(rng, last + max(heights) * c_m + columns, dtype=dtype)  # a tile at the edge stays in the array
    if numbers[1] == 0:
        cells = begin[1] + np.arange(m)[:, None] * c_m + np.arange(n) * c_n
        c[cells] = np.nan if dtype.startswith("float") else 2**40
    kind = np.dtype(dtype).type
    given = (height, m, n, k, kind(numbers[0]), packed_rows(a, height, heights), of_b, kind(numbers[1]),
             (c, begin[1], c_m, c_n), np.full(max(heights) * columns, 77, dtype))  # fmt: skip
    return a, b, given


def _tile_of(columns):
    """Build `multiply_tile` in plain Python, for any number of rows, with this number of columns."""

    def multiply_tile(rows, a, p, b, q, b_k, c, o, c_m, k, alpha, beta):
        for i in range(rows):
            for j in range(columns):
                total = a[p + i] * b[q + j]
                for t in range(1, k):
                    total = total + a[p + t * rows + i] * b[q + t * b_k + j]
                total = alpha * total
                if beta != 0:
                    total = total + beta * c[o + i * c_m + j]
                c[o + i * c_m + j] = total

    return multiply_tile


def joined(engine, how, size, tile, *more):
    """Run `multiply_panels` and return its trace or, if it is compiled, the whole array of C."""
    gemm = engine.cpu.gemm
    columns, heights = tile = tile_of(engine, tile, more[-2])
    *_, given = operands(size, tile, *more)
    given = tuple(engine.cpu.argument_structs.Matrix(*one) if isinstance(one, tuple) else one for one in given)
    if how == "compiled":
        room = np.full(given[9].size + given[8].elements.size, given[9][0])  # compiled, a wrong stride is not noticed
        given = (*given[:9], room[: given[9].size])
        in_numba(engine, "products", gemm.multiply_panels)(*given)
        return given[8].elements
    instead = (
        (gemm.columns_of, lambda array: columns),
        (gemm.height_of, lambda left: height_of(heights, left)),
        (gemm.multiply_tile, _tile_of(columns)),
    )
    return traced(engine, gemm.multiply_panels, *given, instead=instead)
