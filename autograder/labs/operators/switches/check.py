"""Check of kernels with a function for each dtype (engine/aten/stubs.py)."""

import random
from collections.abc import Iterator, Sequence

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal
from autograder.labs.strides.geometry import packed, shuffled, unequal

KINDS = ("float32", "float64", "int32", "int64", "bool")


def _cases(rng: random.Random, functions: Sequence[str], kinds: tuple[str, ...]) -> list[tuple]:
    """Give each function some of the dtypes, none of them twice."""
    cuts = sorted(rng.sample(range(len(kinds) + 1), len(functions) - 1))
    groups = [kinds[a:b] for a, b in zip([0, *cuts], [*cuts, len(kinds)], strict=True)]
    return [(group, function) for group, function in zip(groups, functions, strict=True)]


def _tensor(rng: random.Random, sizes: tuple[int, ...], kind: str) -> tuple:
    """Make a view with gaps and an offset, over different values."""
    strides = packed(sizes, shuffled(rng, len(sizes)), [rng.randint(1, 2) for _ in sizes])
    offset = rng.randint(0, 2)
    cells = offset + 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True) if size)
    values = rng.sample(range(1, cells + 40), cells)
    return [value % 2 == 0 for value in values] if kind == "bool" else values, kind, sizes, strides, offset


def _choice(rng: random.Random) -> Iterator[Case]:
    return (Case(case.args, case.about, "operators.switches.chosen") for case in _choices(rng))


def _choices(rng: random.Random) -> Iterator[Case]:
    yield Case(("f_cpu", [(("float32", "float64"), "same")], ["float32", "float64"], None), "table")
    yield Case(("f_cpu", [(("float32", "float64"), "same"), (("int64",), "negated")], ["int64"], None), "table")
    yield Case(("f_cpu", [((), "same"), (("int64",), "negated")], ["int64", "bool"], None), "table")
    yield Case(("f_cpu", [(("float32", "int64"), "same")], ["int64", "int64", "float32", "int64"], None), "table")
    for kind in KINDS:
        yield Case(("f_cpu", [(("bool" if kind == "float32" else "float32",), "same")], [kind], None), "none")
    yield Case(("f_cpu", [], ["float32", "int64"], None), "none")
    yield Case(("f_cpu", [(("float32",), "same"), (("float32",), "negated")], [], None), "twice")
    yield Case(("f_cpu", [(("float32",), "same"), (("float32",), "same")], [], None), "twice")
    yield Case(("f_cpu", [(("float32",), "same"), (("int64", "float32"), "same")], [], None), "twice")
    yield Case(("f_cpu", [(("float32", "float32"), "same")], [], None), "twice")
    yield Case(("f_cpu", [(("int64",), "same"), (("bool", "float32", "bool"), "negated")], [], None), "twice")
    for _ in range(30):
        name = rng.choice(("exp_cpu", "add_stub", "lerp_kernel"))
        kinds = tuple(rng.sample(KINDS, rng.randint(1, 5)))
        functions = rng.sample(("same", "negated", "plus", "minus"), rng.randint(1, min(3, len(kinds))))
        cases = _cases(rng, functions, kinds)
        asked = rng.sample(KINDS, 5)
        if rng.random() < 0.25:
            yield Case((name, [*cases, ((rng.choice(kinds),), "or")], asked, None), "twice")
        yield Case((name, cases, asked, None), "table" if len(kinds) == 5 else "none")
    for kind, other in [("float32", "bool"), ("bool", "int64"), ("int64", "float32"), ("int32", "int64")]:
        for count in (2, 0):
            x = _row(_tensor(rng, (count,), kind)[0][:count], kind)
            yield Case(("f_cpu", [((other,), "same")], [], ("unary", [x], [], None)), "not implemented")
            yield Case(("f_cpu", [((kind,), "same"), ((other,), "negated")], [], ("unary", [x], [], None)), "chosen")
        pair = [_row(_tensor(rng, (3,), kind)[0][:3], kind) for _ in range(2)]
        functions = ["equal", "unlike"] if kind == "bool" else ["unlike", "equal"]
        cases = [((kind,), functions[0]), ((other,), functions[1])]
        yield Case(("f_cpu", cases, [], ("comparison", pair, [], None)), "chosen")
    cases = [(("int64", "int32"), "minus"), (("float32",), "times"), (("bool",), "or")]
    for one, two in [("int64", "float32"), ("float32", "int64"), ("int32", "int64"), ("bool", "int32")]:
        inputs = [_row([int(kind == "bool")] * 2, kind) for kind in (one, two)]
        yield Case(("f_cpu", cases, [], ("binary", inputs, [], None)), "chosen")


def _row(values: list, kind: str) -> tuple:
    return values, kind, (len(values),), (1,), 0


def _walk(rng: random.Random) -> Iterator[Case]:
    return (Case(case.args, case.about, "operators.switches.walked") for case in _walks(rng))


