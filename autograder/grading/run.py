"""`make grade`: from the submissions to the gradebook, the feedback and the report.

autograder/submitted/<student>/<lab>/lab.ipynb      what is graded
autograder/records/, gradebook.db                   verdicts, points
autograder/report.html, grades.csv, feedback/       for the instructor, for the registry, for the students

Where nobody has handed in anything, the sample class is graded, in a course of its own, `build/sample/`: the same
folders, below that. `make cohort` grades all made-up students of all labs in `build/cohort/`.
"""

import argparse
import os
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder import progress_bar, sandbox
from autograder.author import lab_text, weave
from autograder.author.lab_text import LabError
from autograder.department import cluster
from autograder.department.cluster import ClusterError
from autograder.examine import lab_file
from autograder.examine.lab_file import Lab
from autograder.examine.verdict import OUR_FAULT
from autograder.grading import (
    course_file,
    disk,
    gradebook,
    intake,
    interrupt,
    lateness,
    lock,
    migration,
    pool,
    printing,
    report,
    store,
    up_to_date,
)
from autograder.grading.class_page.files import write_report
from autograder.grading.classes import Class, class_of, tier_for
from autograder.grading.course_file import CourseFileError
from autograder.grading.disk import DiskError
from autograder.grading.gradebook import GradebookError
from autograder.grading.lock import InUse
from autograder.grading.report import Row
from autograder.grading.standings import Standing
from autograder.grading.submission_record import Record, Settings, results_of
from autograder.grading.up_to_date import Seen, Settled, Submission
from autograder.made_up import cohort
from autograder.made_up.cohort import CohortError
from autograder.sandbox import kernels, temporary
from autograder.sandbox.isolation import TIERS

STOPPED = "Stopped. Every verdict printed above is kept; the same command goes on with the others."


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if every submission received a verdict."""
    options = _options(arguments)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    root = options.root.resolve()
    with interrupt.at_once(console, STOPPED), temporary.for_this_run():
        try:
            pool.warm_up()
            return grade(options, console)
        except (LabError, GradebookError, CohortError, CourseFileError, DiskError, InUse, ClusterError) as error:
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
    parser.add_argument("--scheduler", default="", help="dask's, whose workers judge; none: here; default: course.yaml")
    parser.add_argument("--isolation", choices=TIERS[:-1], default="", help="this tier, or none is graded")
    parser.add_argument("--accept-no-isolation", action="store_true", help="run students' code without walls")
    made_up = parser.add_mutually_exclusive_group()
    made_up.add_argument("--sample", action="store_true", help="grade the sample class, whoever has handed in")
    made_up.add_argument("--cohort", action="store_true", help="grade all made-up students of all labs (make cohort)")
    parser.add_argument("--expect-deserved", action="store_true", help="fail if made-up students' points differ")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def grade(options: argparse.Namespace, console: Console) -> int:
    """Grade the requested labs, then report on all labs; return 0, or a nonzero status if something failed."""
    options.scheduler = cluster.scheduler_of(options.scheduler, options.root.resolve())
    graded = class_of(options, console)
    tier = "" if options.scheduler else tier_for(graded, options, console)
    if not tier and not options.scheduler:
        return 2
    graded = graded.without_hostile() if tier == "none" and not options.accept_no_isolation else graded
    with lock.only_run(graded.root, "make grade"):
        store.remove_drafts(graded.root)
        weave.remove_scratch(graded.root)
        return _grade(graded, tier, options, console)


def _grade(graded: Class, tier: str, options: argparse.Namespace, console: Console) -> int:
    begun, root = time.time(), graded.root
    settings = Settings(root, options.force, tier == "none", options.seed, isolation=tier, scheduler=options.scheduler)
    if graded.made_up:
        cohort.lay_out(root, graded.made_up, options.root.resolve())
    wanted = wanted_labs(options, graded, settings)
    kept = Settled(settings)
    for name in wanted:
        release(name, graded, settings, kept, console)
    for said in warnings(settings):
        console.print(Text(said, "yellow"), soft_wrap=True)
    jobs = [(lab, name) for lab in wanted for name in intake.students(settings.submitted, lab)]
    if unknown := set(options.student) - {name for _, name in jobs}:
        raise LabError(f"nothing handed in for {', '.join(wanted)} by: {', '.join(sorted(unknown))}")
    asked = [job for job in jobs if not options.student or job[1] in options.student]
    failures, seen = judge(asked, settings, options.jobs, console, kept)
    classes = classes_of(lab_file.released(root), settings, failures, seen)
    isolation = report.isolation_of(classes) if options.scheduler else sandbox.canary(tier)
    problem = course_file.problem(root)
    shown_too = isolation, problem, gradebook.enrolled(root), course_file.counts_predictions(root)
    report_now = up_to_date.of_report(root, classes, *shown_too)
    if not kept.holds("report", report_now):
        write_report(classes, root, isolation, problem, failures)
        report_now = up_to_date.of_report(root, classes, *shown_too)
    kept.keep({"report": None if failures else report_now})
    shown = [(lab, rows) for lab, rows in classes if lab.id in wanted]
    for lab, rows in shown:
        console.print(printing.class_at_a_glance(rows, lab))
    for failure in failures:
        console.print(Text(failure, "red"), soft_wrap=True)
    console.print(
        Text(f"{time.time() - begun:.0f} s. Read first: {root / 'autograder' / 'report.html'}"), soft_wrap=True
    )
    failed = failures or any(row.record["status"] == OUR_FAULT for _, rows in shown for row in rows)
    return 1 if failed or (options.expect_deserved and not as_deserved(shown, graded, console)) else 0


def wanted_labs(options: argparse.Namespace, graded: Class, settings: Settings) -> list[str]:
    """Return the requested lab, or all labs that somebody has submitted.

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
    """Return True if all made-up students got the score that they deserve; print the differences."""
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


