"""Checks of gradients on their way: formulas, sums over what was broadcast, and what becomes of `.grad`."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

POWERS = (0.25, 0.5, 2.0, 4.0)  # quotients of these are exact, in whatever order they are taken
SHAPES = ((1,), (3,), (2, 2))
FORMULAS = {"mul": 2, "div_self": 2, "div_other": 3, "exp": 2, "log": 2, "sqrt": 2}


def _filled(rng: random.Random, shape: tuple[int, ...], choices: tuple[float, ...]) -> Any:
    """Draw nested lists with the given shape, or a single number for the shape ()."""
    if not shape:
        return rng.choice(choices)
    return [_filled(rng, shape[1:], choices) for _ in range(shape[0])]


def _arguments(rng: random.Random, name: str, shape: tuple[int, ...]) -> list[list]:
    """Draw `grad`, then positive powers of two; of different signs where the formula takes them."""
    signed = tuple(sign * value for value in POWERS for sign in (1, -1))
    others = POWERS if name in ("exp", "log", "sqrt") else signed
    grad = _filled(rng, shape, (3.0, -5.0, 0.5, 7.0, -1.0))
    return [grad, *(_filled(rng, shape, others) for _ in range(FORMULAS[name] - 1))]


def _matrices(rng: random.Random, name: str, n: int, i: int, k: int, j: int) -> list[list]:
    numbers = (-3.0, -2.0, 1.0, 2.0, 5.0)
    other = (n, k, j) if name == "bmm_self" else (n, i, k)
    return [_filled(rng, (n, i, j), numbers), _filled(rng, other, numbers)]


def _formulas_ordinary(rng: random.Random) -> Iterator[Case]:
    for name in FORMULAS:
        for shape in (*SHAPES, *(rng.choice(SHAPES) for _ in range(5))):
            yield Case((name, _arguments(rng, name, shape)), name)
    yield Case(("mul", [[3.0, 5.0], [2.0]]), "broadcast")
    yield Case(("div_other", [[[3.0], [5.0]], [2.0, 4.0], [[0.5], [-2.0]]]), "broadcast")
    for name in ("bmm_self", "bmm_mat2"):
        for n, i, k, j in ((1, 1, 1, 1), (1, 2, 1, 3), (1, 1, 3, 2), (2, 2, 3, 1)):
            yield Case((name, _matrices(rng, name, n, i, k, j)), name)
        for _ in range(4):
            yield Case((name, _matrices(rng, name, *(rng.randint(1, 3) for _ in range(4)))), name)


def _formulas_twice(rng: random.Random) -> Iterator[Case]:
    for name in FORMULAS:
        for shape in ((1,), (1,), *(rng.choice(SHAPES) for _ in range(5))):
            weights = _filled(rng, shape, (1.0, -2.0, 3.0))
            yield Case((name, _arguments(rng, name, shape), weights), "twice")
    for name in ("bmm_self", "bmm_mat2"):
        for _ in range(4):
            n, i, k, j = (rng.randint(1, 2) for _ in range(4))
            weights = _filled(rng, (n, i, k) if name == "bmm_self" else (n, k, j), (1.0, -2.0, 3.0))
            yield Case((name, _matrices(rng, name, n, i, k, j), weights), "twice")


def _of_formula(args: tuple, wanted: Any, got: Any) -> Iterator[str]:
    name, *_ = args
    if "gradients" in wanted:
        yield _of_second(wanted["gradients"], got["gradients"])
    elif not isinstance(got["gradient"], np.ndarray):
        yield "nothing" if got["gradient"] is None else "type"
    elif got["gradient"].shape != wanted["gradient"].shape:
        yield name if name.startswith("bmm") else "sizes"
    elif got["gradient"].tobytes() == wanted["gradient"].tobytes():
        yield "arguments"
    else:
        yield name


def _of_second(right: list, given: Any) -> str:
    """Return the mistake in the gradients of a formula with respect to its arguments."""
    if type(given) is not list:
        return "no history" if given == "no history" else "nothing" if given is None else "type"
    is_missing = any(one is not None and other is None for one, other in zip(right, given, strict=True))
    return "detached" if is_missing else "twice"


DERIVATIVES = Check(
    "autograd.functions_manual.elementary.Derivatives",
    ("formula", "arguments", "weights"),
    (
        Aspect("ordinary", 5, _formulas_ordinary),
        Aspect("twice", 3, _formulas_twice, needs="ordinary"),
    ),
    {
        "mul": "d(self * other)/d(self) is other; times the gradient that came in",
        "div_self": "d(self / other)/d(self) is 1 / other; times the gradient that came in",
        "div_other": "d(self / other)/d(other) is -self / other**2; times the gradient that came in",
        "exp": "the exponential is its own derivative, and `result` is the exponential",
        "log": "d(log self)/d(self) is 1 / self; times the gradient that came in",
        "sqrt": "d(sqrt self)/d(self) is 1 / (2 * sqrt self), and `result` is the square root",
        "bmm_self": "which product of `grad` (n, i, j) and a transposed `mat2` (n, j, k) has the sizes (n, i, k)?",
        "bmm_mat2": "which product of a transposed `self` (n, k, i) and `grad` (n, i, j) has the sizes (n, k, j)?",
        "broadcast": "the sizes may differ: operators on tensors broadcast by themselves",
        "sizes": "the gradient has the sizes of `grad`; the engine sums later, where the input was broadcast",
        "arguments": "the gradient is right, but an argument has changed: nothing may be written in place",
        "no history": "what comes back has no history: a formula is made of operators on its arguments, and neither "
        "they nor the result are detached",
        "detached": "the gradient by one argument is missing: a formula uses each of its arguments, and detaches none",
        "twice": "these are the gradients of your formula by its arguments. They go through your other formulas too: "
        "get the aspect `ordinary` right first. Then nothing may be detached or written in place",
        "nothing": "None comes back: is a `return` missing?",
        "type": "a formula returns one tensor",
    },
    probe="autograd.gradients.derivative",
    differs=_of_formula,
    program="autograd.program.without_second_gradients",
)


def _numbers(rng: random.Random, sizes: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(sizes))
    return np.array(rng.sample(range(-9, 10 + count), count), dtype=np.float64).reshape(sizes)


def _sum_ordinary(rng: random.Random) -> Iterator[Case]:
    for expanded, sizes, about in [
        ((2,), (1,), "ones"), ((2, 3), (3,), "leading"), ((2, 3), (2, 1), "ones"), ((2, 3), (1, 3), "ones"),
        ((2, 3), (1, 1), "ones"), ((2, 3), (1,), "both"), ((3,), (3,), "same"), ((2, 3), (2, 3), "same"),
        ((2, 2, 2), (2, 2), "leading"), ((2, 2, 2), (2, 1, 2), "ones"),
    ]:  # fmt: skip
        yield Case((_numbers(rng, expanded), sizes), about)
    for _ in range(50):
        sizes = tuple(rng.choice((1, 1, 2, 3)) for _ in range(rng.randint(1, 3)))
        wide = tuple(rng.choice((1, 2, 3)) if size == 1 else size for size in sizes)
        leading = tuple(rng.randint(2, 3) for _ in range(rng.choice((0, 0, 1, 2))))
        about = "both" if leading and wide != sizes else "leading" if leading else "same" if wide == sizes else "ones"
        yield Case((_numbers(rng, leading + wide), sizes), about)


def _sum_edge(rng: random.Random) -> Iterator[Case]:
    for expanded, sizes in [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), (1, 1)), ((2, 3), ()),
                            ((1, 3), (3,)), ((3,), (1,)), ((2, 2, 3), (2, 1))]:  # fmt: skip
        weights = _numbers(rng, sizes).tolist()
        yield Case((_numbers(rng, expanded), sizes, "float64", weights), "recorded")
    for expanded, sizes in [((3, 2), (2, 3)), ((3, 2), (3,)), ((3, 2), (2, 1)), ((3,), (1,)), ((3, 1), (3,)),
                            ((3, 2), ())]:  # fmt: skip
        dtype = "float32 transposed" if len(expanded) == 2 else "float32"
        yield Case((_numbers(rng, expanded), sizes, dtype), "dtype")
    for expanded, sizes, about in [
        ((), (), "same"), ((1,), (), "no dimensions"), ((3,), (), "no dimensions"), ((2, 2), (), "no dimensions"),
        ((0,), (), "no dimensions"), ((0,), (1,), "empty"), ((2, 0), (2, 1), "empty"), ((0, 3), (3,), "empty"),
        ((0, 3), (1, 3), "empty"), ((0, 3), (0, 3), "same"), ((0, 3), (0, 1), "empty"), ((3, 0), (0,), "empty"),
        ((1, 3), (3,), "one on the left"), ((1, 1, 2), (2,), "one on the left"), ((1, 1), (1,), "one on the left"),
        ((1, 2), (1, 1), "one on the left"), ((1, 1), (1, 1), "same"),
    ]:  # fmt: skip
        yield Case((_numbers(rng, expanded), sizes), about)
    for _ in range(28):
        sizes = tuple(rng.choice((0, 1, 1, 2)) for _ in range(rng.randint(0, 2)))
        wide = tuple(rng.choice((0, 1, 2)) if size == 1 else size for size in sizes)
        leading = tuple(rng.choice((0, 1, 2)) for _ in range(rng.choice((0, 1, 2))))
        about = "no dimensions" if not sizes else "empty" if 0 in leading + wide else "one on the left"
        yield Case((_numbers(rng, leading + wide), sizes), "same" if leading + wide == sizes else about)


def _of_sums(args: tuple, wanted: Any, got: Any) -> Iterator[str]:
    values, sizes, *_ = args
    if type(got) is str:
        yield "returned None" if got == "NoneType" else "type"
        return
    if "gradient" in wanted:
        yield "recorded"
        return
    key = next(key for key in wanted if not _same(wanted[key], got[key]))
    if key != "sums":
        yield {"dtype": "dtype", "the very tensor": "same", "tensor afterwards": "argument"}[key]
        return
    right, given = wanted[key], got[key]
    if given.shape != right.shape:
        yield _of_sizes(values, sizes, right, given)
    else:
        yield "no dimensions" if not sizes else "empty" if 0 in values.shape else "sum"


def _of_sizes(values: np.ndarray, sizes: tuple, right: np.ndarray, given: np.ndarray) -> str:
    """Return the mistake in the sizes of the sums."""
    if given.size == 1 != right.size and given.item() == values.sum():
        return "everything"
    if given.ndim != len(sizes):
        return "ones stay" if given.ndim < len(sizes) else "leading"
    return "ones" if any(size == 1 != other for size, other in zip(sizes, given.shape, strict=True)) else "sizes"


def _same(one: Any, other: Any) -> bool:
    return (
        one.tobytes() == other.tobytes() and one.shape == other.shape if isinstance(one, np.ndarray) else one == other
    )


def _is_ascending(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the new dimensions were summed one by one, 0, 1, ..., though each sum moves the others up."""
    values, sizes, *_ = args
    new = values.ndim - len(sizes)
    for dim in range(new):
        values = values.sum(dim)
    if values.size == 1 or new < 2:
        return False  # the sum of all elements has other causes, too
    ones = tuple(dim for dim, size in enumerate(sizes) if dim < values.ndim and size == 1)
    return any(_same(sums, got.value["sums"]) for sums in (values, values.sum(ones, keepdims=True)))


