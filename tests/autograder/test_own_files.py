"""The grader's own files, and a class with strange names and contents in the same folder, which nothing of it reads."""

import os
import re
import subprocess
import sys
import tomllib

import pytest
from handed_in import REPOSITORY, strange_files

from autograder.author import grader_wheel
from autograder.examine.needed_files import own_files
from autograder.sandbox import image

OWN = (
    "autograder/__init__.py", "autograder/grading/__init__.py", "autograder/grading/templates/page.html",
    "autograder/labs/__init__.py", "autograder/labs/strides/check.py", "autograder/notebook.py",
)  # fmt: skip
OF_A_CLASS = ("gradebook.db", "gradebook.key", "grades.csv", "report.html", "similarity.html", "woven.json")


@pytest.fixture
def root(tmp_path):
    """A small grader, and a class in its folder."""
    for name in (*OWN, *(f"autograder/{name}" for name in OF_A_CLASS), "engine/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name in ("LICENSE", "README.md", "pyproject.toml", ".gitignore"):
        (tmp_path / name).write_bytes((REPOSITORY / name).read_bytes())
    strange_files(tmp_path / "autograder/submitted/eve/01-strides")
    strange_files(tmp_path / "autograder/collected/eve")
    return tmp_path


def test_a_class_has_no_file_of_the_grader(root):
    assert [path.relative_to(root).as_posix() for path in own_files(root)] == sorted(OWN)


def test_the_repository_s_own_files_are_those_that_git_has():
    command = ["git", "ls-files", "autograder"]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    own = {path.relative_to(REPOSITORY).as_posix() for path in own_files(REPOSITORY)}
    assert {*listed.split()} - own == {"autograder/README.md", "autograder/environment.sh"}


def test_the_sandbox_takes_over_nothing_of_a_class(root, monkeypatch):
    monkeypatch.setattr(image, "REPOSITORY", root)
    assert image.guest_files() == []


def test_the_grader_s_wheel_is_built_without_the_class(root, monkeypatch):
    packed = []
    monkeypatch.setattr(grader_wheel, "wheel_of", lambda project, _: packed.extend(project.rglob("*")) or project)
    project = grader_wheel.build(root, root)
    files = {path.relative_to(project).as_posix() for path in packed if path.suffix}
    assert files == {*OWN, "engine/__init__.py", "README.md", "pyproject.toml"}


def test_setup_walks_through_no_folder_of_a_class():
    """Its links would lead setuptools in a circle; a pattern `name*` is what it does not enter."""
    folders = re.findall(r"^autograder/(\w+)/$", (REPOSITORY / ".gitignore").read_text(), re.M)
    found = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]
    assert sorted(found["exclude"]) == sorted(f"autograder.{name}*" for name in folders)
    packages = {path.parent.name for path in (REPOSITORY / "autograder").glob("*/__init__.py")}
    assert not [name for name in packages for folder in folders if name.startswith(folder)]


@pytest.mark.slow
def test_mypy_reads_nothing_of_a_class(root):
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("Success: no issues found in "), done.stdout
