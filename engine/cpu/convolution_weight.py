"""The gradient of a convolution by its weight: a matrix product whose matrix of patches is never made.

The plain loop that it replaces, for every element of the weight:

    grad_weight[c, i, y, z] = sum(
        grad[n, c, h, v] * input[n, first + i, h * stride[0] + y * dilation[0] - padding[0],
                                               v * stride[1] + z * dilation[1] - padding[1]]
        for n, h, v in the images and pixels of grad, where that is inside the image
    )

The rows of the tile are elements of a kernel, its columns channels of the output, and the steps pixels: an element of
a patch is read in the copy of a block of the image, at the sum of the offsets of its i, y, z and of its pixel.
The images are shared out in parts, each with sums of its own, which are added up at the end.
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
from ..dtypes import dtype, float32, float64
from ..tensor_impl import Tensor
from .convolution import NUMBERS, copy_cells
from .convolution_plan import FEW, PIXELS, Geometry, array
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
PARTS = 16  # of the images, each with sums of its own
WORK = 2**19  # multiplications that are worth a part

# ---- the tile


def make_patch_tile(rows: int) -> Callable[..., None]:
    """tile(x, p, offsets, f, pixels, g, q, step, c, o, c_m, count): for i < rows, j < columns, t < count:

    c[o + i * c_m + j] += sum(x[p + offsets[f + i] + pixels[t]] * g[q + t * step + j] for t)
    """

    def tile(typingctx, x, p, offsets, f, pixels, g, q, step, c, o, c_m, count):
        def build(context, builder, signature, args):
            kinds, (c_m, count) = signature.args, args[10:]
            number = context.get_data_type(kinds[0].dtype)
            vectors = Vectors(builder, number, BYTES * 8 // kinds[0].dtype.bitwidth)
            x, offsets, g, c = (data_of(context, builder, kinds[i], args[i], args[i + 1]) for i in (0, 2, 5, 8))
            pixels = data_of(context, builder, kinds[4], args[4], I64(0))
            patches = [builder.gep(x, [builder.load(builder.gep(offsets, [I64(i)]))]) for i in range(rows)]

            def column(t: ir.Value) -> list[ir.Value]:
                fence(builder)
                pixel = builder.load(builder.gep(pixels, [t]))
                return [builder.gep(patch, [pixel]) for patch in patches]

            sums = products_of(vectors, rows, column, g, lambda t: builder.mul(t, args[7]), count)
            one = ir.Constant(number, 1)
            update(vectors, rows, sums, c, c_m, one, one)
            return context.get_dummy_value()

        return types.void(x, p, offsets, f, pixels, g, q, step, c, o, c_m, count), build

    tile.__name__ = tile.__qualname__ = f"patch_tile_of_{rows}_rows"
    return intrinsic(tile)


def fence(builder: ir.IRBuilder) -> None:
    """Keep LLVM from loading what belongs to the next step: there are no registers left for it."""
    builder.asm(ir.FunctionType(ir.VoidType(), ()), "", "~{memory}", (), side_effect=True)


fewer_tile, fewest_tile = make_patch_tile(FEWER_ROWS), make_patch_tile(FEWEST_ROWS)


@register_jitable
def multiply_patches(k, block, offsets, pixels, count, grad, sums, o, step):
    """sums += patches of the block @ grad, for one tile's columns of channels."""
    columns = columns_of(block)
    for i in range(0, k, FEWER_ROWS):
        if k - i > FEWEST_ROWS:
            fewer_tile(block, 0, offsets, i, pixels, grad, 0, columns, sums, o + i * step, step, count)
        else:
            fewest_tile(block, 0, offsets, i, pixels, grad, 0, columns, sums, o + i * step, step, count)


# ---- a block of the image, and of the gradient


@register_jitable
def copy_padded(x, p, x_c, x_y, x_x, numbers, top, deep, to):
    """Copy `deep` rows of the image from `top` on, of the channels of a group, between the padding.

    The padding at both ends of a row is there already; whole rows of it are not, if there are several blocks.
    """
    channels, rows, columns, pad_x, most, pitch = (
        numbers[4], numbers[5], numbers[6], numbers[10], numbers[13], numbers[14])  # fmt: skip
    width = min(pitch - pad_x, columns)
    for i in range(channels):
        for r in range(deep):
            row, cell = top + r, (i * most + r) * pitch + pad_x
            if 0 <= row < rows:
                copy_cells(x, p + i * x_c + row * x_y, x_x, 0, width, to, cell)
            else:
                for u in range(width):
                    to[np.uintp(cell + u)] = 0


@register_jitable
def pack_grad(g, q, g_c, g_y, g_x, channels, height, width, to):
    """A tile's columns of channels of each pixel together."""
    columns = columns_of(to)
    if g_y == width * g_x:
        pack_panel(columns_of(to), g, q, g_c, g_x, channels, height * width, to, 0)
    else:
        for h in range(height):
            pack_panel(columns_of(to), g, q + h * g_y, g_c, g_x, channels, width, to, h * width * columns)


