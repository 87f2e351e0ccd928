"""Wrong answers to cuda.summary_ops.block_histogram."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

HISTOGRAM = "cuda.summary_ops.block_histogram"


def histogram(
    clear: str, count: str, hand_on: str, shared: str = "counts = cuda.shared.array(bins, types.int64)"
) -> str:
    """The kernel with other parts."""
    return f"""
def block_histogram(bins):
    def histogram(n, out, x, p, step, size):
        {shared}
{clear}
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
{count}
{hand_on}
    return histogram
"""


WRONG_ANSWERS = (
    WrongAnswer(HISTOGRAM, "x is cleared when it is counted", ("ordinary", "races", "blocks"), (
        "cuda.atomic.add(counts, x[p + i * step], 1)",
        "cuda.atomic.add(counts, x[p + i * step], 1)\nx[p + i * step] = 0",
    )),
    WrongAnswer(HISTOGRAM, "adds to `out` without atomics: blocks lose each other's counts", ("races",),
        ("cuda.atomic.add(out, b, counts[b])", "out[b] += counts[b]"),
    ),
    WrongAnswer(HISTOGRAM, "counts before the cells are cleared", ("ordinary", "races", "blocks"), (
        """
cuda.syncthreads()
for i in range(cuda.grid(1), n, cuda.gridsize(1)):
""",
        "for i in range(cuda.grid(1), n, cuda.gridsize(1)):",
    )),
    WrongAnswer(HISTOGRAM, "the numbers from the first cell on", ("ordinary", "races", "blocks"),
        ("cuda.atomic.add(counts, x[p + i * step], 1)", "cuda.atomic.add(counts, x[i], 1)"),
    ),
    WrongAnswer(HISTOGRAM, "no atomics: additions are lost on a GPU", ("races", "blocks"),
        ("cuda.atomic.add(counts, x[p + i * step], 1)", "counts[x[p + i * step]] += 1"),
    ),
    WrongAnswer(HISTOGRAM, "each addition in global memory", ("blocks",), histogram("", """
            cuda.atomic.add(out, x[p + i * step], 1)
""", "", "pass")),
    WrongAnswer(HISTOGRAM, "one thread of each block does it all, without barriers", ("blocks",), """
def block_histogram(bins):
    def histogram(n, out, x, p, step, size):
        counts = cuda.shared.array(bins, types.int64)
        if cuda.threadIdx.x == 0:
            for b in range(size):
                counts[b] = 0
            for first in range(cuda.grid(1), n, cuda.gridsize(1)):
                for i in range(first, min(first + cuda.blockDim.x, n)):
                    cuda.atomic.add(counts, x[p + i * step], 1)
            for b in range(size):
                if counts[b] > 0:
                    cuda.atomic.add(out, b, counts[b])
    return histogram
"""),
    WrongAnswer(
        HISTOGRAM, "as many cells as are in use: no compiler knows how many", ("ordinary", "races", "blocks"),
        ("counts = cuda.shared.array(bins, types.int64)", "counts = cuda.shared.array(size, types.int64)"),
    ),
    WrongAnswer(HISTOGRAM, "counts in a list: no GPU has one", ("ordinary", "races", "blocks"), (
        "counts = cuda.shared.array(bins, types.int64)",
        "counts, mine = cuda.shared.array(bins, types.int64), [0] * size",
        """
for i in range(cuda.grid(1), n, cuda.gridsize(1)):
    cuda.atomic.add(counts, x[p + i * step], 1)
""",
        """
for i in range(cuda.grid(1), n, cuda.gridsize(1)):
    mine[x[p + i * step]] += 1
for b in range(size):
    if mine[b]:
        cuda.atomic.add(counts, b, mine[b])
""",
    )),
    WrongAnswer(HISTOGRAM, "one thread of a block clears and hands on", ("blocks",), (
        """
counts = cuda.shared.array(bins, types.int64)
for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
""",
        """
counts = cuda.shared.array(bins, types.int64)
for b in range(0 if cuda.threadIdx.x else size):
""",
        """
cuda.syncthreads()
for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
""",
        """
cuda.syncthreads()
for b in range(0 if cuda.threadIdx.x else size):
""",
    )),
    WrongAnswer(HISTOGRAM, "counts of 32 bits", ("blocks",),
        ("counts = cuda.shared.array(bins, types.int64)", "counts = cuda.shared.array(bins, types.int32)"),
    ),
    WrongAnswer(HISTOGRAM, "hands on without a barrier", ("ordinary", "races", "blocks"), (
        """
cuda.syncthreads()
for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
""",
        "for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):",
    )),
    WrongAnswer(HISTOGRAM, "shared memory is not cleared", ("ordinary", "races", "blocks"), (
        """
counts = cuda.shared.array(bins, types.int64)
for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
    counts[b] = 0
cuda.syncthreads()
""",
        "counts = cuda.shared.array(bins, types.int64)",
    )),
    WrongAnswer(HISTOGRAM, "a cell for each thread, no more", ("ordinary", "races", "blocks"), (
        """
for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
    counts[b] = 0
""",
        """
if cuda.threadIdx.x < size:
    counts[cuda.threadIdx.x] = 0
""",
        """
for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
    if counts[b] > 0:
        cuda.atomic.add(out, b, counts[b])
""",
        """
b = cuda.threadIdx.x
if b < size and counts[b] > 0:
    cuda.atomic.add(out, b, counts[b])
""",
    )),
    WrongAnswer(HISTOGRAM, "the counts are written, not added", ("ordinary", "races", "blocks"), (
        """
if counts[b] > 0:
    cuda.atomic.add(out, b, counts[b])
""",
        "out[b] = counts[b]",
    )),
    WrongAnswer(HISTOGRAM, "cells without a count are handed on too", ("blocks",), (
        """
if counts[b] > 0:
    cuda.atomic.add(out, b, counts[b])
""",
        "cuda.atomic.add(out, b, counts[b])",
    )),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(HISTOGRAM, "if counts[b] > 0:", "if counts[b] != 0:", "counts begin at 0 and only grow"),
)  # fmt: skip
