"""What each thread adds to the key set of its calls, and takes away.

By default every call has the keys BackendSelect and ADInplaceOrView, and none of the Autocast keys. The guards
change that for the calls inside them. Mirrors c10/core/impl/LocalDispatchKeySet.h.
"""

import functools
import threading
from types import TracebackType

from .keys import (
    AUTOCAST,
    AUTOGRAD_FUNCTIONALITIES,
    BACKEND_MASK,
    DispatchKey,
    DispatchKeySet,
    bits,
)

DEFAULT_INCLUDED = bits(DispatchKey.BackendSelect) | bits(DispatchKey.ADInplaceOrView)
DEFAULT_EXCLUDED = AUTOCAST
ABOVE_BACKENDS = (AUTOGRAD_FUNCTIONALITIES | bits(DispatchKey.ADInplaceOrView)) & ~BACKEND_MASK
"""What AutoDispatchBelowADInplaceOrView excludes."""


class ThreadState:
    """What a thread includes and excludes, at one time. Frozen, and one object for each pair: see `state_of`.

    Attributes:
        included: bits that every call has beside those of its arguments.
        excluded: bits taken away; they win over `included`.
        allowed: `~excluded` with every backend bit, because only functionalities are excluded. A call computes
            `(bits of its arguments | included) & allowed`.
        below: the state inside AutoDispatchBelowADInplaceOrView.
    """

    __slots__ = ("included", "excluded", "allowed", "below")

    def __init__(self, included: int, excluded: int):
        self.included = included
        self.excluded = excluded
        self.allowed = ~excluded | BACKEND_MASK
        self.below = (
            self if excluded & ABOVE_BACKENDS == ABOVE_BACKENDS else state_of(included, excluded | ABOVE_BACKENDS)
        )


@functools.cache
def state_of(included: int, excluded: int) -> ThreadState:
    """The state of that pair; kept, because a guard inside a kernel asks for it at each call."""
    return ThreadState(included, excluded)


class LocalDispatchKeySet(threading.local):
    """The `state` of the thread that asks."""

    def __init__(self) -> None:
        self.state = state_of(DEFAULT_INCLUDED, DEFAULT_EXCLUDED)


local = LocalDispatchKeySet()


class _Guard:
    """Changes the thread's state while a `with` block runs; on the way out, by an exception too, it is as before."""

    __slots__ = ("_bits", "_before")
    _before: ThreadState

    def __init__(self, keys: DispatchKeySet | DispatchKey):
        self._bits = bits(keys) if isinstance(keys, DispatchKey) else keys.raw_repr()

    def __enter__(self) -> None:
        self._before = local.state
        local.state = self._changed(self._before, self._bits)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        local.state = self._before

    def _changed(self, before: ThreadState, given: int) -> ThreadState:
        raise NotImplementedError


class IncludeDispatchKeyGuard(_Guard):
    """Calls inside have these keys too.

    Args:
        keys: a DispatchKeySet, or one key.
    """

    __slots__ = ()

    def _changed(self, before: ThreadState, given: int) -> ThreadState:
        return state_of(before.included | given, before.excluded)


class ExcludeDispatchKeyGuard(_Guard):
    """Calls inside don't have these keys.

    Args:
        keys: a DispatchKeySet, or one key.
    """

    __slots__ = ()

    def _changed(self, before: ThreadState, given: int) -> ThreadState:
        return state_of(before.included, before.excluded | given)


class AutoDispatchBelowAutograd(ExcludeDispatchKeyGuard):
    """Calls inside skip autograd: they neither record nor look whether they should."""

    __slots__ = ()

    def __init__(self) -> None:
        self._bits = AUTOGRAD_FUNCTIONALITIES


class AutoDispatchBelowADInplaceOrView(ExcludeDispatchKeyGuard):
    """Calls inside skip autograd, and count no versions."""

    __slots__ = ()

    def __init__(self) -> None:
        self._bits = ABOVE_BACKENDS
