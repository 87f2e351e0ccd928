"""Everybody's points and outcomes, as compact data that the page's tables are drawn from.

Two students seldom have the same notebook, but often the same outcome of an exercise. Each outcome is kept once, with
its sentences, and a student's row has its number: so a class of a thousand fits into a page. A failing case is not
among them; it is on the student's own page of feedback, to which the row leads.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.author.course_config import STEPS
from autograder.examine.lab_file import Lab
from autograder.examine.verdict import OUR_FAULT, RIGHT, ExerciseResult
from autograder.grading import intake
from autograder.grading.class_page import figures
from autograder.grading.report import Row
from autograder.grading.standings import Enrolled
from autograder.grading.submission_record import GRADED

KINDS = ("full", "some", "nothing", "fault")  # the colors of an outcome
NOT_SUBMITTED = "not submitted"
LONGEST_SENTENCE = 300  # characters
FIELDS = (
    "student", "status", "points", "extra", "total", "waiting", "late", "notes", "reason", "seed", "tier", "cpu",
    "judged", "has_page", "outcomes", "same",
)  # fmt: skip


def data(classes: Sequence[tuple[Lab, Sequence[Row]]], enrolled: Mapping[str, Enrolled]) -> dict[str, Any]:
    """Return the page's data as JSON-serializable objects.

    Args:
        enrolled: everybody whom the gradebook knows.
    """
    names = sorted({row.name for _, rows in classes for row in rows} | set(enrolled))
    at = {name: number for number, name in enumerate(names)}
    people = [(name, *enrolled.get(name, ("", ""))) for name in names]
    return {
        "feedback": Path(STEPS["feedback_directory"]).name,
        "kinds": KINDS,
        "fields": FIELDS,
        "people": people,
        "labs": [_lab(lab, rows, at) for lab, rows in classes],
    }


def _lab(lab: Lab, rows: Sequence[Row], at: Mapping[str, int]) -> dict[str, Any]:
    names = [part.name for part in lab.checked]
    outcomes: list[dict[tuple, int]] = [{} for _ in names]
    table = [_row(row, at[row.name], names, outcomes) for row in rows]
    missing = set(at.values()) - {values[0] for values in table}
    table += [[number, NOT_SUBMITTED, *[None] * (len(FIELDS) - 2)] for number in sorted(missing)]
    return {
        "id": lab.id, "title": lab.title, "extra": lab.extra,
        "exercises": [[part.name, part.name in lab.optional, part.points] for part in lab.checked],
        "outcomes": [list(known) for known in outcomes],
        "rows": table,
    }  # fmt: skip


def _row(row: Row, number: int, names: Sequence[str], outcomes: Sequence[dict[tuple, int]]) -> list[Any]:
    record, standing = row.record, row.standing
    is_graded = record["status"] == GRADED
    found = zip(names, outcomes, strict=True) if row.results else ()
    kept = [known.setdefault(outcome(row.results[name]), len(known)) for name, known in found]
    exercises = record["exercises"]
    same = [at for at, name in enumerate(names) if name in exercises and exercises[name]["same_as_reference"]]
    values = {
        "student": number, "status": record["status"], "points": record["points"] if is_graded else None,
        "extra": record["extra"] if is_graded and record["max_extra"] else None,
        "total": standing.kept[0] if standing and is_graded else None,
        "waiting": standing.to_do if standing else 0, "late": row.late, "notes": row.notes,
        "reason": record["reason"], "seed": record["seed"], "tier": record["tier"], "cpu": record["cpu_seconds"],
        "judged": record.get("graded_at", ""),
        "has_page": intake.STUDENT.fullmatch(record["student"]) is not None, "outcomes": kept, "same": same,
    }  # fmt: skip
    return [values[field] for field in FIELDS]


def outcome(result: ExerciseResult) -> tuple:
    """Return the color, points, verdict and messages to show for a result."""
    aspects: dict[str, list[str]] = {result.message: []} if result.message else {}
    for aspect, said, _ in figures.lost(result) if result.verdict != RIGHT else ():
        aspects.setdefault(said, []).append(aspect)
    texts = (": ".join(filter(None, (", ".join(names), said))) for said, names in aspects.items())
    return KINDS.index(kind(result)), result.points, result.verdict, tuple(text[:LONGEST_SENTENCE] for text in texts)


def kind(result: ExerciseResult) -> str:
    """Return the color of a verdict."""
    if result.verdict == OUR_FAULT:
        return "fault"
    return "full" if result.verdict == RIGHT else "some" if result.points else "nothing"
