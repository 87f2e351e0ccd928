"""New tensors from data: a number, nested sequences, a NumPy array.

Mirrors torch/csrc/utils/{tensor_new,tensor_numpy}.cpp.
"""

import warnings
from typing import Any

import numpy as np

from .. import dtypes
from .. import strides as geometry
from ..storage import UntypedStorage
from ..tensor_impl import Tensor, new_tensor
from .copy import copy_elements
from .factories import Dtype, check_options, strides_like, to_dtype
from .nested import infer_dtype, nested_shape
from .registry import op


@op("tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor")
def tensor(data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """A tensor that copies `data`: a number, nested sequences, a NumPy array or a tensor.

    Without a dtype: bool if all is bool, the default dtype if there is a float, else int64; an array's own.

    Raises:
        ValueError: sequences of one level differ in length.
        TypeError: an entry is no number, or an array's dtype has no counterpart.
    """
    check_options(options)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()",
            stacklevel=2,
        )
        return copy_elements(new_tensor(data._sizes, strides_like(data, None), dtypes.as_dtype(dtype, data._dtype)), data)
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.asarray(data)
        kind = of_numpy(array.dtype) if dtype is None else dtypes.as_dtype(dtype)
    else:
        sizes = nested_shape(data)
        kind = infer_dtype(data) if dtype is None else dtypes.as_dtype(dtype)
        array = _array(data, kind).reshape(sizes)
    made = new_tensor(array.shape, geometry.contiguous_strides(array.shape), kind)
    made._flat()[: array.size] = array.astype(kind.numpy).ravel()
    return made


@op("as_tensor(t[] data, *, ScalarType? dtype=None, Device? device=None) -> Tensor")
def as_tensor(data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """`data` as a tensor, sharing the memory of a tensor or an array if the dtype stays."""
    check_options(options)
    if isinstance(data, np.ndarray) and data.dtype in dtypes.OF_NUMPY:
        data = from_numpy(data)
    if isinstance(data, Tensor):
        return data if dtype in (None, data._dtype) else to_dtype(data, dtype)
    return tensor(data, dtype=dtype)


@op("from_numpy(ndarray data) -> Tensor")
def from_numpy(data: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array; a write to either is seen in both.

    Raises:
        TypeError: not an array, or a dtype without a counterpart.
        ValueError: a negative stride, or one that is no multiple of the itemsize.
    """
    if not isinstance(data, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(data).__name__})")
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
    return Tensor(UntypedStorage.wrap(cells.view(np.uint8)), data.shape, strides, 0, kind)


def of_numpy(kind: np.dtype) -> Dtype:
    """Counterpart of a NumPy dtype.

    Raises:
        TypeError: there is none.
    """
    if kind not in dtypes.OF_NUMPY:
        supported = ", ".join(known.name for known in dtypes.OF_NUMPY)
        raise TypeError(
            f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. "
            f"The only supported types are: {supported}."
        )
    return dtypes.OF_NUMPY[kind]


def _array(data: Any, kind: Dtype) -> np.ndarray:
    try:
        return np.array(data, np.float64 if kind.is_floating_point else None).astype(kind.numpy)
    except OverflowError:
        raise RuntimeError("Overflow when unpacking long long") from None
