"""Operators of one operand and activation functions: values, promotion, forms and errors, as PyTorch's."""

import math

import compare
import pytest

import engine as T
from engine import nn

NAN, INF = math.nan, math.inf
EDGES = [NAN, INF, -INF, 0.0, -0.0, 1e-45, -1e-45, 1e-30, -2.5, -1.5, -0.5, 0.3, 0.5, 0.999, 1.0, 2.5, 30.0, -30.0]
EDGES += [1e5, 3e38]
MATHEMATICS = [
    *("abs", "neg", "sign", "square", "sqrt", "rsqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10"),
    *("sin", "cos", "tan", "tanh", "sigmoid", "erf", "floor", "ceil", "round", "trunc", "logical_not", "isnan"),
    *("isfinite", "absolute", "negative", "fix"),
]
ACTIVATIONS = {
    "silu": {}, "leaky_relu": {}, "softplus": {}, "elu": {}, "selu": {}, "celu": {"alpha": 0.7}, "mish": {},
    "hardswish": {}, "hardsigmoid": {}, "hardtanh": {}, "relu6": {}, "logsigmoid": {}, "softsign": {}, "tanhshrink": {},
    "softshrink": {}, "hardshrink": {}, "threshold": {"threshold": 0.1, "value": 20.0},
}  # fmt: skip


@compare.needs_torch
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("name", [*MATHEMATICS, "log1p"])
def test_values_at_the_edges(name, kind):
    edges = [x for x in EDGES if abs(x) != 1e-45] if name == "log1p" else EDGES  # which MKL takes for 0
    compare.assert_close(lambda torch: getattr(torch, name)(torch.tensor(edges, dtype=getattr(torch, kind))))


@compare.needs_torch
@pytest.mark.parametrize("kind", ["bool", "int32", "int64"])
@pytest.mark.parametrize("name", [*MATHEMATICS, "bitwise_not"])
def test_integers_and_bools(name, kind):
    compare.assert_close(lambda torch: getattr(torch, name)(torch.tensor([3, 0, 1]).to(getattr(torch, kind))))
    compare.assert_close(lambda torch: getattr(torch.tensor([3, 0, 1]).to(getattr(torch, kind)), f"{name}_")())


@compare.needs_torch
@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("name", ["exp", "floor", "abs", "logical_not", "bitwise_not", "square"])
def test_outputs_that_are_given(name, kind):
    def run(torch):
        return getattr(torch, name)(torch.tensor([3, 0]), out=torch.empty(0, dtype=getattr(torch, kind)))

    compare.assert_close(run)


@compare.needs_torch
@pytest.mark.parametrize("decimals", [-60, -1, 0, 2, 60])
def test_rounding_to_decimals(decimals):
    compare.assert_close(lambda torch: torch.round(torch.tensor([1.2345, -25.0, 1234.5, NAN]), decimals=decimals))
    compare.assert_same(lambda torch: torch.round(torch.tensor([12]), decimals=decimals))


@compare.needs_torch
@pytest.mark.parametrize("values", [[-1.5, 2.0], [5, -3], [True, False]])
def test_operators(values):
    compare.assert_same(lambda torch: abs(torch.tensor(values)))
    compare.assert_same(lambda torch: -torch.tensor(values))
    compare.assert_same(lambda torch: ~torch.tensor(values))


@compare.needs_torch
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_a_huge_angle_does_not_change_its_neighbours(name):
    angles = [0.1 * k for k in range(3000)]
    alone = getattr(T, name)(T.tensor(angles)).tolist()
    angles[700] = 1e30
    beside = getattr(T, name)(T.tensor(angles)).tolist()
    assert [k for k in range(3000) if beside[k] != alone[k]] == [700]
    compare.assert_close(lambda torch: getattr(torch, name)(torch.tensor(angles)))
    compare.assert_close(lambda torch: getattr(torch.tensor(angles), f"{name}_")())


@pytest.mark.parametrize(
    ("name", "x"),
    [("exp", 0.5), ("exp", -700.0), ("log", 10.0), ("expm1", 1e-9), ("log1p", 1e-9), ("sin", 3.0), ("cos", 1.0)],
)
def test_float64_within_two_units_in_the_last_place(name, x):
    exact = getattr(math, name)(x)
    assert abs(getattr(T, name)(T.tensor([x], dtype=T.float64)).item() - exact) <= 2 * math.ulp(exact)


@compare.needs_torch
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    def run(torch, **more):
        functional = nn.functional if torch is T else torch.nn.functional
        edges = torch.tensor(EDGES, dtype=torch.float64 if more.pop("wide", False) else torch.float32)
        return getattr(functional, name)(edges, **ACTIVATIONS[name], **more)

    compare.assert_close(run)
    compare.assert_close(lambda torch: run(torch, wide=True))
    if name not in ("softplus", "logsigmoid", "softsign", "tanhshrink", "softshrink", "hardshrink"):
        compare.assert_close(lambda torch: run(torch, inplace=True))


@compare.needs_torch
@pytest.mark.parametrize("approximate", ["none", "tanh", "other"])
def test_gelu(approximate):
    finite = [x for x in EDGES if abs(x) < 1e6]  # PyTorch's gelu of infinity differs by layout
    compare.assert_close(lambda torch: torch._C._nn.gelu(torch.tensor(finite), approximate=approximate))
    compare.assert_close(lambda torch: torch._C._nn.gelu(torch.tensor(finite).double(), approximate=approximate))
    compare.assert_same(lambda torch: torch._C._nn.gelu(torch.tensor([1])))


@compare.needs_torch
def test_what_activations_refuse():
    calls = (
        lambda F, torch: F.celu(torch.ones(2), 0.0),
        lambda F, torch: F.softshrink(torch.ones(2), -1.0),
        lambda F, torch: F.hardtanh(torch.ones(2), 2.0, 1.0),
        lambda F, torch: F.hardtanh(torch.tensor([True])),
        lambda F, torch: F.glu(torch.ones(3)),
        lambda F, torch: F.glu(torch.tensor(1.0)),
        lambda F, torch: F.prelu(torch.ones(2, 3), torch.ones(2)),
        lambda F, torch: F.prelu(torch.ones(2, 3), torch.ones(1, 3)),
        lambda F, torch: F.silu(torch.tensor([1])),
        lambda F, torch: F.hardtanh(torch.tensor([-3, 3]), -1, 1),
        lambda F, torch: F.prelu(torch.tensor([[-2.0, 2.0, -1.0]]), torch.tensor([0.1, 0.2, 0.3])),
        lambda F, torch: F.glu(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 0),
    )
    for call in calls:
        compare.assert_close(lambda torch, call=call: call(nn.functional if torch is T else torch.nn.functional, torch))
