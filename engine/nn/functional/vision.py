"""Images in other sizes: interpolate, pixel_shuffle, pixel_unshuffle."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import _C
from ...api import PUBLIC
from ...tensor_impl import Tensor

if TYPE_CHECKING:
    from ..._variable_functions import channel_shuffle, native_channel_shuffle, pixel_shuffle, pixel_unshuffle
else:
    pixel_shuffle, pixel_unshuffle = PUBLIC["pixel_shuffle"], PUBLIC["pixel_unshuffle"]
    channel_shuffle, native_channel_shuffle = PUBLIC["channel_shuffle"], PUBLIC["native_channel_shuffle"]


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize images by copying the nearest input element to each output element.

    Args:
        input: (n, c, ...) with one to three dimensions of an image.
        size: of the output, or else `scale_factor`, one number or one for each dimension.
        mode: "nearest"; PyTorch has others.
        recompute_scale_factor: take the scale from the sizes, after they were rounded down.
    Raises:
        ValueError: arguments that contradict one another.
        NotImplementedError: another mode, or no image.
    """
    ndim = input.dim() - 2
    if mode != "nearest":
        raise NotImplementedError(f"interpolate: the engine has mode 'nearest', not {mode!r}")
    if align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    sizes, scales = _of_each(input, size, "output size"), _of_each(input, scale_factor, "scale_factor")
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if antialias:
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"
        )
    if recompute_scale_factor and scales is not None:
        shape = input._sizes
        sizes, scales = [math.floor(shape[d + 2] * scale) for d, scale in enumerate(scales)], None
    if ndim not in (1, 2, 3):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim + 2}D) for the modes: nearest | "
            "linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got nearest)"
        )
    return getattr(_C._nn, f"upsample_nearest{ndim}d")(input, sizes, scales)


def _of_each(input: Tensor, given: object, name: str) -> list | None:
    """Return a number for each dimension of an image."""
    ndim = input.dim() - 2
    if given is None:
        return None
    if not isinstance(given, (list, tuple)):
        return [given] * ndim
    if len(given) != ndim:
        raise ValueError(
            f"Input and {name} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(input._sizes[2:])} and {name} of {given}."
        )
    return list(given)
