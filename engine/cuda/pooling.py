"""The largest, or the mean, of each window of an image, a thread a window.

The plain loop that the kernels replace, a window of a dimension being (its first element, how many, the divisor):

    for n, c, h, v in indices of out:
        (top, rows, by_rows), (left, columns, by_columns) = of_height[h], of_width[v]
        window = [x[n, c, top + i * dilation[0], left + j * dilation[1]] for i in range(rows) for j in range(columns)]
        out[n, c, h, v] = max(window)                                # or
        out[n, c, h, v] = sum(window) / (by_rows * by_columns)

Neighboring threads have neighboring windows in memory: of a line, or, of channels_last images, of all channels.
Mirrors aten/src/ATen/native/cuda/{DilatedMaxPool2d,AveragePool2d,AdaptiveAveragePooling,AdaptiveMaxPooling2d}.cu.
"""

import functools
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from ..aten.native import adaptive_pooling, pooling
from ..aten.native.pooling_shapes import Windows
from ..aten.native.resize import suggested_format
from ..cpu.pooling import adaptive_plan_of, plan_of
from ..cpu.reduce_functions import lowest
from ..dtypes import channels_last, dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import flat_and_offset
from .launch import grid_of, launch
from .loops import device_function, jitted
from .row_sums import FLOATS, require

# ---- where a thread is


@device_function
def place(i, sizes, is_channels_last):
    """Return (image, channel, row, column) of element i, in memory order, of images of `sizes` (n, c, h, w)."""
    channels, height, width = sizes[1], sizes[2], sizes[3]
    if is_channels_last:
        rest = i // channels
        return rest // width // height, i % channels, rest // width % height, rest % width
    rest = i // width
    return rest // height // channels, rest // height % channels, rest % height, i % width


# ---- kernels


class MaxWalk(NamedTuple):
    """The sizes and strides by which `largest` finds elements.

    Attributes:
        sizes: (n, c, h, w) of the outputs.
        out, indices, x: their strides (n, c, h, w), in elements.
        columns: width of an image of `x`.
        dilation: of height and width.
        is_channels_last: channels are adjacent in memory.
    """

    sizes: Ints
    out: Ints
    indices: Ints
    x: Ints
    columns: int
    dilation: Ints
    is_channels_last: bool


@cuda.jit
def largest(total, out, o, indices, q, x, p, of_height, of_width, walk, start):
    """Compute the maximum of each window, and its index in the image; NaN is larger than any number.

    Args:
        of_height, of_width: (3, h) and (3, w) the windows, see above.
        walk: a `MaxWalk`.
        start: no number is smaller.
    """
    so, sq, sx, columns, (spread_y, spread_x) = walk.out, walk.indices, walk.x, walk.columns, walk.dilation
    for i in range(cuda.grid(1), total, cuda.gridsize(1)):
        n, c, h, v = place(i, walk.sizes, walk.is_channels_last)
        top, left = of_height[0, h], of_width[0, v]
        first = p + n * sx[0] + c * sx[1]
        best, where = start, top * columns + left
        for y in range(top, top + of_height[1, h] * spread_y, spread_y):
            for z in range(left, left + of_width[1, v] * spread_x, spread_x):
                value = x[first + y * sx[2] + z * sx[3]]
                if value > best or value != value:
                    best = value
                    where = y * columns + z
        out[o + n * so[0] + c * so[1] + h * so[2] + v * so[3]] = best
        indices[q + n * sq[0] + c * sq[1] + h * sq[2] + v * sq[3]] = where


def means_of(function: Callable) -> Any:
    """Build the kernel that divides the sum of each window; arguments as for `largest`; so, sx are strides.

    Args:
        function: of the sum and the number.
    """
    over = device_function(function)

    def means(total, out, o, so, x, p, sx, sizes, of_height, of_width, start, is_channels_last):
        for i in range(cuda.grid(1), total, cuda.gridsize(1)):
            n, c, h, v = place(i, sizes, is_channels_last)
            top, left = of_height[0, h], of_width[0, v]
            first = p + n * sx[0] + c * sx[1]
            part = start
            for y in range(top, top + of_height[1, h]):
                for z in range(left, left + of_width[1, v]):
                    part += x[first + y * sx[2] + z * sx[3]]
            divisor = out.dtype.type(of_height[2, h] * of_width[2, v])
            out[o + n * so[0] + c * so[1] + h * so[2] + v * so[3]] = over(part, divisor)

    return jitted(function, means)[0]


def quotient(part, divisor):
    """Return the quotient of two floats."""
    return part / divisor


