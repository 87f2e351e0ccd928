"""Layers that normalize each sample by itself. Mirrors torch/nn/modules/normalization.py."""

from collections.abc import Sequence
from typing import Any

from ...api import PUBLIC
from ...tensor_impl import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

empty = PUBLIC["empty"]


def own_weight_and_bias(module: Module, sizes: Any, weight: bool, bias: bool, device: Any, dtype: Any) -> None:
    """Register a `weight` and a `bias` of the given sizes on a module, or None for one that is not wanted."""
    for name, has in (("weight", weight), ("bias", weight and bias)):
        module.register_parameter(name, Parameter(empty(sizes, device=device, dtype=dtype)) if has else None)


def reset_to_identity(module: Module) -> None:
    """Set the weight to 1 and the bias to 0."""
    if module.weight is not None:
        init.ones_(module.weight)
    if getattr(module, "bias", None) is not None:
        init.zeros_(module.bias)


class LayerNorm(Module):
    """Layer normalization: each row, formed by the last dimensions, normalized to mean 0 and variance 1.

    Args:
        normalized_shape: sizes of the last dimensions, or the size of the last one.
        eps: added to the variance.
        elementwise_affine: whether there is a weight, of sizes `normalized_shape`; and, if `bias`, a bias.
        device, dtype: of the parameters.
    """

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float = 1e-5, elementwise_affine: bool = True,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        own_weight_and_bias(self, self.normalized_shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        reset_to_identity(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class RMSNorm(Module):
    """RMS normalization: each row, formed by the last dimensions, divided by the root mean square of its elements.

    Args:
        normalized_shape: sizes of the last dimensions, or the size of the last one.
        eps: added to the mean; None is the smallest that makes a difference to 1.
        elementwise_affine: whether there is a weight, of sizes `normalized_shape`.
        device, dtype: of the weight.
    """

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        weight = Parameter(empty(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        reset_to_identity(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Group normalization of (n, num_channels, *): each group of channels of a sample with mean 0 and variance 1.

    Args:
        eps: added to the variance.
        affine: whether there is a weight (num_channels,); and, if `bias`, a bias.
        device, dtype: of the parameters.
    Raises:
        ValueError: the groups don't divide the channels.
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ):  # fmt: skip
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        own_weight_and_bias(self, num_channels, affine, bias, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        reset_to_identity(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        shown = f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
        return f"{shown}, bias={self.bias is not None}"
