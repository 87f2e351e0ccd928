"""The largest, or the mean, of each window of an image.

The plain loop that the kernels replace, a window of a dimension being (its first element, how many, the divisor):

    for n, c, h, v in indices of out:
        (top, rows, by_rows), (left, columns, by_columns) = of_height[h], of_width[v]
        window = [x[n, c, top + i * dilation[0], left + j * dilation[1]] for i in range(rows) for j in range(columns)]
        out[n, c, h, v] = max(window)                                # or
        out[n, c, h, v] = sum(window) / (by_rows * by_columns)

Neighbors in memory are worked on side by side: a line of windows, or, of channels_last images, all channels of one.
Mirrors aten/src/ATen/native/cpu/{MaxPoolKernel,AvgPoolKernel,AdaptiveAvgPoolKernel,AdaptiveMaxPoolKernel}.cpp.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.empty_tensor import new_tensor
from ..aten.native import adaptive_pooling, pooling
from ..aten.native.copy import copy_stub
from ..aten.native.pooling_shapes import Windows
from ..aten.native.resize import strides_of_format, suggested_format
from ..dtypes import channels_last, dtype, float32, float64, int32, int64, memory_format
from ..strides import Ints
from ..tensor_impl import Tensor
from .argument_structs import Int64Table, type_of
from .gemm_tile import BYTES
from .loops import INDEX, NUMBA, named
from .ranges import Ranged
from .reduce_functions import lowest
from .vectorized import blendv, broadcast, loadu, storeu

NO_INDICES = np.empty(0, np.int64)
TABLE = types.int64[:, ::1]  # as of `Plan.of_height`
NARROW = 16  # windows of a line that are not worth a loop for each of their columns

# ---- what is done with an element of a window, and with the result of window j


def max_of(best, where, value, index):
    """Return the larger of `best` and `value`, and its index; NaN is larger than any number."""
    better = (value > best) | (value != value)
    return (value if better else best), (index if better else where)


def store_max(out, to, indices, at_index, best, where, j, divisor):
    """Write the largest element of window j, and its index."""
    out[to] = best[j]
    indices[at_index] = where[j]


def sum_of(sums, where, value, index):
    """Return `sums` plus `value`, and `where` unchanged."""
    return sums + value, where


def store_mean(out, to, indices, at_index, sums, where, j, divisor):
    """Write the sum of window j divided by `divisor`."""
    out[to] = sums[j] / out.dtype.type(divisor)


def store_mean_of_integers(out, to, indices, at_index, sums, where, j, divisor):
    """Write the sum of window j divided by `divisor`, rounded toward 0."""
    quotient = sums[j] // divisor
    out[to] = quotient + (1 if quotient < 0 and quotient * divisor != sums[j] else 0)


# ---- the same of as many channels as a vector has


def larger_of(best, where, values, index):
    """Return, for each channel, the larger of `best` and its value, and that element's index."""
    better = (values > best) | (values != values)
    return blendv(best, values, better), blendv(where, index, better)


def plus(sums, where, values, index):
    """Return, for each channel, `sums` plus its value, and `where` unchanged."""
    return sums + values, where


# ---- kernels


class Plan(NamedTuple):
    """The kernel arguments that describe the windows.

    Attributes:
        of_height, of_width: (3, height) and (3, width) the windows of the output, see above.
        rows, columns: height and width of the input.
        dilation_height, dilation_width: elements from one of a window to the next.
        stride, padding, kernel: of width; `kernel` is 0 if windows differ or a line has too few for work side by side.
        cost: elements of a window.
    """

    of_height: Int64Table
    of_width: Int64Table
    rows: int
    columns: int
    dilation_height: int
    dilation_width: int
    stride: int
    padding: int
    kernel: int
    cost: int


