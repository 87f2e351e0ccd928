"""NumPy's memory as a tensor, and a tensor's as an array: nothing is copied.

Mirrors torch/csrc/utils/tensor_numpy.cpp.
"""

from typing import Any

import numpy as np

from .. import dtypes
from .. import strides as geometry
from ..dispatch.keys import KEY_SETS, PYTHON
from ..dispatch.local import is_subclass_like
from ..slots import is_grad_enabled
from ..storage import UntypedStorage
from ..tensor_impl import Tensor
from .at import at
from .empty_tensor import as_inference


def from_numpy(data: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array; a write to either is seen in both.

    Raises:
        TypeError: not an array, or a dtype without a counterpart.
        ValueError: a negative stride, one that is not a multiple of the itemsize, or bytes in the other order.
    """
    if not isinstance(data, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(data).__name__})")
    if not data.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )
    kind = of_numpy(data.dtype)
    if any(step < 0 for step in data.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if any(step % kind.itemsize for step in data.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate "
            "the memory."
        )
    strides = tuple(step // kind.itemsize for step in data.strides)
    nbytes = geometry.compute_storage_nbytes(data.shape, strides, kind.itemsize)
    cells = np.lib.stride_tricks.as_strided(data, (nbytes // kind.itemsize,), (kind.itemsize,))
    return lifted(as_inference(Tensor(UntypedStorage.wrap(cells), data.shape, strides, 0, kind, KEY_SETS["cpu"])))


def lifted(made: Tensor) -> Tensor:
    """Return a tensor that was made of data; the thread's modes see it come up as the operator `lift_fresh`.

    Source: at::lift_fresh (aten/src/ATen/native/TensorFactories.cpp).
    """
    return at.lift_fresh(made) if is_subclass_like() else made


def of_numpy(kind: np.dtype) -> dtypes.dtype:
    """Return the engine's dtype for a NumPy dtype.

    Raises:
        TypeError: there is none.
    """
    if kind not in dtypes.OF_NUMPY:
        *supported, last = reversed(dtypes.OF_NUMPY)
        raise TypeError(
            f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. "
            f"The only supported types are: {', '.join(known.name for known in supported)}, and {last.name}."
        )
    return dtypes.OF_NUMPY[kind]


def numpy(self: Tensor) -> np.ndarray:
    """Return the elements as a NumPy array that shares the storage.

    Raises:
        TypeError: the tensor is not in the CPU's memory.
    """
    device = self._storage.device
    if device.type != "cpu":
        raise TypeError(
            f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
            "first."
        )
    kind = np.dtype(np.float16) if self._dtype is dtypes.float16 else self._dtype.numpy
    if 0 in self._sizes:
        return np.empty(self._sizes, kind)
    return np.ndarray(
        self._sizes,
        kind,
        buffer=self._flat().data,
        offset=self._storage_offset * kind.itemsize,
        strides=tuple([stride * kind.itemsize for stride in self._strides]),
    )


def checked_numpy(self: Tensor) -> np.ndarray:
    """Return `numpy(self)` unless autograd would miss writes to the array. The storage can't be resized afterwards.

    Raises:
        RuntimeError: the tensor requires grad, and operators record; or its class answers calls of operators.
    """
    if self._key_set & PYTHON:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    if self.requires_grad and is_grad_enabled():
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self._dtype is dtypes.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    array = numpy(at.detach(self) if is_subclass_like() else self)
    self._storage._resizable = False
    return array


def to_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """Return the tensor as a NumPy array: `Tensor.__array__`, which `numpy.asarray(x)` calls.

    Raises:
        ValueError: `copy` is False and the dtype needs one.
    """
    array = checked_numpy(self)
    if copy is False and dtype not in (None, array.dtype):
        raise ValueError(f"a copy is needed to convert {self.dtype} to {dtype}")
    return array.astype(dtype or array.dtype, copy=bool(copy))
