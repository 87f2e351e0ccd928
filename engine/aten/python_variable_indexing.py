"""`x[...]` with ints, slices, None and Ellipsis: a chain of views. Reading copies nothing.

Mirrors torch/csrc/autograd/python_variable_indexing.cpp (applySlicing).
"""

import operator
from typing import Any

from ..tensor_impl import Tensor
from .at import at

Index = Any
BASIC = frozenset({int, slice, type(None), type(Ellipsis)})
PLAIN_BOUNDS = frozenset({int, type(None)})


def getitem(self: Tensor, index: Index) -> Tensor:
    """The view that `x[index]` names.

    After a second `...` PyTorch reads past the end of the sizes, and a full slice there may pass; here it raises
    IndexError, because there is no such dimension.

    Args:
        index: an int, slice, None or Ellipsis, or a tuple of them.
    Raises:
        IndexError: an int is out of bounds, or there are more indices than dimensions.
        ValueError: a slice whose step is not positive.
        TypeError: a bound of a slice that is no integer, or a str.
        NotImplementedError: an index that needs gather (a list, a bool, a tensor).
    """
    if type(index) is int and self._sizes:
        return _select(self, 0, index, 0)
    indices = index if isinstance(index, tuple) else (index,)
    skipped = self.dim() - _consumed(self, index, indices)
    view, dim = self, 0
    for position, entry in enumerate(indices):
        if entry is Ellipsis:
            dim += skipped
        elif entry is None:
            view = at.unsqueeze(view, dim)
            dim += 1
        elif isinstance(entry, slice):
            view = at.slice_Tensor(view, dim, *_bounds(entry))
            dim += 1
        else:
            view = _select(view, dim, _as_int(entry), position)
    return at.alias(view) if view is self else view  # x[...] is another tensor, not x


def setitem(self: Tensor, index: Index, value: Any) -> None:
    """Write `value`, a number or a tensor that broadcasts, into the view that `x[index]` names.

    Raises:
        TypeError: `value` is neither.
        ValueError: an int of more than 64 bits.
        IndexError, ValueError, NotImplementedError: as `getitem`.
        RuntimeError: a number that does not fit the dtype; and as `copy_`.
    """
    if not isinstance(value, (Tensor, bool, int, float)):
        raise TypeError(f"can't assign a {type(value).__name__} to a tensor of {self._dtype}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    options = (self._dtype, None, self._storage.device, None)
    source: Tensor = value if isinstance(value, Tensor) else at.full((), value, *options)
    target = getitem(self, index)
    while source.dim() > target.dim() and source._sizes[0] == 1:  # leading ones are dropped, as PyTorch does
        source = at.select_int(source, 0, 0)
    at.copy_(target, source)


def _consumed(self: Tensor, index: Index, indices: tuple) -> int:
    """Number of dimensions that the indices take; the others are those that `...` stands for, or the last ones."""
    _require_basic(indices)
    consumed = sum(entry is not None and entry is not Ellipsis for entry in indices)
    if consumed > self.dim():
        if isinstance(index, slice):
            _bounds(index)
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        if not isinstance(index, tuple):
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                "convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
    return consumed


def _require_basic(indices: tuple) -> None:
    for entry in indices:
        if type(entry) in BASIC:
            continue
        advanced = isinstance(entry, (bool, list, tuple)) or getattr(entry, "ndim", 0) > 0
        if advanced or str(getattr(entry, "dtype", "")).endswith("bool"):
            raise NotImplementedError(
                f"indexing with a {type(entry).__name__} needs gather, which is not there yet: "
                "ints, slices, None and ... are"
            )


def _bounds(entry: slice) -> tuple[int | None, int | None, int]:
    """Start, stop and step of a slice."""
    if entry.step is None and type(entry.start) in PLAIN_BOUNDS and type(entry.stop) in PLAIN_BOUNDS:
        return entry.start, entry.stop, 1
    _, _, step = entry.indices(0)  # raises what Python raises for a step of 0 and for bounds that are no integers
    if step < 0:
        raise ValueError("step must be greater than zero")
    start, stop = (None if bound is None else operator.index(bound) for bound in (entry.start, entry.stop))
    return start, stop, step


def _select(view: Tensor, dim: int, index: int, position: int) -> Tensor:
    size = view._sizes[dim] if dim < len(view._sizes) else None
    if size is not None and not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")
    return at.select_int(view, dim, index)


def _as_int(entry: Index) -> int:
    if isinstance(entry, str):
        raise TypeError("new(): invalid data type 'str'")
    try:
        return operator.index(entry)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type(entry).__name__})"
        ) from None
