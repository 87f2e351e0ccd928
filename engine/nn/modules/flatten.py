"""Layers that change the shape only. Mirrors torch/nn/modules/{flatten,pixelshuffle,padding,upsampling}.py."""

from collections.abc import Sequence
from typing import Any

from ...tensor_impl import Tensor
from .. import functional as F
from .module import Module


class Flatten(Module):
    """Dimensions `start_dim` to `end_dim` merged into one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Dimension `dim` split into several, of sizes `unflattened_size`.

    Raises:
        TypeError: the sizes are not a tuple or list of ints.
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]):
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            kind = type(unflattened_size).__name__
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {kind}")
        for position, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                kind = type(size).__name__
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {kind} at pos {position}"
                )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class PixelShuffle(Module):
    """(*, c * r**2, h, w) -> (*, c, h * r, w * r), where r is `upscale_factor`."""

    def __init__(self, upscale_factor: int):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(*, c, h * r, w * r) -> (*, c * r**2, h, w), where r is `downscale_factor`."""

    def __init__(self, downscale_factor: int):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ZeroPad2d(Module):
    """Images padded with zeros: the same amount on each side, or (left, right, top, bottom)."""

    def __init__(self, padding: int | Sequence[int]):
        super().__init__()
        self.padding = (padding,) * 4 if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class Upsample(Module):
    """Images resized by `F.interpolate`, with the same arguments."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ):  # fmt: skip
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners
        self.scale_factor = scale_factor
        if scale_factor is not None:
            is_tuple = isinstance(scale_factor, tuple)
            self.scale_factor = tuple(map(float, scale_factor)) if is_tuple else float(scale_factor)
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        options = {} if self.recompute_scale_factor is None else {"recompute_scale_factor": self.recompute_scale_factor}
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, **options)

    def extra_repr(self) -> str:
        shown = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{shown}, mode={self.mode!r}"
