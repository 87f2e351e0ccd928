"""Probes: run next to an implementation and return what they saw, as plain data; they judge nothing.

The same probe runs on the reference (the expected answer), in the sandbox's worker and in the notebook.
This package imports nothing of the autograder: it is all of it that enters the sandbox.
"""

import sys
from functools import reduce
from typing import Any

from . import aten, autograd, cpu, cuda, dispatch, profiler, strides
from .raised import message, type_name

__all__ = ["aten", "autograd", "cpu", "cuda", "dispatch", "observe", "profiler", "strides"]


def observe(engine, exercise: str, probe: str, args: tuple) -> dict:
    """What happens when `probe` (or, if that is "", the exercise itself) is called with `args`.

    Args:
        engine: the engine package whose functions are asked.
        exercise: module path below `engine` and qualified name: "strides.view_strides".
        probe: path of a function below this package, "strides.accessor.trace", or "".
    Returns:
        {"value": ...} or {"raised": exact type name, "message": text}.
        SystemExit and KeyboardInterrupt pass through.
    """
    try:
        if probe:
            return {"value": _found(sys.modules[__name__], probe)(engine, *args)}
        return {"value": _found(engine, exercise)(*args)}
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        return {"raised": type_name(error), "message": message(error)}


def _found(package: Any, path: str) -> Any:
    return reduce(getattr, path.split("."), package)
