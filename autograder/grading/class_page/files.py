"""`report.html` and `grades.csv`, written from everybody's rows."""

from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.examine.lab_file import Lab
from autograder.files import write_whole
from autograder.grading import course_file, gradebook, report
from autograder.grading.class_page import history, page, predictions
from autograder.grading.report import Classes, Row
from autograder.sandbox import Isolation


def write_report(classes: Classes, root: Path, isolation: Isolation, problem: str, failures: list[str]) -> None:
    """Write report.html and grades.csv, and update the history; a row that can't be shown is reported in `failures`.

    Args:
        problem: what is wrong with the course's file, or "".
    """
    enrolled = gradebook.enrolled(root)
    trend = history.updated(root, classes, failures)
    guesses = predictions.of_classes(root, classes) if course_file.counts_predictions(root) else None
    if guesses is None:
        predictions.forget_all(root)
    writers: dict[str, Callable[[Classes], str]] = {
        "report.html": lambda shown: page.html(shown, isolation, problem, enrolled, trend, guesses),
        "grades.csv": report.grades_csv,
    }
    for name, write in writers.items():
        try:
            text = write(classes)
        except Exception:
            text = write([(lab, _fitting(write, lab, rows, failures)) for lab, rows in classes])
        write_whole(root / "autograder" / name, text)


def _fitting(write: Callable[[Classes], str], lab: Lab, rows: Sequence[Row], failures: list[str]) -> list[Row]:
    """Return the rows that can be shown."""
    found = []
    for row in rows:
        try:
            write([(lab, [row])])
            found.append(row)
        except Exception as error:  # one student's
            failures.append(f"{row.name}, {lab.id}: not in the report: {type(error).__name__}: {error}")
    return found
