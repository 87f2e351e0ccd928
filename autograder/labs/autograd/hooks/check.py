"""Check of register_hook: where hooks of a tensor stand, and what they see."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.autograd.script.cases import leaf, numbers

X = ("leaf", "x", (2,), [2, 3], True)
END = (("backward", "z", [1, 10], True), ("log",), ("see", "grad", "x"))


def _case(about: str, *steps) -> Case:
    return Case((list(steps),), about)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    made = (X, ("do", "y", "mul", "x", 2.0), ("do", "z", "mul", "y", 3.0))
    for answer in (None, 5.0):
        yield _case("result", *made, ("hook", "h", "y", "of y", answer), *END)
        yield _case("leaf", *made, ("hook", "h", "x", "of x", answer), *END)
        yield _case("result", *made, ("hook", "h", "z", "of z", answer), *END)
    yield _case("output", X, ("do", "parts", "unbind", "x", 0), ("pick", "y", "parts", 1),
                ("hook", "h", "y", "of y", 5.0),
                ("pick", "u", "parts", 0), ("do", "z", "mul", "y", "u"), ("backward", "z", [1], False), ("log",),
                ("see", "grad", "x"))  # fmt: skip
    for _ in range(36):
        size = rng.randint(1, 3)
        steps = [leaf(rng, "x", (size,)), ("do", "y", "mul", "x", float(rng.randint(2, 5)))]
        steps.append(("do", "z", "mul", "y", rng.choice(("x", "y"))))
        if rng.random() < 0.3 and size > 1:
            at = rng.randrange(size)
            steps += [("do", "parts", "unbind", "z", 0), ("pick", "p", "parts", at), ("do", "q", "mul", "p", 2.0)]
            steps += [("hook", "h", "p", "of p", rng.choice((None, 3.0)))]
            end, count, about = "q", 1, "output"
        else:
            end, count, about = "z", size, "result"
        for at in range(rng.randint(1, 3)):
            tensor = rng.choice("xyz")
            steps.append(("hook", f"h{at}", tensor, f"{at}, of {tensor}", rng.choice((None, 2.0, 3.0))))
            about = "several" if at else about
        yield _case(about, *steps, ("backward", end, numbers(rng, count), False), ("log",), ("see", "grad", "x"))


def _lasting(rng: random.Random) -> Iterator[Case]:
    yield _case("refused", ("leaf", "x", (2,), [2, 3], False), ("hook", "h", "x", "of x", None))
    yield _case(
        "refused", ("leaf", "x", (2,), [2, 3], False), ("do", "y", "mul", "x", 2.0), ("hook", "h", "y", "of y", 2.0)
    )
    yield _case("before the graph", X, ("hook", "h", "x", "of x", 5.0), ("do", "z", "mul", "x", 2.0), *END)
    for _ in range(40):
        size = rng.randint(1, 3)
        steps, about = [leaf(rng, "x", (size,))], "again"
        hooks = [("hook", f"h{at}", "x", f"{at}", rng.choice((None, 2.0, 3.0))) for at in range(rng.randint(1, 2))]
        steps += hooks[:1] + [("do", "y", "mul", "x", 3.0)] + hooks[1:]
        if rng.random() < 0.3:
            steps += [("hook", "w", "y", "before the write", None), ("do", "", "mul_", "y", 2.0)]
            steps += [("hook", "a", "y", "after the write", rng.choice((None, 2.0)))]
            about = "written"
        steps += [("backward", "y", numbers(rng, size), False), ("log",), ("drop", "y")]
        if rng.random() < 0.5:
            steps.append(("remove", "h0"))
            about = "removed" if about == "again" else about
        steps += [("do", "y", "mul", "x", 7.0), ("backward", "y", numbers(rng, size), False), ("log",)]
        yield _case(about, *steps, ("see", "grad", "x"))


REGISTER_HOOK = Check(
    "autograd.python_variable.register_hook",
    ("script",),
    (Aspect("ordinary", 2, _ordinary), Aspect("lasting", 2, _lasting, needs="ordinary")),
    {
        "result": "the hooks of a result stand at the node that made it, under its output_nr",
        "leaf": "a leaf has no grad_fn: its accumulator calls the hooks",
        "output": "a node may have made several tensors: its hooks are kept by output_nr",
        "several": "a second hook comes behind the first, in the same dict, and sees what that made",
        "refused": "a tensor that does not require grad will never have a gradient: RuntimeError",
        "before the graph": "the accumulator may not be there yet, or be made anew: the hooks belong to the leaf",
        "again": "the accumulator may go with the graph and be made anew: the hooks belong to the leaf",
        "written": "a write gives a tensor a new node: hooks stay with the node they were given to",
        "removed": "add_hook makes the handle for the dict that it entered the hook in",
    },
    probe="autograd.script.run",
)

CHECKS = (REGISTER_HOOK,)