def add_products(begin, end, sums, g, q, x, p, numbers, strides, offsets, pixels):
    """The products of parts `begin` to `end`, counted through parts of the images and groups.

    Args:
        sums: (parts, groups, k rounded up to full tiles, m to full vectors).
        numbers, strides, offsets, pixels: see `Plan`.
    """
    parts, groups, m, k = numbers[0:4]
    channels, n, height, width, block_rows, most, pitch = (
        numbers[4], numbers[17], numbers[11], numbers[12], numbers[15], numbers[13], numbers[14])  # fmt: skip
    stride_y, pad_y, reach = numbers[7], numbers[9], numbers[16]
    g_n, g_c, g_y, g_x, x_n, x_c, x_y, x_x = strides
    columns = columns_of(sums)
    step, tall = -(-m // columns) * columns, -(-k // FEWER_ROWS) * FEWER_ROWS
    block, grad = aligned(channels * most * pitch, sums), aligned(block_rows * width * columns, sums)
    block[:] = 0
    down = -(-height // block_rows)
    for index in range(begin, end):
        group, part, o = index % groups, index // groups, index * tall * step
        sums[o : o + tall * step] = 0
        for b in range(part * n * down // parts, (part + 1) * n * down // parts):
            top, image = b % down * block_rows, b // down
            rows = min(block_rows, height - top)
            of = p + image * x_n + group * channels * x_c
            copy_padded(x, of, x_c, x_y, x_x, numbers, top * stride_y - pad_y, (rows - 1) * stride_y + reach, block)
            for j in range(0, m, columns):
                at = q + image * g_n + (group * m + j) * g_c + top * g_y
                pack_grad(g, at, g_c, g_y, g_x, min(columns, m - j), rows, width, grad)
                multiply_patches(k, block, offsets, pixels, rows * width, grad, sums, o + j, step)


def add_parts(begin, end, out, o, out_m, w_k, sums, parts, groups, m, k, step, tall):
    """Elements `begin` to `end` of the kernels of all groups: the sums over the parts, of all channels."""
    for index in range(begin, end):
        group, s = index // k, index % k
        for c in range(m):
            total = sums[(group * tall + s) * step + c]
            for part in range(1, parts):
                total += sums[((part * groups + group) * tall + s) * step + c]
            out[o + (group * m + c) * out_m + w_k[s]] = total


# ---- kernels of one channel: too few products for a tile


def direct(begin, end, out, o, out_m, w_k, g, q, x, p, numbers, strides):
    """Elements `begin` to `end` of the weight, counted through channels and a kernel: sums of products of rows."""
    m, (rows, columns, stride_y, stride_x, pad_y, pad_x, height, width) = numbers[2], numbers[5:13]
    n, kernel_x, spread_y, spread_x = numbers[17], numbers[18], numbers[19], numbers[20]
    g_n, g_c, g_y, g_x, x_n, x_c, x_y, x_x = strides
    for index in range(begin, end):
        c, element = index // w_k.size, index % w_k.size
        y, z = element // kernel_x, element % kernel_x
        shift, total = z * spread_x - pad_x, out.dtype.type(0)
        low = max(0, (stride_x - 1 - shift) // stride_x)
        high = max(low, min(width, (columns - 1 - shift) // stride_x + 1))
        for image in range(n):
            for h in range(height):
                row = h * stride_y + y * spread_y - pad_y
                if 0 <= row < rows:
                    of_g = q + image * g_n + c * g_c + h * g_y + low * g_x
                    of_x = p + image * x_n + c // m * x_c + row * x_y + (low * stride_x + shift) * x_x
                    part = out.dtype.type(0)
                    for v in range(high - low):
                        part += g[np.uintp(of_g + v * g_x)] * x[np.uintp(of_x + v * stride_x * x_x)]
                    total += part
        out[o + c * out_m + w_k[element]] = total


# ---- how the kernels are called


class Plan(NamedTuple):
    """The kernels' arguments, in int64 arrays.

    Attributes:
        numbers: parts; groups; channels of a group of the output, elements of a kernel, channels of a group of the
            input; height and width of the input; stride and padding of height and width; height and width of the
            output; rows that a block sees at most, and elements of one; rows of a block of the output; rows that one
            of them sees; images; width of a kernel, its dilation.
        strides: of the gradient (n, c, h, w), of the input (n, c, h, w).
        offsets: (k rounded up to full tiles,) where the patches of each element of a kernel begin in a block.
        pixels: (pixels of a block,) offset of the patch of each, from the first patch.
        w_k: (k,) offset of each element of a kernel, from its first one.
        shape: parts, groups, m, k; m and k rounded up.
        cost: of a part, in elements of a simple operation.
    """

    numbers: np.ndarray
    strides: np.ndarray
    offsets: np.ndarray
    pixels: np.ndarray
    w_k: np.ndarray
    shape: tuple[int, ...]
    is_direct: bool
    cost: int


@functools.lru_cache(maxsize=1024)
def plan_of(w: Geometry, g: Geometry, x: Geometry, params: ConvParams, itemsize: int) -> Plan:
    """The plan for geometries; `w` of the weight's gradient (c_out, c_in / groups, kh, kw)."""
    (c, channels, *kernel), (n, _, height, width) = w[0], g[0]
    m, k, groups, (stride_y, stride_x) = c // params.groups, math.prod(w[0][1:]), params.groups, params.stride
    reach = [(size - 1) * spread + 1 for size, spread in zip(kernel, params.dilation, strict=True)]
    pitch = (width - 1) * stride_x + reach[1]
    fitting = min(PIXELS // width, (SEEN // (channels * pitch) - reach[0]) // stride_y + 1)
    rows = -(-height // -(-height // max(1, min(height, fitting))))
    deep = (rows - 1) * stride_y + reach[0]
    columns = VECTORS * BYTES // itemsize
    step, tall = -(-m // columns) * columns, -(-k // FEWER_ROWS) * FEWER_ROWS
    work = n * height * width * step * tall
    parts = max(1, min(PARTS, work // WORK, n * -(-height // rows)))
    numbers = (
        parts, groups, m, k, channels, *x[0][2:], *params.stride, *params.padding, height, width, deep, pitch, rows,
        reach[0], n, kernel[1], *params.dilation,
    )  # fmt: skip
    offsets = [
        (i * deep + y * params.dilation[0]) * pitch + z * params.dilation[1] for i, y, z in np.ndindex(*w[0][1:])
    ]
    return Plan(
        array(numbers),
        array((*g[1], *x[1])),
        array(offsets + [0] * (tall - k)),
        array([h * stride_y * pitch + v * stride_x for h in range(rows) for v in range(width)]),
        array([i * w[1][1] + y * w[1][2] + z * w[1][3] for i, y, z in np.ndindex(*w[0][1:])]),
        (parts, groups, m, k, step, tall),
        channels == 1 and m <= FEW,
        n * height * width if channels == 1 and m <= FEW else work // parts // 8,
    )


FLOATS = (float32, float64)


def signature(arrays: int, *rest: object) -> Callable[[dtype], tuple]:
    """numba's types: so many arrays with the cell of their first element, then the rest."""
    return lambda kind: (*(NUMBA[kind][::1], INDEX) * arrays, *rest)


ADD_PRODUCTS = Ranged(
    "slow_conv2d_cpu_grad_input", FLOATS, lambda kind: add_products,
    lambda kind: (NUMBA[kind][::1], *(NUMBA[kind][::1], INDEX) * 2, *(NUMBERS,) * 4),
)  # fmt: skip
ADD_PARTS = Ranged(
    "slow_conv2d_cpu_grad_input", FLOATS, lambda kind: add_parts,
    lambda kind: (NUMBA[kind][::1], INDEX, INDEX, NUMBERS, NUMBA[kind][::1], *(INDEX,) * 6),
)  # fmt: skip
DIRECT = Ranged(
    "slow_conv2d_cpu_grad_input", FLOATS, lambda kind: direct,
    lambda kind: (NUMBA[kind][::1], INDEX, INDEX, NUMBERS, *(NUMBA[kind][::1], INDEX) * 2, NUMBERS, NUMBERS),
    fastmath={"contract", "reassoc", "nsz"},
)  # fmt: skip


def weight_kernel(grad_weight: Tensor, grad: Tensor, input: Tensor, params: ConvParams) -> None:
    """Images in any strides, all of one dtype, none of them empty."""
    geometries = [(t._sizes, t._strides) for t in (grad_weight, grad, input)]
    plan = plan_of(*geometries, params, grad._dtype.itemsize)
    kind, (parts, groups, m, k, step, tall) = grad._dtype, plan.shape
    to = (grad_weight._flat(), grad_weight._storage_offset, grad_weight._strides[0], plan.w_k)
    images = (grad._flat(), grad._storage_offset, input._flat(), input._storage_offset)
    if plan.is_direct:
        DIRECT(kind, groups * m * k, plan.cost, *to, *images, plan.numbers, plan.strides)
        return
    ADD_PRODUCTS.compiled[kind]  # refuses a dtype before there are sums
    sums = np.empty(parts * groups * tall * step, kind.numpy)
    ADD_PRODUCTS(kind, parts * groups, plan.cost, sums, *images, *plan[:4])
    ADD_PARTS(kind, groups * k, parts * m, *to, sums, parts, groups, m, k, step, tall)


convolution.convolution_weight_stub.register("cpu", weight_kernel)
