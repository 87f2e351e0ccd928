"""Elementwise operators against PyTorch: every dtype, form and layout, and what they refuse."""

import itertools

import pytest
from compare import assert_close, assert_same, engine, needs_torch, torch

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")
PAIRS, TRIPLES = (list(itertools.product(KINDS, repeat=n)) for n in (2, 3))
NUMBERS = {"float": [1.5, -2.0, 0.0, float("nan"), 7.0, -0.25], "int": [1, -2, 0, 5, 7, -3], "bool": [1, 0, 0, 1, 1, 0]}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
BINARY = ("add", "sub", "mul", "div", *COMPARISONS)
UNARY = ("neg", "exp", "relu")


def tensor(T, kind, shift=0):
    numbers = NUMBERS[kind.rstrip("0123456789")]
    return T.tensor(numbers[shift:] + numbers[:shift], dtype=getattr(T, kind))


LAYOUTS = {
    "dense": lambda T, x, y: (x.view(2, 3), y.view(2, 3)),
    "transposed": lambda T, x, y: (x.view(3, 2).t(), y.view(2, 3)),
    "both transposed": lambda T, x, y: (x.view(3, 2).t(), y.view(3, 2).t()),
    "row": lambda T, x, y: (x.view(2, 3), y[:3]),
    "column": lambda T, x, y: (x.view(2, 3), y[:2].view(2, 1)),
    "outer": lambda T, x, y: (x.view(6, 1), y.view(1, 6)),
    "gaps": lambda T, x, y: (x[::2], y[1::2]),
    "cell on the right": lambda T, x, y: (x, y[1]),
    "cell on the left": lambda T, x, y: (x[3], y),
    "no dimensions": lambda T, x, y: (x[0], y[1]),
    "no elements": lambda T, x, y: (x[:0], y[:1]),
    "three dimensions": lambda T, x, y: (x.view(1, 2, 3).permute(2, 0, 1), y.view(3, 2, 1)),
}


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
@pytest.mark.parametrize("name", BINARY)
def test_two_dtypes_give_pytorchs(name, kinds):
    assert_close(lambda T: getattr(T, name)(tensor(T, kinds[0]), tensor(T, kinds[1], 2)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["add", "mul", "lt"])
@pytest.mark.parametrize("kind", ["float32", "int64", "bool"])
def test_any_layout_gives_pytorchs_values_and_strides(name, layout, kind):
    assert_same(lambda T: getattr(T, name)(*LAYOUTS[layout](T, tensor(T, kind), tensor(T, kind, 2))))


@pytest.mark.parametrize("number", [2, 2.5, True, -3, 0])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BINARY)
def test_a_python_number_gives_pytorchs(name, kind, number):
    assert_close(lambda T: getattr(T, name)(tensor(T, kind), number))


