"""Functional tensors: each has a value that nobody writes to, and a write replaces the value.

All views of one base have one storage, which queues the writes to them. A view that is out of date makes its value
again: the queued writes go into the base, each through the inverses of the views that led to it, and the views are
called again.
Mirrors aten/src/ATen/{FunctionalTensorWrapper,FunctionalStorageImpl}.cpp.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import dtypes, slots
from ..aten.at import at
from ..dispatch.keys import KEY_SETS
from ..tensor_impl import Tensor
from .grad_wrapper import AD_KEYS, PROPAGATED, WrapperTensor
from .interpreters import BATCHED, FUNCTIONALIZE, Interpreter, layers
from .view_inverses import INVERSES, INVERSES_OF_PARTS, call_view
from .wrapper_subclass import PlaceholderStorage, nbytes_of

OF_FUNCTIONAL = KEY_SETS["cpu"] & AD_KEYS | FUNCTIONALIZE
NOT_COMPOSITIONAL = (
    "During torch.compile, encountered a mutation on a view chain of length {count}, where view {number} was an "
    "as_strided() call. as_strided() is non-compositional, and therefore is not possible to functionalize properly "
    "today,so this behavior is banned in compile. As a workaround, you can either remove the mutation from the model "
    "code, or you can insert a graph break right before the mutation with torch._dynamo.graph_break(). If you would "
    "like this behavior to work properly, please comment on https://github.com/pytorch/pytorch/issues/104505."
)


class FunctionalizeInterpreter(Interpreter):
    """The layer of `functionalize`, whose kernels are at the key Functionalize.

    Args:
        call: `call_view`, or `call_copy` to replace views by copies, too.
    """

    own = included = FUNCTIONALIZE

    def __init__(self, call: Callable[..., Any] = call_view):
        super().__init__()
        self.call = call


class ViewMeta(NamedTuple):
    """The way from a base to a view, and the way back of what is written to the view.

    Attributes:
        name: of the view operator: "select.int".
        arguments: of the operator, after the base.
        call: `call_view`, or `call_copy` where views are removed, too.
        part: number of the view among several that the operator makes; None if it makes one.
    """

    name: str
    arguments: tuple[Any, ...]
    call: Callable[..., Any]
    part: int | None = None

    def forward(self, base: Tensor) -> Tensor:
        """Return the view of a base."""
        made = self.call(self.name, base, *self.arguments)
        return made if self.part is None else made[self.part]

    def reverse(self, base: Tensor, new: Tensor) -> Tensor:
        """Return the base whose view is `new`."""
        if self.part is not None:
            return INVERSES_OF_PARTS[self.name](base, new, self.part, *self.arguments)
        return INVERSES[self.name](self.call, base, new, *self.arguments)


def written_through(base: Tensor, value: Tensor, metas: tuple[ViewMeta, ...]) -> Tensor:
    """Return the base after a write to a view.

    Args:
        value: what the view is after the write.
        metas: the views that lead from the base to it, the first one first. The bases of all but the first are made
            again, and then the inverses called from the last view back.

    Source: apply_update (aten/src/ATen/FunctionalStorageImpl.cpp).
    """
    bases = [base]
    for meta in metas[:-1]:
        bases.append(meta.forward(bases[-1]))
    for meta, before in zip(reversed(metas), reversed(bases), strict=False):
        value = meta.reverse(before, value)
    return value


class FunctionalStorage(PlaceholderStorage):
    """The storage that a base and its views share.

    Attributes:
        base: value of the base, without the queued writes.
        updates: queued writes in order: the value of the view after the write, and the views that lead to it.
        generation: number of writes so far.
    """

    __slots__ = ("base", "generation", "updates")

    def __init__(self, base: Tensor):
        nbytes = nbytes_of(base._sizes, base._strides, base._dtype.itemsize, base._storage_offset)
        super().__init__(nbytes, base._storage.device)
        self.base, self.generation = base, 0
        self.updates: list[tuple[Tensor, tuple[ViewMeta, ...]]] = []

    def add_update(self, value: Tensor, metas: tuple[ViewMeta, ...]) -> None:
        """Queue a write.

        Raises:
            RuntimeError: a view but the first is `as_strided`, which names places of the storage, not of its base.
        """
        for number, meta in enumerate(metas):
            if number and meta.name == "as_strided":
                raise RuntimeError(NOT_COMPOSITIONAL.format(count=len(metas), number=number))
        self.updates.append((value, metas))
        self.generation += 1

    def apply_updates(self) -> bool:
        """Write all that is queued into the base; return True if anything was."""
        updates, self.updates = self.updates, []
        for value, metas in updates:
            self.base = written_through(self.base, value, metas)
        return bool(updates)


class FunctionalTensor(WrapperTensor):
    """A tensor whose value is replaced where it is written to.

    Args:
        value: of the next outer layer; nobody writes to it.
        storage: of the base, for a view; by default the tensor is a base itself.
        metas: the views that lead from the base to the tensor.
    """

    __slots__ = ("_generation", "_metas")
    _type_name = "FunctionalTensorWrapper"
    _generation: int
    _level: int
    _metas: tuple[ViewMeta, ...]
    _storage: FunctionalStorage
    _value: Tensor

    def __new__(
        cls, value: Tensor, storage: FunctionalStorage | None = None, metas: tuple[ViewMeta, ...] = ()
    ) -> "FunctionalTensor":
        made: Any = object.__new__(cls)
        keys = value._key_set & PROPAGATED | OF_FUNCTIONAL
        shared = FunctionalStorage(value) if storage is None else storage
        made._set_fields(shared, value._sizes, value._strides, value._storage_offset, value._dtype, keys)
        made._wrapped_number, made._value, made._level = (
            value._wrapped_number,
            value,
            layers.stack[-1].level if layers.stack else -1,
        )
        made._metas, made._generation = metas, 0
        return made

    untyped_storage = Tensor.untyped_storage

    def _alias(self, *_: Any) -> "FunctionalTensor":
        """Return another tensor with the same value, views and storage, as `detach` needs it."""
        made = FunctionalTensor(self._value, self._storage, self._metas)
        made._generation, made._version_counter = self._generation, self._shared_version()
        return made

    def _replace(self, value: Tensor) -> None:
        """Take another value, cast to the tensor's dtype; with the geometry of the new one."""
        self._sizes, self._strides, self._storage_offset = value._sizes, value._strides, value._storage_offset
        if value._dtype is not self._dtype:
            value = at._to_copy(value, dtype=self._dtype, layout=dtypes.strided)
        self._value = value

    def _view(self, meta: ViewMeta) -> None:
        """Become a view of what the tensor was."""
        self._metas = (*self._metas, meta)
        self._replace(meta.forward(self._value))

    def _become_base(self, value: Tensor) -> None:
        """Take another value, in a storage of its own."""
        self._storage, self._metas, self._generation = FunctionalStorage(value), (), 0
        self._replace(value)

    def _write(self, value: Tensor) -> None:
        """Take the value that a write gives, and let all views of the base know of it."""
        self._replace(value)
        self._storage.add_update(self._value, self._metas)
        self._sync()

    def _regenerate(self) -> None:
        """Make the value again from the base."""
        value = self._storage.base
        for meta in self._metas:
            value = meta.forward(value)
        self._replace(value)
        self._generation = self._storage.generation

    def _sync(self) -> None:
        """Make the value again if the base or one of its views was written to since it was made.

        Source: FunctionalTensorWrapper::sync_.
        """
        if self._generation != self._storage.generation:
            self._storage.apply_updates()
            self._regenerate()

    def _take(self, data: "FunctionalTensor") -> None:
        """Become another name of a tensor: with its value, base and views."""
        self._value, self._storage = data._value, data._storage
        self._metas, self._generation = data._metas, data._generation

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        self._sync()
        return f"FunctionalTensor(lvl={self._level}, value=\\\n{self._value!r})"


def take_data(tensor: Tensor, data: Tensor) -> None:
    """Make a tensor what another one is, as `tensor.data = data` does.

    Raises:
        RuntimeError: one of them is not functional, but of vmap or grad.
    """
    if type(tensor) is not FunctionalTensor or type(data) is not FunctionalTensor:
        place = "under vmap" if tensor._key_set & BATCHED else "inside functorch"
        raise RuntimeError(f"mutating directly with `.data` {place} transform is not allowed.")
    tensor._take(data)


slots.take_data.fill(take_data)
