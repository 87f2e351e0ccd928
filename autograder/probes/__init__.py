"""Probes: run next to an implementation and return what they saw, as plain data; they judge nothing.

The same probe runs on the reference (the expected answer), in the sandbox's worker and in the notebook.
This package imports nothing of the autograder: it is all of it that enters the sandbox.
"""

import sys
from functools import reduce
from typing import Any

from . import aten, autograd, cpu, cuda, dispatch, profiler, raised, strides

__all__ = ["aten", "autograd", "before_cell", "cpu", "cuda", "dispatch", "observe", "profiler", "strides"]


def before_cell(engine, exercise: str) -> None:
    """Collect what the exercise's probe has to know about the engine before a student's code runs."""
    if exercise == profiler.training.EXERCISE:
        profiler.training.codes_of(engine.__name__)


def observe(engine, exercise: str, probe: str, args: tuple) -> dict:
    """Return what happens when `probe` (or, if that is "", the exercise itself) is called with `args`.

    Args:
        engine: the engine package whose functions are asked.
        exercise: module path below `engine` and qualified name: "strides.view_strides".
        probe: path of a function below this package, "strides.accessor.trace", or "".
    Returns:
        {"value": ..., "message": text, "place": ...} or {"raised": exact type name, "message": text, "place": ...}.
        The place is (line, first column, column after the last) in the exercise's own text where the error came up;
        beside a value, text and place belong to the last error that the probe caught.
        SystemExit and KeyboardInterrupt pass through.
    """
    raised.begin(exercise)
    try:
        value = _found(sys.modules[__name__], probe)(engine, *args) if probe else _found(engine, exercise)(*args)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        name = raised.type_name(error)
        return {"raised": name, "message": raised.message(error), "place": raised.place(error)}
    message, place = raised.caught
    return {"value": value, "message": message, "place": place}


def _found(package: Any, path: str) -> Any:
    return reduce(getattr, path.split("."), package)