SUM_TO = Check(
    "aten.expand_utils.sum_to",
    ("tensor", "sizes", "dtype", "weights"),
    (
        Aspect("ordinary", 5, _sum_ordinary),
        Aspect("edge", 3, _sum_edge, needs="ordinary"),
    ),
    {
        "leading": "sizes are aligned at the last dimension: what is left over on the left is new, and is summed away, "
        "also where its size is 1",
        "ones": "where `sizes`, aligned at the last dimension, has a 1, the tensor is summed, whatever size it has "
        "there, 0 too; and the dimension stays, with size 1",
        "sizes": "the result has the sizes that are given: aligned at the last dimension, only new dimensions on the "
        "left and those where `sizes` has a 1 are summed",
        "everything": "this is the sum of all elements: only new dimensions on the left and those where `sizes` has a "
        "1 are summed (with an empty list of dims, `sum` adds up everything)",
        "ones stay": "the result has the sizes that are given: a dimension of size 1 that is summed over stays",
        "both": "both happen here: new dimensions on the left, and dimensions of size 1 that became larger",
        "same": "where nothing was repeated the very same tensor comes back, and only there",
        "sum": "each element is the sum of all its copies: over new dimensions on the left, and over those where "
        "`sizes` "
        "has a 1 and the tensor more; no other dimension is summed",
        "no dimensions": "a tensor without dimensions broadcasts to any sizes: all elements are copies of one",
        "empty": "a size of 1 may have become 0: the sum of no elements is 0",
        "one on the left": "a new dimension of size 1 repeats nothing, but it must go",
        "recorded": "the sums must be recorded, so that the gradient can be differentiated again: use operators on "
        "tensors, and detach nothing",
        "dtype": "the sums have the dtype of the tensor, whatever its strides are",
        "argument": "the tensor that came in has changed: sum into a new one",
        "type": "return a tensor",
        "returned None": "the function ends without `return`",
        "raised": "`sizes` always broadcasts to the sizes of the tensor, so no error is expected: it comes from a "
        "line of your own",
    },
    probe="autograd.gradients.sum_to",
    mistakes=(
        Mistake(
            "the new dimensions are the first ones, and others were summed here: if you sum them one by one, each sum "
            "moves the others up",
            _is_ascending,
        ),
    ),
    differs=_of_sums,
    words={"float64": "with weights, the check asks for the gradient of your sums, weighted by these numbers"},
    program="autograd.program.without_second_gradients",
)


