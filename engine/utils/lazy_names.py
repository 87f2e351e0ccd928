"""Names of a package whose modules are imported when they are first asked for, by PEP 562.

NAMES = {"profile": ".stepwise", "schedule": ".actions"}
__getattr__, __dir__ = lazy_names(__name__, NAMES)
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` for a package whose names are imported on first use.

    Args:
        package: its name.
        names: public name -> the module that has it, seen from the package; "" if it is a module of the package.
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not names[name]:
            return importlib.import_module(f"{package}.{name}")
        value = getattr(importlib.import_module(names[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted({*vars(sys.modules[package]), *names})