def _walks(rng: random.Random) -> Iterator[Case]:
    one, two = _row([1, 2, 3], "float32"), _row([10, 20, 40], "float32")
    every = [(KINDS, "same")]
    yield Case(("f_cpu", every, [], ("unary", [one], [], None)), "elements")
    for error in ("KeyError", "NotImplementedError"):
        yield Case(("f_cpu", [(KINDS, f"raises {error}")], [], ("unary", [one], [], None)), "passes")
    yield Case(("f_cpu", [(KINDS, "plus")], [], ("unary", [one], [5], None)), "scalars")
    yield Case(("f_cpu", [(KINDS, "times plus")], [], ("unary", [one], [5, 7], None)), "scalars")
    yield Case(("f_cpu", [(KINDS, "minus")], [], ("binary", [two, one], [], None)), "operands")
    yield Case(("f_cpu", [(KINDS, "minus times")], [], ("binary", [two, one], [2], None)), "scalars")
    yield Case(("f_cpu", every, [], ("unary", [([1, 2, 3, 4, 5], "int64", (2,), (2,), 1)], [], None)), "geometry")
    yield Case(("f_cpu", every, [], ("unary", [([7], "int64", (), (), 0)], [], None)), "elements")
    yield Case(("f_cpu", every, [], ("unary", [_row([], "int64")], [], None)), "elements")
    yield Case(("f_cpu", every, [], ("unary", [([], "float32", (2, 0), (1, 1), 0)], [], None)), "elements")
    yield Case(("f_cpu", every, [], ("unary", [one], [], ((3,), (2,), 1, 7))), "geometry")
    zeros = _row([0.0, -0.0, 0.0, -0.0], "float64")
    for function in ("same", "negated"):
        yield Case(("f_cpu", [(KINDS, function)], [], ("unary", [zeros], [], None)), "elements")
        odd = _row([float("nan"), float("inf"), float("nan"), 1.5], "float32")
        yield Case(("f_cpu", [(KINDS, function)], [], ("unary", [odd], [], None)), "elements")
    yield Case(("f_cpu", [(KINDS, "numbered")], [], ("unary", [_row([4, 4, 4, 4], "int64")], [], None)), "calls")
    yield Case(("f_cpu", every, [], ("unary", [_row([2**62 + 1, 2**53 + 1, 3], "int64")], [], None)), "elements")
    yield Case(("f_cpu", every, [], ("unary", [([9], "int64", (2, 3), (0, 0), 0)], [], None)), "geometry")
    yield Case(("f_cpu", [(KINDS, "minus")], [], ("binary", [two, one], [], "first")), "in place")
    yield Case(("f_cpu", [(KINDS, "plus")], [], ("unary", [([1, 2, 3, 4], "int64", (2,), (2,), 1)], [5], "first")),
               "in place")  # fmt: skip
    mixed = [_row([1, 2, 3], "int64"), _row([0.5, 0.25, 4.0], "float32")]
    yield Case(("f_cpu", [(KINDS, "minus")], [], ("binary", mixed, [], None)), "operands")
    row, column = ([1, 2, 3], "int64", (1, 3), (3, 1), 0), ([10, 20], "int64", (2, 1), (1, 1), 0)
    yield Case(("f_cpu", [(KINDS, "minus")], [], ("binary", [row, column], [], None)), "geometry")
    for count in (1, 2, 3) * 16:
        operation, function = (("unary", "times plus"), ("binary", "minus times"), ("ternary", "least"))[count - 1]
        if count == 2 and rng.random() < 0.4:
            operation, function = "comparison", "less"
        scalars = {"times plus": [rng.randint(2, 4), rng.randint(1, 9)], "minus times": [rng.randint(2, 4)]}
        sizes, kind = unequal(rng, rng.randint(1, 3), 1, 4), rng.choice(("float32", "float64", "int32", "int64"))
        inputs = [_tensor(rng, tuple(rng.choice((size, size, size, 1)) for size in sizes), kind) for _ in range(count)]
        inputs[0] = _tensor(rng, sizes, kind)
        out = None
        if rng.random() < 0.4:
            values, _, _, strides, offset = _tensor(rng, sizes, kind)
            out = (sizes, strides, offset, len(values) + 2)
        call = (operation, inputs, scalars.get(function, []), out)
        about = "scalars" if scalars.get(function) and not out else "geometry"
        yield Case(("f_cpu", [(KINDS, function)], [], call), about)


def _is_raised(value: object, kind: str = "") -> bool:
    return isinstance(value, tuple) and value[:1] == ("raised",) and kind in ("", value[1])


def _answers(value: dict) -> list:
    """Return the choice for each dtype that is asked for and for the call."""
    return [*value["function_for"], value.get("called", ())]


def _differing_answers(wanted: dict, got: dict) -> tuple:
    pairs = zip(_answers(wanted), _answers(got), strict=True)
    return next((one, other) for one, other in pairs if not equal(one, other))


