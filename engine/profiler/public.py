"""The names that the profiler adds to the package: engine.profiler, engine.autograd.profiler.

Nothing of the profiler is imported before a program asks for one of its names.
"""

import importlib
import sys
from types import SimpleNamespace
from typing import Any

from .. import _C, autograd
from .experimental import ExperimentalConfig

_C._profiler = SimpleNamespace(_ExperimentalConfig=ExperimentalConfig)  # type: ignore[attr-defined]


def autograd_name(name: str) -> Any:
    """`autograd.profiler`, imported when it is asked for.

    Raises:
        AttributeError: another name that autograd does not have.
    """
    if name != "profiler":
        raise AttributeError(f"module {autograd.__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__package__}.autograd_profiler")


autograd.__getattr__ = autograd_name  # type: ignore[method-assign]

PUBLIC: dict[str, Any] = {"profiler": sys.modules[__package__]}
