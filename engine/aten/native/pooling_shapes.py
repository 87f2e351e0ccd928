"""Sizes of what a pooling makes, and what it refuses. Mirrors aten/src/ATen/native/Pool.h."""

import functools
from typing import NamedTuple

from ...dtypes import dtype
from ...strides import Ints
from ...tensor_impl import Tensor
from ..structured import MetaBase
from .resize import strides_of_format, suggested_format


class Windows(NamedTuple):
    """The windows of a pooling, each field as (height, width).

    Attributes:
        kernel: elements that a window has in the image.
        stride: from one window to the next.
        padding: elements around the image, which are not numbers for a maximum and zeros for a mean.
        dilation: from one element of a window to the next.
    """

    kernel: Ints
    stride: Ints
    padding: Ints
    dilation: Ints = (1, 1)


def pair(name: str, what: str, given: Ints, default: Ints | None = None) -> Ints:
    """Return `given` as two numbers, for height and width.

    Args:
        default: replaces an empty `given`.
    Raises:
        RuntimeError: neither one nor two are given.
    """
    if len(given) == 1:
        return (given[0], given[0])
    if len(given) == 2:
        return given
    if not given and default is not None:
        return default
    choice = "either be omitted," if default else "be either" if what == "dilation" else "either be"
    raise RuntimeError(f"{name}: {what} must {choice} a single int, or a tuple of two ints")


def pooling_output_shape(size: int, kernel: int, pad: int, stride: int, dilation: int, ceil_mode: bool) -> int:
    """Return the number of windows in one dimension.

    Args:
        ceil_mode: whether there is one more that only begins in the image.
    Raises:
        RuntimeError: a number out of range.

    >>> pooling_output_shape(6, 3, 0, 2, 1, False), pooling_output_shape(6, 3, 0, 2, 1, True)
    (2, 3)
    """
    if stride == 0:
        raise RuntimeError("stride should not be zero")
    if pad < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
    spread = (kernel - 1) * dilation + 1
    if pad > int(spread / 2):
        raise RuntimeError(
            f"pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={kernel} and "
            f"dilation={dilation}"
        )
    windows = (size + 2 * pad - spread + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (windows - 1) * stride >= size + pad:
        windows -= 1
    return windows


@functools.lru_cache(maxsize=4096)
def pooled_sizes(self: Ints, windows: Windows, ceil_mode: bool, is_channels_last: bool) -> Ints:
    """Return the output sizes of a pooling of images (n, c, h, w) or (c, h, w).

    Raises:
        RuntimeError: a parameter is out of range; `self` has other dimensions or no elements; no window fits.
    """
    of_each = zip(self[-2:], windows.kernel, windows.padding, windows.stride, windows.dilation, strict=True)
    image = [pooling_output_shape(size, k, p, s, d, ceil_mode) for size, k, p, s, d in of_each]
    pool2d_shape_check(self, windows, image, is_channels_last)
    return (*self[:-2], *image)


def pool2d_shape_check(self: Ints, windows: Windows, image: list[int], is_channels_last: bool) -> None:
    """Refuse invalid windows and input sizes of a pooling; `image` is the height and width of the output.

    Source: pool2d_shape_check (aten/src/ATen/native/Pool.h).
    """
    (kernel_y, kernel_x), (pad_y, pad_x) = windows.kernel, windows.padding
    for is_refused, name, (y, x), names in (
        (min(windows.kernel) <= 0, "kernel size", windows.kernel, ("kH", "kW")),
        (min(windows.stride) <= 0, "stride", windows.stride, ("dH", "dW")),
        (min(windows.dilation) <= 0, "dilation", windows.dilation, ("dilationH", "dilationW")),
    ):
        if is_refused:
            raise RuntimeError(f"{name} should be greater than zero, but got {names[0]}: {y} {names[1]}: {x}")
    if len(self) not in (3, 4) or 0 in self[len(self) - 3 :]:
        raise RuntimeError(
            "Expected 4D (batch mode) tensor expected for input with channels_last layout with optional 0 dim batch "
            f"size for input, but got: {list(self)}"
            if is_channels_last
            else f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(self)}"
        )
    if kernel_x // 2 < pad_x or kernel_y // 2 < pad_y:
        raise RuntimeError(
            "pad should be smaller than or equal to half of kernel size, but got "
            f"padW = {pad_x}, padH = {pad_y}, kW = {kernel_x}, kH = {kernel_y}"
        )
    if min(image) < 1:
        given, made = ("x".join(map(str, (self[-3], *sizes))) for sizes in (self[-2:], image))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")


def declare_pooled(op: MetaBase, self: Tensor, sizes: Ints, *kinds: dtype) -> None:
    """Declare one output of the given sizes for each dtype in `kinds`, in the memory format of `self`."""
    lies = strides_of_format(sizes, suggested_format(self._sizes, self._strides))
    for index, scalar_type in enumerate(kinds):
        op.set_output_raw_strided(index, sizes, lies, scalar_type, self._storage.device)


# ---- one dimension: what is named in messages


def check_dim_range(name: str, self: Tensor) -> None:
    """Check that a tensor holds 1-D signals (n, c, l) or (c, l).

    Raises:
        RuntimeError: `self` has another number of dimensions.

    Source: checkDimRange (aten/src/ATen/TensorUtils.cpp).
    """
    if len(self._sizes) not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {len(self._sizes)}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {name})"
        )


def check1d(name: str, what: str, given: Ints) -> None:
    """Check that exactly one number is given.

    Raises:
        RuntimeError: there are others.
    """
    if len(given) != 1:
        raise RuntimeError(f"{name}() argument '{what}' should contain one int (got {len(given)})")
