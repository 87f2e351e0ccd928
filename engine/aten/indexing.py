"""`x[...]` with ints, slices, None and Ellipsis: a chain of views. Reading copies nothing.

Mirrors torch/csrc/autograd/python_variable_indexing.cpp (applySlicing).
"""

import operator
from collections.abc import Iterator
from typing import Any

from ..tensor_impl import Tensor
from .copy import copy_, fill_
from .factories import as_tensor
from .registry import op
from .views import detach, select, slice_, unsqueeze

Index = Any


@op("__getitem__(Tensor(a) self, Index index) -> Tensor(a)")
def getitem(self: Tensor, index: Index) -> Tensor:
    """The view that `x[index]` names.

    Args:
        index: an int, slice, None or Ellipsis, or a tuple of them.
    Raises:
        IndexError: an int is out of bounds, or there are more indices than dimensions.
        ValueError: a slice whose step is not positive.
        NotImplementedError: an index that needs gather (a list, a bool, a tensor).
    """
    indices = index if isinstance(index, tuple) else (index,)
    view, dim = detach(self), 0
    for entry in _without_ellipsis(self, indices):
        if entry is None:
            view = unsqueeze(view, dim)
            dim += 1
        elif isinstance(entry, slice):
            view = _slice(view, dim, entry)
            dim += 1
        else:
            view = _select(view, dim, _as_int(entry))
    return view


@op("__setitem__(Tensor(a!) self, Index index, Tensor value) -> ()")
def setitem(self: Tensor, index: Index, value: Any) -> None:
    """Write `value`, a number or a tensor that broadcasts, into the view that `x[index]` names."""
    target = getitem(self, index)
    if isinstance(value, (bool, int, float)):
        fill_(target, value)
        return
    source = as_tensor(value)
    while source.dim() > target.dim() and source.size(0) == 1:  # leading ones are dropped, as PyTorch does
        source = select(source, 0, 0)
    copy_(target, source)


def _without_ellipsis(self: Tensor, indices: tuple) -> Iterator[Index]:
    """The indices with each dimension that `...` stands for as a full slice."""
    _require_basic(indices)
    consuming = sum(entry is not None and entry is not Ellipsis for entry in indices)
    ndim = self.dim()
    if consuming > ndim:
        if not ndim and consuming == 1 and not isinstance(indices[0], slice):
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                "convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    for entry in indices:
        if entry is Ellipsis:
            yield from [slice(None)] * (ndim - consuming)
            consuming = ndim  # a second `...` stands for nothing
        else:
            yield entry


def _require_basic(indices: tuple) -> None:
    for entry in indices:
        advanced = isinstance(entry, (bool, list, tuple)) or getattr(entry, "ndim", 0) > 0
        if advanced or str(getattr(entry, "dtype", "")).endswith("bool"):
            raise NotImplementedError(
                f"indexing with a {type(entry).__name__} needs gather, which is not there yet: "
                "ints, slices, None and ... are"
            )


def _slice(view: Tensor, dim: int, entry: slice) -> Tensor:
    start, stop, step = (None if bound is None else _as_int(bound) for bound in (entry.start, entry.stop, entry.step))
    step = 1 if step is None else step
    if step <= 0:
        raise ValueError("step must be greater than zero")
    return slice_(view, dim, start, stop, step)


def _select(view: Tensor, dim: int, index: int) -> Tensor:
    size = view.shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return select(view, dim, index)


def _as_int(entry: Index) -> int:
    try:
        return operator.index(entry)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type(entry).__name__})"
        ) from None
