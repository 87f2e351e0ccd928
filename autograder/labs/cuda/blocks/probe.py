"""Probes of what the threads of a block do together: the tree of a reduction, the softmax of rows."""

import math

import numpy as np

from autograder.labs.cuda.arrays import cells, compiled, device, module, numbers, recorded

SPECIAL = {"inf": math.inf, "-inf": -math.inf, "large": 8000.0, "small": -8000.0}


def add(a, b):
    return a + b


def larger(a, b):
    return b if a < b else a


FUNCTIONS = {"add": add, "larger": larger}


def geometry(height, width, is_columns):
    """Return (down, across), the distances in threads between rows and between columns, as `shares_of` does."""
    return (width, 1) if is_columns else (1, height)


def tree(engine, grid, height, width, is_columns, function, seed):
    """Return the trace of a kernel in which every thread contributes a number and reads the result of its column."""
    cuda = module(engine, "cuda.driver").cuda
    reduce = device(engine, module(engine, "cuda.reduce").block_reduce(device(engine, FUNCTIONS[function])))
    threads = height * width
    down, across = geometry(height, width, is_columns)

    @cuda.jit
    def around(out, x):
        partial = cuda.shared.array(threads, np.float32)
        thread = cuda.threadIdx.x
        row, column = thread // down % height, thread // across % width
        i = cuda.blockIdx.x * threads + thread
        reduce(partial, x[i], thread, row, height, down)
        out[i] = partial[column * across]

    x = numbers(grid * threads, seed)
    return recorded(engine, around, grid, threads, np.zeros_like(x), x)


def rows(n_rows, n, inner, o, p, special, kind, seed):
    """Make (target, source) of a softmax over rows of n elements that are `inner` apart.

    Args:
        special: ((row, element, name of a number in SPECIAL), ...); element None: the whole row.
    """
    source = cells(p, (n_rows * n,), (1,), seed, kind) / np.dtype(kind).type(16)
    for row, element, name in special:
        for k in range(n) if element is None else (element,):
            source[p + row // inner * n * inner + row % inner + k * inner] = SPECIAL[name]
    return cells(o, (n_rows * n,), (1,), seed + 1, kind), source


def softmax(engine, grid, height, width, is_columns, n_rows, n, inner, o, p, special, kind, seed):
    """Return the trace of the kernel of `row_softmax`, made with the engine's `sum_of` and softmax writer."""
    soft_max = module(engine, "cuda.soft_max")
    write = soft_max.writing(device(engine, soft_max.softmax))
    sums, write = (device(engine, function) for function in (soft_max.sum_of, write))
    forward = compiled(engine, soft_max.row_softmax(height * width, np.dtype(kind).type, sums, write))
    out, x = rows(n_rows, n, inner, o, p, special, kind, seed)
    shares = height, width, *geometry(height, width, is_columns)
    lowest = np.finfo(kind).min
    return recorded(engine, forward, grid, height * width, out, o, x, p, n_rows, n, inner, shares, lowest)


def named(n, p, step, size, seed, is_skewed):
    """Make bin numbers below `size`, nearly all equal if `is_skewed`; the kernel counts n of them from index p on."""
    of = numbers(p + n * step + 2, seed).astype(np.int64) + 504
    return np.where(of % 7 > 0, size // 2, of % size) if is_skewed else of % size


def bins_of(size):
    """Return the number of shared-memory cells that the kernel is made with, to count numbers below `size`."""
    return size + 3


def histogram(engine, grid, block, n, p, step, size, is_skewed, seed):
    """Return the trace of the kernel of `block_histogram`; `out` holds the counts 0, 1, 2, ... before the launch."""
    kernel = compiled(engine, module(engine, "cuda.summary_ops").block_histogram(bins_of(size)))
    x = named(n, p, step, size, seed, is_skewed)
    return recorded(engine, kernel, grid, block, n, np.arange(size), x, p, step, size)
