"""All operators, their registered kernels, and the backend fallbacks.

A call looks its key set up in a dict of its operator (`OperatorEntry.calls`); what is not there yet is resolved once,
under the lock, by the dispatcher. Every registration empties those dicts under the same lock, so a call sees the
table of before or the table of after, and nothing in between.
Mirrors aten/src/ATen/core/dispatch/{Dispatcher,OperatorEntry}.cpp.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from . import observers, resolved
from .function_schema import FunctionSchema
from .keys import DispatchKey, bits
from .resolved import Resolved, lock
from .table import Kernel, Kernels, Table

KernelsByKey = dict[DispatchKey, list[Kernel]]  # newest first


class OperatorEntry:
    """An operator: its schema, once it is defined, its kernels, and its resolved calls so far.

    Attributes:
        schema: what it takes and returns; None until it is defined. Its kernels may be there before.
        debug: where it was defined: "registered at file:line".
        registered: key -> its kernels, newest first. The newest one serves, the others wait. A key without
            kernels is not in it.
        calls, redispatches: key set -> function of the schema's arguments. Filled by `resolve`; an entry is
            used again without a look at `registered`, until `forget` empties both.
        call, redispatch: functions made from the schema; see `engine/dispatch/calling.py`.
        overload: the object that `engine.ops` returns for it, made on first use.
    """

    def __init__(self, name: str):
        self.name = name
        self.schema: FunctionSchema | None = None
        self.tags: tuple[str, ...] = ()
        self.debug = ""
        self.overload: Any = None
        self.registered: KernelsByKey = {}
        self.calls = Resolved(self, "call")
        self.redispatches = Resolved(self, "redispatch")
        self.call: Callable[..., Any] = self._undefined
        self.redispatch: Callable[..., Any] = self._undefined

    def register_schema(self, schema: FunctionSchema, tags: Iterable[str] = (), debug: str = "") -> None:
        """Define the operator: set `schema`, `tags` (as a tuple) and `debug`.

        Args:
            tags: any iterable of strings, which may be used up.
        Raises:
            RuntimeError: it has a schema; nothing is changed then. The message says where that one came from: the
                first one's `debug` is in it, as it is. (Its other words are yours; where the second one comes from need
                not be said.)

        Source: OperatorEntry::registerSchema, and Dispatcher::registerDef for the error.
        """
        if self.schema is not None:
            raise RuntimeError(
                f"Tried to register an operator ({schema}) with the same name and overload name multiple times. Each "
                "overload's schema should only be registered with a single call to def(). Duplicate registration: "
                f"{debug}. Original registration: {self.debug}"
            )
        self.schema, self.tags, self.debug = schema, tuple(tags), debug

    def register_kernel(self, key: DispatchKey, kernel: Kernel) -> None:
        """Register a kernel ahead of those that `key` has. Calls resolve again from then on: see `forget`.

        Args:
            kernel: one that is not registered at `key` now; it may be registered at other keys.

        Source: OperatorEntry::registerKernel.
        """
        self.registered.setdefault(key, []).insert(0, kernel)
        self.forget()

    def deregister_kernel(self, key: DispatchKey, kernel: Kernel) -> None:
        """Remove this kernel, and no other, from `key`. Calls resolve again from then on: see `forget`.

        Args:
            kernel: the object that was registered, at any position among the kernels of the key: kernels compare by
                identity. Another one with the same function is another kernel.
        Raises:
            RuntimeError: it is not registered at `key`; nothing is changed then, and `key` gets no empty list.

        Source: OperatorEntry::deregisterKernel_.
        """
        kernels = self.registered.get(key, [])
        if kernel not in kernels:
            raise RuntimeError(f"{self.name}: no such kernel is registered at {key.name}")
        kernels.remove(kernel)
        if not kernels:
            del self.registered[key]
        self.forget()

    @property
    def kernels(self) -> Kernels:
        """A dict from each key that has kernels to its newest kernel."""
        return {key: registered[0] for key, registered in self.registered.items()}

    def forget(self) -> None:
        """Drop the resolved calls. The dicts are emptied but not replaced, since compiled code refers to them."""
        self.calls.clear()
        self.redispatches.clear()

    def _undefined(self, *arguments: Any) -> Any:
        raise RuntimeError(f"Tried to call {self.name}, which has kernels but was never defined")


class Handle:
    """The handle of one registration. `destroy()` undoes it, and nothing else; a second call does nothing."""

    __slots__ = ("_undo",)

    def __init__(self, undo: Callable[[], None]):
        self._undo: Callable[[], None] | None = undo

    def destroy(self) -> None:
        with lock:
            undo, self._undo = self._undo, None
            if undo:
                undo()


operators: dict[str, OperatorEntry] = {}
fallbacks: dict[DispatchKey, Kernel] = {}
_libraries: dict[str, str] = {}  # namespace -> where it was opened for definitions


def find(name: str) -> OperatorEntry:
    """Return the operator named "ns::op" or "ns::op.overload".

    Raises:
        RuntimeError: nothing was defined under that name.
    """
    entry = operators.get(name)
    if entry is None or entry.schema is None:
        raise RuntimeError(f"Could not find schema for {name}")
    return entry


def table_of(entry: OperatorEntry) -> Table:
    """Return the operator's current dispatch table."""
    with lock:
        return Table(entry.kernels, dict(fallbacks))


