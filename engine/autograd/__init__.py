"""Autograd: kernels above the backends that remember how each tensor was made, and the way back.

Mirrors torch/autograd.
"""

from typing import Any as _Any

from .. import slots as _slots
from ..utils import module_aliases as _module_aliases


def __getattr__(name: str) -> _Any:
    """Return a name that the profiler adds: `autograd.profiler`."""
    if f"autograd.{name}" in _module_aliases.REFUSED:
        raise AttributeError(_module_aliases.refusal(f"autograd.{name}"))
    return _slots.autograd_name(name)
