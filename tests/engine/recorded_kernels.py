"""Kernels whose accesses can be counted by hand, right ones and wrong ones."""

import numpy as np

from engine.cuda.driver import cuda
from engine.memory_trace import record

TILE = 16
float32 = np.float32


@cuda.jit
def naive_matmul(c, a, b):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def tiled_matmul(c, a, b):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, a.shape[1], TILE):
        tile_a[y, x] = a[i, first + x]
        tile_b[y, x] = b[first + y, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[i, j] = total


@cuda.jit
def naive_transpose(out, x):
    j, i = cuda.grid(2)
    out[j, i] = x[i, j]


@cuda.jit
def tiled_transpose(out, x):
    tile = cuda.shared.array((32, 32), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    for row in range(ty, 32, cuda.blockDim.y):
        tile[row, tx] = x[row, tx]
    cuda.syncthreads()
    for row in range(ty, 32, cuda.blockDim.y):
        out[row, tx] = tile[tx, row]


@cuda.jit
def padded_transpose(out, x):
    tile = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    for row in range(ty, 32, cuda.blockDim.y):
        tile[row, tx] = x[row, tx]
    cuda.syncthreads()
    for row in range(ty, 32, cuda.blockDim.y):
        out[row, tx] = tile[tx, row]


@cuda.jit
def copy(out, x, stride):
    i = cuda.grid(1)
    out[i] = x[i * stride]


@cuda.jit
def block_sum(out, x):
    partial = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    partial[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            partial[t] += partial[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = partial[0]


@cuda.jit
def block_sum_without_barrier(out, x):
    partial = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    partial[t] = x[cuda.grid(1)]
    if t == 0:
        total = float32(0)
        for i in range(64):
            total += partial[i]
        out[cuda.blockIdx.x] = total


@cuda.jit
def racy_histogram(counts, x):
    counts[x[cuda.grid(1)]] += 1


@cuda.jit
def atomic_histogram(counts, x):
    cuda.atomic.add(counts, x[cuda.grid(1)], 1)


@cuda.jit
def barrier_in_an_if(out, x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i] = x[i]
        cuda.syncthreads()


@cuda.jit
def barriers_of_two_branches(out):
    i = cuda.grid(1)
    if i % 2:
        cuda.syncthreads()
    else:
        cuda.syncthreads()
    out[i] = i


@cuda.jit
def shift_without_guard(out, x):
    i = cuda.grid(1)
    out[i] = x[i - 1] + x[i + 1]


def matrices(n):
    random = np.random.default_rng(0)
    return [random.standard_normal((n, n)).astype(float32) for _ in range(2)]


def matmul(kernel, n=32):
    """(trace, a, b, c) of a kernel on n x n matrices."""
    a, b = matrices(n)
    c = np.full((n, n), np.nan, float32)
    return record(kernel, (n // TILE, n // TILE), (TILE, TILE), c, a, b), a, b, c


def transpose(kernel, block):
    x, _ = matrices(32)
    out = np.zeros_like(x)
    trace = record(kernel, 1, block, out, x)
    np.testing.assert_array_equal(out, x.T)
    return trace
