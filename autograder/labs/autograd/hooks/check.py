"""Check of register_hook: where hooks of a tensor stand, and what they see."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.autograd.script.cases import WORDS, first_difference, leaf, numbers, was_raised

X = ("leaf", "x", (2,), [2, 3], True)
PLAIN = ("leaf", "x", (2,), [2, 3], False)
W = ("leaf", "w", (2,), [5, 7], True)
UNRECORDED = (("enter", "no_grad"), ("do", "v", "narrow", "x", 0, 0, 1), ("leave",))
END = (("backward", "z", [1, 10], True), ("log",), ("see", "grad", "x"))


def _case(about: str, *steps) -> Case:
    return Case((list(steps),), about)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    made = (X, ("do", "y", "mul", "x", 2.0), ("do", "z", "mul", "y", 3.0))
    for answer in (None, 5.0):
        yield _case("result", *made, ("hook", "h", "y", "of y", answer), *END)
        yield _case("leaf", *made, ("hook", "h", "x", "of x", answer), *END)
        yield _case("result", *made, ("hook", "h", "z", "of z", answer), *END)
    for tensor, about in (("x", "leaf"), ("y", "result")):
        yield _case(about, *made, ("enter", "no_grad"), ("hook", "h", tensor, "in no_grad", 5.0), ("leave",), *END)
    for at in (0, 1):
        other = ("pick", "u", "parts", 1 - at), ("hook", "g", "u", "of u", 2.0)
        yield _case("output", X, ("do", "parts", "unbind", "x", 0), ("pick", "y", "parts", at),
                    ("hook", "h", "y", "of y", 5.0), *other, ("do", "z", "mul", "y", "u"),
                    ("backward", "z", [1], False),
                    ("log",), ("see", "grad", "x"))  # fmt: skip
    yield _case("several", X, ("do", "z", "mul", "x", 2.0), ("hook", "a", "x", "first", 2.0),
                ("hook", "b", "x", "second", None), ("hook", "c", "x", "third", 3.0), *END)  # fmt: skip
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
    # A view whose base was written to since: its node is made anew when somebody asks for it.
    yield _case("view", PLAIN, W, ("do", "v", "narrow", "x", 0, 0, 2), ("do", "", "mul_", "x", "w"),
                ("hook", "h", "v", "of v", 5.0), ("do", "z", "mul", "v", 3.0), *END[:2],
                ("see", "grad", "w"))  # fmt: skip
    yield _case("view", X, W, ("do", "y", "mul", "x", 1.0), ("do", "v", "narrow", "y", 0, 0, 2),
                ("do", "", "mul_", "y", "w"), ("hook", "h", "v", "of v", 5.0), ("do", "z", "mul", "v", 3.0), *END,
                ("see", "grad", "w"))  # fmt: skip
    # A view that nothing recorded requires grad, through its base, and has no node: a hook of it never runs.
    yield _case("view", X, *UNRECORDED, ("hook", "h", "v", "of v", 5.0), ("do", "z", "mul", "x", 3.0), *END)
    yield _case("refused", ("leaf", "x", (2,), [2, 3], False), ("hook", "h", "x", "of x", None))
    yield _case(
        "refused", ("leaf", "x", (2,), [2, 3], False), ("do", "y", "mul", "x", 2.0), ("hook", "h", "y", "of y", 2.0)
    )
    yield _case("refused", PLAIN, ("hook", "h", "x", "of x", 5.0), ("do", "", "requires_grad_", "x"),
                ("do", "z", "mul", "x", 2.0), *END)  # fmt: skip
    yield _case("refused", PLAIN, *UNRECORDED, ("hook", "h", "v", "of v", None))
    for tensor in ("x", "y"):
        made = (X, ("do", "y", "mul", "x", 3.0), ("do", "z", "mul", "y", 2.0))
        hooks = [("hook", each, tensor, each, answer) for each, answer in (("a", None), ("b", "a"), ("c", 2.0))]
        yield _case("removed", *made, *hooks, ("backward", "z", [1, 10], True), ("log",),
                    ("backward", "z", [1, 10], True), ("log",), ("see", "grad", "x"))  # fmt: skip
        yield _case("removed", *made, *hooks[::2], ("remove", "c"), *END, ("remove", "c"), ("remove", "a"), *END)
        yield _case("again", *made, hooks[2], *END, ("hook", "d", tensor, "d", 3.0), *END)
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


def _differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    steps = args[0]
    step, right, given = first_difference(args, wanted, got)
    if was_raised(right) or was_raised(given):
        yield "allowed" if was_raised(given) else ""
        return
    if given == "no handle":
        yield "handle"
    made = {each[1]: each for each in steps if each[0] in ("leaf", "do", "pick")}
    if any(each[:2] == ("do", "v") for each in steps):
        yield "view"
    elif any(each[0] == "pick" for each in steps):
        yield "output"
    elif any(each[0] == "remove" or each[0] == "hook" and isinstance(each[4], str) for each in steps):
        yield "removed"
    elif any(each[:3] == ("do", "", "mul_") for each in steps):
        yield "written"
    elif sum(each[0] == "backward" for each in steps) > 1:
        yield "again"
    else:
        hooked = [made[each[2]][0] for each in steps if each[0] == "hook"]
        yield "several" if len(hooked) > 1 else "leaf" if hooked == ["leaf"] else "result"


REGISTER_HOOK = Check(
    "autograd.python_variable.register_hook",
    ("script",),
    (Aspect("ordinary", 2, _ordinary), Aspect("lasting", 2, _lasting, needs="ordinary")),
    {
        "result": "the hooks of a result belong to the node that made it, and are there under its output_nr",
        "leaf": "a leaf has no grad_fn: its accumulator calls the hooks, from the dict that the leaf has",
        "output": "a node may have made several tensors: its hooks are kept by output_nr",
        "several": "a second hook comes behind the first, in the same dict, and sees what that made",
        "view": "`variable.requires_grad` and `variable.grad_fn` know all about views: one whose base was written to "
        "has a new node; one that nothing recorded may require grad and have none, like a leaf",
        "handle": "`add_hook` makes the handle: return it",
        "refused": "a tensor that does not require grad will never have a gradient: RuntimeError, before anything is "
        "entered",
        "allowed": "this tensor requires grad, as `variable.requires_grad` says: nothing is to be refused",
        "before the graph": "the accumulator may not be there yet, or be made anew: the hooks belong to the leaf",
        "again": "hooks stay for the next backward pass, also where the accumulator of a leaf goes with the graph and "
        "is made anew: leaf and accumulator have one dict",
        "written": "a write gives a tensor a new node: hooks stay with the node they were given to",
        "removed": "add_hook makes the handle for the dict that it entered the hook in: that must be the very dict "
        "that the node looks into",
    },
    probe="autograd.script.run",
    differs=_differs,
    words=WORDS,
    program="autograd.program.without_lasting_hooks",
)

CHECKS = (REGISTER_HOOK,)
