"""Layers that leave something out by chance while the network learns. Mirrors torch/nn/modules/dropout.py."""

from ...tensor_impl import Tensor
from .. import functional as F
from .module import Module


class _DropoutNd(Module):
    """
    Args:
        p: the probability that an element, or a channel, becomes zero.
        inplace: write into the input.
    Raises:
        ValueError: `p` is not a probability.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        if p < 0.0 or p > 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Dropout: each element becomes 0 with probability `p`, and the others are multiplied by 1 / (1 - p)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """`Dropout` of whole channels of (n, c, l) or (c, l)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """`Dropout` of whole channels of (n, c, h, w)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that preserves the mean and variance of `SELU` outputs."""

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)
