"""The names that PyTorch programs reach as `torch._C`: dispatch keys, guards, dumps."""

from typing import TYPE_CHECKING, Any

from .dispatch import dumps, refusals, registry
from .dispatch.keys import (
    AFTER_ADINPLACEORVIEW,
    AFTER_AUTOGRAD,
    ALIASES,
    BACKEND_MASK,
    PYTHON,
    DispatchKey,
    DispatchKeySet,
    backend_of_autograd,
    below,
    bits,
    parse_key,
)
from .dispatch.local import (
    AutoDispatchBelowADInplaceOrView as _AutoDispatchBelowADInplaceOrView,
)
from .dispatch.local import (
    AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd,
)
from .dispatch.local import DispatchKeyGuard, local, state_of
from .dispatch.local import (
    ExcludeDispatchKeyGuard as _ExcludeDispatchKeyGuard,
)
from .dispatch.local import (
    IncludeDispatchKeyGuard as _IncludeDispatchKeyGuard,
)
from .tensor_impl import Tensor
from .tensor_impl import _disabled_torch_function_impl as _disabled_torch_function_impl
from .utils.lazy_names import lazy_names

__all__ = [
    "DispatchKey", "DispatchKeySet", "_AutoDispatchBelowADInplaceOrView", "_AutoDispatchBelowAutograd",
    "_ExcludeDispatchKeyGuard", "_IncludeDispatchKeyGuard", "_dispatch_dump", "_dispatch_dump_table",
]  # fmt: skip

if TYPE_CHECKING:  # aten/python_bindings.py and others put these here
    from . import _linalg as _linalg
    from . import _nn as _nn
    from . import _special as _special

    def __getattr__(name: str) -> Any: ...
else:
    OF_TORCH_FUNCTION = ("DisableTorchFunction", "DisableTorchFunctionSubclass", "_is_torch_function_enabled",
                         "_is_torch_function_all_disabled", "_is_torch_function_mode_enabled",
                         "_len_torch_function_stack")  # fmt: skip
    OF_TORCH_DISPATCH = ("_disabled_torch_dispatch_impl", "_get_dispatch_stack_at", "_len_torch_dispatch_stack",
                         "_pop_torch_dispatch_stack", "_push_on_torch_dispatch_stack")  # fmt: skip
    __path__: list[str] = []  # `_functorch` is a module below it
    __getattr__, __dir__ = lazy_names(
        __name__,
        {"_functorch": ""}
        | dict.fromkeys(OF_TORCH_FUNCTION, "..transforms.torch_function")
        | dict.fromkeys(OF_TORCH_DISPATCH, "..transforms.python_dispatch"),
    )


class _DisableTorchDispatch(DispatchKeyGuard):
    """A guard that keeps calls from classes and modes from where it is made to the end of its block, or of its life."""

    def __init__(self) -> None:
        super().__init__(excluded=PYTHON)
        super().__enter__()
        self.is_on = True

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        if self.is_on:
            self.is_on = False
            super().__exit__(None, None, None)

    __del__ = __exit__


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
    entry = registry.operators.get(name)
    return dumps.dump(entry) if entry else ""


def _dispatch_dump_table(name: str) -> str:
    """Return an operator's computed table, a line for each key that has an entry; empty if nothing is known of it."""
    entry = registry.operators.get(name)
    return dumps.dump_table(entry) if entry else ""


def _dispatch_keys(tensor: Tensor) -> DispatchKeySet:
    """Return the key set that a tensor brings to a call."""
    return DispatchKeySet.from_raw_repr(tensor._key_set)


def _dispatch_tls_local_include_set() -> DispatchKeySet:
    return DispatchKeySet.from_raw_repr(local.state.included)


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    return DispatchKeySet.from_raw_repr(local.state.excluded)


def _dispatch_tls_is_dispatch_key_included(key: DispatchKey) -> bool:
    return local.state.included & bits(key) == bits(key)  # no state has the backend of AutogradCPU


def _dispatch_tls_is_dispatch_key_excluded(key: DispatchKey) -> bool:
    return local.state.excluded & bits(key) == bits(key)


def _dispatch_tls_set_dispatch_key_included(key: DispatchKey, included: bool) -> None:
    others = local.state.included & ~_bits(key)
    local.state = state_of(others | included * _bits(key), local.state.excluded)


def _dispatch_tls_set_dispatch_key_excluded(key: DispatchKey, excluded: bool) -> None:
    others = local.state.excluded & ~_bits(key)
    local.state = state_of(local.state.included, others | excluded * _bits(key))


def _dispatch_has_kernel(name: str) -> bool:
    entry = registry.operators.get(name)
    return bool(entry and entry.registered)


def _dispatch_has_kernel_for_dispatch_key(name: str, key: Any) -> bool:
    """Return True if a kernel is registered at exactly this key."""
    return _as_key(key) in _entry(name).registered


def _dispatch_has_computed_kernel_for_dispatch_key(name: str, key: Any) -> bool:
    """Return True if a call at this key finds a kernel, fallbacks included."""
    return _as_key(key) in refusals.available_keys(_entry(name))


def _dispatch_print_registrations_for_dispatch_key(dispatch_key: str = "") -> None:
    """Print the names of the operators that have a kernel at exactly this key; all operators' without one."""
    key = parse_key(dispatch_key) if dispatch_key else None
    for name, entry in registry.operators.items():
        if key is None or key in entry.registered:
            print(name)


def _dispatch_is_included_in_alias(key: Any, alias: Any) -> bool:
    alias = _as_key(alias)
    return _as_key(key) in ALIASES.get(alias, (alias,))


def _dispatch_get_backend_keyset_from_autograd(key: DispatchKey) -> DispatchKeySet:
    return DispatchKeySet(backend_of_autograd(key))


def _dispatch_keyset_full_after(key: DispatchKey) -> DispatchKeySet:
    """Return all keys below one: a kernel at `key` redispatches to `keyset & _dispatch_keyset_full_after(key)`."""
    return DispatchKeySet.from_raw_repr(below(key))


def _entry(name: str) -> registry.OperatorEntry:
    entry = registry.operators.get(name)
    if entry is None:
        raise RuntimeError(f"operator {name} does not exist")
    return entry


def _bits(key: DispatchKey) -> int:
    return bits(key) & ~BACKEND_MASK


def _as_key(key: Any) -> DispatchKey:
    return key if isinstance(key, DispatchKey) else parse_key(key)
