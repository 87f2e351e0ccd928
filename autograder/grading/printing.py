"""The lines that a run prints: a verdict each, the class at a glance."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.examine.lab_file import Lab
from autograder.examine.verdict import OUR_FAULT, REFUSED, RIGHT
from autograder.grading import intake, pool
from autograder.grading.report import Row
from autograder.grading.submission_record import GRADED, Record, results_of

COLORS = {GRADED: "green", REFUSED: "yellow", OUR_FAULT: "red"}
FEW = 5  # names in a sentence
MOST_ROWS = 200  # of a table


def said_of(
    outcomes: Iterable[pool.Outcome], console: Console, line_of: Callable[[Record], Text] | None = None
) -> list[str]:
    """Return the failures; print a line for each outcome, and all notes at the end."""
    failures: list[str] = []
    notes: dict[str, list[str]] = {}
    for outcome in outcomes:
        record = outcome.record
        if line_of:
            console.print(line_of(record), soft_wrap=True)
        name = f"{intake.shown(record['student'])}, {record['lab']}"
        failures += [f"{name}: {said}" for said in outcome.failures]
        for said in outcome.notes:
            notes.setdefault(said, []).append(name)
    for said, names in notes.items():
        console.print(Text(f"{few(names)}: {said}", "yellow"), soft_wrap=True)
    return failures


def few(names: Sequence[str], between: str = "; ") -> str:
    """Return the first few names, joined, and the number of the others."""
    return between.join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def line(record: Record, width: int, with_lab: bool = False) -> Text:
    """Return one verdict as a printed line: the points, and what is not right."""
    status = record["status"]
    points = f"{record['points']:3} / {record['max_points']}{extra(record)}" if status == GRADED else ""
    wrong = [f"{name}: {result.verdict}" for name, result in results_of(record).items() if result.verdict != RIGHT]
    said = record["reason"] or ", ".join(wrong[:3]) + (f" and {len(wrong) - 3} more" if len(wrong) > 3 else "")
    lab = f"{record['lab']}  " * with_lab
    out = Text(f"{lab}{intake.shown(record['student']):<{width}}  {points:>8}  ")
    return out.append("" if status == GRADED else f"{status}  ", COLORS[status]).append(said, "dim")


def extra(record: Record) -> str:
    """Return the points of optional exercises as text, or "" if the lab has none."""
    return f", extra {record['extra']} / {record['max_extra']}" if record["max_extra"] else ""


def class_at_a_glance(rows: Sequence[Row], lab: Lab) -> Table | str:
    """Return the class's results as a table, or as one line if the class is too large for a table."""
    return table(rows, lab) if len(rows) <= MOST_ROWS else in_a_line(rows, lab)


def in_a_line(rows: Sequence[Row], lab: Lab) -> str:
    """Return one line with the number of students with each status, and the median points."""
    kinds = Counter(row.record["status"] for row in rows)
    points = [row.record["points"] for row in rows if row.record["status"] == GRADED]
    median = f", median {statistics.median(points):g} of {lab.checked_points} points" if points else ""
    return f"{lab.title}: {', '.join(f'{count:,} {status}' for status, count in sorted(kinds.items()))}{median}"


def table(rows: Sequence[Row], lab: Lab) -> Table:
    """Return a table with one row per student."""
    out = Table(title=lab.title, title_justify="left", expand=True)
    for heading, justify in (("student", "left"), ("status", "left"), ("points", "right"), ("right", "right")):
        out.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    out.add_column("notes", no_wrap=True, overflow="ellipsis", ratio=1)
    for row in rows:
        record = row.record
        right = sum(result.verdict == RIGHT for result in row.results.values())
        out.add_row(
            Text(row.name), Text(record["status"], COLORS[record["status"]]),
            f"{record['points']} / {record['max_points']}{extra(record)}" if record["status"] == GRADED else "",
            f"{right} / {len(row.results)}" if row.results else "", Text(record["reason"] or ", ".join(row.notes)),
        )  # fmt: skip
    return out
