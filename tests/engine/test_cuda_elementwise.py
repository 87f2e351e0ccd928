"""Elementwise kernels on device "cuda" against the CPU: special values, dtypes, layouts, gradients."""

import math

import numpy as np
import pytest
from cuda_compare import agree, on_cuda
from tiers import fast_first

import engine
import engine.nn.functional as F

engine.cuda.initialize()

from engine.cuda import launch  # noqa: E402

SPECIAL = [0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 2.5, -3.5, 200.0, -200.0, math.inf, -math.inf, math.nan]  # no multiple of 4


def floats(*sizes, seed=0, requires_grad=True):
    values = np.random.default_rng(seed).standard_normal(sizes)
    return engine.from_numpy(values.astype(np.float32)).requires_grad_(requires_grad)


def integers(*sizes, seed=0):
    return engine.from_numpy(np.random.default_rng(seed).integers(-9, 9, sizes))


def pairs(values):
    """Each value beside each other one, as two vectors."""
    return engine.tensor([a for a in values for _ in values]), engine.tensor([b for _ in values for b in values])


# ---- which loop computes: vectors of four, the elements after them, single cells, strides


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 31, 67])
def test_any_number_of_elements(count):
    agree(lambda x, y: x * y, floats(count), floats(count, seed=1))


@pytest.mark.parametrize("first", [1, 2, 4])
def test_runs_that_begin_at_the_first_element_of_a_vector_or_not(first):
    agree(lambda x, y: x[first:] * y[: 13 - first] + x[first:], floats(13), floats(13, seed=1))


@pytest.mark.parametrize(
    ("op", "loop"),
    [
        (lambda x: x[4:] * x[:-4], "contiguous"),
        (lambda x: x[1:] * x[:-1], "flat"),
        (lambda x: x[1:] * 2, "strided"),
        (lambda x: x[::2] * x[::2], "strided"),
        (lambda x: -x[1:], "strided"),
    ],
    ids=["at a vector", "beside a vector", "a single cell", "gaps", "one input"],
)
def test_the_loop_that_is_launched(op, loop):
    x, launched = on_cuda(floats(13)).detach(), []

    def note(name, grid, block, stream, run):
        launched.append(name.rpartition("_")[2])
        run()

    launch.watch(note)
    try:
        op(x)
    finally:
        launch.unwatch(note)
    assert launched == [loop]


@pytest.mark.parametrize("op", [lambda x: x - 2, lambda x: 2 / x])
def test_an_operand_that_is_a_single_cell(op):
    agree(op, floats(3, 7).abs() + 0.5)


def test_a_single_cell_on_the_device_and_two_at_once():
    agree(lambda x, cell: cell - x, floats(11), floats())
    agree(lambda x: engine.where(x > 0, 1.0, -2.5), floats(11))


@pytest.mark.parametrize(
    "view",
    [lambda x: x.transpose(0, 2), lambda x: x[1:, ::2, 1:4], lambda x: x[:, :1].expand(2, 3, 5), lambda x: x[:, :0]],
    ids=["transposed", "gaps", "expanded", "no element"],
)
def test_any_layout(view):
    agree(lambda x, y: view(x) * view(y), floats(2, 3, 5), floats(2, 3, 5, seed=1))


@pytest.mark.slow
def test_operands_that_broadcast():
    agree(lambda x, row, column: engine.addcmul(x, row, column), floats(3, 5), floats(5, seed=1), floats(3, 1, seed=2))


def test_into_a_part_of_another_tensor():
    def write(out, x):
        engine.exp(x, out=out[:, 1:4])
        out[:, 0] += 1
        return out

    agree(write, floats(2, 6, requires_grad=False), floats(2, 3, requires_grad=False))


# ---- values


UNARY = "neg sign sqrt rsqrt exp expm1 log log1p sin tanh sigmoid erf floor round isnan signbit logical_not nan_to_num"


@pytest.mark.parametrize("name", fast_first(4, UNARY.split()))
def test_of_one_float(name):
    agree(getattr(engine, name), engine.tensor(SPECIAL))


BINARY = "div floor_divide remainder fmod pow maximum fmin atan2 nextafter logaddexp lt logical_xor"


@pytest.mark.parametrize("name", fast_first(2, BINARY.split()))
def test_of_two_floats(name):
    agree(getattr(engine, name), *pairs([0.0, -0.0, 1.5, -2.0, 3.0, math.inf, -math.inf, math.nan]))


@pytest.mark.slow
@pytest.mark.parametrize("name", fast_first(1, ["floor_divide", "remainder", "fmod", "maximum", "bitwise_and", "gcd"]))
def test_of_two_integers(name):
    b = integers(13, seed=1)
    agree(getattr(engine, name), integers(13), engine.where(b == 0, 4, b))


