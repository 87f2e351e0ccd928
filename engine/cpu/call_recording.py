"""Note which compiled kernels a kernel in Python calls, with what, and what they return."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ..dtypes import dtype
from .loops import Compiled, Entry, noters

Note = Callable[[Compiled, dtype, tuple, Any, bool], None]
_on_threads = Compiled.on_threads


@contextlib.contextmanager
def noting(note: Note) -> Iterator[None]:
    """Report this thread's calls of compiled kernels to `note` inside the `with` block; one thread at a time may do so.

    `Compiled` is given two methods for so long, so a call costs nothing more where nobody notes it.

    Args:
        note: called after each, with the kernels, the dtype, the arguments, what was returned, and whether it was
            `on_threads`: then the arguments are its `count`, `grain_size` and `args`.
    """
    thread = threading.get_ident()

    def getitem(self: Compiled, kind: dtype) -> Entry:
        entry = dict.__getitem__(self, kind) if kind in self else self.__missing__(kind)
        if threading.get_ident() != thread:
            return entry

        def call(*args: Any) -> Any:
            returned = entry(*args)
            note(self, kind, args, returned, False)
            return returned

        return call

    def on_threads(self: Compiled, kind: dtype, count: int, grain_size: int, args: tuple) -> None:
        _on_threads(self, kind, count, grain_size, args)
        if threading.get_ident() == thread:
            note(self, kind, (count, grain_size, args), None, True)

    try:
        noters.append(note)
        Compiled.__getitem__ = getitem  # type: ignore[assignment, method-assign]
        Compiled.on_threads = on_threads  # type: ignore[method-assign]
        yield
    finally:
        noters.clear()
        if "__getitem__" in vars(Compiled):  # else an interrupt came first
            del Compiled.__getitem__
        Compiled.on_threads = _on_threads  # type: ignore[method-assign]
