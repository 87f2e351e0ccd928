"""Check of the guards (engine/dispatch/local.py): programs of nested blocks."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

KEYS = ("Tracer", "PrivateUse1", "AutogradCPU", "Functionalize", "CUDA", "AutogradOther", "Python", "FuncTorchBatched")
LOOK, RAISE, THREAD = ("look",), ("raise",), ("look in a thread",)
TRACER: tuple[list[str], list[str]] = (["Tracer"], [])
NO_TRACER: tuple[list[str], list[str]] = ([], ["Tracer"])
NO_VIEWS: tuple[list[str], list[str]] = ([], ["ADInplaceOrView"])


def _guard(rng: random.Random) -> tuple[list[str], list[str]]:
    keys = rng.sample(KEYS, rng.randint(1, 4))
    cut = rng.randint(0, len(keys))
    return keys[:cut], keys[cut:]


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for guard in (TRACER, NO_TRACER, NO_VIEWS, ([], []), (["Tracer"], ["AutogradCPU"])):
        yield Case(([guard], [("with", 0, [LOOK])]), "inside")
    for guard in (["BackendSelect"], []), ([], ["AutocastCPU"]):
        yield Case(([guard], [("with", 0, [LOOK]), LOOK]), "there before")
    yield Case(([TRACER], [("with", 0, [LOOK, THREAD])]), "thread")
    yield Case(([TRACER], [("with", 0, [LOOK]), LOOK, ("with", 0, [LOOK]), LOOK]), "again")
    for _ in range(25):
        yield Case(([_guard(rng)], [("with", 0, [LOOK]), LOOK, ("with", 0, [THREAD, LOOK])]), "inside")


def _nested_program(rng: random.Random, guards: int, depth: int) -> list[tuple]:
    numbers = rng.sample(range(guards), guards)
    program: list[tuple] = [LOOK]
    for number in numbers[:depth]:
        program = [LOOK, ("with", number, program), LOOK]
    return program


def _nested(rng: random.Random) -> Iterator[Case]:
    for outer, inner, about in [
        (TRACER, NO_TRACER, "nested"), (NO_TRACER, TRACER, "nested"), (TRACER, TRACER, "same key"),
        (NO_VIEWS, NO_VIEWS, "same key"), (NO_VIEWS, (["ADInplaceOrView"], []), "same key"),
        (([], ["Tracer", "AutogradCPU"]), ([], ["AutogradCPU", "Python"]), "same key"),
        ((["Tracer", "CUDA"], []), (["Tracer"], ["CUDA"]), "same key"),
    ]:  # fmt: skip
        yield Case(([outer, inner], [("with", 0, [("with", 1, [LOOK]), LOOK]), LOOK]), about)
    yield Case(([TRACER, NO_VIEWS], [("with", 0, [("with", 1, [LOOK]), ("with", 1, [LOOK]), LOOK])]), "again")
    twice = [("with", 0, [("with", 1, [LOOK]), LOOK]), ("with", 1, [LOOK]), LOOK]
    yield Case(([TRACER, NO_VIEWS], twice), "again")
    yield Case(([NO_VIEWS, TRACER], twice), "again")
    for _ in range(6):
        yield Case(([_guard(rng), _guard(rng)], twice), "again")
    for _ in range(18):
        guards = [_guard(rng) for _ in range(3)]
        yield Case((guards, _nested_program(rng, 3, rng.randint(2, 3))), "nested")


def _exceptions(rng: random.Random) -> Iterator[Case]:
    for guard in (TRACER, NO_TRACER, NO_VIEWS):
        yield Case(([guard], [("try", [("with", 0, [LOOK, RAISE])])]), "exception")
        yield Case(([guard], [("with", 0, [("try", [RAISE]), LOOK])]), "exception")
    yield Case(([(["BackendSelect"], [])], [("try", [("with", 0, [RAISE])]), LOOK]), "exception")
    yield Case(([TRACER, NO_VIEWS], [("with", 0, [("try", [("with", 1, [RAISE])]), LOOK]), LOOK]), "exception")
    yield Case(([TRACER, NO_VIEWS], [("try", [("with", 0, [("with", 1, [RAISE])])]), LOOK]), "exception")
    for _ in range(24):
        guards = [_guard(rng), _guard(rng)]
        inner = [("with", 1, [LOOK, RAISE])]
        program = rng.choice(([("try", inner), LOOK], inner))
        yield Case((guards, [("try", [("with", 0, program)]), LOOK]), "exception")


GUARD = Check(
    "dispatch.local.DispatchKeyGuard",
    ("guards", "program"),
    (Aspect("ordinary", 2, _ordinary), Aspect("nested", 1, _nested), Aspect("exceptions", 2, _exceptions)),
    {
        "inside": "inside the block the thread has its old bits and the guard's, in `included` and in `excluded`",
        "there before": "a key that was there before the block must be there after it, even if the guard names it too",
        "thread": "the state belongs to one thread; another one does not see the guard",
        "again": "a guard may be entered again after it was left: its own bits must not change",
        "nested": "an inner guard adds to what the outer one made, and puts back what it found there",
        "same key": "where the inner guard names a key that the outer one named, its end must not take the key away: "
        "put back the state of before; don't take your own bits out",
        "exception": "an exception ends the block too: the state must be put back whether or not there is one, and "
        "the exception must go on its way",
        "returned None": "the function ends without `return`",
    },
    probe="dispatch.guards.states",
)

CHECKS = (GUARD,)