# ---- registration


def open_namespace(namespace: str, debug: str) -> Handle:
    """Reserve a namespace for one library of kind "DEF".

    Raises:
        RuntimeError: there is one already; the message says where.
    """
    with lock:
        if namespace in _libraries:
            raise RuntimeError(
                f"Only a single TORCH_LIBRARY can be used to register the namespace {namespace}; please put all of "
                "your definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, "
                "consider using TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define "
                "operators for a single namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to "
                f"explicitly indicate this.  Previous registration of TORCH_LIBRARY was {_libraries[namespace]}; "
                f"latest registration was {debug}"
            )
        _libraries[namespace] = debug
        return Handle(partial(_libraries.__delitem__, namespace))


def define(
    schema: FunctionSchema, calling: Callable[[OperatorEntry], None], tags: Iterable[str] = (), debug: str = ""
) -> Handle:
    """Define an operator by its schema. Its kernels may already be registered.

    Args:
        schema: with its namespace.
        calling: gives the entry its `call` and `redispatch`.
    Raises:
        RuntimeError: it is defined; the message says where.
    """
    name = str(schema.name)
    with lock:
        entry = operators.get(name) or OperatorEntry(name)
        entry.register_schema(schema, tags, debug)
        try:
            calling(entry)
        except BaseException:
            entry.schema, entry.tags, entry.debug = None, (), ""
            raise
        entry.forget()
        operators[name] = entry

    def undo() -> None:
        entry.schema, entry.tags, entry.debug = None, (), ""
        entry.call = entry.redispatch = entry._undefined
        _drop_if_empty(entry)

    return Handle(undo)


def register(name: str, key: DispatchKey, kernel: Kernel) -> Handle:
    """Register a kernel for an operator at a key, ahead of existing ones. The operator may be defined later."""
    with lock:
        entry = operators.setdefault(name, OperatorEntry(name))
        entry.register_kernel(key, kernel)
        observers.kernels_changed()

    def undo() -> None:
        entry.deregister_kernel(key, kernel)
        _drop_if_empty(entry)
        observers.kernels_changed()

    return Handle(undo)


def register_fallback(key: DispatchKey, kernel: Kernel) -> Handle:
    """Register a fallback for all operators that have nothing better at a runtime key.

    Raises:
        RuntimeError: the key has a fallback; the message says where it comes from.
    """
    with lock:
        bits(key)  # refuses an alias
        if key in fallbacks:
            raise RuntimeError(
                f"Tried to register multiple backend fallbacks for the same dispatch key {key.name}; previous "
                f"registration {fallbacks[key].debug}, new registration {kernel.debug}"
            )
        fallbacks[key] = kernel
        forget_all()

    def undo() -> None:
        del fallbacks[key]
        forget_all()

    return Handle(undo)


def replace_fallback(key: DispatchKey, function: Callable[..., Any]) -> None:
    """Let another function serve as the fallback of a key, with the same arguments.

    Some fallbacks only import a module on first use. The module then puts its own function in their place, so that
    later calls go to it directly.
    """
    with lock:
        fallbacks[key].function = function
        forget_all()


def _drop_if_empty(entry: OperatorEntry) -> None:
    entry.forget()
    if entry.schema is None and not entry.registered and operators.get(entry.name) is entry:
        del operators[entry.name]


def forget_all() -> None:
    """Drop the resolved calls of all operators, so that every call resolves again."""
    for entry in operators.values():
        entry.forget()
    observers.kernels_changed()


class ResolvedCalls:
    """The resolved calls of all operators in the form of a memo, since replaced code clears all memos."""

    def cache_clear(self) -> None:
        forget_all()


RESOLVED_CALLS = ResolvedCalls()


def retrace(change: Callable[[], None]) -> None:
    """Change the observers of calls by calling `change`; from then on every call resolves again."""
    with lock:
        change()
        forget_all()


def resolve_by(function: resolved.Resolver) -> None:
    """Set `function` as the resolver of every call from now on."""
    with lock:
        resolved.set_resolver(function)
        forget_all()
