"""Check of registration (engine/dispatch/dispatcher.py, OperatorEntry): programs of registrations and calls."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

KEYS = ("CPU", "CUDA", "AutogradCPU", "Autograd", "CompositeExplicitAutograd", "Tracer", "Meta")
ONE, TWO = "f(Tensor x) -> Tensor", "f(Tensor x, int n=1) -> ()"
DEF = ("def", ONE, ("core",), "here:1")


def _steps(rng: random.Random, length: int, undo: bool) -> list[tuple]:
    """A program in which everything is allowed."""
    keys = rng.sample(KEYS, 3)
    runtime = [key for key in keys if key not in ("Autograd", "CompositeExplicitAutograd")]
    steps: list[tuple] = []
    live: list[tuple[str, int]] = []
    number, is_defined = 0, False
    for _ in range(length):
        kind = rng.choice(("impl", "impl", "call", "undo" if undo else "impl", "def"))
        if kind == "def" and not is_defined:
            steps.append(
                ("def", ONE, tuple(rng.sample(("core", "pointwise", "view"), 2)), f"file:{rng.randint(1, 99)}")
            )
            is_defined = True
        elif kind == "undo" and live:
            steps.append(("undo", *live.pop(rng.randrange(len(live)))))
        elif kind == "call" and runtime:
            steps.append((rng.choice(("call", "redispatch")), rng.choice(runtime)))
        else:
            key = rng.choice(keys)
            again = undo and number and rng.random() < 0.3
            steps.append(("impl again", key, rng.randrange(number)) if again else ("impl", key, f"k{number}"))
            live.append((key, number))
            number += 1
    return steps + [("call", key) for key in runtime]


def _registration(rng: random.Random) -> Iterator[Case]:
    yield Case(([DEF],), "schema")
    yield Case(([("def", TWO, ["core", "view"], "")],), "schema")
    yield Case(([("impl", "CPU", "a")],), "kernel")
    yield Case(([("impl", "CPU", "a"), DEF],), "schema")
    yield Case(([("impl", "CPU", "a"), ("call", "CPU")],), "kernel")
    yield Case(([("impl", "CPU", "a"), ("impl", "CPU", "b"), ("call", "CPU")],), "newest")
    for kind in ("call", "redispatch"):
        yield Case(([("impl", "CPU", "a"), (kind, "CPU"), ("impl", "CPU", "b"), (kind, "CPU")],), "forget")
        yield Case(([("impl", "Autograd", "a"), (kind, "AutogradCPU"), ("impl", "AutogradCPU", "b"),
                     (kind, "AutogradCPU")],), "forget")  # fmt: skip
    for length in (4, 6, 8) * 8:
        yield Case((_steps(rng, length, undo=False),), "newest")


def _deregistration(rng: random.Random) -> Iterator[Case]:
    a, b, c = ("impl", "CPU", "a"), ("impl", "CPU", "b"), ("impl", "CPU", "c")
    call = ("call", "CPU")
    yield Case(([a, ("undo", "CPU", 0)],), "the last one")
    yield Case(([a, ("undo", "CPU", 0), b],), "the last one")
    for first in (0, 1, 2):
        yield Case(([a, b, c, ("undo", "CPU", first), call],), "exactly one")
    yield Case(([a, b, ("undo", "CPU", 1), call],), "exactly one")
    yield Case(([a, ("impl again", "CPU", 0), ("impl", "CUDA", "d"), ("undo", "CPU", 0), call],), "exactly one")
    yield Case(([a, ("impl again", "CPU", 0), ("undo", "CPU", 1), ("undo", "CPU", 0)],), "exactly one")
    for kind in ("call", "redispatch"):
        yield Case(([a, b, (kind, "CPU"), ("undo", "CPU", 1), (kind, "CPU")],), "forget")
        yield Case(([a, (kind, "CPU"), ("undo", "CPU", 0), (kind, "CPU")],), "forget")
        yield Case(([a, b, ("undo", "CPU", 1), (kind, "CPU"), c, (kind, "CPU")],), "forget")
    for length in (5, 8, 12) * 7:
        yield Case((_steps(rng, length, undo=True),), "exactly one")


def _refusals(rng: random.Random) -> Iterator[Case]:
    a, b = ("impl", "CPU", "a"), ("impl", "CUDA", "b")
    yield Case(([DEF, DEF],), "defined twice")
    yield Case(([DEF, ("def", TWO, (), "there:2")],), "defined twice")
    yield Case(([a, DEF, ("def", ONE, ("view",), "there:2"), ("call", "CPU")],), "defined twice")
    yield Case(([a, ("undo", "CUDA", 0), ("call", "CPU")],), "not registered")
    yield Case(([a, b, ("undo", "CUDA", 0), ("call", "CUDA")],), "not registered")
    yield Case(([a, ("undo", "CPU", 0), ("undo", "CPU", 0)],), "not registered")
    yield Case(([a, ("impl again", "CPU", 0), ("undo", "CPU", 0), ("undo", "CPU", 0), ("call", "CPU")],),
               "not registered")  # fmt: skip
    yield Case(([a, ("impl", "CPU", "c"), ("undo", "CPU", 1), ("undo", "CPU", 1), ("call", "CPU")],), "not registered")
    for _ in range(30):
        steps = _steps(rng, 6, undo=False)
        numbers = sum(step[0].startswith("impl") for step in steps)
        wrong: list[tuple] = [("def", TWO, (), "again")] if any(step[0] == "def" for step in steps) else []
        if numbers:
            wrong.append(("undo", "QuantizedCPU", rng.randrange(numbers)))
        if wrong:
            chosen = rng.choice(wrong)
            about = "defined twice" if chosen[0] == "def" else "not registered"
            yield Case(([*steps, chosen, ("call", "CPU")],), about)


ENTRY = Check(
    "dispatch.dispatcher.OperatorEntry",
    ("steps",),
    (
        Aspect("ordinary", 3, _registration),
        Aspect("undo", 2, _deregistration),
        Aspect("refusals", 2, _refusals, needs="ordinary"),
    ),
    {
        "schema": "keep the schema, the tags as a tuple, and where it comes from; kernels may be there before",
        "kernel": "a key's kernels are a list in `self.registered`; the first kernel of a key makes the list",
        "newest": "the newest kernel of a key is the first one of its list, and the others stay behind it",
        "forget": "what calls have resolved is kept in `calls` and `redispatches`: empty both after every change",
        "the last one": "a key whose last kernel is gone must not be left with an empty list",
        "exactly one": "take away the kernel that is given, wherever it stands; the others stay, in their order. Two "
        "kernels with one function are two kernels",
        "defined twice": "a second schema is refused, and the first one stays as it is, tags and debug included",
        "not registered": "this kernel is not registered at this key: refuse, and change nothing",
        "returned None": "the function ends without `return`",
    },
    probe="dispatch.entries.program",
)

CHECKS = (ENTRY,)
