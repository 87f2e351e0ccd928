"""The time that a student waits for `check`: `python -m autograder.proof.check_times [exercise ...]`.

The reference answers the recorded cases as in a notebook, in this process, twice: the first check may compile, the
second is what a student meets from then on. Exit 1 if one takes longer than its limit.
"""

import argparse
import sys
import time
from collections.abc import Sequence

from autograder import labs, overlay
from autograder.author.lab_text import LABS, ROOT
from autograder.examine.verdict import RIGHT
from autograder.labs import CHECKS, LAB_OF, name_of
from autograder.student.recorded_check import judge_cell

SECONDS = 1.0  # unless the limits.yaml of a lab says otherwise


def seconds_of(exercise: str) -> tuple[float, float]:
    """Return the wall-clock seconds of the first and second check of an exercise's reference solution.

    Raises:
        RuntimeError: the reference is not right.
    """
    lab = next(lab for lab in LABS if name_of(lab) == LAB_OF[exercise])
    taken = []
    for _ in range(2):
        began = time.monotonic()
        result = judge_cell(exercise, overlay.source_of(exercise), ROOT / "course" / lab, [])
        taken.append(time.monotonic() - began)
        if result.verdict != RIGHT:
            raise RuntimeError(f"{exercise}: the reference is {result.verdict} on the recorded cases")
    return taken[0], taken[1]


def limit_of(exercise: str) -> float:
    """Return the maximum number of seconds for a warm check of an exercise."""
    return labs.limits(LAB_OF[exercise]).get("check_seconds", SECONDS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line per exercise, sorted by the time of the warm check; return 1 if any exceeds its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", metavar="exercise", help="for example strides.view_strides")
    names = parser.parse_args(arguments).exercises or list(CHECKS)
    rows = sorted((*seconds_of(name)[::-1], name) for name in names)
    for warm, first, name in rows:
        late = f"   more than {limit_of(name):g} s" if warm > limit_of(name) else ""
        print(f"{name:<48} first {first:6.2f} s   again {warm:6.2f} s{late}")
    return int(any(warm > limit_of(name) for warm, _, name in rows))


if __name__ == "__main__":
    sys.exit(main())
