"""Wrong answers about blocks: block_reduce, row_softmax, block_histogram."""

from autograder.mutants.model import Equivalent, WrongAnswer

TREE = "cuda.reduce.block_reduce"
SOFTMAX = "cuda.soft_max.row_softmax"
HISTOGRAM = "cuda.summary_ops.block_histogram"


def tree(body: str) -> str:
    """The function with another way to make one of many, after the first barrier."""
    return f"""
def block_reduce(f):
    def tree(partial, value, thread, row, height, down):
        partial[thread] = value
{body}
    return tree
"""


def softmax(merge: str, after: str, end: str = "n if number < rows else 0", begin: str = "cuda.syncthreads()",
            loop: str = "cuda.syncthreads()") -> str:  # fmt: skip
    """The kernel with another merge of two pairs, or another end."""
    return f"""
def row_softmax(threads, cells, sums, write):
    def forward(out, o, x, p, rows, n, inner, shares, lowest):
        most = cuda.shared.array(threads, cells)
        totals = cuda.shared.array(threads, cells)
        height, width, down, across = shares
        thread, block = cuda.threadIdx.x, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block * width < rows:
            number = block * width + column
            first, end = number // inner * n * inner + number % inner, {end}
            most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
            {begin}
            half = height >> 1
            while half > 0:
                if row < half:
                    k = thread + half * down
{merge}
                {loop}
                half >>= 1
            k = column * across
{after}
            write(out, o + first, x, p + first, row, end, height, inner, largest, total)
            block += cuda.gridDim.x

    return forward
"""


MERGE = """
                    m = max(most[thread], most[k])
                    totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
                    most[thread] = m
"""
AFTER = """
            largest, total = most[k], totals[k]
            cuda.syncthreads()
"""


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


CLEAR = """
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            counts[b] = 0
        cuda.syncthreads()
"""
COUNT = """
            cuda.atomic.add(counts, x[p + i * step], 1)
"""
HAND_ON = """
        cuda.syncthreads()
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            if counts[b] > 0:
                cuda.atomic.add(out, b, counts[b])
"""

