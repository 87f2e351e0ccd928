"""upsample_nearest: an image in other sizes, by the kernel that looks elements up.

Mirrors aten/src/ATen/native/cpu/UpSampleKernel.cpp.
"""

import functools
import math

from ..aten.native import upsample
from ..dtypes import dtype, float32, float64
from ..strides import Ints
from ..tensor_impl import Tensor
from .padding import Lines, lines_of, ranged_look_up, run_look_up

LOOPS = ranged_look_up("upsample_nearest2d_channels_last", (float32, float64))


def nearest(size: int, made: int, scale: float | None, kind: dtype) -> list[int]:
    """Return the nearest input index for each index of an output of size `made`, computed in the elements' dtype.

    >>> nearest(3, 5, None, float32)
    [0, 0, 1, 1, 2]
    """
    number = kind.numpy.type
    step = number(1 / scale) if scale is not None and scale > 0 else number(size) / number(made)
    return [min(math.floor(number(i) * step), size - 1) for i in range(made)]


@functools.lru_cache(maxsize=1024)
def lines(out: tuple[Ints, Ints], self: tuple[Ints, Ints], scales: tuple[float | None, ...], kind: dtype) -> Lines:
    """Return the `Lines` through which each element of the output reads its nearest input."""
    sizes, strides = self
    tables = [[i * stride for i in range(size)] for size, stride in zip(sizes[:2], strides[:2], strict=True)]
    for size, made, stride, scale in zip(sizes[2:], out[0][2:], strides[2:], scales, strict=True):
        tables.append([i * stride for i in nearest(size, made, scale, kind)])
    return lines_of(*out, tables)


def upsample_nearest_kernel(out: Tensor, self: Tensor, scales: tuple[float | None, ...]) -> None:
    """Fill `out` with the nearest elements of `self`; images may have any strides."""
    geometries = (out._sizes, out._strides), (self._sizes, self._strides)
    run_look_up(LOOPS, lines(*geometries, scales, self._dtype), out, self)


upsample.upsample_nearest_stub.register("cpu", upsample_nearest_kernel)
