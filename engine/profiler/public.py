"""The names that the profiler adds to the package: engine.profiler, engine.autograd.profiler.

Nothing of the profiler is imported before a program asks for one of its names.
"""

import importlib
import sys
from types import SimpleNamespace
from typing import Any

from .. import _C, slots
from .experimental import ExperimentalConfig

_C._add("_profiler", SimpleNamespace(_ExperimentalConfig=ExperimentalConfig))


def autograd_name(name: str) -> Any:
    """Return the module `autograd.profiler`, imported on first access.

    Raises:
        AttributeError: another name that autograd does not have.
    """
    if name != "profiler":
        raise slots.no_autograd_name(name)
    return importlib.import_module(f"{__package__}.autograd_profiler")


slots.autograd_name.fill(autograd_name)

PUBLIC: dict[str, Any] = {"profiler": sys.modules[__package__]}
