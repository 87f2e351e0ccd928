"""Exceptions that one thread raises in another, and how they are taken back.

CPython notes in one flag of the interpreter that such an exception is on its way, and deletes it when one comes up. In
CPython 3.11 it also sets the flag when an exception is taken back by setting None, and keeps it if the thread ends
first. While the flag is set, a function that is called under `sys.settrace` or `sys.setprofile` repeats its first
instruction forever (the handling of RESUME in Python/ceval.c). So an exception is taken back here by another one, which
comes up at once and is caught.
"""

import ctypes
import threading


class _Withdrawn(BaseException):
    """Replaces an exception that has not come up yet."""


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise `error` in a thread, at its next step in Python.

    Args:
        thread: as `threading.get_ident()` gives it.

    Source: PyThreadState_SetAsyncExc (Python/pystate.c).
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def withdraw() -> None:
    """Cancel an exception that another thread has raised in this one and that is still pending."""
    try:
        raise_in(threading.get_ident(), _Withdrawn)
        while True:
            pass
    except _Withdrawn:
        pass