def _differs(args: tuple, wanted, got) -> Iterator[str]:
    if _is_raised(wanted, "ValueError"):
        return
    if "calls" in wanted:
        if _is_raised(wanted["output"]):
            yield "passes"
        elif _is_raised(got["output"]):
            yield "stops"
        elif not equal(wanted["output"], got["output"]):
            yield "output" if equal(wanted["calls"], got["calls"]) else "calls"
        else:
            yield "cells" if wanted.get("cells") != got.get("cells") else "calls"
        return
    if wanted["name"] != got["name"] or not equal(wanted["functions"], got["functions"]):
        yield "name" if wanted["name"] != got["name"] else "functions"
        return
    one, other = _differing_answers(wanted, got)
    if _is_raised(one) and _is_raised(other):
        yield "text"
    elif _is_raised(one):
        yield "not refused"
    elif _is_raised(other):
        yield "refused"
    else:
        yield "function" if not isinstance(one, list) else "called" if one else "calls"


def _chosen_by_bool(args: tuple, wanted, got) -> bool:
    """Return True if a comparison calls the function for bool, the dtype of its output, or misses it."""
    _, cases, _, call = args
    if call is None or call[0] != "comparison":
        return False
    functions = [function for kinds, function in cases if "bool" in kinds]
    called = got.value["called"]
    return equal(called, functions) if functions else _is_raised(called) and called[2].endswith("'Bool'")


DISPATCH_SWITCH = Check(
    "aten.stubs.DispatchSwitch",
    ("name", "cases", "kinds", "call"),
    (Aspect("choice", 4, _choice), Aspect("walk", 4, _walk)),
    {
        "table": "a case names several dtypes: each of them leads to the function of its case",
        "none": "a dtype that no case names: NotImplementedError, with the kernel's name in double quotes and that of "
        "the dtype in SCALAR_TYPE_NAMES",
        "twice": "a dtype that is named twice, in two cases or in one: ValueError, at once",
        "not implemented": "the function is chosen first: without one it is refused, even if there are no elements",
        "chosen": "the dtype in which the operation computes chooses, `iter.plan.common_dtype`: the output of a "
        "comparison is bool",
        "elements": "each element of the output is the function of the elements of the inputs",
        "scalars": "the scalars follow behind the elements, in their order",
        "operands": "operands[0] is the output; the inputs follow in their order",
        "geometry": "all operands share loop_sizes; each has its own strides, and its first element at its own offset",
        "in place": "the output may be an input",
        "calls": "the function is called once for each element, and not at all where there are none",
        "passes": "what the function of an element raises goes on as it is: it is not yours",
        "stops": "the function for this dtype is there: nothing is to be refused",
        "output": "each element of the output is the function of the inputs' elements in the same place: each operand "
        "has its own strides and its first element at its own offset; the scalars follow",
        "cells": "cells of the storage were written that are no elements of the output",
        "name": "`name` is the name of the kernel",
        "functions": "`functions` is a dict from each dtype to its function",
        "text": "the text counts, quotes included: \"f_cpu\" not implemented for 'Bool', with the kernel's name and "
        "that of the dtype in SCALAR_TYPE_NAMES",
        "not refused": "no case names this dtype: NotImplementedError, even if there are no elements",
        "refused": "a case names this dtype: its function is there",
        "called": "the dtype in which the operation computes chooses the function: `iter.plan.common_dtype`",
        "function": "a dtype leads to the function of the case that names it",
        "raised": "each dtype is named once: nothing is to be refused",
    },
    mistakes=(
        Mistake(
            "a dtype that is named twice, in two cases or in one, is refused with a ValueError as soon as the switch "
            "is made",
            lambda args, wanted, got: _is_raised(wanted.value, "ValueError") and isinstance(got.value, dict),
        ),
        Mistake(
            "it is right to refuse this, but with a ValueError",
            lambda args, wanted, got: (
                _is_raised(wanted.value, "ValueError") and got.value[1] in ("KeyError", "RuntimeError", "TypeError")
            ),
        ),
        Mistake(
            "the table is empty: `cases` may be an iterator, which is used up when it was gone through once",
            lambda args, wanted, got: wanted.value["functions"] != {} and got.value["functions"] == {},
        ),
        Mistake(
            "the dtype of the output chooses here, which is bool for a comparison: the dtype in which the operation "
            "computes has to, `iter.plan.common_dtype`",
            _chosen_by_bool,
        ),
        Mistake(
            "no case names this dtype: NotImplementedError, with a text of its own. A KeyError says only which key is "
            "missing",
            lambda args, wanted, got: _differing_answers(wanted.value, got.value)[1] == ("raised", "KeyError"),
        ),
    ),
    differs=_differs,
    probe="operators.switches.walked",
)

CHECKS = (DISPATCH_SWITCH,)