def lines(update: Callable, store: Callable) -> Callable:
    """Build the kernel for contiguous images, over output rows numbered over images, channels and heights."""

    def kernel(begin, end, out, o, indices, r, x, p, plan, start):
        of_height, of_width, rows, columns = plan.of_height, plan.of_width, plan.rows, plan.columns
        dilation_y, dilation_x, step, pad, window = (
            plan.dilation_height, plan.dilation_width, plan.stride, plan.padding, plan.kernel)  # fmt: skip
        height, width = of_height.shape[1], of_width.shape[1]
        best, where = np.empty(width, out.dtype), np.empty(width, np.int32)
        for line in range(begin, end):
            h = line % height
            top = of_height[0, h]
            image = p + line // height * rows * columns
            for v in range(width):
                largest, place = start, np.int32(top * columns + of_width[0, v])
                for i in range(of_height[1, h] if window == 0 else 0):
                    first = (top + i * dilation_y) * columns + of_width[0, v]
                    for cell in range(first, first + of_width[1, v]):
                        largest, place = update(largest, place, x[np.uintp(image + cell)], np.int32(cell))
                best[v], where[v] = largest, place
            for i in range(of_height[1, h] if window else 0):
                first = (top + i * dilation_y) * columns
                for z in range(window):
                    shift = z * dilation_x - pad
                    low = max(0, (step - 1 - shift) // step)
                    high = max(low, min(width, (columns - 1 - shift) // step + 1))
                    cell = first + low * step + shift
                    if step == 1:
                        cells, some, found = (
                            x[image + cell : image + cell + high - low],
                            best[low:high],
                            where[low:high],
                        )
                        for v in range(cells.size):
                            some[v], found[v] = update(some[v], found[v], cells[v], np.int32(cell) + np.int32(v))
                    elif step == 2:
                        cells, some, found = x[image + cell : image + first + columns], best[low:high], where[low:high]
                        for v in range(found.size):
                            index = np.int32(cell) + np.int32(2 * v)
                            some[v], found[v] = update(some[v], found[v], cells[np.uintp(2 * v)], index)
                    else:
                        for v in range(high - low):
                            value, index = x[np.uintp(image + cell + v * step)], np.int32(cell + v * step)
                            best[low + v], where[low + v] = update(best[low + v], where[low + v], value, index)
            by_rows = of_height[2, h]
            for v in range(width):
                store(
                    out, o + line * width + v, indices, r + line * width + v, best, where, v, by_rows * of_width[2, v]
                )

    return kernel


def channels(update: Callable, store: Callable, step: Callable, width: int, index_of: type) -> Callable:
    """Build the kernel for channels_last images, over output pixels numbered over images, heights and widths.

    Args:
        step: `update` for vectors of `width` channels.
        index_of: dtype of indices, as wide as the dtype of the elements.
    """

    def kernel(begin, end, out, o, indices, r, x, p, plan, start, lanes):
        of_height, of_width, rows, columns = plan.of_height, plan.of_width, plan.rows, plan.columns
        dilation_y, dilation_x = plan.dilation_height, plan.dilation_width
        height, along = of_height.shape[1], of_width.shape[1]
        best, where = np.empty(lanes, out.dtype), np.empty(lanes, index_of)
        whole = lanes // width * width
        for pixel in range(begin, end):
            v, h, n = pixel % along, pixel // along % height, pixel // along // height
            top, left, image = of_height[0, h], of_width[0, v], p + n * rows * columns * lanes
            for first in range(0, whole, width):
                largest, places = broadcast(start, width), broadcast(index_of(top * columns + left), width)
                for i in range(of_height[1, h]):
                    for j in range(of_width[1, v]):
                        cell = (top + i * dilation_y) * columns + left + j * dilation_x
                        values = loadu(x, image + cell * lanes + first, width)
                        largest, places = step(largest, places, values, broadcast(index_of(cell), width))
                storeu(best, first, largest)
                storeu(where, first, places)
            for c in range(whole, lanes):
                best[c] = start
                where[c] = top * columns + left
                for i in range(of_height[1, h]):
                    for j in range(of_width[1, v]):
                        cell = (top + i * dilation_y) * columns + left + j * dilation_x
                        value = x[np.uintp(image + cell * lanes + c)]
                        best[c], where[c] = update(best[c], where[c], value, index_of(cell))
            divisor = of_height[2, h] * of_width[2, v]
            for c in range(lanes):
                store(out, o + pixel * lanes + c, indices, r + pixel * lanes + c, best, where, c, divisor)

    return kernel


# ---- windows as tables


@functools.lru_cache(maxsize=1024)
def plan_of(image: Ints, out: Ints, windows: Windows, counts_padding: bool, divisor: int | None) -> Plan:
    """Return the plan for windows of a fixed size.

    Args:
        image, out: height and width.
        counts_padding: whether the mean of a window counts the zeros around the image.
        divisor: of the sums of a window, instead of its size.
    """
    tables = []
    for d in (0, 1):
        rows = []
        for i in range(out[d]):
            kernel, dilation, first = windows.kernel[d], windows.dilation[d], i * windows.stride[d] - windows.padding[d]
            inside = [at for at in range(first, first + kernel * dilation, dilation) if 0 <= at < image[d]]
            padded = min(first + kernel, image[d] + windows.padding[d]) - first
            count = (divisor if d == 0 else 1) if divisor is not None else padded if counts_padding else len(inside)
            rows.append((inside[0] if inside else 0, len(inside), count or 1))
        tables.append(np.array(rows, np.int64).T.copy())
    is_narrow = out[1] < NARROW and windows.dilation[1] == 1
    return Plan(
        of_height=tables[0], of_width=tables[1], rows=image[0], columns=image[1],
        dilation_height=windows.dilation[0], dilation_width=windows.dilation[1],
        stride=windows.stride[1], padding=windows.padding[1], kernel=0 if is_narrow else windows.kernel[1],
        cost=windows.kernel[0] * windows.kernel[1],
    )  # fmt: skip


@functools.lru_cache(maxsize=1024)
def adaptive_plan_of(image: Ints, out: Ints) -> Plan:
    """Return the plan for adaptive windows, which are adjacent or overlap by one element."""
    tables = []
    for size, count in zip(image, out, strict=True):
        edges = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        tables.append(np.array([(first, last - first, last - first) for first, last in edges], np.int64).T.copy())
    cost = int(tables[0][1].max() * tables[1][1].max())
    return Plan(
        of_height=tables[0], of_width=tables[1], rows=image[0], columns=image[1],
        dilation_height=1, dilation_width=1, stride=1, padding=0, kernel=0, cost=cost,
    )  # fmt: skip


# ---- how the kernels are called


class Pooling:
    """A pooling kernel for both memory formats.

    Args:
        name: of the kernel, in messages; the name of its channels_last form ends with it.
        update, step: functions of this file, of one element and of vectors.
        stores: dtype -> a function of this file.
        start: dtype -> the number from which a window starts.
    """

    def __init__(
        self, name: str, update: Callable, step: Callable, stores: dict[dtype, Callable], start: Callable[[dtype], Any]
    ):
        self.start = start

        def ranged(make: Callable, ending: str, more: tuple) -> Ranged:
            def body(kind: dtype) -> Callable:
                functions: list[Any] = [register_jitable(update), register_jitable(stores[kind])]
                if make is channels:
                    index_of = np.int32 if kind.itemsize == 4 else np.int64
                    functions += [register_jitable(step), BYTES // kind.itemsize, index_of]
                return named(make(*functions), stores[kind])

            def arguments(kind: dtype) -> tuple:
                cells = (NUMBA[kind][::1], INDEX)
                return (*cells, types.int64[::1], INDEX, *cells, type_of(Plan, kind), NUMBA[kind], *more)

            return Ranged(name + ending, tuple(stores), body, arguments)

        self.lines, self.channels = ranged(lines, "", ()), ranged(channels, "_channels_last", (INDEX,))

    def __call__(self, plan: Plan, out: Tensor, indices: Tensor | None, self_: Tensor) -> None:
        """Fill `out`, and `indices` if there are some, from images in any strides."""
        target_format = suggested_format(self_._sizes, self_._strides)
        x = as_format(self_, target_format)
        to = as_format(out, target_format, copies=False)
        where = None if indices is None else as_format(indices, target_format, copies=False)
        of_indices = (NO_INDICES, 0) if where is None else (where._flat(), where._storage_offset)
        kind, (height, width) = x._dtype, out._sizes[-2:]
        cells = (to._flat(), to._storage_offset, *of_indices, x._flat(), x._storage_offset)
        start = kind.numpy.type(self.start(kind))
        if target_format is channels_last:
            n, c = x._sizes[:2]
            self.channels(kind, n * height * width, c * plan.cost, *cells, plan, start, c)
        else:
            self.lines(kind, out.numel() // width, width * plan.cost, *cells, plan, start)
        for made, given in ((to, out), (where, indices)):
            if made is not given:
                copy_stub.kernels["cpu"](given, made)


def as_format(tensor: Tensor, target_format: memory_format, copies: bool = True) -> Tensor:
    """Return `tensor` if it has the target format, else a new tensor in that format, with its elements if `copies`."""
    strides = strides_of_format(tensor._sizes, target_format)
    if tensor._strides == strides or tensor.is_contiguous(target_format):  # which sizes of 1 make of other strides, too
        return tensor
    made = new_tensor(tensor._sizes, strides, tensor._dtype)
    if copies:
        copy_stub.kernels["cpu"](made, tensor)
    return made


FLOATS = {float32: store_mean, float64: store_mean}
MAX_POOL = Pooling("max_pool2d", max_of, larger_of, dict.fromkeys((float32, float64, int64, int32), store_max), lowest)
AVG_POOL = Pooling("avg_pool2d", sum_of, plus, {**FLOATS, int64: store_mean_of_integers}, lambda kind: 0)
ADAPTIVE_MAX_POOL = Pooling("adaptive_max_pool2d", max_of, larger_of, dict.fromkeys(FLOATS, store_max), lowest)
ADAPTIVE_AVG_POOL = Pooling("adaptive_avg_pool2d", sum_of, plus, FLOATS, lambda kind: 0)


def max_pool2d_kernel(out: Tensor, indices: Tensor, self: Tensor, windows: Windows) -> None:
    """Write the largest element of each window into `out`, and its index into `indices`."""
    MAX_POOL(plan_of(self._sizes[-2:], out._sizes[-2:], windows, False, None), out, indices, self)


def avg_pool2d_kernel(
    out: Tensor, self: Tensor, windows: Windows, count_include_pad: bool, divisor_override: int | None
) -> None:
    """Write the sum of each window, divided by its number of elements or by `divisor_override`, into `out`."""
    plan = plan_of(self._sizes[-2:], out._sizes[-2:], windows, count_include_pad, divisor_override)
    AVG_POOL(plan, out, None, self)


def adaptive_max_pool2d_kernel(out: Tensor, indices: Tensor, self: Tensor) -> None:
    """Write the largest element of each window into `out`, and its index into `indices`."""
    ADAPTIVE_MAX_POOL(adaptive_plan_of(self._sizes[-2:], out._sizes[-2:]), out, indices, self)


def adaptive_avg_pool2d_kernel(out: Tensor, self: Tensor) -> None:
    """Write the mean of each window into `out`."""
    ADAPTIVE_AVG_POOL(adaptive_plan_of(self._sizes[-2:], out._sizes[-2:]), out, None, self)


pooling.max_pool2d_stub.register("cpu", max_pool2d_kernel)
pooling.avg_pool2d_stub.register("cpu", avg_pool2d_kernel)
adaptive_pooling.adaptive_max_pool2d_stub.register("cpu", adaptive_max_pool2d_kernel)
adaptive_pooling.adaptive_avg_pool2d_stub.register("cpu", adaptive_avg_pool2d_kernel)
