"""First and second derivatives of elementwise operators, activations and losses, against PyTorch's.

An expression names its leaves: `p` and `q` hold points where functions have kinks and jumps, `v` and `u` numbers
between them, `r` numbers of 0..1, `a` a row and `c` a column, `z` a cell, `f` float32, `i` integers, which have no
gradient. `F` is nn.functional.
"""

import itertools

import pytest
from compare import assert_close, needs_torch

import engine

LEAVES = {
    "p": ([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 2.0], "float64", (8,)),
    "q": ([-3.0, 1.0, -0.5, 0.0, -0.5, 2.0, 0.0, 2.0], "float64", (8,)),
    "v": ([0.3, -1.2, 2.1, 0.7, -0.4, 1.9, 0.05, -2.5], "float64", (2, 4)),
    "u": ([-2.5, 0.05, 1.9, -0.4, 0.7, 2.1, -1.2, 0.3], "float64", (2, 4)),
    "r": ([0.3, 0.2, 0.999, 0.001, 0.4, 0.9, 0.05, 0.5], "float64", (2, 4)),
    "a": ([1.5, -2.0, 0.3, 0.9], "float64", (4,)),
    "c": ([0.5, -1.1], "float64", (2, 1)),
    "z": (1.5, "float64", ()),
    "f": ([0.3, -1.2, 2.1, 0.7, -0.4, 1.9, 0.05, -2.5], "float32", (2, 4)),
}
INTEGERS = ([1, 2, -3, 4, 5, -1, 2, 3], "int64", (2, 4))


def cotangent(T, output, step):
    """Some numbers of the sizes and dtype of an output."""
    numbers = [(step * at + 0.3) % 1.9 - 0.6 for at in range(output.numel())]
    return T.tensor(numbers, dtype=output.dtype).reshape(output.shape)


def derivatives(T, expression):
    """Return an expression's value, its gradients, their gradients, and the nodes that made them."""
    made = {
        name: T.tensor(numbers, dtype=getattr(T, kind)).reshape(sizes).requires_grad_()
        for name, (numbers, kind, sizes) in LEAVES.items()
    }
    numbers, kind, sizes = INTEGERS
    integers = T.tensor(numbers, dtype=getattr(T, kind)).reshape(sizes)
    T.manual_seed(0)
    code = compile(expression, "<expression>", "eval")
    result = eval(code, {"T": T, "F": T.nn.functional, "i": integers, **made})
    leaves = [made[name] for name in code.co_names if name in made]
    if not result.requires_grad:
        return [result]
    first = T.autograd.grad(result, leaves, cotangent(T, result, 0.7), create_graph=True, allow_unused=True)
    curved = [gradient for gradient in first if gradient is not None and gradient.requires_grad]
    found = [result.grad_fn.name(), result, *first, *(gradient.grad_fn.name() for gradient in curved)]
    if curved:
        cotangents = [cotangent(T, gradient, 0.9) for gradient in curved]
        found += T.autograd.grad(curved, leaves, cotangents, allow_unused=True)
    return [entry.detach().clone() if isinstance(entry, T.Tensor) else entry for entry in found]


UNARY = (
    "neg", "sign", "square", "sqrt", "rsqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "erf",
    "erfc", "floor", "ceil", "round", "trunc", "frac", "sinc", "logit", "deg2rad", "rad2deg", "nan_to_num", "relu",
    "logical_not", "isnan",
)  # fmt: skip
IN_PLACE = (
    "neg", "abs", "sqrt", "exp", "log", "sin", "tanh", "sigmoid", "floor", "relu", "square", "reciprocal", "rsqrt",
    "erf", "trunc", "acosh", "asinh", "atanh", "logical_not",
)  # fmt: skip
BINARY = (
    "maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "copysign", "logaddexp", "logaddexp2", "xlogy", "fmod",
    "remainder", "pow", "floor_divide", "eq", "lt", "logical_and",
)  # fmt: skip
ACTIVATIONS = (
    "relu", "leaky_relu", "relu6", "hardtanh", "gelu", "silu", "mish", "softplus", "elu", "selu", "celu",
    "hardsigmoid", "hardswish", "logsigmoid", "softsign", "tanhshrink", "softshrink", "hardshrink", "glu",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "**", "%")
PAIRS = ("v{}2", "2{}v", "v{}u", "v{}a", "v{}c", "a{}c", "f{}z", "f{}v", "v{}i", "p{}q", "v{}v")

