"""Layers that are sums of products: linear, bilinear."""

from ... import _C
from ...api import PUBLIC
from ...tensor_impl import Tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return input @ weight.T + bias.

    Args:
        input: (..., in)
        weight: (out, in) or (in,)
        bias: (out,) or None
        out: what is written to, if given.
    Returns:
        (..., out)
    Raises:
        RuntimeError: a tensor has no dimensions; sizes or dtypes do not fit.
    """
    return _C._nn.linear(input, weight, bias) if out is None else _C._nn.linear(input, weight, bias, out=out)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return out[..., o] = input1 @ weight[o] @ input2 + bias[o].

    Args:
        input1: (..., in1)
        input2: (..., in2)
        weight: (out, in1, in2)
        bias: (out,) or None
    Returns:
        (..., out)
    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """
    return PUBLIC["bilinear"](input1, input2, weight, bias)
