"""The instructor's page `autograder/report.html` and the table `autograder/grades.csv`, from records and gradebook."""

import csv
import io
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from autograder.author.course_config import STEPS
from autograder.documents import is_document
from autograder.examine.hints import NOT_WRITTEN
from autograder.examine.lab_file import Lab
from autograder.examine.rendering import render
from autograder.examine.verdict import OUR_FAULT, REFUSED, RIGHT, ExerciseResult, Failure
from autograder.grading import intake
from autograder.grading.course_file import span
from autograder.grading.records import GRADED, MISSING, Record
from autograder.grading.standings import Standing
from autograder.sandbox import Isolation
from autograder.sandbox.isolation import TIERS

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # what a spreadsheet would run
COLUMNS = (
    "student", "lab", "status", "points", "max_points", "extra", "max_extra", "still_by_hand", "overridden",
    "due", "submitted", "seconds_late", "late_penalty", "total", "max_total", "total_extra",
    "reason", "seed", "isolation",
)  # fmt: skip


class Row(NamedTuple):
    """One student's line in the table and on the page; `standing` None where the gradebook has no such student."""

    record: Record
    results: dict[str, ExerciseResult]
    standing: Standing | None

    @property
    def name(self) -> str:
        """The student's, as a reader sees it."""
        return intake.shown(self.record["student"])

    @property
    def late(self) -> str:
        """By how much the submission is late, and what that costs; "" if it is not late."""
        if self.standing is None or not self.standing.seconds_late:
            return ""
        penalty = self.standing.penalty
        return span(self.standing.seconds_late) + (f", {penalty:g} points off" if penalty else "")

    @property
    def notes(self) -> list[str]:
        """Return what a person should look at, beside the verdicts."""
        kept = self.record["exercises"]
        same = sum(result["same_as_reference"] for result in kept.values())
        missing = sum(result.message == MISSING for result in self.results.values())
        found = (
            (same, f"{same} as the reference"),
            (missing, f"{missing} deleted"),
            (len(self.record.get("repeated", ())), f"{len(self.record.get('repeated', ()))} repeated"),
            (bool(self.late), f"late: {self.late}"),
            (self.standing and self.standing.overridden, "overridden by hand"),
            (self.standing and self.standing.to_do, f"{self.standing and self.standing.to_do} by hand to do"),
        )
        return [note for count, note in found if count]


class Mistake(NamedTuple):
    """The commonest way to fail an exercise: in which aspect, how many made it, and the smallest case of it."""

    exercise: str
    right: int
    unwritten: int
    students: int
    what: str
    case: Failure | None


def grades_csv(classes: Sequence[tuple[Lab, Sequence[Row]]]) -> str:
    """The table of all labs as CSV text: points are empty, not zero, where we failed to grade."""
    out = io.StringIO()
    names = [_column(lab.id, part.name) for lab, _ in classes for part in lab.checked]
    writer = csv.DictWriter(out, [*COLUMNS, *names], lineterminator="\n")
    writer.writeheader()
    for row in (row for _, rows in classes for row in rows):
        writer.writerow({column: _cell(value) for column, value in _columns(row, names).items()})
    return out.getvalue()


def _columns(row: Row, names: Sequence[str]) -> dict[str, Any]:
    record, standing = row.record, row.standing
    columns = {"student": row.name} | {column: record.get(column, "") for column in ("lab", "status", "reason", "seed")}
    columns |= {"points": points(record), "max_points": record["max_points"], "isolation": record["tier"]}
    columns |= {"extra": record["extra"] if points(record) is not None else None, "max_extra": record["max_extra"]}
    if standing:
        columns |= {
            "still_by_hand": standing.to_do,
            "overridden": standing.overridden,
            "due": standing.due,
            "submitted": standing.submitted,
            "seconds_late": f"{standing.seconds_late:.0f}" if standing.submitted and standing.due else "",
            "late_penalty": standing.penalty,
        }
        total, extra = standing.kept
        columns |= {"total": total, "max_total": standing.max_score, "total_extra": extra}
    results = {_column(record["lab"], name): result for name, result in row.results.items()}
    given = {name: result.points for name, result in results.items() if result.verdict != OUR_FAULT}
    return columns | {name: given.get(name, "") for name in names}


def _column(lab: str, name: str) -> str:
    """Two labs may ask for a document of one name."""
    return f"{lab}/{name}" if is_document(name) else name


def _cell(value: Any) -> Any:
    text = "" if value is None else value
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA) else text


