"""`make grade`: from the submissions to the gradebook, the feedback and the report.

autograder/submitted/<student>/<lab>/lab.ipynb      what is graded; the sample cohort if there is nothing
autograder/records/, gradebook.db                   verdicts, points
autograder/report.html, grades.csv, feedback/       for the instructor, for the registry, for the students
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from autograder import cohort, labs, sandbox, weave
from autograder.checks import CHECKS
from autograder.grading import gradebook, intake, pool, records, report
from autograder.grading.gradebook import GradebookError
from autograder.grading.records import GRADED, Record, Settings, results_of
from autograder.grading.report import Row
from autograder.labs import Lab, LabError
from autograder.sandbox.canary import INSTALL
from autograder.verdict import OUR_FAULT, REFUSED, RIGHT

COLOURS = {GRADED: "green", REFUSED: "yellow", OUR_FAULT: "red"}


def main(arguments: list[str] | None = None) -> int:
    """The command; 0 if every submission ended in a verdict."""
    options = _options(arguments)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    isolation = sandbox.canary()
    if isolation.tier == "none" and not options.accept_no_isolation:
        console.print(Text(f"Not grading: {isolation.reason}.\n\n{INSTALL}"))
        return 2
    if isolation.tier == "none":
        console.print(Text(f"Grading WITHOUT ISOLATION, as you asked: {isolation.reason}.", "bold red"))
        console.print(Text("Every submission can read and change all that this account can.", "red"))
    pool.warm_up()
    settings = Settings(options.root.resolve(), options.force, options.accept_no_isolation, options.seed)
    try:
        return grade(settings, options, console)
    except (LabError, GradebookError) as error:
        console.print(Text(str(error), "red"))
        return 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m autograder.grading", description=__doc__.split("\n")[0])
    parser.add_argument("--lab", help="01-strides, or 01; default: all")
    parser.add_argument("--student", action="append", default=[], help="this one only; may be given again")
    parser.add_argument("--force", action="store_true", help="judge again what is judged already")
    parser.add_argument("--seed", type=int, help="draw the cases of an earlier verdict again (with --force)")
    parser.add_argument("--jobs", type=int, default=2, help="submissions at a time (default: 2)")
    parser.add_argument("--accept-no-isolation", action="store_true", help="run students' code without walls")
    parser.add_argument("--expect-deserved", action="store_true", help="fail if the sample cohort's points differ")
    parser.add_argument("--root", type=Path, default=labs.ROOT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def grade(settings: Settings, options: argparse.Namespace, console: Console) -> int:
    """The labs that are asked for, then the report on all; 0, or 1 if something is left to do again."""
    begun, root = time.time(), settings.root
    everything = [labs.load(lab, root) for lab in labs.lab_ids(root)]
    wanted = [labs.find(options.lab, labs.lab_ids(root))] if options.lab else labs.lab_ids(root)
    for lab in (lab for lab in everything if lab.id in wanted):
        release(lab, root)
    fill(settings, console)
    for lab in (lab for lab in everything if lab.id in wanted):
        students = intake.students(settings.submitted, lab.id)
        if unknown := set(options.student) - set(students):
            raise LabError(f"nothing handed in for {lab.id} by: {', '.join(sorted(unknown))}")
        judge(
            [name for name in students if name in (options.student or students)], lab, settings, options.jobs, console
        )
    classes = [(lab, rows) for lab in everything if (rows := rows_of(lab, settings))]
    (root / "autograder" / "report.html").write_text(report.page(classes, sandbox.canary()), encoding="utf-8")
    (root / "autograder" / "grades.csv").write_text(report.grades_csv(classes), encoding="utf-8")
    shown = [(lab, rows) for lab, rows in classes if lab.id in wanted]
    for lab, rows in shown:
        console.print(table(rows, lab))
    console.print(
        Text(f"{time.time() - begun:.0f} s. Read first: {root / 'autograder' / 'report.html'}"), soft_wrap=True
    )
    failed = [row for _, rows in shown for row in rows if row.record["status"] == OUR_FAULT]
    return 1 if failed or (options.expect_deserved and not as_deserved(shown, console)) else 0


def as_deserved(classes: Sequence[tuple[Lab, Sequence[Row]]], console: Console) -> bool:
    """Whether the sample cohort got what it deserves; says where it did not."""
    differences = []
    for lab, rows in classes:
        given = {row.record["student"]: (row.record["status"], row.record["points"]) for row in rows}
        differences += [f"{lab.id}: {line}" for line in cohort.compare(lab.id, given)]
    console.print(
        Text("\n".join(differences), "red") if differences else Text("every score is the deserved one", "green")
    )
    return not differences


def release(lab: Lab, root: Path) -> None:
    """Weave the lab and enter it into the gradebook.

    Raises:
        GradebookError: the gradebook holds submissions to other exercises than the lab has now.
    """
    from nbgrader.converters.base import NbGraderException

    gradebook.prepare(root)
    try:
        weave.weave(lab, CHECKS, root, database=True)
    except NbGraderException as error:
        raise GradebookError(
            f"{lab.id} can't be entered into autograder/gradebook.db: {error}\nIf exercises were added to the lab or "
            "taken away, nbgrader keeps the points given so far apart: move gradebook.db away and grade again."
        ) from error


def fill(settings: Settings, console: Console) -> None:
    """Where nobody has handed in anything, the sample cohort hands in every lab that is released."""
    submitted = settings.submitted
    submitted.mkdir(parents=True, exist_ok=True)
    if any(not entry.name.startswith(".") for entry in submitted.iterdir()):
        return
    console.print(f"{submitted} is empty: filling it with the sample cohort", soft_wrap=True)
    with tempfile.TemporaryDirectory(dir=submitted, prefix=".cohort-") as making:
        for lab in released(settings.root):
            cohort.make(Path(making), lab, settings.root)
        for folder in list(Path(making).iterdir()):  # a run that is killed leaves no half of it
            folder.rename(submitted / folder.name)


def released(root: Path) -> list[str]:
    """The labs that students can have."""
    return [lab for lab in labs.lab_ids(root) if (root / "course" / lab / "lab.ipynb").is_file()]


def judge(students: Sequence[str], lab: Lab, settings: Settings, jobs: int, console: Console) -> None:
    """Each submission's record, said aloud and entered into the gradebook as it comes."""
    columns = (TextColumn(lab.id), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(students))
        width = max(map(len, students), default=0)
        for record in pool.run_all(students, lab.id, settings, jobs):
            console.print(line(record, width), soft_wrap=True)
            gradebook.enter(settings.root, record)
            gradebook.write_feedback(settings.root, record)
            progress.advance(task)


