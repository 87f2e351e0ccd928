"""Images whose every element is one of another image: reflected and repeated borders, and images in other sizes.

The plain loop that the kernel replaces, `tables` having, for each index in a dimension, the cells from the first one:

    for index, to in zip(indices of out, offsets of out):
        out[to] = x[p + sum(tables[d][i] for d, i in enumerate(index))]

Mirrors aten/src/ATen/native/cuda/{ReflectionPad,ReplicationPadding,UpSampleNearest2d}.cu.
"""

import functools
from collections.abc import Callable
from typing import Any

from ..aten.native import padding_modes, upsample
from ..cpu import upsample as on_cpu
from ..cpu.padding import KINDS, Lines, lines_of, reflected, replicated, tables_of
from ..dtypes import dtype
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import flat_and_offset
from .launch import grid_of, launch
from .row_sums import FLOATS, require


@cuda.jit
def look_up(total, out, o, x, p, table, sizes, strides):
    """Gather each element of the output from the input, one thread per element, in the output's memory order.

    Args:
        table: the lines of all dimensions, one after the other.
        sizes, strides: of the output, in elements.
    """
    for i in range(cuda.grid(1), total, cuda.gridsize(1)):
        to, of, rest, first = o, p, i, table.size
        for d in range(len(sizes) - 1, -1, -1):
            index = rest % sizes[d]
            rest //= sizes[d]
            first -= sizes[d]
            to += index * strides[d]
            of += table[first + index]
        out[to] = x[of]


def on_device(lines: Lines) -> tuple[Any, Ints, Ints]:
    """Return the arguments of `look_up` for a walk through an output, with the table copied to the device."""
    return cuda.to_device(lines.table), tuple(lines.sizes.tolist()), tuple(lines.strides.tolist())


def run_look_up(out: Tensor, self: Tensor, walk: tuple[Any, Ints, Ints]) -> None:
    """Fill `out` from `self`."""
    grid, block = grid_of("elementwise", out.numel())
    launch(look_up, grid, block, out.numel(), *flat_and_offset(out), *flat_and_offset(self), *walk)


def padding_kernel(name: str, border: Callable[[int, int], int]) -> Callable[[Tensor, Tensor, Ints], None]:
    """Build kernel(out, self, padding); `border` maps an index outside an image to the index of the element to copy."""

    @functools.lru_cache(maxsize=1024)
    def walk(out: tuple[Ints, Ints], self: tuple[Ints, Ints], padding: Ints) -> tuple[Any, Ints, Ints]:
        return on_device(lines_of(*out, tables_of(out[0], *self, padding, border)))

    def kernel(out: Tensor, self: Tensor, padding: Ints) -> None:
        require(f"{name}{len(padding) // 2}d", KINDS, self._dtype)
        run_look_up(out, self, walk((out._sizes, out._strides), (self._sizes, self._strides), padding))

    return kernel


@functools.lru_cache(maxsize=1024)
def nearest(
    out: tuple[Ints, Ints], self: tuple[Ints, Ints], scales: tuple[float | None, ...], kind: dtype
) -> tuple[Any, Ints, Ints]:
    """Return the arguments of `look_up` that resize images by copying the nearest element."""
    return on_device(on_cpu.lines(out, self, scales, kind))


def upsample_nearest_kernel(out: Tensor, self: Tensor, scales: tuple[float | None, ...]) -> None:
    """Compute upsample_nearest of images of any strides."""
    require("upsample_nearest2d_channels_last", FLOATS, self._dtype)
    run_look_up(out, self, nearest((out._sizes, out._strides), (self._sizes, self._strides), scales, self._dtype))


padding_modes.reflection_pad_stub.register("cuda", padding_kernel("reflection_pad", reflected))
padding_modes.replication_pad_stub.register("cuda", padding_kernel("replication_pad", replicated))
upsample.upsample_nearest_stub.register("cuda", upsample_nearest_kernel)
