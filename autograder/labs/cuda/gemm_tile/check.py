"""Check of the tiles in registers: what one thread does with a tile of A and one of B in shared memory."""

import random
from collections.abc import Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.cuda.gemm import probe as probe
from autograder.labs.cuda.sharing import NOT_STORED, RESULT, UNLESS_RIGHT, gives, guessed, reason_of_an_element
from engine.memory_trace import accesses

Findings = dict[str, str]


def _tile(rng: random.Random, rows: int, lanes: int, depth: int, threads: int = 4) -> tuple[int, int, int, int, int]:
    """Draw (rows, lanes, side, depth, pitch) of a tile."""
    return rows, lanes, threads * rows, depth, threads * rows + rng.randint(1, 5)


def _multiplied(rng: random.Random, about: str, rows: int, lanes: int, depth: int, threads: int = 4) -> Case:
    tile = _tile(rng, rows, lanes, depth, threads)
    at_a, at_b = (lanes * rng.randrange(threads) for _ in range(2))
    return Case((tile, at_a, at_b, "float64" if lanes == 2 else "float32", rng.randrange(10_000)), about)


def _multiplier_ordinary(rng: random.Random) -> Iterator[Case]:
    for rows in (2, 4, 2, 4, 2, 4):
        yield _multiplied(rng, "one step", rows, rows, 1)


def _multiplier_steps(rng: random.Random) -> Iterator[Case]:
    for rows, lanes in ((2, 2), (4, 4)):
        yield _multiplied(rng, "steps", rows, lanes, 2)
        yield _multiplied(rng, "steps", rows, lanes, 8)
        yield _multiplied(rng, "steps", rows, lanes, 16)
    for _ in range(2):
        yield _multiplied(rng, "steps", *rng.choice(((2, 2), (4, 4))), rng.choice((2, 4)), rng.choice((2, 4)))


def _multiplier_vectors(rng: random.Random) -> Iterator[Case]:
    for rows, lanes in ((4, 2), (8, 4), (4, 2)):
        for threads in (3, 5):  # a number that is not a power of two tells + from |
            tile, _, _, *more = _multiplied(rng, "", rows, lanes, 1, threads).args
            yield Case((tile, lanes * (threads - 1), lanes * rng.randrange(threads), *more), "two vectors")


