"""A network of two layers whose nonlinearity is a Function of one's own, with forward and backward."""

from collections.abc import Callable
from typing import Any

BATCH, INPUTS, HIDDEN, OUTPUTS, RATE = 64, 256, 100, 10, 1e-6


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""

    class Rectify(T.autograd.Function):
        """Numbers below zero become zero."""

        @staticmethod
        def forward(ctx: Any, input: Any) -> Any:
            ctx.save_for_backward(input)
            return input.clamp(min=0)

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            (input,) = ctx.saved_tensors
            grad_input = grad_output.clone()
            grad_input[input < 0] = 0
            return grad_input

    x, y = T.randn(BATCH, INPUTS), T.randn(BATCH, OUTPUTS)
    w1 = T.randn(INPUTS, HIDDEN, requires_grad=True)
    w2 = T.randn(HIDDEN, OUTPUTS, requires_grad=True)

    def step() -> Any:
        predicted = Rectify.apply(x.mm(w1)).mm(w2)
        loss = (predicted - y).pow(2).sum()
        loss.backward()
        with T.no_grad():
            w1.sub_(RATE * w1.grad)
            w2.sub_(RATE * w2.grad)
            w1.grad = w2.grad = None
        return loss

    return step