def _arrival(rng: random.Random, layout: str, may_steal: bool, recorded: bool) -> tuple:
    return ([float(value) for value in rng.sample(range(-9, 10), 6)], layout, may_steal, recorded)


def _accumulate_ordinary(rng: random.Random) -> Iterator[Case]:
    for may_steal in (False, True):
        yield Case(("rows", [_arrival(rng, "rows", may_steal, False)]), "first stolen" if may_steal else "first copied")
        yield Case(("rows", [_arrival(rng, "rows", may_steal, False) for _ in range(2)]), "in place")
        yield Case(("rows", [_arrival(rng, "columns", may_steal, False)]), "layout")
        yield Case(("columns", [_arrival(rng, "rows", may_steal, False)]), "layout")
        yield Case(("columns", [_arrival(rng, "columns", may_steal, False)]), "layout")
        yield Case(("rows", [_arrival(rng, "steps", may_steal, False)]), "layout")
        # A leaf with gaps wants a contiguous gradient; a stride of a dimension of size 1 does not count.
        for new in ("rows", "columns", "steps"):
            yield Case(("steps", [_arrival(rng, new, may_steal, False)]), "layout")
        for new in ("line", "odd"):
            yield Case(("line", [_arrival(rng, new, may_steal, False)]), "layout")
    for _ in range(34):
        arrivals = [
            _arrival(rng, rng.choice(("rows", "rows", "columns", "steps")), rng.random() < 0.5, False)
            for _ in range(rng.randint(1, 3))
        ]
        yield Case((rng.choice(("rows", "columns", "steps")), arrivals), "in place" if len(arrivals) > 1 else "layout")


