"""Nested Python sequences as data: their shape and the dtype they ask for.

Mirrors compute_sizes and infer_scalar_type in torch/csrc/utils/tensor_new.cpp.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..dtypes import OF_NUMPY, OF_PYTHON, bool_, dtype, float32, float64, get_default_dtype, int32, int64
from ..strides import Ints

NARROWEST_FIRST = (bool_, int32, int64, float32, float64)  # of two dtypes in one sequence, the later one wins


_EMPTY = object()  # stands for the entry that an empty sequence does not have


def nested_shape(data: Any) -> Ints:
    """Sizes of nested sequences, read off the first entry of each level and, if there are entries, checked.

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


def infer_dtype(data: Any) -> dtype:
    """The widest dtype of the entries: int64 for an int, the default dtype for a float or an empty sequence.

    Raises:
        TypeError: an entry is a string.
        RuntimeError: an entry is no number.
    """
    return max(map(_dtype_of, _entries(data)), key=NARROWEST_FIRST.index)


def _dtype_of(entry: Any) -> dtype:
    kind = getattr(entry, "dtype", None)
    if kind is not None:
        entry, kind = entry.item(), OF_NUMPY.get(kind, kind)
    elif type(entry) in OF_PYTHON:
        kind = get_default_dtype() if isinstance(entry, float) else OF_PYTHON[type(entry)]
    elif entry is _EMPTY:
        kind = get_default_dtype()
    if isinstance(entry, str):
        raise TypeError(f"new(): invalid data type '{type(entry).__name__}'")
    if kind not in NARROWEST_FIRST:
        raise RuntimeError(f"Could not infer dtype of {type(entry).__name__}")
    return kind


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
