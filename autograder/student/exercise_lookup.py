"""Which exercise is meant by what a student gives to `check`: its name, or the function or class itself."""

import difflib
from collections.abc import Iterable
from pathlib import Path

from autograder.examine import lab_file
from autograder.labs import CHECKS


class NoExercise(Exception):
    """The error raised if an exercise is unknown or ambiguous; the message lists the candidates."""


def exercise_named(asked: object, here: Path) -> str:
    """Return the full name of an exercise, given as that name ("strides.permute") or as the function `permute`.

    Raises:
        NoExercise: no exercise or several have that name.
    """
    if isinstance(asked, str):
        if asked in CHECKS:
            return asked
        raise NoExercise(f"there is no exercise {asked!r}{_suggestion(asked)}")
    name = getattr(asked, "__name__", None)
    if not callable(asked) or not isinstance(name, str):
        raise NoExercise(f'expected a name, as in check("strides.permute"), or your function; got {asked!r:.40}')
    module = str(getattr(asked, "__module__", "")).removeprefix("engine.")
    if f"{module}.{name}" in CHECKS:
        return f"{module}.{name}"
    found = [exercise for exercise in _of_lab(here) if exercise.rpartition(".")[2] == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise NoExercise(f"{name} may be {' or '.join(found)}: write the name, as in check({found[0]!r})")
    raise NoExercise(f"no exercise of this lab is called {name}{_suggestion(name)}")


def _of_lab(here: Path) -> Iterable[str]:
    try:
        return [exercise.name for exercise in lab_file.load(here).exercises]
    except (OSError, ValueError, TypeError, KeyError):
        return CHECKS


def _suggestion(name: str) -> str:
    """Return the nearest name, by its last part too: most forget the module, or misspell one of the two."""
    by_last = {exercise.rpartition(".")[2]: exercise for exercise in CHECKS}
    near = difflib.get_close_matches(name, CHECKS, 1, 0.7)
    near = near or [by_last[last] for last in difflib.get_close_matches(name.rpartition(".")[2], by_last, 1, 0.7)]
    return f"; did you mean {near[0]!r}?" if near else "; check() lists those of this lab"
