"""The dispatcher as one writes it: each call collects its keys, looks into the table and runs the kernel it finds.

The engine's own calls are generated from the schema and remember what they have found (`calling.py`,
`dispatcher.resolve`). These here remember nothing. A call runs through them once a student's `Dispatcher` is live, and
inside `live()`; `generated()` brings the fast ones back.
Mirrors aten/src/ATen/core/dispatch/Dispatcher.h.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import overlay
from . import calling, dispatcher
from .boxing import key_set_of_stack
from .dispatcher import OperatorEntry, dispatch_key_set, refusal, runnable, table_of
from .keys import highest_key

NAME = "dispatch.written.Dispatcher"


class Dispatcher:
    """The part of the dispatcher that runs every operator's calls."""

    def call(self, entry: OperatorEntry, arguments: Sequence[Any]) -> Any:
        """Call an operator: run it with the keys of its arguments and of the thread, under the label "call".

        Args:
            entry: the operator.
            arguments: all of its arguments in the order of the schema, defaults filled in. It stays as it is.
        Returns:
            what the kernel returns, as it is.
        Raises:
            NotImplementedError, RuntimeError: see `run`.

        Source: Dispatcher::call (aten/src/ATen/core/dispatch/Dispatcher.h).
        """
        return self.run(entry, key_set_of_stack(arguments), arguments, "call")

    def redispatch(self, entry: OperatorEntry, key_set: int, arguments: Sequence[Any]) -> Any:
        """Redispatch a call from within a kernel: run it with these keys and no others, under "redispatch".

        Neither the arguments nor the thread add a key or take one away.

        Args:
            key_set: bits of a key set.

        Source: Dispatcher::redispatch.
        """
        return self.run(entry, key_set, arguments, "redispatch")

    def run(self, entry: OperatorEntry, key_set: int, arguments: Sequence[Any], label: str) -> Any:
        """Run the kernel at the highest key of `key_set` that does not fall through, and return what it returns.

        The kernel comes from the operator's table of this moment, `table_of(entry)`. What it is called with is made by
        `runnable(entry, key, kept, kernel, label)`: a function that takes the arguments, each by position. `kept` is
        `key_set` less all functionalities that fall through, also those below `key`.

        Raises:
            NotImplementedError, RuntimeError: the table has no kernel at the key, or only one that falls through. The
                error is the one that `refusal(entry, key, origin)` returns. An error of the kernel is not held back.

        Source: Dispatcher::call and KernelFunction::call.
        """
        table = table_of(entry)
        kept = dispatch_key_set(key_set, table)
        key = highest_key(kept)
        kernel, origin = table[key]
        if kernel is None or kernel.is_fallthrough:
            raise refusal(entry, key, origin)
        return runnable(entry, key, kept, kernel, label)(*arguments)


DISPATCHER = Dispatcher()


def _resolver(entry: OperatorEntry, key_set: int, label: str) -> Callable[..., Any]:
    """Return a function of the arguments that goes through `DISPATCHER` each time it is called."""
    if label == "redispatch":
        return lambda *arguments: DISPATCHER.redispatch(entry, key_set, arguments)
    return lambda *arguments: DISPATCHER.run(entry, key_set, arguments, label)


def is_live() -> bool:
    """Return True if calls go through `DISPATCHER`."""
    return calling.written is not None


def switch(is_on: bool) -> None:
    """Route all calls through `DISPATCHER` if `is_on`, else through the generated functions."""
    if is_on != is_live():
        calling.call_by(DISPATCHER if is_on else None)
        dispatcher.resolve_by(_resolver if is_on else dispatcher.resolve)


class _Wish:
    """The choice whether a student's `Dispatcher` carries the calls of the engine."""

    is_used = True


def use(is_used: bool) -> None:
    """Set whether a student's `Dispatcher`, as soon as it is written, runs the engine's calls."""
    _Wish.is_used = is_used
    follow_parts()


def follow_parts() -> None:
    """Switch to `DISPATCHER` if a student has written it and `use` allows it, else to the generated functions."""
    switch(_Wish.is_used and NAME in overlay.active())


@contextlib.contextmanager
def _switched(is_on: bool) -> Iterator[None]:
    before = is_live()
    switch(is_on)
    try:
        yield
    finally:
        switch(before)


def live() -> contextlib.AbstractContextManager[None]:
    """Route all calls of all threads through `DISPATCHER` inside the block."""
    return _switched(True)


def generated() -> contextlib.AbstractContextManager[None]:
    """Route all calls of all threads through the generated functions inside the block."""
    return _switched(False)
