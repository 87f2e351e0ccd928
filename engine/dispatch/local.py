"""What each thread adds to the key set of its calls, and takes away.

By default every call has the keys BackendSelect and ADInplaceOrView, and none of the Autocast keys. The guards
change that for the calls inside them. Mirrors c10/core/impl/LocalDispatchKeySet.h.
"""

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


class LocalDispatchKeySet(threading.local):
    """A thread's own state.

    Attributes:
        included: bits that every call has beside those of its arguments.
        excluded: bits taken away; they win over `included`.
        allowed: `~excluded` with every backend bit, because only functionalities are excluded. A call computes
            `(bits of its arguments | included) & allowed`.
    """

    def __init__(self) -> None:
        self.set(DEFAULT_INCLUDED, DEFAULT_EXCLUDED)

    def set(self, included: int, excluded: int) -> None:
        self.included = included
        self.excluded = excluded
        self.allowed = ~excluded | BACKEND_MASK


local = LocalDispatchKeySet()


class _Guard:
    """Changes the thread's state while a `with` block runs; on the way out, by an exception too, it is as before."""

    __slots__ = ("_bits", "_before")

    def __init__(self, keys: DispatchKeySet | DispatchKey):
        self._bits = bits(keys) if isinstance(keys, DispatchKey) else keys.raw_repr()

    def __enter__(self) -> None:
        self._before = local.included, local.excluded
        self._change(self._bits)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        local.set(*self._before)

    def _change(self, given: int) -> None:
        raise NotImplementedError


class IncludeDispatchKeyGuard(_Guard):
    """Calls inside have these keys too.

    Args:
        keys: a DispatchKeySet, or one key.
    """

    __slots__ = ()

    def _change(self, given: int) -> None:
        local.set(local.included | given, local.excluded)


class ExcludeDispatchKeyGuard(_Guard):
    """Calls inside don't have these keys.

    Args:
        keys: a DispatchKeySet, or one key.
    """

    __slots__ = ()

    def _change(self, given: int) -> None:
        local.set(local.included, local.excluded | given)


class AutoDispatchBelowAutograd(ExcludeDispatchKeyGuard):
    """Calls inside skip autograd: they neither record nor look whether they should."""

    __slots__ = ()

    def __init__(self) -> None:
        self._bits = AUTOGRAD_FUNCTIONALITIES


class AutoDispatchBelowADInplaceOrView(ExcludeDispatchKeyGuard):
    """Calls inside skip autograd, and count no versions."""

    __slots__ = ()

    def __init__(self) -> None:
        self._bits = AUTOGRAD_FUNCTIONALITIES | bits(DispatchKey.ADInplaceOrView)