WRONG_ANSWERS = (
    WrongAnswer(TREE, "no barriers: a warp runs in step anyway", ("ordinary", "barriers", "steps"), tree("""
        half = height >> 1
        while half > 0:
            if row < half:
                partial[thread] = f(partial[thread], partial[thread + half * down])
            half >>= 1
""")),
    WrongAnswer(TREE, "a barrier inside the if", ("ordinary", "barriers"), tree("""
        cuda.syncthreads()
        half = height >> 1
        while half > 0:
            if row < half:
                partial[thread] = f(partial[thread], partial[thread + half * down])
                cuda.syncthreads()
            half >>= 1
""")),
    WrongAnswer(TREE, "no barrier after the last step", ("barriers", "steps"), tree("""
        half = height >> 1
        while half > 0:
            cuda.syncthreads()
            if row < half:
                partial[thread] = f(partial[thread], partial[thread + half * down])
            half >>= 1
""")),
    WrongAnswer(TREE, "one thread adds up everything", ("steps",), tree("""
        cuda.syncthreads()
        if row == 0:
            for k in range(1, height):
                partial[thread] = f(partial[thread], partial[thread + k * down])
        cuda.syncthreads()
""")),
    WrongAnswer(TREE, "a block of 16 rows, whatever its height", ("ordinary", "barriers", "steps"), tree("""
        cuda.syncthreads()
        half = 8
        while half > 0:
            if row < half:
                partial[thread] = f(partial[thread], partial[thread + half * down])
            cuda.syncthreads()
            half >>= 1
""")),
    WrongAnswer(TREE, "takes the rows of a result to be neighbours", ("ordinary", "barriers", "steps"), tree("""
        cuda.syncthreads()
        half = height >> 1
        while half > 0:
            if row < half:
                partial[thread] = f(partial[thread], partial[thread + half])
            cuda.syncthreads()
            half >>= 1
""")),
    WrongAnswer(TREE, "neighbours first, so that the threads that work lie far apart", ("steps",), tree("""
        cuda.syncthreads()
        half = 1
        while half < height:
            if row % (2 * half) == 0:
                partial[thread] = f(partial[thread], partial[thread + half * down])
            cuda.syncthreads()
            half <<= 1
""")),
    WrongAnswer(SOFTMAX, "one thread of a row writes it all", ("barriers",), softmax(MERGE, AFTER).replace(
        "row, end, height, inner, largest, total)", "0, end if row == 0 else 0, 1, inner, largest, total)")),
    WrongAnswer(SOFTMAX, "shared memory for 256 threads of float32, whatever is asked for", ("ordinary",),
                softmax(MERGE, AFTER).replace("array(threads, cells)", "array(256, np.float32)")),
    WrongAnswer(SOFTMAX, "adds sums of two different maxima", ("ordinary", "infinite"), softmax("""
                    most[thread], totals[thread] = max(most[thread], most[k]), totals[thread] + totals[k]
""", AFTER)),
    WrongAnswer(SOFTMAX, "the larger one is written before it is used", ("ordinary", "infinite"), softmax("""
                    m = max(most[thread], most[k])
                    most[thread] = m
                    totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
""", AFTER)),
    WrongAnswer(SOFTMAX, "begins with -inf: -inf - -inf is NaN", ("infinite",),
                softmax(MERGE, AFTER).replace("lowest, lowest - lowest", "-np.inf, 0.0")),
    WrongAnswer(SOFTMAX, "does without the largest element", ("infinite",), softmax(MERGE, """
            largest, total = 0.0, totals[k] * exp(most[k])
            cuda.syncthreads()
""")),
    WrongAnswer(SOFTMAX, "passes over a sum that is NaN", ("infinite",), softmax(MERGE, AFTER).replace(
        "if row < half:", "if row < half and totals[thread + half * down] > 0:")),
    WrongAnswer(SOFTMAX, "no barrier in the tree", ("ordinary", "infinite", "barriers"),
                softmax(MERGE, AFTER, loop="")),
    WrongAnswer(SOFTMAX, "no barrier before the next rows", ("ordinary", "infinite", "barriers"), softmax(MERGE, """
            largest, total = most[k], totals[k]
""")),
    WrongAnswer(SOFTMAX, "a row too many: no guard", ("ordinary",), softmax(MERGE, AFTER, end="n")),
    WrongAnswer(SOFTMAX, "threads without a row leave early", ("barriers",), """
def row_softmax(threads, cells, sums, write):
    def forward(out, o, x, p, rows, n, inner, shares, lowest):
        most = cuda.shared.array(threads, cells)
        totals = cuda.shared.array(threads, cells)
        height, width, down, across = shares
        thread, block = cuda.threadIdx.x, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block * width + column < rows:
            number = block * width + column
            first = number // inner * n * inner + number % inner
            most[thread], totals[thread] = sums(x, p + first, row, n, height, inner, lowest, lowest - lowest)
            cuda.syncthreads()
            half = height >> 1
            while half > 0:
                if row < half:
                    k = thread + half * down
                    m = max(most[thread], most[k])
                    totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
                    most[thread] = m
                cuda.syncthreads()
                half >>= 1
            k = column * across
            largest, total = most[k], totals[k]
            cuda.syncthreads()
            write(out, o + first, x, p + first, row, n, height, inner, largest, total)
            block += cuda.gridDim.x

    return forward
"""),
    WrongAnswer(HISTOGRAM, "no atomics: additions are lost on a GPU", ("races", "blocks"), histogram(
        CLEAR, """
            counts[x[p + i * step]] += 1
""", HAND_ON)),
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
    WrongAnswer(HISTOGRAM, "as many cells as are in use: no compiler knows how many", ("ordinary", "races", "blocks"),
                histogram(CLEAR, COUNT, HAND_ON, "counts = cuda.shared.array(size, types.int64)")),
    WrongAnswer(HISTOGRAM, "counts in a list: no GPU has one", ("ordinary", "races", "blocks"), histogram(
        CLEAR, """
            mine[x[p + i * step]] += 1
""", """
        for b in range(size):
            if mine[b]:
                cuda.atomic.add(counts, b, mine[b])
""" + HAND_ON, "counts, mine = cuda.shared.array(bins, types.int64), [0] * size")),
    WrongAnswer(HISTOGRAM, "one thread of a block clears and hands on", ("blocks",), histogram(*(
        part.replace("range(cuda.threadIdx.x, size, cuda.blockDim.x)", "range(0 if cuda.threadIdx.x else size)")
        for part in (CLEAR, COUNT, HAND_ON)))),
    WrongAnswer(HISTOGRAM, "counts of 32 bits", ("blocks",), histogram(
        CLEAR, COUNT, HAND_ON, "counts = cuda.shared.array(bins, types.int32)")),
    WrongAnswer(HISTOGRAM, "hands on without a barrier", ("ordinary", "races"), histogram(CLEAR, COUNT, """
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            if counts[b] > 0:
                cuda.atomic.add(out, b, counts[b])
""")),
    WrongAnswer(HISTOGRAM, "shared memory is not cleared", ("ordinary", "races"),
                histogram("", COUNT, HAND_ON)),
    WrongAnswer(HISTOGRAM, "a cell for each thread, no more", ("ordinary", "races"), histogram("""
        if cuda.threadIdx.x < size:
            counts[cuda.threadIdx.x] = 0
        cuda.syncthreads()
""", COUNT, """
        cuda.syncthreads()
        b = cuda.threadIdx.x
        if b < size and counts[b] > 0:
            cuda.atomic.add(out, b, counts[b])
""")),
    WrongAnswer(HISTOGRAM, "the counts are written, not added", ("ordinary", "races"), histogram(
        CLEAR, COUNT, """
        cuda.syncthreads()
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            out[b] = counts[b]
""")),
    WrongAnswer(HISTOGRAM, "cells without a count are handed on too", ("blocks",), histogram(CLEAR, COUNT, """
        cuda.syncthreads()
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            cuda.atomic.add(out, b, counts[b])
""")),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(TREE, "while half > 0:", "while half != 0:", "halving goes from a power of two to 0, never below"),
    Equivalent(TREE, "partial[thread] = f(partial[thread], partial[thread + half * down])",
               "partial[thread] = f(partial[thread + half * down], partial[thread])",
               "f takes its two numbers in either order: a sum, a product, the larger, the smaller"),
    Equivalent(SOFTMAX, "while half > 0:", "while half != 0:", "halving goes from a power of two to 0, never below"),
    Equivalent(SOFTMAX, "largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
               "largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest % lowest)", "both are 0"),
    Equivalent(SOFTMAX, "largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
               "largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest ** lowest)", "both are 0"),
    Equivalent(SOFTMAX, "first, end = (number // inner * n * inner + number % inner, n if number < rows else 0)",
               "first, end = (number // inner * n * inner + number % inner, n if number < rows else -1)",
               "no place of a row is below 0 or below -1"),
    Equivalent(HISTOGRAM, "if counts[b] > 0:", "if counts[b] != 0:", "counts begin at 0 and only grow"),
)  # fmt: skip
