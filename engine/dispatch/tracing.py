"""ENGINE_SHOW_DISPATCH_TRACE=1: each call, redispatch and boxed call in a line, indented by how deep it is.

     [call] op=[aten::add.Tensor], key=[CPU]

as a debug build of PyTorch prints for TORCH_SHOW_DISPATCH_TRACE=1. Nothing is paid for while it is off: only functions
that are resolved while it is on are wrapped. Mirrors _print_dispatch_trace in ATen/core/dispatch/Dispatcher.cpp.
"""

import functools
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .keys import DispatchKey
from .places import Place, place_of
from .table import Kernel


@dataclass(frozen=True, eq=False)
class Step:
    """One line of a trace.

    Attributes:
        label: "call", "redispatch", "callBoxed" or "redispatchBoxed".
        op: "aten::add.Tensor".
        key: the dispatch key whose kernel runs.
        depth: 1 for a call from outside, 2 for those that its kernel makes, ...
        kernel: what runs.
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


Listener = Callable[[Step], None]


def print_step(step: Step) -> None:
    """Write it as a line to stderr."""
    print(step, file=sys.stderr)


class _Depth(threading.local):
    value = 0


_depth = _Depth()
_listeners: tuple[Listener, ...] = (print_step,) if os.environ.get("ENGINE_SHOW_DISPATCH_TRACE") == "1" else ()


def is_on() -> bool:
    """Whether anyone listens."""
    return bool(_listeners)


def listen(listener: Listener) -> None:
    """Tell `listener` every step of every thread from now on.

    Whoever calls this, or `unlisten`, holds the dispatcher's lock and lets calls resolve anew: `dispatcher.retrace`.
    """
    global _listeners
    _listeners = (*_listeners, listener)


def unlisten(listener: Listener) -> None:
    """Tell it no more."""
    global _listeners
    _listeners = tuple(other for other in _listeners if other is not listener)


def traced(function: Callable[..., Any], label: str, op: str, key: DispatchKey, kernel: Kernel) -> Callable[..., Any]:
    """`function`, telling the listeners before it runs; `function` itself while nobody listens."""
    if not _listeners:
        return function

    @functools.wraps(function, assigned=("__doc__",))
    def call(*arguments: Any) -> Any:
        _depth.value += 1
        try:
            step = Step(label, op, key, _depth.value, kernel)
            for listener in _listeners:
                listener(step)
            return function(*arguments)
        finally:
            _depth.value -= 1

    return call
