"""`make feedback`: after grading by hand, or when a due date has changed; nothing is judged and nothing is run.

Brings penalties up to date, rewrites the pages of `autograder/feedback/` whose points, comments or lateness changed,
and writes `autograder/grades.csv` and `autograder/report.html`.
"""

import argparse
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder import progress_bar
from autograder.author import lab_text
from autograder.author.lab_text import LabError
from autograder.examine import lab_file
from autograder.examine.lab_file import Lab
from autograder.grading import course_file, disk, interrupt, lock, pool, printing, report, run, store
from autograder.grading.disk import DiskError
from autograder.grading.gradebook import GradebookError
from autograder.grading.lock import InUse
from autograder.grading.submission_record import Record, Settings
from autograder.sandbox import temporary

SAMPLE = Path("build", "sample")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if all pages are written and reflect the current due dates."""
    parser = argparse.ArgumentParser(prog="python -m autograder.grading.feedback", description="Rewrite the feedback.")
    parser.add_argument("--lab", help="01-strides, or 01; default: all")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    console = Console(highlight=False)
    root = graded_root(options.root.resolve())
    with interrupt.at_once(console, "Stopped. The pages that are written stay; the same command writes the others."):
        try:
            with temporary.for_this_run(), lock.only_run(root, "make feedback"):
                pool.warm_up()
                return write(root, options.lab, console)
        except (LabError, GradebookError, DiskError, InUse) as error:
            said = str(error)
        except Exception as error:
            said = disk.sentence(error, root)
            if not said:
                raise
    console.print(said, style="red", markup=False, soft_wrap=True)
    return 1


def write(root: Path, only: str | None, console: Console) -> int:
    """Write pages, table and report; return 1 if nothing was graded yet, or if a page could not be written."""
    begun, settings = time.time(), Settings(root)
    everything = lab_file.released(root)
    wanted = [lab_text.find(only, lab_text.lab_ids(root))] if only else lab_text.lab_ids(root)
    graded = [record for lab in everything if lab.id in wanted for record in kept(root, lab)]
    if not graded:
        console.print("Nothing is graded yet: `make grade` first.")
        return 1
    for said in run.warnings(settings):
        console.print(Text(said, "yellow"), soft_wrap=True)
    before = _times(root)
    jobs = [pool.Job(record["lab"], record["student"], record, ("late", "show")) for record in graded]
    outcomes = progress_bar.watched(pool.run_all(jobs, settings, run.cores()), len(jobs), console, "feedback")
    failures = printing.said_of(outcomes, console)
    failures += [f"{path.relative_to(root)}: {said}" for path, said in rejected(root)]
    classes = run.classes_of(everything, settings, failures)
    problem = course_file.problem(root)
    run.write_report(classes, root, report.isolation_of(classes), problem, failures)
    if problem:
        failures.append(f"{problem}: due dates and penalties stay as they were")
    for failure in failures:
        console.print(Text(failure, "red"), soft_wrap=True)
    changed = sum(before.get(page) != when for page, when in _times(root).items())
    console.print(
        f"{changed} of {len(graded)} pages changed; {time.time() - begun:.1f} s. grades.csv, report.html written"
    )
    return 1 if failures else 0


def graded_root(root: Path) -> Path:
    """Return the course's folder, or the sample class's folder if only the sample class is graded."""
    for place in (root, root / SAMPLE):
        if any((place / "autograder" / "records").glob("*/*.json")):
            if place != root:
                print(f"Your class is not graded yet: this is the sample class, in {SAMPLE}.")
            return place
    return root


def kept(root: Path, lab: Lab) -> list[Record]:
    """Return the valid records of a lab, one for each student who has one."""
    found = (store.look_at(root, path)[0] for path in store.paths(root, lab.id))
    return [record for record in found if record is not None]


def rejected(root: Path) -> list[tuple[Path, str]]:
    """Return the paths of the invalid records, each with a message that says what to do."""
    found = ((path, store.look_at(root, path)[1]) for path in store.paths(root, "*"))
    return [
        (path, f"{said.removesuffix(': judged again')}: `make grade` judges it again") for path, said in found if said
    ]


def _times(root: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (root / "autograder" / "feedback").glob("*/*/lab.html")}


if __name__ == "__main__":
    sys.exit(main())
