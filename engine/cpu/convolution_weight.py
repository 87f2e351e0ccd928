"""The gradient of a convolution by its weight: a matrix product whose matrix of patches is never made.

The plain loop that it replaces, for every element of the weight:

    grad_weight[c, i, y, z] = sum(
        grad[n, c, h, v] * input[n, first + i, h * stride[0] + y * dilation[0] - padding[0],
                                               v * stride[1] + z * dilation[1] - padding[1]]
        for n, h, v in the images and pixels of grad, where that is inside the image
    )

The rows of the tile are elements of a kernel, its columns channels of the output, and the steps pixels: an element of
a patch is read in the copy of a block of the image, at the sum of the offsets of its i, y, z and of its pixel.
The images are shared out in parts, each with sums of its own, which are added up at the end; where a part would be
too small for that, the channels are shared out. Small images are copied several at a time: a tile has many steps.
Mirrors what PyTorch leaves to oneDNN, and slow_conv2d_backward_weight (aten/src/ATen/native/ConvolutionMM2d.cpp).
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from ..aten.native import convolution
from ..aten.native.convolution_checks import ConvParams
from ..dtypes import float32, float64
from ..tensor_impl import Tensor
from .argument_structs import type_of
from .convolution import copy_cells
from .convolution_plan import FEW, PIXELS, Geometry, ImageStrides, array, merge_rows
from .gemm import aligned, columns_of, pack_panel
from .gemm_tile import (
    BYTES,
    FEWER_ROWS,
    FEWEST_ROWS,
    I64,
    VECTORS,
    Vectors,
    data_of,
    products_of,
    update,
)
from .loops import INDEX, NUMBA
from .ranges import Ranged

SEEN = 2**16  # elements of a block of the image: its patches are read many times
PIECES = 16  # of the work: parts of the images, each with sums of its own, times cuts of the channels
WORK = 2**19  # multiplications that are worth a piece
STEPS = 256  # pixels that are worth sums of their own
ELEMENTS = 64  # of a kernel that are worth a copy of the gradients


class Images(NamedTuple):
    """The sizes and strides of a convolution, as the kernels read them.

    Attributes:
        parts, stack: of the images; images of a block, more than one only if it has all of their rows.
        cuts, cut: of the channels; channels of each, a multiple of a tile's rows if there are several.
        groups: of channels.
        m, k, channels: channels of a group of the output, elements of a kernel, channels of a group of the input.
        in_height, in_width, out_height, out_width: of an image.
        stride_y, stride_x, padding_y, padding_x, dilation_y, dilation_x: of the convolution.
        seen_rows, pitch, seen: rows that a block sees of an image, at most; elements of one of them, and of all of them
            in the channels of a cut.
        block_height, reach: rows of a block of the output, and rows that one of them sees.
        batch, kernel_width: images, and elements of a row of a kernel.
        grad, input: strides.
    """

    parts: int
    stack: int
    cuts: int
    cut: int
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
    out_height: int
    out_width: int
    seen_rows: int
    pitch: int
    seen: int
    block_height: int
    reach: int
    batch: int
    kernel_width: int
    dilation_y: int
    dilation_x: int
    grad: ImageStrides
    input: ImageStrides


# ---- the tile


def make_patch_tile(rows: int, part: int) -> Callable[..., None]:
    """Build tile(x, offsets, f, pixels, g, step, c, o, c_m, count), which adds, for i < rows, j < columns, t < count:

    c[o + i * c_m + j] += sum(x[offsets[f + i] + pixels[t]] * g[t * step + j] for t)

    Args:
        part: 2 for vectors, and so for columns, of half the length.
    """

    def tile(typingctx, x, offsets, f, pixels, g, step, c, o, c_m, count):
        def build(context, builder, signature, args):
            of_x, of_offsets, of_pixels, of_g, of_c = (signature.args[i] for i in (0, 1, 3, 4, 6))
            x, offsets, f, pixels, g, step, c, o, c_m, count = args
            number = context.get_data_type(of_x.dtype)
            vectors = Vectors(builder, number, BYTES * 8 // of_x.dtype.bitwidth // part)
            x, g = data_of(context, builder, of_x, x, I64(0)), data_of(context, builder, of_g, g, I64(0))
            pixels = data_of(context, builder, of_pixels, pixels, I64(0))
            offsets, c = data_of(context, builder, of_offsets, offsets, f), data_of(context, builder, of_c, c, o)
            patches = [builder.gep(x, [builder.load(builder.gep(offsets, [I64(i)]))]) for i in range(rows)]

            def column(t: ir.Value) -> list[ir.Value]:
                fence(builder)
                pixel = builder.load(builder.gep(pixels, [t]))
                return [builder.gep(patch, [pixel]) for patch in patches]

            sums = products_of(vectors, rows, column, g, lambda t: builder.mul(t, step), count)
            one = ir.Constant(number, 1)
            update(vectors, rows, sums, c, c_m, one, one)
            return context.get_dummy_value()

        return types.void(x, offsets, f, pixels, g, step, c, o, c_m, count), build

    tile.__name__ = tile.__qualname__ = f"patch_tile_of_{rows}_rows_{part}"
    return intrinsic(tile)


def fence(builder: ir.IRBuilder) -> None:
    """Keep LLVM from hoisting loads of the next step above this point: no registers are left for them."""
    builder.asm(ir.FunctionType(ir.VoidType(), ()), "", "~{memory}", (), side_effect=True)


fewer_tile, fewest_tile = make_patch_tile(FEWER_ROWS, 1), make_patch_tile(FEWEST_ROWS, 1)
fewer_half_tile, fewest_half_tile = make_patch_tile(FEWER_ROWS, 2), make_patch_tile(FEWEST_ROWS, 2)


@register_jitable
def multiply_patches(k, block, offsets, pixels, count, grad, columns, sums, o, step):
    """Add the product of the block's patches and `grad` to `sums`, for the channels of one tile or of half a tile."""
    is_half = columns < columns_of(block)
    for i in range(0, k, FEWER_ROWS):
        is_few, to = k - i <= FEWEST_ROWS, o + i * step
        if is_half and is_few:
            fewest_half_tile(block, offsets, i, pixels, grad, columns, sums, to, step, count)
        elif is_half:
            fewer_half_tile(block, offsets, i, pixels, grad, columns, sums, to, step, count)
        elif is_few:
            fewest_tile(block, offsets, i, pixels, grad, columns, sums, to, step, count)
        else:
            fewer_tile(block, offsets, i, pixels, grad, columns, sums, to, step, count)


