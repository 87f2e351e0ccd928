"""Check of the elementwise kernel: every element once, from its own place, with whatever grid."""

import random
from collections.abc import Iterator
from itertools import cycle
from math import prod

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cuda.grids.probe import FUNCTIONS, operands
from autograder.labs.cuda.sharing import most_of_a_thread
from engine.memory_trace import segments

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
    """(name, scalars) of the functions in turn, with ever other scalars, so that none of them will do for all cases."""
    for first, second in zip(cycle((2.0, 3.0, -1.0)), cycle((-2.0, 4.0, 0.5, 5.0)), strict=False):
        one, other = rng.sample((first, second), 2)
        yield from (("s * a - b", (first,)), ("a * b", ()), ("s * a + t * b", (one, other)))


def contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of elements without gaps."""
    return tuple(prod(sizes[d + 1 :]) for d in range(len(sizes)))


def ordinary(rng: random.Random) -> Iterator[Case]:
    of_cases = functions(rng)
    for sizes, out, a, b in GEOMETRIES:
        for grid, block in ((2, 4), (rng.choice((1, 3)), rng.choice((1, 3, 8, 16)))):
            yield Case((grid, block, sizes, out, a, b, *next(of_cases), rng.randrange(900)), "places")


def neighbours(rng: random.Random) -> Iterator[Case]:
    of_cases = functions(rng)
    some = (rng.randrange(65, 150),), (rng.randrange(65, 150),), (rng.randrange(3, 6), 2, 13)
    for sizes in ((33,), (64,), (100,), (130,), (3, 32), (2, 3, 16), *some):
        grid, block = rng.choice(((1, 32), (2, 16), (1, 64), (2, 32)))
        steps = contiguous(sizes)
        places = (0, steps), (32, steps), (0, steps)
        yield Case((grid, block, sizes, *places, *next(of_cases), rng.randrange(900)), "places")


def offsets(sizes: tuple[int, ...], first: int, strides: tuple[int, ...]) -> np.ndarray:
    """Where each element lies, in reading order."""
    return first + np.tensordot(strides, np.indices(sizes).reshape(len(sizes), -1), 1)


def read(args: tuple, observed: object) -> tuple[counting.Trace, dict[str, str]]:
    """The trace of a case, and what became of its result."""
    grid, block, sizes, out, a, b, function, scalars, seed = args
    arrays = dict(zip(("out", "a", "b"), operands(sizes, out, a, b, seed), strict=True))
    trace = counting.read(observed, arrays, (grid,), (block,))
    to, of_a, of_b = (offsets(sizes, *place) for place in (out, a, b))
    right = arrays["out"].copy()
    right[to] = FUNCTIONS[function](arrays["a"][of_a], arrays["b"][of_b], *scalars)
    places = {int(cell): ([int(one)], [int(other)]) for cell, one, other in zip(to, of_a, of_b, strict=True)}

    def needed(cell: int) -> dict[str, list[int]]:
        return dict(zip(("a", "b"), places.get(cell, ([], [])), strict=True))

    return trace, {"result": counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed})}


def of_geometry(args: tuple, observed: object) -> dict[str, str]:
    trace, found = read(args, observed)
    n = prod(args[2])
    return {
        **counting.faults(trace),
        "stores of out": counting.stores(trace, "out", n, n),
        "loads of a": counting.loads(trace, "a", n, n),
        "loads of b": counting.loads(trace, "b", n, n),
        "loads of out": counting.loads(trace, "out", 0, 0),
        **found,
    }


def of_warps(args: tuple, observed: object) -> dict[str, str]:
    trace, found = read(args, observed)
    grid, block, sizes, *_ = args
    n = prod(sizes)
    most = pieces(n, grid, block)
    return {
        "loads of a": counting.loads(trace, "a", n, n),
        **found,
        "loads of one thread": most_of_a_thread(trace, "a", -(-n // (grid * block))),
        "transactions of a": counting.transactions(trace, "a", "load", 1, most),
        "transactions of out": counting.transactions(trace, "out", "store", 1, most),
    }


def pieces(n: int, grid: int, block: int) -> int:
    """Transactions for elements of 4 bytes from a boundary, if threads take neighbors in steps of the grid."""
    count = 0
    for start in range(0, n, block):
        for warp in range(start, min(start + block, n), 32):
            count += segments([4 * i for i in range(warp, min(warp + 32, start + block, n))], 4)
    return count


BINARY_STRIDED = Check(
    exercise="cuda.loops.binary_strided",
    arguments=("grid", "block", "sizes", "out", "a", "b", "f", "scalars", "seed"),
    aspects=(
        Aspect("ordinary", 4, ordinary, findings=of_geometry),
        Aspect("neighbours", 3, neighbours, findings=of_warps),
    ),
    hints={
        "out of bounds": "no element is there: is a thread's number compared with n first, and is the place right?",
        "races": "two threads store to one place: each element of the result belongs to one thread of the whole grid",
        "barriers": "no thread needs to wait for another one here",
        "places": "first cell + index * stride of each dimension, for each array; then f of two elements and *scalars",
        "stores of out": "each element once, however few threads there are: thread t of T takes t, t + T, t + 2T, ...",
        "loads of a": "one load for each element: thread t of T takes t, t + T, t + 2T, ..., and none beyond the last",
        "loads of b": "one load for each element: thread t of T takes t, t + T, t + 2T, ..., and none beyond the last",
        "loads of out": "what `out` held before is of no interest: it is only stored to",
        "loads of one thread": "all threads share the work evenly: thread t of T takes t, t + T, t + 2T, ...",
        "transactions of a": "neighbouring threads must take neighbouring elements, those of the last dimension",
        "transactions of out": "neighbouring threads must take neighbouring elements, those of the last dimension",
        "raised": "no kernel came, or it stops: the message says at which thread and line",
    },
    probe="cuda.grids.strided",
)  # fmt: skip

CHECKS = (BINARY_STRIDED,)
