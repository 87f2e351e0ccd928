"""Checks of writes that are recorded: may this tensor be written to, and which history has its base afterwards?"""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.autograd.script.cases import WORDS, first_difference, leaf, numbers, unrecorded, was_raised

X = ("leaf", "x", (4,), [2, 3, 4, 5], True)
PLAIN = ("leaf", "x", (4,), [2, 3, 4, 5], False)
W = ("leaf", "w", (2,), [5, 7], True)


def _case(about: str, *steps) -> Case:
    return Case((list(steps),), about)


# ---- check_inplace

TENSORS = {
    "plain": ([PLAIN], "t", ("do", "t", "detach", "x")),
    "leaf": ([], "x", X),
    "result": ([X], "t", ("do", "t", "mul", "x", 2.0)),
    "result of plain": ([PLAIN], "t", ("do", "t", "mul", "x", 2.0)),
    "no longer": ([X], "x", ("do", "", "requires_grad_", "x", False)),
    "detached": ([X], "t", ("do", "t", "detach", "x")),
}
VIEWS = (("narrow", 0, 1, 2), ("select", 0, 1), ("view", 2, 2), ("unsqueeze", 0), ("t",), ("expand", 4))


def _tensor(kind: str) -> tuple[list, str]:
    """Return steps that make a tensor of a kind, and its name."""
    before, name, step = TENSORS[kind]
    return [*before, step], name


def _after(rng: random.Random, name: str) -> list:
    """Return the steps of a write: the check alone, or an operator that makes it."""
    if rng.random() < 0.5:
        return [("check", name), ("see", "version", name)]
    return [("do", "", rng.choice(("mul_", "add_")), name, 2.0), ("see", "version", name), ("see", "values", name)]


def _check_ordinary(rng: random.Random) -> Iterator[Case]:
    yield _case("plain", PLAIN, ("check", "x"), ("see", "meta", "x"))
    yield _case("plain", ("leaf", "x", (), [3], False), ("check", "x"), ("see", "meta", "x"))
    yield _case("leaf", X, ("check", "x"), ("see", "version", "x"), ("see", "history", "x"),
                ("do", "y", "mul", "x", 2.0), ("backward", "y", [1, 1, 1, 1], False), ("see", "grad", "x"))  # fmt: skip
    for _ in range(9):
        for kind in TENSORS:
            steps, name = _tensor(kind)
            about = {"leaf": "leaf", "result": "result"}.get(kind, "plain")
            wrap = rng.choice((list, list, list, lambda steps: unrecorded(*steps)))
            after = _after(rng, name)
            if wrap is not list:
                after, about = [("do", "", "mul_", name, 2.0), ("see", "values", name)], "unrecorded"
            rest = numbers(rng, 4)
            yield _case(about, *steps, *wrap(after), ("do", "", "fill_", name, float(rest[0])), ("check", name))


def _check_views(rng: random.Random) -> Iterator[Case]:
    for kind in TENSORS:
        steps, name = _tensor(kind)
        about = {"leaf": "view of a leaf", "result": "view"}.get(kind, "view of a plain")
        for view in VIEWS[:5]:
            yield _case(about, *steps, ("do", "v", view[0], name, *view[1:]), *_after(rng, "v"))
        yield _case(about, *steps, ("do", "v", "narrow", name, 0, 1, 3), ("do", "u", "select", "v", 0, 1),
                    *_after(rng, "u"))  # fmt: skip
        for splitting in (("unbind", 0), ("split", 2), ("chunk", 2)):
            several = "leaf" if kind == "leaf" else "one of several"
            yield _case(several if several != "leaf" else "view of a leaf", *steps,
                        ("do", "parts", splitting[0], name, *splitting[1:]), ("pick", "v", "parts", rng.randint(0, 1)),
                        ("check", "v"))  # fmt: skip
        yield _case("made unrecorded", *steps, *unrecorded(("do", "v", "narrow", name, 0, 1, 2)), ("check", "v"))
        yield _case("unrecorded", *steps, *unrecorded(("do", "v", "narrow", name, 0, 1, 2),
                    ("do", "", "mul_", "v", 2.0)),
                    ("see", "values", name))  # fmt: skip
    for name in ("x", "y"):
        inside = (("enter", "inference_mode"), ("do", "v", "narrow", name, 0, 1, 2), ("leave",))
        yield _case("made unrecorded", X, ("do", "y", "mul", "x", 2.0), *inside, ("check", "v"))
    yield _case("made unrecorded", PLAIN, *unrecorded(("do", "v", "narrow", "x", 0, 1, 2)),
                ("do", "u", "select", "v", 0, 0), ("check", "u"), ("see", "version", "x"))  # fmt: skip
    yield _case("view", X, W, ("do", "y", "mul", "x", 2.0), ("do", "v", "narrow", "y", 0, 0, 3),
                ("do", "u", "narrow", "y", 0, 1, 2), ("do", "", "mul_", "u", "w"), ("check", "v"), ("check", "y"),
                ("see", "history", "v"))  # fmt: skip
    for view in VIEWS[:3]:
        yield _case("written before", PLAIN, W, ("do", "v", *view[:1], "x", *view[1:]),
                    ("do", "u", "narrow", "x", 0, 0, 2),
                    ("do", "", "mul_", "u", "w"), ("check", "v"), ("check", "u"), ("check", "x"))  # fmt: skip
    yield _case("written before", PLAIN, W, ("do", "u", "narrow", "x", 0, 0, 2), ("do", "", "mul_", "u", "w"),
                ("do", "", "mul_", "u", "w"), ("backward", "x", [1, 1, 1, 1], False), ("see", "grad", "w"))  # fmt: skip


