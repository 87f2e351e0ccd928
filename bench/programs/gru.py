"""A GRU written in plain tensor operations (Cho et al. 2014), which predicts the next symbol; by Adam."""

from collections.abc import Callable
from typing import Any

BATCH, LENGTH, SYMBOLS, HIDDEN = 16, 24, 32, 64


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""

    def weights(*sizes: int) -> Any:
        return (T.randn(*sizes) * sizes[0] ** -0.5).requires_grad_()

    embedding = weights(SYMBOLS, HIDDEN)
    W, U, b = weights(HIDDEN, 3 * HIDDEN), weights(HIDDEN, 3 * HIDDEN), T.zeros(3 * HIDDEN, requires_grad=True)
    V, c = weights(HIDDEN, SYMBOLS), T.zeros(SYMBOLS, requires_grad=True)
    optimizer = T.optim.Adam([embedding, W, U, b, V, c], lr=1e-3)
    text = T.randint(0, SYMBOLS, (BATCH, LENGTH + 1))

    def cell(x: Any, h: Any) -> Any:
        from_input, from_state = x @ W + b, h @ U
        reset = T.sigmoid(from_input[:, :HIDDEN] + from_state[:, :HIDDEN])
        update = T.sigmoid(from_input[:, HIDDEN : 2 * HIDDEN] + from_state[:, HIDDEN : 2 * HIDDEN])
        candidate = T.tanh(from_input[:, 2 * HIDDEN :] + reset * from_state[:, 2 * HIDDEN :])
        return (1 - update) * candidate + update * h

    def step() -> Any:
        h = T.zeros(BATCH, HIDDEN)
        losses = []
        for t in range(LENGTH):
            h = cell(embedding[text[:, t]], h)
            losses.append(T.nn.functional.cross_entropy(h @ V + c, text[:, t + 1]))
        loss = T.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step
