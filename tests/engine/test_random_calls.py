"""Random calls of the operators on both sides: dtypes, layouts, forms and numbers that no table would think of.

A call is made from a seed, so one that fails is made again by `call_of(seed)`.
"""

import random
import warnings
from math import inf, nan

import pytest
from compare import assert_close, assert_same, needs_torch, outcome, torch

import engine

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")
VALUES = {
    "float": (0.0, -0.0, 1.5, -2.5, 3.0, nan, inf, -inf, 7.0, 0.1),
    "int": (0, 1, -1, 2, -3, 7, 10, -10, 2**31 - 1, 3),
    "bool": (True, False),
}
SIZES = ((), (1,), (3,), (2, 3), (3, 1), (0,), (2, 0), (2, 1, 3), (4, 2, 3))
NUMBERS = (0, 1, -1, 2, True, False, 2.5, -0.0, nan, inf, 2**31, 2**63 - 1, 2**40, 1e40, -7)
BINARY = ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge")
REDUCTIONS = ("sum", "mean", "amax", "amin")
DIMS = (None, (), 0, -1, 1, (0, 1), (-1, 0), (0, 0), 5, [0])


class Operand:
    """A tensor of either side, from the same dice: dense, transposed, with gaps or expanded."""

    def __init__(self, dice, sizes=None, kind=None):
        self.kind = kind or dice.choice(KINDS)
        self.sizes = dice.choice(SIZES) if sizes is None else sizes
        self.layout = dice.choice(("dense", "dense", "transposed", "gaps", "expanded", "offset"))
        self.numbers = dice.choices(VALUES[self.kind.rstrip("0123456789")], k=80)

    def __call__(self, T):
        cells, n = T.tensor(self.numbers, dtype=getattr(T, self.kind)), T.Size(self.sizes).numel()
        if self.layout == "transposed":
            return cells[:n].view(self.sizes[::-1]).permute(*range(len(self.sizes))[::-1])
        if self.layout == "gaps":
            return cells[: 2 * n].view((*self.sizes, 2)).select(-1, 1)
        if self.layout == "expanded" and self.sizes:
            row = T.Size(self.sizes[1:])
            return cells[: row.numel()].view((1, *row)).expand(self.sizes)
        return cells[3 : 3 + n].view(self.sizes) if self.layout == "offset" else cells[:n].view(self.sizes)

    def __repr__(self):
        return f"{self.kind}{list(self.sizes)} {self.layout}"


def beside(dice, sizes):
    """Sizes that broadcast with `sizes`, or nearly."""
    made = [1 if dice.random() < 0.3 else size for size in sizes]
    while made and dice.random() < 0.2:
        made = made[1:]
    return (2, *made) if dice.random() < 0.1 else tuple(made)


def call_of(seed):
    """A call as text, and as a program of either side."""
    dice = random.Random(seed)
    x = Operand(dice)
    y = Operand(dice, beside(dice, x.sizes))
    out = Operand(dice, x.sizes if dice.random() < 0.7 else None)
    number = dice.choice(NUMBERS)
    name, program = dice.choice(FORMS)(dice, x, y, out, number)
    return f"{name}: {x}, {y}, {number}, out {out}", program


def binary(dice, x, y, out, number):
    name, form = dice.choice(BINARY), dice.choice(("", "_", "out=", "number", "number_", "reflected"))
    return f"{name} {form}", {
        "": lambda T: getattr(T, name)(x(T), y(T)),
        "_": lambda T: getattr(x(T), name + "_")(y(T)),
        "out=": lambda T: getattr(T, name)(x(T), y(T), out=out(T)),
        "number": lambda T: getattr(T, name)(x(T), number),
        "number_": lambda T: getattr(x(T), name + "_")(number),
        "reflected": lambda T: [number + x(T), number * x(T), number < x(T), number - x(T)],
    }[form]


def scaled(dice, x, y, out, number):
    name, alpha = dice.choice(("add", "sub", "rsub")), dice.choice(NUMBERS)
    other = y if dice.random() < 0.6 else lambda T: number
    return f"{name} alpha={alpha}", lambda T: getattr(T, name)(x(T), other(T), alpha=alpha)


