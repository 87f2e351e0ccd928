"""Check of record: one call of a Function, from its arguments to its results with history."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.autograd.script.cases import numbers

X = ((2,), [2, 3], True)
Y = ((2,), [5, 7], True)
FIXED = ((2,), [5, 7], False)


def _input(rng: random.Random, size: int, requires_grad: bool = True) -> tuple:
    return ((size,), numbers(rng, size), requires_grad)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for name in ("square", "cube", "exp", "one", "same"):
        yield Case(([X], [(name, "0")], [1, 10]), "chain")
        yield Case(([FIXED], [(name, "0")], None), "nothing requires grad")
        yield Case(([X], [("no_grad",), (name, "0")], None), "unrecorded")
    yield Case(([X], [("scale", 3.0, "0")], [1, 10]), "a number")
    yield Case(([X, Y], [("both", "0", "1")], [1, 10]), "tuple")
    for _ in range(34):
        size = rng.randint(1, 3)
        inputs = [_input(rng, size), _input(rng, size, rng.random() < 0.6)]
        names, calls, about = ["0", "1"], [], "chain"
        for at in range(rng.randint(1, 3)):
            name = rng.choice(("square", "cube", "scale", "both", "one", "same"))
            first = names[-1] if at else rng.choice(("0", "0", "1"))
            calls.append({"scale": ("scale", float(rng.randint(2, 5)), first),
                          "both": ("both", first, rng.choice(names))}
                         .get(name, (name, first)))  # fmt: skip
            about = {"scale": "a number", "both": "tuple", "one": "tuple"}.get(name, about)
            names.append("abcdefgh"[at])
        yield Case((inputs, calls, numbers(rng, size)), about)


def _saved(rng: random.Random) -> Iterator[Case]:
    yield Case(([X], [("exp", "0"), ("drop", "a")], None), "cycle")
    yield Case(([X], [("square", "0"), ("write", "0")], None), "written")
    yield Case(([X], [("square", "0"), ("scale", 1.0, "a"), ("write", "0")], [1, 1]), "written")
    yield Case(([X], [("square", "0"), ("scale", 1.0, "a"), ("write", "a")], None), "written")
    yield Case(([X], [("number", "0")], None), "not a tensor")
    yield Case(([FIXED], [("number", "0")], None), "nothing requires grad")
    yield Case(([X], [("no_grad",), ("number", "0")], None), "nothing requires grad")
    for _ in range(38):
        size = rng.randint(1, 3)
        name = rng.choice(("square", "cube", "exp", "both", "scale"))
        extra = {"both": ("0", "1"), "scale": (float(rng.randint(2, 5)), "0", rng.choice(("1", None)))}.get(
            name, ("0",)
        )
        inputs = [_input(rng, size), _input(rng, size)]
        kind = rng.choice(("cycle", "written", "unrecorded", "twice"))
        calls = [(name, *extra)]
        if kind == "cycle":
            yield Case((inputs, [*calls, ("drop", "a")], None), "cycle")
        elif kind == "written":
            yield Case((inputs, [("write", rng.choice("01")), *calls, ("square", "a"), ("write", rng.choice("01a")),
                                 ("scale", 1.0, "b")], numbers(rng, size)), "written")  # fmt: skip
        elif kind == "unrecorded":
            yield Case((inputs, [("no_grad",), *calls, ("grad",), ("square", "a")], None), "unrecorded")
        else:
            yield Case((inputs, [*calls, (name, *extra), ("both", "a", "b")], numbers(rng, size)), "saved")


def _modes(rng: random.Random) -> Iterator[Case]:
    for _ in range(10):
        size = rng.randint(1, 3)
        inputs = [_input(rng, size, rng.random() < 0.7)]
        yield Case((inputs, [("fails", "0"), ("square", "0")], None), "raises")
        yield Case((inputs, [("no_grad",), ("fails", "0"), ("square", "0")], None), "raises")
        yield Case((inputs, [("cube", "0"), ("no_grad",), ("cube", "0")], None), "no_grad inside")
        yield Case((inputs, [("scale", 2.0, "0"), ("square", "a")], None), "no_grad inside")


RECORD = Check(
    "autograd.function.record",
    ("inputs", "calls", "cotangents"),
    (
        Aspect("ordinary", 2, _ordinary),
        Aspect("saved", 1, _saved, needs="ordinary"),
        Aspect("modes", 1, _modes, needs="ordinary"),
    ),
    {
        "chain": "the results are those that wrap_outputs returned: only they have the node",
        "a number": "an argument may be anything: ask for requires_grad of tensors only",
        "tuple": "a tuple comes back as a tuple, also with one element; a single value as it is",
        "nothing requires grad": "nothing requires grad: nothing is recorded or saved, and forward runs in no_grad",
        "unrecorded": "in no_grad nothing is recorded, and nothing saved",
        "cycle": "a result that is saved is an output of the node: SavedVariable must know, or both stay alive",
        "written": "what was saved is compared with its version: save after wrap_outputs, by SavedVariable",
        "saved": "ctx.saved is a tuple with an entry for each of tensors_to_save",
        "not a tensor": "tensors_to_save refuses what is no tensor",
        "raises": "an error in `forward` goes on its way, and the grad mode is as it was",
        "no_grad inside": "`forward` runs unrecorded, and what it does is not part of the graph",
    },
    probe="autograd.functions.trace",
)

CHECKS = (RECORD,)
