"""The trace of a block of code as data: which kernels ran, in which order, and where each is defined.

    with engine.dispatch.trace() as steps:
        x + y
    for step in steps:
        print(step, step.place)

`observers.py` is the machine below; here it is switched on and off.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from . import observers, registry
from .observers import Step


@contextmanager
def trace() -> Iterator[list[Step]]:
    """Yield a list to which each dispatch of this thread inside the block is appended, but none of other threads.

    It may be nested, and several threads may trace at a time, each for itself. On the way out, by an exception too,
    calls are as fast as before.
    """
    steps: list[Step] = []
    thread = threading.get_ident()

    def record(step: Step) -> None:
        if threading.get_ident() == thread:
            steps.append(step)

    observer = observers.observer_of(record)
    registry.retrace(lambda: observers.observe(observer))
    try:
        yield steps
    finally:
        registry.retrace(lambda: observers.unobserve(observer))
