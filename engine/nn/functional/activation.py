"""Activation functions: relu, gelu and their relatives, softmax and its."""

import warnings

from ... import _C
from ...api import PUBLIC
from ...dtypes import dtype as Dtype
from ...tensor_impl import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `input` with negative elements replaced by 0.

    Args:
        input: any sizes.
        inplace: write into `input`, which is returned then.
    Raises:
        RuntimeError: a bool tensor; one that may not be written to.
    """
    return PUBLIC["relu_" if inplace else "relu"](input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return `input`, multiplied by `negative_slope` where it is negative."""
    return (_C._nn.leaky_relu_ if inplace else _C._nn.leaky_relu)(input, negative_slope)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return `leaky_relu` with the slopes in `weight`: one for all, or one for each entry of dimension 1."""
    return PUBLIC["prelu"](input, weight)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Clamp `input` to [0, 6]."""
    return (_C._nn.relu6_ if inplace else _C._nn.relu6)(input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Clamp `input` to [`min_val`, `max_val`].

    Raises:
        ValueError: `min_val` is the larger one.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_C._nn.hardtanh_ if inplace else _C._nn.hardtanh)(input, min_val, max_val)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return `input` with elements not above `threshold` replaced by `value`."""
    return PUBLIC["threshold_" if inplace else "threshold"](input, threshold, value)


def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor:
    """Multiply `input` by the standard normal distribution function at `input`.

    Args:
        approximate: "none", or "tanh" for a formula with tanh.
    """
    return _C._nn.gelu(input, approximate=approximate, out=out)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply `input` by its sigmoid."""
    return (_C._nn.silu_ if inplace else _C._nn.silu)(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply `input` by the tanh of its softplus."""
    return (_C._nn.mish_ if inplace else _C._nn.mish)(input)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 + e**(beta * input)) / beta; `input` itself where beta * input is above `threshold`."""
    return _C._nn.softplus(input, beta, threshold, out=out)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input`, or alpha * (e**input - 1) where it is negative."""
    return (_C._nn.elu_ if inplace else _C._nn.elu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `elu` with a fixed alpha and scale that preserve mean 0 and variance 1."""
    return PUBLIC["selu_" if inplace else "selu"](input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return `input`, or alpha * (e**(input / alpha) - 1) where it is negative."""
    return PUBLIC["celu_" if inplace else "celu"](input, alpha)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return relu6(input + 3) / 6."""
    return (_C._nn.hardsigmoid_ if inplace else _C._nn.hardsigmoid)(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * relu6(input + 3) / 6."""
    return (_C._nn.hardswish_ if inplace else _C._nn.hardswish)(input)


def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 / (1 + e**-input))."""
    return _C._nn.log_sigmoid(input, out=out)


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + e**-input)."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
    return input.tanh()


def softsign(input: Tensor) -> Tensor:
    """Return input / (1 + abs(input))."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """Return input - tanh(input)."""
    return input - input.tanh()


def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Move `input` toward 0 by `lambd`; elements within `lambd` of 0 become 0."""
    return _C._nn.softshrink(input, lambd, out=out)


def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Return `input` with elements within `lambd` of 0 replaced by 0."""
    return PUBLIC["hardshrink"](input, lambd, out=out)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Multiply the first half of `input` along `dim` by the sigmoid of the second half.

    Raises:
        RuntimeError: there are no dimensions; the size of that one is odd.
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _C._nn.glu(input, dim)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """Return e**input divided by its sum along `dim`: positive numbers that add up to 1.

    Args:
        input: any sizes.
        dim: along which they add up to 1. None warns, and is 0 for tensors of 0, 1 or 3 dimensions and 1 for others.
        _stacklevel: how many frames up the warning points.
        dtype: `input` is converted to it first.
    Raises:
        IndexError: there is no such dimension.
        NotImplementedError: `input` is not floating-point.
    """
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return PUBLIC["softmax"](input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """Return `softmax` of the negated input; same arguments and errors as `softmax`."""
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return PUBLIC["softmax"](PUBLIC["neg"](input), dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """Return the logarithm of `softmax`, accurate even if `softmax` rounds to 0; arguments and errors of `softmax`."""
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return PUBLIC["log_softmax"](input, dim, dtype)


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


# The operators that write into their input, under the names that torch/nn/functional.py gives them.
relu_, threshold_, selu_, celu_ = (PUBLIC[name] for name in ("relu_", "threshold_", "selu_", "celu_"))
elu_, leaky_relu_, hardtanh_ = _C._nn.elu_, _C._nn.leaky_relu_, _C._nn.hardtanh_
