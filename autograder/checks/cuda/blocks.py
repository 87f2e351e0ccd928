"""Checks of what the threads of a block do together: the tree of a reduction, the softmax of rows."""

import math
import random
from collections.abc import Iterator

import numpy as np

from autograder.checks import counting
from autograder.checks.model import Aspect, Case, Check
from autograder.probes.cuda.arrays import numbers
from autograder.probes.cuda.blocks import geometry, named, rows
from engine.recorder import by_thread

# ---- the tree


def trees(rng: random.Random) -> Iterator[Case]:
    sizes = (1, 1), (2, 1), (1, 3), (4, 1), (2, 2), (8, 1), (4, 2), (4, 3), (16, 1), (8, 2), (2, 8), (2, 2), (4, 3)
    for number, (height, width) in enumerate(sizes):
        function = "larger" if (height, width) in ((4, 1), (2, 8)) else "add"
        yield Case((1 + number % 3 // 2, height, width, number % 2 == 0, function, rng.randrange(900)), "tree")


def large_trees(rng: random.Random) -> Iterator[Case]:
    for height, width in ((1, 4), (4, 4), (32, 1), (32, 2), (64, 1), (16, 4)):
        yield Case((1, height, width, rng.random() < 0.5, "add", rng.randrange(900)), "steps")


def read_tree(args: tuple, observed: object) -> tuple[counting.Trace, np.ndarray]:
    grid, height, width, _, _, seed = args
    x = numbers(grid * height * width, seed)
    trace = counting.read(observed, {"out": np.zeros_like(x), "x": x}, (grid,), (height * width,))
    return trace, x


def reduced(args: tuple, observed: object) -> dict[str, str]:
    trace, x = read_tree(args, observed)
    grid, height, width, is_columns, function, _ = args
    down, across = geometry(height, width, is_columns)
    threads = np.arange(height * width)
    column = threads // across % width
    of_block = x.reshape(grid, -1)
    combine = np.sum if function == "add" else np.max
    by_column = np.stack([combine(of_block[:, column == k], axis=1) for k in range(width)], axis=1)

    def needed(i: int) -> dict[str, list[int]]:
        first = i - i % len(threads)
        return {"x": [first + t for t in threads[column == column[i % len(threads)]].tolist()]}

    right = by_column[:, column].reshape(-1)
    return {
        "result": counting.judged_result(trace, {"x": x}, {"out": right}, needed={"out": needed}),
        "out of bounds": counting.out_of_bounds(trace),
    }


def ordered_tree(args: tuple, observed: object) -> dict[str, str]:
    trace = read_tree(args, observed)[0]
    grid, height, width, *_ = args
    return {
        "loads of shared memory": counting.of_space(trace, "shared", "load", grid * (2 * height - 1) * width, None),
        "races": counting.races(trace),
        "barriers": counting.barriers(trace),
    }


def steps(args: tuple, observed: object) -> dict[str, str]:
    """Barriers and shared memory: a thread may keep its own part, or read it again in every step."""
    trace = read_tree(args, observed)[0]
    _, height, width, *_ = args
    threads, taken = height * width, (height - 1) * width
    depth = int(math.log2(height))
    return {
        "arrivals of thread 0": counting.within(counting.arrivals(trace), depth + 1, depth + 2),
        "loads of shared memory": counting.of_space(trace, "shared", "load", threads + taken, threads + 2 * taken),
        "stores to shared memory": counting.of_space(trace, "shared", "store", threads, threads + taken),
        "bank conflicts": counting.bank_conflicts(trace),
    }


BLOCK_REDUCE = Check(
    exercise="cuda.reduce.block_reduce",
    arguments=("grid", "height", "width", "is_columns", "f", "seed"),
    aspects=(
        Aspect("ordinary", 2, trees, findings=reduced),
        Aspect("barriers", 2, trees, findings=ordered_tree),
        Aspect("steps", 2, large_trees, findings=steps),
    ),
    hints={
        "tree": "between what one thread writes and another one reads, all threads of the block need a barrier",
        "steps": "halve the threads that are left in each step: log2(height) steps, each with one barrier",
        "raised": "all sizes here are sound: nothing to refuse",
    },
    probe="cuda.blocks.tree",
)

# ---- softmax

BOUND = 4e-6  # of a share, at most 1: a few roundings of float32, and of its exp


def plain_rows(rng: random.Random) -> Iterator[Case]:
    for height, width, is_columns, n_rows, n, inner in (
        (1, 1, False, 1, 1, 1), (4, 1, False, 2, 5, 1), (2, 2, False, 3, 7, 1), (1, 4, True, 6, 3, 3),
        (2, 2, False, 4, 3, 1), (2, 4, False, 3, 4, 1), (4, 2, True, 6, 9, 2), (8, 1, False, 2, 21, 1),
        (4, 3, True, 4, 5, 4),
    ):  # fmt: skip
        o, p = rng.randrange(3), rng.randrange(3)
        grid = 2 if n_rows < width else rng.choice((1, 2))  # the second block has no row
        args = grid, height, width, is_columns, n_rows, n, inner, o, p, (), rng.randrange(900)
        yield Case(args, "rows")


def special_rows(rng: random.Random) -> Iterator[Case]:
    for number, special in enumerate((
        ((0, 1, "-inf"),), ((0, None, "-inf"),), ((1, 0, "inf"),), ((0, 0, "-inf"), (0, 1, "-inf"), (0, 2, "-inf")),
        ((0, 0, "large"), (1, 3, "large")), ((1, None, "small"),), ((1, None, "large"),),
        ((0, None, "-inf"), (1, 4, "inf")),
    )):  # fmt: skip
        height, width, is_columns, inner = ((4, 1, False, 1), (2, 2, False, 1), (2, 2, True, 2))[number % 3]
        n = rng.randrange(5, 9)
        yield Case((1, height, width, is_columns, 2, n, inner, 1, 0, special, rng.randrange(900)), "special")


def read_rows(args: tuple, observed: object) -> tuple[counting.Trace, np.ndarray, np.ndarray, np.ndarray]:
    """The trace, target and source, and where the elements lie: (rows, n), counted from the first."""
    grid, height, width, _, n_rows, n, inner, o, p, special, seed = args
    out, x = rows(n_rows, n, inner, o, p, special, seed)
    trace = counting.read(observed, {"out": out, "x": x}, (grid,), (height * width,))
    row, k = np.indices((n_rows, n))
    return trace, out, x, row // inner * n * inner + row % inner + k * inner


def shared_out(args: tuple, observed: object) -> dict[str, str]:
    trace, out, x, places = read_rows(args, observed)
    o, p = args[7:9]
    of_row = x[p + places].astype(np.float64)
    with np.errstate(invalid="ignore"):
        powers = np.exp(of_row - of_row.max(1, keepdims=True))
        shares = powers / powers.sum(1, keepdims=True)
    right, bound = out.astype(np.float64), np.zeros(len(out))
    right[o + places], bound[o + places] = shares, BOUND
    row_of = {int(cell): (p + places[row]).tolist() for row, cells in enumerate(o + places) for cell in cells}

    def needed(cell: int) -> dict[str, list[int]]:
        return {"x": row_of.get(cell, [])}

    inputs = {"x": x, "out": out}
    return {
        "result": counting.judged_result(trace, inputs, {"out": right}, {"out": bound}, {"out": needed}),
        "loads of x": counting.loads(trace, "x", places.size, 2 * places.size),
        "out of bounds": counting.out_of_bounds(trace),
    }


def ordered_rows(args: tuple, observed: object) -> dict[str, str]:
    trace, _, _, places = read_rows(args, observed)
    grid, height, width, _, n_rows, *_ = args
    rounds = -(-n_rows // width)  # of all blocks together
    depth = int(math.log2(height))
    return {
        "loads of x": counting.loads(trace, "x", places.size, None),
        "arrivals of thread 0": counting.within(counting.arrivals(trace), rounds * (depth + 1), rounds * (depth + 2)),
        "races": counting.races(trace),
        "barriers": counting.barriers(trace),
    }


ROW_SOFTMAX = Check(
    exercise="cuda.soft_max.row_softmax",
    arguments=("grid", "height", "width", "is_columns", "rows", "n", "inner", "o", "p", "special", "seed"),
    aspects=(
        Aspect("ordinary", 3, plain_rows, findings=shared_out),
        Aspect("infinite", 2, special_rows, findings=shared_out),
        Aspect("barriers", 2, plain_rows, findings=ordered_rows),
    ),
    hints={
        "rows": "each thread has a pair (largest, total) of its own elements: the row's is made of `height` pairs",
        "special": "scale each of the two sums by e ** (its largest - the larger of both), before they are added",
        "raised": "all sizes here are sound: nothing to refuse",
    },
    probe="cuda.blocks.softmax",
)  # fmt: skip

# ---- counts


def counts(rng: random.Random) -> Iterator[Case]:
    for grid, block, n, p, step, size in (
        (1, 1, 1, 0, 1, 1), (1, 4, 3, 0, 1, 2), (1, 4, 9, 1, 1, 5), (2, 4, 8, 0, 1, 3), (2, 4, 21, 0, 2, 4),
        (3, 8, 10, 2, 1, 11), (2, 8, 40, 0, 3, 6), (2, 3, 17, 1, 1, 7), (4, 4, 50, 0, 1, 9), (1, 16, 33, 0, 1, 20),
    ):  # fmt: skip
        about = "cells" if size > block else "counts"
        yield Case((grid, block, n, p, step, size, rng.random() < 0.5, rng.randrange(900)), about)


def read_counts(args: tuple, observed: object) -> tuple[counting.Trace, dict[str, np.ndarray]]:
    grid, block, n, p, step, size, is_skewed, seed = args
    arrays = {"out": np.arange(size), "x": named(n, p, step, size, seed, is_skewed)}
    return counting.read(observed, arrays, (grid,), (block,)), arrays


def counted(args: tuple, observed: object) -> dict[str, str]:
    trace, arrays = read_counts(args, observed)
    _, _, n, p, step, size, _, _ = args
    taken = p + step * np.arange(n)
    right = arrays["out"] + np.bincount(arrays["x"][taken], minlength=size)
    places: dict[int, list[int]] = {b: [] for b in range(size)}
    for place in taken.tolist():
        places[int(arrays["x"][place])].append(place)

    def needed(b: int) -> dict[str, list[int]]:
        return {"x": places[b], "out": [b] if places[b] else []}

    return {
        "result": counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed}),
        "loads of x": counting.loads(trace, "x", n, n),
        "out of bounds": counting.out_of_bounds(trace),
    }


def ordered_counts(args: tuple, observed: object) -> dict[str, str]:
    trace, arrays = read_counts(args, observed)
    return {
        "loads of x": counting.loads(trace, "x", args[2], None),
        "races": counting.races(trace),
        "barriers": counting.barriers(trace),
        "uninitialised reads": counting.uninitialised_reads(trace),
    }


def kept_apart(args: tuple, observed: object) -> dict[str, str]:
    """How much traffic to `out` there is, one addition for each block and number that it has met; and who works."""
    trace, arrays = read_counts(args, observed)
    grid, block, n, p, step, *_ = args
    numbers_of_block: list[set[int]] = [set() for _ in range(grid)]
    for i in range(n):
        numbers_of_block[i // block % grid].add(int(arrays["x"][p + i * step]))
    most, share = sum(map(len, numbers_of_block)), -(-n // (grid * block))
    return {
        "loads of one thread": counting.within(max(by_thread(trace, array="x").values()), 1, share),
        "atomic additions to out": counting.atomics(trace, "out", 0, most),
        "atomic additions in shared memory": counting.of_space(trace, "shared", "atomic", 1, n),
    }


BLOCK_HISTOGRAM = Check(
    exercise="cuda.summary_ops.block_histogram",
    arguments=("grid", "block", "n", "p", "step", "size", "is_skewed", "seed"),
    aspects=(
        Aspect("ordinary", 2, counts, findings=counted),
        Aspect("races", 2, counts, findings=ordered_counts),
        Aspect("blocks", 2, counts, findings=kept_apart),
    ),
    hints={
        "counts": "two threads may meet one number: reading, adding and writing must be one step",
        "cells": "there may be more cells than threads: a thread clears and hands on several, in steps of the block",
        "raised": "all numbers here have a cell: nothing to refuse",
    },
    probe="cuda.blocks.histogram",
)

CHECKS = (BLOCK_REDUCE, ROW_SOFTMAX, BLOCK_HISTOGRAM)
