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


SET_GRAD_ENABLED = Check(
    "autograd.grad_mode.set_grad_enabled",
    ("program",),
    (Aspect("blocks", 2, _blocks), Aspect("functions", 2, _functions, needs="blocks")),
    {
        "at once": "the call itself sets the mode, without a block",
        "block": "the end of the block puts back the mode from before the call, not from before the block",
        "error": "an exception ends the block too, and goes on its way: return nothing that is true",
        "set again": "somebody has changed the mode since the call: the beginning of the block sets it again",
        "nested": "each has its own `before`",
        "a bool": "state.grad_mode is a bool, whatever `mode` was",
        "decorator": "to decorate sets nothing: the mode from before the call comes back, and each run sets its own",
        "generator": "ContextDecorator.__call__ knows about generators: hand the function on",
    },
    probe="autograd.modes.trace",
)

CHECKS = (SET_GRAD_ENABLED,)
