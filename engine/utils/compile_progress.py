"""Hooks around numba's compiling: the status line names the kernels, and Ctrl-C leaves numba usable.

Nothing here runs unless a kernel is compiled.
"""

import functools
import signal
import threading
from collections.abc import Callable
from typing import Any

from .status_line import LINE, Task

LONGEST = 60  # characters of a kernel's name


def watch() -> None:
    """Show each kernel compiled from now on in the status line, and protect numba's tables from interrupts."""
    from numba.core import base, event
    from numba.core.typing import context

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            LINE.begin(LINE.kernels, Task(name_of(event.data)))

        def on_end(self, event: Any) -> None:
            if LINE.kernels:
                LINE.end(LINE.kernels, LINE.kernels[-1])

    event.register("numba:compile", Listener())
    for kind in (base.BaseContext, context.BaseContext):
        kind.refresh = uninterrupted(kind.refresh)  # type: ignore[method-assign]


def name_of(compiled: dict[str, Any]) -> str:
    """Return a compiled function's name and its first array's dtype, from an event's data: "add.contiguous float32"."""
    name = compiled["dispatcher"].py_func.__qualname__.replace("<locals>.", "")
    dtypes = (getattr(kind, "dtype", None) for kind in compiled["args"])
    return f"{name} {next((str(dtype) for dtype in dtypes if dtype is not None), '')}".strip()[:LONGEST]


def uninterrupted(function: Callable) -> Callable:
    """Wrap a function so that Ctrl-C is held back until it returns.

    numba fills its tables from queues: a KeyboardInterrupt between the two would lose what was taken out, and no
    kernel could be compiled any more.
    """

    @functools.wraps(function)
    def shielded(*args: Any, **kwargs: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return function(*args, **kwargs)
        held: list[tuple] = []
        before = signal.getsignal(signal.SIGINT)
        if not callable(before):  # ignored, or not Python's
            return function(*args, **kwargs)
        signal.signal(signal.SIGINT, lambda *arrived: held.append(arrived))
        try:
            return function(*args, **kwargs)
        finally:
            signal.signal(signal.SIGINT, before)
            if held:
                before(*held[0])

    return shielded
