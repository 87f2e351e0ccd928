"""The loads that tiles save: two kernels for a product of matrices, and every access that they make to memory.

    python examples/accesses.py [picture.svg]

Runs on numba's simulator, without a GPU; what is counted is exact, and the same on every machine.
"""

import sys

import numpy as np
from numba import float32

import engine as T
from engine import draw, memory_trace
from engine.cuda.driver import cuda

N, TILE = 16, 16  # matrices of N x N; on a GPU a tile is as large as a block


@cuda.jit
def naive(a, b, c):
    """A thread makes an element: it reads a row of a and a column of b."""
    j, i = cuda.grid(2)
    if i < N and j < N:
        total = float32(0)
        for k in range(N):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def tiled(a, b, c):
    """The threads of a block bring each element of a tile into shared memory once, and read it there TILE times."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    j, i = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for first in range(0, N, TILE):
        tile_a[y, x] = a[i, first + x]
        tile_b[y, x] = b[first + y, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[i, j] = total


def trace_of(kernel):
    """The raw trace of a kernel, after a look at its result."""
    a, b = (np.random.default_rng(seed).standard_normal((N, N)).astype(np.float32) for seed in (0, 1))
    c = np.zeros((N, N), np.float32)
    trace = T.cuda.record(kernel, (N // TILE, N // TILE), (TILE, TILE), a, b, c)
    assert np.allclose(c, a @ b, atol=1e-5)
    return trace


def main():
    traces = [trace_of(kernel) for kernel in (naive, tiled)]
    print(f"{'':<24}{'naive':>8}{'tiled':>8}")
    for name, count in (
        ("global loads", memory_trace.global_loads),
        ("128-byte transactions", memory_trace.total_transactions),
        ("bank conflicts", memory_trace.total_bank_conflicts),
        ("races", lambda trace: len(memory_trace.races(trace))),
    ):
        print(f"{name:<24}{count(traces[0]):>8,}{count(traces[1]):>8,}")
    if sys.argv[1:]:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(draw.accesses(*traces, names=["naive", "tiled"]).svg)


if __name__ == "__main__":
    main()
