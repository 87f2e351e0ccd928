"""Check of directional_derivatives: polynomials of whole numbers; where eps is a power of two nothing is rounded."""

import random
import re
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check
from autograder.examine.plain_data import equal
from autograder.labs.autograd.script.cases import numbers

X = ((2,), [2, 3])
Y = ((2,), [5, 7])
TWO_SIDES = re.compile(r"(but got: \w+ )(.+) and (.+)\.$")


def _polynomial(rng: random.Random, kinds: tuple) -> tuple:
    return (rng.choice(kinds), [float(number) for number in numbers(rng, rng.randint(1, 4))])


def _direction(rng: random.Random, count: int) -> list[float]:
    return [rng.choice((-1.0, 0.5, 1.0, 2.0)) for _ in range(count)]


def _ordinary(rng: random.Random) -> Iterator[Case]:
    line, cubic = ("x", [3.0, 1.0]), ("x", [1.0, 0.0, 0.0, 2.0])
    yield Case((X, Y, [line], "x", [1.0, 0.0], 4), "central")
    yield Case((X, Y, [cubic], "x", [1.0, 0.0], 2), "central")
    yield Case((X, Y, [cubic], "y", [1.0, 0.0], 2), "another argument")
    yield Case((X, Y, [line], ("x", (1,)), 1.0, 4), "one element")
    yield Case((X, Y, [("alone", [3.0, 1.0])], "x", [1.0, 1.0], 4), "alone")
    yield Case((X, Y, [("listed", [3.0, 1.0]), ("y", [1.0, 2.0])], "x", [1.0, 1.0], 4), "list")
    for _ in range(36):
        size = rng.randint(1, 3)
        x, y = ((size,), numbers(rng, size)), ((size,), numbers(rng, size))
        alone = rng.random() < 0.2
        kinds: tuple[str, ...] = ("alone",) if alone else ("x", "y", "both")
        about = "alone" if alone else "central"
        results = [_polynomial(rng, kinds) for _ in range(1 if alone else rng.randint(1, 3))]
        moved: Any = rng.choice(("x", "x", "y"))
        step: Any = _direction(rng, size)
        if rng.random() < 0.4:
            moved, step, about = (moved, (rng.randrange(size),)), 1.0, "one element"
        yield Case((x, y, results, moved, step, rng.randint(1, 6)), about)


def _edge(rng: random.Random) -> Iterator[Case]:
    yield Case((X, Y, [("view", [])], "x", [1.0, 2.0], 4), "a view")
    yield Case((X, Y, [("view", [])], ("x", (0,)), 1.0, 4), "a view")
    yield Case((((0,), []), ((0,), []), [("x", [2.0, 1.0])], "x", [], 3), "empty")
    yield Case((((), [3]), ((), [2]), [("both", [2.0, 1.0])], "x", [1.0], 3), "flat")
    # Tenths are not exact in binary: an input that is put back by arithmetic is off by a rounding.
    tenths = ((2,), [0.7, 0.1])
    for eps in (0.1, 0.001, 1e-6):
        yield Case((tenths, tenths, [("x", [3.0, 1.0])], "x", [1.0, 0.3], eps), "put back")
        yield Case((tenths, tenths, [("y", [3.0, 1.0])], ("y", (1,)), 1.0, eps), "put back")
    table = ((2, 3), [1, 2, 3, 4, 5, 6])
    for kind, about in (("turned", "flat"), ("total", "flat"), ("whole", "integers")):
        yield Case((table, table, [(kind, [4.0, 1.0])], "x", [2.0, 0.0, 4.0, 0.0, 0.0, 2.0], 1), about)
        yield Case((table, table, [(kind, [4.0, 1.0])], ("x", (1, 1)), 2.0, 1), about)
    for kind in ("fails", "stops"):  # with x at 5: at x - step, at x + step, or at both
        for most in (5.0, -100.0):
            yield Case((X, Y, [(kind, [most])], "x", [1.0, 1.0], 3), "raises")
            yield Case((X, Y, [("x", [2.0, 1.0]), (kind, [most])], ("x", (1,)), -1.0, 3), "raises")
    for kind in ("grows", "halves"):
        yield Case((X, Y, [("x", [2.0, 1.0]), (kind, [5.0])], ("x", (1,)), -1.0, 3), "another kind")
        yield Case((X, Y, [("x", [2.0, 1.0]), (kind, [5.0])], "x", [1.0, 1.0], 3), "another kind")
        yield Case((X, Y, [("x", [2.0, 1.0]), (kind, [9.0])], "x", [1.0, 1.0], 3), "flat")
    for _ in range(30):
        sizes = rng.choice(((2, 2), (3, 1), (1, 2), (2, 3), ()))
        count = 1
        for size in sizes:
            count *= size
        x, y = (sizes, numbers(rng, count)), (sizes, numbers(rng, count))
        results = [_polynomial(rng, ("x", "both", "view")) for _ in range(rng.randint(1, 3))]
        about = "a view" if any(kind == "view" for kind, _ in results) else "flat"
        at = tuple(rng.randrange(size) for size in sizes)
        one = rng.random() < 0.4 and sizes
        moved, step = (("x", at), 1.0) if one else ("x", _direction(rng, count))
        yield Case((x, y, results, moved, step, rng.randint(1, 6)), about)


