"""Poolings as modules. Mirrors torch/nn/modules/pooling.py; same arguments as the functions in `nn.functional`."""

from typing import Any

from ...tensor_impl import Tensor
from .. import functional as F
from .module import Module


class _MaxPoolNd(Module):
    """The largest of each window; with `return_indices` also where it is."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def _arguments(self) -> tuple[Any, ...]:
        windows = self.kernel_size, self.stride, self.padding, self.dilation
        return (*windows, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        window = f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
        return f"{window}, dilation={self.dilation}, ceil_mode={self.ceil_mode}"


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of (n, c, l) or (c, l)."""

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(input, *self._arguments())


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of images (n, c, h, w) or (c, h, w)."""

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(input, *self._arguments())


class AvgPool1d(Module):
    """The mean of each window of (n, c, l) or (c, l)."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):  # fmt: skip
        super().__init__()
        given = kernel_size, kernel_size if stride is None else stride, padding
        self.kernel_size, self.stride, self.padding = ((n,) if isinstance(n, int) else tuple(n) for n in given)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        windows = self.kernel_size, self.stride, self.padding
        return F.avg_pool1d(input, *windows, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window of images (n, c, h, w) or (c, h, w)."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        windows = self.kernel_size, self.stride, self.padding
        return F.avg_pool2d(input, *windows, self.ceil_mode, self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AdaptivePoolNd(Module):
    """An adaptive pooling: as many windows as the output has elements.

    Args:
        output_size: one number or one for each dimension; None keeps the input's.
    """

    def __init__(self, output_size: Any):
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptivePoolNd):
    """The mean of each of `output_size` windows of (n, c, l) or (c, l)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptivePoolNd):
    """The mean of each window of images, with as many windows as `output_size` requests."""

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    """With `return_indices` also where the largest are."""

    def __init__(self, output_size: Any, return_indices: bool = False):
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maximum of each of `output_size` windows of (n, c, l) or (c, l)."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maximum of each window of images, with as many windows as `output_size` requests."""

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)
