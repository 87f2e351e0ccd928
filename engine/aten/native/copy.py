"""Elements from one tensor to another: copy_, clone, contiguous.

Mirrors aten/src/ATen/native/Copy.cpp, and clone of aten/src/ATen/native/TensorFactories.cpp.
"""

import functools

from ... import dtypes
from ... import strides as geometry
from ...dtypes import CPU, contiguous_format, preserve_format
from ...strides import Ints, MemOverlap
from ...tensor_impl import Tensor, is_contiguous
from ..at import at
from ..memory_overlap import assert_no_internal_overlap, assert_no_partial_overlap
from ..stubs import DispatchStub
from .tensor_factories import like

MEMORY = 4096  # geometries that a memo keeps

copy_stub = DispatchStub("copy_stub")
"""kernel(self, src): write the elements of `src`, broadcast and converted, into `self`, without further checks."""


def copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    """Write the elements of `src`, broadcast to the sizes of `self` and converted to its dtype, into `self`.

    Args:
        non_blocking: whether the call may return before a copy between devices is done.
    Raises:
        RuntimeError: the sizes do not broadcast; `self` holds a cell twice; the two share some of their cells.
        NotImplementedError: `src` is on the meta device, `self` is not.
    """
    if self is src:
        return self
    to, of = self._storage.device, src._storage.device
    if (to is not of and to != of) or to.type not in copy_stub.kernels:
        return _copy_between_devices(self, src)
    if self._storage is src._storage:
        if _is_same(self, src):
            return self
        assert_no_partial_overlap(self, src)
    if not _is_writable(self._sizes, self._strides):
        assert_no_internal_overlap(self._sizes, self._strides)
    if self._sizes != src._sizes:
        _require_broadcast(self._sizes, src._sizes)
    copy_stub.kernels[to.type](self, src)
    return self


def _is_same(self: Tensor, src: Tensor) -> bool:
    """Return True if two tensors over one storage have the same elements in the same places."""
    geometries = [(x._storage_offset, x._sizes, x._strides, x._dtype) for x in (self, src)]
    return geometries[0] == geometries[1]


@functools.lru_cache(MEMORY)
def _is_writable(sizes: Ints, strides: Ints) -> bool:
    """Return True if each element of the target has a cell of its own."""
    return geometry.has_internal_overlap(sizes, strides) is not MemOverlap.YES


@functools.lru_cache(MEMORY)
def _require_broadcast(sizes: Ints, src_sizes: Ints) -> None:
    """Raise RuntimeError if the sizes of the source do not broadcast to the sizes of the target."""
    shape = geometry.broadcast_shapes(sizes, src_sizes)
    if shape != sizes:
        raise RuntimeError(f"output with shape {list(sizes)} doesn't match the broadcast shape {list(shape)}")


def _copy_between_devices(self: Tensor, src: Tensor) -> Tensor:
    if self._sizes != src._sizes:
        _require_broadcast(self._sizes, src._sizes)
    to, of = self.device.type, src.device.type
    if to == "meta":
        return self
    if of == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    kernels = copy_stub.kernels
    kernels[next((device for device in (to, of) if device != "cpu" and device in kernels), "cpu")](self, src)
    return self


def copy(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    """Return a clone of `self` with the elements of `src` copied into it: `copy_` without mutation."""
    return at.copy_(at.clone(self), src, non_blocking)


def copy_meta(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    """Return the result of `copy` on the meta device: a new meta tensor like `self`."""
    return at.empty_like(self)


def clone(self: Tensor, memory_format: dtypes.memory_format | None) -> Tensor:
    """Return a copy with its own storage, which by default preserves the memory format of `self`."""
    return copied(like(self)(self, None, None, None, None, memory_format), self, False)


def copied(made: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    """Return `made.copy_(src)`; on the CPU, call the kernel without checks: `made` is new and has the same sizes."""
    if made._storage.device is not CPU or src._storage.device is not CPU:
        return at.copy_(made, src, non_blocking)
    copy_stub.kernels["cpu"](made, src)
    return made


def contiguous(self: Tensor, memory_format: dtypes.memory_format) -> Tensor:
    """Return `self` if it is contiguous in `memory_format`, else a contiguous copy.

    Raises:
        RuntimeError: preserve_format of a tensor that is not contiguous.
    """
    if memory_format is contiguous_format:
        return self if is_contiguous(self._sizes, self._strides) else at.clone(self, memory_format=memory_format)
    if self.is_contiguous(memory_format=memory_format):
        return self
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return at.clone(self, memory_format=memory_format)
