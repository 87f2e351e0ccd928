"""Convolution of images through products of matrices: patches become columns, which the weight multiplies.

Of each image and group, with k = c_in / groups * kh * kw and L places of the kernel:

    plain:       out (c_out / groups, L) = weight (c_out / groups, k) @ im2col(input) (k, L)
    transposed:  out = col2im(weight.T (c_out / groups * kh * kw, c_in / groups) @ input (c_in / groups, L))
    weight:      grad_weight (c_out / groups, k) = grad (c_out / groups, L) @ im2col(input).T (L, k), over all images

The columns are kh * kw times as large as the images: only as many images at a time as there is room for.
Mirrors aten/src/ATen/native/cuda/{ConvolutionMM2d,NaiveConvolutionTranspose2d}.cu.
"""

from collections.abc import Iterator

from ..aten.at import at
from ..aten.empty_tensor import contiguous_strides, new_tensor
from ..aten.native import convolution
from ..aten.native.convolution_checks import ConvParams
from ..aten.native.copy import copy_stub
from ..aten.native.im2col import Patches
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dtypes import dtype, float32, float64, int32, int64
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import is_simulated
from .im2col import add, gather
from .matmul import product_of_any

DENSE, DILATED, FLOATS = (float32, float64, int64, int32), (float32, float64, int64), (float32, float64)
ROOM = 2**10 if is_simulated() else 2**26
"""Elements of columns at a time: 256 MiB of float32."""


def check(name: str, kind: dtype, kinds: tuple[dtype, ...]) -> None:
    """Raise NotImplementedError for a dtype that has no kernel."""
    if kind not in kinds:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")


# ---- views


def some(x: Tensor, first: int, count: int) -> Tensor:
    """Return a view of `count` images from image `first` on."""
    return x._alias((count, *x._sizes[1:]), x._strides, x._storage_offset + first * x._strides[0])


def one(x: Tensor, dim: int, which: int) -> Tensor:
    """Return a view of index `which` of dimension `dim`, which is 0 or 1, with that dimension removed."""
    rest = [d for d in range(len(x._sizes)) if d != dim]
    sizes, strides = tuple(x._sizes[d] for d in rest), tuple(x._strides[d] for d in rest)
    return x._alias(sizes, strides, x._storage_offset + which * x._strides[dim])


def flat_planes(x: Tensor) -> Tensor:
    """Return the images with each plane viewable as one strided dimension; copy them if they are not so already."""
    return x if x._strides[2] == x._sizes[3] * x._strides[3] else at.contiguous(x)


