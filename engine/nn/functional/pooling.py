"""Poolings: the largest or the mean of each window of images and lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import _C
from ...api import PUBLIC
from ...tensor_impl import Tensor

Numbers = int | Sequence[int]


def max_pool1d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # a tensor; with indices a pair
    """Return the maximum of each window of a 1-D input (n, c, l) or (c, l); same parameters as `max_pool2d`."""
    name = "max_pool1d_with_indices" if return_indices else "max_pool1d"
    return PUBLIC[name](input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # a tensor; with indices a pair
    """Return the maximum of each window of images.

    Args:
        input: (n, c, h, w) or (c, h, w).
        kernel_size: elements of a window, one number or one for each of height and width; so are those that follow.
        stride: from one window to the next; None for `kernel_size`.
        padding: elements around an image that are never the largest; at most half a window.
        dilation: from one element of a window to the next.
        ceil_mode: whether a window may end outside of the image.
        return_indices: whether to tell where the largest are.
    Returns:
        the maxima; with indices, if they are asked for, that count through height and width.
    Raises:
        RuntimeError: sizes or parameters do not fit.
    """
    steps = () if stride is None else stride
    if return_indices:
        return _C._nn.max_pool2d_with_indices(input, kernel_size, steps, padding, dilation, ceil_mode)
    return PUBLIC["max_pool2d"](input, kernel_size, steps, padding, dilation, ceil_mode)


# (input, kernel_size, stride=kernel_size, padding=0, ceil_mode=False, count_include_pad=True), and for images a number
# by which the sum of a window is divided, divisor_override=None
avg_pool2d = _C._nn.avg_pool2d
if TYPE_CHECKING:
    from ..._variable_functions import adaptive_avg_pool1d, avg_pool1d
else:
    avg_pool1d, adaptive_avg_pool1d = PUBLIC["avg_pool1d"], PUBLIC["adaptive_avg_pool1d"]  # (input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Return the mean of each window of images, with as many windows as `output_size` requests.

    Args:
        input: (n, c, h, w) or (c, h, w).
        output_size: height and width of the output, or one number for both; None keeps the image's.
    Raises:
        RuntimeError: sizes do not fit.
    """
    return _C._nn.adaptive_avg_pool2d(input, _list_with_default(output_size, input._sizes))


def adaptive_max_pool1d(
    input: Tensor, output_size: Numbers, return_indices: bool = False
) -> Any:  # a tensor; with indices a pair
    """Return the maximum of each of `output_size` windows of a 1-D input (n, c, l) or (c, l)."""
    result = PUBLIC["adaptive_max_pool1d"](input, output_size)
    return result if return_indices else result[0]


def adaptive_max_pool2d(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> Any:  # a tensor; with indices a pair
    """Return the maximum of each window of images; parameters like `adaptive_avg_pool2d` and `max_pool2d`."""
    result = _C._nn.adaptive_max_pool2d(input, _list_with_default(output_size, input._sizes))
    return result if return_indices else result[0]


def _list_with_default(given: Any, sizes: Sequence[int]) -> Any:
    """Return the sizes of an output, with the input's sizes instead of None."""
    if isinstance(given, int):
        return given
    if len(sizes) <= len(given):
        raise ValueError(f"Input dimension should be at least {len(given) + 1}")
    return [size if number is None else number for number, size in zip(given, sizes[-len(given) :], strict=False)]
