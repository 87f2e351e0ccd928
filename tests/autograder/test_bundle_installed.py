"""The bundles as a student gets them: unpacked together, the wheel in an empty environment, the repository nowhere."""

import fcntl
import json
import os
import shutil
import sys

import pytest
from as_student import TRAINING, Computer, unpacked

from autograder.author import bundle, lab_text

pytestmark = [pytest.mark.slow, pytest.mark.handed_out]
BARE = "bare.json"  # what was found before [lab] was installed


def prepare(folder):
    """Build the wheel, install it alone and look, then install it with [lab]."""
    shutil.rmtree(folder, ignore_errors=True)
    computer = Computer(folder)
    computer.make(sys.executable)
    wheel = bundle.build_wheel(folder)
    computer.install(wheel)
    packages = [
        package["name"].lower() for package in json.loads(computer.run("-m", "pip", "list", "--format", "json"))
    ]
    found = {"packages": packages, "engine": computer.run("-c", TRAINING).strip()}
    computer.install(wheel, "[lab]")
    (folder / BARE).write_text(json.dumps(found))


@pytest.fixture(scope="module")
def computer(tmp_path_factory):
    """The student's computer, one for all workers of pytest-xdist: the first of them prepares it."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "computer"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / BARE).is_file():
            prepare(folder)
    return Computer(folder)


@pytest.fixture(scope="module")
def bare(computer):
    return json.loads((computer.folder / BARE).read_text())


@pytest.fixture(scope="module")
def wheel(computer):
    return next(computer.folder.glob("*.whl"))


@pytest.fixture(scope="module")
def folder(wheel, tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("bundles"), wheel)


def test_the_engine_needs_three_packages(bare):
    installed = {name.lower() for name in bare["packages"]} - {"pip", "setuptools"}
    assert installed == {"inside-the-tensor", "numpy", "numba", "llvmlite", "pyyaml"}


def test_the_engine_trains_in_a_bare_environment(bare, computer):
    assert bare["engine"].startswith(str(computer.folder))


@pytest.mark.parametrize("name", lab_text.LABS)
def test_the_first_exercise_is_checked_and_its_right_answer_passes(computer, folder, name):
    ((exercise, on_stub, on_answer),) = computer.solve(folder / name / "lab.ipynb", lab_text.load(name))
    assert on_stub.startswith("x ") and on_answer.startswith("ok"), (exercise, on_stub, on_answer)


def test_a_whole_lab_can_be_solved(computer, wheel, tmp_path):
    own = unpacked(tmp_path, wheel, ["01-strides"])
    verdicts = computer.solve(own / "01-strides" / "lab.ipynb", lab_text.load("01-strides"), whole=True)
    assert len(verdicts) == len(lab_text.load("01-strides").exercises)
    assert [line for *_, line in verdicts if not line.startswith("ok")] == []
