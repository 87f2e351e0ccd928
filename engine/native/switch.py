"""Turn replay on and off; the operators that it covers."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from ..aten.registration import NATIVE_FUNCTIONS
from ..dispatch import observers, registry
from ..dispatch.keys import DispatchKey
from ..dispatch.observers import Resolution
from . import is_watched, launches, layout, leaf
from .leaf import Leaf

REPLAYED = {str(f.name): f for f in NATIVE_FUNCTIONS if "replay" in f.engine_tags}
"""Operator -> its entry, of those whose calls are replayed."""

OWN = tuple(f"{__name__.removesuffix('native.switch')}aten.{module}." for module in ("generated", "native"))
"""Beginnings of the names of modules whose kernels are the engine's own."""

_leaves: dict[str, Leaf] = {}
_former: list[Leaf] = []  # kept, since a caller may still have one
_is_enabled = False
_failure = ""


def enable() -> str:
    """Turn on replay. Its code is compiled when a flagged operator is first called.

    Returns:
        "", or why it stays off.
    """
    global _is_enabled
    if reason := unavailable():
        return reason
    _is_enabled = True
    registry.retrace(partial(observers.replay_by, _native, leaf.forget_plans))
    return ""


def disable() -> None:
    """Turn off replay, so that every kernel runs in Python."""
    global _is_enabled
    _is_enabled = False
    registry.retrace(partial(observers.replay_by, None, None))
    leaf.forget_plans()


def is_enabled() -> bool:
    """Return True if replay is on."""
    return _is_enabled


def unavailable() -> str:
    """Return the reason why replay can't be on; "" if it can."""
    try:
        layout.probed()
        launches.require_numba()
    except (layout.LayoutError, ValueError) as error:
        return str(error)
    return layout.UNKNOWN or _failure


def leaves() -> dict[str, Leaf]:
    """Return the `Leaf` of each operator that has been called, by operator name."""
    return dict(_leaves)


def _native(function: Callable[..., Any], resolution: Resolution) -> Callable[..., Any]:
    """Return the native function in front of `function` where that is the engine's own kernel, and nobody looks."""
    kernel, name = resolution.kernel, resolution.op.removeprefix("aten::")
    is_flagged = resolution.key is DispatchKey.CPU and name in REPLAYED and resolution.label in ("call", "redispatch")
    is_own = function is kernel.function and f"{getattr(function, '__module__', '')}.".startswith(OWN)
    if not is_flagged or not is_own or _failure or is_watched():
        return function
    found = _leaves.get(name)
    if found is None or found.function is not function:
        if found is not None:
            _former.append(found)
        try:
            operator, definition = registry.find(resolution.op), leaf.definition()
            found = _leaves[name] = Leaf(operator, function, definition, REPLAYED[name])
        except Exception as error:  # another numba than was tried
            _fail(error)
            return function
    return found.native


def _fail(error: Exception) -> None:
    """Stay off from now on."""
    global _failure
    _failure = f"{type(error).__name__}: {error}"
    warnings.warn(f"kernels are not replayed: {_failure}", RuntimeWarning, stacklevel=2)
