"""Check of set_grad_enabled: programs of calls, blocks and decorated functions."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check


def _case(about: str, *steps) -> Case:
    return Case((list(steps),), about)


def _mode(rng: random.Random):
    return rng.choice((True, False, False))


def _blocks(rng: random.Random) -> Iterator[Case]:
    yield _case("at once", ("make", "a", False))
    yield _case("at once", ("make", "a", False), ("make", "b", True))
    yield _case("block", ("make", "a", False), ("enter", "a"), ("leave", "a", False))
    yield _case("error", ("make", "a", False), ("enter", "a"), ("leave", "a", True))
    yield _case("set again", ("make", "a", False), ("others", True), ("enter", "a"), ("leave", "a", False))
    yield _case("error", ("make", "a", False), ("enter", "a"), ("leave", "a", "interrupt"))
    yield _case("nested", ("make", "a", False), ("make", "b", True), ("enter", "a"), ("enter", "b"),
                ("leave", "a", False), ("leave", "b", False))  # fmt: skip
    yield _case("nested", ("make", "a", False), ("enter", "a"), ("make", "b", True), ("leave", "a", False),
                ("enter", "b"), ("leave", "b", True))  # fmt: skip
    yield _case("again", ("make", "a", False), ("enter", "a"), ("leave", "a", False), ("enter", "a"),
                ("leave", "a", False))  # fmt: skip
    yield _case("again", ("others", False), ("make", "a", True), ("enter", "a"), ("leave", "a", False),
                ("others", True), ("enter", "a"), ("leave", "a", False))  # fmt: skip
    no_bools: tuple = (0, 1, "", "yes", None, [])
    for mode in no_bools:
        yield _case("a bool", ("make", "a", mode))
        yield _case("a bool", ("make", "a", mode), ("others", True), ("enter", "a"), ("leave", "a", False))
    for _ in range(30):
        names = "abc"[: rng.randint(1, 3)]
        steps, error = [], False
        for name in names:
            steps += [("others", _mode(rng))] * (rng.random() < 0.3) + [("make", name, _mode(rng))]
            steps += [("others", _mode(rng))] * (rng.random() < 0.4) + [("enter", name)]
        for name in reversed(names):
            error = rng.random() < 0.3
            steps.append(("leave", name, error))
        yield _case("nested" if len(names) > 1 else "error" if error else "block", *steps)


def _functions(rng: random.Random) -> Iterator[Case]:
    yield _case("decorator", ("make", "a", False), ("decorate", "a", "f", "plain"))
    yield _case("decorator", ("make", "a", False), ("decorate", "a", "f", "plain"), ("call", "f", 1))
    yield _case("decorator", ("make", "a", False), ("decorate", "a", "f", "raises"), ("call", "f", 1))
    yield _case("generator", ("make", "a", False), ("decorate", "a", "f", "generator"), ("next", "f"), ("next", "f"))
    yield _case("generator", ("make", "a", False), ("decorate", "a", "f", "generator"), ("next", "f"),
                ("others", False), ("next", "f"), ("next", "f"), ("next", "f"), ("next", "f"))  # fmt: skip
    for mode in (False, True):
        yield _case("class", ("others", not mode), ("make", "a", mode), ("decorate", "a", "f", "class"),
                    ("call", "f", 1), ("call", "f", 2))  # fmt: skip
        yield _case("decorator", ("others", not mode), ("make", "a", mode), ("decorate", "a", "f", "nested"),
                    ("call", "f", 2), ("others", mode), ("call", "f", 1))  # fmt: skip
        yield _case("decorator", ("make", "a", mode), ("others", False), ("decorate", "a", "f", "plain"),
                    ("call", "f", 1))  # fmt: skip
        yield _case("decorator", ("make", "a", mode), ("decorate", "a", "f", "plain"),
                    ("decorate", "a", "g", "plain"), ("call", "f", 1), ("call", "g", 2))  # fmt: skip
    for _ in range(36):
        outside, mode, later = _mode(rng), _mode(rng), _mode(rng)
        kind = rng.choice(("plain", "plain", "raises", "generator"))
        steps = [("others", outside), ("make", "a", mode), ("decorate", "a", "f", kind)]
        if kind == "generator":
            steps += [("next", "f"), ("others", later), ("next", "f"), ("next", "f"), ("next", "f")]
        else:
            steps += [("call", "f", 1), ("others", later), ("call", "f", 2)]
        if rng.random() < 0.3:
            steps += [("make", "b", _mode(rng)), ("next", "f") if kind == "generator" else ("call", "f", 3)]
        yield _case("generator" if kind == "generator" else "decorator", *steps)


def _differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    steps = args[0]
    number, key = next((at, key) for at, key in enumerate(wanted) if wanted[key] != got[key])
    (kind, *_), (right, _), (given, mode) = steps[number], wanted[key], got[key]
    kinds = [step[3] for step in steps if step[0] == "decorate"]
    if type(mode) is not bool:
        yield "a bool"
    elif kind == "make":
        yield "at once"
    elif kind == "enter":
        yield "set again"
    elif kind == "leave":
        before = steps[:number]
        if given != right:
            yield "swallowed"
        elif steps[number][2]:
            yield "error"
        elif sum(step[:2] == ("enter", steps[number][1]) for step in before) > 1:
            yield "again"
        else:
            yield "nested" if sum(step[0] == "make" for step in before) > 1 else "block"
    elif kind == "decorate":
        yield "decorator" if given == right else "function"
    elif given == right:
        yield "after a run"
    else:
        yield kinds[0] if kinds[0] in ("generator", "class") else "function"


SET_GRAD_ENABLED = Check(
    "autograd.grad_mode.set_grad_enabled",
    ("program",),
    (Aspect("blocks", 2, _blocks), Aspect("functions", 2, _functions, needs="blocks")),
    {
        "at once": "the call itself sets the mode, without a block",
        "block": "the end of the block puts back the mode from before the call, not from before the block",
        "error": "the end of the block puts back the mode from before the call, after any error, too",
        "swallowed": "an exception ends the block and goes on its way: return nothing that is true",
        "set again": "the beginning of the block sets the mode again, since somebody may have changed it",
        "nested": "each object has its own mode from before its call, also where blocks end in another order",
        "again": "the mode from before the call is remembered for all blocks of this object",
        "a bool": "state.grad_mode is a bool, whatever `mode` was",
        "decorator": "to decorate sets nothing: the mode from before the call comes back",
        "after a run": "after a run of the function the mode outside is as it was: the end of a block puts it back",
        "function": "each run of a decorated function is in the mode; outside nothing changes, and what it returns or "
        "raises goes on",
        "generator": "ContextDecorator.__call__ knows about generators, whose every step is in the mode: hand the "
        "function on",
        "class": "ContextDecorator.__call__ knows about classes, too, whose objects are made in the mode: hand it on",
    },
    probe="autograd.modes.trace",
    differs=_differs,
    words={
        "make": "('make', 'a', mode) is a = set_grad_enabled(mode)",
        "enter": "('enter', 'a') begins the block `with a:`",
        "leave": "('leave', 'a', error) ends it: False without an error, True with one, 'interrupt' with one that "
        "is no "
        "Exception; True comes back if the error was swallowed",
        "others": "('others', mode): somebody else sets the grad mode",
        "decorate": "('decorate', 'a', 'f', kind) is f = a(function): 'plain' returns its number and the grad mode in "
        "it, 'raises' raises ValueError, 'nested' calls f again, 'generator' has three steps, 'class' is a class",
        "call": "('call', 'f', 1) is f(1)",
        "next": "('next', 'f') is the next step of the generator f(3)",
    },
    program="autograd.program.without_decorators",
)

CHECKS = (SET_GRAD_ENABLED,)
