"""Check of the guards (engine/dispatch/local.py): programs of nested blocks."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import engine
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.dispatch.guards.probe import states

KEYS = ("Tracer", "PrivateUse1", "AutogradCPU", "Functionalize", "CUDA", "AutogradOther", "Python", "FuncTorchBatched")
APART = ("Tracer", "PrivateUse1", "Functionalize", "Python", "FuncTorchBatched")  # no two have a bit in common
LOOK, RAISE, THREAD = ("look",), ("raise", "Exception"), ("look in a thread",)
KINDS = ("Exception", "KeyboardInterrupt", "SystemExit")
OTHER_KINDS = ("GeneratorExit", "KeyError", "OSError", "RuntimeError", "StopIteration")
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
    for name in ("AutoDispatchBelowAutograd", "AutoDispatchBelowADInplaceOrView"):
        yield Case(([name], [("with", 0, [LOOK]), LOOK]), "inside")
    yield Case(([(["CUDA"], ["CUDA"])], [("with", 0, [LOOK]), LOOK]), "inside")
    yield Case(([TRACER], [("with", 0, [LOOK, THREAD])]), "thread")
    yield Case(([TRACER], [("with", 0, [LOOK]), LOOK, ("with", 0, [LOOK]), LOOK]), "again")
    for guard in (TRACER, NO_VIEWS):
        yield Case(([guard], [("with", 0, [LOOK]), LOOK]), "state", "dispatch.guards.kept_states")
    for _ in range(24):
        yield Case(([_guard(rng)], [("with", 0, [LOOK]), LOOK, ("with", 0, [THREAD, LOOK])]), "inside")


def _nested_program(rng: random.Random, guards: int, depth: int) -> list[tuple]:
    numbers = rng.sample(range(guards), guards)
    program: list[tuple] = [LOOK]
    for number in numbers[:depth]:
        program = [LOOK, ("with", number, program), LOOK]
    return program


def _nested(rng: random.Random) -> Iterator[Case]:
    for guard in (["BackendSelect"], []), ([], ["AutocastCPU"]), (["ADInplaceOrView", "Tracer"], ["AutocastCUDA"]):
        yield Case(([guard], [("with", 0, [LOOK]), LOOK]), "there before")
    for outer, inner, about in [
        (TRACER, NO_TRACER, "nested"), (NO_TRACER, TRACER, "nested"), (TRACER, TRACER, "same key"),
        (NO_VIEWS, NO_VIEWS, "same key"), (NO_VIEWS, (["ADInplaceOrView"], []), "same key"),
        (([], ["Tracer", "AutogradCPU"]), ([], ["AutogradCPU", "Python"]), "same key"),
        ((["Tracer", "CUDA"], []), (["Tracer"], ["CUDA"]), "same key"), (([], []), TRACER, "nested"),
        ("AutoDispatchBelowADInplaceOrView", "AutoDispatchBelowAutograd", "same key"),
    ]:  # fmt: skip
        yield Case(([outer, inner], [("with", 0, [("with", 1, [LOOK]), LOOK]), LOOK]), about)
    three = [TRACER, NO_TRACER, NO_VIEWS]
    yield Case((three, [("with", 0, [("with", 1, [("with", 2, [LOOK]), LOOK]), LOOK]), LOOK]), "nested")
    yield Case(([TRACER, NO_VIEWS], [("with", 0, [("with", 1, [LOOK]), ("with", 1, [LOOK]), LOOK])]), "again")
    both = (["Tracer", "Python"], ["Functionalize", "FuncTorchBatched"])
    left: list[tuple[list[str], list[str]]] = [(["Tracer"], []), ([], ["Functionalize"]), ([], [])]
    for names in left:
        yield Case(([both], [("with", 0, [("set", *names), LOOK]), LOOK]), "set")
        yield Case(
            (
                [NO_VIEWS, both],
                [("with", 0, [("with", 1, [("set", names[0], [*names[1], "ADInplaceOrView"])]), LOOK]), LOOK],
            ),
            "set",
        )
    twice = [("with", 0, [("with", 1, [LOOK]), LOOK]), ("with", 1, [LOOK]), LOOK]
    yield Case(([TRACER, NO_VIEWS], twice), "again")
    yield Case(([NO_VIEWS, TRACER], twice), "again")
    for _ in range(6):
        yield Case(([_guard(rng), _guard(rng)], twice), "again")
    for _ in range(18):
        guards = [_guard(rng) for _ in range(3)]
        yield Case((guards, _nested_program(rng, 3, rng.randint(2, 3))), "nested")


def _exceptions(rng: random.Random) -> Iterator[Case]:
    for kind in KINDS:
        about = "exception" if kind == "Exception" else "any kind"
        for guard in (TRACER, NO_TRACER, NO_VIEWS):
            yield Case(([guard], [("try", [("with", 0, [LOOK, ("raise", kind)])]), LOOK]), about)
        yield Case(([TRACER], [("with", 0, [("try", [("raise", kind)]), LOOK]), LOOK]), about)
        again = [("try", [("with", 0, [("raise", kind)])]), ("with", 0, [LOOK]), LOOK]
        yield Case(([TRACER], again), about)
        inner = [("with", 0, [("try", [("with", 1, [("raise", kind)])]), LOOK]), LOOK]
        yield Case(([TRACER, NO_VIEWS], inner), about)
        yield Case(([TRACER, NO_VIEWS], [("try", [("with", 0, [("with", 1, [("raise", kind)])])]), LOOK]), about)
    for kind in OTHER_KINDS:
        yield Case(([TRACER], [("try", [("with", 0, [LOOK, ("raise", kind)])]), LOOK]), "any kind")
    for _ in range(18):
        keys = rng.sample(APART, 4)
        guards = [(keys[:1], keys[1:2]), (keys[2:3], keys[3:])]
        inner = [("with", 1, [LOOK, RAISE])]
        program = rng.choice(([("try", inner), LOOK], inner))
        yield Case((guards, [("try", [("with", 0, program)]), LOOK]), "exception")


class _Mistaken:
    """A guard that makes a mistake; made instead of the engine's."""

    def __init__(self, included: int = 0, excluded: int = 0):
        self.included, self.excluded = included, excluded

    def __enter__(self) -> None:
        local = engine.dispatch.local
        self.before = local.local.state
        local.local.state = self.inside()

    def inside(self) -> Any:
        before = self.before
        return engine.dispatch.local.state_of(before.included | self.included, before.excluded | self.excluded)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        return self.leave(error)

    def leave(self, error: Any) -> Any:
        engine.dispatch.local.local.state = self.before


