"""The operators of the way back through activations and losses, called by themselves, against PyTorch's."""

import pytest
from compare import assert_close, assert_same, needs_torch

import engine

# Without nan, at which PyTorch's vectors and its tails differ: see test_special_values.py.
X = [-5.0, -3.0, -1.5, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0, 1.75, 2.5, 25.0]
G = [1.0, -2.0, 0.5, 3.0, -1.0, 0.7, 2.0, -0.3, 1.1, 0.9, 0.2, -0.6]

LAYOUTS = {
    "dense": lambda g, x: (g.view(3, 4), x.view(3, 4)),
    "input transposed": lambda g, x: (g.view(3, 4), x.view(4, 3).t()),
    "gradient transposed": lambda g, x: (g.view(4, 3).t(), x.view(3, 4)),
    "gradient expanded": lambda g, x: (g[:1].expand(3, 4), x.view(3, 4)),
    "no dimensions": lambda g, x: (g[1], x[2]),
    "no elements": lambda g, x: (g[:0], x[:0]),
}

UNARY = [
    ("threshold_backward", (0,)),
    ("threshold_backward", (1.0,)),
    ("leaky_relu_backward", (0.1, False)),
    ("hardtanh_backward", (-1, 3.0)),
    ("hardshrink_backward", (0.5,)),
    ("softshrink_backward", (0.5,)),
    ("hardsigmoid_backward", ()),
    ("hardswish_backward", ()),
    ("sigmoid_backward", ()),
    ("tanh_backward", ()),
    ("logit_backward", ()),
    ("logit_backward", (0.25,)),
    ("gelu_backward", ()),
    ("silu_backward", ()),
    ("mish_backward", ()),
    ("softplus_backward", (1, 20)),
    ("softplus_backward", (2, 1)),
]
LOSSES = [("mse_loss_backward", ()), ("smooth_l1_loss_backward", (1.5,)), ("huber_loss_backward", (0.75,))]


def numbers(T, layout, kind="float64"):
    """A gradient and an input."""
    return LAYOUTS[layout](*(T.tensor(values, dtype=getattr(T, kind)) for values in (G, X)))


@needs_torch
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "args"), UNARY, ids=str)
def test_the_way_back_through_an_activation_is_pytorchs(name, args, layout):
    assert_close(lambda T: getattr(T.ops.aten, name)(*numbers(T, layout), *args))


@needs_torch
@pytest.mark.parametrize(("name", "args"), UNARY, ids=str)
def test_float32_is_pytorchs_too(name, args):
    assert_close(lambda T: getattr(T.ops.aten, name)(*numbers(T, "dense", "float32"), *args))


@needs_torch
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_way_back_by_more_than_a_gradient_and_an_input(layout):
    def back(T, name, *args, **kwargs):
        return getattr(T.ops.aten, name)(*args, **kwargs)

    assert_close(lambda T: back(T, "gelu_backward", *numbers(T, layout), approximate="tanh"))
    for is_result in (False, True):
        assert_close(
            lambda T, is_result=is_result: back(
                T, "elu_backward", numbers(T, layout)[0], 1.5, 1.25, 0.5, is_result, numbers(T, layout)[1]
            )
        )

    def log_sigmoid(T):
        grad, x = numbers(T, layout)
        return back(T, "log_sigmoid_backward", grad, x, (-x.abs()).exp())

    def prelu(T):
        grad, x = numbers(T, layout)
        return back(T, "_prelu_kernel_backward", grad, x, T.full_like(x.nan_to_num(), 0.25))

    assert_close(log_sigmoid)
    assert_close(prelu)


@needs_torch
@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("layout", list(LAYOUTS)[:4])
def test_glu(layout, dim):
    def glu(T):
        grad, x = numbers(T, layout)
        return T.ops.aten.glu_backward(grad, T.cat([x, x + 1], dim), dim)

    assert_close(glu)


