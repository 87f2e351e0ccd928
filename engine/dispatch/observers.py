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
    """A line of a trace: one call of a kernel.

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
        """The file and the function of the kernel."""
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
    """Return an observer that calls `listener` with each step, in every thread, before the step runs."""
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
    """Print a step as a line to stderr."""
    print(step, file=sys.stderr)


_observers: tuple[Observer, ...] = (
    (observer_of(print_step),) if os.environ.get("ENGINE_SHOW_DISPATCH_TRACE") == "1" else ()
)


def is_on() -> bool:
    """Return True if there are observers."""
    return bool(_observers)


def observe(observer: Observer) -> None:
    """Have `observer` wrap the functions resolved from now on, outside the existing observers.

    Whoever calls this, or `unobserve`, holds the dispatcher's lock and lets calls resolve anew: `registry.retrace`.
    """
    global _observers
    _observers = (*_observers, observer)


def unobserve(observer: Observer) -> None:
    """Stop wrapping newly resolved functions with `observer`."""
    global _observers
    _observers = tuple(other for other in _observers if other != observer)  # a bound method is made at each look


def observed(function: Function, label: str, op: str, key: DispatchKey, key_set: int, kernel: Kernel) -> Function:
    """Return `function` wrapped by all observers; if there are none, by the replay that `replay_by` set, if any."""
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
    """Set `replay` as the observer that wraps resolved functions while there are no other observers; None unsets it.

    The caller lets calls resolve anew, as of `observe`.

    Args:
        forget: called whenever kernels were registered, or all calls resolve anew: others may run from now on.
    """
    global _replay, _forget
    _replay, _forget = replay, forget


def kernels_changed() -> None:
    """Call the `forget` that `replay_by` set, since kernels have changed."""
    if _forget is not None:
        _forget()
