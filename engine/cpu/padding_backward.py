"""Sums of all elements of an image that were copies of one: the gradients of borders and of images in other sizes.

The plain loop that the kernel replaces, `tables` as in `padding`:

    for index, of in zip(indices of grad_output, offsets of grad_output):
        grad_input[p + sum(tables[d][i] for d, i in enumerate(index))] += grad_output[of]

Mirrors aten/src/ATen/native/cpu/{PaddingKernel,UpSampleKernel}.cpp.
"""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import types

from ..aten.native import padding_backward
from ..aten.native.fill import fill_stub
from ..dtypes import dtype, float32, float64
from ..strides import Ints
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA
from .padding import reflected, replicated, tables_of
from .ranges import Ranged
from .upsample import nearest


def add_up(begin, end, to, o, grad, q, table, sizes, steps):
    """Add planes `begin` to `end` of the gradient to `to`; planes are numbered over images and channels.

    Args:
        table: the tables of depth, height and width, one after the other.
        sizes: channels; depth, height and width of the gradient.
        steps: of `to`, (n, c); of `grad`, (n, c, d, h, w).
    """
    channels, depth, height, width = sizes
    to_n, to_c, of_n, of_c, of_d, of_h, of_w = steps
    across = table[depth + height :]
    for plane in range(begin, end):
        n, c = plane // channels, plane % channels
        for d in range(depth):
            for h in range(height):
                cell = o + n * to_n + c * to_c + table[d] + table[depth + h]
                of = q + n * of_n + c * of_c + d * of_d + h * of_h
                for v in range(width):
                    to[np.uintp(cell + across[v])] += grad[np.uintp(of + v * of_w)]


class Plan(NamedTuple):
    """The arguments of `add_up`; `count` planes, each of `cost` elements."""

    table: np.ndarray
    sizes: Ints
    steps: Ints
    count: int  # type: ignore[assignment]
    cost: int


def plan_of(to: tuple[Ints, Ints], grad: tuple[Ints, Ints], tables: Sequence[Sequence[int]]) -> Plan:
    """Return the arguments of `add_up` for the geometries of `to` and `grad`.

    Args:
        tables: for each dimension of an image, the cell of `to` for each index of `grad`, counted from the first.
    """
    ndim, (sizes, strides) = len(tables), grad
    cells = [*([[0]] * (3 - ndim)), *tables]
    image = tuple(map(len, cells))
    batch = sizes[:-ndim]
    to_n, to_c = (0, *to[1][:-ndim])[-2:]
    of_n, of_c = (0, *strides[:-ndim])[-2:]
    steps = (to_n, to_c, of_n, of_c, *(0 for _ in range(3 - ndim)), *strides[-ndim:])
    table = np.array([cell for line in cells for cell in line], np.int64)
    count = batch[0] * batch[1] if len(batch) == 2 else batch[0]
    return Plan(table, (batch[-1], *image), steps, count, image[0] * image[1] * image[2])


def ranged(name: str) -> Ranged:
    """Build the kernel of `add_up`, under the name `name` in error messages."""

    def arguments(kind: dtype) -> tuple:
        return (*(NUMBA[kind][::1], INDEX) * 2, types.int64[::1], types.UniTuple(INDEX, 4), types.UniTuple(INDEX, 7))

    return Ranged(name, (float32, float64), lambda kind: add_up, arguments)


def run(loops: Ranged, plan: Plan, grad_input: Tensor, grad_output: Tensor) -> None:
    """Compute `grad_input` by an `add_up` kernel."""
    loops.compiled[grad_output._dtype]  # refuses a dtype before anything is written
    fill_stub.kernels["cpu"](grad_input, 0)
    cells = (grad_input._flat(), grad_input._storage_offset, grad_output._flat(), grad_output._storage_offset)
    loops(grad_output._dtype, plan.count, plan.cost, *cells, *plan[:3])


def padding_backward_kernel(name: str, border: Callable[[int, int], int]) -> Callable[[Tensor, Tensor, Ints], None]:
    """Build kernel(grad_input, grad_output, padding); `border` is as in `padding_kernel`."""
    loops = [ranged(f"{name}{ndim}d_backward") for ndim in (1, 2, 3)]

    @functools.lru_cache(maxsize=1024)
    def plan(to: tuple[Ints, Ints], grad: tuple[Ints, Ints], padding: Ints) -> Plan:
        ndim = len(padding) // 2
        return plan_of(to, grad, tables_of(grad[0], *to, padding, border)[-ndim:])

    def kernel(grad_input: Tensor, grad_output: Tensor, padding: Ints) -> None:
        to, grad = ((tensor._sizes, tensor._strides) for tensor in (grad_input, grad_output))
        run(loops[len(padding) // 2 - 1], plan(to, grad, padding), grad_input, grad_output)

    return kernel


NEAREST = [ranged(f"upsample_nearest{ndim}d_backward") for ndim in (1, 2, 3)]


@functools.lru_cache(maxsize=1024)
def nearest_plan(to: tuple[Ints, Ints], grad: tuple[Ints, Ints], scales: tuple[float | None, ...]) -> Plan:
    """Return the plan of the gradient of upsample_nearest; indices are computed in float32, whatever the dtype."""
    of_each = zip(to[0][2:], to[1][2:], grad[0][2:], scales, strict=True)
    tables = [
        [i * stride for i in nearest(size, made, None if made in (size, 2 * size) else scale, float32)]
        for size, stride, made, scale in of_each
    ]
    return plan_of(to, grad, tables)


def upsample_nearest_backward_kernel(grad_input: Tensor, grad_output: Tensor, scales: tuple[float | None, ...]) -> None:
    """Compute the gradient of upsample_nearest into `grad_input`; images may have any strides."""
    to, grad = ((tensor._sizes, tensor._strides) for tensor in (grad_input, grad_output))
    run(NEAREST[len(scales) - 1], nearest_plan(to, grad, scales), grad_input, grad_output)


padding_backward.reflection_pad_backward_stub.register("cpu", padding_backward_kernel("reflection_pad", reflected))
padding_backward.replication_pad_backward_stub.register("cpu", padding_backward_kernel("replication_pad", replicated))
padding_backward.upsample_nearest_backward_stub.register("cpu", upsample_nearest_backward_kernel)