@pytest.mark.slow
def test_integer_quotients_and_shifts():
    a, b = integers(17), integers(17, seed=1).abs() + 1
    agree(lambda a, b: (engine.div(a, b, rounding_mode="trunc"), engine.div(a, -b, rounding_mode="floor")), a, b)
    agree(lambda a, b: (a << b, a >> 70, a << -1, a**b), a, b)


def test_an_integer_over_0_is_some_number():
    assert engine.floor_divide(on_cuda(integers(5)), 0).shape == (5,)


@pytest.mark.parametrize(
    "op", fast_first(1, [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a ^ b, engine.maximum, engine.eq])
)
def test_of_two_bools(op):
    agree(op, engine.tensor([True, False, True, False, True]), engine.tensor([True, True, False, False, True]))


@pytest.mark.parametrize("exponent", fast_first(1, [3, -2, -0.5, 1.7]))
def test_powers_of_a_number(exponent):
    agree(lambda x: x**exponent, floats(7).abs() + 0.25)


def test_bounds_that_are_nan():
    x = engine.tensor(SPECIAL)
    agree(lambda x: x.clamp(-1, 1), x)
    agree(lambda x, low, high: engine.clamp(x, low, high), x, engine.full((13,), math.nan), engine.ones(13))
    agree(lambda x: x.clamp_max(math.nan), x)


def test_dtypes_that_promote():
    agree(lambda a, b: (a + b, a / 2, a * 2.5, a > b), integers(9), floats(9, requires_grad=False))


# ---- networks: activations, losses, and the way back


ACTIVATIONS = {
    "relu": {}, "gelu": {"approximate": "tanh"}, "silu": {}, "leaky_relu": {}, "softplus": {}, "elu": {}, "mish": {},
    "hardswish": {}, "softshrink": {}, "logsigmoid": {}, "threshold": {"threshold": 0.1, "value": 20.0},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", fast_first(2, ACTIVATIONS))
def test_an_activation_and_its_slope(name):
    agree(lambda x: getattr(F, name)(x * 4, **ACTIVATIONS[name]), floats(2, 7))


@pytest.mark.slow
def test_halves_that_gate_each_other():
    agree(F.glu, floats(3, 6))


@pytest.mark.slow
@pytest.mark.parametrize("name", fast_first(1, ["mse_loss", "smooth_l1_loss", "huber_loss"]))
@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_a_loss_and_its_slope(name, reduction):
    agree(lambda x, y: getattr(F, name)(x, y, reduction=reduction), floats(3, 5), floats(3, 5, seed=1))


@pytest.mark.slow
def test_losses_of_probabilities():
    x, y = floats(3, 5), floats(3, 5, seed=1, requires_grad=False).sigmoid()
    agree(lambda x, y: F.binary_cross_entropy(x.sigmoid(), y), x, y)
    agree(F.binary_cross_entropy_with_logits, x, y)


def test_an_input_of_binary_cross_entropy_that_is_no_probability():
    x = on_cuda(engine.tensor([0.5, 1.5, -0.1]))
    loss = F.binary_cross_entropy(x, engine.full_like(x, 0.5), reduction="none")
    assert loss.isnan().tolist() == [False, True, True]


# ---- choices, ranges, triangles


def test_where_lerp_and_masked_fill():
    x, y, mask = floats(3, 5), floats(3, 5, seed=1), floats(3, 5, seed=2, requires_grad=False) > 0
    agree(lambda x, y, mask: (engine.where(mask, x, y), engine.lerp(x, y, 0.7), x.masked_fill(mask, 7.0)), x, y, mask)


def test_whether_tensors_are_equal():
    x, y = on_cuda(floats(3, 7)).detach(), on_cuda(floats(3, 7)).detach()
    assert engine.equal(x, y) and engine.equal(x.T, y.T.contiguous())
    y[2, 6] += 1
    assert not engine.equal(x, y) and not engine.equal(x, x * math.nan)


@pytest.mark.parametrize("arguments", [(13,), (5, -4, -2), (0.5, 3.0, 0.2)])
def test_arange(arguments):
    assert engine.arange(*arguments, device="cuda").tolist() == engine.arange(*arguments).tolist()


@pytest.mark.parametrize("steps", [0, 1, 2, 9])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_linspace(steps, dtype):
    kind = getattr(engine, dtype)
    made = engine.linspace(-3, 10, steps, dtype=kind, device="cuda")
    np.testing.assert_allclose(made.cpu().numpy(), engine.linspace(-3, 10, steps, dtype=kind).numpy(), 1e-6)


@pytest.mark.parametrize("diagonal", [-7, -1, 0, 2, 7])
def test_triangles(diagonal):
    agree(lambda x: (x.tril(diagonal), x.transpose(0, 1).triu(diagonal)), floats(2, 3, 5))


def test_a_dtype_without_a_kernel_is_refused_as_on_the_cpu():
    with pytest.raises(NotImplementedError, match="\"div_trunc_cuda\" not implemented for 'Bool'"):
        engine.div(on_cuda(engine.tensor([True])), on_cuda(engine.tensor([True])), rounding_mode="trunc")
