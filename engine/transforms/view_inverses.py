"""The inverse of each view: from a base and what its view is to be, the base that has this view.

They differ from inverses in mathematics: a slice is written over a part of its base, so the base is an argument.
Mirrors aten/src/ATen/FunctionalInverses.cpp.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..aten.at import at
from ..aten.expand_utils import sum_to
from ..dispatch.registry import find
from ..strides import Ints, wrap_dim
from ..tensor_impl import Tensor

Call = Callable[..., Any]


def call_view(name: str, *arguments: Any) -> Any:
    """Call a view: "squeeze.dim"."""
    return find(f"aten::{name}").call(*arguments)


def call_copy(name: str, *arguments: Any) -> Any:
    """Call the operator that copies instead of a view: `squeeze_copy.dim` for "squeeze.dim"."""
    view, dot, overload = name.partition(".")
    return find(f"aten::{view}_copy{dot}{overload}").call(*arguments)


def unsqueeze_to(call: Call, new: Tensor, sizes: Ints, dims: Sequence[int] | None = None) -> Tensor:
    """Insert the dimensions of size 1 that a squeeze of sizes `sizes` removed: all of them, or the ones in `dims`."""
    removed = range(len(sizes)) if dims is None else {wrap_dim(dim, len(sizes)) for dim in dims}
    for dim, size in enumerate(sizes):
        if size == 1 and dim in removed:
            new = call("unsqueeze", new, dim)
    return new


def unpermute(call: Call, new: Tensor, dims: Sequence[int]) -> Any:
    """Undo `permute`."""
    order = [wrap_dim(dim, len(dims)) for dim in dims]
    return call("permute", new, tuple([order.index(dim) for dim in range(len(order))]))


def add_to_expanded(call: Call, base: Tensor, new: Tensor) -> Any:
    """Add to a base what was added to its expanded view, to each element the sum over the places that show it."""
    change = sum_to(at.sub_Tensor(new, base), base._sizes)
    return at.add_Tensor(base, at.clone(change) if call is call_copy else change)


def scatter_part(base: Tensor, new: Tensor, start: int, size: int, dim: int) -> Any:
    """Write a part of a split over its base, from `start` on."""
    return at.slice_scatter(base, new, dim, start, min(start + size, base._sizes[dim]), 1)


INVERSES: dict[str, Callable[..., Tensor]] = {
    "_reshape_alias": lambda call, base, new, *_: call("_reshape_alias", new, base._sizes, base._strides),
    "_unsafe_view": lambda call, base, new, _: at._unsafe_view(new, base._sizes),
    "alias": lambda call, base, new: call("alias", new),
    "as_strided": lambda call, base, new, *geometry: at.as_strided_scatter(base, new, *geometry),
    "detach": lambda call, base, new: new,
    "diagonal": lambda call, base, new, *place: at.diagonal_scatter(base, new, *place),
    "expand": lambda call, base, new, *_: add_to_expanded(call, base, new),
    "permute": lambda call, base, new, dims: unpermute(call, new, dims),
    "select.int": lambda call, base, new, dim, index: at.select_scatter(base, new, dim, index),
    "slice.Tensor": lambda call, base, new, *place: at.slice_scatter(base, new, *place),
    "squeeze": lambda call, base, new: unsqueeze_to(call, new, base._sizes),
    "squeeze.dim": lambda call, base, new, dim: unsqueeze_to(call, new, base._sizes, (dim,)),
    "squeeze.dims": lambda call, base, new, dims: unsqueeze_to(call, new, base._sizes, dims),
    "t": lambda call, base, new: call("t", new),
    "transpose.int": lambda call, base, new, dim0, dim1: call("transpose.int", new, dim0, dim1),
    "unfold": lambda call, base, new, *place: at.unfold_backward(new, base._sizes, *place),
    "unsqueeze": lambda call, base, new, dim: call("squeeze.dim", new, dim),
    "view": lambda call, base, new, _: call("view", new, base._sizes),
    "view.dtype": lambda call, base, new, _: call("view.dtype", new, base._dtype),
}
"""View -> f(call, base, new, *arguments of the view), where `call` is `call_view` or `call_copy`."""

INVERSES_OF_PARTS: dict[str, Callable[..., Tensor]] = {
    "split.Tensor": lambda base, new, k, size, dim: scatter_part(base, new, k * size, size, dim),
    "split_with_sizes": lambda base, new, k, sizes, dim: scatter_part(base, new, sum(sizes[:k]), sizes[k], dim),
    "unbind.int": lambda base, new, k, dim: at.select_scatter(base, new, dim, k),
}
"""The same for operators that make several views: f(base, new, number of the view, *arguments)."""
