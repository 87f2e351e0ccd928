"""The hours of a lab on its first page, computed: reading, attempts and run times, each once.

**Time.**  ->  **Time**: about 8.5 hours estimated (core), 2 hours more for the optional exercises.

`solutions/<lab>/times.yaml` holds `exercise: {attempts: N, seconds: S}`: how often a student runs the check before it
passes, and how long the section's cells run. They are estimates from readings of the text, until students' own times
exist; for an exercise without figures 3 attempts are assumed. A lab whose text still has a typed time is left alone.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import yaml

from autograder.author.lab_text import Cell, LabError, LabText

FILE = "times.yaml"
MARKER = re.compile(r"^\*\*Time\.\*\*$", re.M)
WORDS_A_MINUTE, MINUTES_AN_ATTEMPT, ATTEMPTS = 150, 5, 3
FIELDS = {"attempts", "seconds"}


def with_times(lab: LabText, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The cells with the lab's hours instead of the marker."""
    if not any(MARKER.search(cell.source) for cell in cells):
        return cells
    stated = f"**Time**: {hours(lab)}."
    return tuple(cell._replace(source=MARKER.sub(stated, cell.source)) for cell in cells)


def hours(lab: LabText) -> str:
    """The sentence about a lab's hours: of everything but the optional exercises, and of these."""
    figures = load(lab.path.with_name(FILE), {exercise.name for exercise in lab.exercises})
    words = sum(len(cell.source.split()) for cell in lab.cells if cell.kind == "markdown" and not cell.metadata)
    core, extra = words / WORDS_A_MINUTE, 0.0
    for exercise in lab.exercises:
        needed = minutes(figures.get(exercise.name, {}))
        core, extra = (core, extra + needed) if exercise.optional else (core + needed, extra)
    more = f", {_in_hours(extra)} more for the optional exercises" if extra else ""
    return f"about {_in_hours(core)} estimated (core){more}"


def minutes(figures: Mapping[str, float]) -> float:
    """The time that an exercise takes, without reading.

    >>> minutes({"attempts": 2, "seconds": 60}), minutes({})
    (11.0, 15.0)
    """
    return figures.get("attempts", ATTEMPTS) * MINUTES_AN_ATTEMPT + figures.get("seconds", 0) / 60


def load(path: Path, exercises: set[str]) -> dict[str, dict[str, float]]:
    """The figures by exercise, {} without a file.

    Raises:
        LabError: the file names an exercise that the lab has not, or another figure.
    """
    if not path.is_file():
        return {}
    figures = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    for name, given in figures.items():
        if name not in exercises or not isinstance(given, dict) or set(given) - FIELDS:
            raise LabError(f"{path}: expected an exercise of the lab with attempts and seconds, got {name}: {given}")
    return figures


def _in_hours(minutes: float) -> str:
    """In half hours, at least one.

    >>> _in_hours(509), _in_hours(3)
    ('8.5 hours', '0.5 hour')
    """
    hours = max(1, round(minutes / 30)) / 2
    return f"{hours:g} hour{'s' * (hours > 1)}"
