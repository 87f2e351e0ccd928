"""`make grade`: from the submissions to the gradebook, the feedback and the report.

autograder/submitted/<student>/<lab>/lab.ipynb      what is graded
autograder/records/, gradebook.db                   verdicts, points
autograder/report.html, grades.csv, feedback/       for the instructor, for the registry, for the students

Where nobody has handed in anything, the sample class is graded, in a course of its own, `build/sample/`: the same
folders, below that. `make cohort` grades all made-up students of all labs in `build/cohort/`.
"""

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from autograder import sandbox
from autograder.author import lab_text, weave
from autograder.author.lab_text import LabError
from autograder.examine import lab_file
from autograder.examine.lab_file import Lab
from autograder.examine.verdict import OUR_FAULT, REFUSED, RIGHT
from autograder.grading import course_file, disk, gradebook, intake, lock, migration, pool, records, report, stop, store
from autograder.grading.classes import Class, class_of, tier_for
from autograder.grading.disk import DiskError
from autograder.grading.gradebook import GradebookError
from autograder.grading.lock import InUse
from autograder.grading.progress_bar import write_whole
from autograder.grading.records import GRADED, Record, Settings, results_of
from autograder.grading.report import Row
from autograder.grading.standings import Standing
from autograder.proof import cohort
from autograder.proof.cohort import CohortError
from autograder.sandbox import kernels, temporary
from autograder.sandbox.isolation import TIERS

COLORS = {GRADED: "green", REFUSED: "yellow", OUR_FAULT: "red"}
FEW = 5  # names in a sentence
Classes = Sequence[tuple[Lab, Sequence[Row]]]


STOPPED = "Stopped. Every verdict printed above is kept; the same command goes on with the others."


def main(arguments: list[str] | None = None) -> int:
    """The command; 0 if every submission ended in a verdict."""
    options = _options(arguments)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    root = options.root.resolve()
    with stop.at_once(console, STOPPED), temporary.for_this_run():
        try:
            pool.warm_up()
            return grade(options, console)
        except (LabError, GradebookError, CohortError, DiskError, InUse) as error:
            said = str(error)
        except Exception as error:
            said = disk.sentence(error, root)
            if not said:
                raise
    console.print(Text(said, "red"), soft_wrap=True)
    return 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m autograder.grading", description=__doc__.split("\n")[0])
    parser.add_argument("--lab", help="01-strides, or 01; default: all that were handed in")
    parser.add_argument("--student", action="append", default=[], help="this one only; may be given again")
    parser.add_argument("--force", action="store_true", help="judge again what is judged already")
    parser.add_argument("--seed", type=int, help="draw the cases of an earlier verdict again (with --force)")
    parser.add_argument("--jobs", type=int, default=cores(), help="submissions at a time (default: cores, %(default)s)")
    parser.add_argument("--isolation", choices=TIERS[:-1], default="", help="this tier, or none is graded")
    parser.add_argument("--accept-no-isolation", action="store_true", help="run students' code without walls")
    made_up = parser.add_mutually_exclusive_group()
    made_up.add_argument("--sample", action="store_true", help="grade the sample class, whoever has handed in")
    made_up.add_argument("--cohort", action="store_true", help="grade all made-up students of all labs (make cohort)")
    parser.add_argument("--expect-deserved", action="store_true", help="fail if made-up students' points differ")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def grade(options: argparse.Namespace, console: Console) -> int:
    """The labs that are asked for, then the report on all; 0, or 1 if something is left to do again."""
    graded = class_of(options, console)
    tier = tier_for(graded, options, console)
    if not tier:
        return 2
    graded = graded.without_hostile() if tier == "none" and not options.accept_no_isolation else graded
    with lock.only_run(graded.root, "make grade"):
        store.remove_drafts(graded.root)
        weave.remove_scratch(graded.root)
        return _grade(graded, tier, options, console)