def line(record: Record, width: int) -> Text:
    """One verdict, as it is printed: points, and what is not right."""
    status = record["status"]
    points = f"{record['points']:3} / {record['max_points']}" if status == GRADED else ""
    wrong = [f"{name}: {result.verdict}" for name, result in results_of(record).items() if result.verdict != RIGHT]
    said = record["reason"] or ", ".join(wrong[:3]) + (f" and {len(wrong) - 3} more" if len(wrong) > 3 else "")
    out = Text(f"{intake.shown(record['student']):<{width}}  {points:>8}  ")
    return out.append("" if status == GRADED else f"{status}  ", COLOURS[status]).append(said, "dim")


def rows_of(lab: Lab, settings: Settings) -> list[Row]:
    """What is kept of all who handed in, whether this run judged them or an earlier one."""
    kept = [records.read(settings.root, lab.id, name) for name in intake.students(settings.submitted, lab.id)]
    return [_row(record, settings.root) for record in kept if record is not None]


def _row(record: Record, root: Path) -> Row:
    known = intake.STUDENT.fullmatch(record["student"]) is not None
    return Row(record, results_of(record), gradebook.standing(root, record) if known else None)


def table(rows: Sequence[Row], lab: Lab) -> Table:
    """The class at a glance."""
    out = Table(title=lab.title, title_justify="left", expand=True)
    for heading, justify in (("student", "left"), ("status", "left"), ("points", "right"), ("right", "right")):
        out.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    out.add_column("notes", no_wrap=True, overflow="ellipsis", ratio=1)
    for row in rows:
        record = row.record
        right = sum(result.verdict == RIGHT for result in row.results.values())
        out.add_row(
            Text(row.name), Text(record["status"], COLOURS[record["status"]]),
            f"{record['points']} / {record['max_points']}" if record["status"] == GRADED else "",
            f"{right} / {len(row.results)}" if row.results else "", Text(record["reason"] or ", ".join(row.notes)),
        )  # fmt: skip
    return out


if __name__ == "__main__":
    sys.exit(main())
