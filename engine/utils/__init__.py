"""engine.utils: the tools that PyTorch keeps under torch.utils. Each is imported on first use."""

import importlib
import sys
from typing import Any

NAMES = ("benchmark", "training")


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES})


PUBLIC: dict[str, Any] = {"utils": sys.modules[__name__]}