class _TakesItsBits(_Mistaken):
    def leave(self, error: Any) -> Any:
        local = engine.dispatch.local
        now = local.local.state
        local.local.state = local.state_of(now.included & ~self.included, now.excluded & ~self.excluded)


class _GoesToTheDefault(_Mistaken):
    def leave(self, error: Any) -> Any:
        local = engine.dispatch.local
        local.local.state = local.state_of(local.DEFAULT_INCLUDED, local.DEFAULT_EXCLUDED)


class _OwnBitsAlone(_Mistaken):
    def inside(self) -> Any:
        return engine.dispatch.local.state_of(self.included, self.excluded)


class _OwnIncluded(_Mistaken):
    def inside(self) -> Any:
        return engine.dispatch.local.state_of(self.included, self.before.excluded | self.excluded)


class _OwnExcluded(_Mistaken):
    def inside(self) -> Any:
        return engine.dispatch.local.state_of(self.before.included | self.included, self.excluded)


class _Swaps(_Mistaken):
    def inside(self) -> Any:
        before = self.before
        return engine.dispatch.local.state_of(before.included | self.excluded, before.excluded | self.included)


class _TakesFromIncluded(_Mistaken):
    def inside(self) -> Any:
        before = self.before
        return engine.dispatch.local.state_of((before.included | self.included) & ~self.excluded, before.excluded)


class _Collects(_Mistaken):
    def inside(self) -> Any:
        self.included, self.excluded = self.before.included | self.included, self.before.excluded | self.excluded
        return engine.dispatch.local.state_of(self.included, self.excluded)


