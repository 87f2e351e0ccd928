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
from .factories import Dtype, check_options, to_dtype
from .nested import infer_dtype, nested_shape
from .registry import op


@op("tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor")
def tensor(data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """A tensor that copies `data`: a number, nested sequences, a NumPy array or a tensor.

    Without a dtype: bool if all is bool, the default dtype if there is a float, else int64; an array's own.

    Raises:
        ValueError: sequences of one level differ in length, an int has more than 64 bits; as `from_numpy`.
        TypeError: an entry is no number, or an array's dtype has no counterpart.
        RuntimeError: a number does not fit the dtype.
    """
    check_options(options)
    if isinstance(data, np.ndarray):
        return to_dtype(from_numpy(data), dtype, copy=True)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()",
            stacklevel=2,
        )
        return to_dtype(data, dtype, copy=True)
    sizes = nested_shape(data)
    kind = dtypes.as_dtype(dtype, None) or infer_dtype(data)
    made = new_tensor(sizes, geometry.contiguous_strides(sizes), kind)
    if 0 not in sizes:
        made._flat()[:] = _converted(np.array(data).ravel(), kind)
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
        ValueError: a negative stride, one that is no multiple of the itemsize, or bytes in the other order.
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


def _converted(numbers: np.ndarray, kind: Dtype) -> np.ndarray:
    """Python's numbers as elements of a dtype; those too large for a floating-point one become infinite."""
    if kind.is_floating_point:
        with np.errstate(over="ignore"):
            return numbers.astype(np.float64).astype(kind.numpy)
    if numbers.dtype.kind in "uO":
        raise ValueError("Overflow when unpacking long long")
    if kind.numpy.kind == "i" and numbers.dtype.kind != "b":
        bounds = np.iinfo(kind.numpy)
        if not np.all((numbers >= bounds.min) & (numbers <= bounds.max)):  # nan is not
            raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
    return numbers.astype(kind.numpy)
