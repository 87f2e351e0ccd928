"""Convolution of images. Mirrors aten/src/ATen/native/ConvolutionMM2d.cpp and what PyTorch leaves to oneDNN.

The plain loop that it replaces, for every image n, channel c of the output, row h and column v of the output:

    out[n, c, h, v] = bias[c] + sum(
        weight[c, i, y, z] * input[n, first + i, h * stride[0] + y * dilation[0] - padding[0],
                                                 v * stride[1] + z * dilation[1] - padding[1]]
        for i, y, z in the kernel, where that is inside the image
    )

`first` is the first channel of the group of c.
"""

import functools

import numpy as np
from numba import types

from ..aten.native import convolution
from ..aten.native.convolution_checks import ConvParams
from ..dtypes import dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA, Compiled

NO_BIAS = -1


def direct(begin, end, out, o, x, p, w, q, bias, r, numbers):
    """Rows `begin` to `end` of the output, counted through images, channels and heights: sums of rows of the input.

    Args:
        numbers: see `numbers_of`.
        r: cell of the first bias, or NO_BIAS.
    """
    channels, height, width = numbers[1], numbers[2], numbers[3]
    group_inputs, rows, columns = numbers[4], numbers[5], numbers[6]
    kernel_rows, kernel_columns = numbers[7], numbers[8]
    stride_y, stride_x, pad_y, pad_x, spread_y, spread_x = numbers[9:15]
    group_outputs = numbers[15]
    out_n, out_c, out_y, out_x = numbers[16:20]
    x_n, x_c, x_y, x_x = numbers[20:24]
    w_o, w_i, w_y, w_x = numbers[24:28]
    sums = np.empty(width, out.dtype)
    for row in range(begin, end):
        h, c, n = row % height, row // height % channels, row // height // channels
        for v in range(width):
            sums[v] = bias[r + c * numbers[28]] if r >= 0 else 0
        first = c // group_outputs * group_inputs
        for i in range(group_inputs):
            for y in range(kernel_rows):
                at_y = h * stride_y + y * spread_y - pad_y
                if at_y < 0 or at_y >= rows:
                    continue
                line = p + n * x_n + (first + i) * x_c + at_y * x_y
                for z in range(kernel_columns):
                    factor = w[q + c * w_o + i * w_i + y * w_y + z * w_x]
                    shift = z * spread_x - pad_x
                    low = max(0, (-shift + stride_x - 1) // stride_x)
                    high = max(low, min(width, (columns - shift + stride_x - 1) // stride_x))
                    step, of = np.uintp(stride_x * x_x), line + (low * stride_x + shift) * x_x
                    if step == 1:
                        cells = x[of : of + high - low]
                        to = sums[low:high]
                        for v in range(cells.size):
                            to[v] += factor * cells[v]
                    else:
                        for v in range(high - low):
                            sums[low + v] += factor * x[np.uintp(of) + np.uintp(v) * step]
        to = o + n * out_n + c * out_c + h * out_y
        for v in range(width):
            out[to + v * out_x] = sums[v]


@functools.lru_cache(maxsize=1024)
def numbers_of(
    out: tuple[Ints, Ints], x: tuple[Ints, Ints], w: tuple[Ints, Ints], bias: Ints, params: ConvParams
) -> np.ndarray:
    """What a kernel is told of the geometries, each (sizes, strides), and of the parameters.

    Returns:
        (29,) int64: images, channels, height and width of the output; channels of a group of the input, height and
        width of the input; height and width of the kernel; stride, padding and dilation, each of height and width;
        channels of a group of the output; the strides of output, input and weight; that of the bias.
    """
    groups = params.groups
    (n, c, h, v), (_, i, y, z) = out[0], w[0]
    moves = (*params.stride, *params.padding, *params.dilation)
    numbers = (n, c, h, v, i, *x[0][2:], y, z, *moves, c // groups, *out[1], *x[1], *w[1], *(bias or (0,)))
    return np.array(numbers, np.int64)


def signature(kind: dtype) -> tuple:
    """numba's types of the arguments."""
    return (INDEX, INDEX, *(NUMBA[kind][::1], INDEX) * 4, types.int64[::1])


def direct_of(name: str, kinds: tuple[dtype, ...]) -> Compiled:
    """The loops under the name that messages of PyTorch have for them."""
    return Compiled(name, kinds, lambda kind: direct, signature, fastmath={"contract"})


DENSE = direct_of("slow_conv2d_cpu", (float32, float64, int64, int32))
DILATED = direct_of("slow_conv_dilated<>", (float32, float64, int64))


def convolution_kernel(out: Tensor, input: Tensor, weight: Tensor, bias: Tensor | None, params: ConvParams) -> None:
    """Images in any strides, all of one dtype, none of them empty."""
    loop = (DILATED if max(params.dilation) > 1 else DENSE)[input._dtype]
    numbers = numbers_of(
        (out._sizes, out._strides), (input._sizes, input._strides), (weight._sizes, weight._strides),
        () if bias is None else bias._strides, params,
    )  # fmt: skip
    cells = weight._flat()
    of_bias = (cells, NO_BIAS) if bias is None else (bias._flat(), bias._storage_offset)
    n, c, h, _ = out._sizes
    loop(0, n * c * h, out._flat(), out._storage_offset, input._flat(), input._storage_offset,
         cells, weight._storage_offset, *of_bias, numbers)  # fmt: skip


convolution.convolution_stub.register("cpu", convolution_kernel)
