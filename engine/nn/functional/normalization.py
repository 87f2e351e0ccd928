"""Normalizations: of a batch, of each sample, of groups of channels, of rows, of vectors."""

from collections.abc import Sequence

from ...api import PUBLIC
from ...tensor_impl import Tensor


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Subtract the mean of each channel, divide by its standard deviation, multiply by `weight` and add `bias`.

    Args:
        input: (batch, channels, *)
        running_mean, running_var, weight, bias: (channels,). The running ones are used in evaluation; in training they
            are updated, `momentum` being the part of the new ones.
    Raises:
        ValueError: training, and a channel has one element.
        RuntimeError: sizes or dtypes do not fit.
    """
    if training:
        _verify_batch_size(input.shape)
    return PUBLIC["batch_norm"](input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Apply `batch_norm` to each sample separately.

    Raises:
        ValueError: the input's statistics are used, and a channel has one element.
        RuntimeError: sizes or dtypes do not fit.
    """
    if use_input_stats:
        _verify_spatial_size(input.shape)
    return PUBLIC["instance_norm"](input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each row, formed by the last dimensions, to mean 0 and variance 1; multiply by `weight` and add `bias`.

    Args:
        input: (*, *normalized_shape)
        weight, bias: of sizes `normalized_shape`.
    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """
    return PUBLIC["layer_norm"](input, normalized_shape, weight, bias, eps, True)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divide each row, formed by the last dimensions, by the root mean square of its elements; multiply by `weight`.

    Raises:
        RuntimeError: sizes do not fit.
    """
    return PUBLIC["rms_norm"](input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalize each group of channels of each sample to mean 0 and variance 1; multiply by `weight` and add `bias`.

    Args:
        input: (batch, channels, *)
        weight, bias: (channels,)
    Raises:
        RuntimeError: there are fewer than 2 dimensions; sizes or dtypes do not fit.
        ValueError: a group has one element.
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    sizes = list(input.shape)
    _verify_batch_size([sizes[0] * sizes[1] // num_groups, num_groups, *sizes[2:]])
    return PUBLIC["group_norm"](input, num_groups, weight, bias, eps, True)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divide vectors along `dim` by their p-norm, or by `eps` if the norm is smaller."""
    norms = PUBLIC["clamp_min"](PUBLIC["norm"](input, p, dim, keepdim=True), eps)
    return PUBLIC["div"](input, PUBLIC["broadcast_to"](norms, input.shape), out=out)


def _verify_batch_size(size: Sequence[int]) -> None:
    count = size[0]
    for entry in size[2:]:
        count *= entry
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _verify_spatial_size(size: Sequence[int]) -> None:
    count = 1
    for entry in size[2:]:
        count *= entry
    if count == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