def _grade(graded: Class, tier: str, options: argparse.Namespace, console: Console) -> int:
    begun, root = time.time(), graded.root
    settings = Settings(root, options.force, tier == "none", options.seed, isolation=tier)
    if graded.made_up:
        cohort.lay_out(root, graded.made_up, options.root.resolve())
    wanted = wanted_labs(options, graded, settings)
    for name in wanted:
        with busy(console, f"weaving {name} and entering it into the gradebook"):
            for sentence in migration.release(lab_text.load(name, root), root):
                console.print(Text(sentence, "yellow"), soft_wrap=True)
            if name in graded.made_up:
                cohort.hand_in(root, name, graded.made_up[name])
    for said in warnings(settings):
        console.print(Text(said, "yellow"), soft_wrap=True)
    jobs = [(lab, name) for lab in wanted for name in intake.students(settings.submitted, lab)]
    if unknown := set(options.student) - {name for _, name in jobs}:
        raise LabError(f"nothing handed in for {', '.join(wanted)} by: {', '.join(sorted(unknown))}")
    failures = judge(
        [job for job in jobs if not options.student or job[1] in options.student], settings, options.jobs, console
    )
    classes = write_report(lab_file.released(root), settings, sandbox.canary(tier), failures)
    shown = [(lab, rows) for lab, rows in classes if lab.id in wanted]
    for lab, rows in shown:
        console.print(table(rows, lab))
    for failure in failures:
        console.print(Text(failure, "red"), soft_wrap=True)
    console.print(
        Text(f"{time.time() - begun:.0f} s. Read first: {root / 'autograder' / 'report.html'}"), soft_wrap=True
    )
    failed = failures or any(row.record["status"] == OUR_FAULT for _, rows in shown for row in rows)
    return 1 if failed or (options.expect_deserved and not as_deserved(shown, graded, console)) else 0


def wanted_labs(options: argparse.Namespace, graded: Class, settings: Settings) -> list[str]:
    """The lab that is asked for, or all that somebody has handed in.

    Raises:
        LabError: there is no such lab in this class.
    """
    known = lab_text.lab_ids(settings.root)
    if options.lab:
        return [lab_text.find(options.lab, known)]
    if graded.made_up:
        return list(graded.made_up)
    handed_in = {path.name for path in settings.submitted.glob("*/*")}
    return [lab for lab in known if lab in handed_in] or list(known)


def as_deserved(classes: Sequence[tuple[Lab, Sequence[Row]]], graded: Class, console: Console) -> bool:
    """True if the made-up students got what they deserve; prints where they did not."""
    differences = []
    for lab, rows in classes:
        given = {
            row.record["student"]: (row.record["status"], row.record["points"], row.record["extra"]) for row in rows
        }
        differences += [f"{lab.id}: {line}" for line in cohort.compare(lab.id, given, graded.made_up[lab.id])]
    console.print(
        Text("\n".join(differences), "red") if differences else Text("every score is the deserved one", "green")
    )
    return not differences


@contextlib.contextmanager
def busy(console: Console, what: str) -> Iterator[None]:
    """Say what goes on while it does."""
    if not console.is_terminal:
        console.print(f"{what} ...")
        yield
        return
    with console.status(f"{what} ..."):
        yield


def judge(jobs: Sequence[tuple[str, str]], settings: Settings, processes: int, console: Console) -> list[str]:
    """Judge each submission, enter it into the gradebook, write its feedback; returns what failed.

    Each record is said aloud as it comes, and at the end what should be known of some.
    """
    width, several = max((len(name) for _, name in jobs), default=0), len({lab for lab, _ in jobs}) > 1
    if any(kernels.are_missing(lab) for lab in {lab for lab, _ in jobs}):
        console.print("compiling kernels for the sandbox, which takes a minute or two this first time ...")
    outcomes = watched(pool.run_all(jobs, settings, processes), len(jobs), console, "submissions")
    return said_of(outcomes, console, lambda record: line(record, width, several))


def said_of(
    outcomes: Iterable[pool.Outcome], console: Console, line_of: Callable[[Record], Text] | None = None
) -> list[str]:
    """Return what failed. Print a line for each outcome, and the notes at the end."""
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
        more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
        console.print(Text(f"{'; '.join(names[:FEW])}{more}: {said}", "yellow"), soft_wrap=True)
    return failures


def watched(outcomes: Generator[pool.Outcome], total: int, console: Console, of: str) -> Iterator[pool.Outcome]:
    """The outcomes, with a bar of their progress; the processes end when the loop over them does."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress, contextlib.closing(outcomes):
        task = progress.add_task(of, total=total)
        for outcome in outcomes:
            yield outcome
            progress.advance(task)


def warnings(settings: Settings) -> Iterator[str]:
    """Yield warnings about the course's files, before anybody is judged."""
    if strays := intake.strays(settings.submitted):
        few = ", ".join(map(ascii, strays[:FEW])) + (f" and {len(strays) - FEW} more" if len(strays) > FEW else "")
        yield (
            f"{settings.submitted.relative_to(settings.root)} holds {few}, which {'is' if len(strays) == 1 else 'are'} "
            "no student's folder: not graded. (An archive from a course site is taken in by `make collect`.)"
        )


