"""A network of two layers written in tensor operations, its gradients by autograd and its steps by hand."""

from collections.abc import Callable
from typing import Any

BATCH, INPUTS, HIDDEN, OUTPUTS, RATE = 64, 256, 100, 10, 1e-6


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""
    x, y = T.randn(BATCH, INPUTS), T.randn(BATCH, OUTPUTS)
    w1 = T.randn(INPUTS, HIDDEN, requires_grad=True)
    w2 = T.randn(HIDDEN, OUTPUTS, requires_grad=True)

    def step() -> Any:
        predicted = x.mm(w1).clamp(min=0).mm(w2)
        loss = (predicted - y).pow(2).sum()
        loss.backward()
        with T.no_grad():
            w1.sub_(RATE * w1.grad)
            w2.sub_(RATE * w2.grad)
            w1.grad.zero_()
            w2.grad.zero_()
        return loss

    return step
