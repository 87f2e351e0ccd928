"""_addmm_activation: product, bias and activation of a layer, on the CPU and in two kernels on a device."""

import numpy as np
import pytest
from compare import needs_torch, torch
from cuda_compare import on_cuda
from test_cuda_transpose import listened

import engine

random = np.random.default_rng(3)


def numbers(*sizes, dtype=np.float32):
    return random.standard_normal(sizes).astype(dtype)


def layer(T, bias, x, w, where=lambda tensor: tensor, **options):
    return where(T._addmm_activation(*map(T.from_numpy, (bias, x, w)), **options))


@needs_torch
@pytest.mark.parametrize("options", [{}, {"beta": 2}, {"alpha": -3, "beta": 0.5}, {"use_gelu": True}, {"beta": 0}])
@pytest.mark.parametrize("sizes", [(7,), (3, 7), (1,), (3, 1)])
def test_it_is_pytorchs(sizes, options):
    given = numbers(*sizes), numbers(3, 5), numbers(5, 7)
    ours, theirs = layer(engine, *given, **options), layer(torch, *given, **options)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("options", [{}, {"beta": 2}, {"alpha": -3, "beta": 0.5}])
@pytest.mark.parametrize("sizes", [(7,), (3, 7), (1,), (3, 1)])
def test_a_device_gives_the_same(sizes, options):
    bias, x, w = (engine.from_numpy(numbers(*shape)) for shape in (sizes, (3, 5), (5, 7)))
    ours = engine._addmm_activation(*map(on_cuda, (bias, x, w)), **options).cpu()
    np.testing.assert_allclose(ours.numpy(), engine._addmm_activation(bias, x, w, **options).numpy(), 1e-5, 1e-6)


def test_on_a_device_gelu_is_the_one_with_tanh():
    bias, x, w = (engine.from_numpy(numbers(*shape)) for shape in ((7,), (3, 5), (5, 7)))
    right = engine.nn.functional.gelu(engine.addmm(bias, x, w), approximate="tanh")
    ours = engine._addmm_activation(*map(on_cuda, (bias, x, w)), use_gelu=True).cpu()
    np.testing.assert_allclose(ours.numpy(), right.numpy(), 1e-5, 1e-6)


def test_bias_and_activation_are_one_kernel():
    bias, x, w = (on_cuda(engine.from_numpy(numbers(*shape))) for shape in ((3,), (4, 2), (2, 3)))
    with listened() as names:
        engine._addmm_activation(bias, x, w)
    assert names == ["gemm_naive", "bias_activation"]


def test_without_beta_the_bias_may_hold_anything():
    bias = engine.full((2,), float("nan")).to("cuda")
    made = engine._addmm_activation(bias, engine.ones(2, 3).to("cuda"), engine.ones(3, 2).to("cuda"), beta=0)
    assert made.cpu().tolist() == [[3.0, 3.0], [3.0, 3.0]]


@pytest.mark.parametrize("sizes", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0))])
def test_nothing_to_multiply(sizes):
    x, w = (engine.ones(*size).to("cuda") for size in sizes)
    bias = engine.arange(float(sizes[1][1])).to("cuda") - 1
    made = engine._addmm_activation(bias, x, w).cpu()
    assert made.tolist() == engine._addmm_activation(bias.cpu(), x.cpu(), w.cpu()).tolist()


def test_a_gradient_is_refused():
    x = engine.ones(2, 2, requires_grad=True)
    made = engine._addmm_activation(engine.ones(2), x, engine.ones(2, 2))
    with pytest.raises(RuntimeError, match="not implemented"):
        made.sum().backward()
