"""Time, memory and disk that a class costs: grade a made-up one, and measure.

    python -m autograder.proof.measure_class 1000 --lab 01                   by the pool of this machine
    python -m autograder.proof.measure_class 1000 --lab 01 --cluster         by a cluster of two workers on this machine
    python -m autograder.proof.measure_class 1000 --lab 01 --cluster --kill  the same; one is killed and replaced

Processor seconds are the whole machine's meanwhile, so nothing else should run. Memory is looked at twice a
second: the largest resident size of one process of each kind, and the most that the machine used beyond what it used
before. `docs/scale.md` has the figures of a class of 1,000.
"""

import argparse
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import psutil

from autograder.author import lab_text
from autograder.proof import made_up_class
from autograder.proof.kill_at_random import MADE, WORKERS, Course
from autograder.proof.local_cluster import SCHEDULER, Cluster, everything_of

LOOKS = 0.5  # seconds
KINDS = {  # of processes, by words of their command; the first that fits
    "process of a worker or of the pool": ("multiprocessing",),
    "sandbox": ("sandbox", "bwrap"),
    "scheduler": ("dask_scheduler",),
    "worker": ("department.worker",),
    "command": ("autograder.grading",),
}
KILLED_AFTER = 0.01, 0.10  # of the submissions


class Measured(NamedTuple):
    """The cost of a run: wall-clock and CPU seconds, peak memory per kind of process and in total, and exit code."""

    wall: float
    processor: float
    largest: dict[str, int]
    memory: int
    code: int


def main(arguments: list[str] | None = None) -> int:
    """Measure a run and print its cost; return 1 if a score is not the deserved one."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.proof.measure_class", description=__doc__.split("\n")[0]
    )
    parser.add_argument("count", type=int, nargs="?", default=1000, help="of students (default: %(default)s)")
    parser.add_argument("--lab", default="01", help="01-strides, or 01 (default)")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT / "build" / "measured")
    parser.add_argument("--jobs", help="submissions at a time by the pool (default: as make grade does)")
    parser.add_argument("--cluster", action="store_true", help="by two workers on this machine, not by the pool")
    parser.add_argument("--kill", action="store_true", help="kill a worker once about 5 %% of the class is judged")
    options = parser.parse_args(arguments)
    if options.kill and not options.cluster:
        parser.error("--kill kills a worker of a cluster: give --cluster too")
    course = Course(options.root.resolve(), lab_text.find(options.lab))
    course.root.mkdir(parents=True, exist_ok=True)
    made_up_class.write(course.root, course.lab, options.count)
    course.begin_again()
    cluster = Cluster(course.root)
    try:
        for name in (SCHEDULER, *WORKERS) if options.cluster else ():
            cluster.start(name)
        share = random.uniform(*KILLED_AFTER) if options.kill else 0
        given = ["--jobs", options.jobs] if options.jobs else []
        return _report(course, cluster, options.count, math.ceil(share * options.count), *given)
    finally:
        cluster.close()


def _report(course: Course, cluster: Cluster, count: int, killed_after: int, *options: str) -> int:
    """Measure a first and a second run, print both; return 1 if a score is not the deserved one, or a run fails.

    Args:
        killed_after: number of records after which a worker is killed; 0 for never.
        options: of the command that grades.
    """
    address = cluster.address if cluster.processes else ""

    def replace_worker() -> bool:
        if len(list((course.root / "autograder" / "records" / course.lab).glob("*.json"))) < killed_after:
            return False
        cluster.kill(WORKERS[0])
        cluster.start(WORKERS[0])
        print(f"a worker was killed after {killed_after} of {count} submissions, and replaced")
        return True

    first = measured(course.grade(address, *options), cluster, *([replace_worker] if killed_after else []))
    again = measured(course.grade(address, *options), cluster)
    print(
        f"{count} submissions of {course.lab} by {'a cluster' if address else 'the pool'}, {os.cpu_count()} processors"
    )
    print(f"time       {first.wall / 60:8.1f} min; {again.wall:.1f} s when nothing has changed")
    print(f"processors {first.processor / 60:8.1f} min, {first.processor / count:.2f} s a submission")
    for kind, size in sorted(first.largest.items(), key=lambda pair: -pair[1]):
        print(f"memory     {size / 2**20:8.0f} MiB  {kind}, the largest")
    print(f"memory     {first.memory / 2**20:8.0f} MiB  all together, beyond what the machine used before")
    for name in MADE:
        size = size_of(course.root / "autograder" / name)
        print(f"disk       {size / 2**20:8.1f} MiB  {name}, {size / count / 1024:.1f} KiB a submission")
    differences = list(made_up_class.compare(course.root, course.lab))
    print("\n".join(differences) or "every score is the deserved one")
    return 1 if differences or first.code or again.code else 0


def measured(command: subprocess.Popen, cluster: Cluster, disturb: Callable[[], bool] = lambda: True) -> Measured:
    """Measure the cost of a command and of its cluster until the command ends.

    Args:
        disturb: called at each look until it is true.
    """
    begun, computed, used = time.monotonic(), _processor_seconds(), psutil.virtual_memory().used
    largest: dict[str, int] = {}
    most, is_disturbed = used, False
    while command.poll() is None:
        time.sleep(LOOKS)
        is_disturbed = is_disturbed or disturb()
        roots = [command.pid, *(process.pid for process in cluster.processes.values())]
        for kind, size in _sizes(process for root in roots for process in everything_of(root)):
            largest[kind] = max(size, largest.get(kind, 0))
        most = max(most, psutil.virtual_memory().used)
    wall, processor = time.monotonic() - begun, _processor_seconds() - computed
    return Measured(wall, processor, largest, most - used, command.returncode)


def size_of(path: Path) -> int:
    """Return the size in bytes of a file, or of all files below a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _processor_seconds() -> float:
    times = psutil.cpu_times()
    return times.user + times.system + times.nice


def _sizes(processes: Iterable[psutil.Process]) -> Iterable[tuple[str, int]]:
    """Yield the kind and the resident size of each that still runs."""
    for process in processes:
        try:
            words, size = " ".join(process.cmdline()), process.memory_info().rss
        except psutil.Error:
            continue
        kind = next((kind for kind, known in KINDS.items() if any(word in words for word in known)), "")
        if kind:
            yield kind, size


if __name__ == "__main__":
    sys.exit(main())
