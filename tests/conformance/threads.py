"""Threads that call an operator while it is registered and deregistered: every result comes from a kernel that was
registered at some moment of the call, or is the error of a call that found none.
"""

import contextlib
import itertools
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import engine

THREADS = 64
_namespaces = (f"conformance_threads_{number}" for number in itertools.count())


class History:
    """When each kernel was registered: it may answer from `began[n]` on, and until `ended[n]`."""

    def __init__(self) -> None:
        self.began: dict[int, float] = {}
        self.ended: dict[int, float] = {}
        self.numbers = itertools.count()

    def may_answer(self, number: int, start: float, end: float) -> bool:
        """Return whether kernel `number` was registered at some moment from `start` to `end`."""
        return self.began[number] <= end and self.ended.get(number, end) >= start


def check(seconds: float, threads: int = THREADS) -> list[str]:
    """Let a quarter of the threads register and the others call; what went wrong, a line each.

    A kernel returns its own number. One kernel, at CompositeExplicitAutograd, is there all the time, so that no call
    finds none; the others come and go at CPU, AutogradCPU, CompositeImplicitAutograd and with a fallback.
    """
    namespace, history, failures = next(_namespaces), History(), []
    library = engine.library.Library(namespace, "FRAGMENT")
    library.define("op(Tensor x) -> int")
    always = next(history.numbers)
    history.began[always] = 0.0
    library.impl("op", lambda x: always, "CompositeExplicitAutograd")
    x, until = engine.ones(1), time.monotonic() + seconds
    calls = [0] * threads

    def call(at: int) -> None:
        op = getattr(engine.ops, namespace).op.default
        while time.monotonic() < until and not failures:
            start = time.monotonic()
            number = op(x)
            if not history.may_answer(number, start, time.monotonic()):
                failures.append(f"kernel {number} answered a call after it was destroyed")
            calls[at] += 1

    def register(at: int) -> None:
        key = ("CPU", "AutogradCPU", "CompositeImplicitAutograd", "CPU")[at % 4]
        while time.monotonic() < until and not failures:
            number = next(history.numbers)
            history.began[number] = time.monotonic()
            handle: Any = library.impl("op", lambda x, number=number: number, key)
            if key != "CompositeImplicitAutograd" and op_of(namespace)(x) == always:
                failures.append(f"the kernel at {key} is there, and the one below it answered")
            handle.destroy()
            history.ended[number] = time.monotonic()

    def guarded(work: Any, at: int) -> None:
        try:
            work(at)
        except Exception as error:
            failures.append(f"{work.__name__} raised {type(error).__name__}: {str(error)[:300]}")

    workers = [
        threading.Thread(target=guarded, args=(register if at % 4 == 0 else call, at // 4 if at % 4 == 0 else at))
        for at in range(threads)
    ]
    with _switching_often():
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    left = [] if engine.dispatch.table(f"{namespace}::op")["CPU"][1] == "default" else ["a kernel was left behind"]
    library._destroy()
    if not failures and not all(count for at, count in enumerate(calls) if at % 4):
        failures.append("a thread made no call")
    return failures + left


@contextlib.contextmanager
def _switching_often() -> Iterator[None]:
    """Threads take turns after a few instructions, so that what is not locked is seen half made."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def op_of(namespace: str) -> Any:
    """The operator, looked up anew."""
    return getattr(engine.ops, namespace).op.default
