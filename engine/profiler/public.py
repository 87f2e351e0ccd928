"""The names that the profiler adds to the package: engine.profiler, engine.autograd.profiler."""

from types import SimpleNamespace
from typing import Any

from .. import _C, autograd, profiler
from . import autograd_profiler
from .profile import ExperimentalConfig

autograd.profiler = autograd_profiler  # type: ignore[attr-defined]
_C._profiler = SimpleNamespace(_ExperimentalConfig=ExperimentalConfig)  # type: ignore[attr-defined]

PUBLIC: dict[str, Any] = {"profiler": profiler}
