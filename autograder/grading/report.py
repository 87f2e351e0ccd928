"""A student's results in a lab as one row, and the table `autograder/grades.csv` of all rows.

The page that shows them, `autograder/report.html`, is made in `class_page/`.
"""

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from autograder.documents import is_document
from autograder.examine.lab_file import Lab
from autograder.examine.verdict import OUR_FAULT, ExerciseResult
from autograder.grading import intake
from autograder.grading.standings import Standing
from autograder.grading.submission_record import MISSING, Record
from autograder.grading.table_cell import guarded
from autograder.grading.timestamps import span
from autograder.sandbox import Isolation
from autograder.sandbox.isolation import TIERS

COLUMNS = (
    "student", "lab", "status", "points", "max_points", "extra", "max_extra", "still_by_hand", "overridden",
    "due", "submitted", "seconds_late", "late_penalty", "total", "max_total", "total_extra",
    "reason", "seed", "isolation",
)  # fmt: skip


class Row(NamedTuple):
    """One student's row in the table and on the page; `standing` is None if the gradebook does not know the student."""

    record: Record
    results: dict[str, ExerciseResult]
    standing: Standing | None

    @property
    def name(self) -> str:
        """The student's name, for display."""
        return intake.shown(self.record["student"])

    @property
    def late(self) -> str:
        """The lateness of the submission and the points it costs; "" if the submission is not late."""
        if self.standing is None or not self.standing.seconds_late:
            return ""
        penalty = self.standing.penalty
        return span(self.standing.seconds_late) + (f", {penalty:g} points off" if penalty else "")

    @property
    def own_due(self) -> str:
        """The due date of a student with an extension, "" for any other."""
        return self.standing.own_due if self.standing else ""

    @property
    def notes(self) -> list[str]:
        """Return what a person should look at, apart from the verdicts."""
        kept = self.record["exercises"]
        same = sum(result["same_as_reference"] for result in kept.values())
        missing = sum(result.message == MISSING for result in self.results.values())
        repeated, lost = (len(self.record.get(name, ())) for name in ("repeated", "found"))
        found = (
            (same, f"{same} as the reference"),
            (missing, f"{missing} deleted"),
            (repeated, f"{repeated} in several cells"),
            (lost, f"{lost} without their marks, found by their text"),
            (bool(self.late), f"late: {self.late}"),
            (bool(self.own_due), f"extension: due {self.own_due}"),
            (self.standing and self.standing.overridden, "overridden by hand"),
            (self.standing and self.standing.to_do, f"{self.standing and self.standing.to_do} by hand to do"),
        )
        return [note for count, note in found if count]


Classes = Sequence[tuple[Lab, Sequence[Row]]]


def grades_csv(classes: Classes) -> str:
    """Return the table of all labs as CSV text; points that we failed to grade are empty, not zero."""
    out = io.StringIO()
    names = [_column(lab.id, part.name) for lab, _ in classes for part in lab.checked]
    writer = csv.DictWriter(out, [*COLUMNS, *names], lineterminator="\n")
    writer.writeheader()
    for row in (row for _, rows in classes for row in rows):
        writer.writerow({column: guarded(value) for column, value in _columns(row, names).items()})
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
    """Return the heading of a column: two labs may ask for a document of one name."""
    return f"{lab}/{name}" if is_document(name) else name


def points(record: Record) -> int | None:
    """Return the automatic points, or None if we failed to judge."""
    return None if record["status"] == OUR_FAULT else record["points"]


def isolation_of(classes: Classes) -> Isolation:
    """Return the weakest isolation that was used for any of the verdicts."""
    tiers = {row.record["tier"] for _, rows in classes for row in rows}
    if "none" in tiers:
        return Isolation("none", reason="some of the verdicts were made with --accept-no-isolation")
    return Isolation(max(tiers, key=TIERS.index, default=TIERS[0]))
