"""Checks of the elementwise kernels: every element once, from its own place, with whatever grid."""

import random
from collections.abc import Iterator, Sequence
from itertools import cycle
from math import prod

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.cuda.grids.probe import FUNCTIONS, operands
from autograder.labs.cuda.sharing import (
    RESULT,
    UNLESS_RIGHT,
    first_misplaced,
    gives,
    guessed,
    most_of_a_thread,
)
from engine.memory_trace import accesses, segments

# (sizes, (first cell, strides) of out, a, b)
GEOMETRIES = (
    ((1,), (0, (1,)), (0, (1,)), (0, (1,))),
    ((7,), (0, (1,)), (1, (1,)), (2, (1,))),
    ((5,), (3, (2,)), (0, (3,)), (1, (0,))),
    ((2, 3), (0, (3, 1)), (0, (1, 2)), (1, (0, 1))),
    ((3, 5), (1, (7, 1)), (2, (0, 2)), (0, (5, 1))),
    ((4, 1, 3), (0, (1, 5, 4)), (1, (3, 9, 1)), (4, (0, 0, 0))),
    ((2, 3, 5), (2, (15, 5, 1)), (0, (1, 0, 6)), (0, (0, 4, 1))),
    ((3, 2, 2, 4), (0, (16, 8, 4, 1)), (1, (1, 3, 6, 12)), (0, (0, 5, 0, 1))),
)


def functions(rng: random.Random) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield (name, scalars) for each function in turn, with changing scalars, so that no constant fits all cases."""
    for first, second in zip(cycle((2.0, 3.0, -1.0)), cycle((-2.0, 4.0, 0.5, 5.0)), strict=False):
        one, other = rng.sample((first, second), 2)
        yield from (("s * a - b", (first,)), ("a * b", ()), ("s * a + t * b", (one, other)))


def contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the contiguous (row-major) strides for `sizes`."""
    return tuple(prod(sizes[d + 1 :]) for d in range(len(sizes)))


def flat_cases(rng: random.Random, launches: Sequence[tuple[int, int, int]]) -> Iterator[Case]:
    """Yield a case for each (grid, block, n), with arrays that begin at cell 0 at first, then at other cells."""
    of_cases, firsts = functions(rng), cycle(((0, 0, 0), (1, 2, 0), (0, 1, 3), (2, 0, 1)))
    for launch, places in zip(launches, firsts, strict=False):
        yield Case((*launch, *places, *next(of_cases), rng.randrange(900)), "result")


def enough_threads(rng: random.Random) -> Iterator[Case]:
    """Yield cases with n = 0, 1, the number of threads T, T - 1 and T - block + 1."""
    launches = [(grid, block, n) for grid, block in ((1, 4), (2, 4), (3, 3), (1, 8), (2, 8), (3, 5))
                for n in (0, 1, grid * block, grid * block - 1, grid * block - block + 1)]  # fmt: skip
    yield from flat_cases(rng, launches)


