"""Reflected and repeated borders, in one to three dimensions.

The operators of a mode differ in the number of dimensions only, so one function works out the output for all.
Mirrors aten/src/ATen/native/{ReflectionPad,ReplicationPadding}.cpp and Padding.h.
"""

import functools
from collections.abc import Callable

from ...dtypes import contiguous_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..empty_tensor import contiguous_strides, new_tensor
from ..structured import MetaBase, resize_impl
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .resize import strides_of_format, suggested_format

reflection_pad_stub = DispatchStub("reflection_pad_stub")
replication_pad_stub = DispatchStub("replication_pad_stub")
"""kernel(out, self, padding): neither is empty; the last len(padding) / 2 dimensions are padded."""

AXES = "WHD"  # what the dimensions are called, the last one first


@functools.lru_cache(maxsize=4096)
def padded_sizes(self: Ints, padding: Ints, ndim: int, reflects: bool) -> Ints:
    """Return the sizes of a padded image, or of a padded batch of images.

    Raises:
        RuntimeError: `self` has other dimensions or no elements; the number of pads is another; a reflection is longer
            than what it reflects; nothing would be left.

    Source: check_valid_input (aten/src/ATen/native/Padding.h) and the meta functions of the operators.
    """
    if len(padding) != 2 * ndim:
        raise RuntimeError(f"padding size is expected to be {2 * ndim}, but got: {len(padding)}")
    is_batch = len(self) == ndim + 2
    if len(self) not in (ndim + 1, ndim + 2) or 0 in self[is_batch:]:
        raise RuntimeError(
            f"Expected {ndim + 1}D or {ndim + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(self)}"
        )
    padded = list(self)
    for pair in range(ndim):
        dim, before, behind = len(self) - 1 - pair, padding[2 * pair], padding[2 * pair + 1]
        padded[dim] += before + behind
        if reflects and max(before, behind) >= self[dim]:
            raise RuntimeError(
                f"Argument #{4 + 2 * pair}: Padding size should be less than the corresponding input dimension, but "
                f"got: padding ({before}, {behind}) at dimension {dim} of input {list(self)}"
            )
    if max(padded[-ndim:]) < 1:
        names = AXES[:ndim][::-1]
        given = ", ".join(f"{name}: {size}" for name, size in zip(names, self[-ndim:], strict=True))
        made = " ".join(f"{name}: {size}" for name, size in zip(names, padded[-ndim:], strict=True))
        raise RuntimeError(f"input ({given}) is too small. Calculated output {made}")
    return tuple(padded)


def padded_meta(ndim: int, reflects: bool) -> Callable[[MetaBase, Tensor, Ints], None]:
    """Build the meta function of a structured padding operator in `ndim` dimensions."""

    def meta(op: MetaBase, self: Tensor, padding: Ints) -> None:
        sizes = padded_sizes(self._sizes, padding, ndim, reflects)
        device = self._storage.device
        lies = contiguous_strides(sizes) if device.type == "meta" else _strides(self, sizes)
        op.set_output_raw_strided(0, sizes, lies, self._dtype, device)

    return meta


def _strides(self: Tensor, sizes: Ints) -> Ints:
    """Return the strides of a new output: a padded image is laid out as the image is."""
    keeps = len(sizes) == 4 and 0 not in sizes
    return strides_of_format(sizes, suggested_format(self._sizes, self._strides) if keeps else contiguous_format)


def padded_out(stub: DispatchStub, keeps_strides: bool = False) -> Callable[[MetaBase, Tensor, Ints, Tensor], None]:
    """Build the impl function of a structured padding operator; PyTorch keeps the strides of `out=` only in 1-D."""

    def impl(op: MetaBase, self: Tensor, padding: Ints, out: Tensor) -> None:
        if not keeps_strides:
            resize_impl(out, out._sizes, _strides(self, out._sizes))
        if 0 not in out._sizes:
            stub.kernels[op.device_type](out, self, padding)

    return impl


reflection_pad1d_meta, reflection_pad3d_meta = padded_meta(1, True), padded_meta(3, True)
replication_pad1d_meta, replication_pad2d_meta, replication_pad3d_meta = (padded_meta(n, False) for n in (1, 2, 3))
reflection_pad1d_out_cpu = padded_out(reflection_pad_stub, True)
reflection_pad3d_out_cpu = padded_out(reflection_pad_stub)
replication_pad1d_out_cpu = padded_out(replication_pad_stub, True)
replication_pad2d_out_cpu = replication_pad3d_out_cpu = padded_out(replication_pad_stub)


def reflection_pad2d_cpu(self: Tensor, padding: Ints) -> Tensor:
    """Return an image or a batch of images, padded by reflection."""
    sizes = padded_sizes(self._sizes, padding, 2, True)
    output = new_tensor(sizes, _strides(self, sizes), self._dtype, self._storage.device)
    if 0 not in sizes:
        reflection_pad_stub.kernels[output._storage.device.type](output, self, padding)
    return output


def reflection_pad2d_out_cpu(self: Tensor, padding: Ints, out: Tensor) -> Tensor:
    """Write the result of `reflection_pad2d` into `out`.

    Raises:
        RuntimeError: `out` has another dtype.
    """
    if out._dtype is not self._dtype:
        expected, found = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[out._dtype]
        raise RuntimeError(f"expected scalar type {expected} but found {found}")
    sizes = padded_sizes(self._sizes, padding, 2, True)
    if out._sizes != sizes or len(sizes) == 4:  # of which PyTorch sets the memory format, whatever the strides were
        resize_impl(out, sizes, _strides(self, sizes))
    if 0 not in sizes:
        reflection_pad_stub.kernels[out._storage.device.type](out, self, padding)
    return out
