"""im2col: patches of images as columns, and back: col2im. Mirrors aten/src/ATen/native/im2col.h.

The plain loop that the kernel replaces, of the elements that are outside of the image being 0:

    for n, c, y, z, h, v in indices of images, channels, a patch, patches:
        out[n, (c, y, z), (h, v)] = self[n, c, h * stride[0] + y * dilation[0] - padding[0],
                                               v * stride[1] + z * dilation[1] - padding[1]]

col2im adds the left side to the right one.
"""

import numpy as np
from numba import types

from ..aten.native import im2col
from ..aten.native.im2col import Patches
from ..dtypes import bool_, float32, float64
from ..tensor_impl import Tensor
from .convolution import copy_row
from .loops import INDEX, NUMBA
from .ranges import Ranged


def patches(begin, end, out, o, x, p, numbers):
    """Compute rows `begin` to `end` of the output, numbered over images, channels and the elements of a patch.

    Args:
        numbers: channels; height and width of the input; of patches; of their number; dilation, padding and stride;
            the strides of the input.
    """
    channels, rows, columns, kernel_y, kernel_x, height, width = numbers[:7]
    spread_y, spread_x, pad_y, pad_x, stride_y, stride_x = numbers[7:13]
    x_n, x_c, x_y, x_x = numbers[13:17]
    for index in range(begin, end):
        z, y, c = index % kernel_x, index // kernel_x % kernel_y, index // kernel_x // kernel_y
        of = p + c // channels * x_n + c % channels * x_c
        first = z * spread_x - pad_x
        low = min(width, max(0, (stride_x - 1 - first) // stride_x))
        high = max(low, min(width, (columns - 1 - first) // stride_x + 1))
        for h in range(height):
            row, to = h * stride_y + y * spread_y - pad_y, o + (index * height + h) * width
            if 0 <= row < rows:
                copy_row(x, of + row * x_y + first * x_x, stride_x * x_x, low, high, out, to, width)
            else:
                copy_row(x, p, 1, 0, 0, out, to, width)


def add_patches(begin, end, out, o, x, p, numbers):
    """Compute planes `begin` to `end` of the image, numbered over images and channels; `numbers` is as in `patches`."""
    _, rows, columns, kernel_y, kernel_x, height, width = numbers[:7]
    spread_y, spread_x, pad_y, pad_x, stride_y, stride_x = numbers[7:13]
    for plane in range(begin, end):
        first = o + plane * rows * columns
        for u in range(rows * columns):
            out[np.uintp(first + u)] = 0
        for element in range(kernel_y * kernel_x):
            of = p + (plane * kernel_y * kernel_x + element) * height * width
            shift = element % kernel_x * spread_x - pad_x
            low = min(width, max(0, (stride_x - 1 - shift) // stride_x))
            high = max(low, min(width, (columns - 1 - shift) // stride_x + 1))
            for h in range(height):
                row = h * stride_y + element // kernel_x * spread_y - pad_y
                if 0 <= row < rows:
                    to = first + row * columns + shift
                    for v in range(low, high):
                        out[np.uintp(to + v * stride_x)] += x[np.uintp(of + h * width + v)]


COL2IM = Ranged(
    "col2im_out_cpu", (float32, float64, bool_), lambda kind: add_patches,
    lambda kind: (NUMBA[kind][::1], INDEX, NUMBA[kind][::1], INDEX, types.UniTuple(INDEX, 13)),
)  # fmt: skip
LOOPS = Ranged(
    "im2col_out_cpu", (float32, float64, bool_), lambda kind: patches,
    lambda kind: (NUMBA[kind][::1], INDEX, NUMBA[kind][::1], INDEX, types.UniTuple(INDEX, 17)),
)  # fmt: skip


def im2col_kernel(out: Tensor, self: Tensor, patches: Patches) -> None:
    """Write the patches of images, which may have any strides, into the columns of `out`, which is contiguous."""
    strides = self._strides if len(self._sizes) == 4 else (0, *self._strides)
    numbers = (*self._sizes[-3:], *patches.kernel, *patches.blocks, *patches.dilation, *patches.padding,
               *patches.stride, *strides)  # fmt: skip
    width = out._sizes[-1]
    LOOPS(self._dtype, out.numel() // width, width, out._flat(), out._storage_offset,
          self._flat(), self._storage_offset, numbers)  # fmt: skip


def col2im_kernel(out: Tensor, self: Tensor, patches: Patches) -> None:
    """Sum the patches of `self` into the images of `out`; both are contiguous."""
    image = out._sizes[-2] * out._sizes[-1]
    numbers = (*out._sizes[-3:], *patches.kernel, *patches.blocks, *patches.dilation, *patches.padding,
               *patches.stride)  # fmt: skip
    planes = out.numel() // image
    COL2IM(self._dtype, planes, self.numel() // planes, out._flat(), out._storage_offset,
           self._flat(), self._storage_offset, numbers)  # fmt: skip


im2col.col2im_stub.register("cpu", col2im_kernel)
im2col.im2col_stub.register("cpu", im2col_kernel)
