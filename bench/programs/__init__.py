"""Ten programs that a user of PyTorch would write. Each has `setup(T)`, where T is `engine` or `torch`: it makes a
network and a batch from T's generator and returns a training step, which returns the loss.

The engine's generator draws PyTorch's numbers, so that one seed gives both the same weights and data.
"""

import importlib
from collections.abc import Callable
from typing import Any

PROGRAMS = {
    "densenet": "DenseNet, 48 layers, 8 images of 32 x 32",
    "resnet": "ResNet, 14 layers, 16 images of 32 x 32",
    "gru": "GRU by hand, 24 steps, 64 wide",
    "by_autograd": "two layers, by autograd",
    "by_nn": "two layers, by nn",
    "by_function": "two layers, by a Function of one's own",
    "transformer": "transformer, 2 layers, 64 wide",
    "vae": "VAE, 784-400-20",
    "logistic": "logistic regression, by closures",
    "gan": "GAN of convolutions, 16 images of 32 x 32",
}
STEPS, TOLERANCE = 5, 1e-3


def prepare(name: str, T: Any) -> Callable[[], Any]:
    """The training step of a program, from the seed 0."""
    T.manual_seed(0)
    return importlib.import_module(f"{__name__}.{name}").setup(T)


def losses(name: str, T: Any, steps: int = STEPS) -> list[float]:
    """The losses of the first steps."""
    step = prepare(name, T)
    return [step().item() for _ in range(steps)]


def differs(ours: list[float], theirs: list[float]) -> bool:
    """True if some loss is further from PyTorch's than `TOLERANCE` of it."""
    return any(not abs(a - b) <= TOLERANCE * abs(b) for a, b in zip(ours, theirs, strict=True))