EXPRESSIONS = [
    *(f"p.{name}()" for name in UNARY),
    *(f"v.t().{name}()" for name in ("exp", "tanh", "relu")),
    *(f"p.clone().{name}_()" for name in IN_PLACE),
    *(pair.format(operator) for operator, pair in itertools.product(OPERATORS, PAIRS)),
    *(f"T.{name}(p, q)" for name in BINARY),
    *(f"T.{name}(v, a)" for name in BINARY),
    *(f"p.clone().{name}_(q)" for name in ("mul", "div", "pow", "atan2", "xlogy", "copysign", "fmod", "eq", "lt")),
    *(f"F.{name}(p)" for name in ACTIVATIONS),
    *(f"F.{name}(p.clone(), inplace=True)" for name in ("relu", "elu", "leaky_relu", "silu", "hardtanh", "celu")),
    *(f"p ** {exponent}" for exponent in (0, 1, 2, -1, 0.5, 3.5)),
    *(f"{base} ** p" for base in (0, 2, -2.0)),
    *(f"T.clamp(p, {bounds})" for bounds in ("None, 1", "-1, None", "-1, 1", "1, -1", "q", "None, q", "q, z")),
    *(f"T.div({x}, rounding_mode={mode!r})" for x in ("p, q", "p, 2") for mode in (None, "floor", "trunc")),
    *("T.clamp_min(p, 0)", "T.clamp_min(p, q)", "T.clamp_max(p, 0)", "T.clamp_max(p, q)", "v.clone().clamp_(-1, 1)"),
    *("T.where(p > 0, p, q)", "T.where(v > 0, v, 2.0)", "T.where(v > 0, 1, a)", "T.where(f > 0, f, z)"),
    *("T.add(v, u, alpha=2)", "T.sub(v, u, alpha=2)", "T.rsub(v, u, alpha=2)", "v.clone().add_(u, alpha=2)"),
    *("T.addcmul(v, a, c, value=0.5)", "T.addcdiv(v, a, c, value=0.5)", "v.clone().addcmul_(u, a)"),
    *("T.lerp(v, u, 0.3)", "T.lerp(v, u, r)", "T.lerp(v, u, z)", "T.xlogy(2, p)", "T.xlogy(p, 0)", "T.xlogy(p, 2.0)"),
    "r.logit(0.2)",
    *("F.gelu(p, approximate='tanh')", "F.elu(p, 1.7)", "F.softplus(p, 2, 1)", "F.threshold(p, 0.5, 7.0)"),
    *("F.elu(p.clone(), -1.0, True)", "F.leaky_relu(p.clone(), -0.1, True)", "F.prelu(v, a)", "F.prelu(p, z)"),
    *("F.dropout(v, 0.5)", "T.native_dropout(v, 0.5, True)[0]", "T.native_dropout(v, 0.5, False)[0]"),
    *(
        f"F.{call}, reduction={reduction!r})"
        for reduction in ("none", "mean", "sum")
        for call in (
            "mse_loss(p, q", "mse_loss(f, v", "mse_loss(v, u, weight=r", "smooth_l1_loss(p, q", "huber_loss(v, u",
            "l1_loss(v, u.exp()", "huber_loss(v, u, weight=r", "binary_cross_entropy(r, r.detach() ** 2",
            "binary_cross_entropy(r, v.sigmoid(), weight=r.detach()", "binary_cross_entropy_with_logits(v, r",
            "binary_cross_entropy_with_logits(v, r, weight=r.detach(), pos_weight=a.detach().abs()", "kl_div(v, r",
            "kl_div(v, u, log_target=True", "nll_loss(v, i[:, 0] % 4", "nll_loss(v, i[:, 0] % 4, a.detach()",
            "nll_loss(v.reshape(2, 2, 1, 2), i[:, :2].view(2, 1, 2) % 2", "cross_entropy(v, r",
            "cross_entropy(v, i[:, 0] % 4, ignore_index=1, label_smoothing=0.1", "nll_loss(v, i[:, 0] % 4, a",
        )
    ),
]  # fmt: skip


@needs_torch
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_derivatives_are_pytorchs(expression):
    assert_close(lambda T: derivatives(T, expression))


@needs_torch
@pytest.mark.parametrize("change", ["y.mul_(2)", "y.zero_()"])
@pytest.mark.parametrize("kept", ["y.sin()", "y.sigmoid()", "y.exp_()", "y * y", "y.neg()", "y + 1", "F.relu(y)"])
def test_what_was_saved_and_then_written_to_is_refused(kept, change):
    def program(T):
        x = T.tensor([1.0, -2.0, 0.5], requires_grad=True)
        scope = {"y": x.clone(), "F": T.nn.functional}
        result = eval(kept, scope)
        eval(change, scope)
        return T.autograd.grad(result.sum(), x)

    assert_close(program)


def test_where_two_are_equal_each_gets_half():
    x, y = (engine.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    engine.maximum(x, y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [0.5, 0.5]


def test_the_kinks():
    x = engine.zeros(1, requires_grad=True)
    functions = {"relu": 0.0, "abs": 0.0, "sqrt": float("inf"), "sign": 0.0, "sinc": 0.0}
    for name, slope in functions.items():
        (gradient,) = engine.autograd.grad(getattr(x, name)(), x)
        assert gradient.item() == slope, name
