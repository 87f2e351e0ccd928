"""Check of SavedVariable: what a node keeps, whether it was written to since, and with which history it comes back."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.autograd.script.cases import WORDS, first_difference, leaf, numbers, unrecorded, was_raised

X = ("leaf", "x", (2,), [2, 3], True)
W = ("leaf", "w", (2,), [5, 7], True)
FIXED = ("leaf", "w", (2,), [5, 7], False)


def _case(about: str, *steps) -> Case:
    return Case((list(steps),), about)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for second in (W, FIXED):
        made = (X, second, ("do", "y", "mul", "x", "w"))
        yield _case("input", *made, ("saved", "y", "self"))
        yield _case("input", *made, ("saved", "y", "other"))
        yield _case("backward", *made, ("backward", "y", [1, 1], False), ("see", "grad", "x"), ("see", "grad", "w"))
    yield _case("input", X, ("do", "y", "mul", "x", "x"), ("do", "z", "mul", "y", "x"), ("saved", "z", "self"))
    yield _case("input", X, ("do", "y", "mul", "x", 3.0), ("do", "z", "exp", "y"), ("do", "s", "mul", "z", "y"),
                ("saved", "s", "self"), ("saved", "s", "other"), ("backward", "s", [1, 2], False),
                ("see", "grad", "x"))  # fmt: skip
    yield _case("view", X, ("do", "v", "select", "x", 0, 1), ("do", "y", "mul", "v", "v"), ("saved", "y", "self"))
    for tensor, is_output in (("x", False), ("w", False), ("y", False)):
        yield _case("input", X, FIXED, ("do", "y", "mul", "x", 2.0), ("keep", "s", tensor, is_output), ("kept", "s"),
                    ("load", "s", "y"))  # fmt: skip
    for _ in range(36):
        size = rng.randint(1, 3)
        steps = [leaf(rng, "x", (size,)), leaf(rng, "w", (size,), rng.random() < 0.6)]
        names = ["x", "w"]
        for name in "abc"[: rng.randint(1, 3)]:
            operator = rng.choice(("mul", "mul", "mul", "add", "neg"))
            operands = [names[-1] if name != "a" else "x", rng.choice(names)]
            steps.append(("do", name, operator, *operands[: 1 if operator == "neg" else 2]))
            names.append(name)
        yield _case("backward", *steps, ("backward", names[-1], numbers(rng, size), True), ("see", "grad", "x"),
                    ("see", "grad", "w"), ("backward", names[-1], numbers(rng, size), False),
                    ("see", "grad", "x"))  # fmt: skip


def _versions(rng: random.Random) -> Iterator[Case]:
    end = (("backward", "y", [1, 1], False), ("see", "grad", "x"))
    made = (X, W, ("do", "y", "mul", "x", "w"))
    yield _case("written", *made, *unrecorded(("do", "", "mul_", "w", 2.0)), *end)
    yield _case("written", *made, *unrecorded(("do", "", "mul_", "x", 2.0)), ("saved", "y", "self"),
                ("saved", "y", "other"))  # fmt: skip
    yield _case("written", *made, *unrecorded(("do", "", "neg_", "w"), ("do", "", "neg_", "w")), *end)
    yield _case("written", *made, ("do", "d", "detach", "w"), ("do", "", "zero_", "d"), *end)
    yield _case("written", X, ("do", "e", "exp", "x"), ("do", "y", "mul", "e", 1.0), ("do", "", "add_", "e", 1.0), *end)
    yield _case("written", X, ("do", "y", "exp", "x"), ("do", "", "add_", "y", 1.0), *end)
    yield _case(
        "allowed", X, ("do", "e", "mul", "x", 3.0), ("do", "y", "mul", "e", 1.0), ("do", "", "add_", "y", 1.0), *end
    )
    yield _case("allowed", *unrecorded(X, W, ("do", "", "mul_", "w", 3.0)), ("do", "y", "mul", "x", "w"),
                ("saved", "y", "other"), *end)  # fmt: skip
    yield _case("allowed", *made, ("do", "c", "clone", "w"), ("do", "", "zero_", "c"), *end)
    for tensor, is_output in (("x", False), ("y", False), ("y", True)):
        kept = (X, ("do", "y", "exp", "x"), ("keep", "s", tensor, is_output))
        late = unrecorded(("do", "", "mul_", tensor, 2.0))
        yield _case("written", *kept, *late, ("refuses", "s", "y"), ("refuses", "s", "y"))
        yield _case("allowed", X, ("do", "y", "exp", "x"), *late, ("keep", "s", tensor, is_output),
                    ("refuses", "s", "y"))  # fmt: skip
    yield _case("written", FIXED, X, ("do", "y", "exp", "x"), ("do", "v", "select", "w", 0, 1),
                ("keep", "s", "w", False), ("do", "", "zero_", "v"), ("refuses", "s", "y"))  # fmt: skip
    for at in range(40):
        size = rng.randint(2, 3)
        early = [("do", "", "mul_", "w", float(rng.randint(2, 5)))] * rng.randint(0, 2)
        steps = [leaf(rng, "x", (size,)), leaf(rng, "w", (size,)), *unrecorded(*early), ("do", "y", "mul", "x", "w")]
        write = rng.choice(("w", "view", "detached", "x", "y", "copy", "none"))
        steps += {
            "w": unrecorded(("do", "", "add_", "w", 1.0)),
            "view": unrecorded(("do", "v", "select", "w", 0, 1), ("do", "", "zero_", "v")),
            "detached": [("do", "d", "detach", "w"), ("do", "", "zero_", "d")],
            "x": unrecorded(("do", "", "mul_", "x", 2.0)),
            "y": [("do", "", "mul_", "y", 2.0)],
            "copy": [("do", "c", "clone", "w"), *unrecorded(("do", "", "zero_", "c"))],
            "none": [],
        }[write]
        steps += [("saved", "y", "other")] if at % 2 and write != "y" else []
        about = "allowed" if write in ("y", "copy", "none") else "written"
        yield _case(about, *steps, ("backward", "y", numbers(rng, size), True), ("see", "grad", "x"),
                    ("see", "grad", "w"), ("see", "version", "w"))  # fmt: skip


def _outputs(rng: random.Random) -> Iterator[Case]:
    made = (X, ("do", "y", "exp", "x"))
    yield _case("history", *made, ("saved", "y", "result"))
    yield _case("cycle", *made, ("dies", "y"))
    yield _case("cycle", X, ("do", "y", "mul", "x", 2.0), ("do", "z", "exp", "y"), ("dies", "z"))
    yield _case("cycle", X, ("do", "y", "mul", "x", "x"), ("dies", "y"))
    yield _case("history", *made, ("saved", "y", "result"), ("dies", "y"))
    yield _case("unrecorded", ("leaf", "x", (3,), [2, 5, 3], True), ("do", "both", "max", "x", 0),
                ("pick", "y", "both", 0), ("saved", "y", "indices"), ("backward", "y", [3], False),
                ("see", "grad", "x"))  # fmt: skip
    yield _case("unrecorded", ("leaf", "x", (2, 2), [2, 5, 3, 1], True), ("do", "both", "max", "x", 1),
                ("pick", "y", "both", 0), ("saved", "y", "indices"), ("backward", "y", [3, 4], False),
                ("see", "grad", "x"))  # fmt: skip
    yield _case("history", *made, ("keep", "s", "y", True), ("kept", "s"), ("load", "s", "y"), ("load", "s", "y"))
    yield _case("history", *made, ("keep", "s", "y", True), *unrecorded(("load", "s", "y")), ("load", "s", "y"))
    for tensor in ("x", "w"):
        yield _case("unrecorded", *made, FIXED, ("keep", "s", tensor, True), ("kept", "s"), ("load", "s", "y"))
    yield _case("node gone", *made, ("do", "z", "neg", "x"), ("keep", "s", "y", True), ("drop", "y"),
                ("load", "s", "z"))  # fmt: skip
    yield _case("node gone", *made, ("do", "z", "neg", "x"), ("keep", "s", "y", True), ("load", "s", "z"))
    for at in (0, 1):
        yield _case("history", X, ("do", "parts", "unbind", "x", 0), ("pick", "y", "parts", at),
                    ("keep", "s", "y", True), ("kept", "s"), ("load", "s", "y"))  # fmt: skip
    yield _case("unrecorded", ("leaf", "x", (3,), [2, 5, 3], True), ("do", "both", "max", "x", 0),
                ("pick", "y", "both", 0), ("pick", "i", "both", 1), ("keep", "s", "i", True), ("kept", "s"),
                ("load", "s", "y"))  # fmt: skip
    yield _case("of the meta", X, ("do", "y", "mul", "x", 1.0), ("do", "v", "narrow", "y", 0, 0, 1),
                ("do", "u", "narrow", "y", 0, 0, 2), ("do", "", "mul_", "v", 3.0), ("keep", "s", "u", True),
                ("kept", "s"))  # fmt: skip
    for gone in ((), (("drop", "v"),)):
        yield _case("view", X, ("do", "y", "mul", "x", 1.0), ("do", "v", "select", "y", 0, 1), ("do", "", "exp_", "v"),
                    *gone, ("grad", "y", ("x",), [1, 1], True), ("see", "history", "grad of x"),
                    ("grad", "grad of x", ("x",), [1, 1], False))  # fmt: skip
    for _ in range(36):
        size = rng.randint(1, 3)
        steps = [leaf(rng, "x", (size,))]
        steps += [("do", "a", "mul", "x", 1.0 / rng.choice((2, 4, 8)))]
        name = "a"
        for following in "bc"[: rng.randint(1, 2)]:
            steps.append(("do", following, rng.choice(("exp", "tanh", "sigmoid")), name))
            name = following
        kind = rng.choice(("history", "twice", "cycle"))
        if kind == "history":
            yield _case("history", *steps, ("saved", name, "result"))
        elif kind == "twice":
            yield _case("history", *steps, ("grad", name, ("x",), numbers(rng, size), True),
                        ("grad", "grad of x", ("x",), numbers(rng, size), False))  # fmt: skip
        else:
            yield _case("cycle", *steps, ("backward", name, numbers(rng, size), True), ("see", "grad", "x"),
                        ("dies", name))  # fmt: skip


FIELDS = {"memory": "memory", "history": "cycle", "version": "version", "output_nr": "output_nr",
          "weak_grad_fn": "weakly", "its node": "of the meta"}  # fmt: skip


def _of_one_kept(wanted: dict, got: dict) -> str:
    """Return the hint on the first field that `save` has set differently."""
    field = next(field for field in wanted if wanted[field] != got[field])
    return FIELDS.get(field) or ("input" if wanted[field] else "cycle")


def _of_one_loaded(wanted: tuple, got: tuple) -> str:
    """Return the mistake in the result of `load`: its values, which tensor it is, its history."""
    if wanted[1] != got[1]:
        return "backward"
    if wanted[2] != got[2]:
        return "input" if wanted[2] else "alias"
    return "alias" if wanted[3] != got[3] else "history"


def _of_one_saved(wanted: tuple, got: tuple) -> str:
    if len(wanted) < 7 or len(got) < 7:
        return "history"
    if wanted[6] != got[6]:
        return "input" if wanted[6] else "alias"
    return "backward" if wanted[1] != got[1] else "version" if wanted[5] != got[5] else "history"


def _differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    (kind, *_), right, given = first_difference(args, wanted, got)
    if was_raised(right) and was_raised(given):
        yield "words"
    elif was_raised(right) or was_raised(given):
        yield "written" if was_raised(right) else "allowed"
    elif kind == "kept":
        yield _of_one_kept(right, given)
    elif kind in ("load", "saved"):
        yield (_of_one_loaded if kind == "load" else _of_one_saved)(right, given)
    else:
        yield {"dies": "cycle"}.get(kind, "backward")


SAVED_VARIABLE = Check(
    "autograd.saved_variable.SavedVariable",
    ("script",),
    (
        Aspect("ordinary", 4, _ordinary),
        Aspect("versions", 4, _versions, needs="ordinary"),
        Aspect("outputs", 3, _outputs, needs="ordinary"),
    ),
    {
        "input": "what is no output with a history is kept as it is, and comes back as the very tensor that was saved",
        "alias": "an output is kept without history, like `alias(tensor)`, and comes back as a new tensor by "
        "`variable.with_edge`",
        "backward": "the numbers that are loaded are those that were saved: compare the gradient with the derivative "
        "on paper",
        "view": "a view is a tensor like others: an input is kept as it is",
        "memory": "nothing is copied: what is kept has the memory of the tensor, and its version counter",
        "version": "`self.version` is the `_version` of the tensor when it was saved",
        "output_nr": "`self.output_nr` is the meta's `output_nr` of an output that has a history, else None",
        "weakly": "the node of an output is kept by `weakref.ref`, of every other tensor not at all: None",
        "of the meta": "the node is the `grad_fn` of `tensor._autograd_meta`, as it is there",
        "written": "the version of the data now is not the one at the time of saving: load must refuse, whatever the "
        "numbers are",
        "words": "the error is right, its words are not: `self.modified(node)` makes them",
        "allowed": "nobody wrote to what was saved: another tensor was written to, or it happened before",
        "history": "an output comes back by with_edge: its gradient goes to the node that made it, as output output_nr",
        "node gone": "`weak_grad_fn()` gives the node; None if that is gone, and then it is `node`",
        "cycle": "node, saved tensor, grad_fn, node: an output must be kept without its history, and its node weakly",
        "unrecorded": "an output of integers has no history, so it is kept as it is",
    },
    probe="autograd.script.run",
    differs=_differs,
    words=WORDS,
    program="autograd.program.without_versions",
)

CHECKS = (SAVED_VARIABLE,)
