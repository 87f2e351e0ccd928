"""All operators, their kernels and the backend fallbacks; registration, and the way from a key set to a kernel.

A call looks its key set up in a dict of its operator (`OperatorEntry.calls`); what is not there yet is resolved once,
under the lock, from the registrations. Every registration empties those dicts under the same lock, so a call sees the
table of before or the table of after, and nothing in between. Generated calls ask `calls.in_state` instead, which holds
the same by the thread's state and the union of the tensors' keys: two lookups for three operations on ints.
Mirrors aten/src/ATen/core/dispatch/{Dispatcher,OperatorEntry,DispatchKeyExtractor}.cpp.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import FunctionType
from typing import Any

from . import observers
from .function_schema import FunctionSchema
from .keys import BACKEND_MASK, DispatchKey, bits, highest_key
from .local import ThreadState
from .table import Kernel, Kernels, Table, computed_table

KernelsByKey = dict[DispatchKey, list[Kernel]]  # newest first


class Resolved(dict[int, Callable[..., Any]]):
    """A dict from key set to the function that a call runs; a missing entry is resolved on lookup.

    Attributes:
        in_state: state of a thread -> union of the tensors' keys -> the function of the key set that the two give.
    """

    __slots__ = ("entry", "label", "in_state")

    def __init__(self, entry: "OperatorEntry", label: str):
        self.entry, self.label, self.in_state = entry, label, ByState(self)

    def __missing__(self, key_set: int) -> Callable[..., Any]:
        return resolver(self.entry, key_set, self.label)

    def clear(self) -> None:
        """Drop the resolved functions, so that calls resolve again."""
        super().clear()
        self.in_state.clear()


class ByState(dict[ThreadState, "ByUnion"]):
    """The dict `Resolved.in_state`, in which a missing state gets an empty `ByUnion`."""

    __slots__ = ("resolved",)

    def __init__(self, resolved: Resolved):
        self.resolved = resolved

    def __missing__(self, state: ThreadState) -> "ByUnion":
        return self.setdefault(state, ByUnion(self.resolved, state))


class ByUnion(dict[int, Callable[..., Any]]):
    """The functions in one thread state, by the union of the tensors' keys; a missing one is taken from `resolved`."""

    __slots__ = ("resolved", "state")

    def __init__(self, resolved: Resolved, state: ThreadState):
        self.resolved, self.state = resolved, state

    def __missing__(self, union: int) -> Callable[..., Any]:
        with _lock:  # so that no registration empties the dicts in between
            function = self[union] = self.resolved[(union | self.state.included) & self.state.allowed]
            return function


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
        with _lock:
            undo, self._undo = self._undo, None
            if undo:
                undo()


_lock = threading.RLock()
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


# ---- registration


def open_namespace(namespace: str, debug: str) -> Handle:
    """Reserve a namespace for one library of kind "DEF".

    Raises:
        RuntimeError: there is one already; the message says where.
    """
    with _lock:
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
    with _lock:
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
    with _lock:
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
    with _lock:
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
    """The resolved calls of all operators in the form of a memo, since a graft clears all memos."""

    def cache_clear(self) -> None:
        forget_all()


RESOLVED_CALLS = ResolvedCalls()


def retrace(change: Callable[[], None]) -> None:
    """Change the observers of calls by calling `change`; from then on every call resolves again."""
    with _lock:
        change()
        forget_all()


# ---- from a key set to a kernel


def dispatch_key_set(key_set: int, table: Mapping[DispatchKey, tuple[Kernel | None, str]]) -> int:
    """Return `key_set` without the functionalities whose kernels in `table` are fallthroughs.

    The kernel that runs is at the highest key of the result. The lower ones are looked at as well, so that a
    kernel that redispatches below itself meets no fallthrough either.

    Args:
        key_set: the bits that the arguments and the thread give. It may hold several backends: then the kernel of a
            functionality is the one at the highest of them, as `highest_key` finds it (Undefined if this backend has
            no such key); no other backend's counts.
        table: the operator's computed table. It gives (kernel, origin) for each runtime key; kernel is None where
            there is nothing to run, which is not a fallthrough.
    Returns:
        `key_set` without the bits of these functionalities, an int. Backend bits stay.

    Source: DispatchKeyExtractor (aten/src/ATen/core/dispatch/DispatchKeyExtractor.h), nonFallthroughKeys_.
    """
    kept = rest = key_set
    while rest & ~BACKEND_MASK:
        kernel, _ = table[highest_key(rest)]
        bit = highest_bit(rest)
        if kernel is not None and kernel.is_fallthrough:
            kept &= ~bit
        rest &= ~bit
    return kept


