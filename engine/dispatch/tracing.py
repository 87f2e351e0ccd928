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


@dataclass(frozen=True)
class Step:
    """One line of a trace: "call", "redispatch", "callBoxed" or "redispatchBoxed"; depth 1 is a call from outside."""

    label: str
    op: str
    key: DispatchKey
    depth: int

    def __str__(self) -> str:
        return f"{' ' * self.depth}[{self.label}] op=[{self.op}], key=[{self.key.name}]"


def print_step(step: Step) -> None:
    print(step, file=sys.stderr)


class _Depth(threading.local):
    value = 0


_depth = _Depth()
_listener: Callable[[Step], None] | None = print_step if os.environ.get("ENGINE_SHOW_DISPATCH_TRACE") == "1" else None


def is_on() -> bool:
    return _listener is not None


def listen(listener: Callable[[Step], None] | None) -> Callable[[Step], None] | None:
    """Hand every step to `listener` from now on; None switches tracing off. Returns the listener of before.

    Whoever calls this must then `dispatcher.retrace()`.
    """
    global _listener
    before, _listener = _listener, listener
    return before


def traced(function: Callable[..., Any], label: str, op: str, key: DispatchKey) -> Callable[..., Any]:
    """`function`, telling the listener before it runs; `function` itself while nobody listens."""
    listener = _listener
    if listener is None:
        return function

    @functools.wraps(function, assigned=("__doc__",))
    def call(*arguments: Any) -> Any:
        _depth.value += 1
        try:
            listener(Step(label, op, key, _depth.value))
            return function(*arguments)
        finally:
            _depth.value -= 1

    return call
