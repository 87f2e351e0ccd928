"""Functionalization: programs that write in place become programs that don't.

A FunctionalTensor holds a value that is never written to. Writes replace the value and are noted in what all views of
one base share; a view that is out of date makes itself again from the base, through the views that led to it.
Mirrors aten/src/ATen/{FunctionalTensorWrapper,FunctionalStorageImpl,FunctionalInverses,FunctionalizeFallbackKernel}.cpp.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..aten.at import at
from .. import slots
from ..dispatch import registry as dispatcher
from ..dispatch.registry import OperatorEntry
from ..dispatch.keys import AUTOGRAD_FUNCTIONALITIES, DispatchKey, bits
from ..dispatch.local import local, state_of
from ..dispatch.table import Kernel
from ..tensor_impl import Tensor
from .grad_wrapper import WrapperTensor, storage_of
from .interpreters import FunctionalizeInterpreter, map_arguments, map_results
from .pytree import tree_map

K = DispatchKey
FUNCTIONALIZE = bits(K.Functionalize)


class ViewMeta(NamedTuple):
    """How a view was made of what came before it, and how a write to it is one to that."""

    forward: Callable[[Tensor], Tensor]
    reverse: Callable[[Tensor, Tensor], Tensor]  # (base, mutated view) -> base


class FunctionalStorage:
    """What all views of one base share: its value, and the writes that are not in it yet."""

    __slots__ = ("base", "updates", "generation")

    def __init__(self, base: Tensor):
        self.base, self.generation = base, 0
        self.updates: list[tuple[Tensor, tuple[ViewMeta, ...]]] = []

    def add_update(self, value: Tensor, metas: tuple[ViewMeta, ...]) -> None:
        self.updates.append((value, metas))
        self.generation += 1

    def apply_updates(self) -> None:
        for value, metas in self.updates:
            self.base = _written_through(self.base, value, metas)
        self.updates = []


def _written_through(base: Tensor, value: Tensor, metas: tuple[ViewMeta, ...]) -> Tensor:
    """The base once `value` stands where the views lead: each view's base again, the innermost first."""
    bases = [base]
    for meta in metas[:-1]:
        bases.append(meta.forward(bases[-1]))
    for meta, before in zip(reversed(metas), reversed(bases)):
        value = meta.reverse(before, value)
    return value


class FunctionalTensor(WrapperTensor):
    __slots__ = ("_shared", "_metas", "_generation")

    def __new__(cls, value: Tensor, shared: FunctionalStorage | None = None, metas: tuple[ViewMeta, ...] = ()) -> Any:
        self: Any = object.__new__(cls)
        self._set_fields(storage_of(value), value._sizes, value._strides, value._storage_offset, value._dtype, value._key_set | FUNCTIONALIZE)
        self._value, self._metas = value, metas
        self._shared = shared or FunctionalStorage(value)
        self._generation = self._shared.generation
        self._level = -1
        return self

    def _alias(self, *geometry: Any) -> "FunctionalTensor":
        made = FunctionalTensor(self._value, self._shared, self._metas)
        made._generation = self._generation
        return made

    def _replace(self, value: Tensor) -> None:
        if value._dtype is not self._dtype:
            value = at._to_copy(value, self._dtype)
        self._value = value
        self._sizes, self._strides, self._storage_offset = value._sizes, value._strides, value._storage_offset

    def _commit_update(self) -> None:
        self._shared.add_update(self._value, self._metas)

    def _sync(self) -> None:
        """Make the value again if someone has written to the base since."""
        shared = self._shared
        if self._generation == shared.generation:
            return
        shared.apply_updates()
        value = shared.base
        for meta in self._metas:
            value = meta.forward(value)
        self._replace(value)
        self._generation = shared.generation

    def __repr__(self) -> str:
        return f"_to_functional_tensor({self._value!r})"


def unwrapped(x: Any) -> Any:
    if type(x) is FunctionalTensor:
        x._sync()
        return x._value
    return x


