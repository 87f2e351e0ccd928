"""Activation functions: relu, softmax and its relatives."""

import warnings

from ...dtypes import dtype as Dtype
from ...public import PUBLIC
from ...tensor_impl import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Zero in place of what is negative.

    Args:
        input: any sizes.
        inplace: write into `input`, which is returned then.
    Raises:
        RuntimeError: a bool tensor; one that may not be written to.
    """
    return PUBLIC["relu_" if inplace else "relu"](input)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """e to each element over the sum of those along a dimension: positive numbers that add up to 1.

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
    """`softmax` of the negated input; arguments and errors are those of `softmax`."""
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return PUBLIC["softmax"](PUBLIC["neg"](input), dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None) -> Tensor:
    """The logarithm of `softmax`, also where that is too small for its dtype; arguments and errors are the same."""
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return PUBLIC["log_softmax"](input, dim, dtype)


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1
