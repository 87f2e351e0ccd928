"""pad, in its four modes: a number all around, or the image itself, reflected, its border repeated, or wrapped around.

Mirrors aten/src/ATen/native/{PadNd,ReflectionPad,ReplicationPadding}.cpp.
"""

import functools
from typing import NamedTuple

from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from .copy import copy_stub
from .fill import fill_stub
from .resize import strides_of_format, suggested_format

Number = bool | int | float

MODES = ("reflect", "replicate", "circular", "constant")  # at::padding_mode, in its order
CONSTANT = MODES.index("constant")

# ---- a number all around


class Frame(NamedTuple):
    """The geometry of a padded tensor and of the part of it that is copied from the input.

    Attributes:
        sizes, strides: of the padded tensor, in elements.
        inner: sizes of the part that is copied.
        offset: elements before its first one.
    """

    sizes: Ints
    strides: Ints
    inner: Ints
    offset: int


def constant_pad_nd(self: Tensor, pad: Ints, value: Number) -> Tensor:
    """Pad `self` with `value`: `pad` holds (before, after) pairs, from the last dimension on; negative numbers crop.

    Raises:
        RuntimeError: an odd number of pads, more than there are dimensions for, or nothing would be left.
    """
    dims = len(self._sizes)
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * dims:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {dims}dimensions."
        )
    kept = self if not pad or min(pad) >= 0 else _cut(self, pad)
    if not pad or max(pad) <= 0:
        return at.clone(kept)
    frame = frame_of(self._sizes, self._strides, pad)
    output = new_tensor(frame.sizes, frame.strides, self._dtype, self._storage.device)
    device = self._storage.device.type
    if 0 not in frame.sizes:
        fill_stub.kernels[device](output, value)
        if 0 not in frame.inner:
            copy_stub.kernels[device](output._alias(frame.inner, frame.strides, frame.offset), kept)
    return output


def _cut(self: Tensor, pad: Ints) -> Tensor:
    """Return the part of `self` that negative pads leave."""
    for pair in range(len(pad) // 2):
        dim = len(self._sizes) - 1 - pair
        for at_start, cut in ((True, -pad[2 * pair]), (False, -pad[2 * pair + 1])):
            if cut > 0:
                self = at.narrow(self, dim, cut if at_start else 0, self._sizes[dim] - cut)
    return self


@functools.lru_cache(maxsize=4096)
def frame_of(sizes: Ints, strides: Ints, pad: Ints) -> Frame:
    """Return the frame that results from the pads, at least one of which is positive.

    Raises:
        RuntimeError: they cut more than there is.
    """
    before, behind = (
        [*(0 for _ in range(len(sizes) - len(pad) // 2)), *pad[len(pad) - 2 + side :: -2]] for side in (0, 1)
    )
    padded = tuple([size + a + b for size, a, b in zip(sizes, before, behind, strict=True)])
    for dim, size in enumerate(padded):
        if size < 0:
            raise RuntimeError(
                f"The input size {sizes[dim]}, plus negative padding {before[dim]} and {behind[dim]} resulted in a "
                f"negative output size, which is invalid. Check dimension {dim} of your input."
            )
    lies = strides_of_format(padded, suggested_format(sizes, strides))
    inner = tuple([size - max(a, 0) - max(b, 0) for size, a, b in zip(padded, before, behind, strict=True)])
    offset = sum(max(a, 0) * stride for a, stride in zip(before, lies, strict=True))
    return Frame(padded, lies, inner, offset)


# ---- all modes


def pad(self: Tensor, pad: Ints, mode: str, value: float | None) -> Tensor:
    """Pad `self` in a mode: "constant", "reflect", "replicate" or "circular".

    Raises:
        NotImplementedError: another mode; a number of dimensions that the mode does not have.
        RuntimeError: a length of `pad` that does not fit; a value for a mode that takes none.
    """
    if mode not in MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return _pad_enum(self, pad, MODES.index(mode), value)


def _pad_enum(self: Tensor, pad: Ints, mode: int, value: float | None) -> Tensor:
    """Do as `pad`, with the mode given as a number of at::padding_mode."""
    dims = len(self._sizes)
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * dims:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {dims}"
        )
    if mode == CONSTANT:
        return at.constant_pad_nd(self, pad, 0.0 if value is None else value)
    if value:
        raise RuntimeError(f'Padding mode "{MODES[mode]}" doesn\'t take in value argument')
    ndim = len(pad) // 2
    if ndim not in (1, 2, 3) or dims not in (ndim + 1, ndim + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {dims}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if MODES[mode] == "circular":
        return at._pad_circular(self, pad)
    name = "reflection" if MODES[mode] == "reflect" else "replication"
    return getattr(at, f"{name}_pad{ndim}d")(self, pad)


def _pad_circular(self: Tensor, pad: Ints) -> Tensor:
    """Return the image in the middle of copies of itself, as far as the pads go.

    Raises:
        RuntimeError: a pad is longer than the image; nothing would be left; no one or two dimensions stay unpadded.

    Source: _pad_circular_symint (aten/src/ATen/native/PadNd.cpp).
    """
    sizes, dims = self._sizes, len(self._sizes)
    if dims - len(pad) // 2 not in (1, 2):
        raise RuntimeError(
            "Invalid padding size, expected 1 or 2 non-padded dimensions, which would be equivalent to padding of "
            f"length {(dims - 1) * 2} or {(dims - 2) * 2} respectively but got {len(pad)}"
        )
    padded = list(sizes)
    for pair in reversed(range(len(pad) // 2)):
        dim, before, behind = dims - 1 - pair, pad[2 * pair], pad[2 * pair + 1]
        padded[dim] = sizes[dim] + before + behind
        if before > sizes[dim] or behind > sizes[dim]:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if padded[dim] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    output = at.new_empty(self, tuple(padded))
    to, of = output, self
    for pair in range(len(pad) // 2):
        dim, before, behind = dims - 1 - pair, pad[2 * pair], pad[2 * pair + 1]
        to = at.slice_Tensor(to, dim, max(before, 0), padded[dim] - max(behind, 0))
        of = at.slice_Tensor(of, dim, max(-before, 0), sizes[dim] - max(-behind, 0))
    at.copy_(to, of)
    for pair in range(len(pad) // 2):
        _wrap_around(output, dims - 1 - pair, pad[2 * pair], pad[2 * pair + 1])
    return output


def _wrap_around(output: Tensor, dim: int, before: int, behind: int) -> None:
    """Fill the borders before and after the image in one dimension from the other end of the image."""
    size, first = output._sizes[dim], max(before, 0)
    last = size - max(behind, 0)
    if before > 0:
        at.copy_(at.slice_Tensor(output, dim, 0, before), at.slice_Tensor(output, dim, last - before, last))
    if behind > 0:
        at.copy_(at.slice_Tensor(output, dim, last, size), at.slice_Tensor(output, dim, first, first + behind))
