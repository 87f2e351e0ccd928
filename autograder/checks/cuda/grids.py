"""Check of the elementwise kernel: every element once, from its own place, with whatever grid."""

import random
from collections.abc import Iterator
from itertools import cycle
from math import prod

import numpy as np

from autograder.checks import counting
from autograder.checks.model import Aspect, Case, Check
from autograder.probes.cuda.grids import FUNCTIONS, operands
from engine.recorder import by_thread, segments

# (sizes, (first cell, strides) of out, a, b)
GEOMETRIES = (
    ((1,), (0, (1,)), (0, (1,)), (0, (1,))),
    ((7,), (0, (1,)), (1, (1,)), (2, (1,))),
    ((5,), (3, (2,)), (0, (3,)), (1, (0,))),
    ((2, 3), (0, (3, 1)), (0, (1, 2)), (1, (0, 1))),
    ((3, 5), (1, (7, 1)), (2, (0, 2)), (0, (5, 1))),
    ((4, 1, 3), (0, (1, 5, 4)), (1, (3, 9, 1)), (4, (0, 0, 0))),
    ((2, 3, 5), (2, (15, 5, 1)), (0, (1, 2, 6)), (0, (0, 4, 1))),
    ((3, 2, 2, 4), (0, (16, 8, 4, 1)), (1, (1, 3, 6, 12)), (0, (0, 5, 0, 1))),
)


def functions(rng: random.Random) -> Iterator[tuple[str, tuple[float, ...]]]:
    """(name, scalars) of the functions in turn, so that none of them will do for all cases."""
    difference = "s * a - b", (rng.choice((2.0, 3.0, -1.0)),)
    combination = "s * a + t * b", (rng.choice((0.5, 5.0)), rng.choice((-2.0, 4.0)))
    yield from cycle((difference, ("a * b", ()), combination))


def contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of elements without gaps."""
    return tuple(prod(sizes[d + 1 :]) for d in range(len(sizes)))


def ordinary(rng: random.Random) -> Iterator[Case]:
    of_cases = functions(rng)
    for sizes, out, a, b in GEOMETRIES:
        for grid, block in ((2, 4), (rng.choice((1, 3)), rng.choice((1, 3, 8, 16)))):
            about = "fewer threads" if grid * block < prod(sizes) else "more threads"
            yield Case((grid, block, sizes, out, a, b, *next(of_cases), rng.randrange(900)), about)


def neighbours(rng: random.Random) -> Iterator[Case]:
    of_cases = functions(rng)
    some = (rng.randrange(65, 150),), (rng.randrange(65, 150),), (rng.randrange(3, 6), 2, 13)
    for sizes in ((33,), (64,), (100,), (130,), (3, 32), (2, 3, 16), *some):
        grid, block = rng.choice(((1, 32), (2, 16), (1, 64), (2, 32)))
        steps = contiguous(sizes)
        places = (0, steps), (32, steps), (0, steps)
        yield Case((grid, block, sizes, *places, *next(of_cases), rng.randrange(900)), "neighbours")


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
        **found,
        "loads of a": counting.loads(trace, "a", n, n),
        "loads of b": counting.loads(trace, "b", n, n),
        "stores of out": counting.stores(trace, "out", n, n),
        **counting.faults(trace),
    }


def of_warps(args: tuple, observed: object) -> dict[str, str]:
    trace, found = read(args, observed)
    grid, block, sizes, *_ = args
    n = prod(sizes)
    most = pieces(n, grid, block)
    return {
        **found,
        "loads of a": counting.loads(trace, "a", n, n),
        "loads of one thread": counting.within(max(by_thread(trace, array="a").values()), 1, -(-n // (grid * block))),
        "transactions of a": counting.transactions(trace, "a", "load", 1, most),
        "transactions of out": counting.transactions(trace, "out", "store", 1, most),
    }


def pieces(n: int, grid: int, block: int) -> int:
    """Transactions for elements of 4 bytes from a boundary, if threads take neighbours in steps of the grid."""
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
        "more threads": "a thread without an element has nothing to do: compare its number with n first",
        "fewer threads": "there are more elements than threads: go on in steps of the whole grid, cuda.gridsize(1)",
        "neighbours": "neighbouring threads must take neighbouring elements, and share the work evenly",
        "raised": "every geometry here is sound: nothing to refuse",
    },
    probe="cuda.grids.strided",
)  # fmt: skip

CHECKS = (BINARY_STRIDED,)
