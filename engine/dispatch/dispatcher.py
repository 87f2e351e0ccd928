"""The dispatcher: each call collects its keys, looks into the operator's table and runs the kernel that it finds.

`Dispatcher` says all of it. The engine's own calls are generated from the schema (`calling.py`) and look up what
`resolve` has found for a key set before; calls run through `Dispatcher` itself inside `live()` and after
`switch(True)`, and `generated()` brings the fast ones back.
Mirrors aten/src/ATen/core/dispatch/{Dispatcher.h,DispatchKeyExtractor.h}.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from . import calling, observers, registry
from .boxing import key_set_of_stack
from .keys import BACKEND_MASK, DispatchKey, highest_bit, highest_key
from .refusals import refusal
from .registry import OperatorEntry, fallbacks, table_of
from .resolved import lock
from .table import Kernel, computed_table


class Dispatcher:
    """The part of the dispatcher that runs every operator's calls."""

    def call(self, entry: OperatorEntry, arguments: Sequence[Any]) -> Any:
        """Call an operator: run it with the keys of its arguments and of the thread, under the label "call".

        Args:
            entry: the operator.
            arguments: all of its arguments in the order of the schema, defaults filled in. It stays as it is.
        Returns:
            what the kernel returns, as it is.
        Raises:
            NotImplementedError, RuntimeError: see `run`.

        Source: Dispatcher::call (aten/src/ATen/core/dispatch/Dispatcher.h).
        """
        return self.run(entry, key_set_of_stack(arguments), arguments, "call")

    def redispatch(self, entry: OperatorEntry, key_set: int, arguments: Sequence[Any]) -> Any:
        """Redispatch a call from within a kernel: run it with these keys and no others, under "redispatch".

        Neither the arguments nor the thread add a key or take one away.

        Args:
            key_set: bits of a key set.

        Source: Dispatcher::redispatch.
        """
        return self.run(entry, key_set, arguments, "redispatch")

    def run(self, entry: OperatorEntry, key_set: int, arguments: Sequence[Any], label: str) -> Any:
        """Run the kernel at the highest key of `key_set` that does not fall through, and return what it returns.

        The kernel comes from the operator's table of this moment, `table_of(entry)`. What it is called with is made by
        `runnable(entry, key, kept, kernel, label)`: a function that takes the arguments, each by position. `kept` is
        `key_set` less all functionalities that fall through, also those below `key`.

        Raises:
            NotImplementedError, RuntimeError: the table has no kernel at the key, or only one that falls through. The
                error is the one that `refusal(entry, key, origin)` returns. An error of the kernel is not held back.

        Source: Dispatcher::call and KernelFunction::call.
        """
        table = table_of(entry)
        kept = dispatch_key_set(key_set, table)
        key = highest_key(kept)
        kernel, origin = table[key]
        if kernel is None or kernel.is_fallthrough:
            raise refusal(entry, key, origin)
        return runnable(entry, key, kept, kernel, label)(*arguments)


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


def bound_to(function: Callable[..., Any], below: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of a function with `below` as its last default, which unlike a partial adds no cost to a call."""
    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__, function.__globals__, function.__name__, (below,))


# ---- the same, remembered


def resolve(entry: OperatorEntry, key_set: int, label: str) -> Callable[..., Any]:
    """Return the function that `Dispatcher.run` runs for this key set, and cache it for the next call.

    Args:
        label: "call" or "redispatch", kept apart only while someone looks at calls.
    Raises:
        NotImplementedError, RuntimeError: see `runnable`.
    """
    with lock:
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


registry.resolve_by(resolve)
DISPATCHER = Dispatcher()


def _resolver(entry: OperatorEntry, key_set: int, label: str) -> Callable[..., Any]:
    """Return a function of the arguments that goes through `DISPATCHER` each time it is called."""
    if label == "redispatch":
        return lambda *arguments: DISPATCHER.redispatch(entry, key_set, arguments)
    return lambda *arguments: DISPATCHER.run(entry, key_set, arguments, label)


def is_live() -> bool:
    """Return True if calls go through `DISPATCHER`."""
    return calling.carrier is not None


def switch(is_on: bool) -> None:
    """Route all calls through `DISPATCHER` if `is_on`, else through the generated functions."""
    if is_on != is_live():
        calling.call_by(DISPATCHER if is_on else None)
        registry.resolve_by(_resolver if is_on else resolve)


@contextlib.contextmanager
def _switched(is_on: bool) -> Iterator[None]:
    before = is_live()
    switch(is_on)
    try:
        yield
    finally:
        switch(before)


def live() -> contextlib.AbstractContextManager[None]:
    """Route all calls of all threads through `DISPATCHER` inside the block."""
    return _switched(True)


def generated() -> contextlib.AbstractContextManager[None]:
    """Route all calls of all threads through the generated functions inside the block."""
    return _switched(False)