def rounded(dice, x, y, out, number):
    mode, form = dice.choice(("floor", "trunc", "floor", None, "up")), dice.choice(("", "_", "number"))
    return f"div {mode} {form}", {
        "": lambda T: T.div(x(T), y(T), rounding_mode=mode),
        "_": lambda T: x(T).div_(y(T), rounding_mode=mode),
        "number": lambda T: T.div(x(T), number, rounding_mode=mode),
    }[form]


def unary(dice, x, y, out, number):
    name, form = dice.choice(("neg", "exp", "relu")), dice.choice(("", "_", "out="))
    if form == "out=":
        return f"{name} out=", lambda T: getattr(T, name)(x(T), out=out(T))
    return name + form, lambda T: getattr(T, name + form)(x(T))


def chosen(dice, x, y, out, number):
    test, form = Operand(dice, beside(dice, x.sizes), "bool"), dice.choice(("", "left", "right", "out="))
    return f"where {form} {test}", {
        "": lambda T: T.where(test(T), x(T), y(T)),
        "left": lambda T: T.where(test(T), number, x(T)),
        "right": lambda T: T.where(test(T), x(T), number),
        "out=": lambda T: T.where(test(T), x(T), y(T), out=out(T)),
    }[form]


def reduced(dice, x, y, out, number):
    name, dim, kind, to = dice.choice(REDUCTIONS), dice.choice(DIMS), dice.choice((None, None, *KINDS)), dice.random()
    keywords = {} if dim is None else {"dim": dim, "keepdim": dice.random() < 0.4}

    def program(T):
        asked = {"dtype": getattr(T, kind)} if kind and name in ("sum", "mean") else {}
        given = {"out": out(T)} if to < 0.3 else {}
        return getattr(T, name)(x(T), **keywords, **asked, **given)

    return f"{name} {keywords} {kind} {to < 0.3}", program


def copied(dice, x, y, out, number):
    form = dice.choice(("copy_", "fill_", "fill_ tensor", "full_like", "to", "cat", "stack", "cat out=", "item"))
    dim = dice.choice((0, 0, -1, 1, 9))
    return f"{form} {dim}", {
        "copy_": lambda T: x(T).copy_(y(T)),
        "fill_": lambda T: x(T).fill_(number),
        "fill_ tensor": lambda T: x(T).fill_(y(T)),
        "full_like": lambda T: T.full_like(x(T), number),
        "to": lambda T: x(T).to(y(T)),
        "cat": lambda T: T.cat([x(T), y(T)], dim),
        "stack": lambda T: T.stack([x(T), x(T), y(T)], dim),
        "cat out=": lambda T: T.cat([x(T), x(T)], dim, out=out(T)),
        "item": lambda T: x(T).item(),
    }[form]


