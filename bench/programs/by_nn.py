"""A network of two layers from the modules of `nn`, its steps by hand over `parameters()`."""

from collections.abc import Callable
from typing import Any

BATCH, INPUTS, HIDDEN, OUTPUTS, RATE = 64, 256, 100, 10, 1e-4


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""
    model = T.nn.Sequential(T.nn.Linear(INPUTS, HIDDEN), T.nn.ReLU(), T.nn.Linear(HIDDEN, OUTPUTS))
    mean_square = T.nn.MSELoss(reduction="sum")
    x, y = T.randn(BATCH, INPUTS), T.randn(BATCH, OUTPUTS)

    def step() -> Any:
        loss = mean_square(model(x), y)
        model.zero_grad()
        loss.backward()
        with T.no_grad():
            for parameter in model.parameters():
                parameter -= RATE * parameter.grad
        return loss

    return step
