"""Convolutions in one and two dimensions."""

from collections.abc import Sequence

from ...public import PUBLIC
from ...tensor_impl import Tensor

Numbers = int | Sequence[int]


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers | str = 0,
    dilation: Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Slide kernels along lines of numbers.

    Args:
        input: (n, c_in, l), or (c_in, l).
        weight: (c_out, c_in / groups, k).
        bias: (c_out,), added to each channel of the output.
        stride: from one place of the kernel to the next.
        padding: zeros before and behind a line, or "valid" for none, "same" for an output as long as the input.
        dilation: from one element of the kernel to the next.
        groups: parts of the channels that see only the kernels of their part.
    Returns:
        (n, c_out, (l + 2 * padding - dilation * (k - 1) - 1) // stride + 1), or that without n.
    Raises:
        RuntimeError: shapes, dtypes or parameters do not fit.
    """
    return PUBLIC["conv1d"](input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Numbers = 1,
    padding: Numbers | str = 0,
    dilation: Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Slide kernels over images; as `conv1d`, with one number for both dimensions or one for each.

    Args:
        input: (n, c_in, h, w), or (c_in, h, w).
        weight: (c_out, c_in / groups, kh, kw).
        bias, stride, padding, dilation, groups: as `conv1d`.
    Returns:
        (n, c_out, h_out, w_out), or that without n; channels_last if input or weight are.
    Raises:
        RuntimeError: shapes, dtypes or parameters do not fit.
    """
    return PUBLIC["conv2d"](input, weight, bias, stride, padding, dilation, groups)
