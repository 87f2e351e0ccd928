"""Check of registration (engine/dispatch/registry.py, OperatorEntry): programs of registrations and calls."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake

KEYS = ("CPU", "CUDA", "AutogradCPU", "Autograd", "CompositeExplicitAutograd", "Tracer", "Meta")
ONE, TWO = "f(Tensor x) -> Tensor", "f(Tensor x, int n=1) -> ()"
DEF = ("def", ONE, ("core",), "here:1")


def _steps(rng: random.Random, length: int, undo: bool) -> list[tuple]:
    """Draw a program in which everything is allowed."""
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
    yield Case(([("def once", ONE, ("core", "view"), "here:1")],), "schema")
    yield Case(([("impl", "CPU", "a"), ("impl", "CUDA", "b"), ("impl same", "Meta", 0), ("call", "Meta")],), "newest")
    a, b, c = ("impl", "CPU", "a"), ("impl", "CPU", "b"), ("impl", "CPU", "c")
    yield Case(([a, b, c, ("call", "CPU"), ("redispatch", "CPU")],), "newest")
    yield Case(([DEF, a, ("impl", "Autograd", "b"), ("call", "AutogradCPU"), ("call", "CPU")],), "newest")
    yield Case(([a, ("call", "CPU"), b],), "same dicts", "dispatch.entries.program_with_dicts")
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
    yield Case(([a, ("impl same", "CUDA", 0), ("undo", "CPU", 0), ("call", "CUDA")],), "exactly one")
    yield Case(([DEF, a, b, ("undo", "CPU", 0), ("undo", "CPU", 1), ("call", "CPU"), c, call],), "the last one")
    yield Case(([a, b, ("undo", "CPU", 0)],), "same dicts", "dispatch.entries.program_with_dicts")
    for length in (5, 8, 12) * 7:
        yield Case((_steps(rng, length, undo=True),), "exactly one")


def _refusals(rng: random.Random) -> Iterator[Case]:
    a, b = ("impl", "CPU", "a"), ("impl", "CUDA", "b")
    yield Case(([DEF, DEF],), "defined twice")
    for first, again in ((DEF, DEF), (DEF, ("def", TWO, (), "there:2")), (("def", TWO, (), "file:77"), DEF)):
        yield Case(([first, again],), "place", "dispatch.entries.message")
    yield Case(([DEF, ("def", TWO, (), "there:2"), a, ("call", "CPU"), ("undo", "CPU", 0)],), "defined twice")
    yield Case(([b, ("undo", "CPU", 0), a, ("call", "CPU")],), "not registered")
    yield Case(([a, ("impl", "CPU", "c"), ("undo", "CUDA", 0), ("undo", "CPU", 1), ("call", "CPU")],), "not registered")
    yield Case(([DEF, ("def", TWO, (), "there:2")],), "defined twice")
    yield Case(([a, DEF, ("def", ONE, ("view",), "there:2"), ("call", "CPU")],), "defined twice")
    yield Case(([a, ("undo", "CUDA", 0), ("call", "CPU")],), "not registered")
    yield Case(([a, b, ("undo", "CUDA", 0), ("call", "CUDA")],), "not registered")
    yield Case(([a, ("undo", "CPU", 0), ("undo", "CPU", 0)],), "not registered")
    for kind in ("call", "redispatch"):
        yield Case(([a, (kind, "CPU"), ("undo", "CUDA", 0)],), "not registered")
        yield Case(([DEF, a, (kind, "CPU"), DEF],), "defined twice")
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


def _apart(wanted: dict, got: dict) -> tuple[str, Any, Any]:
    """Return the first step that differs, with what is expected and what there is."""
    return next((step, wanted[step], got[step]) for step in wanted if wanted[step] != got[step])


def _step(says: Callable[[str, Any, Any], bool]) -> Callable:
    """Build a `Mistake.shows`: `says(kind of step, expected, what there is)` of the first step that differs."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        step, one, other = _apart(wanted.value, got.value)
        return bool(says(step.partition(", ")[2].removesuffix(step.rpartition(" ")[2]).strip() or "def", one, other))

    return shows


def _only(key: str, one: Any, other: Any) -> bool:
    """Return True if two dicts differ in no key but this one."""
    return {**one, key: None} == {**other, key: None}


def _kernels(says: Callable[[str, dict, dict], bool]) -> Callable:
    """Build a `Mistake.shows`: in the first step that differs, only the kernels do, and `says` is true of them."""
    return _step(lambda kind, one, other: _only("kernels", one, other) and says(kind, one["kernels"], other["kernels"]))


def _lists(kernels: dict) -> dict:
    return {key: sorted(labels) for key, labels in kernels.items()}


def _is_stale(args: tuple, wanted: Any, got: Any) -> bool:
    """Return True if the first step that differs reaches what an earlier call at the same key reached rightly."""
    step, _, other = _apart(wanted.value, got.value)
    place = int(step.partition(",")[0].removeprefix("step "))
    *before, (kind, key, *_) = args[0][:place]
    return kind in ("call", "redispatch") and any(
        (earlier[0], earlier[1]) == (kind, key) and got.value[f"step {number}, {kind} {key}"] == other
        for number, earlier in enumerate(before, 1)
    )


