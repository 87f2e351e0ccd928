"""max_pool2d, avg_pool2d: the largest or the mean of each window of an image; the same along lines.

Mirrors aten/src/ATen/native/{DilatedMaxPool2d,AveragePool2d,Pooling,MaxPooling}.cpp.
"""

import functools
from typing import Any

from ...dtypes import channels_last, int64
from ...slots import is_grad_enabled
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .pooling_shapes import (
    Windows,
    check1d,
    check_dim_range,
    declare_pooled,
    pair,
    pooled_sizes,
    pooling_output_shape,
)
from .resize import suggested_format

max_pool2d_stub = DispatchStub("max_pool2d_kernel")
"""kernel(out, indices, self, windows): images with elements; an index counts through height and width."""
avg_pool2d_stub = DispatchStub("avg_pool2d_kernel")
"""kernel(out, self, windows, count_include_pad, divisor_override)"""

# ---- maxima


def max_pool2d_with_indices_meta(
    op: MetaBase, self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> None:
    """Make two outputs: the maxima, and for each one its int64 index into the image flattened over height and width.

    Raises:
        RuntimeError: parameters out of range, or no images.
    """
    windows = max_pool2d_windows(kernel_size, stride, padding, dilation)
    if len(self._sizes) not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    is_channels_last = suggested_format(self._sizes, self._strides) is channels_last
    sizes = pooled_sizes(self._sizes, windows, ceil_mode, is_channels_last)
    declare_pooled(op, self, sizes, self._dtype, int64)


@functools.lru_cache(maxsize=1024)
def max_pool2d_windows(kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Windows:
    """Return the windows of `max_pool2d`; an empty `stride` defaults to `kernel_size`."""
    kernel = pair("max_pool2d", "kernel_size", kernel_size)
    steps = pair("max_pool2d", "stride", stride, kernel)
    return Windows(
        kernel, steps, pair("max_pool2d", "padding", padding), pair("max_pool2d", "dilation", dilation)
    )  # fmt: skip


def max_pool2d_with_indices_out_cpu(
    op: MetaBase, self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool,
    out: Tensor, indices: Tensor,
) -> None:  # fmt: skip
    """Compute out = the maximum of each window (NaN if it contains NaN), and indices = its index in the flat image.

    Raises:
        NotImplementedError: bools.
    """
    if 0 not in out._sizes:
        windows = max_pool2d_windows(kernel_size, stride, padding, dilation)
        max_pool2d_stub.kernels[op.device_type](out, indices, self, windows)


def max_pool2d(self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool) -> Tensor:
    """Return the maximum of each window."""
    return at.max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool1d_with_indices(
    self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> tuple[Tensor, Tensor]:
    """Return the maximum of each window of 1-D signals (n, c, l) or (c, l), and its index.

    Raises:
        RuntimeError: `self` has another shape, or parameters do not fit.
    """
    check_dim_range("max_pool1d", self)
    given = {"kernel_size": kernel_size, "stride": stride or kernel_size, "padding": padding, "dilation": dilation}
    for what, numbers in given.items():
        check1d("max_pool1d", what, numbers)
    planes = [(0 if what == "padding" else 1, *value) for what, value in given.items()]
    output, indices = at.max_pool2d_with_indices(at.unsqueeze(self, -2), *planes, ceil_mode)
    return at.squeeze_dim(output, -2), at.squeeze_dim(indices, -2)


def max_pool1d(self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool) -> Tensor:
    """Return the maximum of each window of 1-D signals (n, c, l) or (c, l).

    Raises:
        RuntimeError: `self` has another shape, or parameters do not fit.
        NotImplementedError: not floating-point.
    """
    sizes = self._sizes
    if len(sizes) not in (2, 3) or 0 in sizes[len(sizes) - 2 :]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(sizes)}"
        )
    check_max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode)
    if not self._dtype.is_floating_point and self._storage.device.type == "cpu":
        raise NotImplementedError(f"\"max_pool1d_impl\" not implemented for '{SCALAR_TYPE_NAMES[self._dtype]}'")
    if (self.requires_grad and is_grad_enabled()) or self._storage.device.type != "cpu":
        return at.max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[0]
    batch = self if len(sizes) == 3 else at.unsqueeze(self, 0)
    found = at.max_pool1d_with_indices(batch, kernel_size, stride, padding, dilation, ceil_mode)[0]
    found = at._unsafe_view(found, found._sizes)  # no view of what was made here
    return found if len(sizes) == 3 else at.squeeze__dim(found, 0)


