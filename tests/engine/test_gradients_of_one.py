"""Parameters of one element: their gradients are PyTorch's, in memory of their own."""

import pytest
from compare import assert_same, needs_torch

pytestmark = needs_torch


def two_biases(T):
    a, b = (T.nn.Parameter(T.full((1,), value)) for value in (0.5, -2.0))
    return [a, b], lambda x: (x[:, :1] + a).sum() + (x[:, 1:] * 3 + b).sum()


def sums(T):
    a, b, c = (T.nn.Parameter(T.ones(sizes)) for sizes in ((1,), (1, 1), (3, 1)))
    return [a, b, c], lambda x: a.sum() + b.sum() * 2 + c.sum() + x.sum()


def heads(T):
    T.manual_seed(0)
    layers = T.nn.Sequential(T.nn.Linear(2, 1), T.nn.Sigmoid(), T.nn.Linear(1, 1), T.nn.Softplus())
    return list(layers.parameters()), lambda x: layers(x).sum()


def temperature_and_scale(T):
    heat, scale, shift = (T.nn.Parameter(T.tensor(value)) for value in (1.5, 2.0, 0.0))
    return [heat, scale, shift], lambda x: ((x / heat).softmax(1).square() * scale + shift).sum()


def expanded(T):
    a, b = (T.nn.Parameter(T.ones(1)) for _ in range(2))
    return [a, b], lambda x: (a.expand(4, 2) * x + b.expand_as(x)).mean() + a.mean() + b.view(1, 1).sum()


def concatenated(T):
    a, b = (T.nn.Parameter(T.ones(1)) for _ in range(2))
    return [a, b], lambda x: (T.cat([a, b]) * x).sum() + T.stack([a, b]).sum()


@pytest.mark.parametrize("passes", [1, 2, 3])
@pytest.mark.parametrize("parts", [two_biases, sums, heads, temperature_and_scale, expanded, concatenated])
def test_the_gradients_are_pytorchs(parts, passes):
    def program(T):
        parameters, loss = parts(T)
        x = T.arange(8.0).view(4, 2) / 4
        seen = []
        for _ in range(passes):
            loss(x).backward()
            seen.append([entry.grad.clone() for entry in parameters])
        gradients = [entry.grad for entry in parameters]
        norm = T.nn.utils.clip_grad_norm_(parameters, 0.5)
        optimizer = T.optim.SGD(parameters, lr=0.25, momentum=0.5)
        optimizer.step()
        return [seen, gradients, [entry.stride() for entry in gradients], (norm * 2**10).round(), close(parameters)]

    def close(parameters):
        return [[round(value * 1e5) for value in entry.detach().view(-1).tolist()] for entry in parameters]

    assert_same(lambda T: rounded(T, program(T)))


def rounded(T, result):
    """The result with floats to a thousandth: the sums of both sides round in another order."""
    if isinstance(result, T.Tensor):
        with T.no_grad():
            return result.mul_(2**10).round_() if result.is_floating_point() else result
    return [rounded(T, entry) for entry in result] if isinstance(result, list) else result
