"""Nested Python sequences as data: their shape and the dtype they ask for.

Mirrors compute_sizes and infer_scalar_type in torch/csrc/utils/tensor_new.cpp.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..dtypes import bool_, dtype, get_default_dtype, int64
from ..strides import Ints


def nested_shape(data: Any) -> Ints:
    """Sizes of nested sequences, read off the first entry of each level and then checked.

    Raises:
        ValueError: sequences of one level differ in length.
    """
    sizes: list[int] = []
    first = data
    while _is_sequence(first):
        sizes.append(len(first))
        if not len(first):
            break
        first = first[0]
    _check(data, sizes, 0)
    return tuple(sizes)


def infer_dtype(data: Any) -> dtype:
    """bool if every entry is a bool, the default dtype if one is a float (or there is none), else int64.

    Raises:
        TypeError: an entry is no number.
    """
    kinds = set()
    for entry in _entries(data):
        if not isinstance(entry, (bool, int, float)):
            if hasattr(entry, "dtype") and hasattr(entry, "item"):
                entry = entry.item()
            if isinstance(entry, str):
                raise TypeError(f"new(): invalid data type '{type(entry).__name__}'")
            if not isinstance(entry, (bool, int, float)):
                raise RuntimeError(f"Could not infer dtype of {type(entry).__name__}")
        kinds.add(bool if isinstance(entry, bool) else float if isinstance(entry, float) else int)
    if not kinds or float in kinds:
        return get_default_dtype()
    return bool_ if kinds == {bool} else int64


def _is_sequence(data: Any) -> bool:
    if isinstance(data, (str, bytes)) or getattr(data, "ndim", None) == 0:
        return False
    return isinstance(data, Sequence) or hasattr(data, "ndim")


def _check(data: Any, sizes: Sequence[int], depth: int) -> None:
    if depth == len(sizes):
        if _is_sequence(data):
            raise ValueError("only one element tensors can be converted to Python scalars")
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
    else:
        yield data