def check_max_pool1d(
    self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
) -> None:
    """Raise RuntimeError for parameters of `max_pool1d` that are out of range or leave no window.

    Source: check_max_pool1d (aten/src/ATen/native/MaxPooling.h).
    """
    for what, given in (("kernel_size", kernel_size), ("stride", stride), ("padding", padding), ("dilation", dilation)):
        if len(given) != 1 and (given or what != "stride"):
            kinds = "an int, list of ints or" if what in ("kernel_size", "dilation") else "an int, list of ints, or"
            raise RuntimeError(
                f"max_pool1d() {what} must be {'None, ' if what == 'stride' else ''}{kinds} tuple of ints of size 1 "
                f"but got size {len(given)}"
            )
    (kernel,), (pad,), (step,), (spread,) = kernel_size, padding, stride or kernel_size, dilation
    for what, number in (("kernel_size", kernel), ("stride", step), ("padding", pad + 1), ("dilation", spread)):
        if number <= 0:
            wanted = f"non-negative, but got {pad}" if what == "padding" else f"greater than zero, but got {number}"
            raise RuntimeError(f"max_pool1d() {what} must be {wanted}")
    if pad > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={pad} and "
            f"kernel_size={kernel}"
        )
    windows = pooling_output_shape(self._sizes[-1], kernel, pad, step, spread, ceil_mode)
    if windows <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {windows}")


# ---- means


def avg_pool2d_meta(
    op: MetaBase, self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> dict[str, Any]:  # fmt: skip
    """Make an output for the window means, and expand the parameters to height and width.

    Returns:
        what the kernel gets instead of the first three parameters: a number for height, one for width.
    Raises:
        RuntimeError: parameters out of range, or no images.
        IndexError: `self` has fewer than three dimensions.
    """
    kernel = pair("avg_pool2d", "kernel_size", kernel_size)
    steps = pair("avg_pool2d", "stride", stride, kernel)
    pads = pair("avg_pool2d", "padding", padding)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    wrap_dim(-3, len(self._sizes))
    is_channels_last = suggested_format(self._sizes, self._strides) is channels_last
    sizes = pooled_sizes(self._sizes, Windows(kernel, steps, pads), ceil_mode, is_channels_last)
    declare_pooled(op, self, sizes, self._dtype)
    return dict(zip(("kH", "kW", "dH", "dW", "padH", "padW"), (*kernel, *steps, *pads), strict=True))


def avg_pool2d_out_cpu(
    op: MetaBase, self: Tensor, kH: int, kW: int, dH: int, dW: int, padH: int, padW: int, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None, out: Tensor,
) -> None:  # fmt: skip
    """Compute out = the sum of each window divided by its number of elements, or by `divisor_override`.

    Raises:
        NotImplementedError: int32 and bools.
    """
    if 0 not in out._sizes:
        windows = Windows((kH, kW), (dH, dW), (padH, padW))
        avg_pool2d_stub.kernels[op.device_type](out, self, windows, count_include_pad, divisor_override)


def avg_pool1d(
    self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool
) -> Tensor:
    """Return the mean of each window of 1-D signals (n, c, l) or (c, l).

    Raises:
        RuntimeError: `self` has another shape, or parameters do not fit.
    """
    check_dim_range("avg_pool1d", self)
    given = {"kernel_size": kernel_size, "stride": stride or kernel_size, "padding": padding}
    for what, numbers in given.items():
        check1d("avg_pool1d", what, numbers)
    planes = [(0 if what == "padding" else 1, *value) for what, value in given.items()]
    return at.squeeze_dim(at.avg_pool2d(at.unsqueeze(self, -2), *planes, ceil_mode, count_include_pad), -2)