def whole_quotient(part, divisor):
    """Return the quotient of two integers, rounded toward 0."""
    whole = part // divisor
    return whole + 1 if whole < 0 and whole * divisor != part else whole


MEANS = {**dict.fromkeys(FLOATS, means_of(quotient)), int64: means_of(whole_quotient)}

# ---- how the kernels are called


@functools.lru_cache(maxsize=1024)
def tables_of(image: Ints, out: Ints, windows: Windows | None, *of_means: Any) -> tuple[Any, Any]:
    """Return the windows along height and width as device arrays, in the layout of `engine/cpu/pooling.py`.

    Args:
        image, out: height and width.
        windows: None for windows that are adjacent, or overlap by one element.
        of_means: count_include_pad and divisor_override.
    """
    plan = adaptive_plan_of(image, out) if windows is None else plan_of(image, out, windows, *of_means)
    return cuda.to_device(plan.of_height), cuda.to_device(plan.of_width)


def batched(numbers: Ints, more: int) -> Ints:
    """Return sizes or strides with a batch dimension; `more` is put first if an image has none."""
    return numbers if len(numbers) == 4 else (more, *numbers)


def images(tensor: Tensor) -> tuple[Any, int, Ints]:
    """Return a tensor as kernels take it: flat array, index of the first element, and strides (n, c, h, w)."""
    return (*flat_and_offset(tensor), batched(tensor._strides, 0))


def max_pool(
    name: str, kinds: Collection[dtype], out: Tensor, indices: Tensor, self: Tensor, windows: Windows | None
) -> None:
    """Compute a max pooling: the maximum of each window, and its index in the image."""
    kind, image = self._dtype, self._sizes[-2:]
    require(name, kinds, kind)
    tables = tables_of(image, out._sizes[-2:], windows, False, None)
    dilation = (1, 1) if windows is None else windows.dilation
    to, of_indices, of = (batched(tensor._strides, 0) for tensor in (out, indices, self))
    walk = MaxWalk(batched(out._sizes, 1), to, of_indices, of, image[1], dilation, has_channels_last(self))
    launch(
        largest, *grid_of("elementwise", out.numel()), out.numel(), *flat_and_offset(out), *flat_and_offset(indices),
        *flat_and_offset(self), *tables, walk, kind.numpy.type(lowest(kind)),
    )  # fmt: skip


def avg_pool(
    name: str, kinds: Collection[dtype], out: Tensor, self: Tensor, windows: Windows | None, *of_means: Any
) -> None:
    """Compute the mean of each window."""
    kind = self._dtype
    require(name, kinds, kind)
    launch(
        MEANS[kind], *grid_of("elementwise", out.numel()), out.numel(), *images(out), *images(self),
        batched(out._sizes, 1), *tables_of(self._sizes[-2:], out._sizes[-2:], windows, *of_means), kind.numpy.type(0),
        has_channels_last(self),
    )  # fmt: skip


def has_channels_last(self: Tensor) -> bool:
    """Return True if channels are adjacent in memory."""
    return suggested_format(self._sizes, self._strides) is channels_last


def max_pool2d_kernel(out: Tensor, indices: Tensor, self: Tensor, windows: Windows) -> None:
    """Compute max_pool2d: the maximum of each window, and its index in the image."""
    max_pool("max_pool2d", (float32, float64, int64, int32), out, indices, self, windows)


def avg_pool2d_kernel(
    out: Tensor, self: Tensor, windows: Windows, count_include_pad: bool, divisor_override: int | None
) -> None:
    """Compute avg_pool2d: the sum of each window, divided by the number of its elements or by `divisor_override`."""
    avg_pool("avg_pool2d", MEANS, out, self, windows, count_include_pad, divisor_override)


def adaptive_max_pool2d_kernel(out: Tensor, indices: Tensor, self: Tensor) -> None:
    """Compute adaptive_max_pool2d: the maximum of each window, and its index in the image."""
    max_pool("adaptive_max_pool2d", FLOATS, out, indices, self, None)


def adaptive_avg_pool2d_kernel(out: Tensor, self: Tensor) -> None:
    """Compute adaptive_avg_pool2d: the mean of each window."""
    avg_pool("adaptive_avg_pool2d", FLOATS, out, self, None)


pooling.max_pool2d_stub.register("cuda", max_pool2d_kernel)
pooling.avg_pool2d_stub.register("cuda", avg_pool2d_kernel)
adaptive_pooling.adaptive_max_pool2d_stub.register("cuda", adaptive_max_pool2d_kernel)
adaptive_pooling.adaptive_avg_pool2d_stub.register("cuda", adaptive_avg_pool2d_kernel)
