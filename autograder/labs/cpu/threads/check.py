"""Checks of a job that threads share: who ran which piece, judged here (probe.py)."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check
from autograder.examine.plain_text import require_plain
from autograder.labs.cpu.runs import COMPILED, LOOPS, says

RIGHT = {
    "pieces": "each index once, in pieces", "FAILED": "as it should be", "NEXT": "not below END",
    "other cells": "left alone",
}  # fmt: skip
BY_ADD = {"taken": "each piece by an `add` of PIECE"}


def _job(
    threads: int, seed: int, begin: int, end: int, piece: int, raising: tuple[int, ...] = (), late: int | None = None
) -> tuple:
    """Make the arguments of the probe; `late`: the step at which the last thread comes."""
    entered = [0] * threads
    if late is not None:
        entered[-1] = late
    return "threads", threads, seed, begin, end, piece, list(raising), entered


def _findings(args: tuple, observed: Any) -> dict[str, str]:
    """Return what is wrong with the pieces that ran, and with the pool's cells at the end."""
    require_plain()
    _, _, _, begin, end, _, raising, _ = args
    ran, failed, following, others, added = observed
    return {
        "pieces": _wrong_pieces(args, ran, added) or RIGHT["pieces"],
        "FAILED": _wrong_failed(begin, end, raising, failed) or RIGHT["FAILED"],
        "NEXT": RIGHT["NEXT"] if following >= end else f"{following}, as if something were left",
        "other cells": RIGHT["other cells"] if not others else f"written: {', '.join(map(str, others))}",
    }


def _wrong_pieces(args: tuple, ran: Any, added: Any) -> str:
    """Describe the first thing that is wrong with the pieces that ran, or return ""."""
    _, _, _, begin, end, piece, _, _ = args
    pieces = ", ".join(f"{first}..{last}" for _, first, last in ran) or "none"
    times = dict.fromkeys(range(begin, end), 0)
    other = next((number for _, _, number in added if number != piece), None)
    took = "" if other is None else f", and NEXT goes up by {other}"
    for thread, first, last in ran:
        if last <= first:
            return f"thread {thread} runs an empty piece, {first}..{last}"
        for i in range(first, min(last, first + len(times) + 1)):
            if i not in times:
                return f"thread {thread} runs {first}..{last}, and the job is {begin}..{end}"
            times[i] += 1
    for i, count in times.items():
        if count != 1:
            return f"index {i} runs {count} times: the pieces are {pieces}{took}"
    full, rest = divmod(max(end - begin, 0), piece)
    if sorted(last - first for _, first, last in ran) != sorted([piece] * full + [rest] * bool(rest)):
        return f"the pieces are {pieces}, and PIECE is {piece}"
    return ""


def _wrong_failed(begin: int, end: int, raising: list[int], failed: Any) -> str:
    """Describe what is wrong with FAILED, or return ""."""
    right = [index + 1 for index in raising if begin <= index < end] or [0]
    return "" if failed in right else f"{failed}, and should be {' or '.join(map(str, right))}"


def _interleaved_findings(args: tuple, observed: Any) -> dict[str, str]:
    """Return the findings of `_findings`, and whether a thread takes each of its pieces by itself."""
    ran, _, _, _, added = observed
    taken = {(thread, first) for thread, first, number in added if number == args[5]}
    kept = next((piece for piece in ran if piece[:2] not in taken), None)
    how = BY_ADD["taken"] if kept is None else f"not {kept[1]}..{kept[2]}, which thread {kept[0]} runs"
    return _findings(args, observed) | {"taken": how}


def _failures_findings(args: tuple, observed: Any) -> dict[str, str]:
    """Return the findings of `_findings`; of several threads only FAILED, as "interleaved" asks who has which piece."""
    found = _findings(args, observed)
    return found if args[1] == 1 else {"FAILED": found["FAILED"]}


def _pieces_ordinary(rng: random.Random) -> Iterator[Case]:
    for begin, end, piece, about in (
        (0, 3, 3, "each piece"), (0, 6, 3, "each piece"), (0, 4, 1, "each piece"), (2, 8, 3, "begin"),
        (5, 6, 1, "begin"), (0, 5, 3, "last"), (0, 2, 3, "last"), (1, 8, 4, "last"), (0, 0, 3, "empty"),
        (4, 4, 1, "empty"),
    ):  # fmt: skip
        yield Case(_job(1, 0, begin, end, piece), about)
    yield Case(("threads", 1, 0, 9, 6, 3, [], [0]), "empty")
    for _ in range(10):
        begin, piece = rng.randint(0, 9), rng.randint(1, 6)
        yield Case(_job(1, 0, begin, begin + rng.randint(1, 24), piece), "last")