def highest_bit(key_set: int) -> int:
    """Return the bit of the highest functionality in a set that has one; all backend bits are lower."""
    return 1 << (key_set.bit_length() - 1)


def resolve(entry: OperatorEntry, key_set: int, label: str) -> Callable[..., Any]:
    """Return the function that a call with this key set runs, and cache it for the next call.

    Args:
        label: "call" or "redispatch", kept apart only while someone looks at calls.
    Raises:
        NotImplementedError, RuntimeError: see `runnable`.
    """
    with _lock:
        table = computed_table(entry.kernels, fallbacks)
        kept = dispatch_key_set(key_set, table)
        key = highest_key(kept)
        kernel, origin = table[key]
        if kernel is None or kernel.is_fallthrough:
            raise refusal(entry, key, origin)
        function = runnable(entry, key, kept, kernel, label)
        if label in ("call", "redispatch"):
            (entry.calls if label == "call" else entry.redispatches)[key_set] = function
        return function


def runnable(entry: OperatorEntry, key: DispatchKey, kept: int, kernel: Kernel, label: str) -> Callable[..., Any]:
    """Return a kernel as a function of the operator's arguments, with key set and operator bound if it takes them.

    Args:
        key: the key whose kernel it is.
        kept: the key set of the call, without what falls through.
        label: "call" or "redispatch", for those who observe calls.
    """
    function = kernel.function
    if kernel.wants_key_set:
        function = partial(function, entry, kept) if kernel.wants_operator else partial(function, kept)
    elif kernel.wants_operator:
        function = partial(function, entry)
    elif kernel.below:
        function = bound_to(function, entry.redispatches[kept & kernel.below])
    return observers.observed(function, label, entry.name, key, kept, kernel)


Resolver = Callable[[OperatorEntry, int, str], Callable[..., Any]]
resolver: Resolver = resolve


def resolve_by(function: Resolver) -> None:
    """Set `function` as the resolver of every call from now on."""
    global resolver
    with _lock:
        resolver = function
        forget_all()


def table_of(entry: OperatorEntry) -> Table:
    """Return the operator's current dispatch table."""
    with _lock:
        return Table(entry.kernels, dict(fallbacks))