class _Stays(_Mistaken):
    def leave(self, error: Any) -> Any:
        return None


class _NotAfterErrors(_Mistaken):
    def leave(self, error: Any) -> Any:
        if error is None:
            engine.dispatch.local.local.state = self.before


class _OnlyAfterExceptions(_Mistaken):
    def leave(self, error: Any) -> Any:
        if error is None or isinstance(error, Exception):
            engine.dispatch.local.local.state = self.before


class _Swallows(_Mistaken):
    def leave(self, error: Any) -> Any:
        engine.dispatch.local.local.state = self.before
        return True


def _as(guard: type[_Mistaken]) -> Callable:
    """Build a `Mistake.shows`: the program sees what it would see with this guard."""
    return lambda args, wanted, got: got.value == states(engine, *args, guard=guard)


MISTAKES = (
    Mistake("the state of before is not put back where the block ends", _as(_Stays)),
    Mistake(
        "an exception ends the block too, and the state of before must be put back then: `__exit__` does it whatever "
        "it is told",
        _as(_NotAfterErrors),
    ),
    Mistake(
        "not every exception is an Exception: after a KeyboardInterrupt or a SystemExit, too, the state of before is "
        "put back",
        _as(_OnlyAfterExceptions),
    ),
    Mistake(
        "the exception has not gone on its way: `__exit__` returned something true, which swallows it",
        _as(_Swallows),
    ),
    Mistake(
        "a key that was there before the block is gone after it: put back the whole state that `__enter__` found",
        _as(_TakesItsBits),
    ),
    Mistake(
        "after the block the thread has its default state: put back the state of before, which an outer guard may have "
        "made",
        _as(_GoesToTheDefault),
    ),
    Mistake(
        "inside, the thread has the guard's bits alone: they are added to what it has, in both sets",
        _as(_OwnBitsAlone),
    ),
    Mistake("what the thread includes is gone inside: the guard's `included` is added to it", _as(_OwnIncluded)),
    Mistake("what the thread excludes is gone inside: the guard's `excluded` is added to it", _as(_OwnExcluded)),
    Mistake("`included` and `excluded` have changed places", _as(_Swaps)),
    Mistake(
        "what a guard excludes is added to `excluded`; `included` keeps it, and a call takes it away",
        _as(_TakesFromIncluded),
    ),
    Mistake(
        "the guard has collected the thread's bits in its own attributes, and brings them along where it is entered "
        "again",
        _as(_Collects),
    ),
)

GUARD = Check(
    "dispatch.local.DispatchKeyGuard",
    ("guards", "program"),
    (Aspect("ordinary", 3, _ordinary), Aspect("nested", 2, _nested), Aspect("exceptions", 2, _exceptions)),
    {
        "inside": "inside the block the thread has its old bits and the guard's, in `included` and in `excluded`",
        "there before": "a key that was there before the block must be there after it, even if the guard names it too",
        "thread": "the state belongs to one thread; another one does not see the guard. A state is never written into",
        "again": "a guard may be entered again after it was left: it has its own bits as before, and puts back what it "
        "has found this time",
        "state": "`state_of(included, excluded)` makes the states, one object for each pair",
        "nested": "an inner guard adds to what the outer one made, and puts back what it found there",
        "set": "the state that `__enter__` found is put back, whatever the state is when the block ends",
        "same key": "where the inner guard names a key that the outer one named, its end must not take the key away",
        "exception": "an exception ends the block too: the state must be put back whether or not there is one, and "
        "the exception must go on its way",
        "any kind": "an exception of any kind ends the block, a KeyboardInterrupt too, which is no Exception",
    },
    probe="dispatch.guards.states",
    mistakes=MISTAKES,
    words={
        "with": "a block under the guard of that number, and the steps inside",
        "look": "what the thread includes and excludes beside the default; a default key that is gone has a minus",
        "look in a thread": "the same in another thread, which knows no guard",
        "set": "the thread's state becomes one that includes and excludes these keys beside the default",
        "raise": "an exception of that kind is raised",
        "try": "runs the steps inside, and catches what they raise",
    },
)

CHECKS = (GUARD,)
