"""im2col: patches of images as columns, and back: col2im. Mirrors aten/src/ATen/native/cuda/im2col.cuh.

The plain loop that the kernels replace, of the elements that are outside of the image being 0:

    for n, c, y, z, h, v in indices of images, channels, a patch, patches:
        columns[n, (c, y, z), (h, v)] = image[n, c, h * stride[0] + y * dilation[0] - padding[0],
                                                 v * stride[1] + z * dilation[1] - padding[1]]

col2im adds the left side to the right one. There, a thread for each element of an image looks up all that belongs to
it, so that no two threads add to one cell.
"""

from typing import Any

from ..aten.native import im2col
from ..aten.native.im2col import Patches
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..compiled import memo
from ..dtypes import bool_, dtype, float32, float64
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda
from .gemm import Kind, named
from .launch import grid_of, launch

KINDS = (float32, float64, bool_)


def gather_kernel(kind: Kind) -> Any:
    """Build the im2col kernel, with one thread for each channel of each patch.

    Arguments: images, channels, height and width of an image, of a patch, how many patches down and across; dilation,
    padding and stride; columns, from cell `o` on, with strides of the image and of a row; images with their strides.
    """

    def im2col(sizes, dilation, padding, stride, out, o, out_steps, x, p, x_steps):
        images, channels, rows, columns, kernel_y, kernel_x, height, width = sizes
        at = cuda.grid(1)
        while at < images * channels * height * width:
            v, h, plane = at % width, at // width % height, at // (width * height)
            n, c = plane // channels, plane % channels
            top, left = h * stride[0] - padding[0], v * stride[1] - padding[1]
            to = o + n * out_steps[0] + c * kernel_y * kernel_x * out_steps[1] + h * width + v
            of = p + n * x_steps[0] + c * x_steps[1]
            for y in range(kernel_y):
                row = top + y * dilation[0]
                for z in range(kernel_x):
                    column = left + z * dilation[1]
                    is_inside = row >= 0 and row < rows and column >= 0 and column < columns
                    out[to] = x[of + row * x_steps[2] + column * x_steps[3]] if is_inside else kind(0)
                    to += out_steps[1]
            at += cuda.gridsize(1)

    return cuda.jit(named(im2col, "im2col"))


def add_kernel(kind: Kind) -> Any:
    """Build the col2im kernel, with one thread per element; `beta` as in `gemm`, the rest as in `im2col`."""

    def col2im(sizes, dilation, padding, stride, out, o, out_steps, x, p, x_steps, beta):
        images, channels, rows, columns, kernel_y, kernel_x, height, width = sizes
        at = cuda.grid(1)
        while at < images * channels * rows * columns:
            column, row, plane = at % columns, at // columns % rows, at // (columns * rows)
            n, c = plane // channels, plane % channels
            total = kind(0)
            for y in range(kernel_y):
                down = row + padding[0] - y * dilation[0]
                h = down // stride[0]
                if down >= 0 and down % stride[0] == 0 and h < height:
                    for z in range(kernel_x):
                        right = column + padding[1] - z * dilation[1]
                        v = right // stride[1]
                        if right >= 0 and right % stride[1] == 0 and v < width:
                            of = p + n * x_steps[0] + ((c * kernel_y + y) * kernel_x + z) * x_steps[1]
                            total += x[of + h * width + v]
            to = o + n * out_steps[0] + c * out_steps[1] + row * out_steps[2] + column * out_steps[3]
            out[to] = total + out[to] if beta else total
            at += cuda.gridsize(1)

    return cuda.jit(named(col2im, "col2im"))


@memo
def kernels_of(kind: dtype) -> tuple[Any, Any]:
    """Build the two kernels im2col and col2im."""
    return gather_kernel(kind.numpy.type), add_kernel(kind.numpy.type)


def gather(columns: Tensor, steps: Ints, image: Tensor, patches: Patches) -> None:
    """Write the patches of images (n, c, h, w), of any strides, into columns.

    Args:
        steps: from the columns of an image to the columns of the next image, from a row of them to the next.
    """
    sizes = (*image._sizes, *patches.kernel, *patches.blocks)
    threads = columns.numel() // (patches.kernel[0] * patches.kernel[1])
    launch(kernels_of(image._dtype)[0], *grid_of("elementwise", threads),
           sizes, patches.dilation, patches.padding, patches.stride, columns._flat(), columns._storage_offset, steps,
           image._flat(), image._storage_offset, image._strides)  # fmt: skip


def add(image: Tensor, columns: Tensor, steps: Ints, patches: Patches, beta: bool = False) -> None:
    """Sum columns into images (n, c, h, w) of any strides; add the sums to the images' old values if `beta`."""
    sizes = (*image._sizes, *patches.kernel, *patches.blocks)
    launch(kernels_of(image._dtype)[1], *grid_of("elementwise", image.numel()),
           sizes, patches.dilation, patches.padding, patches.stride, image._flat(), image._storage_offset,
           image._strides, columns._flat(), columns._storage_offset, steps, beta)  # fmt: skip


# ---- the stubs


def as_batch(x: Tensor) -> Tensor:
    """Return a batch of images; a single image becomes a batch of one."""
    return x if len(x._sizes) == 4 else x._alias((1, *x._sizes), (0, *x._strides), x._storage_offset)


def check(name: str, kind: dtype) -> None:
    """Raise NotImplementedError for a dtype that has no kernel."""
    if kind not in KINDS:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")


def im2col_kernel(out: Tensor, self: Tensor, patches: Patches) -> None:
    """Compute im2col of images of any strides into a contiguous `out`."""
    check("im2col_out_cuda", self._dtype)
    rows, length = out._sizes[-2:]
    gather(out, (rows * length, length), as_batch(self), patches)


def col2im_kernel(out: Tensor, self: Tensor, patches: Patches) -> None:
    """Compute col2im between contiguous tensors."""
    check("col2im_out_cuda", self._dtype)
    rows, length = self._sizes[-2:]
    add(as_batch(out), self, (rows * length, length), patches)


im2col.im2col_stub.register("cuda", im2col_kernel)
im2col.col2im_stub.register("cuda", col2im_kernel)
