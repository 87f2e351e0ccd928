"""Autograd: kernels above the backends that remember how each tensor was made, and the way back.

Mirrors torch/autograd.
"""

from typing import Any as _Any

from .. import slots as _slots


def __getattr__(name: str) -> _Any:
    """Return a name that the profiler adds: `autograd.profiler`."""
    return _slots.autograd_name(name)