MISTAKES = (
    Mistake(
        "`calls` and `redispatches` are other dicts now, and compiled code holds on to those of before: they are "
        "emptied, as `forget` does, and stay the same",
        lambda args, wanted, got: "other dicts" in got.value.values(),
    ),
    Mistake(
        "the message says nothing of where the first schema came from: its `debug` must be in it, as it is",
        lambda args, wanted, got: got.value.endswith("without the first place in the message"),
    ),
    Mistake(
        "what calls have resolved is used again, though the kernels have changed: empty `calls` and `redispatches` "
        "after every change",
        _is_stale,
    ),
    Mistake(
        "a call reaches another kernel than the first one of its key's list: the newest serves",
        _step(lambda kind, one, other: kind in ("call", "redispatch") and str is type(one) is type(other)),
    ),
    Mistake(
        "`calls` and `redispatches` resolve by themselves what is not in them yet, which another dict does not: keep "
        "these two, and empty them as `forget` does",
        _step(lambda kind, one, other: kind in ("call", "redispatch") and other == ("raised", "KeyError")),
    ),
    Mistake(
        "a second schema is refused with a RuntimeError, whatever it is",
        lambda args, wanted, got: got.value == "nothing refused",
    ),
    Mistake(
        "this is refused, and something has been changed before: refuse first",
        _step(lambda kind, one, other: one.get("raised") == other.get("raised") is not None),
    ),
    Mistake(
        "a second schema is refused with a RuntimeError, whatever it is",
        _step(lambda kind, one, other: kind == "def" and "raised" in one and "raised" not in other),
    ),
    Mistake(
        "this kernel is not registered at this key: refuse with a RuntimeError, and change nothing",
        _step(lambda kind, one, other: kind == "undo" and "raised" in one and "raised" not in other),
    ),
    Mistake(
        "it is right to refuse this, but the error is a RuntimeError",
        _step(lambda kind, one, other: "raised" in one and "raised" in other and one["raised"] != other["raised"]),
    ),
    Mistake(
        "a key whose last kernel is gone must not be left with an empty list",
        _kernels(lambda kind, one, other: [] in other.values() and {k: v for k, v in other.items() if v} == one),
    ),
    Mistake(
        "the newest kernel of a key is the first one of its list, and the others are behind it",
        _kernels(lambda kind, one, other: kind.startswith("impl") and _lists(one) == _lists(other)),
    ),
    Mistake(
        "the older kernels of the key are gone; they wait behind the newest one",
        _kernels(
            lambda kind, one, other: (
                kind.startswith("impl")
                and {key: labels[:1] for key, labels in one.items()}
                == {key: labels[:1] for key, labels in other.items()}
            )
        ),
    ),
    Mistake(
        "another kernel than the one that is given was taken away, or more than that one; kernels compare by identity",
        _kernels(lambda kind, one, other: kind == "undo"),
    ),
    Mistake(
        "these tags come from an iterator, which gives them only once: `tags` is kept as a tuple of all",
        lambda args, wanted, got: any(
            kind == "def once" and wanted.value[f"step {number}, def once"]["tags"] != found["tags"]
            for number, (kind, *_) in enumerate(args[0], 1)
            if (found := got.value.get(f"step {number}, {kind}"))
        ),
    ),
    Mistake("`tags` is kept as a tuple", _step(lambda kind, one, other: kind == "def" and _only("tags", one, other))),
    Mistake(
        "`debug`, where the schema comes from, is not what was given",
        _step(lambda kind, one, other: kind == "def" and _only("debug", one, other)),
    ),
)

ENTRY = Check(
    "dispatch.registry.OperatorEntry",
    ("steps",),
    (
        Aspect("ordinary", 4, _registration),
        Aspect("undo", 3, _deregistration),
        Aspect("refusals", 2, _refusals, needs="ordinary"),
    ),
    {
        "schema": "keep the schema, the tags as a tuple, and where it comes from; kernels may be there before",
        "kernel": "a key's kernels are a list in `self.registered`; the first kernel of a key makes the list",
        "newest": "the newest kernel of a key is the first one of its list, and the others are behind it",
        "forget": "what calls have resolved is kept in `calls` and `redispatches`: empty both after every change",
        "the last one": "a key whose last kernel is gone must not be left with an empty list",
        "exactly one": "take away the kernel that is given, wherever it is in the list; the others stay, in their "
        "order. Two kernels with one function are two kernels",
        "same dicts": "the dicts `calls` and `redispatches` are emptied and stay the same: compiled code has them",
        "place": "the message of the error has the `debug` of the first schema in it, as it is",
        "defined twice": "a second schema is refused, and the first one stays as it is, tags and debug included",
        "not registered": "this kernel is not registered at this key: refuse, and change nothing",
    },
    probe="dispatch.entries.program",
    mistakes=MISTAKES,
    words={
        "def": "register a schema with its text, tags and debug",
        "def once": "register a schema; its tags come from an iterator, which gives them only once",
        "impl": "register a new kernel of that name at the key",
        "impl again": "register a new kernel with the function of the kernel of that number, counted from 0",
        "impl same": "register the kernel of that number itself",
        "undo": "take the kernel of that number away from the key",
        "call": "the name of the kernel that a call at the key reaches",
        "redispatch": "the same for a redispatch",
    },
    program="dispatch.program.registered",
)

CHECKS = (ENTRY,)
