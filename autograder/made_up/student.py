"""One student of the cohort as a file says it: what was handed in, and what it deserves."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from autograder import labs
from autograder.author import lab_text

GRADED, REFUSED = "graded", "refused"
REFERENCE, STUB = "reference", "stub"
ALL = "all"
KEYS = {"about", "status", "points", "extra", "sample", "hostile", "wrong", "base", "cells", "documents", "tamper"}
POINTS = re.compile(r"all( but (\d+))?")


class CohortError(ValueError):
    """A student's file can't be read, or no longer fits the lab; the message begins with the student's name."""


@dataclass(frozen=True)
class Loss:
    """The aspects of an exercise for which a made-up student gets no points.

    Args:
        aspects: names of the aspects that earn nothing (those that only fall with one they need included),
            or ("all",).
        why: the mistake, in a line.
    """

    aspects: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Student:
    """A student's submission, as a patch on the released notebook.

    Args:
        about: who this is, in a line or two.
        status: "graded" or "refused".
        points: deserved automatic points without optional exercises, written by hand, in the file also "all" or
            "all but 7"; a test adds up the losses.
        extra: the same of the optional exercises; left out, it is "all" beside points that say "all", else 0.
        sample: one of those whom `make grade` grades where nobody has handed in anything.
        hostile: attacks the grader.
        wrong: by exercise or document, what it loses.
        base: whose cells are used where `cells` says nothing: "reference", "stub", or another student.
        cells: source of the solution cell by exercise; None for the stub.
        documents: by file name, the text of a document that is handed in beside the notebook; None if it is missing;
            or pairs of a text and what replaces it in the document of the base.
        tamper: operations of tamper.py and their arguments, in order.
    """

    name: str
    about: str
    status: str
    points: int
    wrong: Mapping[str, Loss]
    base: str
    cells: Mapping[str, str | None]
    tamper: tuple[tuple[str, dict], ...]
    extra: int = 0
    sample: bool = False
    hostile: bool = False
    documents: Mapping[str, str | tuple[tuple[str, str], ...] | None] = field(default_factory=dict)


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C where PyYAML was built with it: 723 files


def load(lab: str, folder: Path = labs.FOLDER) -> dict[str, Student]:
    """Load every student of the lab's cohort below `folder`, by name, in the order of their names.

    Raises:
        CohortError: a file is malformed, or its base does not exist.
    """
    most = _most(lab)
    students = {path.stem: _read(path, most) for path in sorted((folder / labs.name_of(lab) / "cohort").glob("*.yaml"))}
    for student in students.values():
        ancestry(student, students)
    return students


def ancestry(student: Student, students: Mapping[str, Student]) -> list[Student]:
    """Return the student, the student it is based on, and so on, up to one whose base is "reference" or "stub".

    Raises:
        CohortError: a base that does not exist, or a circle.
    """
    line = [student]
    while line[-1].base not in (REFERENCE, STUB):
        base = students.get(line[-1].base)
        if base is None or base in line:
            raise CohortError(f"{line[-1].name}: base {line[-1].base!r} is no other student, reference or stub")
        line.append(base)
    return line


def _read(path: Path, most: tuple[int, int]) -> Student:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), LOADER)
    except yaml.YAMLError as error:
        raise CohortError(f"{path.stem}: {error}") from None
    unknown = set(data) - KEYS
    if unknown or not {"about", "status", "points"} <= set(data) or data["status"] not in (GRADED, REFUSED):
        raise CohortError(
            f"{path.stem}: expected about, status (graded or refused), points and perhaps wrong, base, cells, "
            "documents, tamper" + (f"; got {', '.join(sorted(unknown))}" if unknown else "")
        )
    return Student(
        path.stem,
        data["about"].strip(),
        data["status"],
        _points(path.stem, data["points"], most[0]),
        {exercise: _loss(path.stem, exercise, loss) for exercise, loss in data.get("wrong", {}).items()},
        data.get("base", REFERENCE),
        {exercise: source and source.rstrip("\n") for exercise, source in data.get("cells", {}).items()},
        tuple(next(iter(step.items())) for step in data.get("tamper", [])),
        _points(path.stem, data.get("extra", ALL if str(data["points"]).startswith(ALL) else 0), most[1]),
        bool(data.get("sample")),
        bool(data.get("hostile")),
        {name: _change(change) for name, change in data.get("documents", {}).items()},
    )


def _most(name: str) -> tuple[int, int]:
    """Return the points of a lab that the machine gives: of core exercises and documents, and of optional exercises."""
    lab = lab_text.load(next(lab for lab in lab_text.LABS if labs.name_of(lab) == labs.name_of(name)))
    return lab.checked_points, lab.extra


def _points(student: str, given: int | str, most: int) -> int:
    match = POINTS.fullmatch(str(given))
    if match is None and type(given) is not int:
        raise CohortError(f'{student}: expected points and extra: a number, "all" or "all but 7"; got {given!r}')
    return most - int(match[2] or 0) if match else int(given)


def _change(change: str | list[list[str]] | None) -> str | tuple[tuple[str, str], ...] | None:
    return tuple((old, new) for old, new in change) if isinstance(change, list) else change


def _loss(student: str, exercise: str, data: dict) -> Loss:
    if set(data) != {"loses", "why"}:
        raise CohortError(f"{student}: {exercise}: expected loses and why, got {', '.join(data)}")
    loses = data["loses"]
    return Loss((loses,) if isinstance(loses, str) else tuple(loses), data["why"])