@needs_torch
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_the_way_back_through_a_loss_is_pytorchs(reduction, layout):
    def loss(T, name, args):
        target, x = numbers(T, layout)
        grad = T.tensor(0.75, dtype=x.dtype) if reduction else target * 2 + 1
        return getattr(T.ops.aten, name)(grad, x, target, reduction, *args)

    def entropy(T, is_weighted):
        target, x = numbers(T, layout)
        grad = T.tensor(0.75, dtype=x.dtype) if reduction else target * 2 + 1
        weight = target * target if is_weighted else None
        x, target = x.nan_to_num().sigmoid(), target.sigmoid()
        return T.ops.aten.binary_cross_entropy_backward(grad, x, target, weight, reduction)

    for name, args in LOSSES:
        assert_close(lambda T, name=name, args=args: loss(T, name, args))
    for is_weighted in (False, True):
        assert_close(lambda T, is_weighted=is_weighted: entropy(T, is_weighted))


@needs_torch
@pytest.mark.parametrize("ignored", [-100, 1])
@pytest.mark.parametrize("weight", [None, [0.5, 1.0, 2.0]])
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_nll_loss(reduction, weight, ignored):
    def loss(T, name, x, target, grad):
        weights = None if weight is None else T.tensor(weight)
        total = getattr(T.ops.aten, f"{name}_forward")(x, target, weights, reduction, ignored)[1]
        grad = T.tensor(G[: target.numel()]).view(target.shape) if reduction == 0 else T.tensor(0.75)
        return getattr(T.ops.aten, f"{name}_backward")(grad, x, target, weights, reduction, ignored, total)

    rows, pixels = [0, 2, 1, 1], [0, 2, 1, 1, 2, 2, 1, 0]
    assert_close(lambda T: loss(T, "nll_loss", T.tensor(X).view(4, 3), T.tensor(rows), T.tensor(G[:4])))
    assert_close(lambda T: loss(T, "nll_loss2d", T.tensor(X + X).view(2, 3, 2, 2), T.tensor(pixels).view(2, 2, 2), G))


@needs_torch
@pytest.mark.parametrize(
    "program",
    [
        lambda T: T.ops.aten.threshold_backward(T.tensor([1, 2, 3]), T.tensor([-1, 0, 1]), 0),
        lambda T: T.ops.aten.threshold_backward(T.tensor([True]), T.tensor([True]), 0),
        lambda T: T.ops.aten.sigmoid_backward(T.tensor([1]), T.tensor([2])),
        lambda T: T.ops.aten.sigmoid_backward(T.ones(2, 3), T.ones(2, 3), grad_input=T.empty(0)),
        lambda T: T.ops.aten.leaky_relu_backward(T.ones(1), T.ones(1), -0.1, True),
        lambda T: T.ops.aten.elu_backward(T.ones(2), -1.0, 1, 1, True, T.ones(2)),
        lambda T: T.ops.aten.glu_backward(T.ones(2, 1), T.ones(2, 3), 1),
        lambda T: T.ops.aten.mse_loss_backward(T.ones(()), T.ones(2), T.zeros(2, dtype=T.float64), 1),
        lambda T: T.ops.aten.nll_loss_backward(T.ones(()), T.zeros(1, 3), T.tensor([7]), None, 1, -100, T.ones(())),
        lambda T: T.ops.aten.nll_loss_backward(T.ones(2), T.zeros(1, 3), T.tensor([1]), None, 1, -100, T.ones(())),
        lambda T: T.ops.aten.native_dropout_backward(T.ones(3), T.tensor([True, False, True]), 2.0),
        lambda T: T.ops.aten.gelu_backward(T.empty(2, 3, device="meta"), T.empty(3, device="meta")),
        lambda T: T.ops.aten.mse_loss_backward(
            T.empty((), device="meta"), T.empty(2, 3, device="meta"), T.empty(2, 3, device="meta"), 1
        ),
    ],
)
def test_dtypes_devices_and_refusals(program):
    assert_same(program)


def test_relu_passes_a_gradient_only_where_its_input_is_positive():
    grad, x = engine.tensor([5.0, 6.0, 7.0]), engine.tensor([-1.0, 0.0, 2.0])
    assert engine.ops.aten.threshold_backward(grad, x, 0).tolist() == [0.0, 0.0, 7.0]


def test_the_gradient_of_a_mean_is_shared_by_the_elements():
    one, x, target = engine.ones(()), engine.tensor([1.0, 2.0, 3.0, 4.0]), engine.zeros(4)
    assert engine.ops.aten.mse_loss_backward(one, x, target, 1).tolist() == [0.5, 1.0, 1.5, 2.0]
