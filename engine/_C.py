"""The names that PyTorch programs reach as `torch._C`: dispatch keys, guards, dumps."""

from typing import TYPE_CHECKING, Any

from .dispatch import dispatcher
from .dispatch.keys import (
    AFTER_ADINPLACEORVIEW,
    AFTER_AUTOGRAD,
    ALIASES,
    DispatchKey,
    DispatchKeySet,
    backend_of_autograd,
    below,
    parse_key,
)
from .dispatch.local import (
    AutoDispatchBelowADInplaceOrView as _AutoDispatchBelowADInplaceOrView,
)
from .dispatch.local import (
    AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd,
)
from .dispatch.local import (
    ExcludeDispatchKeyGuard as _ExcludeDispatchKeyGuard,
)
from .dispatch.local import (
    IncludeDispatchKeyGuard as _IncludeDispatchKeyGuard,
)
from .dispatch.local import local
from .tensor_impl import Tensor

__all__ = [
    "DispatchKey", "DispatchKeySet", "_AutoDispatchBelowADInplaceOrView", "_AutoDispatchBelowAutograd",
    "_ExcludeDispatchKeyGuard", "_IncludeDispatchKeyGuard", "_dispatch_dump", "_dispatch_dump_table",
]  # fmt: skip

if TYPE_CHECKING:  # aten/python_bindings.py and others put these here
    from . import _linalg as _linalg
    from . import _nn as _nn
    from . import _special as _special

    def __getattr__(name: str) -> Any: ...


_parse_dispatch_key = parse_key
_after_autograd_keyset = DispatchKeySet.from_raw_repr(AFTER_AUTOGRAD)
_after_ADInplaceOrView_keyset = DispatchKeySet.from_raw_repr(AFTER_ADINPLACEORVIEW)


def _add(name: str, value: Any) -> None:
    """Add what a higher layer has under a name of torch._C, such as `_profiler`."""
    globals()[name] = value


def _dispatch_key_parse(name: str) -> DispatchKey:
    return parse_key(name)


def _dispatch_key_name(key: DispatchKey) -> str:
    return key.name


def _dispatch_dump(name: str) -> str:
    """Return the registrations of an operator, newest first; empty if nothing is known of it."""
    entry = dispatcher.operators.get(name)
    return dispatcher.dump(entry) if entry else ""


def _dispatch_dump_table(name: str) -> str:
    """Return an operator's computed table, a line for each key that has an entry; empty if nothing is known of it."""
    entry = dispatcher.operators.get(name)
    return dispatcher.dump_table(entry) if entry else ""


def _dispatch_keys(tensor: Tensor) -> DispatchKeySet:
    """Return the key set that a tensor brings to a call."""
    return DispatchKeySet.from_raw_repr(tensor._key_set)


def _dispatch_tls_local_include_set() -> DispatchKeySet:
    return DispatchKeySet.from_raw_repr(local.state.included)


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    return DispatchKeySet.from_raw_repr(local.state.excluded)


def _dispatch_has_kernel(name: str) -> bool:
    entry = dispatcher.operators.get(name)
    return bool(entry and entry.registered)


def _dispatch_has_kernel_for_dispatch_key(name: str, key: Any) -> bool:
    """Return True if a kernel is registered at exactly this key."""
    return _as_key(key) in _entry(name).registered


def _dispatch_has_computed_kernel_for_dispatch_key(name: str, key: Any) -> bool:
    """Return True if a call at this key finds a kernel, fallbacks included."""
    return _as_key(key) in dispatcher.available_keys(_entry(name))


def _dispatch_is_included_in_alias(key: Any, alias: Any) -> bool:
    alias = _as_key(alias)
    return _as_key(key) in ALIASES.get(alias, (alias,))


def _dispatch_get_backend_keyset_from_autograd(key: DispatchKey) -> DispatchKeySet:
    return DispatchKeySet(backend_of_autograd(key))


def _dispatch_keyset_full_after(key: DispatchKey) -> DispatchKeySet:
    """Return all keys below one: a kernel at `key` redispatches to `keyset & _dispatch_keyset_full_after(key)`."""
    return DispatchKeySet.from_raw_repr(below(key))


def _entry(name: str) -> dispatcher.OperatorEntry:
    entry = dispatcher.operators.get(name)
    if entry is None:
        raise RuntimeError(f"operator {name} does not exist")
    return entry


def _as_key(key: Any) -> DispatchKey:
    return key if isinstance(key, DispatchKey) else parse_key(key)
