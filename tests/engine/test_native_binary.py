"""Operators of two operands and their like against PyTorch: dtypes, forms, operators of Python, what they refuse."""

# ruff: noqa: B023  # a program runs before the loop around it goes on

import itertools
import math
import operator

import pytest
from compare import assert_close, assert_same, needs_torch

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")
PAIRS = [("float32", "float32"), ("int64", "int64"), ("bool", "bool"), ("int32", "float32"), ("float64", "int64"),
         ("bool", "int32"), ("float32", "float64")]  # fmt: skip
FEW = ("float32", "int64", "bool")
NUMBERS = {"float": [1.5, -2.0, 0.0, float("nan"), 7.0, -0.25], "int": [1, -2, 0, 5, 7, -3], "bool": [1, 0, 0, 1, 1, 0]}
POSITIVE = {"float": [1.5, 2.0, 0.5, 3.0, float("inf"), 0.25], "int": [1, 2, 3, 5, 7, 3], "bool": [1] * 6}
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
FLOATING = ("atan2", "hypot", "logaddexp", "logaddexp2", "xlogy", "copysign", "nextafter")
ANY = ("maximum", "minimum", "fmax", "fmin", *BITWISE, *LOGICAL, *FLOATING, "heaviside", "gcd", "lcm")
DIVIDING = ("floor_divide", "remainder", "fmod", "pow", "float_power")  # the right side is positive here
ALIASES = ("multiply", "subtract", "divide", "true_divide", "arctan2", "greater", "greater_equal", "less", "less_equal",
           "not_equal")  # fmt: skip
HAVE_NO_IN_PLACE = ("maximum", "minimum", "fmax", "fmin", "logaddexp", "logaddexp2")
TAKE_NUMBERS = (*BITWISE, *DIVIDING, *ALIASES, "copysign", "xlogy")


def tensor(T, kind, shift=0, numbers=NUMBERS):
    of_kind = numbers[kind.rstrip("0123456789")]
    return T.tensor(of_kind[shift:] + of_kind[:shift], dtype=getattr(T, kind))


def right(T, name, kind):
    return tensor(T, kind, 2, POSITIVE if name in DIVIDING else NUMBERS)


@pytest.mark.parametrize("name", [*ANY, *DIVIDING, *ALIASES])
def test_two_dtypes_in_every_form_give_pytorchs(name):
    for one, two in PAIRS:
        assert_close(lambda T: getattr(T, name)(tensor(T, one), right(T, name, two)))
        if name not in HAVE_NO_IN_PLACE:
            assert_close(lambda T: (x := tensor(T, one), getattr(x, f"{name}_")(right(T, name, two))))
        out = KINDS[(KINDS.index(one) + KINDS.index(two)) % 5]
        assert_close(
            lambda T: getattr(T, name)(tensor(T, one), right(T, name, two), out=T.zeros(6, dtype=getattr(T, out)))
        )


@pytest.mark.parametrize("name", TAKE_NUMBERS)
def test_a_python_number_gives_pytorchs(name):
    for kind, number in itertools.product(FEW, [2, 2.5, True]):
        assert_close(lambda T: getattr(T, name)(tensor(T, kind), number))
        assert_close(lambda T: (x := tensor(T, kind), getattr(x, f"{name}_")(number)))


