"""Cut the output of a convolution into blocks, and find each patch in the part of the image that a block reads.

A weight is read through a geometry of its own, so that a transposed convolution reads the same memory the other way
round.
"""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..aten.native.convolution_checks import ConvParams
from ..strides import Ints
from .argument_structs import Int64s
from .gemm_tile import BYTES, ROWS, VECTORS

NO_BIAS = -1
PIXELS = 512  # of a block of the output: its product is made and added up in the second cache
PRODUCT = 2**17  # elements of it
STACKED = 64  # pixels of small images that are worth a product of their own
GATHERED = 2**19  # elements of their patches
COPY = 8  # multiplications that cost as much as the copy of an element of a patch
LANES = 8  # elements that are copied at a time
FEW = 4  # channels of the output that see one of the input: no work for a matrix product

Geometry = tuple[Ints, Ints]
"""Sizes and strides, in elements."""


class Weights(NamedTuple):
    """The geometry through which a convolution reads its weight.

    Attributes:
        sizes: of one group: channels of the output, of the input, height and width of a kernel.
        strides: of a group, then of `sizes`; negative where a kernel is read from its end.
        first: elements before the first one.
    """

    sizes: Ints
    strides: Ints
    first: int


class ImageStrides(NamedTuple):
    """The strides of a batch of images, in elements."""

    image: int
    channel: int
    row: int
    column: int


class Images(NamedTuple):
    """The sizes and strides of a convolution, as the kernels read them.

    Attributes:
        stack: images of a block whose patches are gathered; 0 if they are read where they are.
        batch, groups: number of images, groups of channels.
        m, k, channels: channels of a group of the output, elements of a kernel, channels of a group of the input.
        in_height, in_width, out_height, out_width: of an image.
        stride_y, stride_x, padding_y, padding_x, dilation_y, dilation_x: of the convolution.
        block_height, block_width: rows and columns of a block of the output.
        seen_rows, pitch, seen: rows of each phase that a block sees, elements of one of them, elements of all.
        kernel_height, kernel_width: of a kernel.
        out, input, bias_stride: strides.
    """

    stack: int
    batch: int
    groups: int
    m: int
    k: int
    channels: int
    in_height: int
    in_width: int
    stride_y: int
    stride_x: int
    padding_y: int
    padding_x: int
    seen_rows: int
    pitch: int
    out_height: int
    out_width: int
    block_height: int
    block_width: int
    seen: int
    kernel_height: int
    kernel_width: int
    dilation_y: int
    dilation_x: int
    out: ImageStrides
    input: ImageStrides
    bias_stride: int


class Patches(NamedTuple):
    """The offsets of the patches in the input that a block reads.

    Attributes:
        offsets: (k,) where the patches of each element of a kernel begin.
        gathered: (k,) where they begin after they were gathered.
        phases_y, phases_x: with a stride of 2, what is in even and in odd rows is copied apart; those that are seen.
    """

    offsets: Int64s
    gathered: Int64s
    phases_y: Int64s
    phases_x: Int64s


class WeightStrides(NamedTuple):
    """The offsets of a weight's elements.

    Attributes:
        group, channel: strides of a group, and of a channel of the output.
        offsets: (k,) offset of each element of a kernel, from its first one.
        is_run: whether the elements of a kernel follow each other.
    """

    group: int
    channel: int
    offsets: Int64s
    is_run: bool


class Plan(NamedTuple):
    """The arguments of the convolution kernels.

    Attributes:
        images, patches, weight: records.
        packed: elements of the packed weight.
        count, cost: blocks of the output, or its rows if the kernel is direct, and the work for one.
    """

    images: Images
    patches: Patches
    weight: WeightStrides
    packed: int
    is_direct: bool
    count: int  # type: ignore[assignment]
    cost: int


