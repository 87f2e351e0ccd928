"""Convolution of images: a matrix product whose second matrix is never made.

The plain loop that it replaces, for every image n, channel c of the output, row h and column v of the output:

    out[n, c, h, v] = bias[c] + sum(
        weight[c, i, y, z] * input[n, first + i, h * stride[0] + y * dilation[0] - padding[0],
                                                 v * stride[1] + z * dilation[1] - padding[1]]
        for i, y, z in the kernel, where that is inside the image
    )

`first` is the first channel of the group of c. That is a product of the weight, as a matrix (channels of the output,
i * y * z), and of a matrix of patches (i * y * z, pixels of the output). A row of patches is the image itself, shifted:
so a block of the image is copied once, with its padding around it and, if there is a stride, with what is that far
apart side by side, and the tile of the matrix product reads row t of B at the shift of its i, y, z.
What a row of the block holds beyond the output's columns makes numbers that nobody looks at; of small images that would
be most of the work, so the patches of several are gathered first. Kernels of one pixel need no block: there the input
is the second matrix.
Mirrors aten/src/ATen/native/ConvolutionMM2d.cpp and what PyTorch leaves to oneDNN.
"""

import functools

import numpy as np
from numba.extending import register_jitable

from ..aten.native import convolution
from ..aten.native.convolution_checks import ConvParams
from ..dtypes import dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .argument_structs import type_of
from .convolution_plan import LANES, NO_BIAS, Images, Patches, Weights, WeightStrides, plan_of
from .copy import MEMORY, copy_kernel
from .gemm import PART, aligned, columns_of, height_of, multiply_tile, pack_panel
from .gemm_tile import ROWS
from .loops import INDEX, NUMBA
from .matmul import blocks as multiply_blocks
from .ranges import Ranged
from .vectorized import loadu, storeu

# ---- the weight, in the order in which the tile reads it


