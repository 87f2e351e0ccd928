"""Layers that are sums of products. Mirrors torch/nn/modules/linear.py."""

import math
from typing import Any

from ...api import PUBLIC
from ...tensor_impl import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

empty = PUBLIC["empty"]


class Identity(Module):
    """The identity, which ignores all constructor arguments."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """input @ weight.T + bias: (..., in_features) -> (..., out_features)

    Args:
        bias: whether there is one.
        device, dtype: of the parameters.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new parameters uniformly between -1 / sqrt(in_features) and 1 / sqrt(in_features)."""
        reset_weight_and_bias(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def reset_weight_and_bias(weight: Tensor, bias: Tensor | None) -> None:
    """Draw initial values of linear layers and convolutions uniformly from [-b, b], b = 1 / sqrt(fan_in)."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init.calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


class Bilinear(Module):
    """input1 @ weight[o] @ input2 + bias[o]: (..., in1_features), (..., in2_features) -> (..., out_features)

    Raises:
        ValueError: `in1_features` is not positive.
    """

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new parameters uniformly between -1 / sqrt(in1_features) and 1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        features = f"in1_features={self.in1_features}, in2_features={self.in2_features}"
        return f"{features}, out_features={self.out_features}, bias={self.bias is not None}"
