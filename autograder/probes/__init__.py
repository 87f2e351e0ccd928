"""Probes: run next to an implementation and return what they saw, as plain data; they judge nothing.

The same probe runs on the reference (the expected answer), in the sandbox's worker and in the notebook.
This package imports nothing of the autograder: it is all of it that enters the sandbox.
"""

import builtins
from functools import reduce

from . import strides

MODULES = {"strides": strides}


def observe(engine, exercise: str, probe: str, args: tuple) -> dict:
    """What happens when `probe` (or, if that is "", the exercise itself) is called with `args`.

    Args:
        engine: the engine package whose functions are asked.
        exercise: module path below `engine` and qualified name: "strides.view_strides".
        probe: name of a function in `autograder/probes/<module>.py`, or "".
    Returns:
        {"value": ...} or {"raised": exact type name, "message": text}. The name of a type that is not
        Python's own carries its module, so that a class called IndexError is not taken for IndexError.
        SystemExit and KeyboardInterrupt pass through.
    """
    try:
        if probe:
            return {"value": getattr(MODULES[exercise.split(".")[0]], probe)(engine, *args)}
        return {"value": reduce(getattr, exercise.split("."), engine)(*args)}
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        return {"raised": _type_name(type(error)), "message": _message(error)}


def _type_name(kind: type) -> str:
    name = str(kind.__name__)
    return name if getattr(builtins, name, None) is kind else f"{kind.__module__}.{name}"


def _message(error: BaseException, limit: int = 500) -> str:
    try:
        # A student's __str__ may raise, or return a subclass of str, which is not plain data.
        return str.__getitem__(str(error), slice(limit))
    except Exception:
        return ""