def pack_weight(begin, end, to, w, q, m, k, strides):
    """Pack the weights of groups `begin` to `end`, with all rows for each part of k; `strides` is a `WeightStrides`."""
    w_m, w_k = strides.channel, strides.offsets
    height = -(-m // ROWS) * ROWS
    for group in range(begin, end):
        for t in range(0, k, PART):
            steps, first = min(PART, k - t), (group * k + t) * height
            for i in range(0, m, ROWS):
                rows = height_of(min(ROWS, m - i))
                if strides.is_run:
                    of = q + group * strides.group + i * w_m + t
                    pack_panel(rows, w, of, w_m, 1, min(rows, m - i), steps, to, first + i * steps)
                    continue
                for s in range(steps):
                    of, cell = q + group * strides.group + i * w_m + w_k[t + s], first + i * steps + s * rows
                    for x in range(rows):
                        to[cell + x] = w[of + x * w_m] if i + x < m else 0


# ---- a block of the image


@register_jitable
def copy_cells(x, of, step, low, high, to, cell):
    """Copy elements `low` to `high` of an image's row, element u from x[of + u * step] to to[cell + u]."""
    if step == 1:
        for u in range(low, high):
            to[np.uintp(cell + u)] = x[np.uintp(of + u)]
    else:
        for u in range(low, high):
            to[np.uintp(cell + u)] = x[np.uintp(of + u * step)]


@register_jitable
def copy_row(x, of, step, low, high, to, cell, width):
    """Write `width` elements from `cell` on: elements `low` to `high` of the image's row, and zeros around them."""
    for u in range(low):
        to[np.uintp(cell + u)] = 0
    copy_cells(x, of, step, low, high, to, cell)
    for u in range(high, width):
        to[np.uintp(cell + u)] = 0


@register_jitable
def copy_block(x, p, images, patches, top, left, to, has_padding):
    """Copy into `to` the part of a group's input that the output's rows from `top` and columns from `left` on read.

    Args:
        images, patches: an `Images` and a `Patches`.
        has_padding: whether the zeros around the image are there already.
    """
    strides, stride_x, pitch = images.input, images.stride_x, images.pitch
    phases_y, phases_x = patches.phases_y, patches.phases_x
    step, plane = stride_x * strides.column, images.seen_rows * pitch
    for y in range(phases_y.size):
        above = top * images.stride_y + phases_y[y] - images.padding_y
        for z in range(phases_x.size):
            first = left * stride_x + phases_x[z] - images.padding_x
            low = min(pitch, max(0, (stride_x - 1 - first) // stride_x))
            high = max(low, min(pitch, (images.in_width - 1 - first) // stride_x + 1))
            for i in range(images.channels):
                cell = ((i * phases_y.size + y) * phases_x.size + z) * plane
                of = p + i * strides.channel + first * strides.column
                for r in range(images.seen_rows):
                    row = above + r * images.stride_y
                    if not 0 <= row < images.in_height:
                        if not has_padding:
                            copy_row(x, p, 1, 0, 0, to, cell, pitch)
                    elif has_padding:
                        copy_cells(x, of + row * strides.row, step, low, high, to, cell)
                    else:
                        copy_row(x, of + row * strides.row, step, low, high, to, cell, pitch)
                    cell += pitch


@register_jitable
def multiply_block(m, k, weight, a, block, offsets, product, width):
    """Compute product = weight @ patches, in parts of k.

    Args:
        a: where the packed weight of the group begins.
        offsets: (k,) where the patches of each row begin in the block.
        product: (m rounded up to full tiles, width) of a multiple of the tile's columns.
    """
    height, one, columns = -(-m // ROWS) * ROWS, block.dtype.type(1), columns_of(block)
    for t in range(0, k, PART):
        steps = min(PART, k - t)
        rows_of_b, beta = offsets[t : t + steps], one if t else block.dtype.type(0)
        for j in range(0, width, columns):
            for i in range(0, m, ROWS):
                rows, first = height_of(min(ROWS, m - i)), a + t * height + i * steps
                multiply_tile(rows, weight, first, block, j, rows_of_b, product, i * width + j, width, steps, one, beta)


@register_jitable
def store_block(product, first, width, pitch, images, height, columns, out, o, bias, r):
    """Write the columns of the product that are pixels of the output into `out`, and add the bias.

    Args:
        first, pitch: the column of the first pixel, and columns from a row of the image to the next.
        images: an `Images`.
    """
    m, bias_c = images.m, images.bias_stride
    out_c, out_y, out_x = images.out.channel, images.out.row, images.out.column
    if out_c != 1:
        for i in range(m):
            more = bias[r + i * bias_c] if r >= 0 else out.dtype.type(0)
            for h in range(height):
                to, of = o + i * out_c + h * out_y, first + i * width + h * pitch
                if out_x == 1:
                    for v in range(columns):
                        out[np.uintp(to + v)] = product[np.uintp(of + v)] + more
                else:
                    for v in range(columns):
                        out[np.uintp(to + v * out_x)] = product[np.uintp(of + v)] + more
    else:
        for h in range(height):
            for v in range(columns):
                to, of = o + h * out_y + v * out_x, first + h * pitch + v
                for i in range(m):
                    more = bias[r + i * bias_c] if r >= 0 else out.dtype.type(0)
                    out[np.uintp(to + i)] = product[np.uintp(of + i * width)] + more


def convolve(begin, end, out, o, x, p, weight, bias, r, images, patches):
    """Compute blocks `begin` to `end` of the output, numbered over images, groups, rows and columns.

    Args:
        weight: what `pack_weight` filled.
        r: index of the first bias, or NO_BIAS.
        images, patches: see `Plan`.
    """
    groups, m, k, channels = images.groups, images.m, images.k, images.channels
    height, columns, block_rows, block_columns = (
        images.out_height, images.out_width, images.block_height, images.block_width)  # fmt: skip
    out_strides, in_strides, offsets = images.out, images.input, patches.offsets
    width = -(-block_rows * images.pitch // columns_of(out)) * columns_of(out)
    block = aligned(images.seen + width, out)
    product = aligned(-(-m // ROWS) * ROWS * width, out)
    down, along = -(-height // block_rows), -(-columns // block_columns)
    is_whole = down == 1 and along == 1  # then the zeros of all blocks are at the same places
    if is_whole:
        block[:] = 0
    for index in range(begin, end):
        left, top = index % along * block_columns, index // along % down * block_rows
        group, n = index // along // down % groups, index // along // down // groups
        of = p + n * in_strides.image + group * channels * in_strides.channel
        copy_block(x, of, images, patches, top, left, block, is_whole)
        multiply_block(m, k, weight, group * k * (-(-m // ROWS) * ROWS), block, offsets, product, width)
        to = o + n * out_strides.image + group * m * out_strides.channel
        to += top * out_strides.row + left * out_strides.column
        store_block(
            product, 0, width, images.pitch, images, min(block_rows, height - top), min(block_columns, columns - left),
            out, to, bias, r + group * m * images.bias_stride if r >= 0 else r,
        )  # fmt: skip


@register_jitable
def gather(block, offsets, images, to, first, row):
    """Gather the patches of an image from a block into rows of `to`, which begin at `first` and are `row` cells apart.

    A copy may write into the pixels of the next image, which follow, and beyond the last one.
    """
    width, pitch = images.out_width, images.pitch
    for t in range(offsets.size):
        of, cell = offsets[t], first + t * row
        for h in range(images.out_height):
            for v in range(0, width, LANES):
                storeu(to, cell + h * width + v, loadu(block, of + h * pitch + v, LANES))


def convolve_stacked(begin, end, out, o, x, p, weight, bias, r, images, patches):
    """Compute blocks of whole images from gathered patches, numbered over images and groups; else as in `convolve`."""
    groups, m, k, channels, n, stack = (
        images.groups, images.m, images.k, images.channels, images.batch, images.stack)  # fmt: skip
    height, columns, out_strides, in_strides = images.out_height, images.out_width, images.out, images.input
    pixels, rows = height * columns, patches.gathered
    width = -(-stack * pixels // columns_of(out)) * columns_of(out)
    row = rows[1] - rows[0] if k > 1 else width + LANES
    block, gathered = aligned(images.seen + LANES, out), aligned(k * row, out)
    product = aligned(-(-m // ROWS) * ROWS * width, out)
    block[:] = 0
    for index in range(begin, end):
        group, image = index % groups, index // groups * stack
        count = min(stack, n - image)
        for i in range(count):
            of = p + (image + i) * in_strides.image + group * channels * in_strides.channel
            copy_block(x, of, images, patches, 0, 0, block, True)
            gather(block, patches.offsets, images, gathered, i * pixels, row)
        multiply_block(m, k, weight, group * k * (-(-m // ROWS) * ROWS), gathered, rows, product, width)
        for i in range(count):
            to = o + (image + i) * out_strides.image + group * m * out_strides.channel
            store_block(
                product, i * pixels, width, columns, images, height, columns,
                out, to, bias, r + group * m * images.bias_stride if r >= 0 else r,
            )  # fmt: skip


# ---- kernels of one channel: too few products for a tile


def direct(begin, end, out, o, x, p, w, q, bias, r, images, weight):
    """Compute rows `begin` to `end` of the output, numbered over images, channels and heights, directly from the input.

    Args:
        r: index of the first bias, or NO_BIAS.
        images, weight: see `Plan`.
    """
    height, width, m = images.out_height, images.out_width, images.m
    rows, columns, stride_x, kernel_x = images.in_height, images.in_width, images.stride_x, images.kernel_width
    out_strides, in_strides, w_k, w_g, w_m = images.out, images.input, weight.offsets, weight.group, weight.channel
    x_x, channels = in_strides.column, images.groups * m
    sums = np.empty(width, out.dtype)
    for row in range(begin, end):
        h, c, n = row % height, row // height % channels, row // height // channels
        sums[:] = bias[r + c * images.bias_stride] if r >= 0 else out.dtype.type(0)
        for y in range(images.kernel_height):
            at_y = h * images.stride_y + y * images.dilation_y - images.padding_y
            if 0 <= at_y < rows:
                line = p + n * in_strides.image + c // m * in_strides.channel + at_y * in_strides.row
                for z in range(kernel_x):
                    factor = w[q + c // m * w_g + c % m * w_m + w_k[y * kernel_x + z]]
                    shift = z * images.dilation_x - images.padding_x
                    low = max(0, (stride_x - 1 - shift) // stride_x)
                    high = max(low, min(width, (columns - 1 - shift) // stride_x + 1))
                    step, of, to = stride_x * x_x, line + (low * stride_x + shift) * x_x, sums[low:high]
                    if step == 1:
                        cells = x[of : of + high - low]
                        for v in range(to.size):
                            to[v] += factor * cells[v]
                    else:
                        for v in range(to.size):
                            to[v] += factor * x[np.uintp(of) + np.uintp(v) * np.uintp(step)]
        to = o + n * out_strides.image + c * out_strides.channel + h * out_strides.row
        for v in range(width):
            out[np.uintp(to + v * out_strides.column)] = sums[v]


# ---- how the kernels are called

PACK = Ranged(
    "pack_weight", (float32, float64, int64, int32), lambda kind: pack_weight,
    lambda kind: (NUMBA[kind][::1], NUMBA[kind][::1], INDEX, INDEX, INDEX, type_of(WeightStrides, kind)),
)  # fmt: skip


def ranged(name: str, kinds: tuple[dtype, ...]) -> tuple[Ranged, Ranged, Ranged]:
    """Return three convolution kernels, over blocks, stacked images and rows; PyTorch's errors call them `name`."""

    def blocks(kind: dtype) -> tuple:
        cells = NUMBA[kind][::1]
        return (cells, INDEX, cells, INDEX, cells, cells, INDEX, type_of(Images, kind), type_of(Patches, kind))

    def rows(kind: dtype) -> tuple:
        return (*(NUMBA[kind][::1], INDEX) * 4, type_of(Images, kind), type_of(WeightStrides, kind))

    return (
        Ranged(name, kinds, lambda kind: convolve, blocks),
        Ranged(name, kinds, lambda kind: convolve_stacked, blocks),
        Ranged(name, kinds, lambda kind: direct, rows, fastmath={"contract"}),
    )


FLOATS = float32, float64
DENSE = ranged("slow_conv2d_cpu", (float32, float64, int64, int32))
DILATED = ranged("slow_conv_dilated<>", (float32, float64, int64))


def convolution_kernel(out: Tensor, input: Tensor, weight: Tensor, bias: Tensor | None, params: ConvParams) -> None:
    """Compute a convolution into `out`; all tensors have one dtype, none is empty, and images may have any strides."""
    (c, *sizes), (w_m, *strides) = weight._sizes, weight._strides
    if is_pointwise(input._sizes, input._strides, out._strides, weight._sizes, params) and input._dtype in FLOATS:
        multiply_pixels(out, input, weight, bias)
        return
    m = c // params.groups
    convolve_images(out, input, weight, Weights((m, *sizes), (m * w_m, w_m, *strides), 0), bias, params)


@functools.lru_cache(MEMORY)
def is_pointwise(sizes: Ints, strides: Ints, out_strides: Ints, weight_sizes: Ints, params: ConvParams) -> bool:
    """Return True for a 1 x 1 convolution without stride, padding or groups, if rows of images follow one another."""
    is_plain = params.groups == 1 and set(params.stride) == {1} and set(params.padding) == {0}
    rows_follow = all(of[2] == of[3] * sizes[3] for of in (strides, out_strides))
    return is_plain and weight_sizes[2:] == (1, 1) and weight_sizes[1] > 1 and rows_follow


def multiply_pixels(out: Tensor, input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Compute a 1 x 1 convolution as a matrix product: the weight times the pixels of each image."""
    if bias is not None:
        copy_kernel(out, bias._alias((bias._sizes[0], 1, 1), (bias._strides[0], 0, 0), bias._storage_offset))
    (n, _, height, width), (w_m, w_k, *_) = input._sizes, weight._strides
    pixels = [
        x._alias((n, x._sizes[1], height * width), (*x._strides[:2], x._strides[3]), x._storage_offset)
        for x in (out, input)
    ]
    matrix = weight._alias((n, *weight._sizes[:2]), (0, w_m, w_k), weight._storage_offset)
    multiply_blocks(pixels[0], matrix, pixels[1], 1, 0 if bias is None else 1)


def convolve_images(
    out: Tensor, input: Tensor, weight: Tensor, geometry: Weights, bias: Tensor | None, params: ConvParams
) -> None:
    """Compute a convolution into `out`; `params.padding`, which may be negative, is the padding before the image.

    Args:
        geometry: through which the weight is read.
    """
    plan = plan_of(
        (out._sizes, out._strides), (input._sizes, input._strides), geometry[:2], () if bias is None else bias._strides,
        params,
    )  # fmt: skip
    kind, cells, first = input._dtype, weight._flat(), weight._storage_offset + geometry.first
    in_blocks, in_stacks, in_rows = DILATED if max(params.dilation) > 1 else DENSE
    of_bias = (cells, NO_BIAS) if bias is None else (bias._flat(), bias._storage_offset)
    elements = (out._flat(), out._storage_offset, input._flat(), input._storage_offset)
    images = plan.images
    if plan.is_direct:
        in_rows(kind, plan.count, plan.cost, *elements, cells, first, *of_bias, images, plan.weight)
        return
    by_blocks = in_stacks if images.stack else in_blocks
    by_blocks.compiled[kind]  # refuses a dtype before a weight is packed
    packed = np.empty(plan.packed, kind.numpy)
    m, k = images.m, images.k
    PACK(kind, images.groups, m * k, packed, cells, first, m, k, plan.weight)
    by_blocks(kind, plan.count, plan.cost, *elements, packed, *of_bias, images, plan.patches)


convolution.convolution_stub.register("cpu", convolution_kernel)
