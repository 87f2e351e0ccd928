"""Ask an implementation one question, by a probe or directly, and say what happened as plain data.

The same function runs on the reference (the expected answer), in the sandbox's worker and in the notebook. Probes
(`autograder/labs/<lab>/<theme>/probe.py`) judge nothing; they and this module import no check.
"""

import importlib
import sys
from functools import reduce
from pathlib import Path
from typing import Any

from autograder.examine import error_data

LABS = "autograder.labs"


def import_probes() -> None:
    """Import the probes of all labs, before imports are blocked."""
    folder = Path(__file__).resolve().parents[1] / "labs"
    for path in sorted(folder.glob("*/*/probe.py")):
        importlib.import_module(".".join((LABS, *path.relative_to(folder).with_suffix("").parts)))


def probe_file(probe: str) -> str:
    """Return the file of a probe relative to the repository: "autograder/labs/strides/accessor/probe.py"."""
    return "/".join((*LABS.split("."), *probe.split(".")[:-1], "probe.py"))


def before_cell(engine, exercise: str) -> None:
    """Collect what probes need from the engine, before a student's code for the exercise runs.

    A probe's module says it in `BEFORE_CELL`, {exercise: function of the engine}.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(LABS) and exercise in (prepare := getattr(module, "BEFORE_CELL", {})):
            prepare[exercise](engine)


def observe(engine, exercise: str, probe: str, args: tuple) -> dict:
    """Return the outcome of calling `probe` (or, if that is "", the exercise itself) with `args`, as plain data.

    Args:
        engine: the engine package whose functions are asked.
        exercise: module path below `engine` and qualified name: "strides.view_strides".
        probe: lab, theme and function, "strides.accessor.trace" for `trace` of labs/strides/accessor/probe.py, or "".
    Returns:
        {"value": ..., "message": text, "place": ..., "earlier": [(text, place), ...]}
        or {"raised": exact type name, "message": text, "place": ...}.
        The place is (line, first column, column after the last) in the exercise's own text where the error came up;
        beside a value, text and place belong to the last error that the probe caught, `earlier` to those before it.
        SystemExit and KeyboardInterrupt pass through.
    """
    error_data.begin(exercise)
    try:
        value = ask(engine, exercise, probe, args)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        name = error_data.type_name(error)
        return {"raised": name, "message": error_data.message(error), "place": error_data.place(error)}
    message, place = error_data.caught
    return {"value": value, "message": message, "place": place, "earlier": tuple(error_data.earlier)}


def ask(engine, exercise: str, probe: str, args: tuple) -> Any:
    """Return the value of a call, and let exceptions propagate. Arguments as of `observe`."""
    if not probe:
        return reduce(getattr, exercise.split("."), engine)(*args)
    theme, _, function = probe.rpartition(".")
    return getattr(importlib.import_module(f"{LABS}.{theme}.probe"), function)(engine, *args)
