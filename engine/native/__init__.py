"""Leaf replay: the work of a kernel for one geometry, noted once and then done again by one native call.

The first call of an operator on the CPU with some key (sizes, strides, dtypes, values of other arguments) runs its
Python kernel and notes which outputs it made and which compiled kernels it called. That is a plan, and later calls with
this key are one call in machine code. Binding, dispatcher and autograd stay Python, and so does what is unusual:
whatever has no plan goes to the Python kernel, which also raises.

    objects.py   Python objects as addresses, in functions that numba compiles
    layout.py    where their fields are, found by probing; what all compiled functions look up
    plan.py      a plan's words; new tensors and views in machine code
    call.py      the call: key, plan, outputs, kernels
    launches.py  a call of a compiled kernel as words of a plan
    record.py    from a kernel that ran in Python to a plan
    leaf.py      an operator: its plans, and the kernel in Python that makes them
    switch.py    on and off, and for which operators

It begins when kernels have been called some hundred times, so that a short program loads nothing of it; with
ENGINE_NATIVE=1 it begins at once, with ENGINE_NATIVE=0 never. It is off where a probe fails, on a free-threaded Python,
while the code of a function is replaced, and while somebody observes calls. A debugger does not step into what is
replayed.
"""

import importlib
import itertools
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from .. import compiled
from ..dispatch import calling, observers, registry
from ..dispatch.keys import DispatchKey
from ..dispatch.observers import Resolution

PATIENCE = 500  # calls of kernels on the CPU before what compiles is loaded: that takes as long as some thousand calls

_calls = itertools.count()


def enable() -> str:
    """Turn on replay, and return "", or the reason why it stays off. See `switch.enable`."""
    return str(importlib.import_module(f"{__name__}.switch").enable())


def enable_when_warm() -> None:
    """Turn on replay at the `PATIENCE`th call of a kernel, so that a process that makes few calls loads nothing."""
    registry.retrace(partial(observers.replay_by, _counted, None))


def _counted(function: Callable[..., Any], resolution: Resolution) -> Callable[..., Any]:
    """Return `function`, with its calls counted if it is a kernel on the CPU and nobody watches."""
    if resolution.key is not DispatchKey.CPU or is_watched():
        return function

    def call(*args: Any) -> Any:
        if next(_calls) >= PATIENCE and enable():
            registry.retrace(partial(observers.replay_by, None, None))  # so nothing more needs to be counted
        return function(*args)

    return call


def is_watched() -> bool:
    """Return True while calls must run in Python: with a profiler, a tracer or replaced code active."""
    is_traced = sys.getprofile() is not None or sys.gettrace() is not None
    return bool(compiled.replaced()) or calling.carrier is not None or is_traced