@pytest.mark.parametrize("number", [2, 2.5, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_python_number_on_the_left_gives_pytorchs(kind, number):
    for program in (
        lambda T: number - tensor(T, kind),
        lambda T: number + tensor(T, kind),
        lambda T: number * tensor(T, kind),
        lambda T: T.rsub(tensor(T, kind), number, alpha=2),
    ):
        assert_close(program)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
@pytest.mark.parametrize("name", [f"{name}_" for name in BINARY])
def test_in_place_gives_pytorchs(name, kinds):
    def program(T):
        x = tensor(T, kinds[0])
        y = getattr(x, name)(tensor(T, kinds[1], 2))
        return x, y

    assert_close(program)


@pytest.mark.parametrize("kinds", TRIPLES, ids="-".join)
@pytest.mark.parametrize("name", ["add", "div", "eq"])
def test_out_gives_pytorchs(name, kinds):
    def program(T):
        out = T.zeros(6, dtype=getattr(T, kinds[2]))
        return out, getattr(T, name)(tensor(T, kinds[0]), tensor(T, kinds[1], 2), out=out)

    assert_close(program)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", KINDS)
def test_of_one_tensor_every_form_gives_pytorchs(name, kind):
    layouts = (lambda x: x, lambda x: x.view(2, 3).t(), lambda x: x[::2], lambda x: x[0], lambda x: x[:0])
    for of in layouts:
        assert_close(lambda T, of=of: getattr(T, name)(of(tensor(T, kind))))
        assert_close(lambda T, of=of: getattr(of(tensor(T, kind)), f"{name}_")())
    if name != "relu":
        for out in KINDS:
            assert_close(lambda T, out=out: getattr(T, name)(tensor(T, kind), out=T.zeros(6, dtype=getattr(T, out))))


@pytest.mark.parametrize("mode", [None, "trunc", "floor", "round"])
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_rounded_division_gives_pytorchs(kinds, mode):
    denominators = [2.5, -1, 3, -2, 1, 7]

    def program(T):
        below = T.tensor(denominators).to(getattr(T, kinds[1]))
        return T.div(tensor(T, kinds[0]), below, rounding_mode=mode)

    assert_close(program)
    assert_close(lambda T: T.div(tensor(T, kinds[0]), 2, rounding_mode=mode))
    assert_close(lambda T: tensor(T, kinds[0]).div_(-2, rounding_mode=mode))


@pytest.mark.parametrize("mode", [None, "trunc", "floor"])
def test_division_by_zero_gives_pytorchs(mode):
    above = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf")]
    for below in (0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-30):
        assert_same(lambda T, below=below: T.div(T.tensor(above), T.tensor(below), rounding_mode=mode))
    assert_same(lambda T: T.div(T.tensor([1, 0]), T.tensor([0, 1]), rounding_mode=mode))


def test_the_lowest_integer_over_minus_one_wraps():
    import engine as T

    lowest = T.tensor([-(2**63)])
    assert T.div(lowest, -1, rounding_mode="floor").tolist() == [-(2**63)]
    assert T.div(lowest, -1, rounding_mode="trunc").tolist() == [-(2**63)]


def test_integers_wrap():
    assert_same(lambda T: T.tensor([2**31 - 1, -(2**31)], dtype=T.int32) + T.tensor([1, -1], dtype=T.int32))
    assert_same(lambda T: T.tensor([2**62]) * 4)
    assert_same(lambda T: -T.tensor([-(2**63)]))


@pytest.mark.parametrize("alpha", [2, -1, 2.5, True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["add", "sub", "rsub"])
def test_alpha_gives_pytorchs(name, kind, alpha):
    assert_close(lambda T: getattr(T, name)(tensor(T, kind), tensor(T, kind, 1), alpha=alpha))
    assert_close(lambda T: getattr(T, name)(tensor(T, kind), 3, alpha=alpha))


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_where_gives_pytorchs(kinds):
    def operands(T):
        return tensor(T, "bool"), tensor(T, kinds[0]), tensor(T, kinds[1], 1)

    assert_same(lambda T: T.where(*operands(T)))
    assert_same(lambda T: T.where(operands(T)[0].view(2, 3), operands(T)[1].view(3, 2).t(), operands(T)[2][:3]))
    assert_same(lambda T: T.where(*operands(T), out=T.zeros(6, dtype=getattr(T, kinds[0]))))
    assert_same(lambda T: T.where(operands(T)[1], operands(T)[1], operands(T)[2]))


@pytest.mark.parametrize("number", [2, 2.5, True])
@pytest.mark.parametrize("kind", KINDS)
def test_where_of_numbers_gives_pytorchs(kind, number):
    assert_same(lambda T: T.where(tensor(T, "bool"), tensor(T, kind), number))
    assert_same(lambda T: T.where(tensor(T, "bool"), number, tensor(T, kind)))
    assert_same(lambda T: T.where(tensor(T, "bool"), number, 1))


def test_overlapping_operands_are_refused_as_in_pytorch():
    assert_same(lambda T: T.zeros(3)[:2].add_(T.zeros(3)[1:]))
    assert_same(lambda T: T.zeros(1).expand(3).add_(1))

    def partly(T):
        x = T.arange(4)
        return x[:3].add_(x[1:])

    def whole(T):
        x = T.arange(4)
        return x.add_(x), T.mul(x, x, out=x)

    assert_same(partly)
    assert_same(whole)


MESSAGES = (
    lambda T: T.tensor([True]) - T.tensor([True]),
    lambda T: T.tensor([1]) - T.tensor([True]),
    lambda T: T.add(T.tensor([1]), 1, alpha=1.5),
    lambda T: T.add(T.tensor([1]), 1, alpha=True),
    lambda T: T.div(T.tensor([1]), 0, rounding_mode="floor"),
    lambda T: T.div(T.tensor([True]), T.tensor([True]), rounding_mode="floor"),
    lambda T: T.div(T.tensor([1]), 1, rounding_mode="up"),
    lambda T: T.tensor([1]).div_(2),
    lambda T: -T.tensor([True]),
    lambda T: T.relu(T.tensor([True])),
    lambda T: T.where(T.tensor([1]), 1.0, T.zeros(1)),
    lambda T: T.where(T.tensor([True]), T.zeros(1), 2, out=T.zeros(1, dtype=T.float64)),
    lambda T: T.zeros(2) + T.zeros(3),
    lambda T: T.zeros(2).add_(T.zeros(3, 2)),
)


@pytest.mark.parametrize("program", MESSAGES)
def test_errors_read_as_pytorchs(program):
    with pytest.raises(Exception) as got:
        program(engine)
    with pytest.raises(Exception) as expected:
        program(torch)
    assert type(got.value) is type(expected.value)
    assert str(got.value).splitlines()[0] == str(expected.value).splitlines()[0]
