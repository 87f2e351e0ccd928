"""Rows of a class that nobody graded: each student's outcomes are said, for tests of what is shown of them."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import cycle
from pathlib import Path

from autograder.author import lab_text
from autograder.examine import lab_file
from autograder.examine.lab_file import Lab
from autograder.examine.verdict import RIGHT, WRONG, AspectResult, ExerciseResult, Failure
from autograder.grading.report import Row
from autograder.grading.standings import Standing
from autograder.grading.submission_record import GRADED
from autograder.sandbox import Isolation

REPOSITORY = Path(__file__).resolve().parents[2]
WALLS = Isolation("bwrap")
FAILURE = Failure("sizes=(2, 3)", "(3, 1)", "(1, 3)", "these are the strides in reverse order")
DUE = "2026-10-12 23:59:00+00:00"
LATE = Standing(0.0, 100, 5.0, 0, 0, "", DUE, "2026-10-13 00:59:00+00:00", 3600.0, DUE)


@cache
def lab(number: int = 1) -> Lab:
    """A lab of the course as it is released."""
    return lab_file.load(REPOSITORY / "course" / lab_text.LABS[number - 1])


@cache
def labs() -> tuple[Lab, ...]:
    """All labs that are released."""
    return tuple(lab(number) for number in range(1, len(lab_text.LABS) + 1))


def result(part, right: bool, failure: Failure = FAILURE, aspect: str = "ordinary") -> ExerciseResult:
    """All points of an exercise, or none and this failure."""
    points = part.points if right else 0
    aspects = (AspectResult(aspect, points, part.points, int(right), 1, None if right else failure),)
    return ExerciseResult(part.name, RIGHT if right else WRONG, points, part.points, aspects)


def row(of: Lab, student: str, right: Iterable[bool] = (True,), failure: Failure = FAILURE, **fields: object) -> Row:
    """A student's row: `right`, over and over, says which exercises are; `fields` change the record."""
    is_right = cycle(right)
    results = {part.name: result(part, next(is_right), failure) for part in of.checked}
    return of_results(of, student, results, **fields)


def of_results(of: Lab, student: str, results: Mapping[str, ExerciseResult], **fields: object) -> Row:
    """The row of these results; `standing` is the gradebook's entry."""
    extra = sum(results[name].points for name in of.optional if name in results)
    points = sum(each.points for each in results.values()) - extra
    standing = fields.pop("standing", Standing(points, 100.0, 0.0, 0, 0, ""))
    record = {
        "student": student, "lab": of.id, "status": GRADED, "reason": "", "seed": 1, "tier": "bwrap",
        "cpu_seconds": 1.5, "points": points, "max_points": of.checked_points, "extra": extra, "max_extra": of.extra,
        "graded_at": "2026-10-13T08:00:00Z",
        "exercises": {name: {"same_as_reference": False} for name in results},
    }  # fmt: skip
    return Row(record | fields, dict(results), standing)
