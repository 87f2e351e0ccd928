"""The keys that each thread adds to the key set of its calls, and the keys that it removes.

By default every call has the keys BackendSelect and ADInplaceOrView, and none of the Autocast keys. The guards
change that for the calls inside them. Mirrors c10/core/impl/LocalDispatchKeySet.h.
"""

import functools
import threading
from types import TracebackType
from typing import Any

from .keys import (
    AUTOCAST,
    AUTOGRAD_FUNCTIONALITIES,
    BACKEND_MASK,
    LAYERS,
    SUBCLASS_LIKE,
    DispatchKey,
    DispatchKeySet,
    bits,
)

DEFAULT_INCLUDED = bits(DispatchKey.BackendSelect) | bits(DispatchKey.ADInplaceOrView)
DEFAULT_EXCLUDED = AUTOCAST
ABOVE_BACKENDS = (AUTOGRAD_FUNCTIONALITIES | bits(DispatchKey.ADInplaceOrView)) & ~BACKEND_MASK
"""The keys that AutoDispatchBelowADInplaceOrView excludes."""


class ThreadState:
    """The key bits that a thread includes and excludes. Immutable, with one object for each pair: see `state_of`.

    Attributes:
        included: bits that every call has besides the bits of its arguments.
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
    """Return the one state with these included and excluded bits; cached, as guards in kernels need it at each call."""
    return _only_state(included, excluded)


@functools.cache
def _only_state(included: int, excluded: int) -> ThreadState:
    """Return one object for each pair, which the cache above would not: it takes arguments by name for others."""
    return ThreadState(included, excluded)


class LocalDispatchKeySet(threading.local):
    """The thread-local `state`: the keys that the current thread includes and excludes."""

    def __init__(self) -> None:
        self.state = state_of(DEFAULT_INCLUDED, DEFAULT_EXCLUDED)


local = LocalDispatchKeySet()
modes = 0
"""Number of entered modes, in all threads. While it is 0, no thread includes a key of SUBCLASS_LIKE."""


def count_modes(change: int) -> None:
    """Add `change` to the number of entered modes."""
    global modes
    modes += change


def in_transform() -> bool:
    """Return True inside a function that is transformed, by `vmap` or `grad` for instance."""
    return bool(modes and local.state.included & LAYERS)


def is_subclass_like(*tensors: Any) -> bool:
    """Return True if a mode, or the class of one of the tensors, is to see each operator that a function consists of.

    Functions that read a tensor's memory or geometry where PyTorch calls an operator ask this first.

    Source: areAnyTensorSubclassLike (aten/src/ATen/TensorSubclassLikeUtils.h).
    """
    key_set = local.state.included if modes else 0
    for tensor in tensors:
        key_set |= tensor._key_set
    return bool(key_set & SUBCLASS_LIKE)


class DispatchKeyGuard:
    """A guard inside whose `with` block the calls of this thread include and exclude additional keys.

    Python calls `__enter__` where the block begins and `__exit__` where it ends, by an exception too.

    Attributes:
        included, excluded: bits that the guard adds to the thread's. Kept as they are: a guard may be entered
            again once it was left. (Not before: a block inside another one has a guard of its own.)

    Source: c10/core/impl/LocalDispatchKeySet.h, IncludeDispatchKeyGuard and ExcludeDispatchKeyGuard.
    """

    before: ThreadState

    def __init__(self, included: int = 0, excluded: int = 0):
        self.included = included
        self.excluded = excluded

    def __enter__(self) -> None:
        """Add the bits to the thread's state: `local.state` becomes another one, by `state_of(included, excluded)`.

        What `__enter__` returns is not used.
        """
        self.before = local.state
        local.state = state_of(self.before.included | self.included, self.before.excluded | self.excluded)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put back the state that `__enter__` found. An exception goes on its way: return None, or False.

        Args:
            kind, error, trace: of the exception that ends the block; None if none does. It may be of any kind, as a
                KeyboardInterrupt, which is not an Exception.
        """
        local.state = self.before


class IncludeDispatchKeyGuard(DispatchKeyGuard):
    """A guard that adds these keys to the calls inside its block.

    Args:
        keys: a DispatchKeySet, or one key.
    """

    def __init__(self, keys: DispatchKeySet | DispatchKey):
        DispatchKeyGuard.__init__(self, included=as_bits(keys))


class ExcludeDispatchKeyGuard(DispatchKeyGuard):
    """A guard that removes these keys from the calls inside its block.

    Args:
        keys: a DispatchKeySet, or one key.
    """

    def __init__(self, keys: DispatchKeySet | DispatchKey):
        DispatchKeyGuard.__init__(self, excluded=as_bits(keys))


class AutoDispatchBelowAutograd(DispatchKeyGuard):
    """A guard inside which calls skip autograd: they neither record nor check whether they should."""

    def __init__(self) -> None:
        DispatchKeyGuard.__init__(self, excluded=AUTOGRAD_FUNCTIONALITIES)


class AutoDispatchBelowADInplaceOrView(DispatchKeyGuard):
    """A guard inside which calls skip autograd and do not increment versions."""

    def __init__(self) -> None:
        DispatchKeyGuard.__init__(self, excluded=ABOVE_BACKENDS)


def as_bits(keys: DispatchKeySet | DispatchKey) -> int:
    """Return a key set, or a single key, as an int."""
    return bits(keys) if isinstance(keys, DispatchKey) else keys.raw_repr()