def _differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    x, y, polynomials, moved, *_ = args
    keys = [*wanted, *(key for key in got if key not in wanted)]
    key = next(key for key in keys if not equal(wanted.get(key), got.get(key)))
    several = [sum(each.startswith("result ") for each in found) for found in (wanted, got)]
    right: Any = wanted.get(key)
    given: Any = got.get(key)
    if key == "came back":
        refused = type(right) is tuple
        yield "another kind" if refused and right[1] == "AssertionError" else "raises" if refused else (
            "nothing" if given == "NoneType" else "type")  # fmt: skip
    elif key == "the error says":
        yield "sides" if given == TWO_SIDES.sub(r"\1\3 and \2.", right) else "error"
    elif key.endswith("afterwards"):
        is_refused = type(wanted["came back"]) is tuple
        yield "step" if key == "step afterwards" else "raises" if is_refused else "put back"
    elif key == "versions":
        yield "another argument"
    elif several[0] != several[1]:
        yield "alone" if polynomials[0][0] == "alone" else "one each"
    elif type(given) is not tuple or type(right) is not tuple:
        yield "type"
    elif right[0] != given[0]:
        yield "flat"
    elif right[1] == given[1]:
        yield "history"
    else:
        yield _of_values(right[1], given[1], [kind for kind, _ in polynomials][int(key.split()[1])])


def _of_values(right: list, given: list, kind: str) -> str:
    """Return the mistake in the numbers of one result, as a key of the hints."""
    if kind == "view" and any(right) and not any(given):
        return "a view"
    if kind == "whole":
        return "integers"
    if all(one == -other for one, other in zip(right, given, strict=True)):
        return "sign"
    if all(2 * one == other for one, other in zip(right, given, strict=True)):
        return "factor"
    return "changes" if kind == "view" else "central"


DIRECTIONAL_DERIVATIVES = Check(
    "autograd.jacobians.directional_derivatives",
    ("x", "y", "polynomials", "moved", "step", "exponent"),
    (Aspect("ordinary", 5, _ordinary), Aspect("edge", 3, _edge, needs="ordinary")),
    {
        "central": "expected is (f(x + eps u) - f(x - eps u)) / (2 eps), with the same x in both: keep a clone of "
        "`moved`, whose numbers change",
        "changes": "expected is (f(x + eps u) - f(x - eps u)) / (2 eps), and a result that is a view of `moved` "
        "changes with it",
        "sign": "the sign: what `func` gives behind, minus what it gives in front",
        "factor": "from x - eps u to x + eps u it is two steps: divide by 2 eps",
        "put back": "afterwards `moved` holds what it held before, to the last bit: put a copy back, for to add and to "
        "subtract rounds",
        "step": "the step has changed: it belongs to the caller",
        "raises": "an error of `func` goes on its way, and `moved` holds all the same what it held before: a copy made "
        "at the beginning is put back, in a `finally`",
        "one each": "one result for each result of `func`, in the same order: as_tuple gives all of them",
        "another argument": "only the memory of `moved` changes",
        "one element": "`step` may be a number, and `moved` a single element of an argument",
        "alone": "`func` returns a tensor alone, so there is one result: as_tuple makes a tuple of one",
        "list": "a list of results is as good as a tuple: as_tuple",
        "a view": "the result looks at the memory that you write to next: clone it first",
        "integers": "a result of integers is treated as the others are: the quotient is of floating point",
        "empty": "no elements, no differences: nothing needs a case of its own",
        "another kind": "check_same_kind refuses results whose sizes or dtypes change when the input is moved",
        "sides": "check_same_kind takes the results at x - eps u first, and those at x + eps u second",
        "error": "this is not the error of `check_same_kind(results at x - eps u, results at x + eps u, eps, where)`",
        "flat": "each result is flat, with sizes (number of elements,), whatever the strides of `func`'s are",
        "history": "each result has no history: detach it",
        "nothing": "None comes back: is a `return` missing?",
        "type": "return a list of tensors",
    },
    probe="autograd.differences.differences",
    differs=_differs,
    words={
        "x": "(sizes, values) of an argument of func, likewise y",
        "polynomials": "the results of func: ('x', [3.0, 1.0]) is 3x + 1; 'y' has y, 'both' has x * y in its place",
        "alone": "('alone', ...): func returns the polynomial of x, not in a tuple",
        "listed": "('listed', ...): func returns its results in a list",
        "view": "('view', []): a view of x",
        "turned": "('turned', ...): the transpose of the polynomial of x",
        "total": "('total', ...): the sum of the polynomial of x",
        "whole": "('whole', ...): the polynomial of x as integers",
        "grows": "('grows', [5.0]): more elements where the sum of x is above 5",
        "halves": "('halves', [5.0]): float32 where the sum of x is above 5",
        "exponent": "eps is 2 to the power of -exponent, or exponent itself if that is not a whole number",
        "step": "the step is this times eps",
        "fails": "('fails', [5.0]): raises ValueError where the sum of x is above 5",
        "stops": "('stops', [5.0]): raises an error outside of Exception where the sum of x is above 5",
    },
    program="autograd.program.run",
)

CHECKS = (DIRECTIONAL_DERIVATIVES,)