def few_threads(rng: random.Random) -> Iterator[Case]:
    """Yield cases with more elements than threads: one more, several whole rounds, and rounds with a remainder."""
    launches = [(grid, block, n) for grid, block in ((1, 1), (1, 4), (2, 3), (2, 4), (3, 4), (3, 2))
                for threads in (grid * block,)
                for n in (threads + 1, 2 * threads, 3 * threads + threads // 2, 2 * threads + 1, 4 * threads - 1)
                ]  # fmt: skip
    yield from flat_cases(rng, launches)


def warps(rng: random.Random) -> Iterator[Case]:
    """Yield cases whose arrays begin at a cache-line boundary, with fewer and with more threads than elements."""
    of_cases = functions(rng)
    for grid, block in ((1, 32), (2, 32), (3, 16), (2, 64), (3, 32)):
        for n in (31, 32, 33, 64, 100, rng.randrange(65, 150)):
            yield Case((grid, block, n, 32, 0, 32, *next(of_cases), rng.randrange(900)), "result")


def ordinary(rng: random.Random) -> Iterator[Case]:
    of_cases, launches = functions(rng), cycle(((1, 3), (3, 1), (3, 8), (1, 16), (3, 3)))
    for sizes, out, a, b in GEOMETRIES:
        for grid, block in ((2, 4), next(launches)):
            yield Case((grid, block, sizes, out, a, b, *next(of_cases), rng.randrange(900)), "result")


def neighbors(rng: random.Random) -> Iterator[Case]:
    of_cases = functions(rng)
    some = (rng.randrange(65, 150),), (rng.randrange(65, 150),), (rng.randrange(3, 6), 2, 13)
    launches = cycle(((2, 32), (3, 16), (2, 64), (3, 32)))
    for sizes in ((33,), (64,), (100,), (130,), (3, 32), (2, 3, 16), *some):
        grid, block = next(launches)
        steps = contiguous(sizes)
        places = (0, steps), (32, steps), (0, steps)
        yield Case((grid, block, sizes, *places, *next(of_cases), rng.randrange(900)), "result")


def offsets(sizes: tuple[int, ...], first: int, strides: tuple[int, ...]) -> np.ndarray:
    """Return the array index of each element, in row-major order."""
    return first + np.tensordot(strides, np.indices(sizes).reshape(len(sizes), -1), 1)


TURNED = "the first dimension as the innermost"
FIRST_TO_LAST = "dimensions are taken first to last"
AT_0 = "from cell 0 of each array on"
EXCHANGED = "with a and b exchanged"


def read(args: tuple, observed: object) -> tuple[counting.Trace, dict[str, str]]:
    """Return the trace of a case and the findings on its result."""
    grid, block, sizes, out, a, b, function, scalars, seed = args
    arrays = dict(zip(("out", "a", "b"), operands(sizes, out, a, b, seed), strict=True))
    trace = counting.read(observed, arrays, (grid,), (block,))
    to, of_a, of_b = (offsets(sizes, *place) for place in (out, a, b))
    f = FUNCTIONS[function]

    def made(to: np.ndarray, of_a: np.ndarray, of_b: np.ndarray, *scalars: float) -> np.ndarray:
        result = arrays["out"].copy()
        result[to] = f(arrays["a"][of_a], arrays["b"][of_b], *scalars)
        return result

    def turned() -> np.ndarray:
        """Compute the result if the indices belong to the dimensions in the other order."""
        rest, index = np.arange(prod(sizes)), []
        for size in sizes:
            index.append(rest % size)
            rest = rest // size
        return made(*(first + np.tensordot(strides[::-1], index, 1) for first, strides in (out, a, b)), *scalars)

    places = {int(cell): ([int(one)], [int(other)]) for cell, one, other in zip(to, of_a, of_b, strict=True)}

    def needed(cell: int) -> dict[str, list[int]]:
        return dict(zip(("a", "b"), places.get(cell, ([], [])), strict=True))

    right = made(to, of_a, of_b, *scalars)
    result = counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed})
    return trace, {"result": guessed(trace, arrays, "out", result, right, {
        TURNED: turned,
        AT_0: lambda: made(to - out[0], of_a - a[0], of_b - b[0], *scalars),
        EXCHANGED: lambda: made(to, of_b, of_a, *scalars),
    })}  # fmt: skip


def of_geometry(args: tuple, observed: object) -> dict[str, str]:
    trace, found = read(args, observed)
    return {**counting.faults(trace), "elements stored": counting.stores(trace, "out", prod(args[2]), None), **found}


def shares(trace: counting.Trace, sizes: tuple[int, ...], out: tuple, threads: int, block: int) -> str:
    """Check that each thread stores its own elements; if not, check whether it walks the dimensions first to last."""
    cells = offsets(sizes, *out)
    rule = "thread t of T stores t, t + T, t + 2T, ..."

    def found(order: np.ndarray) -> str:
        owner = {int(cell): divmod(e % threads, block) for e, cell in enumerate(order)}
        return first_misplaced(accesses(trace, "global", "store", "out"), owner, rule)

    result, by_columns = found(cells), cells.reshape(sizes).T.reshape(-1)
    return f"{result}: {FIRST_TO_LAST}" if result != rule == found(by_columns) else result


