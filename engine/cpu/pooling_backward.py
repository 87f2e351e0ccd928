"""The gradients of poolings, one plane, a channel of an image, at a time.

The plain loops that the kernels replace, of a plane of the gradient, flat, and of windows as in `pooling`:

    for i, index in enumerate(indices):                              # maxima
        grad_input[index] += grad_output[i]

    for h, v in indices of grad_output:                              # means
        (top, rows, by_rows), (left, columns, by_columns) = of_height[h], of_width[v]
        for i, j in indices of the window:
            grad_input[top + i, left + j] += grad_output[h, v] / (by_rows * by_columns)

Mirrors aten/src/ATen/native/cpu/{MaxPoolKernel,AvgPoolKernel,AdaptiveAvgPoolKernel,AdaptiveMaxPoolKernel}.cpp.
"""

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.native import pooling_backward
from ..aten.native.copy import copy_stub
from ..aten.native.pooling_shapes import Windows
from ..aten.native.resize import strides_of_format, suggested_format
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dtypes import dtype, float32, float64, int64
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA
from .pooling import TABLE, Plan, adaptive_plan_of, as_format, plan_of
from .ranges import Ranged

FLOATS = (float32, float64)


@register_jitable
def clear(to, first, size, step):
    """Write zeros into a plane of `size` elements."""
    if step == 1:
        for i in range(size):
            to[np.uintp(first + i)] = 0
    else:
        for i in range(size):
            to[np.uintp(first + i * step)] = 0


def to_the_largest(begin, end, to, o, grad, q, indices, r, channels, size, count, steps):
    """Compute planes `begin` to `end` of the gradient of max pooling, numbered over images and channels.

    Args:
        size, count: elements of a plane of `to`, of one of `grad`.
        steps: of `to`, of `grad` and of `indices`: from an image, a channel and an element to the next.
    """
    to_n, to_c, to_i, grad_n, grad_c, grad_i, where_n, where_c, where_i = steps
    for plane in range(begin, end):
        n, c = plane // channels, plane % channels
        first, of, at = o + n * to_n + c * to_c, q + n * grad_n + c * grad_c, r + n * where_n + c * where_c
        clear(to, first, size, to_i)
        for i in range(count):
            index = indices[np.uintp(at + i * where_i)]
            if 0 <= index < size:
                to[np.uintp(first + index * to_i)] += grad[np.uintp(of + i * grad_i)]


def in_shares(begin, end, to, o, grad, q, channels, of_height, of_width, columns, size, steps):
    """Compute planes `begin` to `end` of the gradient of average pooling, numbered over images and channels.

    Args:
        of_height, of_width: (3, height) and (3, width) the windows, as in `pooling`.
        columns, size: width and elements of a plane of `to`.
        steps: of `to` and of `grad`: from an image, a channel and an element to the next.
    """
    to_n, to_c, to_i, grad_n, grad_c, grad_i = steps
    height, width = of_height.shape[1], of_width.shape[1]
    for plane in range(begin, end):
        n, c = plane // channels, plane % channels
        first, of = o + n * to_n + c * to_c, q + n * grad_n + c * grad_c
        clear(to, first, size, to_i)
        for h in range(height):
            for v in range(width):
                share = grad[np.uintp(of + (h * width + v) * grad_i)] / to.dtype.type(of_height[2, h] * of_width[2, v])
                for i in range(of_height[0, h], of_height[0, h] + of_height[1, h]):
                    for j in range(of_width[0, v], of_width[0, v] + of_width[1, v]):
                        to[np.uintp(first + (i * columns + j) * to_i)] += share


def ranged_max(name: str) -> Ranged:
    """Build the kernel of `to_the_largest`, under the name `name` in error messages."""

    def arguments(kind: dtype) -> tuple:
        cells = (NUMBA[kind][::1], INDEX)
        return (*cells, *cells, types.int64[::1], INDEX, INDEX, INDEX, INDEX, types.UniTuple(INDEX, 9))

    return Ranged(name, FLOATS, lambda kind: to_the_largest, arguments)


def ranged_mean(name: str) -> Ranged:
    """Build the kernel of `in_shares`, under the name `name` in error messages."""

    def arguments(kind: dtype) -> tuple:
        cells = (NUMBA[kind][::1], INDEX)
        return (*cells, *cells, INDEX, TABLE, TABLE, INDEX, INDEX, types.UniTuple(INDEX, 6))

    return Ranged(name, FLOATS, lambda kind: in_shares, arguments)