def by_groups(x: Tensor, groups: int) -> Tensor:
    """Return images (n, c, h, w) with flat planes as matrices (n, groups, c / groups, h * w)."""
    (n, c, h, w), (x_n, x_c, _, x_x) = x._sizes, x._strides
    return x._alias((n, groups, c // groups, h * w), (x_n, c // groups * x_c, x_c, x_x), x._storage_offset)


def matrices(x: Tensor, sizes: Ints, strides: Ints) -> Tensor:
    """Return a view of a contiguous tensor with other sizes and strides."""
    return x._alias(sizes, strides, x._storage_offset)


# ---- products


def multiply(out: Tensor, a: Tensor, b: Tensor, beta: bool) -> None:
    """Compute out = a @ b + beta * out for matrices (n, groups, rows, columns); loop over the shorter of n, groups."""
    dim = 0 if out._sizes[0] < out._sizes[1] else 1
    for which in range(out._sizes[dim]):
        product_of_any(one(out, dim, which), one(a, dim, which), one(b, dim, which), 1, beta)


def chunks(images: int, of_each: int) -> Iterator[tuple[int, int]]:
    """Yield (first, count) of chunks of images whose columns, `of_each` elements an image, fit into the workspace."""
    size = max(1, min(images, ROOM // of_each))
    return ((first, min(size, images - first)) for first in range(0, images, size))


def begin_with(out: Tensor, bias: Tensor | None) -> bool:
    """Fill each image with the bias, and return True if there is a bias."""
    if bias is None:
        return False
    copy_stub.kernels["cuda"](out, bias._alias(out._sizes, (0, *bias._strides, 0, 0), bias._storage_offset))
    return True


def patches_of(kernel: Ints, places: Ints, params: ConvParams) -> Patches:
    """Return the patches of the larger image of a convolution, one for each of the `places` of the smaller image."""
    return Patches(kernel, params.dilation, params.padding, params.stride, places)


# ---- the stubs


def convolution_kernel(out: Tensor, input: Tensor, weight: Tensor, bias: Tensor | None, params: ConvParams) -> None:
    """Compute the convolution of non-empty images of one dtype and any strides; the planes of `out` are flat."""
    check("slow_conv2d_cuda", input._dtype, DILATED if max(params.dilation) > 1 else DENSE)
    groups, weight = params.groups, at.contiguous(weight)
    (n, c, h, w), k, length = out._sizes, weight.numel() // weight._sizes[0], out._sizes[2] * out._sizes[3]
    patches, beta, m = patches_of(weight._sizes[2:], (h, w), params), begin_with(out, bias), c // groups
    for first, count in chunks(n, groups * k * length):
        shape = count, groups, k, length
        columns = new_tensor(shape, contiguous_strides(shape), out._dtype, out._storage.device)
        gather(columns, (groups * k * length, length), some(input, first, count), patches)
        left = matrices(weight, (count, groups, m, k), (0, m * k, k, 1))
        multiply(by_groups(some(out, first, count), groups), left, columns, beta)


def transpose_kernel(out: Tensor, input: Tensor, weight: Tensor, bias: Tensor | None, params: ConvParams) -> None:
    """Compute a transposed convolution; images as in `convolution_kernel`, weight (c_in, c_out / groups, kh, kw)."""
    check("slow_conv_transpose2d_out_cuda", input._dtype, DILATED)
    groups, weight, input = params.groups, at.contiguous(weight), flat_planes(input)
    (n, c, h, w), k, length = input._sizes, weight.numel() // weight._sizes[0], input._sizes[2] * input._sizes[3]
    patches, beta, m = patches_of(weight._sizes[2:], (h, w), params), begin_with(out, bias), c // groups
    for first, count in chunks(n, groups * k * length):
        shape = count, groups, k, length
        columns = new_tensor(shape, contiguous_strides(shape), out._dtype, out._storage.device)
        left = matrices(weight, (count, groups, k, m), (0, m * k, 1, k))
        multiply(columns, left, by_groups(some(input, first, count), groups), False)
        add(some(out, first, count), columns, (groups * k * length, length), patches, beta)


def weight_kernel(grad_weight: Tensor, grad: Tensor, input: Tensor, params: ConvParams) -> None:
    """Compute the gradient of the weight by a matrix product over all patches of all images."""
    check("slow_conv2d_cuda_grad_input", grad._dtype, FLOATS)
    groups, (c, _, *kernel), (n, _, h, w) = params.groups, grad_weight._sizes, grad._sizes
    k, m, length = grad_weight.numel() // c, c // groups, h * w
    made, device = at.empty_memory_format((groups, m, k), dtype=grad._dtype, device=grad._storage.device), grad.device
    patches = patches_of(tuple(kernel), (h, w), params)
    for first, count in chunks(n, groups * k * length):
        long = count * length
        columns = new_tensor((groups * k, long), (long, 1), grad._dtype, device)
        gather(columns, (length, long), some(input, first, count), patches)
        left = at.contiguous(at.transpose_int(some(grad, first, count), 0, 1))
        to = made
        left = matrices(left, (groups, m, long), (m * long, long, 1))
        right = matrices(columns, (groups, long, k), (k * long, 1, long))
        if groups == 1:  # a product of matrices may be made in parts
            to, left, right = one(to, 0, 0), one(left, 0, 0), one(right, 0, 0)
        product_of_any(to, left, right, 1, first > 0)
    copy_stub.kernels["cuda"](grad_weight, at.view(made, grad_weight._sizes))


convolution.convolution_stub.register("cuda", convolution_kernel)
convolution.convolution_transpose_stub.register("cuda", transpose_kernel)
convolution.convolution_weight_stub.register("cuda", weight_kernel)