@pytest.mark.parametrize("of_python", ["floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "truediv"])
def test_operators_of_python_give_pytorchs_from_either_side(of_python):
    apply, inplace = getattr(operator, of_python), getattr(operator, f"i{of_python.rstrip('_')}")
    for kind, number in itertools.product(FEW, [3, 2.5, True, None, "text"]):
        assert_close(lambda T: apply(tensor(T, kind, 0, POSITIVE), number))
        assert_close(lambda T: apply(number, tensor(T, kind, 0, POSITIVE)))
        assert_close(lambda T: inplace(tensor(T, kind, 0, POSITIVE), number))
    for kinds in PAIRS:
        assert_close(lambda T: apply(tensor(T, kinds[0]), tensor(T, kinds[1], 2, POSITIVE)))


def test_what_is_no_operand_is_equal_to_nothing():
    for program in (lambda T: T.ones(2) == None, lambda T: T.ones(2) != "a", lambda T: T.ones(2) < None):  # noqa: E711
        assert_same(program)


# ---- integers


@pytest.mark.parametrize("program", [
    lambda T, x: x // 0, lambda T, x: x % 0, lambda T, x: T.fmod(x, 0), lambda T, x: x // T.zeros_like(x),
    lambda T, x: x**-1, lambda T, x: x.pow_(-2), lambda T, x: x ** T.tensor(-1), lambda T, x: 2**-x, lambda T, x: x**0,
    lambda T, x: x**40, lambda T, x: x**2**33, lambda T, x: x**63, lambda T, x: x.pow_(0.5), lambda T, x: x**-0.5,
    lambda T, x: x << 31, lambda T, x: x << 63, lambda T, x: x << 64, lambda T, x: x >> 70, lambda T, x: x >> -1,
    lambda T, x: 1 << x, lambda T, x: x & 2.0, lambda T, x: x.float() | 1, lambda T, x: x % True,
    lambda T, x: T.remainder(7, x * 2 + 1), lambda T, x: T.bitwise_xor(5, x), lambda T, x: T.pow(True, x),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["int64", "int32"])
def test_integers_at_their_limits_give_pytorchs(kind, program):
    assert_close(lambda T: program(T, tensor(T, kind)))


def test_quotients_of_the_largest_integers_are_exact():
    import engine as T

    above = [2**63 - 1, -(2**63), 2**62 + 1, -(2**53) - 1, 2**63 - 1, 10**18]
    below = [1, 3, -(2**31) - 1, 2**52 + 1, 2**63 - 2, -(10**9) - 7]
    x, y = T.tensor(above), T.tensor(below)
    assert (x // y).tolist() == [a // b for a, b in zip(above, below, strict=True)]
    assert (x % y).tolist() == [a % b for a, b in zip(above, below, strict=True)]


def test_a_remainder_of_floats_is_that_of_c_whatever_the_quotient():
    import engine as T

    above = T.tensor([1e30, -3e38, 3e38, 7.5, -7.5], dtype=T.float32)
    below = T.tensor([3e-10, 1e-45, 7.0, -2.0, float("inf")], dtype=T.float32)
    expected = [math.fmod(a, b) for a, b in zip(above.tolist(), below.tolist(), strict=True)]
    assert T.fmod(above, below).tolist() == expected


def test_the_lowest_integer_by_minus_one_leaves_nothing():
    import engine as T

    lowest = T.tensor([-(2**63)])
    assert (lowest % -1).tolist() == T.fmod(lowest, -1).tolist() == [0]


# ---- floats

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 7.0, 1e30, -1e-30, 3e38, float("nan"), float("inf"), -float("inf")]


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(
    "name", ["remainder", "fmod", "floor_divide", "pow", "maximum", "minimum", "fmax", "fmin", *FLOATING]
)
def test_special_floats_give_pytorchs(name, kind):
    def program(T):
        x = T.tensor(SPECIAL, dtype=getattr(T, kind))
        return getattr(T, name)(x.view(-1, 1), x.view(1, -1))

    assert_close(program)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, -0.5, 4, 2.5, -3, True, float("nan"), float("inf")])
def test_powers_of_a_number_give_pytorchs(exponent):
    for kind in FEW:
        assert_close(lambda T: tensor(T, kind) ** exponent)
        assert_close(lambda T: T.pow(exponent, tensor(T, kind)))
        assert_close(lambda T: T.pow(exponent, tensor(T, kind), out=T.zeros(6)))
    assert_close(lambda T: T.tensor(SPECIAL).pow(exponent))
    assert_close(lambda T: T.tensor(SPECIAL).view(1, 13).t().pow_(exponent))


@pytest.mark.parametrize("weight", [0.3, 0.7, -1, 2, True, float("nan")])
def test_lerp_gives_pytorchs(weight):
    for one, two in PAIRS:
        assert_close(lambda T: T.lerp(tensor(T, one), tensor(T, two, 1), weight))
        assert_close(lambda T: T.lerp(tensor(T, one), tensor(T, one, 1), T.tensor(weight).to(getattr(T, two))))
        assert_close(lambda T: T.lerp(tensor(T, one), tensor(T, one, 1), tensor(T, two, 2)))
        assert_close(lambda T: tensor(T, one).lerp_(tensor(T, one, 1), weight))


@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_sums_with_products_give_pytorchs(name):
    for one, two in PAIRS:
        assert_close(lambda T: getattr(T, name)(tensor(T, one), right(T, "pow", two), right(T, "pow", one), value=2))
        assert_close(lambda T: getattr(tensor(T, one), f"{name}_")(T.ones(6), right(T, "pow", two), value=0.5))
    assert_close(lambda T: getattr(T, name)(T.ones(2), 3, T.ones(2, 1), T.tensor(2.0)))


# ---- choices and comparisons

BOUNDS = [(-1, 2), (0.5, None), (None, 1), (2, -1), (None, None), (float("nan"), 1), (True, 5), (2**40, None)]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("name", ["clamp", "clip"])
def test_clamp_gives_pytorchs(name, bounds):
    for kind in FEW:
        assert_close(lambda T: getattr(T, name)(tensor(T, kind), *bounds))
        assert_close(lambda T: getattr(tensor(T, kind), f"{name}_")(*bounds))
        assert_close(lambda T: getattr(T, name)(tensor(T, kind), *bounds, out=T.zeros(6)))
        assert_close(lambda T: T.clamp_min(tensor(T, kind), bounds[0] or 0))
        assert_close(lambda T: T.clamp_max(tensor(T, kind), max=bounds[1] or 0))


def test_clamp_between_tensors_gives_pytorchs():
    for one, two in PAIRS:
        for bounds in (("min",), ("max",), ("min", "max")):
            assert_close(lambda T: tensor(T, one).clamp(**{name: tensor(T, two, len(name)) for name in bounds}))
            assert_close(lambda T: tensor(T, one).clip_(**{name: tensor(T, two)[1] for name in bounds}))
        assert_close(lambda T: T.clamp_max(tensor(T, one).view(6, 1), tensor(T, two)))


def test_equal_gives_pytorchs():
    for one, two in PAIRS:
        assert_same(lambda T: T.equal(tensor(T, one), tensor(T, two)))
        assert_same(lambda T: tensor(T, one)[:3].equal(tensor(T, two)[:3].clone()))
    for program in (
        lambda T: T.equal(T.ones(2, 3), T.ones(3)),
        lambda T: T.equal(T.ones(2, 3).t(), T.ones(3, 2)),
        lambda T: T.equal(T.ones(9000), T.ones(9000)),
        lambda T: T.equal(T.ones(9000), T.arange(9000)),
        lambda T: T.equal(T.ones(0), T.ones(0)),
        lambda T: T.equal(T.ones(100, 200)[:, ::3], T.ones(100, 67)),
        lambda T: T.equal(T.ones(2), T.ones(2, device="meta")),
    ):
        assert_same(program)


@pytest.mark.parametrize("name", [*ANY, *DIVIDING, "clamp_min", "less"])
def test_without_memory_sizes_and_dtypes_are_pytorchs(name):
    for kind in ("float32", "int64"):
        assert_close(
            lambda T: getattr(T, name)(T.empty(2, 1, dtype=getattr(T, kind), device="meta"),
                                       T.empty(3, dtype=getattr(T, kind), device="meta"))
        )  # fmt: skip
