"""Grading inside a container in which no further namespaces can be made: bubblewrap fails there, Landlock does not.

The container is a user namespace of bubblewrap's that forbids others. The kernel refuses a namespace there as it does
in a container that was started without the privilege.
"""

import csv
import subprocess
import sys

import pytest
from handed_in import LAB, REPOSITORY, RIGHT, VIEW, hand_in, write_course

from autograder.grading import submission_record
from autograder.sandbox import bubblewrap, walls

pytestmark = [
    pytest.mark.slow,
    pytest.mark.handed_out,
    pytest.mark.skipif(
        bubblewrap.version() < bubblewrap.NO_NEW_USER_NAMESPACES, reason="not run: bubblewrap 0.8 or newer"
    ),
    pytest.mark.skipif(not walls.landlock_abi(), reason="not run: Landlock (the kernel has none)"),
]
CONTAINER = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns"]
LISTS_THE_REPOSITORY = f"""def view_strides(sizes, strides, new_sizes):
    import os
    return tuple(os.listdir({str(REPOSITORY)!r}))"""


def inside(*command: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments in the container."""
    words = [*CONTAINER, "--", sys.executable, *command]
    return subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, timeout=300)


def test_bubblewrap_fails_there_and_landlock_is_chosen():
    asked = "from autograder import sandbox; print(sandbox.canary('bwrap').tier, sandbox.canary().tier)"
    assert inside("-c", asked).stdout.split() == ["none", "landlock"]


def test_a_class_is_graded_there_with_the_points_it_deserves(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    hand_in(root, "bob", RIGHT | {VIEW: "def view_strides(sizes, strides, new_sizes):\n    return None"})
    hand_in(root, "eve", RIGHT | {VIEW: LISTS_THE_REPOSITORY})
    done = inside("-m", "autograder.grading", "--root", str(root), "--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    with open(root / "autograder" / "grades.csv", newline="") as table:
        points = {row["student"]: float(row["points"]) for row in csv.DictReader(table)}
    assert points == {"ada": 20, "bob": 11, "eve": 11}
    assert {submission_record.read(root, LAB, student)["tier"] for student in points} == {"landlock"}
