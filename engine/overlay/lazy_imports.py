"""Callbacks for modules that are imported lazily, and the former names of modules that have moved.

A student's part of a module that is imported when it is first used must not import it sooner. The import goes its usual
way; once the module's code has run, and before anybody else sees the module, the callbacks are called.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from collections.abc import Callable
from typing import Any

LATER: set[str] = set()
"""Full names of modules that importing the package leaves out."""

PACKAGE = __name__.partition(".")[0]
# Where modules were until they moved -> where they are, both below the package. Notebooks of that time import them.
MOVED = {
    "compiled": "overlay.kernel_invalidation",
    "numba_cache": "overlay.numba_cache",
    "parts": "overlay",
    "recorder": "memory_trace",
    "generator": "aten.generator",
    "return_types": "aten.return_types",
    "type_info": "aten.type_info",
    "hooks": "utils.hooks",
    "public": "api",
    "dispatch.places": "dispatch.source_location",
    "dispatch.tracing": "dispatch.observers",
}

_waiting: dict[str, list[Callable[[], None]]] = {}


def is_to_come(module: str) -> bool:
    """True if a module is imported on first use and has not been imported yet."""
    return module in LATER and module not in sys.modules


def wait_for(module: str, tell: Callable[[], None]) -> None:
    """Call `tell` once the module is imported."""
    _waiting.setdefault(module, []).append(tell)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


class _Finder:
    """Finds the modules that somebody waits for, where Python would find them."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in _waiting else None
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            for tell in _waiting.pop(name, ()):
                tell()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


class _MovedFinder:
    """Finds a module under the name that it had before it moved, and says what it is called now."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        for old, new in MOVED.items():
            before = f"{PACKAGE}.{old}"
            if name == before or name.startswith(f"{before}."):
                now = f"{PACKAGE}.{new}{name[len(before) :]}"
                warnings.warn(f"{name} is now {now}", DeprecationWarning, stacklevel=2)
                return importlib.machinery.ModuleSpec(name, _Moved(now), is_package=True)
        return None


class _Moved(importlib.abc.Loader):
    """Loads nothing: the module is the one of another name."""

    def __init__(self, now: str):
        self.now = now

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        module = importlib.import_module(self.now)
        self.spec = module.__spec__  # the import system is about to write the old name's there
        return module

    def exec_module(self, module: Any) -> None:
        module.__spec__ = self.spec


def find_moved() -> None:
    """Let modules that have moved be imported by their former names."""
    if _MOVED_FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _MOVED_FINDER)


_FINDER: Any = _Finder()
_MOVED_FINDER: Any = _MovedFinder()