def is_first_to_last(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if `shares` has found that the threads walk the dimensions first to last."""
    return str(got.value.get("elements of a thread", "")).endswith(f": {FIRST_TO_LAST}")


def of_warps(args: tuple, observed: object) -> dict[str, str]:
    trace, found = read(args, observed)
    grid, block, sizes, out, *_ = args
    n, threads = prod(sizes), grid * block
    most = pieces(n, grid, block)
    return {
        RESULT: found["result"],
        "loads of out": counting.loads(trace, "out", 0, 0),
        "loads of a": counting.loads(trace, "a", n, n),
        "loads of b": counting.loads(trace, "b", n, n),
        "stores of out": counting.stores(trace, "out", n, n),
        "loads of one thread": most_of_a_thread(trace, "a", -(-n // threads)),
        "elements of a thread": shares(trace, sizes, out, threads, block),
        "transactions of a": counting.transactions(trace, "a", "load", 1, most),
        "transactions of out": counting.transactions(trace, "out", "store", 1, most),
    }


def strided_case(args: tuple) -> tuple:
    """Convert a case of `binary_flat` to a case of `binary_strided`."""
    grid, block, n, o, p, q, *rest = args
    return grid, block, (n,), *((first, (1,)) for first in (o, p, q)), *rest


def of_run(args: tuple, observed: object) -> dict[str, str]:
    return of_geometry(strided_case(args), observed)


def of_run_by_warps(args: tuple, observed: object) -> dict[str, str]:
    return of_warps(strided_case(args), observed)


def pieces(n: int, grid: int, block: int) -> int:
    """Count the memory transactions of a coalesced grid-stride loop over n aligned 4-byte elements."""
    count = 0
    for start in range(0, n, block):
        for warp in range(start, min(start + block, n), 32):
            count += segments([4 * i for i in range(warp, min(warp + 32, start + block, n))], 4)
    return count


EXACTLY_ONCE = {  # hints
    "races": "two threads store to one place: each element of the result belongs to one thread of the whole grid",
    "barriers": "no thread needs to wait for another one here",
    "elements stored": "some element is never stored: thread t of T takes t, t + T, t + 2T, ... below n",
    RESULT: UNLESS_RIGHT,
    "stores of out": "each element of the result is stored once",
    "loads of a": "one load of `a` for each element of the result, and none beyond the last",
    "loads of b": "one load of `b` for each element of the result, and none beyond the last",
    "loads of out": "what `out` held before is of no interest: it is only stored to",
    "loads of one thread": "all threads share the work evenly: thread t of T takes t, t + T, t + 2T, ...",
    "elements of a thread": "element i, in reading order, is thread i % T's; T is cuda.gridsize(1)",
    "raised": "no kernel came, or it stops: the message says at which thread and line",
}
STARTS_AT_FIRST = gives(AT_0, "each array has the cell of its first element: begin at o, p and q, not at 0")
INNERMOST_IS_LAST = "the last dimension comes first: take `rest % sizes[d]` from the last d to the first"
TAKES_A_FIRST = gives(EXCHANGED, "f takes the element of a first, then the element of b")

BINARY_FLAT = Check(
    exercise="cuda.loops.binary_flat",
    arguments=("grid", "block", "n", "o", "p", "q", "f", "scalars", "seed"),
    aspects=(
        Aspect("guard", 1, enough_threads, findings=of_run),
        Aspect("grid", 1, few_threads, findings=of_run),
        Aspect("neighbors", 2, warps, findings=of_run_by_warps),
    ),
    mistakes=(STARTS_AT_FIRST, TAKES_A_FIRST),
    hints=EXACTLY_ONCE | {
        "out of bounds": "there is no such element: is i < n before the kernel reads?",
        "result": "out[o + i] = f(a[p + i], b[q + i], *scalars) for each i below n, and no other cell is touched",
        RESULT: "this counts only where the result is right: see the aspects `guard` and `grid` first",
        "transactions of a": "neighboring threads must take neighboring elements",
        "transactions of out": "neighboring threads must take neighboring elements",
    },
    probe="cuda.grids.flat",
    program="cuda.program.elementwise",
)  # fmt: skip

BINARY_STRIDED = Check(
    exercise="cuda.loops.binary_strided",
    arguments=("grid", "block", "sizes", "out", "a", "b", "f", "scalars", "seed"),
    aspects=(
        Aspect("ordinary", 5, ordinary, findings=of_geometry),
        Aspect("neighbors", 4, neighbors, findings=of_warps),
    ),
    mistakes=(
        gives(TURNED, INNERMOST_IS_LAST),
        Mistake(INNERMOST_IS_LAST, is_first_to_last),
        STARTS_AT_FIRST,
        TAKES_A_FIRST,
    ),
    hints=EXACTLY_ONCE | {
        "out of bounds": "no element is there: is i < n before it reads, and is the place made of the right indices?",
        "result": "a place is the first cell + index * stride of each dimension; out = f(of a, of b, *scalars)",
        "transactions of a": "neighboring threads must take neighboring elements, those of the last dimension",
        "transactions of out": "neighboring threads must take neighboring elements, those of the last dimension",
    },
    probe="cuda.grids.strided",
    program="cuda.program.elementwise",
)  # fmt: skip

CHECKS = (BINARY_FLAT, BINARY_STRIDED)
