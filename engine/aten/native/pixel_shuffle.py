"""Channels that become pixels and back, and channels in another order: copies from one geometry to another.

Mirrors aten/src/ATen/native/{PixelShuffle,ChanelShuffle}.cpp.
"""

from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from .copy import copy_stub
from .resize import strides_of_format, suggested_format


def pixel_shuffle_cpu(self: Tensor, upscale_factor: int) -> Tensor:
    """Turn (..., c * r * r, h, w) into (..., c, h * r, w * r): r * r channels become a square of pixels.

    Raises:
        RuntimeError: less than three dimensions, or a factor that does not fit.
    """
    sizes, r = self._sizes, upscale_factor
    _check_image("pixel_shuffle", "upscale_factor", sizes, r)
    *batch, c, h, w = sizes
    if c % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={c} is not divisible by {r * r}"
        )
    out = _new_like(self, (*batch, c // (r * r), h * r, w * r))
    squares = (*batch, c // (r * r), h, r, w, r)
    _copy_as(squares, out, _split(out._strides, r), self, _apart(self._strides, r))
    return out


def pixel_unshuffle_cpu(self: Tensor, downscale_factor: int) -> Tensor:
    """Turn (..., c, h * r, w * r) into (..., c * r * r, h, w): a square of pixels becomes r * r channels.

    Raises:
        RuntimeError: less than three dimensions, or a factor that does not fit.
    """
    sizes, r = self._sizes, downscale_factor
    _check_image("pixel_unshuffle", "downscale_factor", sizes, r)
    *batch, c, h, w = sizes
    for what, size, dim in (("height", h, -2), ("width", w, -1)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but input.size({dim})={size} is "
                f"not divisible by {r}"
            )
    if 0 in sizes:
        return at.clone(self)  # as it is, as in PyTorch
    out = _new_like(self, (*batch, c * r * r, h // r, w // r))
    squares = (*batch, c, h // r, r, w // r, r)
    _copy_as(squares, out, _apart(out._strides, r), self, _split(self._strides, r))
    return out


def channel_shuffle(self: Tensor, groups: int) -> Tensor:
    """Reorder the channels: first the first channel of each of `groups` groups, then the second of each, and so on.

    Raises:
        RuntimeError: less than three dimensions, or groups that do not fit.
    """
    _check_groups(self._sizes, groups)
    if 0 in self._sizes:
        return self._alias(self._sizes, self._strides, self._storage_offset)
    return at.native_channel_shuffle(self, groups)


def channel_shuffle_cpu(self: Tensor, groups: int) -> Tensor:
    """Return `channel_shuffle` of a tensor that is not empty.

    Raises:
        RuntimeError: as `channel_shuffle`.
    """
    _check_groups(self._sizes, groups)
    n, channels, *image = self._sizes
    out = _new_like(self, self._sizes)
    (to_n, to_c, *to), (of_n, of_c, *of) = out._strides, self._strides
    each = channels // groups
    _copy_as((n, each, groups, *image), out, (to_n, to_c * groups, to_c, *to), self, (of_n, of_c, of_c * each, *of))
    return out


def _check_groups(sizes: Ints, groups: int) -> None:
    if len(sizes) <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(sizes)}")
    channels = sizes[1]
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )


def _check_image(name: str, parameter: str, sizes: Ints, factor: int) -> None:
    if len(sizes) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {len(sizes)} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {parameter}, but got {factor}")


def _new_like(self: Tensor, sizes: Ints) -> Tensor:
    """Return a new tensor in the memory format of `self`."""
    lies = suggested_format(self._sizes, self._strides)
    return new_tensor(sizes, strides_of_format(sizes, lies), self._dtype, self._storage.device)


def _split(strides: Ints, r: int) -> Ints:
    """Return the strides of (..., c, h, r, w, r) for an image with large height and width."""
    *batch, c, h, w = strides
    return (*batch, c, h * r, h, w * r, w)


def _apart(strides: Ints, r: int) -> Ints:
    """Return the strides of (..., c, h, r, w, r) for an image whose squares are in channels."""
    *batch, c, h, w = strides
    return (*batch, c * r * r, h, c * r, w, c)


def _copy_as(sizes: Ints, out: Tensor, to: Ints, self: Tensor, of: Ints) -> None:
    """Copy between two geometries over the same sizes."""
    if 0 not in sizes:
        copy = copy_stub.kernels[out._storage.device.type]
        copy(out._alias(sizes, to, out._storage_offset), self._alias(sizes, of, self._storage_offset))
