"""Check of kernels with a function for each dtype (engine/aten/stubs.py)."""

import random
from collections.abc import Iterator, Sequence

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import packed, shuffled, unequal

KINDS = ("float32", "float64", "int32", "int64", "bool")


def _cases(rng: random.Random, functions: Sequence[str], kinds: tuple[str, ...]) -> list[tuple]:
    """Each function for some of the dtypes, none of them twice."""
    cuts = sorted(rng.sample(range(len(kinds) + 1), len(functions) - 1))
    groups = [kinds[a:b] for a, b in zip([0, *cuts], [*cuts, len(kinds)], strict=True)]
    return [(group, function) for group, function in zip(groups, functions, strict=True)]


def _tensor(rng: random.Random, sizes: tuple[int, ...], kind: str) -> tuple:
    """A view with gaps and an offset, over different values."""
    strides = packed(sizes, shuffled(rng, len(sizes)), [rng.randint(1, 2) for _ in sizes])
    offset = rng.randint(0, 2)
    cells = offset + 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True) if size)
    values = rng.sample(range(1, cells + 40), cells)
    return [value % 2 == 0 for value in values] if kind == "bool" else values, kind, sizes, strides, offset


def _choice(rng: random.Random) -> Iterator[Case]:
    yield Case(("f_cpu", [(("float32", "float64"), "same")], ["float32", "float64"], None), "table")
    yield Case(("f_cpu", [(("float32", "float64"), "same"), (("int64",), "negated")], ["int64"], None), "table")
    yield Case(("f_cpu", [(("float32",), "same")], ["bool"], None), "none")
    yield Case(("f_cpu", [], ["float32", "int64"], None), "none")
    yield Case(("f_cpu", [(("float32",), "same"), (("float32",), "negated")], [], None), "twice")
    yield Case(("f_cpu", [(("float32",), "same"), (("int64", "float32"), "same")], [], None), "twice")
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
        functions = ["or", "less"] if kind == "bool" else ["less", "or"]
        cases = [((kind,), functions[0]), ((other,), functions[1])]
        yield Case(("f_cpu", cases, [], ("comparison", pair, [], None)), "chosen")


def _row(values: list, kind: str) -> tuple:
    return values, kind, (len(values),), (1,), 0


def _walk(rng: random.Random) -> Iterator[Case]:
    one, two = _row([1, 2, 3], "float32"), _row([10, 20, 40], "float32")
    every = [(KINDS, "same")]
    yield Case(("f_cpu", every, [], ("unary", [one], [], None)), "elements")
    yield Case(("f_cpu", [(KINDS, "plus")], [], ("unary", [one], [5], None)), "scalars")
    yield Case(("f_cpu", [(KINDS, "times plus")], [], ("unary", [one], [5, 7], None)), "scalars")
    yield Case(("f_cpu", [(KINDS, "minus")], [], ("binary", [two, one], [], None)), "operands")
    yield Case(("f_cpu", [(KINDS, "minus times")], [], ("binary", [two, one], [2], None)), "scalars")
    yield Case(("f_cpu", every, [], ("unary", [([1, 2, 3, 4, 5], "int64", (2,), (2,), 1)], [], None)), "geometry")
    yield Case(("f_cpu", every, [], ("unary", [([7], "int64", (), (), 0)], [], None)), "elements")
    yield Case(("f_cpu", every, [], ("unary", [one], [], ((3,), (2,), 1, 7))), "geometry")
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


DISPATCH_SWITCH = Check(
    "aten.stubs.DispatchSwitch",
    ("name", "cases", "kinds", "call"),
    (Aspect("choice", 3, _choice), Aspect("walk", 2, _walk)),
    {
        "table": "a case names several dtypes: each of them leads to the function of its case",
        "none": "a dtype that no case names: NotImplementedError, with the kernel's name in double quotes and that of "
        "the dtype in SCALAR_TYPE_NAMES",
        "twice": "a dtype that stands in two cases: ValueError, at once",
        "not implemented": "the function is chosen first: without one it is refused, even if there are no elements",
        "chosen": "the dtype in which the operation computes chooses, `iter.plan.common_dtype`: the output of a "
        "comparison is bool",
        "elements": "each element of the output is the function of the elements of the inputs",
        "scalars": "the scalars follow behind the elements, in their order",
        "operands": "operands[0] is the output; the inputs follow in their order",
        "geometry": "all operands share loop_sizes; each has its own strides, and its first element at its own offset",
    },
    probe="operators.switches.trace",
)

CHECKS = (DISPATCH_SWITCH,)
