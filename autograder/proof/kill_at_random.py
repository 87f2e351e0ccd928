"""Kill something at a random moment of a run of `make grade`, give the command again, compare the gradebooks.

    python -m autograder.proof.kill_at_random --kills 20      a class in build/killed/, a cluster on this machine

What is killed is drawn: the command itself, a process that it has started, the scheduler, a worker with all that it
has started, or one process of a worker, students' code included. Then what is gone is started again, and the command is
given until it succeeds. At the end records, gradebook, table and feedback must say what an undisturbed run says.
"""

import argparse
import contextlib
import csv
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from nbgrader.api import Assignment, BaseCell, Grade, SubmittedAssignment, SubmittedNotebook

from autograder.author import lab_text
from autograder.grading import gradebook, submission_record
from autograder.proof import made_up_class
from autograder.proof.local_cluster import SCHEDULER, Cluster, everything_of

WORKERS = ("first", "second")
MADE = ("records", "autograded", "feedback", "gradebook.db", "report.html", "grades.csv")  # below autograder/
MOST_TRIES = 4  # until the command has to succeed
PART = re.compile(r"multiprocessing\.\w+|zygote|bwrap|worker")  # of a command's words: the process's job
DRAWN = ("seed",)  # columns of the table that differ between two runs


class Course(NamedTuple):
    """A course with a class that submits one lab."""

    root: Path
    lab: str

    def grade(self, scheduler: str = "", *options: str) -> subprocess.Popen:
        """Start grading, on this machine or on a cluster; return the process."""
        command = [sys.executable, "-m", "autograder.grading", "--root", str(self.root), "--lab", self.lab]
        command += [*(["--scheduler", scheduler] if scheduler else []), *options]
        with self.log.open("a") as log:
            print(f"--- {time.strftime('%H:%M:%S')} make grade", file=log, flush=True)
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=lab_text.ROOT, start_new_session=True)

    @property
    def log(self) -> Path:
        """The file with the output of all runs since the last `begin_again`."""
        return self.root / "grade.log"

    def begin_again(self) -> None:
        """Delete everything that grading has written."""
        self.log.unlink(missing_ok=True)
        for name in MADE:
            path = self.root / "autograder" / name
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)

    def outcome(self) -> dict[str, Any]:
        """Return the contents of records, gradebook, table and feedback, except for what every run draws at random."""
        with gradebook.opened(self.root) as book:
            grades = (
                book.db.query(
                    SubmittedAssignment.student_id, BaseCell.name, Grade.auto_score, Grade.manual_score,
                    Grade.extra_credit, Grade.needs_manual_grade,
                )
                .select_from(Grade)
                .join(BaseCell, Grade.cell_id == BaseCell.id)
                .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
                .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
                .filter(Assignment.name == self.lab)
            )  # fmt: skip
            found: dict[str, Any] = {"gradebook": sorted(tuple(map(str, row)) for row in grades)}
        standings = gradebook.standings_of(self.root, self.lab)
        kept = {path.stem: submission_record.read(self.root, self.lab, path.stem)
                for path in (self.root / "autograder" / "records" / self.lab).glob("*.json")}  # fmt: skip
        found["records"] = {
            name: record and [record["status"], record["points"], record["extra"]] for name, record in kept.items()
        }
        found["pages"] = {
            name: record is not None and gradebook.is_shown(self.root, record, standings.get(name))
            for name, record in kept.items()
        }
        with (self.root / "autograder" / "grades.csv").open(newline="") as table:
            found["table"] = [
                {column: cell for column, cell in row.items() if column not in DRAWN} for row in csv.DictReader(table)
            ]
        return found


Kill = Callable[[Cluster, subprocess.Popen, random.Random], str]


def kill_command(cluster: Cluster, command: subprocess.Popen, draw: random.Random) -> str:
    """Kill only the command; its child processes have to notice."""
    command.kill()
    return "the command"


def kill_part(cluster: Cluster, command: subprocess.Popen, draw: random.Random) -> str:
    """Kill one of the command's descendant processes."""
    return f"of the command: {_kill_one(command.pid, draw)}"


def kill_scheduler(cluster: Cluster, command: subprocess.Popen, draw: random.Random) -> str:
    cluster.kill(SCHEDULER)
    return "the scheduler"