def line(record: Record, width: int, with_lab: bool = False) -> Text:
    """One verdict, as it is printed: points, and what is not right."""
    status = record["status"]
    points = f"{record['points']:3} / {record['max_points']}{extra(record)}" if status == GRADED else ""
    wrong = [f"{name}: {result.verdict}" for name, result in results_of(record).items() if result.verdict != RIGHT]
    said = record["reason"] or ", ".join(wrong[:3]) + (f" and {len(wrong) - 3} more" if len(wrong) > 3 else "")
    lab = f"{record['lab']}  " * with_lab
    out = Text(f"{lab}{intake.shown(record['student']):<{width}}  {points:>8}  ")
    return out.append("" if status == GRADED else f"{status}  ", COLORS[status]).append(said, "dim")


def extra(record: Record) -> str:
    """The points of optional exercises, "" if the lab has none."""
    return f", extra {record['extra']} / {record['max_extra']}" if record["max_extra"] else ""


def rows_of(lab: Lab, settings: Settings, failures: list[str] | None = None) -> list[Row]:
    """Return the records of everybody who handed in, judged by this run or by an earlier one.

    Args:
        failures: gains what went wrong with one student's row, which is left out or lacks what the gradebook says.
    """
    failed = [] if failures is None else failures
    names = intake.students(settings.submitted, lab.id)
    if not names:
        return []
    known = _standings(settings.root, lab.id)
    kept = (records.read(settings.root, lab.id, name) for name in names)
    rows = (_row(record, settings.root, known, failed) for record in kept if record is not None)
    return [row for row in rows if row is not None]


def _standings(root: Path, lab: str) -> dict[str, Standing] | None:
    """The gradebook's entries for a lab; None if they can't be read together, so that each is tried alone."""
    try:
        return gradebook.standings_of(root, lab)
    except Exception:  # said of the student whose entry fails
        return None


def _row(record: Record, root: Path, known: dict[str, Standing] | None, failures: list[str]) -> Row | None:
    name, row = record["student"], None
    try:
        row = Row(record, results_of(record), None)
        if intake.STUDENT.fullmatch(name) is None:
            return row
        return row._replace(standing=gradebook.standing(root, record) if known is None else known.get(name))
    except Exception as error:  # one student's
        failures.append(
            f"{intake.shown(name)}, {record['lab']}: not whole in the report: {type(error).__name__}: {error}"
        )
        return row


def write_report(
    everything: Sequence[Lab], settings: Settings, isolation: sandbox.Isolation, failures: list[str]
) -> list[tuple[Lab, list[Row]]]:
    """Write `report.html` and `grades.csv`; returns the rows of each lab that somebody has handed in.

    A row that can't be shown is left out, and said in `failures`.
    """
    classes = [(lab, rows) for lab in everything if (rows := rows_of(lab, settings, failures))]
    folder = settings.root / "autograder"
    writers: dict[str, Callable[[Classes], str]] = {
        "report.html": lambda shown: report.page(shown, isolation, course_file.problem(settings.root)),
        "grades.csv": report.grades_csv,
    }
    for name, write in writers.items():
        try:
            text = write(classes)
        except Exception:
            text = write([(lab, [row for row in rows if _fits(write, lab, row, failures)]) for lab, rows in classes])
        write_whole(folder / name, text)
    return classes


def _fits(write: Callable[[Classes], str], lab: Lab, row: Row, failures: list[str]) -> bool:
    try:
        write([(lab, [row])])
    except Exception as error:
        failures.append(f"{row.name}, {lab.id}: not in the report: {type(error).__name__}: {error}")
        return False
    return True


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
            Text(row.name), Text(record["status"], COLORS[record["status"]]),
            f"{record['points']} / {record['max_points']}{extra(record)}" if record["status"] == GRADED else "",
            f"{right} / {len(row.results)}" if row.results else "", Text(record["reason"] or ", ".join(row.notes)),
        )  # fmt: skip
    return out


if __name__ == "__main__":
    sys.exit(main())
