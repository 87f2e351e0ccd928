"""Other sizes for a tensor and, if they need it, more memory for its storage.

Mirrors aten/src/ATen/native/Resize.cpp. The work is `structured.resize_impl`, which `out=` needs as well.
"""

import functools

from ... import dtypes
from ... import strides as geometry
from ...dtypes import channels_last, contiguous_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..structured import resize_impl

MEMORY = 4096  # geometries that a memo keeps


def resize_(self: Tensor, size: Ints, memory_format: dtypes.memory_format | None) -> Tensor:
    """Resize `self` in place, contiguous by default; grow the storage if it is too small, but never shrink it.

    What a storage gains is uninitialized. Other views of it go on seeing it; arrays that `numpy()` gave before don't.

    Args:
        memory_format: order of the dimensions in memory; None for contiguous, and for the strides that are there if
            the sizes stay.
    Raises:
        RuntimeError: a negative size, or a memory format that names no order of the dimensions.
    """
    if memory_format is None:
        return resize_impl(self, size)
    return resize_impl(self, size, strides_of_format(size, memory_format))


def resize_as_(self: Tensor, the_template: Tensor, memory_format: dtypes.memory_format | None) -> Tensor:
    """Resize `self` to the sizes of another tensor, like `resize_`."""
    return at.resize_(self, the_template._sizes, memory_format=memory_format)


@functools.lru_cache(maxsize=MEMORY)
def strides_of_format(sizes: Ints, memory_format: dtypes.memory_format) -> Ints:
    """Return the strides of a new tensor of the given sizes in a memory format.

    Raises:
        RuntimeError: channels_last of other than 4 dimensions, or a format that a new tensor can't have.
    """
    if memory_format is contiguous_format:
        return geometry.contiguous_strides(sizes)
    if memory_format is channels_last:
        if len(sizes) != 4:
            raise RuntimeError("required rank 4 tensor to use channels_last format")
        return geometry.channels_last_strides(sizes)
    raise RuntimeError(f"unsupported memory format {memory_format} for a new tensor")


@functools.lru_cache(maxsize=MEMORY)
def suggested_format(sizes: Ints, strides: Ints) -> dtypes.memory_format:
    """Return channels_last if the strides follow that order, with or without gaps, else contiguous_format.

    Where sizes of 1 leave both orders open, the contiguous one is meant.

    >>> suggested_format((2, 3, 4, 5), (60, 1, 15, 3)), suggested_format((2, 1, 4, 5), (20, 20, 5, 1))
    (torch.channels_last, torch.contiguous_format)

    Source: TensorBase::suggest_memory_format, is_channels_last_strides_2d (c10/core/MemoryFormat.h).
    """
    if len(sizes) != 4 or not strides[1]:
        return contiguous_format
    least = 0
    for d in (1, 3, 2, 0):
        if not sizes[d] or strides[d] < least or (d == 0 and least == strides[1]):
            return contiguous_format
        least = strides[d] * sizes[d]
    return channels_last
