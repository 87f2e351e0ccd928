"""A matrix of 8-bit integers with a scale per row."""

from typing import Any

import engine as torch

from .matrices import scaled
from .wrapper import Sample


class EightBit(Sample):
    """A matrix of one byte per element: each row is a row of integers from -127 to 127 times a scale.

    For weights of a network that is not trained any more. `quantize` makes one of a matrix, of which each element is
    off by at most half of its row's scale. A product widens the integers and scales its result, or, if the scales are
    along the dimension that is summed up, its other factor. Scales and operands get gradients, integers don't.
    Source: WeightOnlyInt8Linear (github.com/pytorch-labs/gpt-fast).

    >>> from engine.transforms.samples import flops
    >>> weight = EightBit.quantize(torch.linspace(-1, 1, 1 << 20).view(1024, 1024))
    >>> weight
    EightBit((1024, 1024), 1,052,672 of 4,194,304 bytes)
    >>> flops(torch.mm, weight, torch.ones(1024, 8))
    (16785408, 16777216)
    """

    fields = ("scales", "integers")
    sizes = lambda scales, integers: integers.shape
    dense = lambda s: (s.widened() * s.scales).contiguous()
    rules = {
        **scaled(lambda s, function: EightBit(function(s.scales), s.integers)),
        "embedding": lambda s, indices: s.rows_of(indices),
        "mm": lambda s, b: s.widened() @ b * s.scales if s.is_by_rows() else s.widened() @ (s.scales.t() * b),
        "rmm": lambda s, a: a * s.scales.t() @ s.widened() if s.is_by_rows() else a @ s.widened() * s.scales,
        "t": lambda s: EightBit(s.scales.t(), s.integers.t()),
    }

    @classmethod
    def quantize(cls, matrix: Any) -> Any:
        """Return the nearest sample to a matrix; the largest element of a row becomes 127 or -127."""
        largest = matrix.abs().amax(1, True)
        scales = torch.where(largest > 0, largest, 127) / 127
        return cls(scales, (matrix / scales).round().to(torch.int8))

    def widened(self) -> Any:
        """Return the integers in the dtype of the scales."""
        return self.integers.to(self.dtype)

    def is_by_rows(self) -> bool:
        """Return True if each row has a scale; of the transpose, each column has one."""
        return bool(self.scales.shape == (self.shape[0], 1))

    def rows_of(self, indices: Any) -> Any:
        """Return rows, as a dense tensor."""
        scales = self.scales[indices] if self.is_by_rows() else self.scales
        return self.integers[indices].to(self.dtype) * scales