MAXIMA = ranged_max("max_pool2d_backward")
MEANS, ADAPTIVE_MEANS = ranged_mean("avg_pool2d_backward"), ranged_mean("adaptive_avg_pool2d_backward")


def steps_of(tensor: Tensor) -> tuple[int, int, int]:
    """Return the strides between images, between channels and between elements, in one of the memory formats."""
    *batch, c, _, x = tensor._strides
    return (batch[0] if batch else 0, c, x)


def planes(grad_input: Tensor, *given: Tensor) -> list[Tensor]:
    """Return all tensors in the memory format of `grad_input`, copied if necessary, so that a plane has one stride."""
    target_format = suggested_format(grad_input._sizes, grad_input._strides)
    made = []
    for tensor in (grad_input, *given):
        strides = strides_of_format(tensor._sizes, target_format)
        fits = as_format(tensor, target_format, copies=tensor is not grad_input)
        made.append(fits._alias(fits._sizes, strides, fits._storage_offset))
    return made


def max_pool2d_backward_kernel(grad_input: Tensor, grad_output: Tensor, indices: Tensor) -> None:
    """Compute the gradient of max_pool2d into `grad_input`; images may have any strides.

    Raises:
        RuntimeError: `indices` are not int64.
    """
    if indices._dtype is not int64:
        raise RuntimeError(f"expected scalar type Long but found {SCALAR_TYPE_NAMES[indices._dtype]}")
    to, grad, where = planes(grad_input, grad_output, indices)
    channels, rows, columns = to._sizes[-3:]
    size, count = rows * columns, grad._sizes[-2] * grad._sizes[-1]
    MAXIMA(
        to._dtype, to.numel() // size, size + count, to._flat(), to._storage_offset, grad._flat(),
        grad._storage_offset, where._flat(), where._storage_offset, channels, size, count,
        (*steps_of(to), *steps_of(grad), *steps_of(where)),
    )  # fmt: skip
    copy_back(grad_input, to)


def share_out(loops: Ranged, plan: Plan, grad_input: Tensor, grad_output: Tensor) -> None:
    """Compute `grad_input` by an `in_shares` kernel for the windows of a plan; images may have any strides."""
    to, grad = planes(grad_input, grad_output)
    channels, rows, columns = to._sizes[-3:]
    size = rows * columns
    loops(
        to._dtype, to.numel() // size, size + grad._sizes[-2] * grad._sizes[-1] * plan.cost, to._flat(),
        to._storage_offset, grad._flat(), grad._storage_offset, channels, plan.of_height, plan.of_width, columns, size,
        (*steps_of(to), *steps_of(grad)),
    )  # fmt: skip
    copy_back(grad_input, to)


def copy_back(grad_input: Tensor, made: Tensor) -> None:
    """Copy the result to `grad_input` if `planes` allocated other memory for it."""
    if made._storage is not grad_input._storage:
        copy_stub.kernels["cpu"](grad_input, made)


def avg_pool2d_backward_kernel(
    grad_input: Tensor, grad_output: Tensor, windows: Windows, count_include_pad: bool, divisor_override: int | None
) -> None:
    """Compute each element of `grad_input` as the sum of its shares of the gradients of the windows that contain it."""
    images = grad_input._sizes[-2:], grad_output._sizes[-2:]
    share_out(MEANS, plan_of(*images, windows, count_include_pad, divisor_override), grad_input, grad_output)


def adaptive_avg_pool2d_backward_kernel(grad_input: Tensor, grad_output: Tensor) -> None:
    """Compute each element of `grad_input` as the sum of its shares of the gradients of the windows that contain it."""
    plan = adaptive_plan_of(grad_input._sizes[-2:], grad_output._sizes[-2:])
    share_out(ADAPTIVE_MEANS, plan, grad_input, grad_output)


pooling_backward.max_pool2d_backward_stub.register("cpu", max_pool2d_backward_kernel)
pooling_backward.avg_pool2d_backward_stub.register("cpu", avg_pool2d_backward_kernel)
pooling_backward.adaptive_avg_pool2d_backward_stub.register("cpu", adaptive_avg_pool2d_backward_kernel)
