"""im2col: the patches of an image as columns of a matrix; col2im: an image that columns add up to.

Mirrors aten/src/ATen/native/{Im2Col.cpp,Col2Im.cpp,im2col_shape_check.h}.
"""

from typing import NamedTuple

from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..structured import resize_impl
from ..stubs import DispatchStub

im2col_stub = DispatchStub("im2col_stub")
"""kernel(out, self, patches): `out` contiguous, (n, c * kh * kw, height * width); neither is empty."""


col2im_stub = DispatchStub("col2im_stub")
"""kernel(out, self, patches): both contiguous, `self` (n, c * kh * kw, height * width); neither is empty."""


class Patches(NamedTuple):
    """The geometry of an image's patches, each field as (height, width); `blocks` is the number of patches."""

    kernel: Ints
    dilation: Ints
    padding: Ints
    stride: Ints
    blocks: Ints


def patches_of(self: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Patches:
    """Return the patch geometry for images of sizes (n, c, h, w) or (c, h, w).

    Raises:
        RuntimeError: parameters out of range, no images, or no patch fits.
        IndexError: less than three dimensions.

    Source: im2col_shape_check (aten/src/ATen/native/im2col_shape_check.h).
    """
    given = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    check_patches(given)
    if self[1:2] != (0,):
        wrap_dim(2, len(self))
    if len(self) not in (3, 4) or 0 in self[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(self)}"
        )
    blocks = patch_counts(self[-2:], given)
    if min(blocks) < 1:
        shown = ", ".join(f"{name}={numbers}" for name, numbers in given.items())
        raise RuntimeError(
            f"Given input with spatial size {tuple(self[-2:])}, {shown}, calculated shape of the array of sliding "
            f"blocks as {blocks}, which is too small (non-positive)"
        )
    return Patches(kernel_size, dilation, padding, stride, blocks)


def patch_counts(image: Ints, given: dict[str, Ints]) -> Ints:
    """Return the number of patches in each dimension."""
    of_each = zip(image, *given.values(), strict=True)
    return tuple([(size + 2 * pad - (spread * (k - 1) + 1)) // step + 1 for size, k, spread, pad, step in of_each])


def check_patches(given: dict[str, Ints]) -> None:
    """Raise RuntimeError for parameters that are not pairs or are out of range."""
    kernel_size, dilation, padding, stride = given.values()
    for name, numbers in given.items():
        if len(numbers) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(numbers)}")
    for name, numbers, names in (
        ("kernel size", kernel_size, "kernel"), ("dilation", dilation, "dilation"), ("stride", stride, "stride"),
    ):  # fmt: skip
        if min(numbers) <= 0:
            y, x = numbers
            raise RuntimeError(f"{name} should be greater than zero, but got {names}_height: {y} {names}_width: {x}")
    if min(padding) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {padding[0]} pad_width: {padding[1]}")


def im2col_cpu(self: Tensor, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Tensor:
    """Return each patch of an image as a column: (n, c, h, w) becomes (n, c * kh * kw, number of patches).

    Raises:
        RuntimeError, IndexError: as `patches_of`.
    """
    patches = patches_of(self._sizes, kernel_size, dilation, padding, stride)
    sizes = _sizes(self._sizes, patches)
    out = new_tensor(sizes, contiguous_strides(sizes), self._dtype, self._storage.device)
    if 0 not in sizes:
        im2col_stub.kernels[out._storage.device.type](out, self, patches)
    return out


def im2col_out_cpu(self: Tensor, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints, out: Tensor) -> Tensor:
    """Write the result of `im2col` into `out`, which becomes contiguous."""
    patches = patches_of(self._sizes, kernel_size, dilation, padding, stride)
    sizes = _sizes(self._sizes, patches)
    resize_impl(out, sizes, contiguous_strides(sizes))
    if 0 not in sizes:
        im2col_stub.kernels[out._storage.device.type](out, self, patches)
    return out


def _sizes(self: Ints, patches: Patches) -> Ints:
    (kernel_y, kernel_x), (height, width) = patches.kernel, patches.blocks
    return (*self[:-3], self[-3] * kernel_y * kernel_x, height * width)


# ---- and back


def columns_of(
    self: Ints, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> tuple[Patches, Ints]:
    """Return the patch geometry and the image sizes for columns (n, c * kh * kw, number of patches), batched or not.

    Raises:
        RuntimeError: parameters out of range, or no such columns.

    Source: col2im_shape_check (aten/src/ATen/native/im2col_shape_check.h).
    """
    given = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    if len(output_size) != 2:
        raise RuntimeError(f"It is expected output_size equals to 2, but got size {len(output_size)}")
    check_patches(given)
    if len(self) not in (2, 3) or 0 in self[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(self)}"
        )
    dim, area = len(self) - 2, kernel_size[0] * kernel_size[1]
    if self[dim] % area:
        raise RuntimeError(
            f"Expected size of input's dimension {dim} to be divisible by the product of kernel_size, but got "
            f"input.size({dim})={self[dim]} and kernel_size={kernel_size}."
        )
    blocks = patch_counts(output_size, given)
    if blocks[0] * blocks[1] != self[-1] or min(blocks) < 1:
        shown = ", ".join(f"{name}={given[name]}" for name in ("kernel_size", "dilation", "padding", "stride"))
        raise RuntimeError(
            f"Given output_size={output_size}, {shown}, expected size of input's dimension {dim + 1} to match the "
            f"calculated number of sliding blocks {blocks[0]} * {blocks[1]} = {blocks[0] * blocks[1]}, but got "
            f"input.size({dim + 1})={self[-1]}."
        )
    patches = Patches(kernel_size, dilation, padding, stride, blocks)
    return patches, (*self[:-2], self[dim] // area, *output_size)


def col2im_cpu(
    self: Tensor, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> Tensor:
    """Return the image that the columns add up to: where patches overlap, their elements are summed.

    Raises:
        RuntimeError: as `columns_of`.
        NotImplementedError: integers.
    """
    patches, sizes = columns_of(self._sizes, output_size, kernel_size, dilation, padding, stride)
    out = new_tensor(sizes, contiguous_strides(sizes), self._dtype, self._storage.device)
    if 0 not in sizes:
        col2im_stub.kernels[out._storage.device.type](out, at.contiguous(self), patches)
    return out


def col2im_out_cpu(
    self: Tensor, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints, out: Tensor
) -> Tensor:
    """Write the result of `col2im` into `out`, which becomes contiguous."""
    patches, sizes = columns_of(self._sizes, output_size, kernel_size, dilation, padding, stride)
    resize_impl(out, sizes, contiguous_strides(sizes))
    if 0 not in sizes:
        col2im_stub.kernels[out._storage.device.type](out, at.contiguous(self), patches)
    return out