INVERSES: dict[str, Callable[..., Tensor]] = {
    "view": lambda base, new, *a: at.view(new, base._sizes),
    "_reshape_alias": lambda base, new, *a: at.view(new, base._sizes),
    "alias": lambda base, new: new,
    "detach": lambda base, new: at.detach(new),
    "t": lambda base, new: at.t(new),
    "transpose.int": lambda base, new, a, b: at.transpose_int(new, a, b),
    "permute": lambda base, new, dims: at.permute(new, _inverse_permutation(dims)),
    "unsqueeze": lambda base, new, dim: at.squeeze_dim(new, dim),
    "squeeze": lambda base, new: at.view(new, base._sizes),
    "squeeze.dim": lambda base, new, dim: at.unsqueeze(new, dim) if len(new._sizes) < len(base._sizes) else new,
    "squeeze.dims": lambda base, new, dims: at.view(new, base._sizes),
    "expand": lambda base, new, *a: at.sum_to_size(new, base._sizes),
    "select.int": lambda base, new, dim, i: at.select_scatter(base, new, dim, i),
    "slice.Tensor": lambda base, new, *a: at.slice_scatter(base, new, *a),
    "diagonal": lambda base, new, *a: at.diagonal_scatter(base, new, *a),
}


def _inverse_permutation(dims: Any) -> tuple[int, ...]:
    order = [d % len(dims) for d in dims]
    return tuple(order.index(d) for d in range(len(dims)))


FUNCTIONAL_OF = {"zero_": "zeros_like", "transpose_": "transpose.int", "pow_.Tensor": "pow.Tensor_Tensor", "bernoulli_.float": "bernoulli.p"}


def functional_of(entry: OperatorEntry) -> OperatorEntry:
    name = entry.name.removeprefix("aten::")
    base, _, overload = name.partition(".")
    other = FUNCTIONAL_OF.get(name) or base.removesuffix("_") + (f".{overload}" if overload else "")
    return dispatcher.find(f"aten::{other}")


def functionalize_fallback(entry: OperatorEntry, *arguments: Any) -> Any:
    """All operators: those without functional tensors go on, views note themselves, writes become replacements."""
    schema = entry.schema
    flat = [x for a in arguments for x in (a if isinstance(a, (tuple, list)) else (a,)) if isinstance(x, Tensor)]
    functional = any(type(x) is FunctionalTensor for x in flat)
    before = local.state
    plain = map_arguments(schema, unwrapped, arguments) if functional else arguments
    local.state = state_of(before.included & ~FUNCTIONALIZE, before.excluded | FUNCTIONALIZE)
    try:
        if flat and not functional:
            return entry.call(*arguments)
        name = entry.name.removeprefix("aten::")
        if schema.out and functional:
            made = functional_of_out(entry).call(*plain[: len(plain) - len(schema.out)])
            outs = arguments[len(plain) - len(schema.out) :]
            for out, value in zip(outs, made if isinstance(made, tuple) else (made,)):
                out._replace(value)
                out._commit_update()
                out._sync()
            return outs[0] if len(outs) == 1 else tuple(outs)
        if "inplace_view" in entry.tags and functional:
            return _inplace_view(entry, arguments, plain)
        if schema.arguments and schema.arguments[0].is_write and functional:
            self = arguments[0]
            if type(self) is not FunctionalTensor:
                raise RuntimeError(
                    "mutating a non-functional tensor with a functional tensor is not allowed. Please ensure that all "
                    "of your inputs are wrapped inside of a functionalize() call."
                )
            made = functional_of(entry).call(*plain)
            if made._sizes != self._sizes:
                made = at.expand(made, self._sizes)
            self._replace(made)
            self._commit_update()
            self._sync()
            return self
        made = entry.call(*plain)
        is_view = any(r.annotation and not r.annotation.is_write for r in schema.returns)
        if is_view and functional and name in VIEWS:
            return _views(entry, arguments, plain, made)
        return wrap(made)
    finally:
        local.state = before


VIEWS = {*INVERSES, "split.Tensor", "split_with_sizes", "unbind.int"}


