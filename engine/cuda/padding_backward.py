"""Sums of all elements of an image that were copies of one: the gradients of borders and of images in other sizes.

The plain loop that the kernel replaces, `places` having, for each index in a dimension, the cells of its copies from
the first one:

    for (d, h, w), to in zip(indices of grad_input, offsets of grad_input):
        copies = [q + i + j + k for i in places[0][d] for j in places[1][h] for k in places[2][w]]
        grad_input[to] = sum(grad_output[of] for of in copies)

A thread takes an element of `grad_input`, so none waits for another, and the order of sums is always the same.
Mirrors aten/src/ATen/native/cuda/{ReflectionPad,ReplicationPadding,UpSampleNearest2d}.cu.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..aten.native import padding_backward
from ..cpu.padding import reflected, replicated, tables_of
from ..cpu.upsample import nearest
from ..dtypes import float32
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import flat_and_offset
from .launch import grid_of, launch
from .row_sums import FLOATS, require


@cuda.jit
def add_up(total, to, o, grad, q, start, begins, cells, sizes, to_steps, grad_steps):
    """Sum the gradients of all copies of each element of `to`, one thread per element.

    Args:
        start: 0 in the dtype of `to`.
        begins: for each index of depth, height and width, one after the other, where its copies begin in `cells`, which
            is where the copies of the next index end.
        cells: places of copies in a dimension, in elements of `grad` from its first.
        sizes: (n, c, d, h, w) of `to`.
        to_steps, grad_steps: strides of `to`, (n, c, d, h, w), and of `grad`, (n, c).
    """
    channels, depth, height, width = sizes[1], sizes[2], sizes[3], sizes[4]
    for element in range(cuda.grid(1), total, cuda.gridsize(1)):
        w, rest = element % width, element // width
        h, rest = rest % height, rest // height
        d, rest = rest % depth, rest // depth
        c, n = rest % channels, rest // channels
        of = q + n * grad_steps[0] + c * grad_steps[1]
        part = start
        for i in range(begins[d], begins[d + 1]):
            for j in range(begins[depth + h], begins[depth + h + 1]):
                for k in range(begins[depth + height + w], begins[depth + height + w + 1]):
                    part += grad[of + cells[i] + cells[j] + cells[k]]
        to[o + n * to_steps[0] + c * to_steps[1] + d * to_steps[2] + h * to_steps[3] + w * to_steps[4]] = part


Geometry = tuple[Ints, Ints]
Plan = tuple[Any, Any, Ints, Ints, Ints]


def plan_of(to: Geometry, grad: Geometry, sources: Sequence[Sequence[int]]) -> Plan:
    """Return the arguments of `add_up` for two geometries, `to` and `grad`.

    Args:
        to, grad: (sizes, strides).
        sources: for each dimension of an image, the index of `to` for each index of `grad`.
    """
    ndim, (sizes, strides) = len(sources), to
    begins, cells = [0], []
    for size, step, indices in zip(
        (*(1 for _ in range(3 - ndim)), *sizes[-ndim:]), (*(0 for _ in range(3 - ndim)), *grad[1][-ndim:]),
        (*([0] for _ in range(3 - ndim)), *sources), strict=True,
    ):  # fmt: skip
        for index in range(size):
            cells += [i * step for i, source in enumerate(indices) if source == index]
            begins.append(len(cells))
    tables = (cuda.to_device(np.array(numbers, np.int64)) for numbers in (begins, cells))
    batch = (1, *sizes[:-ndim])[-2:]
    steps = [(0, *lies[:-ndim])[-2:] for lies in (strides, grad[1])]
    ones, nothing = (1,) * (3 - ndim), (0,) * (3 - ndim)
    return (
        *tables, (*batch, *ones, *sizes[-ndim:]), (*steps[0], *nothing, *strides[-ndim:]), steps[1],
    )  # fmt: skip


def run(name: str, plan: Plan, grad_input: Tensor, grad_output: Tensor) -> None:
    """Write the sums of `grad_output` that a plan describes into `grad_input`."""
    require(name, FLOATS, grad_output._dtype)
    total, start = grad_input.numel(), grad_input._dtype.numpy.type(0)
    cells = (*flat_and_offset(grad_input), *flat_and_offset(grad_output))
    launch(add_up, *grid_of("elementwise", total), total, *cells, start, *plan)


def geometry(tensor: Tensor) -> Geometry:
    """Return the sizes and strides of a tensor."""
    return tensor._sizes, tensor._strides


def padding_backward_kernel(name: str, border: Callable[[int, int], int]) -> Callable[[Tensor, Tensor, Ints], None]:
    """Build kernel(grad_input, grad_output, padding); `border` as for `padding_kernel`."""

    @functools.lru_cache(maxsize=1024)
    def plan(to: Geometry, grad: Geometry, padding: Ints) -> Plan:
        ones = (1,) * len(to[0])
        return plan_of(to, grad, tables_of(grad[0], to[0], ones, padding, border)[-(len(padding) // 2) :])

    def kernel(grad_input: Tensor, grad_output: Tensor, padding: Ints) -> None:
        called = f"{name}{len(padding) // 2}d_backward"
        run(called, plan(geometry(grad_input), geometry(grad_output), padding), grad_input, grad_output)

    return kernel


@functools.lru_cache(maxsize=1024)
def nearest_plan(to: Geometry, grad: Geometry, scales: tuple[float | None, ...]) -> Plan:
    """Return the plan for resized images; the nearest element is computed in float32 for every dtype."""
    of_each = zip(to[0][2:], grad[0][2:], scales, strict=True)
    sources = [
        nearest(size, made, None if made in (size, 2 * size) else scale, float32) for size, made, scale in of_each
    ]
    return plan_of(to, grad, sources)


def upsample_nearest_backward_kernel(grad_input: Tensor, grad_output: Tensor, scales: tuple[float | None, ...]) -> None:
    """Compute the gradient of upsample_nearest for images of any strides."""
    plan = nearest_plan(geometry(grad_input), geometry(grad_output), scales)
    run(f"upsample_nearest{len(scales)}d_backward", plan, grad_input, grad_output)


padding_backward.reflection_pad_backward_stub.register("cuda", padding_backward_kernel("reflection_pad", reflected))
padding_backward.replication_pad_backward_stub.register("cuda", padding_backward_kernel("replication_pad", replicated))
padding_backward.upsample_nearest_backward_stub.register("cuda", upsample_nearest_backward_kernel)