def release(lab: str, graded: Class, settings: Settings, kept: Settled, console: Console) -> None:
    """Weave a lab and enter it into the gradebook unless it is up to date; write its made-up students' submissions."""
    root = graded.root
    if not kept.holds(lab, up_to_date.of_lab(settings, lab)):
        with progress_bar.busy(console, f"weaving {lab} and entering it into the gradebook"):
            for sentence in migration.release(lab_text.load(lab, root), root):
                console.print(Text(sentence, "yellow"), soft_wrap=True)
        kept.keep({lab: up_to_date.of_lab(settings, lab)})
    if lab in graded.made_up:
        cohort.hand_in(root, lab, graded.made_up[lab])


def judge(
    jobs: Sequence[Submission], settings: Settings, processes: int, console: Console, kept: Settled
) -> tuple[list[str], Seen | None]:
    """Judge each submission, enter it into the gradebook, and write its feedback.

    Each record is said aloud as it comes, and at the end what should be known of some. Submissions with which nothing
    is left to do are passed over.

    Returns:
        what failed; and where nothing was left to do, what was read to find that.
    """
    given, seen = up_to_date.handed_in(settings, jobs), up_to_date.seen_now(settings.root, jobs)
    before = up_to_date.of_submissions(settings, given, seen)
    done = {job for job in jobs if kept.holds("/".join(job), before.get("/".join(job), ""))}
    if done:
        console.print(f"{len(done)} of {len(jobs)} submissions are as the last run left them")
    left = [job for job in jobs if job not in done]
    if not left:
        return [], seen
    del seen  # a large class's records, of which the run would keep two
    width, several = max((len(name) for _, name in left), default=0), len({lab for lab, _ in left}) > 1
    if not settings.scheduler and any(kernels.are_missing(lab) for lab in {lab for lab, _ in left}):
        console.print("compiling kernels for the sandbox, which takes a minute or two this first time ...")
    went_well: set[Submission] = set()
    outcomes = _noting(
        progress_bar.watched(judged(left, settings, processes, console), len(left), console, "submissions"), went_well
    )
    failures = printing.said_of(outcomes, console, lambda record: printing.line(record, width, several))
    now = up_to_date.of_submissions(
        settings, {job: given[job] for job in went_well}, up_to_date.seen_now(settings.root, went_well)
    )
    kept.keep({"/".join(job): now.get("/".join(job)) for job in left})
    return failures, None


def judged(jobs: Sequence[Submission], settings: Settings, processes: int, console: Console) -> Generator[pool.Outcome]:
    """Return an iterator over the outcomes, from this machine's pool or from a cluster."""
    if not settings.scheduler:
        return pool.run_all(jobs, settings, processes)

    def tell(said: str) -> None:
        console.print(Text(said, "yellow"), soft_wrap=True)

    return cluster.run_all(jobs, settings, processes, settings.scheduler, tell)


def _noting(outcomes: Iterable[pool.Outcome], done: set[Submission]) -> Iterator[pool.Outcome]:
    """Yield each outcome; `done` gains the submissions with which all went well."""
    for outcome in outcomes:
        if not outcome.failures and not outcome.notes:
            done.add((outcome.record["lab"], outcome.record["student"]))
        yield outcome


def warnings(settings: Settings) -> Iterator[str]:
    """Yield warnings about the course's files, to be shown before anything is judged."""
    if strays := intake.strays(settings.submitted):
        few = printing.few([*map(ascii, strays)], ", ")
        yield (
            f"{settings.submitted.relative_to(settings.root)} holds {few}, which {'is' if len(strays) == 1 else 'are'} "
            "no student's folder: not graded. (An archive from a course site is taken in by `make collect`.)"
        )
    yield from lateness.warnings(settings.root)


def rows_of(lab: Lab, settings: Settings, failures: list[str] | None = None, seen: Seen | None = None) -> list[Row]:
    """Return the rows of everybody who submitted, judged by this run or by an earlier one.

    Args:
        failures: gains what went wrong with one student's row, which is left out or lacks what the gradebook says.
        seen: what was read already.
    """
    failed = [] if failures is None else failures
    jobs = [(lab.id, name) for name in intake.students(settings.submitted, lab.id)]
    if not jobs:
        return []
    if seen is None or not all(job in seen.records for job in jobs):
        seen = up_to_date.seen_now(settings.root, jobs)
    known, kept = seen.standings[lab.id], (seen.records[job] for job in jobs)
    rows = (_row(record, settings.root, known, failed) for record in kept if record is not None)
    return [row for row in rows if row is not None]


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


def classes_of(
    everything: Sequence[Lab], settings: Settings, failures: list[str], seen: Seen | None = None
) -> list[tuple[Lab, list[Row]]]:
    """Return the rows of each lab that somebody has submitted."""
    return [(lab, rows) for lab in everything if (rows := rows_of(lab, settings, failures, seen))]


if __name__ == "__main__":
    sys.exit(main())