def _views(entry: OperatorEntry, arguments: Any, plain: Any, made: Any) -> Any:
    base, rest, name = arguments[0], tuple(plain[1:]), entry.name.removeprefix("aten::")
    if isinstance(made, (tuple, list)):
        dim = rest[-1]
        starts = [0]
        for one in made:
            starts.append(starts[-1] + (one._sizes[dim] if name != "unbind.int" else 1))
        metas = [
            ViewMeta(lambda b, i=i: entry.call(b, *rest)[i],
                     (lambda b, n, i=i: at.select_scatter(b, n, dim, i)) if name == "unbind.int"
                     else (lambda b, n, i=i: at.slice_scatter(b, n, dim, starts[i], starts[i + 1], 1)))
            for i in range(len(made))
        ]  # fmt: skip
        return tuple(FunctionalTensor(v, base._shared, (*base._metas, m)) for v, m in zip(made, metas))
    meta = ViewMeta(lambda b: entry.call(b, *rest), lambda b, n: INVERSES[name](b, n, *rest))
    return FunctionalTensor(made, base._shared, (*base._metas, meta))


def _inplace_view(entry: OperatorEntry, arguments: Any, plain: Any) -> Any:
    self = arguments[0]
    other = functional_of(entry)
    rest, name = tuple(plain[1:]), other.name.removeprefix("aten::")
    self._metas = (*self._metas, ViewMeta(lambda b: other.call(b, *rest), lambda b, n: INVERSES[name](b, n, *rest)))
    self._replace(other.call(plain[0], *rest))
    return self


def functional_of_out(entry: OperatorEntry) -> OperatorEntry:
    base = entry.schema.name.base
    given = [(a.name, str(a.type)) for a in entry.schema.arguments if not a.is_out]
    for other in dispatcher.operators.values():
        if other.schema and other.schema.name.base == base and not other.schema.out:
            if [(a.name, str(a.type)) for a in other.schema.arguments] == given:
                return other
    raise RuntimeError(f"no functional form of {entry.name}")


def wrap(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value if type(value) is FunctionalTensor else FunctionalTensor(value)
    return map_results(wrap, value) if isinstance(value, (tuple, list)) else value


def functionalize(func: Any, *, remove: str = "mutations") -> Any:
    """The same function without writes; what it would have written to its arguments is copied there at the end."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for remove= kwarg. Valid options are:\n"
            '     remove="mutations": all inplace and out= operators will be removed from the program, and replaced with '
            'their out-of-place equivalents.\n     remove="mutations_and_views": In addition to the above, all aliasing '
            "operators {view} will be replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @functools.wraps(func)
    def wrapped_(*args: Any, **kwargs: Any) -> Any:
        with FunctionalizeInterpreter():
            inside = tree_map(wrap, args)
            outs = func(*inside, **kwargs)
            given: list[Any] = []
            tree_map(given.append, args)
            used: list[Any] = []
            tree_map(used.append, inside)
            results = tree_map(unwrapped_, outs)
            for old, new in zip(given, used):
                if isinstance(new, FunctionalTensor):
                    new._sync()
                    if new._value is not old and new._shared.generation:
                        with_layers_off(at.copy_, old, new._value, False)
        return results

    return wrapped_


def unwrapped_(x: Any) -> Any:
    return with_layers_off(unwrapped, x) if isinstance(x, Tensor) else x


def with_layers_off(function: Any, *args: Any) -> Any:
    from .interpreters import layers, set_layers

    stack = layers.stack
    set_layers(stack[:-1])
    try:
        return function(*args)
    finally:
        set_layers(stack)


slots.functionalize_fallback.fill(functionalize_fallback)
for _entry in list(dispatcher.operators.values()):  # views and writes made of others are taken apart first
    if _entry.schema and K.CompositeImplicitAutograd in _entry.registered:
        _aliases = any(a.annotation for a in (*_entry.schema.arguments, *_entry.schema.returns))
        if _aliases:
            dispatcher.register(_entry.name, K.Functionalize, _entry.kernels[K.CompositeImplicitAutograd])