KINDS = {"leaf": "leaf", "result": "result"}


def _of_inplace(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    step, right, given = first_difference(args, wanted, got)
    if was_raised(right) and not was_raised(given) and ("pick", step[1]) in {each[:2] for each in args[0]}:
        yield "one of several"
    if was_raised(right) and was_raised(given):
        yield "other words"
    if was_raised(right) or not was_raised(given):
        yield "changed" if step[0] == "see" and not was_raised(right) else ""
        return
    makes = {each[1]: each for each in args[0] if each[0] in ("leaf", "do", "pick")}
    name = step[1] if step[0] == "check" else step[3] if step[0] == "do" else ""
    made = makes.get(name, ("",))
    if made[0] == "leaf":
        is_let_go = any(each[2:4] == ("requires_grad_", name) for each in args[0])
        yield "leaf allowed" if made[4] and not is_let_go else "plain"
    elif made[0] == "do" and made[2] in ("mul", "detach"):
        yield "result" if made[2] == "mul" and makes["x"][4] else "plain"
    else:
        yield "view" if any(each[:3] == ("do", "t", "mul") for each in args[0]) else "view of a plain"


CHECK_INPLACE = Check(
    "autograd.variable.check_inplace",
    ("script",),
    (Aspect("ordinary", 2, _check_ordinary), Aspect("views", 3, _check_views, needs="ordinary")),
    {
        "leaf": "a leaf that requires grad is what the gradient is asked for: its value must stay",
        "leaf allowed": "a leaf may be written to where nothing is recorded: the engine does not ask then",
        "result": "what an operator made may be written to: its history moves along",
        "plain": "of a tensor that does not require grad nothing is asked, and nothing about it changes",
        "unrecorded": "in no_grad nothing is recorded, and the question is not even asked",
        "view": "a view of a result may be written to: its base gets a new history",
        "view of a leaf": "to write to a view is to write to its base, and that is a leaf that requires grad",
        "view of a plain": "neither the view nor its base requires grad",
        "one of several": "check_view_is_writable must be asked of every view, also of one that does not require grad",
        "made unrecorded": "check_view_is_writable must be asked of every view, also of one that does not require grad",
        "written before": "the base has a node by now, so it is no leaf; a view whose own node is not made yet is "
        "a leaf that requires grad",
        "other words": "what `check_view_is_writable` raises goes on as it is: its text says what the view is",
        "changed": "check_inplace asks and changes nothing: no version, no node, no meta",
    },
    probe="autograd.script.run",
    differs=_of_inplace,
    words=WORDS,
    program="autograd.program.without_views",
)


# ---- CopySlices


def _geometry(rng: random.Random) -> tuple[tuple, tuple]:
    """Draw a base, dense in memory, and a view of a part of it."""
    offset = rng.choice((0, 0, 1, 3))
    if rng.random() < 0.4:
        size, step = rng.randint(3, 6), rng.randint(1, 2)
        start = rng.randint(0, 2)
        count = rng.randint(1, (size - 1 - start) // step + 1)
        return ((size,), (1,), offset), ((count,), (step,), offset + start)
    rows, columns = rng.sample((2, 3, 4), 2)
    strides = rng.choice(((columns, 1), (1, rows)))
    base = ((rows, columns), strides, offset)
    kind = rng.choice(("row", "column", "block", "transposed"))
    if kind == "row":
        return base, ((columns,), (strides[1],), offset + rng.randrange(rows) * strides[0])
    if kind == "column":
        return base, ((rows,), (strides[0],), offset + rng.randrange(columns) * strides[1])
    if kind == "transposed":
        return base, ((columns, rows), strides[::-1], offset)
    return base, ((rows - 1, columns - 1), strides, offset + strides[0] + strides[1])


def _slices(rng: random.Random, factors, needs, with_grad: bool = True) -> tuple:
    base, view = _geometry(rng)
    cells = 1
    for size in base[0]:
        cells *= size
    return ("slices", base, view, factors, [rng.randint(1, 9) for _ in range(cells)] if with_grad else None, needs)


WRITES = (("mul_", "w"), ("mul_", 3.0), ("add_", "w"), ("fill_", 2.0), ("zero_",), ("copy_", "w"), ("neg_",))


def _copy_ordinary(rng: random.Random) -> Iterator[Case]:
    end = (("backward", "y", [1, 10, 100, 1000], False), ("see", "grad", "x"), ("see", "grad", "w"))
    for base, view in (
        (((6,), (1,), 0), ((2,), (2,), 1)),
        (((2, 3), (1, 2), 3), ((3, 2), (2, 1), 3)),
        (((2, 3), (3, 1), 2), ((2,), (3,), 4)),
    ):
        yield _case("through", ("slices", base, view, (3.0,), [1, 2, 3, 4, 5, 6], [True]))
    for square in (("mul", "x"), ("exp",)):
        yield _case("twice", X, W, ("do", "y", square[0], "x", *square[1:]), ("do", "v", "narrow", "y", 0, 1, 2),
                    ("do", "", "mul_", "v", "w"), ("do", "z", "mul", "y", "y"),
                    ("grad", "z", ("x", "w"), [1, 2, 3, 4], True), ("see", "requires_grad", "grad of x"),
                    ("grad", "grad of x", ("x", "w"), [1, 1, 1, 1], False),
                    ("grad", "grad of w", ("x", "w"), [1, 1], False))  # fmt: skip
    for write in WRITES:
        yield _case("through", X, W, ("do", "y", "mul", "x", 1.0), ("do", "v", "narrow", "y", 0, 1, 2),
                    ("do", "", write[0], "v", *write[1:]), *end)  # fmt: skip
    for _ in range(26):
        yield _case("through", _slices(rng, (float(rng.randint(2, 5)),), [True]))
    for _ in range(14):
        rows, columns = rng.sample((2, 3, 4), 2)
        order = rng.choice((("mul", "x", 1.0), ("clone", "x")))
        part: tuple = rng.choice((("select", 0, rng.randrange(rows)), ("select", 1, rng.randrange(columns)), ("t",)))
        steps = [leaf(rng, "x", (rows, columns)), leaf(rng, "w", ()), ("do", "y", order[0], *order[1:]),
                 ("do", "v", part[0], "y", *part[1:])]  # fmt: skip
        for _ in range(rng.randint(1, 2)):
            steps.append(("do", "", rng.choice(("mul_", "add_")), "v", "w"))
        yield _case("through", *steps, ("backward", "y", numbers(rng, rows * columns), False), ("see", "grad", "x"),
                    ("see", "grad", "w"))  # fmt: skip


def _copy_absent(rng: random.Random) -> Iterator[Case]:
    yield _case("freed", X, ("do", "y", "mul", "x", 1.0), ("do", "v", "narrow", "y", 0, 1, 2), ("do", "", "neg_", "v"),
                ("backward", "y", [1, 2, 3, 4], False), ("backward", "y", [1, 2, 3, 4], False))  # fmt: skip
    yield _case("freed", X, ("do", "y", "mul", "x", 1.0), ("do", "v", "narrow", "y", 0, 1, 2), ("do", "", "neg_", "v"),
                ("backward", "y", [1, 2, 3, 4], True), ("backward", "y", [1, 2, 3, 4], True),
                ("see", "grad", "x"))  # fmt: skip
    yield _case("nothing came", _slices(rng, None, [True], with_grad=False))
    yield _case("not needed", _slices(rng, (2.0, 3.0), [None, 7]))
    yield _case("others", _slices(rng, (2.0, 3.0), [7, 7]))
    for _ in range(6):
        yield _case("freed", _slices(rng, None, [True]))
        yield _case("nothing came", _slices(rng, (2.0,), [True], with_grad=False))
        yield _case("nothing came", _slices(rng, (2.0, 3.0), [True, True], with_grad=False))
    for _ in range(8):
        yield _case("written zero", _slices(rng, (None,), [True]))
        yield _case("written zero", _slices(rng, (None, float(rng.randint(2, 5))), [True, True]))
        yield _case("others", _slices(rng, (2.0, 3.0, None), [True, True, True]))
        yield _case("not needed", _slices(rng, (2.0, float(rng.randint(2, 5))), [False, True]))
        yield _case("not needed", _slices(rng, (None, float(rng.randint(2, 5))), [False, True]))
    for inputs in (("w",), ("x",), ("w", "x")):
        yield _case("not needed", X, W, ("do", "y", "mul", "x", 2.0), ("do", "v", "narrow", "y", 0, 1, 2),
                    ("do", "", "mul_", "v", "w"), ("grad", "y", inputs, numbers(rng, 4), False))  # fmt: skip


def _of_slices(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    step, right, given = first_difference(args, wanted, got)
    if was_raised(right) or was_raised(given):
        return
    if step[0] != "slices":
        yield "twice" if step[1:2] == ("grad of x",) or step[1:2] == ("grad of w",) else ""
        yield "history" if step[:2] == ("see", "requires_grad") else "through"
        return
    about = next(about for field, about in OF_SLICES.items() if right[field] != given[field])
    (base_right,), (base_given,) = right["gradient of the base"], given["gradient of the base"] or ("",)
    if about != "type" and step[4] is None:
        yield "nothing came"
    elif about in ("given", "through") and base_right and base_given and base_right[1] != base_given[1]:
        yield "strides"
    elif about == "through" and base_right is None:
        yield "not needed"
    elif about == "through" and step[3][0] is None:
        yield "written zero"
    else:
        yield about


OF_SLICES = {
    "type": "type", "written was given": "given", "and that afterwards": "clone",
    "grads[0] afterwards": "grads[0]", "gradient of the base": "through", "gradients of the others": "others",
}  # fmt: skip
COPY_SLICES = Check(
    "autograd.copy_slices.CopySlices",
    ("script",),
    (Aspect("ordinary", 5, _copy_ordinary), Aspect("absent", 3, _copy_absent, needs="ordinary")),
    {
        "through": "outside of the view the gradient goes on unchanged; inside it is what the node of the write "
        "returns for that part; both offsets count",
        "type": "a tuple comes back, with a gradient or None for each of next_edges",
        "given": "`written` is given the part of the gradient where the view is, alone in a list, and `needs` as it is",
        "clone": "what `written` was given has changed afterwards: give it a clone of the part",
        "grads[0]": "the gradient that came in has changed: work on a copy",
        "strides": "the copy has the sizes and the strides of the base, whatever strides the gradient has: "
        "`at.new_empty_strided`, then `at.copy_`",
        "twice": "the second gradient: what is done to a gradient must be recorded where the pass is, so nothing "
        "may be "
        "detached",
        "history": "the gradient has no history: make it by the operators on tensors that are named, and detach "
        "nothing",
        "freed": "without `written` there is nothing to go through: RuntimeError",
        "nothing came": "no gradient has come, so none goes on: a None for each of next_edges",
        "written zero": "`written` returned None for the view: no gradient goes through what was overwritten, so zeros",
        "others": "what `written` returns after the first goes on as it is",
        "not needed": "needs[0] is false: None comes first, but `written` runs for its other inputs",
    },
    probe="autograd.script.run",
    differs=_of_slices,
    words=WORDS,
    program="autograd.program.run",
)


# ---- rebase_view


def _rebase_ordinary(rng: random.Random) -> Iterator[Case]:
    y = ("do", "y", "mul", "x", 1.0)
    v = ("do", "v", "narrow", "y", 0, 1, 2)
    write = ("do", "", "mul_", "v", 3.0)
    yield _case("base", X, y, v, write, ("see", "history", "y"))
    yield _case("view", X, y, v, write, ("see", "history", "v"))
    yield _case("base", X, y, v, write, ("backward", "y", [1, 1, 1, 1], False), ("see", "grad", "x"))
    yield _case("view", X, y, v, write, ("backward", "v", [1, 1], False), ("see", "grad", "x"))
    yield _case("other view", X, y, v, ("do", "u", "narrow", "y", 0, 0, 2), write, ("see", "history", "u"),
                ("backward", "u", [1, 10], False), ("see", "grad", "x"))  # fmt: skip
    yield _case("again", PLAIN, W, ("do", "v", "narrow", "x", 0, 1, 2), ("do", "", "mul_", "v", "w"),
                ("see", "requires_grad", "x"), ("do", "", "mul_", "v", "w"),
                ("backward", "x", [1, 1, 1, 1], False), ("see", "grad", "w"))  # fmt: skip
    for _ in range(36):
        size = rng.randint(3, 5)
        is_plain = rng.random() < 0.3
        steps = [leaf(rng, "x", (size,), not is_plain), leaf(rng, "w", ())]
        base = "x" if is_plain else "y"
        steps += [] if is_plain else [("do", "y", "mul", "x", float(rng.randint(2, 4)))]
        starts = [rng.randint(0, size - 2) for _ in range(2)]
        names = ("v", "u")
        steps += [("do", name, "narrow", base, 0, at, 2) for name, at in zip(names, starts, strict=True)]
        if rng.random() < 0.4:
            steps.append(("do", "u", "select", "v", 0, rng.randint(0, 1)))
        steps.append(("do", "", rng.choice(("mul_", "add_")), "v", "w"))
        if rng.random() < 0.5:
            steps.append(("do", "", "mul_", "v", "w"))
        seen = rng.choice((base, "v", "u"))
        count = {base: size, "v": 2, "u": 1 if steps[-2][:2] == ("do", "u") or steps[-3][:2] == ("do", "u") else 2}[
            seen
        ]
        about = {base: "base", "v": "view", "u": "other view"}[seen]
        is_scalar = any(step[:3] == ("do", "u", "select") for step in steps)
        count = 1 if seen == "u" and is_scalar else 2 if seen == "u" else count
        yield _case(about, *steps, ("see", "history", seen), ("backward", seen, numbers(rng, count), False),
                    ("see", "grad", "x"), ("see", "grad", "w"))  # fmt: skip


def _rebase_refusals(rng: random.Random) -> Iterator[Case]:
    for _ in range(14):
        size = rng.randint(2, 4)
        start = [leaf(rng, "x", (size,)), ("do", "y", "mul", "x", 2.0)]
        factor = float(rng.randint(2, 5))
        after = [("rebase", "v", factor), ("see", "history", "y")]
        yield _case("one of several", *start, ("do", "parts", "unbind", "y", 0),
                    ("pick", "v", "parts", rng.randrange(size)), *after)  # fmt: skip
        yield _case("one of several", *start, ("do", "parts", "split", "y", 1),
                    ("pick", "v", "parts", rng.randrange(size)), *after)  # fmt: skip
        yield _case("made unrecorded", *start, *unrecorded(("do", "v", "select", "y", 0, rng.randrange(size))), *after)
        yield _case("base", *start, ("do", "v", "select", "y", 0, rng.randrange(size)), *after, ("see", "history", "v"))


def _of_rebase(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    step, right, given = first_difference(args, wanted, got)
    if was_raised(right) and was_raised(given):
        yield "asked late"
    elif was_raised(right):
        yield "one of several"
    elif step[0] == "do" and was_raised(given):
        yield "again"
    elif step[:2] == ("see", "history"):
        is_made = step[2] == "v" and right[1] and given[1] and right[1][0] == given[1][0]
        yield "behind the view" if is_made else {"v": "view", "u": "other view"}.get(step[2], "base")
    elif not was_raised(right) and not was_raised(given):
        yield "gradients"


REBASE_VIEW = Check(
    "autograd.copy_slices.rebase_view",
    ("script",),
    (Aspect("ordinary", 2, _rebase_ordinary), Aspect("refusals", 1, _rebase_refusals, needs="ordinary")),
    {
        "base": "everything that looks at the base sees the write: the base was made by a CopySlices now",
        "view": "after the write the view is a view of the base as it is now: make_view_node",
        "behind the view": "the view has a node of its own, but behind that is another history: the base is made by "
        "the CopySlices before `make_view_node` is called",
        "other view": "another view asks for the base's node; if that is the new one, it sees the write",
        "again": "the view needs its own node at once: to write again, check_inplace asks whether it is a leaf",
        "gradients": "the histories are right, the gradients are not: the CopySlices is made for the part that the "
        "view "
        "is, `geometry_of(tensor)`",
        "asked late": "it is right to refuse this, but before anything is changed, the node included: to make a "
        "CopySlices changes it",
        "one of several": "check_view_is_writable refuses this view: ask before anything is changed",
        "made unrecorded": "check_view_is_writable refuses this view: ask before anything is changed",
    },
    probe="autograd.script.run",
    differs=_of_rebase,
    words=WORDS,
    program="autograd.program.run",
)

CHECKS = (CHECK_INPLACE, COPY_SLICES, REBASE_VIEW)
