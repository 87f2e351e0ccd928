"""First and second gradients on a few of PyTorch's own operator test inputs; `make conformance` runs them all."""

from types import SimpleNamespace

import pytest
from compare import needs_torch, torch

pytestmark = needs_torch

if torch is not None:
    from conformance import gradients

SAMPLES = 3
NAMES = """mul div.no_rounding_mode pow where clamp lerp abs sigmoid sum prod amax var logsumexp cumsum sort softmax
    bmm addmm outer T expand diagonal unfold unbind __getitem__ cat gather scatter_add index_put masked_fill
    zero_ clone to nn.functional.gelu nn.functional.layer_norm nn.functional.batch_norm nn.functional.cross_entropy
    nn.functional.conv2d nn.functional.max_pool2d nn.functional.embedding nn.functional.dropout"""
OPERATORS = NAMES.split()


@pytest.mark.parametrize("name", OPERATORS)
def test_gradients_are_pytorchs(name):
    row = gradients.run(name, SAMPLES)
    shown = "\n".join(f"{kind}: {line}\n    {detail}" for kind, line, detail in row.failures[:3])
    assert row.calls and not row.failed, f"{row.failed} of {row.samples} samples fail\n{shown}"


@pytest.mark.parametrize("name", ["mul", "sort", "nn.functional.cross_entropy", "masked_scatter", "sgn", "zero_"])
def test_pytorch_agrees_with_itself(name, monkeypatch):
    monkeypatch.setattr(gradients, "engine", torch)
    row = gradients.run(name, SAMPLES)
    assert row.samples and row.calls and not row.failed and not row.softer


def _times(gradients, factor):
    return tuple(None if gradient is None else gradient * factor for gradient in gradients)


def _grad_of_another_size(*args, **kwargs):
    return _times(torch.autograd.grad(*args, **kwargs), 1.001)


def _recorded_of_another_size(*args, create_graph=False, **kwargs):
    found = torch.autograd.grad(*args, create_graph=create_graph, **kwargs)
    return _times(found, 1.001) if create_graph else found


def _second_of_another_size(*args, **kwargs):
    found = torch.autograd.grad(*args, **kwargs)
    return found if "retain_graph" in kwargs or "create_graph" in kwargs else _times(found, 1.001)


def _grad_without_none(outputs, inputs, *args, **kwargs):
    return torch.autograd.grad(outputs, inputs, *args, **{**kwargs, "materialize_grads": True, "allow_unused": True})


def _grad_that_writes(outputs, inputs, cotangents, **kwargs):
    with torch.no_grad():
        cotangents[0].add_(1)
    return torch.autograd.grad(outputs, inputs, [cotangents[0] - 1, *cotangents[1:]], **kwargs)


def _grad_that_raises(*args, **kwargs):
    raise TypeError("no")


@pytest.mark.parametrize(
    "grad, name, kind",
    [
        (_grad_of_another_size, "mul", "first gradient: values"),
        (_recorded_of_another_size, "mul", "create_graph: values"),
        (_second_of_another_size, "mul", "second gradient: values"),
        (_grad_without_none, "view_as", "first gradient: None"),
        (_grad_that_writes, "mul", "written to"),
        (_grad_that_raises, "mul", "first gradient raises"),
    ],
)
def test_a_wrong_gradient_is_noticed(grad, name, kind, monkeypatch):
    wrong = SimpleNamespace(**{name: getattr(torch, name) for name in dir(torch)})
    wrong.autograd = SimpleNamespace(grad=grad)
    monkeypatch.setattr(gradients, "engine", wrong)
    row = gradients.run(name, SAMPLES)
    assert row.failed and kind in row.kinds, row.kinds
    assert all("requires_grad_()" in line for _, line, _ in row.failures)
