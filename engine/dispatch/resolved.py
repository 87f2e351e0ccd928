"""The functions that calls have been resolved to, by key set: an optimization that asks the dispatcher on a miss.

Generated calls ask `calls.in_state`, which holds the same by the thread's state and the union of the tensors' keys: two
lookups for three operations on ints.
"""

import threading
from collections.abc import Callable
from typing import Any

from .local import ThreadState

lock = threading.RLock()
"""Held while kernels are registered and calls resolved, so that a call sees one state of the table."""

Resolver = Callable[[Any, int, str], Callable[..., Any]]


class Resolved(dict[int, Callable[..., Any]]):
    """A dict from key set to the function that a call runs; a missing entry is resolved on lookup.

    Attributes:
        in_state: state of a thread -> union of the tensors' keys -> the function of the key set that the two give.
    """

    __slots__ = ("entry", "label", "in_state")

    def __init__(self, entry: Any, label: str):
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
        with lock:  # so that no registration empties the dicts in between
            function = self[union] = self.resolved[(union | self.state.included) & self.state.allowed]
            return function


def _no_dispatcher(entry: Any, key_set: int, label: str) -> Callable[..., Any]:
    raise RuntimeError(f"{entry.name} is called before the dispatcher is imported")


resolver: Resolver = _no_dispatcher


def set_resolver(function: Resolver) -> None:
    """Set `function(entry, key_set, label)` as what finds the function of a call from now on."""
    global resolver
    resolver = function
