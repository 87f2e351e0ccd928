"""Convolutions. Mirrors torch/nn/modules/conv.py."""

from typing import Any

from ...api import PUBLIC
from ...tensor_impl import Tensor
from .. import functional as F
from ..parameter import Parameter
from .linear import reset_weight_and_bias
from .module import Module

empty = PUBLIC["empty"]

Sizes = int | tuple[int, ...]
PADDINGS = {"same", "valid"}
PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


class _ConvNd(Module):
    """A convolution in `dims` dimensions.

    Args:
        kernel_size, stride, padding, dilation: one number, or one for each dimension; `padding` also "same", "valid".
        groups: each has in_channels / groups inputs and out_channels / groups outputs.
        bias: whether there is one.
        padding_mode: values beyond the edge: "zeros", "reflect", "replicate" or "circular".
        device, dtype: of the parameters.
    Raises:
        ValueError: groups that don't divide the channels; paddings that there are not.
    """

    dims: int

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1, padding: Sizes | str = 0,
        dilation: Sizes = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = map(self._sizes, (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else self._sizes(padding)
        self.padding_mode = padding_mode
        self._check()
        sizes = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(empty(sizes, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def _sizes(self, given: Sizes) -> tuple[int, ...]:
        return (given,) * self.dims if isinstance(given, int) else tuple(given)

    def _check(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in PADDINGS:
                raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {PADDINGS}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in PADDING_MODES:
            raise ValueError(f"padding_mode must be one of {PADDING_MODES}, but got padding_mode='{self.padding_mode}'")

    def reset_parameters(self) -> None:
        """Draw new parameters between -1 / sqrt(fan_in) and 1 / sqrt(fan_in)."""
        reset_weight_and_bias(self.weight, self.bias)

    def _edges(self) -> list[int]:
        """Return the padding for `F.pad` before and after each dimension, the last dimension first."""
        edges = []
        for dim in reversed(range(self.dims)):
            if self.padding == "same":
                total = self.dilation[dim] * (self.kernel_size[dim] - 1)
                edges += [total // 2, total - total // 2]
            else:
                edges += [0, 0] if isinstance(self.padding, str) else [self.padding[dim]] * 2
        return edges

    def forward(self, input: Tensor) -> Tensor:
        convolution = F.conv1d if self.dims == 1 else F.conv2d
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._edges(), mode=self.padding_mode), (0,) * self.dims
        return convolution(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        shown = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * self.dims:
            shown += f", padding={self.padding}"
        if self.dilation != (1,) * self.dims:
            shown += f", dilation={self.dilation}"
        if self.groups != 1:
            shown += f", groups={self.groups}"
        if self.bias is None:
            shown += ", bias=False"
        if self.padding_mode != "zeros":
            shown += f", padding_mode={self.padding_mode}"
        return shown


class Conv1d(_ConvNd):
    """1-D convolution: `weight` (out_channels, in_channels / groups, k) over (n, in_channels, l); see `_ConvNd`."""

    dims = 1


class Conv2d(_ConvNd):
    """2-D convolution: `weight` (out_channels, in_channels / groups, kh, kw) over (n, in_channels, h, w); arguments of
    `_ConvNd`."""

    dims = 2
