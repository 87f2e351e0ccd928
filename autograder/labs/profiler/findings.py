"""Findings that several checks of the profiler make on an observation."""

from collections.abc import Callable
from typing import Any


def without(*names: str) -> Callable[[tuple, Any], Any]:
    """Findings that leave out entries of a dict: those that another aspect asks for, so that a fault counts once."""

    def findings(args: tuple, observed: Any) -> Any:
        if type(observed) is not dict:
            return observed
        return {name: value for name, value in observed.items() if name not in names}

    return findings
