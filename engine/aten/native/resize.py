"""Other sizes for a tensor and, if they need it, more memory for its storage.

Mirrors aten/src/ATen/native/Resize.cpp. The work is `structured.resize_impl`, which `out=` needs as well.
"""

from ... import dtypes
from ... import strides as geometry
from ...dtypes import channels_last, contiguous_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..structured import resize_impl


def resize_(self: Tensor, size: Ints, memory_format: dtypes.memory_format | None) -> Tensor:
    """Other sizes for `self` itself, contiguous; the storage grows if it is too small, and never shrinks.

    What a storage gains is uninitialised. Other views of it go on seeing it; arrays that `numpy()` gave before don't.

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
    """`resize_` to the sizes of another tensor."""
    return at.resize_(self, the_template._sizes, memory_format=memory_format)


def strides_of_format(sizes: Ints, memory_format: dtypes.memory_format) -> Ints:
    """Strides of a new tensor in a memory format.

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