def _accumulate_recording(rng: random.Random) -> Iterator[Case]:
    for may_steal in (False, True):
        yield Case(("rows", [_arrival(rng, "rows", may_steal, True)]), "first recorded")
        yield Case(("columns", [_arrival(rng, "rows", may_steal, True)]), "first recorded")
        yield Case(("rows", [_arrival(rng, "rows", may_steal, True) for _ in range(2)]), "new sum")
        yield Case(("steps", [_arrival(rng, "rows", may_steal, True)]), "first recorded")
        yield Case(("rows", [_arrival(rng, "rows", may_steal, recorded) for recorded in (False, True)]), "new sum")
        yield Case(("rows", [_arrival(rng, "rows", may_steal, recorded) for recorded in (True, False)]), "in place")
    for _ in range(34):
        arrivals = [
            _arrival(rng, rng.choice(("rows", "columns", "steps")), rng.random() < 0.5, recorded)
            for recorded in rng.choice(([True], [True, True], [False, True], [False, False, True], [True, True, True]))
        ]
        layout = rng.choice(("rows", "columns", "steps"))
        yield Case((layout, arrivals), "first recorded" if len(arrivals) == 1 else "new sum")


def _of_arrival(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    arrivals = args[1]
    if lost := next((key for key in got if key not in wanted), ""):
        yield "returned None" if got[lost] == "NoneType" else "type"
        return
    key = next(key for key in wanted if wanted[key] != got[key])
    number, _, field = key.removeprefix("gradient ").partition(": ")
    _, _, may_steal, is_recorded = arrivals[int(number) - 1]
    if field == "same tensor":
        yield "in place" if wanted[key] else "new sum"
    elif field == "memory of the new one":
        yield "first stolen" if wanted[key] else _why_copied(may_steal, is_recorded)
    elif field in ("history", "requires grad"):
        yield "recorded" if wanted[key] else "undifferentiated"
    else:
        yield {"grad": "values", "strides": "copy", "arrived": "arrived", "grad before": "new sum"}.get(
            field, "recorded")  # fmt: skip


def _why_copied(may_steal: bool, is_recorded: bool) -> str:
    return "first recorded" if is_recorded else "layout" if may_steal else "first copied"


ACCUMULATE_GRAD = Check(
    "autograd.accumulate_grad.accumulate_grad",
    ("layout", "arrivals"),
    (
        Aspect("ordinary", 3, _accumulate_ordinary),
        Aspect("recording", 2, _accumulate_recording, needs="ordinary"),
    ),
    {
        "first copied": "somebody else holds this gradient: what they write to it later must not show in `.grad`",
        "first stolen": "nobody else holds this gradient, the pass is not recorded, and `obeys_layout_contract` "
        "says that "
        "its strides are right: no copy is needed",
        "in place": "there is a `.grad` already, and the pass is not recorded: the same tensor stays, and the new "
        "gradient "
        "is added to it in place",
        "layout": "`.grad` has the strides that `obeys_layout_contract` asks for: a gradient with others is copied, "
        "not "
        "stolen",
        "copy": "`.grad` has the strides of `clone_obey_contract(new_grad, leaf)`, which makes the copy",
        "first recorded": "in a recorded pass the first gradient is copied, by an operator that is recorded too",
        "new sum": "in a recorded pass nothing is written to in place: the sum is a new tensor",
        "recorded": "in a recorded pass the new `.grad` has a history, which leads to all that was added",
        "undifferentiated": "where the pass is not recorded a gradient that is taken as it is goes through "
        "`undifferentiated`: no history",
        "values": "the gradients that have arrived are added up",
        "arrived": "the gradient that has arrived must stay as it is",
        "type": "return the tensor that becomes `.grad`",
        "returned None": "return the tensor that becomes `.grad`, also after an operation in place",
    },
    probe="autograd.gradients.accumulate",
    differs=_of_arrival,
    words={
        "layout": "how the leaf is stored",
        "arrivals": "each gradient that arrives: (its six values, how they are stored, may_steal, whether the pass is "
        "recorded)",
        "rows": "2 by 3, stored by rows",
        "columns": "2 by 3, stored by columns",
        "steps": "2 by 3, with gaps between the elements",
        "line": "1 by 6",
        "odd": "1 by 6, with an unusual stride of the dimension of size 1",
    },
    program="autograd.program.without_second_gradients",
)

CHECKS = (DERIVATIVES, SUM_TO, ACCUMULATE_GRAD)
