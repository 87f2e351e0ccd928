"""The gradients of poolings, without an order in which threads must go.

The plain loops that the kernels replace, of a plane of the gradient, flat, and of windows as in `pooling`:

    for i, index in enumerate(indices):                              # maxima: a thread each i, which adds atomically
        grad_input[index] += grad_output[i]

    for y, z in indices of grad_input:                               # means: a thread each element
        grad_input[y, z] = sum(grad_output[h, v] / (by_rows[h] * by_columns[v]) for the windows (h, v) that have it)

Windows come one after the other, so those that an element is in are a range in each dimension.
Mirrors aten/src/ATen/native/cuda/{DilatedMaxPool2d,AveragePool2d,AdaptiveAveragePooling,AdaptiveMaxPooling2d}.cu.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from ..aten.native import pooling_backward
from ..aten.native.fill import fill_stub
from ..aten.native.pooling_shapes import Windows
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..cpu.pooling import adaptive_plan_of, plan_of
from ..dtypes import int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import flat_and_offset
from .launch import grid_of, launch
from .pooling import batched, has_channels_last, place
from .row_sums import FLOATS, require


class MaxWalk(NamedTuple):
    """The sizes and strides by which `to_the_largest` finds elements.

    Attributes:
        sizes: (n, c, h, w) of `grad`.
        to, grad, indices: their strides (n, c, h, w), in elements.
        image: height and width of `to`.
        is_channels_last: channels are adjacent in memory.
    """

    sizes: Ints
    to: Ints
    grad: Ints
    indices: Ints
    image: Ints
    is_channels_last: bool


class MeanWalk(NamedTuple):
    """The sizes and strides by which `shares` finds elements.

    Attributes:
        sizes: (n, c, h, w) of `to`.
        to, grad: their strides (n, c, h, w), in elements.
        is_channels_last: channels are adjacent in memory.
    """

    sizes: Ints
    to: Ints
    grad: Ints
    is_channels_last: bool


@cuda.jit
def to_the_largest(total, to, o, grad, q, indices, r, walk):
    """Add the gradient of each window to the element that is its maximum; `walk` is a `MaxWalk`."""
    st, sg, si, (height, width) = walk.to, walk.grad, walk.indices, walk.image
    for i in range(cuda.grid(1), total, cuda.gridsize(1)):
        n, c, h, v = place(i, walk.sizes, walk.is_channels_last)
        index = indices[r + n * si[0] + c * si[1] + h * si[2] + v * si[3]]
        if 0 <= index < height * width:
            cell = o + n * st[0] + c * st[1] + index // width * st[2] + index % width * st[3]
            cuda.atomic.add(to, cell, grad[q + n * sg[0] + c * sg[1] + h * sg[2] + v * sg[3]])


@cuda.jit
def shares(total, to, o, grad, q, of_height, of_width, by_rows, by_columns, walk, start):
    """Sum each element's share of the gradients of all windows that contain it.

    Args:
        of_height, of_width: (2, h) and (2, w) the first window that an element is in, and the first behind those.
        by_rows, by_columns: for each window what its sum was divided by.
        walk: a `MeanWalk`.
        start: 0 in the dtype of `to`.
    """
    st, sg = walk.to, walk.grad
    for i in range(cuda.grid(1), total, cuda.gridsize(1)):
        n, c, y, z = place(i, walk.sizes, walk.is_channels_last)
        first = q + n * sg[0] + c * sg[1]
        part = start
        for h in range(of_height[0, y], of_height[1, y]):
            for v in range(of_width[0, z], of_width[1, z]):
                part += grad[first + h * sg[2] + v * sg[3]] / to.dtype.type(by_rows[h] * by_columns[v])
        to[o + n * st[0] + c * st[1] + y * st[2] + z * st[3]] = part


def windows_of(table: np.ndarray, size: int) -> np.ndarray:
    """Return the range of windows that contain each index of a dimension.

    Args:
        table: (3, windows) of which the first two lines are the first elements and how many there are.
    Returns:
        (2, size) the first window, and the first behind the last one.

    >>> windows_of(np.array([[0, 1, 3], [2, 3, 2], [1, 1, 1]]), 5)
    array([[0, 0, 1, 1, 2],
           [1, 2, 2, 3, 3]])
    """
    elements = np.arange(size)
    first, behind = table[0], table[0] + table[1]
    return np.stack([np.searchsorted(behind, elements, "right"), np.searchsorted(first, elements, "right")])


@functools.lru_cache(maxsize=1024)
def tables_of(image: Ints, out: Ints, windows: Windows | None, *of_means: Any) -> tuple[Any, ...]:
    """Return the arguments of `shares` for windows, on the device; parameters as for `tables_of` in `pooling`."""
    plan = adaptive_plan_of(image, out) if windows is None else plan_of(image, out, windows, *of_means)
    tables = plan.of_height, plan.of_width
    made = [windows_of(table, size) for table, size in zip(tables, image, strict=True)]
    return tuple(cuda.to_device(np.ascontiguousarray(array)) for array in (*made, *(table[2] for table in tables)))


def max_pool2d_backward_kernel(grad_input: Tensor, grad_output: Tensor, indices: Tensor) -> None:
    """Compute the gradient of max_pool2d for images of any strides.

    Raises:
        RuntimeError: `indices` are not int64.
        NotImplementedError: not floating-point.
    """
    if indices._dtype is not int64:
        raise RuntimeError(f"expected scalar type Long but found {SCALAR_TYPE_NAMES[indices._dtype]}")
    require("max_pool2d_backward", FLOATS, grad_input._dtype)
    fill_stub.kernels["cuda"](grad_input, 0)
    total, operands = grad_output.numel(), (grad_input, grad_output, indices)
    to, grad, places = (batched(tensor._strides, 0) for tensor in operands)
    sizes, image = batched(grad_output._sizes, 1), grad_input._sizes[-2:]
    walk = MaxWalk(sizes, to, grad, places, image, has_channels_last(grad_output))
    cells = (part for tensor in operands for part in flat_and_offset(tensor))
    launch(to_the_largest, *grid_of("elementwise", total), total, *cells, walk)


def share_out(name: str, grad_input: Tensor, grad_output: Tensor, windows: Windows | None, *of_means: Any) -> None:
    """Compute the gradient of an average pooling for images of any strides."""
    require(name, FLOATS, grad_input._dtype)
    total, operands = grad_input.numel(), (grad_input, grad_output)
    to, grad = (batched(tensor._strides, 0) for tensor in operands)
    walk = MeanWalk(batched(grad_input._sizes, 1), to, grad, has_channels_last(grad_input))
    cells = (part for tensor in operands for part in flat_and_offset(tensor))
    tables = tables_of(grad_input._sizes[-2:], grad_output._sizes[-2:], windows, *of_means)
    start = grad_input._dtype.numpy.type(0)
    launch(shares, *grid_of("elementwise", total), total, *cells, *tables, walk, start)


def avg_pool2d_backward_kernel(
    grad_input: Tensor, grad_output: Tensor, windows: Windows, count_include_pad: bool, divisor_override: int | None
) -> None:
    """Compute the gradient of avg_pool2d."""
    share_out("avg_pool2d_backward", grad_input, grad_output, windows, count_include_pad, divisor_override)


def adaptive_avg_pool2d_backward_kernel(grad_input: Tensor, grad_output: Tensor) -> None:
    """Compute the gradient of adaptive_avg_pool2d."""
    share_out("adaptive_avg_pool2d_backward", grad_input, grad_output, None)


pooling_backward.max_pool2d_backward_stub.register("cuda", max_pool2d_backward_kernel)
pooling_backward.avg_pool2d_backward_stub.register("cuda", avg_pool2d_backward_kernel)
pooling_backward.adaptive_avg_pool2d_backward_stub.register("cuda", adaptive_avg_pool2d_backward_kernel)
