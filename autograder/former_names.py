"""Modules by the names that they had before they moved: `python -m autograder.lab` runs `student/open_lab.py`."""

import importlib.util
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

MOVED = {
    "bundle": "author.bundle",
    "collect": "grading.collect",
    "lab": "student.open_lab",
    "my_engine": "student.my_engine",
    "tangle": "author.solutions",
    "verify": "proof.verify",
    "weave": "author.weave",
}


class _Finder:
    """Finds a module by its former name, and says what it is called now."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        head, dot, tail = rest.partition(".")
        if package != __package__ or head not in MOVED:
            return None
        now = f"{package}.{MOVED[head]}{dot}{tail}"
        warnings.warn(f"{name} is now {now}", DeprecationWarning, stacklevel=2)
        found = importlib.util.find_spec(now)
        if found is None:
            return None
        is_package = found.submodule_search_locations is not None
        return ModuleSpec(name, _Moved(now), origin=found.origin, is_package=is_package)  # type: ignore[arg-type]


class _Moved:
    """Loads nothing: the module is the one of another name."""

    def __init__(self, now: str):
        self.now = now

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.now)
        self.spec = module.__spec__  # the import system is about to write the former name's there
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec

    def get_code(self, _: str) -> CodeType | None:
        """The program that `python -m` runs."""
        spec = importlib.util.find_spec(self.now)
        return spec.loader.get_code(self.now) if spec and spec.loader else None  # type: ignore[attr-defined]


def find_moved() -> None:
    """Let these modules be imported and run by their former names."""
    sys.meta_path.append(_Finder())  # type: ignore[arg-type]
