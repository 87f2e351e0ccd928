"""Inference mode: calls without Autograd and ADInplaceOrView, tensors without their keys.

Mirrors c10/core/InferenceMode.h.
"""

import threading
from typing import Any

from .. import slots
from ..aten import empty_tensor
from ..dispatch.keys import AUTOGRAD_FUNCTIONALITIES, BACKEND_MASK, DispatchKey, bits
from ..dispatch.local import local, state_of
from .state import state

_ADINPLACEORVIEW = bits(DispatchKey.ADInplaceOrView)
_AUTOGRAD = AUTOGRAD_FUNCTIONALITIES & ~BACKEND_MASK
_lock = threading.Lock()


def enter(mode: bool) -> tuple[Any, ...]:
    """Switch the inference mode of this thread on or off.

    Returns:
        what `leave` needs.
    """
    before = (state.inference_mode, state.grad_mode, local.state)
    given = local.state
    if mode:
        local.state = state_of(given.included & ~_ADINPLACEORVIEW, given.excluded | _AUTOGRAD)
    elif state.inference_mode:
        local.state = state_of(given.included | _ADINPLACEORVIEW, given.excluded & ~_AUTOGRAD)
    state.inference_mode, state.grad_mode = mode, not mode
    _count(mode)
    return (*before, mode)


def leave(before: tuple[Any, ...]) -> None:
    """Restore the state that `enter` returned."""
    state.inference_mode, state.grad_mode, local.state, mode = before
    _count(mode, -1)


def _count(mode: bool, change: int = 1) -> None:
    if mode:
        with _lock:
            empty_tensor.count_inference_modes(change)


def is_inference_mode() -> bool:
    """Return True if this thread is in inference mode."""
    return state.inference_mode


slots.is_inference_mode.fill(is_inference_mode)
