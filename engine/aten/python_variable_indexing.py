"""`x[...]`: a chain of views for ints, slices, None and Ellipsis; then, for tensors, lists and bools, `index`.

Mirrors torch/csrc/autograd/python_variable_indexing.cpp (applySlicing).
"""

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..dispatch.keys import DispatchKey, bits
from ..strides import Ints
from ..tensor_impl import Tensor
from . import tensor_new
from .at import at
from .invalid_arguments import type_name
from .scalar_ops import scalar_to_tensor
from .type_promotion import SCALAR_TYPE_NAMES

Index = Any
Recorded = list[Tensor | None]  # the tensors among the indices, by the dimension that they index
PLAIN = frozenset({int, slice})
PLAIN_BOUNDS = frozenset({int, type(None)})
LAST = 2**63 - 1  # the stop of a slice that says none
BATCHED = bits(DispatchKey.FuncTorchBatched)
MOST_NESTED = 32  # entries; a longer list is never taken for a tuple


def getitem(self: Tensor, index: Index) -> Tensor:
    """Return the elements that `x[index]` selects: a view, or a copy if there are tensors among the indices.

    After a second `...` PyTorch reads past the end of the sizes, and a full slice there may pass; here it raises
    IndexError, because there is no such dimension.

    Args:
        index: an int, slice, None, Ellipsis, bool, tensor or sequence of numbers, or a tuple of them.
    Raises:
        IndexError: a position is out of bounds, there are more indices than dimensions, or an entry is not an index.
        ValueError: a slice whose step is not positive.
        TypeError: a bound of a slice that is not an integer, or a str.
    """
    if self._sizes:
        if type(index) is int:
            return _select(self, 0, index, 0)
        if type(index) is slice:
            return at.slice_Tensor(self, 0, *_bounds(index))
    tensors = _only_tensors(self, index)
    if tensors:
        return at.index_Tensor(self, tensors)
    recorded: Recorded = []
    view = _sliced(self, index, recorded)
    if recorded:
        return at.index_Tensor(view, tuple(recorded))
    return at.alias(view) if view is self else view  # x[...] is another tensor, not x


def setitem(self: Tensor, index: Index, value: Any) -> None:
    """Write `value`, a number or a tensor that broadcasts, into the elements that `x[index]` selects.

    Raises:
        TypeError: `value` is neither.
        ValueError: an int of more than 64 bits.
        IndexError, ValueError: as `getitem`.
        RuntimeError: a number that does not fit the dtype; and as `copy_` and `index_put_`.
    """
    if not isinstance(value, (Tensor, bool, int, float, np.integer)):
        kind = SCALAR_TYPE_NAMES[self._dtype]
        raise TypeError(f"can't assign a {type_name(value)} to a torch.{kind}Tensor")
    if index is False:
        return
    if isinstance(value, (int, np.integer)) and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if isinstance(value, Tensor):
        source: Tensor = value
    else:
        number, device = int(value) if isinstance(value, np.integer) else value, self._storage.device
        on_meta = device.type == "meta"
        source = tensor_new.lifted(
            at.full((), number, self._dtype, None, device, None) if on_meta else scalar_to_tensor(number, self._dtype)
        )
    tensors = _only_tensors(self, index)
    recorded: Recorded = []
    target = self if tensors else at.unsqueeze(self, 0) if index is True else _sliced(self, index, recorded)
    indices: tuple[Tensor | None, ...] = tensors or tuple(recorded)
    if indices:
        sizes = _without_leading_ones(source._sizes)
        at.index_put_(target, indices, source if sizes == source._sizes else at.view(source, sizes), False)
    else:
        _copy_to(target, source)


def _copy_to(target: Tensor, source: Tensor) -> None:
    """Write `source`, broadcast, into `target`. Source: copy_to (ATen/TensorIndexing.h)."""
    if source._sizes == target._sizes:
        at.copy_(target, source)
    elif not source._sizes and source._storage.device is dtypes.CPU:
        at.fill__Tensor(target, source)
    else:
        sizes = _without_leading_ones(source._sizes)
        source = source if sizes == source._sizes else at.view(source, sizes)
        at.copy_(target, source if sizes == target._sizes else at.expand(source, target._sizes))


def _without_leading_ones(sizes: Ints) -> Ints:
    """Return the sizes without leading ones."""
    return sizes[next((d for d, size in enumerate(sizes) if size != 1), len(sizes)) :]


def _only_tensors(self: Tensor, index: Index) -> tuple[Tensor, ...]:
    """Return the indices if they are one int64 or bool tensor or only int64 tensors, which need no views; else ()."""
    if isinstance(index, Tensor):
        kind, ndim = index._dtype, len(index._sizes)
        fits = 0 < ndim <= len(self._sizes) if kind is dtypes.bool_ else kind is dtypes.int64 and ndim and self._sizes
        return (index,) if fits else ()
    if type(index) is not tuple or len(index) > len(self._sizes):
        return ()
    for entry in index:
        if not isinstance(entry, Tensor) or entry._dtype is not dtypes.int64 or not entry._sizes:
            return ()
    return index


# ---- the views