def _pieces_interleaved(rng: random.Random) -> Iterator[Case]:
    for threads, count, piece in ((2, 2, 1), (2, 4, 1), (2, 1, 1), (3, 6, 2), (2, 7, 3), (4, 9, 2), (3, 2, 5)):
        yield Case(_job(threads, rng.randrange(1000), 0, count, piece), "in one step")
    for _ in range(4):
        yield Case(_job(2, rng.randrange(1000), 0, 6, 1, late=60), "late")
    for _ in range(60):
        begin, piece = rng.randint(0, 5), rng.randint(1, 4)
        end = begin + piece * rng.randint(2, 8) + rng.randint(0, piece - 1)
        yield Case(_job(rng.randint(2, 4), rng.randrange(100_000), begin, end, piece), "in one step")


def _pieces_failures(rng: random.Random) -> Iterator[Case]:
    raising: tuple[int, ...]
    for begin, end, piece, raising, about in (
        (0, 3, 3, (0,), "told"), (0, 6, 3, (3,), "told"), (0, 6, 3, (0,), "go on"), (2, 9, 2, (4,), "go on"),
        (2, 9, 2, (8,), "told"), (0, 4, 1, (1, 2), "go on"),
    ):  # fmt: skip
        yield Case(_job(1, 0, begin, end, piece, raising), about)
    for _ in range(36):
        begin, piece = rng.randint(0, 5), rng.randint(1, 4)
        count = rng.randint(2, 7)
        starts = [begin + piece * k for k in range(count)]
        raising = tuple(rng.sample(starts, rng.randint(1, 2)))
        threads, end = rng.choice((1, 2, 3)), begin + piece * count
        late = rng.choice((None, 60)) if threads > 1 else None
        about = "go on" if threads == 1 else "whose"
        yield Case(_job(threads, rng.randrange(1000), begin, end, piece, raising, late), about)


def _pieces_compiled(rng: random.Random) -> Iterator[Case]:
    yield Case(("compiled", 1, 0, rng.randint(1, 4), rng.randint(20, 30), rng.randint(2, 4), [], [0]), "compiled")


TAKE_PIECES = Check(
    "cpu.parallel.take_pieces",
    ("observed", "threads", "turns drawn by", "NEXT", "END", "PIECE", "raising", "entered"),
    (
        Aspect("ordinary", 3, _pieces_ordinary, findings=_findings),
        Aspect("interleaved", 4, _pieces_interleaved, needs="ordinary", findings=_interleaved_findings),
        Aspect("failures", 1, _pieces_failures, needs="ordinary", findings=_failures_findings),
        Aspect("compiled", 1, _pieces_compiled, needs="ordinary", compiled=True),
    ),
    {
        "each piece": "take pieces of PIECE indices, beginning with NEXT, until none is left",
        "begin": "NEXT says where the first piece begins; that need not be 0",
        "last": "the last piece ends at END, even if it is shorter than PIECE",
        "empty": "when nothing is left there is nothing to run, not even an empty piece",
        "in one step": "between a `load` and a `store` another thread may read the same: `add` does both in one step, "
        "for one piece at a time; whether there was one, what it returned tells, and not a look before it",
        "late": "a thread may come when all pieces are taken, or all are done",
        "told": "if `fails` says that a piece raised, store 1 + the index it begins with in FAILED",
        "whose": "other threads take pieces, fail and look meanwhile: a thread writes FAILED only for a piece of its "
        "own that raised, and says where that one begins",
        "go on": "a piece that raised is not the end: the others run all the same, and FAILED stays set",
        "FAILED": "FAILED becomes 1 + the first index of a piece of one's own that raised, is 0 if none did, and stays "
        "set; of several any one may be named",
        "NEXT": "at the end nothing is left, also after a piece that raised: NEXT is not below END. Who takes a piece "
        "moves it on, in the same step",
        "other cells": "only NEXT and FAILED are written",
        "taken": "a thread takes each of its pieces by an `add` of PIECE, and one at a time: so no other gets it too",
        "compiled": COMPILED,
    },
    mistakes=(
        says(
            "runs an empty piece",
            "if the first index is END already, nothing was left: then there is nothing to "
            "run, not even an empty piece. What `add` returned says it, not a look before",
        ),
        says("and NEXT goes up by", "what `add` adds to NEXT is how many indices are taken: PIECE"),
        says("and the job is", "the last piece ends at END, even if it is shorter than PIECE"),
        says(
            "and the job's function and arguments are",
            "fails(function, arguments, first, last): the cell BODY holds the function, ARGS the arguments",
        ),
        says(
            "has not ended after", "the loop must end when nothing is left: when what `add` returned is not below END"
        ),
        *LOOPS,
    ),
    probe="cpu.threads.pieces",
)

CHECKS = (TAKE_PIECES,)
