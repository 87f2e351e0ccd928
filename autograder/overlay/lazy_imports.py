"""Callbacks for modules that are imported lazily.

A student's part of a module that is imported when it is first used must not import it sooner. The import goes its usual
way; once the module's code has run, and before anybody else sees the module, the callbacks are called.
"""

import importlib.machinery
import sys
from collections.abc import Callable
from typing import Any

from engine import layers

from .grafting import PACKAGE

LATER = {f"{PACKAGE}.{module}" for module in layers.later()}
"""Full names of modules that importing the engine leaves out."""

_waiting: dict[str, list[Callable[[], None]]] = {}


def is_to_come(module: str) -> bool:
    """Return True if a module is imported only on first use, and has not been imported yet."""
    return module in LATER and module not in sys.modules


def wait_for(module: str, tell: Callable[[], None]) -> None:
    """Call `tell` when the module has been imported."""
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


_FINDER: Any = _Finder()
