"""Images in other sizes, each element copied from the nearest: upsample_nearest1d, 2d, 3d.

The operators differ in the number of dimensions only.
Mirrors aten/src/ATen/native/UpSample{,Nearest1d,Nearest2d,Nearest3d}.cpp.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...dtypes import contiguous_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..structured import MetaBase
from ..stubs import DispatchStub
from .resize import strides_of_format, suggested_format

upsample_nearest_stub = DispatchStub("upsample_nearest_kernel")
"""kernel(out, self, scales): neither is empty; scales are one for each dimension of an image, or None."""

AXES = "DHW"


def upsample_sizes(self: Ints, output_size: Ints, ndim: int) -> Ints:
    """Return the sizes of the upsampled output.

    Raises:
        RuntimeError: `self` is not a batch of images with elements, or a size is not positive.

    Source: upsample_2d_common_check (aten/src/ATen/native/UpSample.h).
    """
    for name, given, wanted in (("output_size", output_size, ndim), ("input_size", self, ndim + 2)):
        if len(given) != wanted:
            raise RuntimeError(f"It is expected {name} equals to {wanted}, but got size {len(given)}")
    if min(*self[2:], *output_size) <= 0:
        shown = [
            ", ".join(f"{axis}: {size}" for axis, size in zip(AXES[-ndim:], sizes, strict=True))
            for sizes in (self[2:], output_size)
        ]
        between = " and" if ndim == 1 else ""
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({shown[0]}){between} output ({shown[1]})"
        )
    if not self[1]:
        raise RuntimeError(f"Non-empty {ndim + 2}D data tensor expected but got a tensor with sizes {list(self)}")
    return (*self[:2], *output_size)


def nearest_meta(ndim: int) -> Callable[..., None]:
    """Build the meta function of nearest-neighbor upsampling for `ndim` dimensions."""

    def meta(op: MetaBase, self: Tensor, output_size: Ints, *scales: float | None) -> None:
        sizes = upsample_sizes(self._sizes, output_size, ndim)
        lies = suggested_format(self._sizes, self._strides) if ndim == 2 else contiguous_format
        op.set_output_raw_strided(0, sizes, strides_of_format(sizes, lies), self._dtype, self._storage.device)

    return meta


def nearest_out(op: MetaBase, self: Tensor, output_size: Ints, *scales_and_out: Any) -> None:
    """Set each element of `out` to the element of `self` at its index divided by the scale, rounded down."""
    *scales, out = scales_and_out
    if 0 not in out._sizes:
        upsample_nearest_stub.kernels[op.device_type](out, self, tuple(scales))


def nearest_vec(ndim: int) -> Callable[..., Tensor]:
    """Build the overload that takes either sizes or scales, for `ndim` dimensions."""

    def upsample(input: Tensor, output_size: Ints | None, scale_factors: Sequence[float] | None) -> Tensor:
        sizes = compute_output_size(input._sizes, output_size, scale_factors)
        scales = [None] * ndim if scale_factors is None else scale_factors[:ndim]
        return getattr(at, f"upsample_nearest{ndim}d")(input, sizes, *scales)

    return upsample


upsample_nearest1d_meta, upsample_nearest2d_meta, upsample_nearest3d_meta = map(nearest_meta, (1, 2, 3))
upsample_nearest1d_out_cpu = upsample_nearest2d_out_cpu = upsample_nearest3d_out_cpu = nearest_out
upsample_nearest1d, upsample_nearest2d, upsample_nearest3d = map(nearest_vec, (1, 2, 3))


def compute_output_size(sizes: Ints, output_size: Ints | None, scale_factors: Sequence[float] | None) -> Ints:
    """Return the output sizes of an image: the given ones, or the image's sizes multiplied by the scale factors.

    Raises:
        RuntimeError: neither is given, both are, or other numbers than the image has dimensions.

    Source: compute_output_size (aten/src/ATen/native/UpSample.cpp).
    """
    if (output_size is None) == (scale_factors is None):
        raise RuntimeError("Must specify exactly one of output_size and scale_factors")
    given = output_size if scale_factors is None else scale_factors
    if given is None or len(given) != len(sizes) - 2:
        raise RuntimeError(f"expected {len(sizes) - 2} sizes or scales of an image, but got {given}")
    if scale_factors is None:
        return tuple(map(int, given))
    return tuple([int(size * scale) for size, scale in zip(sizes[2:], scale_factors, strict=True)])
