"""The list of observers of calls. ENGINE_SHOW_DISPATCH_TRACE=1 adds one that prints

     [call] op=[aten::add.Tensor], key=[CPU]

for each call, redispatch and boxed call, indented by how deep it is, as a debug build of PyTorch does; the profiler is
another. Nothing is paid for while the list is empty: only functions that are resolved while someone looks are wrapped.
Mirrors _print_dispatch_trace in ATen/core/dispatch/Dispatcher.cpp, and aten/src/ATen/record_function.h.
"""

import functools
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .keys import DispatchKey
from .source_location import Place, place_of
from .table import Kernel


@dataclass(frozen=True, eq=False)
class Resolution:
    """The resolution of an operator's calls with one key set.

    Attributes:
        label: "call", "redispatch", "callBoxed" or "redispatchBoxed".
        op: "aten::add.Tensor".
        key: the dispatch key whose kernel runs.
        key_set: the bits of the call, without the functionalities that it falls through.
        kernel: what runs.
    """

    label: str
    op: str
    key: DispatchKey
    key_set: int
    kernel: Kernel


@dataclass(frozen=True, eq=False)
class Step:
    """One line of a trace.

    Attributes:
        label, op, key, kernel: as of a Resolution.
        depth: 1 for a call from outside, 2 for those that its kernel makes, ...
    """

    label: str
    op: str
    key: DispatchKey
    depth: int
    kernel: Kernel

    @property
    def place(self) -> Place:
        """File and function of the kernel."""
        return place_of(self.kernel)

    def __str__(self) -> str:
        return f"{' ' * self.depth}[{self.label}] op=[{self.op}], key=[{self.key.name}]"


Function = Callable[..., Any]
Observer = Callable[[Function, Resolution], Function]
"""Returns the function that runs instead of the one that was resolved, or that one itself to change nothing."""

Listener = Callable[[Step], None]


class _Depth(threading.local):
    value = 0


def observer_of(listener: Listener) -> Observer:
    """Return the observer that calls `listener` with each step of every thread before it runs."""
    depth = _Depth()

    def observer(function: Function, resolution: Resolution) -> Function:
        label, op, key, kernel = resolution.label, resolution.op, resolution.key, resolution.kernel

        @functools.wraps(function, assigned=("__doc__",))
        def call(*arguments: Any) -> Any:
            depth.value += 1
            try:
                listener(Step(label, op, key, depth.value, kernel))
                return function(*arguments)
            finally:
                depth.value -= 1

        return call

    return observer


def print_step(step: Step) -> None:
    """Write it as a line to stderr."""
    print(step, file=sys.stderr)


_observers: tuple[Observer, ...] = (
    (observer_of(print_step),) if os.environ.get("ENGINE_SHOW_DISPATCH_TRACE") == "1" else ()
)


def is_on() -> bool:
    """Return True if there are observers."""
    return bool(_observers)


def observe(observer: Observer) -> None:
    """Have `observer` wrap whatever is resolved from now on; it goes around those that are there.

    Whoever calls this, or `unobserve`, holds the dispatcher's lock and lets calls resolve anew: `dispatcher.retrace`.
    """
    global _observers
    _observers = (*_observers, observer)


def unobserve(observer: Observer) -> None:
    """Have `observer` wrap nothing more."""
    global _observers
    _observers = tuple(other for other in _observers if other != observer)  # a bound method is made at each look


def observed(function: Function, label: str, op: str, key: DispatchKey, key_set: int, kernel: Kernel) -> Function:
    """Return `function` as all observers wrap it; while there are none, as `replay_by`'s replay does, or itself."""
    if not _observers and _replay is None:
        return function
    resolution = Resolution(label, op, key, key_set, kernel)
    for observer in _observers or (_replay,):
        function = observer(function, resolution)  # type: ignore[misc]
    return function


# ---- who does the work of kernels again

_replay: Observer | None = None
_forget: Callable[[], None] | None = None


def replay_by(replay: Observer | None, forget: Callable[[], None] | None) -> None:
    """Have `replay` wrap what is resolved while there are no observers; None to end that.

    The caller lets calls resolve anew, as of `observe`.

    Args:
        forget: called whenever kernels were registered, or all calls resolve anew: others may run from now on.
    """
    global _replay, _forget
    _replay, _forget = replay, forget


def kernels_changed() -> None:
    """Let what is known of the work of kernels be forgotten."""
    if _forget is not None:
        _forget()
