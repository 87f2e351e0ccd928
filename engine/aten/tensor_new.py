"""New tensors from Python's data: a number, nested sequences, a NumPy array.

Mirrors torch/csrc/utils/tensor_new.cpp.
"""

import functools
import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..dispatch.keys import DispatchKey, bits
from ..dispatch.local import is_subclass_like, local
from ..dtypes import INTEGRAL, OF_NUMPY, OF_PYTHON, float32, float64, get_default_dtype, uint8
from ..strides import Ints
from ..tensor_impl import Tensor
from .at import at
from .empty_tensor import contiguous_strides, new_tensor
from .halves import elements_of
from .tensor_numpy import from_numpy, lifted
from .type_promotion import PROMOTION_ORDER, promote_types

Dtype = dtypes.dtype

FUNCTIONAL = bits(DispatchKey.Functionalize)
_EMPTY = object()  # marks the entry that an empty sequence does not have


def tensor(
    data: Any,
    dtype: Dtype | None = None,
    device: dtypes.device | None = None,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor that copies `data`: a number, nested sequences, a NumPy array or a tensor.

    Without a dtype: bool if all is bool, the default dtype if there is a float, else int64; an array's own.

    Raises:
        ValueError: sequences of one level differ in length, an int has more than 64 bits; as `from_numpy`.
        TypeError: an entry is not a number, or an array's dtype has no counterpart.
        RuntimeError: a number does not fit the dtype; an option that needs a part that is not there yet.
    """
    if pin_memory:
        raise RuntimeError("pin_memory=True needs a part of the engine that is not there yet")
    dtype = dtypes.as_dtype(dtype, None)
    if isinstance(data, np.ndarray):
        made = from_numpy(data)
    elif isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            stacklevel=2,
        )
        made = at.detach(data) if is_subclass_like(data) else data
    else:
        made = lifted(_of_sequences(data, dtype))
        if made._key_set & FUNCTIONAL:
            at.detach_(made)  # PyTorch does so with each tensor, and functionalize makes a view of it
        return made if device is None else at.to_device(made, device, made._dtype)
    return at._to_copy(made, dtype, None, device)


def as_tensor(data: Any, *, dtype: Dtype | None = None, device: dtypes.device | None = None) -> Tensor:
    """Return `data` as a tensor, sharing the memory of a tensor or an array if the dtype and the device stay."""
    dtype = dtypes.as_dtype(dtype, None)
    if isinstance(data, np.ndarray) and data.dtype in OF_NUMPY:
        data = from_numpy(data)
    if isinstance(data, Tensor) and dtype is device is None:
        return data
    if isinstance(data, Tensor):
        return at.to_dtype_layout(data, dtype, None, device)
    return tensor(data, dtype=dtype, device=device)


def _of_sequences(data: Any, dtype: Dtype | None) -> Tensor:
    number = _class_of_entries(data)
    sizes = compute_sizes(data) if number is None else (len(data),)
    scalar_type = dtype or (infer_scalar_type(data) if number is None else _dtype_of_class(number))
    made = new_tensor(sizes, contiguous_strides(sizes), scalar_type)
    if number is float and scalar_type in (float32, float64):  # C's conversion makes what is too large infinite
        made._flat().data[:] = array(scalar_type.numpy.char, data)
    elif 0 not in sizes:
        made._flat()[:] = _converted(np.array(data).ravel(), scalar_type)
    return made


def _class_of_entries(data: Any) -> type | None:
    """Return the class that all numbers of a flat list have; None for any other data."""
    classes = set(map(type, data)) if type(data) is list else set()
    number = classes.pop() if len(classes) == 1 else None
    return number if number in OF_PYTHON else None


def _dtype_of_class(number: type) -> Dtype:
    return get_default_dtype() if number is float else OF_PYTHON[number]


def _converted(numbers: np.ndarray, scalar_type: Dtype) -> np.ndarray:
    """Convert Python's numbers to elements of a dtype; numbers too large for a floating-point one become infinite."""
    if scalar_type.is_floating_point:
        return elements_of(numbers.astype(np.float64), scalar_type)
    if numbers.dtype.kind in "uO":
        raise ValueError("Overflow when unpacking long long")
    if scalar_type.category == INTEGRAL and numbers.dtype.kind != "b":
        bounds = np.iinfo(scalar_type.numpy)
        lowest = -255 if scalar_type is uint8 and numbers.dtype.kind == "i" else bounds.min  # as `checked_convert`
        if not np.all((numbers >= lowest) & (numbers <= bounds.max)):  # nan is not
            raise RuntimeError(f"value cannot be converted to type {scalar_type.name} without overflow")
    return numbers.astype(scalar_type.numpy)


# ---- nested sequences: their shape, and the dtype they ask for


def compute_sizes(data: Any) -> Ints:
    """Return the sizes of nested sequences, from the first entry of each level; the other entries are checked.

    Raises:
        ValueError: sequences of one level differ in length, or end in a string.
        TypeError: a string, or a number where others have a sequence, or the other way round.
    """
    sizes: list[int] = []
    first = data
    while _is_sequence(first):
        sizes.append(len(first))
        if not len(first):
            return tuple(sizes)
        first = first[0]
    if isinstance(first, (str, bytes)):
        if sizes:
            raise ValueError(f"too many dimensions '{type(first).__name__}'")
        raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
    _check(data, sizes, 0)
    return tuple(sizes)


def infer_scalar_type(data: Any) -> Dtype:
    """Return the widest dtype among the entries: int64 for ints, the default dtype for floats or an empty sequence.

    Raises:
        TypeError: an entry is a string.
        RuntimeError: an entry is not a number.
    """
    return functools.reduce(promote_types, map(_dtype_of, _entries(data)))


def _dtype_of(entry: Any) -> Dtype:
    scalar_type = getattr(entry, "dtype", None)
    if scalar_type is not None:
        entry, scalar_type = entry.item(), OF_NUMPY.get(scalar_type, scalar_type)
    elif type(entry) in OF_PYTHON:
        scalar_type = _dtype_of_class(type(entry))
    elif entry is _EMPTY:
        scalar_type = get_default_dtype()
    if isinstance(entry, str):
        raise TypeError(f"new(): invalid data type '{type(entry).__name__}'")
    if scalar_type not in PROMOTION_ORDER:
        raise RuntimeError(f"Could not infer dtype of {type(entry).__name__}")
    return scalar_type


def _is_sequence(data: Any) -> bool:
    if isinstance(data, (str, bytes)) or getattr(data, "ndim", None) == 0:
        return False
    return isinstance(data, Sequence) or hasattr(data, "ndim")


def _check(data: Any, sizes: Sequence[int], depth: int) -> None:
    if depth == len(sizes):
        if _is_sequence(data):
            raise TypeError(f"'{type(data).__name__}' object cannot be interpreted as a number")
        return
    if not _is_sequence(data):
        raise TypeError(f"expected a sequence at dim {depth} (got {type(data).__name__})")
    if len(data) != sizes[depth]:
        raise ValueError(f"expected sequence of length {sizes[depth]} at dim {depth} (got {len(data)})")
    for entry in data:
        _check(entry, sizes, depth + 1)


def _entries(data: Any) -> Iterator[Any]:
    if _is_sequence(data):
        for entry in data:
            yield from _entries(entry)
        if not len(data):
            yield _EMPTY
    else:
        yield data


# ---- what factories share


def below_autograd(operator: Callable[..., Any], *arguments: Any) -> Any:
    """Call a factory below the autograd and ADInplaceOrView keys, so that the new tensor has version 0.

    Source: torch/csrc/autograd/generated/variable_factories.h, which holds AutoDispatchBelowADInplaceOrView.
    """
    state = local.state
    local.state = state.below
    try:
        return operator(*arguments)
    finally:
        local.state = state


def with_requires_grad(made: Tensor, requires_grad: bool | None) -> Tensor:
    """Return the new tensor of a factory, with `requires_grad` set if requested.

    Raises:
        RuntimeError: it is of integers or bools.
    """
    if not requires_grad:
        return made
    if not made._dtype.is_floating_point:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    made.requires_grad = True  # type: ignore[attr-defined]  # `requires_grad_` refuses inside transforms
    return made
