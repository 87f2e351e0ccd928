"""Initial values of parameters: with the same seed, the same numbers as in PyTorch."""

import math

import pytest
from compare import assert_same, needs_torch

import engine


def filled(fill, *sizes, seed=3):
    """A program that fills a parameter and shows it, and the random numbers that come afterwards."""

    def program(T):
        T.manual_seed(seed)
        parameter = T.nn.Parameter(T.empty(sizes))
        returned = fill(T, parameter)
        return returned is parameter, returned.requires_grad, parameter.detach(), T.rand(3)

    return program


FILLS = {
    "uniform": lambda T, p: T.nn.init.uniform_(p, -2, 3),
    "normal": lambda T, p: T.nn.init.normal_(p, 1.0, 0.5),
    "constant": lambda T, p: T.nn.init.constant_(p, 0.3),
    "ones": lambda T, p: T.nn.init.ones_(p),
    "zeros": lambda T, p: T.nn.init.zeros_(p),
    "eye": lambda T, p: T.nn.init.eye_(p),
    "xavier_uniform": lambda T, p: T.nn.init.xavier_uniform_(p, gain=T.nn.init.calculate_gain("relu")),
    "xavier_normal": lambda T, p: T.nn.init.xavier_normal_(p),
    "kaiming_uniform": lambda T, p: T.nn.init.kaiming_uniform_(p, a=math.sqrt(5)),
    "kaiming_normal": lambda T, p: T.nn.init.kaiming_normal_(p, mode="fan_out", nonlinearity="relu"),
    "trunc_normal": lambda T, p: T.nn.init.trunc_normal_(p, std=0.7),
    "trunc_normal of a tail": lambda T, p: T.nn.init.trunc_normal_(p, mean=0.0, std=1.0, a=1.0, b=2.5),
}


@needs_torch
@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("sizes", [(3, 2), (17, 5)])
def test_a_fill_is_that_of_pytorch(name, sizes):
    assert_same(filled(FILLS[name], *sizes))


@needs_torch
def test_a_convolutions_weight_counts_its_kernel():
    assert_same(filled(FILLS["xavier_normal"], 4, 3, 5))
    assert_same(filled(FILLS["kaiming_uniform"], 4, 3, 5, 2))
    assert_same(filled(lambda T, p: T.nn.init.dirac_(p, 2), 4, 3, 5, 2))


@needs_torch
@pytest.mark.parametrize(
    "program",
    [
        lambda T: T.nn.init.xavier_uniform_(T.empty(3)),
        lambda T: T.nn.init.kaiming_normal_(T.empty(3, 2), mode="fan"),
        lambda T: T.nn.init.kaiming_normal_(T.empty(3, 2), nonlinearity="swish"),
        lambda T: T.nn.init.calculate_gain("leaky_relu", True),
        lambda T: T.nn.init.eye_(T.empty(3)),
        lambda T: T.nn.init.dirac_(T.empty(3, 2, 2), 2),
        lambda T: T.nn.init.kaiming_uniform_(T.empty(0, 2)),
        lambda T: [T.nn.init.calculate_gain(f) for f in ("linear", "conv2d", "tanh", "selu", "sigmoid", "leaky_relu")],
        lambda T: T.nn.init.calculate_gain("leaky_relu", 0.2),
    ],
)
def test_edges_are_pytorchs(program):
    assert_same(program)


LAYERS = {
    "Linear": lambda nn: nn.Linear(7, 5),
    "Linear without bias": lambda nn: nn.Linear(7, 5, bias=False),
    "Bilinear": lambda nn: nn.Bilinear(3, 4, 5),
    "Conv1d": lambda nn: nn.Conv1d(4, 6, 3, groups=2),
    "Conv2d": lambda nn: nn.Conv2d(4, 6, (3, 2)),
    "Embedding": lambda nn: nn.Embedding(9, 5, padding_idx=2),
    "LayerNorm": lambda nn: nn.LayerNorm((3, 4)),
    "RMSNorm": lambda nn: nn.RMSNorm(4),
    "GroupNorm": lambda nn: nn.GroupNorm(2, 4),
    "BatchNorm2d": lambda nn: nn.BatchNorm2d(4),
    "InstanceNorm2d": lambda nn: nn.InstanceNorm2d(4, affine=True),
    "PReLU": lambda nn: nn.PReLU(3),
}


@needs_torch
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_begins_as_pytorchs(name):
    def program(T):
        T.manual_seed(1)
        layer = LAYERS[name](T.nn)
        return [*layer.named_parameters(), *layer.named_buffers()], list(layer.state_dict()), T.rand(2)

    assert_same(program)


def test_numbers_drawn_again_lie_between_the_bounds():
    drawn = engine.nn.init.trunc_normal_(engine.empty(1000), a=-0.5, b=0.25)
    assert drawn.min().item() >= -0.5 and drawn.max().item() <= 0.25