def multiplied(dice, x, y, out, number):
    left, right = dice.choice((((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((4, 2, 3), (3, 5)),
                               ((4, 2, 3), (4, 3, 2)), ((2, 0), (0, 3)), ((2, 1, 2, 3), (3, 3, 2))))  # fmt: skip
    a = Operand(dice, left)
    b = Operand(dice, right, dice.choice((a.kind, a.kind, a.kind, *KINDS)))
    name = dice.choice(("matmul", "matmul", "mm", "bmm", "dot", "mv"))
    return f"{name} {a} {b}", lambda T: getattr(T, name)(a(T), b(T))


def overlapping(dice, x, y, out, number):
    name, kind, form = (
        dice.choice(("add", "mul", "sub", "copy")),
        dice.choice(KINDS),
        dice.choice(("parts", "t", "out=")),
    )
    first, second = dice.choice(((0, 1), (1, 0), (0, 0), (0, 4)))

    def program(T):
        cells = T.arange(12).to(getattr(T, kind))
        one, two = cells[first : first + 4], cells[second : second + 4]
        if form == "t":
            one = cells[:9].view(3, 3)
            two = one.t()
        if form == "out=" and name != "copy":
            getattr(T, name)(two, one, out=one)
        else:
            getattr(one, name + "_")(two)
        return cells

    return f"{name} {kind} {form} {first, second}", program


FORMS = (binary, binary, binary, scaled, rounded, unary, chosen, reduced, copied, multiplied, overlapping)


@pytest.mark.parametrize("group", range(11))
def test_random_calls_give_what_pytorch_gives(group):
    failed = []
    for seed in range(group * 60, group * 60 + 60):
        name, program = call_of(seed)
        try:
            assert_close(program)
        except AssertionError as error:
            failed.append(f"seed {seed}, {name}\n{str(error)[:600]}")
    assert not failed, "\n\n".join(failed)


# ---- calls that random ones have found


@pytest.mark.parametrize("program", [
    lambda T: T.matmul(T.ones(3), T.ones(3, 4), out=T.zeros(2)),
    lambda T: T.tensor([[1.0, 2.0, inf]]) @ T.tensor([[1.0], [2.0], [-3.0]]),
    lambda T: T.bmm(T.ones(2, 3, 4, dtype=T.bool), T.ones(2, 4, 3), out=T.ones(0)),
    lambda T: T.where(T.tensor([True]), T.ones(2), 1e40),
    lambda T: T.where(T.tensor([True]), 2**40, T.ones(2, dtype=T.int32)),
    lambda T: T.add(T.ones(2, dtype=T.int32), 1, alpha=2**31),
    lambda T: T.sub(T.ones(2, dtype=T.int32), 1, alpha=-(2**31)),
    lambda T: T.sub(T.ones(2), 1, alpha=-1e40),
    lambda T: T.softmax(T.ones(0, 3, dtype=T.int32), 0),
    lambda T: T.cat([T.ones(2, 3), T.ones(3, 2)], out=T.ones(2, dtype=T.int32)),
    lambda T: T.cat([T.ones(2)], 5, out=T.ones(2, dtype=T.int32)),
    lambda T: T.ones(2, dtype=T.int32).__setitem__(5, 2**31),
    lambda T: T.ones(2).__setitem__((0, 0), "1"),
    lambda T: T.ones([1] * 65).amax(-1),
    lambda T: T.ones([1] * 65).sum().dim(),
    lambda T: T.linspace(0, 2**33, 5, dtype=T.int32),
    lambda T: T.linspace(0, 2**33, 0, dtype=T.int32),
    lambda T: T.linspace(0, inf, 3, dtype=T.int64),
    lambda T: T.zeros(3, dtype=T.int32, device="meta").normal_(),
    lambda T: [T.ones(3, dtype=T.float64) >= number for number in (1.5, 1.5, 1, 1)],
    lambda T: [T.ones(3) + T.ones(3), T.add(T.ones(3, dtype=T.int64), T.ones(3, dtype=T.int64), alpha=1.0)],
    lambda T: [T.zeros(2, 3)[:, ::2].to(T.float32, memory_format=T.contiguous_format).stride(),
               T.zeros(2, 4, 5, 3).permute(0, 3, 1, 2).to(T.float32, memory_format=T.contiguous_format).stride()],
])  # fmt: skip
def test_a_call_that_once_differed_gives_pytorchs(program):
    assert_same(program)


def test_functions_of_networks_give_pytorchs():
    def program(T):
        F, x = T.nn.functional, T.tensor([[1.0, -2.0], [0.5, nan]])
        same = F.relu(x, inplace=True)
        return [
            same is x,
            x,
            F.relu(T.ones(2)),
            F.softmax(T.ones(2, 3), dim=1),
            F.softmax(x.long(), 0, dtype=T.float64),
        ]

    assert_same(program)
    assert_same(lambda T: T.nn.functional.relu(T.tensor([True])))
    assert_same(lambda T: T.nn.functional.softmax(T.ones(2), 1))


def test_softmax_without_a_dim_warns_as_pytorch():
    def warned(T):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = T.nn.functional.softmax(T.ones(2, 3, 4))
        return [str(entry.message) for entry in caught], result.tolist()

    assert warned(engine) == warned(torch)


def test_a_random_call_is_the_same_when_made_again():
    assert call_of(7)[0] == call_of(7)[0]
    assert outcome(engine, call_of(7)[1]) == outcome(engine, call_of(7)[1])