# ---- a block of the image, and of the gradient


@register_jitable
def copy_padded(x, p, images, channels, top, seen_rows, to, first):
    """Copy `seen_rows` rows of `channels` channels of the image, from `top` on, into the block, from cell `first` on.

    The padding at both ends of a row is there already; whole rows of it are not, if there are several blocks.
    """
    strides = images.input
    width = min(images.pitch - images.padding_x, images.in_width)
    for i in range(channels):
        for r in range(seen_rows):
            row, cell = top + r, first + (i * images.seen_rows + r) * images.pitch + images.padding_x
            if 0 <= row < images.in_height:
                copy_cells(x, p + i * strides.channel + row * strides.row, strides.column, 0, width, to, cell)
            else:
                for u in range(width):
                    to[np.uintp(cell + u)] = 0


@register_jitable
def pack_grad(g, q, images, channels, columns, height, to, first):
    """Pack the gradient into `to` from cell `first` on, with `columns` channels of each pixel together."""
    width = images.out_width
    g_c, g_y, g_x = images.grad.channel, images.grad.row, images.grad.column
    is_run = g_y == width * g_x
    pixels = height * width if is_run else width
    for h in range(1 if is_run else height):
        of, cell = q + h * g_y, first + h * width * columns
        if columns == columns_of(to):  # numbers that numba knows
            pack_panel(columns_of(to), g, of, g_c, g_x, channels, pixels, to, cell)
        else:
            pack_panel(columns_of(to) // 2, g, of, g_c, g_x, channels, pixels, to, cell)


@register_jitable
def padded_sizes(images, like):
    """Return (m rounded up to half tiles, k rounded up to full tiles): the length and the number of rows of `sums`."""
    columns = columns_of(like) // 2
    return -(-images.m // columns) * columns, -(-images.k // FEWER_ROWS) * FEWER_ROWS


def add_products(begin, end, sums, g, q, x, p, images, offsets, pixels):
    """Compute the products of pieces `begin` to `end`, numbered over parts of the images, groups and channel cuts.

    Args:
        sums: (parts, groups, k rounded up to full tiles, m to half tiles' columns).
        images, offsets, pixels: see `Plan`.
    """
    groups, m, channels, n, stack = images.groups, images.m, images.channels, images.batch, images.stack
    height, width, block_rows, stride_y = images.out_height, images.out_width, images.block_height, images.stride_y
    grad_strides, in_strides, elements = images.grad, images.input, images.k // channels
    columns = columns_of(sums)
    step, padded_k = padded_sizes(images, sums)
    block = aligned(stack * images.seen, sums)
    grad = aligned(stack * block_rows * width * columns, sums)
    block[:] = 0
    down = -(-height // block_rows)
    blocks = -(-n // stack) * down
    for index in range(begin, end):
        cut, group, part = index % images.cuts, index // images.cuts % groups, index // images.cuts // groups
        first, few = cut * images.cut, min(images.cut, channels - cut * images.cut)
        k = few * elements
        o = ((part * groups + group) * padded_k + first * elements) * step
        sums[o : o + -(-k // FEWER_ROWS) * FEWER_ROWS * step] = 0
        for b in range(part * blocks // images.parts, (part + 1) * blocks // images.parts):
            top, image = b % down * block_rows, b // down * stack
            rows, count = min(block_rows, height - top), min(stack, n - image)
            of, seen = p + (group * channels + first) * in_strides.channel, (rows - 1) * stride_y + images.reach
            for i in range(count):
                at = of + (image + i) * in_strides.image
                copy_padded(x, at, images, few, top * stride_y - images.padding_y, seen, block, i * images.seen)
            for j in range(0, m, columns):
                wide = columns if m - j > columns // 2 else columns // 2
                of = q + (group * m + j) * grad_strides.channel + top * grad_strides.row
                for i in range(count):
                    at, to = of + (image + i) * grad_strides.image, i * rows * width * wide
                    pack_grad(g, at, images, min(wide, m - j), wide, rows, grad, to)
                multiply_patches(k, block, offsets, pixels, count * rows * width, grad, wide, sums, o + j, step)


def add_parts(begin, end, out, o, out_m, w_k, sums, images):
    """Write kernel elements `begin` to `end`, numbered over groups, for all output channels, as the sums over parts."""
    groups, m, k = images.groups, images.m, images.k
    step, padded_k = padded_sizes(images, sums)
    for index in range(begin, end):
        group, s = index // k, index % k
        for c in range(m):
            total = sums[(group * padded_k + s) * step + c]
            for part in range(1, images.parts):
                total += sums[((part * groups + group) * padded_k + s) * step + c]
            out[o + (group * m + c) * out_m + w_k[s]] = total


# ---- kernels of one channel: too few products for a tile


def direct(begin, end, out, o, out_m, w_k, g, q, x, p, images):
    """Compute elements `begin` to `end` of the gradient, numbered over channels and a kernel's elements, row by row."""
    m, stride_x, kernel_x = images.m, images.stride_x, images.kernel_width
    grad_strides, in_strides = images.grad, images.input
    g_x, x_x = grad_strides.column, in_strides.column
    for index in range(begin, end):
        c, element = index // w_k.size, index % w_k.size
        y, z = element // kernel_x, element % kernel_x
        shift, total = z * images.dilation_x - images.padding_x, out.dtype.type(0)
        low = max(0, (stride_x - 1 - shift) // stride_x)
        high = max(low, min(images.out_width, (images.in_width - 1 - shift) // stride_x + 1))
        for image in range(images.batch):
            for h in range(images.out_height):
                row = h * images.stride_y + y * images.dilation_y - images.padding_y
                if 0 <= row < images.in_height:
                    of_g = q + image * grad_strides.image + c * grad_strides.channel + h * grad_strides.row + low * g_x
                    of_x = p + image * in_strides.image + c // m * in_strides.channel + row * in_strides.row
                    of_x += (low * stride_x + shift) * x_x
                    part = out.dtype.type(0)
                    for v in range(high - low):
                        part += g[np.uintp(of_g + v * g_x)] * x[np.uintp(of_x + v * stride_x * x_x)]
                    total += part
        out[o + c * out_m + w_k[element]] = total


# ---- how the kernels are called


class Plan(NamedTuple):
    """The arguments of the kernels that compute the gradient of a weight.

    Attributes:
        images: a record.
        offsets: (k rounded up to full tiles,) where the patches of each element of a kernel begin in a block.
        pixels: (pixels of a block, of all its images,) offset of the patch of each, from the first patch.
        w_k: (k,) offset of each element of a kernel, from its first one.
        sums: elements of the sums of all parts.
        cost: of a piece, in elements of a simple operation.
    """

    images: Images
    offsets: np.ndarray
    pixels: np.ndarray
    w_k: np.ndarray
    sums: int
    is_direct: bool
    cost: int


@functools.lru_cache(maxsize=1024)
def plan_of(w: Geometry, g: Geometry, x: Geometry, params: ConvParams, itemsize: int) -> Plan:
    """Return the plan of a weight gradient, whose geometry `w` has sizes (c_out, c_in / groups, kh, kw)."""
    g, x = merge_rows(g, x, w[0][2:], params)
    (c, channels, *kernel), (n, _, height, width) = w[0], g[0]
    m, k, groups, (stride_y, stride_x) = c // params.groups, math.prod(w[0][1:]), params.groups, params.stride
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, params.dilation, strict=True)]
    pitch = (width - 1) * stride_x + reach[1]
    fitting = min(PIXELS // width, (SEEN // (channels * pitch) - reach[0]) // stride_y + 1)
    rows = -(-height // -(-height // max(1, min(height, fitting))))
    seen_rows = (rows - 1) * stride_y + reach[0]
    columns = VECTORS * BYTES // itemsize // 2
    step, padded_k = -(-m // columns) * columns, -(-k // FEWER_ROWS) * FEWER_ROWS
    work, down = n * height * width * step * padded_k, -(-height // rows)
    pieces = max(1, min(PIECES, work // WORK))
    parts = max(1, min(pieces, n * down, n * height * width // STEPS))
    cut = cut_of(channels, k // channels, -(-pieces // parts))
    seen = cut * seen_rows * pitch
    stack = max(1, min(-(-n // parts), PIXELS // (height * width), SEEN // seen)) if down == 1 else 1
    images = Images(
        parts=parts, stack=stack, cuts=-(-channels // cut), cut=cut, seen=seen, groups=groups,
        m=m, k=k, channels=channels, batch=n,
        in_height=x[0][2], in_width=x[0][3], out_height=height, out_width=width,
        stride_y=stride_y, stride_x=stride_x, padding_y=params.padding[0], padding_x=params.padding[1],
        dilation_y=params.dilation[0], dilation_x=params.dilation[1], kernel_width=kernel[1],
        block_height=rows, reach=reach[0], seen_rows=seen_rows, pitch=pitch,
        grad=ImageStrides(*g[1]), input=ImageStrides(*x[1]),
    )  # fmt: skip
    offsets = [
        (i * seen_rows + y * params.dilation[0]) * pitch + z * params.dilation[1] for i, y, z in np.ndindex(*w[0][1:])
    ]
    return Plan(
        images,
        array(offsets + [0] * (padded_k - k)),
        array([i * seen + h * stride_y * pitch + v * stride_x for i, h, v in np.ndindex(stack, rows, width)]),
        array([i * w[1][1] + y * w[1][2] + z * w[1][3] for i, y, z in np.ndindex(*w[0][1:])]),
        parts * groups * padded_k * step,
        channels == 1 and m <= FEW,
        n * height * width if channels == 1 and m <= FEW else work // parts // images.cuts // 8,
    )


def cut_of(channels: int, elements: int, cuts: int) -> int:
    """Return the number of channels per cut that fills tiles and makes at most `cuts` cuts.

    Args:
        elements: of a kernel, in a channel.
    """
    least = max(FEWER_ROWS, -(-ELEMENTS // elements))
    cut = -(-max(least, -(-channels // cuts)) // FEWER_ROWS) * FEWER_ROWS
    return min(cut, channels)


FLOATS, OFFSETS = (float32, float64), types.int64[::1]


ADD_PRODUCTS = Ranged(
    "slow_conv2d_cpu_grad_input", FLOATS, lambda kind: add_products,
    lambda kind: (NUMBA[kind][::1], *(NUMBA[kind][::1], INDEX) * 2, type_of(Images, kind), OFFSETS, OFFSETS),
)  # fmt: skip
ADD_PARTS = Ranged(
    "slow_conv2d_cpu_grad_input", FLOATS, lambda kind: add_parts,
    lambda kind: (NUMBA[kind][::1], INDEX, INDEX, OFFSETS, NUMBA[kind][::1], type_of(Images, kind)),
)  # fmt: skip
DIRECT = Ranged(
    "slow_conv2d_cpu_grad_input", FLOATS, lambda kind: direct,
    lambda kind: (NUMBA[kind][::1], INDEX, INDEX, OFFSETS, *(NUMBA[kind][::1], INDEX) * 2, type_of(Images, kind)),
    fastmath={"contract", "reassoc", "nsz"},
)  # fmt: skip


def weight_kernel(grad_weight: Tensor, grad: Tensor, input: Tensor, params: ConvParams) -> None:
    """Compute a weight's gradient into `grad_weight`; all tensors have one dtype and any strides, and none is empty."""
    geometries = [(t._sizes, t._strides) for t in (grad_weight, grad, input)]
    plan = plan_of(*geometries, params, grad._dtype.itemsize)
    kind, images = grad._dtype, plan.images
    groups, m, k = images.groups, images.m, images.k
    to = (grad_weight._flat(), grad_weight._storage_offset, grad_weight._strides[0], plan.w_k)
    elements = (grad._flat(), grad._storage_offset, input._flat(), input._storage_offset)
    if plan.is_direct:
        DIRECT(kind, groups * m * k, plan.cost, *to, *elements, images)
        return
    ADD_PRODUCTS.compiled[kind]  # refuses a dtype before there are sums
    sums = np.empty(plan.sums, kind.numpy)
    ADD_PRODUCTS(
        kind, images.parts * groups * images.cuts, plan.cost, sums, *elements, images, plan.offsets, plan.pixels
    )
    ADD_PARTS(kind, groups * k, images.parts * m, *to, sums, images)


convolution.convolution_weight_stub.register("cpu", weight_kernel)
