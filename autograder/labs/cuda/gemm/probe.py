"""Probes of products of matrices: one launch under the recorder, and what the threads did to memory.

The operands are stored in flat arrays as a *layout* says: "rows"; "columns", so transposed; "far" and "far columns",
the same with FAR elements between two rows or columns; "gaps", with an offset and what
nobody should touch between the elements (NaN); "same", one matrix for the whole batch. All values are small whole
numbers, so that sums are exact in any order. The trusted side makes the same arrays by the same functions.
"""

import numpy as np

from autograder.labs.cuda.arrays import loaded, recorded
from autograder.labs.cuda.compilable import require

FAR = 32  # elements: two rows have no segment of 128 bytes in common
DTYPES = {"float32": np.float32, "float64": np.float64, "int64": np.int64}
LARGE = 1 << 28  # products of two such numbers are beyond what a float64 holds to the last digit


def placed(layout, batch, rows, columns):
    """Return (size of the array, index of the first element, strides of batch, rows and columns)."""
    if layout.endswith("columns"):
        across = rows + FAR if layout.startswith("far") else rows
        return batch * columns * across, 0, (columns * across, 1, across)
    if layout == "far":
        return batch * rows * (columns + FAR), 0, (rows * (columns + FAR), columns + FAR, 1)
    if layout == "gaps":
        across = 2 * columns + 1
        return 3 + batch * (rows * across + 2), 3, (rows * across + 2, across, 2)
    if layout == "same":
        return rows * columns, 0, (0, columns, 1)
    return batch * rows * columns, 0, (rows * columns, columns, 1)


def cells(layout, batch, rows, columns):
    """Return the array index of each element, with shape (batch, rows, columns)."""
    _, first, steps = placed(layout, batch, rows, columns)
    at = np.indices((batch, rows, columns))
    return first + sum(step * index for step, index in zip(steps, at, strict=True))


def operands(sizes, layouts, beta, dtype, seed):
    """Make {"a": ..., "b": ..., "c": ...} before the launch; without beta, c is NaN or -99, not to be read."""
    batch, m, n, k = sizes
    rng = np.random.default_rng(seed)
    made = {}
    for name, layout, rows, columns in zip("abc", layouts, (m, k, m), (k, n, n), strict=True):
        nothing = -99 if dtype == "int64" else np.nan
        array = np.full(placed(layout, batch, rows, columns)[0], nothing, DTYPES[dtype])
        at = cells(layout, batch, rows, columns)
        if name != "c" or beta:
            array[at] = _numbers(rng, at.shape, dtype) if dtype != "int64" or name == "c" else _large(name, at.shape)
        made[name] = array
    return made


def _large(name, shape):
    """Make whole numbers whose products are huge and whose sums over k are small: of a pair of products 1 is left."""
    _, i, j = np.indices(shape)
    t, factor = (j, i + 1) if name == "a" else (i, j + 1)
    even, odd = (LARGE + 1, LARGE + 2) if name == "a" else (LARGE + 1, -LARGE)
    return np.where(t % 2 == 0, even, odd) * factor


def _numbers(rng, shape, dtype):
    """Draw whole numbers: for float64 they are so large that float32 could not hold their products."""
    most = 8 if dtype == "float32" else 1 << 20
    return rng.integers(-most, most + 1, shape)


def naive(engine, sizes, layouts, alpha, beta, dtype, grid, block, seed):
    """Return the trace of one launch of the kernel that `gemm_naive_kernel` makes."""
    loaded(engine)
    return _traced(engine, engine.cuda.gemm.gemm_naive_kernel, sizes, layouts, alpha, beta, dtype, grid, block, seed)


def tiled(engine, sizes, layouts, alpha, beta, dtype, grid, side, seed):
    """Return the trace of one launch of the kernel that `gemm_tiled_kernel` makes for tiles of side x side."""
    loaded(engine)

    def make(kind):
        is_row_a, is_row_b = (not layout.endswith("columns") for layout in layouts[:2])
        return engine.cuda.gemm.gemm_tiled_kernel(kind, is_row_a, is_row_b, side)

    return _traced(engine, make, sizes, layouts, alpha, beta, dtype, grid, (side, side), seed)


def _traced(engine, make, sizes, layouts, alpha, beta, dtype, grid, block, seed):
    batch, m, n, k = sizes
    kind, arrays = DTYPES[dtype], operands(sizes, layouts, beta, dtype, seed)
    (_, p, a_steps), (_, q, b_steps), (_, o, c_steps) = (
        placed(layout, batch, rows, columns)
        for layout, rows, columns in zip(layouts, (m, k, m), (k, n, n), strict=True)
    )
    return recorded(
        engine, make(kind), grid, block, sizes, kind(alpha), arrays["a"], p, a_steps, arrays["b"], q, b_steps,
        kind(beta), arrays["c"], o, c_steps, most_events=40_000, seconds=10.0,
    )  # fmt: skip


# ---- tiles in registers


def shared_tiles(tile, dtype, seed):
    """Make {"out": ..., "of_a": ..., "of_b": ...}: room for a thread's sums, and `depth` rows of each operand."""
    rows, _, _, depth, pitch = tile
    rng = np.random.default_rng(seed)
    of_a, of_b = (rng.integers(-8, 9, depth * pitch).astype(DTYPES[dtype]) for _ in range(2))
    return {"out": np.full(rows * rows, np.nan, DTYPES[dtype]), "of_a": of_a, "of_b": of_b}


def started(tile, dtype, seed):
    """Return the partial sums that a thread holds before it multiplies the tile."""
    values = np.random.default_rng(seed + 1).integers(-8, 9, tile[0] ** 2).astype(DTYPES[dtype])
    return tuple(DTYPES[dtype](value) for value in values)


def multiplied(engine, tile, at_a, at_b, dtype, seed):
    """Return the trace of one thread that runs the function made by `multiplier_of` and stores its sums."""
    loaded(engine)
    gemm_tile, vectors = engine.cuda.gemm_tile, engine.cuda.vectors
    sums, arrays = started(tile, dtype, seed), shared_tiles(tile, dtype, seed)
    multiply = gemm_tile.multiplier_of(gemm_tile.Tile(*tile))

    def thread(out, of_a, of_b):
        made = multiply(sums, of_a, at_a, of_b, at_b)
        for place in range(min(len(made), len(sums))):
            out[place] = made[place]

    instead = (
        (vectors.load_shared, vectors.simulated_accesses(None)[0]),
        (vectors.add_outer, vectors.add_outer_elements),
    )
    try:
        trace = engine.memory_trace.record_call(
            thread, *arrays.values(), instead=instead, is_device=True, most_events=40_000, seconds=10.0
        )
    except RuntimeError as error:
        if error.__cause__ is None:
            raise
        raise error.__cause__ from None  # it says where in the cell; the recorder says where in this file
    require(engine.cuda.driver, thread, tuple(arrays.values()))
    return engine.memory_trace.to_columns(trace)