def kill_worker(cluster: Cluster, command: subprocess.Popen, draw: random.Random) -> str:
    """Kill a worker together with its nanny and all of its child processes."""
    cluster.kill(draw.choice([name for name in WORKERS if name in cluster.processes]))
    return "a worker"


def kill_part_of_worker(cluster: Cluster, command: subprocess.Popen, draw: random.Random) -> str:
    """Kill one of the processes that a worker has started, possibly one of the sandbox."""
    return f"of a worker: {_kill_one(cluster.processes[draw.choice(WORKERS)].pid, draw)}"


KILLS: tuple[Kill, ...] = (kill_command, kill_part, kill_scheduler, kill_worker, kill_part_of_worker)


def _kill_one(pid: int, draw: random.Random) -> str:
    below = everything_of(pid)[1:]
    if not below:
        return "nothing, it had started none yet"
    victim = draw.choice(below)
    try:
        command = " ".join(victim.cmdline())
        victim.kill()
    except psutil.Error:
        return "one that had just ended"
    part = PART.search(command)
    return part[0] if part else f"{victim.pid}, {command[:30]}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if a disturbed run gives another gradebook than an undisturbed run."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.proof.kill_at_random", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--kills", type=int, default=20, help="how many runs are disturbed (default: %(default)s)")
    parser.add_argument("--students", type=int, default=8, help="of the made-up class (default: %(default)s)")
    parser.add_argument("--lab", default="01", help="01-strides, or 01 (default)")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT / "build" / "killed")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of all that is drawn (default: the time)")
    options = parser.parse_args(arguments)
    course = Course(options.root.resolve(), lab_text.find(options.lab))
    made_up_class.write(course.root, course.lab, options.students)
    cluster, draw = Cluster(course.root), random.Random(options.seed)
    print(f"seed {options.seed}")
    try:
        return try_all(course, cluster, draw, options.kills)
    finally:
        cluster.close()


def try_all(course: Course, cluster: Cluster, draw: random.Random, kills: int) -> int:
    """Disturb `kills` runs; return 1 if any of them ends differently from an undisturbed run."""
    course.begin_again()
    _start_missing(cluster)
    begun = time.monotonic()
    if course.grade(cluster.address).wait():
        print(f"the undisturbed run failed: see {course.log}")
        return 1
    seconds, wanted = time.monotonic() - begun, course.outcome()
    print(f"undisturbed: {seconds:.0f} s, {len(wanted['gradebook'])} grades of {len(wanted['records'])} students")
    wrong = 0
    for number in range(kills):
        said, differences = disturbed(course, cluster, draw, seconds, wanted)
        wrong += bool(differences)
        print(f"{number + 1:3} {said:70} {'DIFFERENT: ' + ', '.join(differences) if differences else 'the same'}")
    print(f"{kills - wrong} of {kills} disturbed runs ended in the same gradebook")
    return 1 if wrong else 0


def disturbed(
    course: Course, cluster: Cluster, draw: random.Random, seconds: float, wanted: dict[str, Any]
) -> tuple[str, list[str]]:
    """Disturb one run and repeat it until it succeeds; return what was killed, and the differences in the outcome."""
    course.begin_again()
    _start_missing(cluster)
    command, moment, kill = course.grade(cluster.address), draw.uniform(0, seconds), draw.choice(KILLS)
    with contextlib.suppress(subprocess.TimeoutExpired):
        command.wait(moment)
    victim = kill(cluster, command, draw)
    tries = 1
    while command.wait() and tries < MOST_TRIES:
        _start_missing(cluster)
        command, tries = course.grade(cluster.address), tries + 1
    said = f"after {moment:4.1f} s {victim}; " + ("given once" if tries == 1 else f"given {tries} times")
    if command.returncode:
        kept = course.log.rename(course.root / f"failed-{time.strftime('%H%M%S')}.log")
        return said, [f"it failed {tries} times: see {kept}"]
    found = course.outcome()
    return said, [name for name in wanted if found[name] != wanted[name]]


def _start_missing(cluster: Cluster) -> None:
    """Start what is gone; workers whose scheduler is gone are started again with it."""
    if SCHEDULER not in cluster.processes or cluster.processes[SCHEDULER].poll() is not None:
        cluster.close()
    for name in (SCHEDULER, *WORKERS):
        if name not in cluster.processes or cluster.processes[name].poll() is not None:
            cluster.start(name)


if __name__ == "__main__":
    sys.exit(main())
