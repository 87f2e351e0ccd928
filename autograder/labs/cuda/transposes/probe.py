"""Probe of the kernels that copy transposed matrices, with and without shared memory."""

import numpy as np

from autograder.labs.cuda.arrays import cells, module, recorded


def operands(rows, columns, batch_sizes, out, x, seed, kind):
    """Make (target, source); `out` is (first cell, row stride, batch strides), `x` the same with a column stride."""
    (o, out_step, out_steps), (p, x_step, x_steps) = out, x
    target = cells(o, (*batch_sizes, rows, columns), (*out_steps, out_step, 1), seed, kind)
    return target, exact(cells(p, (*batch_sizes, rows, columns), (*x_steps, 1, x_step), seed + 1, kind))


def exact(numbers):
    """Shift int64 and float64 numbers so that no smaller dtype can hold them exactly."""
    if numbers.dtype == np.int64:
        return numbers + (1 << 40)
    return numbers + 2.0**-30 if numbers.dtype == np.float64 else numbers


def naive(engine, grid, side, threads_y, rows, columns, batch_sizes, out, x, kind, seed):
    """Return the trace of the kernel that `transpose_naive_kernel` makes."""
    kernel = module(engine, "cuda.transpose").transpose_naive_kernel(side, threads_y)
    return _copied(engine, kernel, grid, (side, threads_y), rows, columns, batch_sizes, out, x, kind, seed)


def tiled(engine, grid, side, threads_y, rows, columns, batch_sizes, out, x, kind, seed):
    """Return the trace of the kernel that `transpose_tiled_kernel` makes."""
    kernel = module(engine, "cuda.transpose").transpose_tiled_kernel(np.dtype(kind).type, side, threads_y)
    return _copied(engine, kernel, grid, (side, threads_y), rows, columns, batch_sizes, out, x, kind, seed)


def _copied(engine, kernel, grid, block, rows, columns, batch_sizes, out, x, kind, seed):
    target, source = operands(rows, columns, batch_sizes, out, x, seed, kind)
    batch = int(np.prod(batch_sizes))
    (o, out_step, out_steps), (p, x_step, x_steps) = out, x
    flat = (batch, rows, columns), target, o, source, p, (out_step, x_step)
    batches = batch_sizes, out_steps, x_steps
    longer = ((*numbers, 1) for numbers in batches)
    return recorded(engine, kernel, grid, block, *flat, *batches, compiled_for=(*flat, *longer))