def _sliced(self: Tensor, index: Index, recorded: Recorded) -> Tensor:
    """Return the view that the plain indices name; append tensors to `recorded`, with None for each dimension before.

    A mask is one entry of `recorded`, and takes as many dimensions as it has.
    """
    indices = _as_tuple(index)
    skipped = len(self._sizes) - _consumed(self, index, indices)
    view, dim, masked = self, 0, 0  # masked: dimensions that masks take beyond one an entry
    for position, entry in enumerate(indices):
        if entry is Ellipsis:
            dim += skipped
        elif entry is None:
            view = at.unsqueeze(view, dim)
            dim += 1
        elif isinstance(entry, slice):
            view = _slice(view, dim, *_bounds(entry))
            dim += 1
        elif type(entry) is int:
            view = _select(view, dim, entry, position)
        else:
            positions = _as_positions(entry)
            if isinstance(positions, int) and not isinstance(positions, bool):
                view = _select(view, dim, positions, position)
                continue
            if isinstance(positions, bool):
                view, positions = at.unsqueeze(view, dim), _of_bool(positions, view)
            recorded += [None] * (dim - masked - len(recorded))
            recorded.append(positions)
            taken = len(positions._sizes) if positions._dtype is dtypes.bool_ else 1
            dim, masked = dim + taken, masked + taken - 1
    return view


def _as_positions(entry: Index) -> int | bool | Tensor:
    """Convert an index that is not a slice, None or Ellipsis; a tensor without dimensions counts as its number.

    A batch of those stays a tensor: each sample of vmap has a number of its own.

    Raises:
        IndexError: it is not an index.
        TypeError: it is a str.
    """
    if isinstance(entry, bool):
        return entry
    if not isinstance(entry, Tensor) and _is_sequence(entry):
        entry = sequence_to_tensor(entry)
    if not isinstance(entry, Tensor):
        return _as_int(entry)
    if not entry._sizes and not entry._key_set & BATCHED and not entry._dtype.is_floating_point:
        return at.item(entry)
    return entry


def _of_bool(value: bool, view: Tensor) -> Tensor:
    """Return the index of a dimension of size 1 that keeps it or leaves nothing."""
    return at.zeros((int(value),), dtypes.int64, None, view._storage.device, None)


def sequence_to_tensor(entries: Any) -> Tensor:
    """Convert a list or an array to an index tensor: bools become a mask, other numbers int64.

    Raises:
        TypeError: a string.
        ValueError: sequences of one level differ in length, or an int has more than 64 bits.
    """
    if isinstance(entries, np.ndarray):
        is_mask = entries.dtype.kind == "b" or entries.dtype == np.uint8
        return tensor_new.tensor(entries.astype(np.bool_ if is_mask else np.int64))
    if isinstance(entries, range):
        entries = list(entries)
    positions = tensor_new.tensor(entries)
    return positions if positions._dtype in (dtypes.bool_, dtypes.int64) else at._to_copy(positions, dtypes.int64)


def _is_sequence(entry: Any) -> bool:
    return isinstance(entry, (Sequence, np.ndarray))


def _as_tuple(index: Index) -> tuple:
    """Return the indices, one a dimension. A short list of more than numbers is taken for a tuple, as NumPy did once.

    Source: treatSequenceAsTuple.
    """
    if isinstance(index, tuple):
        return index
    if (
        type(index) not in PLAIN
        and isinstance(index, Sequence)
        and not isinstance(index, range)
        and len(index) < MOST_NESTED
    ):
        nested = (Tensor, Sequence, np.ndarray, slice, type(None), type(Ellipsis))
        if any(isinstance(entry, nested) for entry in index):
            if not isinstance(index, str):
                warnings.warn(
                    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
                    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result",
                    stacklevel=4,
                )
            return tuple(index)
    return (index,)


def _consumed(self: Tensor, index: Index, indices: tuple) -> int:
    """Return the number of dimensions that the indices take; `...` represents the others, or they are the last ones.

    Source: count_specified_dimensions.
    """
    consumed = 0
    for entry in indices:
        if type(entry) in PLAIN:
            consumed += 1
        elif isinstance(entry, Tensor) and entry._dtype is dtypes.bool_:
            consumed += len(entry._sizes)
        elif entry is not None and entry is not Ellipsis and not isinstance(entry, bool):
            consumed += 1
    if consumed > len(self._sizes):
        if isinstance(index, slice):
            _bounds(index)
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        if not isinstance(index, (tuple, Tensor, Sequence)):
            _as_int(index)
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                "convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {len(self._sizes)}")
    return consumed


def _bounds(entry: slice) -> tuple[int, int, int]:
    """Return start, stop and step of a slice."""
    start, stop = entry.start, entry.stop
    if entry.step is None and type(start) in PLAIN_BOUNDS and type(stop) in PLAIN_BOUNDS:
        return start or 0, LAST if stop is None else stop, 1
    _, _, step = entry.indices(0)  # raises what Python raises for a step of 0 and for bounds that are not integers
    if step < 0:
        raise ValueError("step must be greater than zero")
    return operator.index(start or 0), LAST if stop is None else operator.index(stop), step


def _slice(view: Tensor, dim: int, start: int, stop: int, step: int) -> Tensor:
    """Apply a slice; return the view itself if nothing is left out. Source: applySlice (ATen/TensorIndexing.h)."""
    is_whole = not start and step == 1 and dim < len(view._sizes) and stop >= view._sizes[dim]
    return view if is_whole else at.slice_Tensor(view, dim, start, stop, step)


def _select(view: Tensor, dim: int, index: int, position: int) -> Tensor:
    size = view._sizes[dim] if dim < len(view._sizes) else None
    if size is not None and not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")
    return at.select_int(view, dim, index)


def _as_int(entry: Index) -> int:
    try:
        return operator.index(entry)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type(entry).__name__})"
        ) from None