def bound_to(function: Callable[..., Any], below: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of a function with `below` as its last default, which unlike a partial adds no cost to a call."""
    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__, function.__globals__, function.__name__, (below,))


AMBIGUOUS = (
    "{name} has kernels registered to both CompositeImplicitAutograd and a backend mapped to AutogradOther. This makes "
    "the backend kernel unreachable; the dispatcher will always prefer the CompositeImplicitAutograd lowering (see "
    "Note [Ambiguity in AutogradOther kernel]). If you want to override CompositeImplicitAutograd, please open an "
    "issue to request a dedicated Autograd dispatch key for the backend."
)
NO_TENSORS = (
    "There were no tensor arguments to this function (e.g., you passed an empty list of Tensors), but no fallback "
    "function is registered for schema {name}.  This usually means that this function requires a non-empty list of "
    "Tensors, or that you (the operator writer) forgot to register a fallback function.  Available functions are "
    "{available}.\n\n{table}"
)
NO_KERNEL = (
    "Could not run '{name}' with arguments from the '{key}' backend. This could be because the operator doesn't exist "
    "for this backend, or was omitted during the selective/custom build process (if using custom build). '{name}' is "
    "only available for these backends: {available}.\n\n{table}"
)


def refusal(entry: OperatorEntry, key: DispatchKey, origin: str) -> Exception:
    """Return the error for a call that ends at `key`, where the table has no kernel or one that falls through.

    Args:
        origin: of this entry of the table. "missing": nothing is registered for the key. "ambiguous":
            CompositeImplicitAutograd and a backend's kernel contradict each other at AutogradOther.
    """
    if origin not in ("missing", "ambiguous"):
        return RuntimeError(
            "fallthrough_kernel was executed but it should have been short-circuited by the dispatcher: "
            f"{entry.name} has nothing but a fallthrough at {key.name}, and no lower key is left"
        )
    if origin == "ambiguous":
        return RuntimeError(AMBIGUOUS.format(name=entry.name))
    available = "[" + ", ".join(other.name for other in available_keys(entry)) + "]"
    text = NO_TENSORS if key is DispatchKey.Undefined else NO_KERNEL
    return NotImplementedError(text.format(name=entry.name, key=key.name, available=available, table=dump_table(entry)))


def available_keys(entry: OperatorEntry) -> list[DispatchKey]:
    """Return the keys at which the operator has a kernel, fallbacks included, in the order of `RUNTIME_KEYS`."""
    table = computed_table(entry.kernels, fallbacks)
    return [key for key, (kernel, _) in table.items() if kernel is not None and key is not DispatchKey.Undefined]


# ---- for readers


ORIGINS = {  # as PyTorch's table dump calls them
    "kernel": "kernel", "default": "default backend kernel", "math": "math kernel", "autograd": "autograd kernel",
    "batched": "batched kernel", "fallback": "backend fallback", "ambiguous": "ambiguous autogradother",
    "missing": "missing",
}  # fmt: skip


def dump_table(entry: OperatorEntry) -> str:
    """Return the computed table, a line for each runtime key that has an entry, as `torch._C._dispatch_dump_table`."""
    lines = []
    for key, (kernel, origin) in computed_table(entry.kernels, fallbacks).items():
        if kernel is not None:
            fallthrough = "fallthrough " if kernel.is_fallthrough else ""
            lines.append(f"{key.name}: {fallthrough}{kernel.debug} [{ORIGINS[origin]}]\n")
        elif origin == "ambiguous":
            lines.append(f"{key.name}: ambiguous_autogradother [{ORIGINS[origin]}]\n")
    return "".join(lines)


def dump(entry: OperatorEntry) -> str:
    """Return the registrations, newest first, as `torch._C._dispatch_dump`."""
    lines = [f"name: {entry.name}\n"]
    if entry.schema is None:
        lines.append("schema: (none)\n")
    else:
        lines += [f"schema: {entry.schema}\n", f"debug: {entry.debug}\n", "alias analysis kind: FROM_SCHEMA\n"]
    for key, kernels in sorted(entry.registered.items()):
        alias = "[alias]" if key >= DispatchKey.Autograd else ""
        for number, kernel in enumerate(kernels):
            inactive = " (inactive)" if number else ""
            fallthrough = "fallthrough " if kernel.is_fallthrough else ""
            lines.append(f"{key.name}{alias}{inactive}: {kernel.debug} :: (none) [ {fallthrough}boxed ]\n")
    return "".join(lines)


def table(name: str) -> dict[str, tuple[Callable[..., Any] | None, str]]:
    """Return the operator's table as data: runtime key -> (the callable registered for it or None, its origin).

    The origins are as in `computed_kernel`, and "fallthrough" for a key that calls skip.

    Raises:
        RuntimeError: nothing was defined or registered under that name.
    """
    entry = operators.get(name) or find(name)
    result: dict[str, tuple[Callable[..., Any] | None, str]] = {}
    with _lock:
        for key, (kernel, origin) in computed_table(entry.kernels, fallbacks).items():
            if kernel is None:
                result[key.name] = None, origin
            elif kernel.is_fallthrough:
                result[key.name] = None, "fallthrough"
            else:
                result[key.name] = kernel.registered, origin
    return result


def explain(name: str, key_set: int) -> list[tuple[DispatchKey, str, Kernel | None]]:
    """Return the dispatch steps of a call: its keys from the highest down to the one taken, each with its origin."""
    entry = find(name)
    full = computed_table(entry.kernels, fallbacks)
    steps: list[tuple[DispatchKey, str, Kernel | None]] = []
    rest = key_set
    while True:
        key = highest_key(rest)
        kernel, origin = full[key]
        steps.append((key, origin, kernel))
        if not rest & ~BACKEND_MASK or kernel is None or not kernel.is_fallthrough:
            return steps
        rest &= ~highest_bit(rest)