def _multiplied_result(args: tuple, data: object) -> Findings:
    tile, at_a, at_b, dtype, seed = args
    rows, lanes, side, depth, pitch = tile
    arrays = probe.shared_tiles(tile, dtype, seed)
    trace = counting.read(data, arrays)
    places = [i // lanes * (side * lanes // rows) + i % lanes for i in range(rows)]
    started = np.array(probe.started(tile, dtype, seed), np.float64).reshape(rows, rows)
    right = started.copy()
    a, b = arrays["of_a"].astype(np.float64), arrays["of_b"].astype(np.float64)
    for step in range(depth):
        at = np.array(places) + step * pitch
        right += np.outer(a[at_a + at], b[at_b + at])

    def needed(element: int) -> dict[str, list]:
        i, j = divmod(element, rows)
        return {"of_a": [at_a + step * pitch + places[i] for step in range(depth)],
                "of_b": [at_b + step * pitch + places[j] for step in range(depth)]}  # fmt: skip

    def made(apart: int, steps: int, is_turned: bool = False, is_kept: bool = True, further: int = pitch,
             of_a: int = 1, of_b: int = 1) -> np.ndarray:  # fmt: skip
        places = np.array([i // lanes * apart + i % lanes for i in range(rows)])
        sums = started.copy() if is_kept else np.zeros_like(started)
        for step in range(steps):
            x, y = a[at_a + places + step * of_a * further], b[at_b + places + step * of_b * further]
            sums += np.outer(y, x) if is_turned else np.outer(x, y)
        return sums.ravel()

    apart = side * lanes // rows
    result = counting.judged_result(trace, arrays, {"out": right.ravel()}, needed={"out": needed})
    result = reason_of_an_element(trace, "out", result, is_output_alone=False)
    result = guessed(trace, arrays, "out", result, right.ravel(), {
        ONE_STEP: lambda: made(apart, 1),
        HALF: lambda: made(apart, depth // 2),
        IN_A: lambda: made(apart, depth, of_b=0),
        IN_B: lambda: made(apart, depth, of_a=0),
        BEHIND: lambda: made(lanes, depth),
        TURNED: lambda: made(apart, depth, is_turned=True),
        FRESH: lambda: made(apart, depth, is_kept=False),
        BY_APART: lambda: made(apart, depth, further=apart),
        BY_1: lambda: made(apart, depth, further=1),
    })  # fmt: skip
    return {"out of bounds": counting.out_of_bounds(trace), "result": result}


def returns_nothing(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the error comes from a None that `multiply` or one of its steps returns."""
    return got.raised == "TypeError" and "'NoneType'" in got.message


ONE_STEP = "with the first step alone"
HALF = "with half of the steps"
IN_A, IN_B = "with steps in A alone", "with steps in B alone"
BEHIND = "with the second vector right behind the first"
TURNED = "with rows and columns exchanged"
FRESH = "from 0 on"
BY_APART = "with steps that are `apart` elements from each other"
BY_1 = "with steps that are one element from each other"


def _multiplied_counts(args: tuple, data: object) -> Findings:
    tile, _, _, dtype, seed = args
    trace = counting.read(data, probe.shared_tiles(tile, dtype, seed))
    once = tile[0] * tile[3]
    times: dict[int, int] = {}
    for access in accesses(trace, "", "load"):
        times[access.instruction] = times.get(access.instruction, 0) + 1
    return {RESULT: _multiplied_result(args, data)["result"],
            "loads of A's tile": counting.loads(trace, "of_a", once, once),
            "loads of B's tile": counting.loads(trace, "of_b", once, once),
            "loads by one call": counting.within(max(times.values(), default=0), 0, tile[0])}  # fmt: skip


def _multiplier_counted(rng: random.Random) -> Iterator[Case]:
    for rows, lanes in ((2, 2), (4, 4), (4, 2), (8, 4)):
        yield _multiplied(rng, "once", rows, lanes, 1)
        yield _multiplied(rng, "once", rows, lanes, 4)
    yield _multiplied(rng, "once", 2, 2, 8)


MULTIPLIER_OF = Check(
    "cuda.gemm_tile.multiplier_of",
    ("tile", "at_a", "at_b", "dtype", "seed"),
    (
        Aspect("ordinary", 1, _multiplier_ordinary, findings=_multiplied_result),
        Aspect("steps", 1, _multiplier_steps, needs="ordinary", findings=_multiplied_result),
        Aspect("vectors", 1, _multiplier_vectors, needs="ordinary", findings=_multiplied_result),
        Aspect("loads", 2, _multiplier_counted, needs="ordinary", findings=_multiplied_counts),
    ),
    mistakes=(
        Mistake("no sums come back: does each function return them?", returns_nothing),
        gives(
            NOT_STORED,
            "fewer sums come back than rows * rows: a fragment has `rows` numbers, and `add_outer` gives a "
            "sum for each pair of them",
        ),
        gives(ONE_STEP, "a tile has `depth` steps, `pitch` elements from one to the next: only the first one is done"),
        gives(HALF, "half of the steps are done: 1 is doubled to the depth, depth.bit_length() - 1 times"),
        gives(IN_A, "a step goes on in both tiles: that of B is `pitch` elements further on, too"),
        gives(IN_B, "a step goes on in both tiles: that of A is `pitch` elements further on, too"),
        gives(BEHIND, "the second vector is side * lanes // rows elements away: those of other threads are between"),
        gives(TURNED, "sums[i * rows + j] grows by the i-th number of A times the j-th of B"),
        gives(FRESH, "the sums that came go on: add to them"),
        gives(BY_APART, "the next step is `pitch` elements further on: `apart` is between two vectors of one step"),
        gives(BY_1, "the next step is `pitch` elements further on, not the next element"),
    ),
    hints={
        "result": "sums[i * rows + j] grows by a_i * b_j in each step; a fragment has `rows` numbers: one vector, or "
        "two where rows is 2 * lanes",
        "one step": "sums + the outer product of one vector of A and one of B: sums[i * rows + j] grows by a_i * b_j",
        "steps": "a tile has `depth` steps, `pitch` elements from one to the next, and the sums go through all of them",
        "two vectors": "where rows is 2 * lanes, a thread has two vectors, and those of its neighbors lie between",
        "out of bounds": "a step is `pitch` elements further on; a second vector lies side * lanes // rows away",
        "once": "each step needs rows numbers of A and rows of B: load them into names, then multiply",
        "loads of A's tile": "each step needs `rows` numbers of A: load each once, and keep it while you multiply",
        "loads of B's tile": "each step needs `rows` numbers of B: load each once, and keep it while you multiply",
        "loads by one call": "no loop over the steps: make `multiply` of one step by `twice`, and again, for all steps",
        RESULT: UNLESS_RIGHT,
        "raised": "no function came, or it stops: call it in a cell of your own on two small arrays",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.gemm.multiplied",
)

CHECKS = (MULTIPLIER_OF,)
