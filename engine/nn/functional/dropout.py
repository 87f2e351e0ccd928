"""The dropout family: elements or channels that become zero by chance while a network learns."""

import warnings

from ...api import PUBLIC
from ...tensor_impl import Tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability `p` and multiply the others by 1 / (1 - p).

    Args:
        input: any sizes.
        p: in [0, 1].
        training: if not, nothing is changed.
        inplace: write into `input`, which is returned then.
    Raises:
        ValueError: `p` is not a probability.
    """
    return _drop("dropout", input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Apply dropout that preserves the mean and variance of `selu` outputs; `training` is False by default."""
    return _drop("alpha_dropout", input, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Apply `alpha_dropout` to whole channels."""
    return _drop("feature_alpha_dropout", input, p, training, inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Apply `dropout` to whole channels of (n, c, l) or (c, l).

    Raises:
        ValueError: `p` is not a probability.
        RuntimeError: other numbers of dimensions.
    """
    _check_probability(p)
    dims = input.dim()
    if dims not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {dims}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    return _drop_channels(input, p, training, inplace, dims == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Apply `dropout` to whole channels of (n, c, h, w).

    Raises:
        ValueError: `p` is not a probability.
    """
    _check_probability(p)
    dims = input.dim()
    if dims not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {dims}-D input to dropout2d, which is deprecated and will result in an error in a "
            "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            "dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel "
            "dimension, and an optional batch dimension (i.e. 3D or 4D inputs).",
            stacklevel=2,
        )
    if dims == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change "
            "in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To "
            "maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return _drop("feature_dropout", input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Apply `dropout` to whole channels of (n, c, d, h, w) or (c, d, h, w).

    Raises:
        ValueError: `p` is not a probability.
    """
    _check_probability(p)
    dims = input.dim()
    if dims not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {dims}-D input to dropout3d, which is deprecated and will result in an error in a "
            "future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
            "dropout3d exists to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel "
            "dimension, and an optional batch dimension (i.e. 4D or 5D inputs).",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace, dims == 5)


def _drop(name: str, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    _check_probability(p)
    return PUBLIC[f"{name}_" if inplace else name](input, p, training)


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool, is_batch: bool) -> Tensor:
    if is_batch:
        return _drop("feature_dropout", input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _drop("feature_dropout", batch, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