@functools.lru_cache(maxsize=1024)
def plan_of(out: Geometry, x: Geometry, w: Geometry, bias: Ints, params: ConvParams) -> Plan:
    """Return the plan of a convolution, given the sizes and strides of its output, input and weight.

    Args:
        w: as `Weights` has them.
        bias: its strides; () for none.
    """
    out, x = merge_rows(out, x, w[0][2:], params)
    (n, c, height, width), (m, channels, *kernel), (w_g, w_m, w_c, w_y, w_x) = out[0], *w
    k = channels * math.prod(kernel)
    rows, columns = block_of(m, height, width)
    reach = [
        (size - 1) * dilation // step
        for size, dilation, step in zip(kernel, params.dilation, params.stride, strict=True)
    ]
    seen_rows, pitch = rows + reach[0], columns + reach[1]
    phases = [
        sorted({i * dilation % step for i in range(size)})
        for size, dilation, step in zip(kernel, params.dilation, params.stride, strict=True)
    ]
    seen = channels * len(phases[0]) * len(phases[1]) * seen_rows * pitch
    stack = stack_of(n, m, k, height, width, pitch) if (rows, columns) == (height, width) else 0
    images = Images(
        stack=stack, batch=n, groups=params.groups, m=m, k=k, channels=channels,
        in_height=x[0][2], in_width=x[0][3], out_height=height, out_width=width,
        stride_y=params.stride[0], stride_x=params.stride[1], padding_y=params.padding[0], padding_x=params.padding[1],
        dilation_y=params.dilation[0], dilation_x=params.dilation[1], kernel_height=kernel[0], kernel_width=kernel[1],
        block_height=rows, block_width=columns, seen_rows=seen_rows, pitch=pitch, seen=seen,
        out=ImageStrides(*out[1]), input=ImageStrides(*x[1]), bias_stride=bias[0] if bias else 0,
    )  # fmt: skip
    is_direct = channels == 1 and m <= FEW
    blocks = math.ceil(n / stack) if stack else n * math.ceil(height / rows) * math.ceil(width / columns)
    offsets = array(offsets_of(channels, kernel, params, phases, seen_rows, pitch))
    of_weight = array([i * w_c + y * w_y + z * w_x for i, y, z in np.ndindex(channels, *kernel)])
    return Plan(
        images,
        Patches(offsets, array(range(k)) * row_of(stack * height * width), array(phases[0]), array(phases[1])),
        WeightStrides(w_g, w_m, of_weight, bool((of_weight == np.arange(k)).all())),
        params.groups * -(-m // ROWS) * ROWS * k,
        is_direct,
        n * c * height if is_direct else params.groups * blocks,
        width * k if is_direct else max(1, max(1, stack) * rows * columns * m * k // 8),
    )


def stack_of(n: int, m: int, k: int, height: int, width: int, pitch: int) -> int:
    """Return the number of images per block if gathering their patches pays off, else 0.

    A product over a block has a column for each element of its rows, of which only `width` of `pitch` are pixels, and
    fills tiles.

    >>> stack_of(16, 64, 576, 16, 16, 18), stack_of(16, 64, 576, 4, 4, 6)
    (0, 4)
    """
    pixels, tile = height * width, VECTORS * BYTES // 4
    stack = max(1, min(n, STACKED // pixels, GATHERED // (k * pixels)))
    columns, gathered = -(-height * pitch // tile) * tile / pixels, -(-stack * pixels // tile) * tile / (stack * pixels)
    return stack if columns > gathered * (1 + COPY / m) else 0


def row_of(pixels: int) -> int:
    """Return the length of a row of gathered patches: whole tiles, plus room for the last copy to overrun."""
    tile = VECTORS * BYTES // 4
    return -(-pixels // tile) * tile + LANES


def merge_rows(out: Geometry, x: Geometry, kernel: Sequence[int], params: ConvParams) -> tuple[Geometry, Geometry]:
    """Return the geometries of output and input, with rows merged up to `PIXELS` long if the convolution is 1 x 1.

    >>> image = ((8, 64, 28, 28), (50176, 784, 28, 1))
    >>> merge_rows(image, image, (1, 1), ConvParams((1, 1), (0, 0), (1, 1), (0, 0), False, 1))[0]
    ((8, 64, 2, 392), (50176, 784, 392, 1))
    """
    height, width = out[0][2:]
    is_pixel = max(kernel) == 1 and max(params.stride) == 1 and not any(params.padding) and x[0][2:] == out[0][2:]
    if not is_pixel or any(strides[2] != width * strides[3] for _, strides in (out, x)):
        return out, x
    rows = max(rows for rows in range(1, height + 1) if height % rows == 0 and (rows == 1 or rows * width <= PIXELS))
    sizes = (height // rows, width * rows)

    def merged(images: Ints, strides: Ints) -> Geometry:
        return (*images[:2], *sizes), (*strides[:2], rows * strides[2], strides[3])

    return merged(*out), merged(*x)


def array(numbers: object) -> np.ndarray:
    """Return numbers as an int64 array, which the kernels take."""
    return np.array(numbers, np.int64)


def block_of(m: int, height: int, width: int) -> Ints:
    """Return the rows and columns of a block of the output, chosen to make all blocks nearly equal in size.

    >>> block_of(64, 56, 56), block_of(64, 8, 8), block_of(16, 1, 5000)
    ((8, 56), (8, 8), (1, 500))
    """
    pixels = max(128, min(PIXELS, PRODUCT // m))
    columns = math.ceil(width / math.ceil(width / pixels))
    rows = math.ceil(height / math.ceil(height * columns / pixels))
    return (rows, columns)


def offsets_of(
    channels: int, kernel: Sequence[int], params: ConvParams, phases: list, seen_rows: int, pitch: int
) -> list[int]:
    """Return the patches' offsets: kernel row y reads phase y * dilation % stride, y * dilation // stride rows down."""
    offsets = []
    for i, y, z in np.ndindex(channels, *kernel):
        down, phase_y = divmod(y * params.dilation[0], params.stride[0])
        right, phase_x = divmod(z * params.dilation[1], params.stride[1])
        plane = (i * len(phases[0]) + phases[0].index(phase_y)) * len(phases[1]) + phases[1].index(phase_x)
        offsets.append((plane * seen_rows + down) * pitch + right)
    return offsets
