"""Logistic regression; the optimizer calls a closure that computes the loss anew, as LBFGS asks for."""

from collections.abc import Callable
from typing import Any

BATCH, INPUTS, RATE, DECAY = 256, 64, 0.5, 1e-3


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""
    x = T.randn(BATCH, INPUTS)
    y = (x @ T.randn(INPUTS) > 0).float()
    w, b = T.zeros(INPUTS, requires_grad=True), T.zeros((), requires_grad=True)
    optimizer = T.optim.SGD([w, b], lr=RATE, momentum=0.9)

    def closure() -> Any:
        optimizer.zero_grad()
        scores = x @ w + b
        loss = T.nn.functional.binary_cross_entropy_with_logits(scores, y) + DECAY * w.dot(w)
        loss.backward()
        return loss

    return lambda: optimizer.step(closure)