def points(record: Record) -> int | None:
    """Automatic points; None where we failed to judge."""
    return None if record["status"] == OUR_FAULT else record["points"]


def page(classes: Sequence[tuple[Lab, Sequence[Row]]], isolation: Isolation, problem: str = "") -> str:
    """The report on all labs as one HTML page that loads nothing.

    Args:
        isolation: what this run found.
        problem: what is wrong with the course's file, or "".
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("report.html").render(
        classes=[_class(lab, rows) for lab, rows in classes],
        problems=[problem] if problem else [],
        isolation=isolation, when=time.strftime("%Y-%m-%d %H:%M"), kind=_kind, render=render, feedback=_feedback,
    )  # fmt: skip


def isolation_of(classes: Sequence[tuple[Lab, Sequence[Row]]]) -> Isolation:
    """The weakest isolation that the verdicts were made in."""
    tiers = {row.record["tier"] for _, rows in classes for row in rows}
    if "none" in tiers:
        return Isolation("none", reason="some of the verdicts were made with --accept-no-isolation")
    return Isolation(max(tiers, key=TIERS.index, default=TIERS[0]))


def _class(lab: Lab, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the page's data for one lab."""
    from autograder.grading import charts  # matplotlib takes a second, and a run that changes nothing draws nothing

    graded = [row for row in rows if row.record["status"] == GRADED]
    earned = [row.record["points"] for row in graded]
    most = lab.checked_points
    names = [part.name for part in lab.checked]
    return {
        "lab": lab, "rows": rows, "graded": graded, "most": most,
        "due": next((row.standing.due for row in rows if row.standing and row.standing.due), ""),
        "late": [row for row in rows if row.late],
        "refused": [row for row in rows if row.record["status"] == REFUSED],
        "failed": [row for row in rows if row.record["status"] == OUR_FAULT],
        "copied": [(row.name, _same(row)) for row in rows if _same(row)],
        "median": statistics.median(earned) if earned else None,
        "cpu": sum(row.record["cpu_seconds"] for row in graded) / max(1, len(graded)),
        "distribution": charts.distribution(earned, most) if earned else "",
        "chart": charts.exercises(names, _shares(graded, lab)) if graded else "",
        "mistakes": [mistake(name, graded) for name in names],
    }  # fmt: skip


def _same(row: Row) -> list[str]:
    return [name for name, kept in row.record["exercises"].items() if kept["same_as_reference"]]


def _feedback(row: Row) -> str:
    """Address of the student's page, from the report's; "" for a name that has none."""
    student, lab = row.record["student"], row.record["lab"]
    folder = Path(STEPS["feedback_directory"]).name
    return f"{folder}/{student}/{lab}/lab.html" if intake.STUDENT.fullmatch(student) else ""


def _kind(result: ExerciseResult) -> str:
    """The color of a verdict."""
    if result.verdict == OUR_FAULT:
        return "fault"
    return "full" if result.verdict == RIGHT else "some" if result.points else "nothing"


def _shares(graded: Sequence[Row], lab: Lab) -> list[tuple[int, int, int]]:
    kinds = [Counter(_kind(row.results[exercise.name]) for row in graded) for exercise in lab.checked]
    return [(count["full"], count["some"], count["nothing"]) for count in kinds]


def mistake(exercise: str, graded: Sequence[Row]) -> Mistake:
    """The commonest mistake in `exercise`; stubs are counted apart."""
    found: dict[str, list[Failure | None]] = {}
    right = unwritten = 0
    for row in graded:
        result = row.results[exercise]
        what, case = _what(result)
        right += result.verdict == RIGHT
        if case is not None and case.got.startswith(NOT_WRITTEN):
            unwritten += 1
        elif result.verdict != RIGHT:
            found.setdefault(what, []).append(case)
    if not found:
        return Mistake(exercise, right, unwritten, 0, "", None)
    what, cases = max(found.items(), key=lambda item: len(item[1]))
    smallest = min((case for case in cases if case), key=lambda case: len(case.case), default=None)
    return Mistake(exercise, right, unwritten, len(cases), what, smallest)


def _what(result: ExerciseResult) -> tuple[str, Failure | None]:
    """A mistake in words that are the same for all who made it, and the case that shows it."""
    for aspect in result.aspects:
        if aspect.failure is not None:
            said = result.verdict if result.message else aspect.failure.hint
            return f"{aspect.name}: {said}".rstrip(": "), aspect.failure
    return result.message or result.verdict, None
