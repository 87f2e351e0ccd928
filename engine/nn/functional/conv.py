"""Convolutions in one and two dimensions, and their patches as columns.

`conv1d` slides `weight` (c_out, c_in / groups, k) along `input` (n, c_in, l) or (c_in, l), `conv2d` `weight`
(c_out, c_in / groups, kh, kw) over `input` (n, c_in, h, w) or (c_in, h, w); `bias` is (c_out,) or None. `stride`,
`padding` (or "same", "valid") and `dilation` are one number, or one for each dimension of an image.
`conv_transpose1d` and `conv_transpose2d` go the other way: of an output's sizes they make an input's, with the same
weight, and `output_padding` more at the end.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import _C
from ...api import PUBLIC
from ...tensor_impl import Tensor

Numbers = int | Sequence[int]

if TYPE_CHECKING:
    from ..._variable_functions import conv1d, conv2d, conv_transpose1d, conv_transpose2d
else:
    conv1d, conv2d = PUBLIC["conv1d"], PUBLIC["conv2d"]
    conv_transpose1d, conv_transpose2d = PUBLIC["conv_transpose1d"], PUBLIC["conv_transpose2d"]


def unfold(
    input: Tensor, kernel_size: Numbers, dilation: Numbers = 1, padding: Numbers = 0, stride: Numbers = 1
) -> Tensor:
    """Return the patches of images as columns of the matrix that a convolution multiplies by its weight.

    Args:
        input: (n, c, h, w) or (c, h, w).
        kernel_size, dilation, padding, stride: one number, or one for each of height and width.
    Returns:
        (n, c * kh * kw, number of patches), or that without n.
    Raises:
        RuntimeError: parameters do not fit.
        NotImplementedError: integers.
    """
    return _C._nn.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(
    input: Tensor,
    output_size: Numbers,
    kernel_size: Numbers,
    dilation: Numbers = 1,
    padding: Numbers = 0,
    stride: Numbers = 1,
) -> Tensor:
    """Sum columns back into images: add each entry to the image element from which `unfold` reads it.

    Args:
        input: (n, c * kh * kw, number of patches), or that without n.
        output_size: of the images; one number, or one for each of height and width, as all that follow.
    Returns:
        (n, c, h, w) or (c, h, w).
    Raises:
        RuntimeError: parameters do not fit.
        NotImplementedError: integers.
    """
    sizes = (output_size, kernel_size, dilation, padding, stride)
    return _C._nn.col2im(input, *map(_pair, sizes))


def _pair(given: Numbers) -> Sequence[int]:
    return (given, given) if isinstance(given, int) else given
