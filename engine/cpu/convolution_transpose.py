"""Transposed convolution of images: what each element of an image gives to an output is what a convolution would
take from there. So the gradient of a convolution by its input is one, too.

The plain loop that it replaces, of the elements that are inside of the output:

    for n, first + i, h, v in indices of input:
        row, column = h * stride[0] + y * dilation[0] - padding[0], v * stride[1] + z * dilation[1] - padding[1]
        out[n, c, row, column] += weight[first + i, c, y, z] * input[n, first + i, h, v]

Of the output, every stride-th row and column sees the same elements of the kernel, one after the other from its end:
they are a convolution without a stride, by the kernel of `convolution`. With a stride of 2 there are four of them.
Mirrors aten/src/ATen/native/NaiveConvolutionTranspose2d.cpp and what PyTorch leaves to oneDNN.
"""

import functools
import itertools
import math
from typing import NamedTuple

from ..aten.native import convolution
from ..aten.native.convolution_checks import ConvParams
from ..aten.native.copy import copy_stub
from ..aten.native.fill import fill_stub
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dtypes import float32, float64, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .convolution import convolve_images
from .convolution_plan import Geometry, Weights

KINDS = (float32, float64, int64)


class Steps(NamedTuple):
    """One dimension of a part of the output: every stride-th index, and the convolution that computes them.

    Attributes:
        first, size: of the indices.
        last, apart, seen: the elements of a kernel that are seen, counted from the last one: how far apart, how many.
        padding, dilation: of the convolution.
    """

    first: int
    size: int
    last: int
    apart: int
    seen: int
    padding: int
    dilation: int


class Part(NamedTuple):
    """A strided part of the output, and the convolution that computes it; `geometry` is None if no input reaches it."""

    sizes: Ints
    strides: Ints
    offset: int
    geometry: Weights | None
    params: ConvParams


def steps_of(size: int, kernel: int, stride: int, padding: int, dilation: int) -> list[Steps]:
    """Return the convolutions that compute one dimension of the output, one for each of its first `stride` indices.

    >>> [(s.first, s.last, s.seen, s.padding) for s in steps_of(6, 3, 2, 1, 1)]
    [(0, 1, 1, 0), (1, 2, 2, 0)]
    """
    steps, common = [], math.gcd(stride, dilation)
    for first in range(min(stride, size)):
        seen = [y for y in range(kernel) if (first + padding - y * dilation) % stride == 0]
        last = seen[-1] if seen else 0
        before = (last * dilation - first - padding) // stride
        steps.append(
            Steps(first, -(-(size - first) // stride), last, stride // common, len(seen), before, dilation // common)
        )
    return steps


@functools.lru_cache(maxsize=1024)
def parts_of(out: Geometry, w: Geometry, params: ConvParams) -> tuple[Part, ...]:
    """Return the parts of an output, each with the convolution that computes it.

    Args:
        w: sizes (c_in, c_out / groups, kh, kw) and strides of the weight.
    """
    (n, c, *image), (o_n, o_c, o_y, o_x) = out
    (c_in, m, *kernel), (w_c, w_m, w_y, w_x) = w
    channels = c_in // params.groups
    of_each = zip(image, kernel, params.stride, params.padding, params.dilation, strict=True)
    parts = []
    for y, x in itertools.product(*(steps_of(*numbers) for numbers in of_each)):
        geometry = Weights(
            (m, channels, y.seen, x.seen),
            (channels * w_c, w_m, w_c, -y.apart * w_y, -x.apart * w_x),
            y.last * w_y + x.last * w_x,
        )
        parts.append(
            Part(
                (n, c, y.size, x.size),
                (o_n, o_c, o_y * params.stride[0], o_x * params.stride[1]),
                y.first * o_y + x.first * o_x,
                geometry if y.seen and x.seen else None,
                ConvParams((1, 1), (y.padding, x.padding), (y.dilation, x.dilation), (0, 0), False, params.groups),
            )
        )
    return tuple(parts)


def transpose_kernel(out: Tensor, input: Tensor, weight: Tensor, bias: Tensor | None, params: ConvParams) -> None:
    """Compute a transposed convolution into `out`; all tensors have one dtype, none is empty, images have any strides.

    Raises:
        NotImplementedError: a dtype that is not supported.
    """
    if input._dtype not in KINDS:
        name = SCALAR_TYPE_NAMES[input._dtype]
        raise NotImplementedError(f"\"slow_conv_transpose2d_out_cpu\" not implemented for '{name}'")
    for part in parts_of((out._sizes, out._strides), (weight._sizes, weight._strides), params):
        to = out._alias(part.sizes, part.strides, out._storage_offset + part.offset)
        if part.geometry is not None:
            convolve_images(to, input, weight, part.geometry, bias, part.params)
        elif bias is None:
            fill_stub.kernels["cpu"](to, 0)
        else:
            repeated = bias._alias(part.sizes, (0, *bias._strides, 0, 0), bias._storage_offset)
            copy_stub.kernels["cpu"](to, repeated)


convolution.convolution_transpose_stub.register("cpu", transpose_kernel)
