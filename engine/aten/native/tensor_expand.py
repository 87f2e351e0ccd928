"""Dimensions of size 1 repeated without a copy: expand, and what takes it back.

Mirrors the expanding operators of aten/src/ATen/native/TensorShape.cpp.
"""

import functools

from ... import strides as geometry
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..expand_utils import is_expandable_to, sum_to
from ..structured import copy_to

MEMORY = 4096  # geometries that a memo keeps


def expand(self: Tensor, size: Ints, implicit: bool) -> Tensor:
    """Expand dimensions of size 1 without a copy; -1 in `size` keeps the size of a dimension.

    PyTorch makes a tensor of negative size from `zeros(1).expand(-2, 0)`; here that raises RuntimeError, because
    no other operator could use it.
    """
    sizes, strides = _expanded(self._sizes, self._strides, size)
    return self._alias(sizes, strides, self._storage_offset)


@functools.lru_cache(MEMORY)
def _expanded(sizes: Ints, strides: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    return geometry.expand(sizes, strides, wanted)


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expand `self` to the sizes of `other`."""
    return at.expand(self, other._sizes)


def expand_copy_out(self: Tensor, size: Ints, implicit: bool, out: Tensor) -> Tensor:
    """Write `expand_copy` into `out`, resized to fit; raise the same errors as `copy_to`."""
    return copy_to(out, at.expand_copy(self, size, implicit=implicit))


def sum_to_size(self: Tensor, size: Ints) -> Tensor:
    """Sum `self` over the dimensions along which a tensor of sizes `size` would have been expanded to `self`.

    Raises:
        RuntimeError: it does not expand to that.
    """
    if not is_expandable_to(size, self._sizes):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(self._sizes)}}}.")
    return sum_to(self, size) if size else at.sum(self)


def broadcast_tensors(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Expand all tensors to their common broadcast sizes; return a tensor that already has these sizes as it is.

    Raises:
        RuntimeError: they do not broadcast.

    Source: expand_outplace (aten/src/ATen/ExpandUtils.h).
    """
    sizes = geometry.broadcast_shapes(*[tensor._sizes for tensor in tensors])
    return tuple([tensor if tensor._sizes == sizes else at.expand(tensor, sizes) for tensor in tensors])
