"""Wrong answers to cuda.reduce.block_reduce, cuda.soft_max.row_softmax."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

TREE = "cuda.reduce.block_reduce"
SOFTMAX = "cuda.soft_max.row_softmax"


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

WRONG_ANSWERS = (
    WrongAnswer(TREE, "threads below half, whatever their row", ("ordinary", "barriers", "steps"),
        ("if row < half:", "if thread < half:"),
    ),
    WrongAnswer(TREE, "without the last step", ("ordinary", "barriers", "steps"),
        ("while half > 0:", "while half > 1:"),
    ),
    WrongAnswer(TREE, "begins with all rows", ("ordinary", "barriers", "steps"),
        ("half = height >> 1", "half = height"),
    ),
    WrongAnswer(TREE, "no barrier before the first step", ("ordinary", "barriers", "steps"), (
        """
partial[thread] = value
cuda.syncthreads()
""",
        "partial[thread] = value",
    )),
    WrongAnswer(TREE, "adds, whatever f is", ("ordinary", "barriers"), (
        "partial[thread] = f(partial[thread], partial[thread + half * down])",
        "partial[thread] += partial[thread + half * down]",
    )),
    WrongAnswer(TREE, "two barriers in each step", ("steps",), (
        """
cuda.syncthreads()
half >>= 1
""",
        """
cuda.syncthreads()
cuda.syncthreads()
half >>= 1
""",
    )),
    WrongAnswer(SOFTMAX, "a run of rows for each block", ("barriers",), (
        "while block * width < rows:",
        """
each = (rows + width * cuda.gridDim.x - 1) // (width * cuda.gridDim.x)
block, last = block * each, block * each + each
while block * width < rows and block < last:
""",
        "block += cuda.gridDim.x",
        "block += 1",
    )),
    WrongAnswer(SOFTMAX, "cells of float32, whatever is asked for", ("ordinary", "barriers"), (
        """
most = cuda.shared.array(threads, cells)
totals = cuda.shared.array(threads, cells)
""",
        """
most = cuda.shared.array(threads, np.float32)
totals = cuda.shared.array(threads, np.float32)
""",
    )),
    WrongAnswer(TREE, "no barriers: a warp runs in step anyway", ("ordinary", "barriers", "steps"), (
        """
partial[thread] = value
cuda.syncthreads()
""",
        "partial[thread] = value",
        """
cuda.syncthreads()
half >>= 1
""",
        "half >>= 1",
    )),
    WrongAnswer(TREE, "a barrier inside the if", ("ordinary", "barriers", "steps"), (
        """
if row < half:
    partial[thread] = f(partial[thread], partial[thread + half * down])
cuda.syncthreads()
""",
        """
if row < half:
    partial[thread] = f(partial[thread], partial[thread + half * down])
    cuda.syncthreads()
""",
    )),
    WrongAnswer(TREE, "no barrier after the last step", ("barriers",), (
        """
partial[thread] = value
cuda.syncthreads()
""",
        "partial[thread] = value",
        "while half > 0:",
        """
while half > 0:
    cuda.syncthreads()
""",
        """
cuda.syncthreads()
half >>= 1
""",
        "half >>= 1",
    )),
    WrongAnswer(TREE, "one thread adds up everything", ("steps",), (
        """
half = height >> 1
while half > 0:
    if row < half:
        partial[thread] = f(partial[thread], partial[thread + half * down])
    cuda.syncthreads()
    half >>= 1
""",
        """
if row == 0:
    for k in range(1, height):
        partial[thread] = f(partial[thread], partial[thread + k * down])
cuda.syncthreads()
""",
    )),
    WrongAnswer(TREE, "a block of 16 rows, whatever its height", ("ordinary", "barriers", "steps"),
        ("half = height >> 1", "half = 8"),
    ),
    WrongAnswer(TREE, "takes the rows of a result to be neighbors", ("ordinary", "barriers", "steps"),
        ("partial[thread] = f(partial[thread], partial[thread + half * down])",
         "partial[thread] = f(partial[thread], partial[thread + half])"),
    ),
    WrongAnswer(TREE, "neighbors first, so that the threads that work lie far apart", ("steps",), (
        """
half = height >> 1
while half > 0:
    if row < half:
""",
        """
half = 1
while half < height:
    if row % (2 * half) == 0:
""",
        "half >>= 1",
        "half <<= 1",
    )),
    WrongAnswer(SOFTMAX, "one thread of a row writes it all", ("barriers",), (
        """
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        "most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        """
m = max(most[thread], most[k])
totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
most[thread] = m
""",
        "write(out, o + first, x, p + first, row, end, height, inner, largest, total)",
        "write(out, o + first, x, p + first, 0, end if row == 0 else 0, 1, inner, largest, total)",
    )),
    WrongAnswer(SOFTMAX, "shared memory for 256 threads of float32, whatever is asked for", ("ordinary", "barriers"),
                softmax(MERGE, AFTER).replace("array(threads, cells)", "array(256, np.float32)")),
    WrongAnswer(SOFTMAX, "adds sums of two different maxima", ("ordinary", "infinite", "barriers"), (
        """
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        "most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        "most[thread], totals[thread] = max(most[thread], most[k]), totals[thread] + totals[k]",
    )),
    WrongAnswer(SOFTMAX, "the larger one is written before it is used", ("ordinary", "infinite", "barriers"), (
        """
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        "most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        """
m = max(most[thread], most[k])
most[thread] = m
totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
""",
    )),
    WrongAnswer(SOFTMAX, "begins with -inf: -inf - -inf is NaN", ("infinite",), (
        """
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        "most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, -np.inf, 0.0)",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        """
m = max(most[thread], most[k])
totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
most[thread] = m
""",
    )),
    WrongAnswer(SOFTMAX, "does without the largest element", ("infinite",), (
        """
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        "most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        """
m = max(most[thread], most[k])
totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
most[thread] = m
""",
        "largest, total = most[k], totals[k]",
        "largest, total = 0.0, totals[k] * exp(most[k])",
    )),
    WrongAnswer(SOFTMAX, "passes over a sum that is NaN", ("infinite",), (
        """
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        "most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
        "if row < half:",
        "if row < half and totals[thread + half * down] > 0:",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        """
m = max(most[thread], most[k])
totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
most[thread] = m
""",
    )),
    WrongAnswer(SOFTMAX, "no barrier in the tree", ("ordinary", "infinite", "barriers"),
                softmax(MERGE, AFTER, loop="")),
    WrongAnswer(SOFTMAX, "no barrier before the next rows", ("ordinary", "infinite", "barriers"), (
        """
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        "most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        """
m = max(most[thread], most[k])
totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
most[thread] = m
""",
        """
largest, total = most[k], totals[k]
cuda.syncthreads()
""",
        "largest, total = most[k], totals[k]",
    )),
    WrongAnswer(SOFTMAX, "a row too many: no guard", ("ordinary", "barriers"), (
        """
first, end = number // inner * n * inner + number % inner, n if number < rows else 0
largest, total = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
most[thread], totals[thread] = largest, total
""",
        """
first, end = number // inner * n * inner + number % inner, n
most[thread], totals[thread] = sums(x, p + first, row, end, height, inner, lowest, lowest - lowest)
""",
        """
largest = max(most[thread], most[k])
mine = totals[thread] * exp(most[thread] - largest)
most[thread], totals[thread] = largest, mine + totals[k] * exp(most[k] - largest)
""",
        """
m = max(most[thread], most[k])
totals[thread] = totals[thread] * exp(most[thread] - m) + totals[k] * exp(most[k] - m)
most[thread] = m
""",
    )),
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
)  # fmt: skip
