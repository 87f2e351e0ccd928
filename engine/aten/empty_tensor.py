"""New memory with a geometry over it, below the dispatcher. Mirrors aten/src/ATen/EmptyTensor.cpp."""

import functools

import numpy as np

from .. import strides as geometry
from ..dispatch.keys import AUTOGRAD_FUNCTIONALITIES, KEY_SETS, DispatchKey, bits, without
from ..dtypes import CPU, CUDA, device, dtype
from ..slots import is_inference_mode
from ..storage import ALIGNED_FROM, UntypedStorage, allocate
from ..strides import Ints
from ..tensor_impl import UNTRACKED, Tensor

SMALL = ALIGNED_FROM // 8  # elements, whatever their dtype, which need not begin at a cache line
LARGEST = 2**63 - 1  # bytes of a storage: PyTorch counts them with 64 bits

_CPU_KEYS = KEY_SETS["cpu"]
_INFERENCE_KEYS = AUTOGRAD_FUNCTIONALITIES | bits(DispatchKey.ADInplaceOrView)
inference_modes = 0
"""Number of active inference modes, in all threads."""

_new = object.__new__
_empty = np.empty


def new_tensor(sizes: Ints, strides: Ints, dtype: dtype, device: device = CPU) -> Tensor:
    """Return an uninitialized tensor with a storage of its own, just large enough for the geometry.

    Args:
        sizes, strides: geometry, in elements.
        dtype: of the elements.
        device: "cpu", a device with an allocator, or "meta", where no memory is taken.
    Raises:
        RuntimeError: a size is negative, or all of them are too large.
        NotImplementedError: a device without memory in this engine.
    """
    cells = _cells(sizes, strides)
    if device is CPU:
        return new_dense(sizes, strides, cells, dtype)
    if device.type == "cuda":
        device = cuda_device(device)
    if cells * dtype.itemsize > LARGEST:
        raise too_large(sizes, strides)
    storage = UntypedStorage(cells * dtype.itemsize, device)
    return as_inference(Tensor(storage, sizes, strides, 0, dtype, KEY_SETS[device.type]))


def cuda_device(device: device) -> device:
    """Return the one device object for the GPU, since tensors compare devices by identity first.

    Raises:
        RuntimeError: another GPU than the first.
    """
    if device.index not in (None, 0):
        raise RuntimeError(f"CUDA error: invalid device ordinal: {device} was asked for, the engine uses cuda:0")
    return CUDA


def count_inference_modes(change: int) -> None:
    """Add `change` to the number of active inference modes in all threads; at 0, new tensors skip the check for one."""
    global inference_modes
    inference_modes += change


def as_inference(made: Tensor) -> Tensor:
    """Remove the autograd keys and the version counter from a new tensor if inference mode is on."""
    if is_inference_mode():
        made._key_set = without(made._key_set, _INFERENCE_KEYS)
        made._version_counter = UNTRACKED
    return made


@functools.lru_cache(maxsize=4096)
def _cells(sizes: Ints, strides: Ints) -> int:
    for size in sizes:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {list(sizes)}")
    return geometry.compute_storage_nbytes(sizes, strides, 1)


def too_large(sizes: Ints, strides: Ints) -> RuntimeError:
    """Return the error for a geometry that needs more than `LARGEST` bytes."""
    lies = "" if strides == contiguous_strides(sizes) else f" and strides={list(strides)}"
    return RuntimeError(f"Storage size calculation overflowed with sizes={list(sizes)}{lies}")


@functools.lru_cache(maxsize=4096)
def contiguous_strides(sizes: Ints) -> Ints:
    """Return what `strides.contiguous_strides` returns, computed once for each `sizes`."""
    return geometry.contiguous_strides(sizes)


def new_dense(sizes: Ints, strides: Ints, numel: int, scalar_type: dtype) -> Tensor:
    """Return a new dense tensor on the CPU, as `new_tensor` does but faster: the allocation of every small operation.

    Args:
        numel: number of elements, which are also the cells of the storage.
    Raises:
        RuntimeError: not enough memory.
    """
    if numel <= SMALL:
        cells = _empty(numel, scalar_type.numpy)
    elif numel * scalar_type.itemsize <= LARGEST:
        cells = allocate(numel * scalar_type.itemsize).view(scalar_type.numpy)
    else:
        raise too_large(sizes, strides)
    # Field by field and not by __init__, because this is a third of the cost of an operation on a few elements.
    storage = _new(UntypedStorage)
    storage._cells, storage._nbytes = cells, numel * scalar_type.itemsize
    storage.device, storage._resizable = CPU, True
    made = _new(Tensor)
    made._storage, made._sizes, made._strides = storage, sizes, strides
    made._storage_offset, made._dtype, made._key_set = 0, scalar_type, _CPU_KEYS
    made._elements, made._version_counter = cells, None
    made._wrapped_number, made._autograd_meta = False, None
    return made if not inference_modes else as_inference(made)
