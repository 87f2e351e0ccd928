"""Each test of grading that has a class of its own, once more with it inside the grader's folder (inside.py)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import inside
import pytest
from handed_in import REPOSITORY

HERE = Path(__file__).parent
NEEDED = re.compile(r"^from handed_in import .*\b(?:write_course|copied)\b", re.M)
IS_SLOW = re.compile(r"^pytestmark = (?:\[\s*)?pytest\.mark\.slow", re.M)  # the whole file
SLOW_ALONE = ("test_before.py", "test_one_run.py")  # of these only the slow tests have a class
# Tests of budgets, whatever the place; and of every file in a folder, with those that killed runs have left there.
ELSEWHERE = ("test_hostile_submissions.py", "test_forget.py")
TEXTS = {path.name: path.read_text("utf-8") for path in sorted(HERE.glob("test_*.py"))}
FILES = [name for name, text in TEXTS.items() if NEEDED.search(text) and name not in ELSEWHERE]


@pytest.fixture
def checkout(tmp_path):
    yield inside.make(tmp_path / "checkout")
    shutil.rmtree(tmp_path / "checkout")


@pytest.mark.handed_out
@pytest.mark.slow
@pytest.mark.parametrize("tests", FILES)
def test_a_class_inside_the_grader_s_folder(tests, checkout, tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (checkout, HERE)))}
    options = ["-p", "inside", "-p", "no:cacheprovider", "-p", "no:xdist", "--basetemp", tmp_path / "tests"]
    options += [] if IS_SLOW.search(TEXTS[tests]) or tests in SLOW_ALONE else ["-m", "not slow"]
    command = [sys.executable, "-m", "pytest", *options, "-c", REPOSITORY / "pyproject.toml", HERE / tests]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert int(re.search(r"with a class inside the grader's folder: (\d+)", done.stdout)[1]) > 0
