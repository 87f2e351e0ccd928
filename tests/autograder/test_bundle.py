"""The files that an instructor hands out: notebook, cases, wheel, instructions; one release gives the same bytes."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import nbformat
import pytest
from nbgrader.apps.baseapp import NbGrader
from nbgrader.preprocessors import Execute
from nbgrader.validator import Validator

import engine
from autograder.author import bundle, lab_text

INSTRUCTORS = ("author", "cohort", "department", "grading", "made_up", "proof", "right.py", "sandbox", "wrong.py")
# Imports what a notebook's cells import, and reports which files of autograder/ that took.
IMPORTS = """
import sys
{imports}
files = (getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("autograder"))
print(*filter(None, files), sep="\\n")
"""


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "course" / "01-strides"
    folder.mkdir(parents=True)
    cells = [nbformat.v4.new_markdown_cell("# Sizes and strides", id="title")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "lab.ipynb")
    (folder / "cases.json").write_text("{}")
    return tmp_path / "course"


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "inside_the_tensor-0.1.0-py3-none-any.whl"
    path.write_bytes(b"a wheel")
    return path


@pytest.fixture
def archive(course, wheel, tmp_path):
    with zipfile.ZipFile(bundle.bundle("01-strides", wheel, tmp_path / "dist", course)) as opened:
        yield opened


def test_it_holds_the_lab_the_engine_and_the_instructions(archive):
    assert sorted(archive.namelist()) == [
        "inside-the-tensor/01-strides/SUBMIT.md",
        "inside-the-tensor/01-strides/cases.json",
        "inside-the-tensor/01-strides/constraints.txt",
        "inside-the-tensor/01-strides/lab.ipynb",
        "inside-the-tensor/inside_the_tensor-0.1.0-py3-none-any.whl",
        "inside-the-tensor/nbgrader_config.py",
    ]


def test_validate_waits_where_kernels_compile(archive, tmp_path, monkeypatch):
    archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path / bundle.TOP)
    nbgrader = NbGrader()
    nbgrader.load_config_file()
    validator = Validator(config=nbgrader.config)
    assert Execute(parent=validator).timeout >= 600


def test_the_notebook_is_the_released_one(archive, course):
    assert archive.read("inside-the-tensor/01-strides/lab.ipynb") == (course / "01-strides/lab.ipynb").read_bytes()


@pytest.mark.parametrize(
    "text", ["# Sizes and strides", "inside_the_tensor-0.1.0", "01-strides/lab.ipynb", "[lab]", "autograder.submit"]
)
def test_the_instructions_name_what_they_are_about(archive, text):
    assert text in archive.read("inside-the-tensor/01-strides/SUBMIT.md").decode()


def test_the_same_release_gives_the_same_bytes(course, wheel, tmp_path):
    first = bundle.bundle("01-strides", wheel, tmp_path / "first", course).read_bytes()
    assert bundle.bundle("01-strides", wheel, tmp_path / "second", course).read_bytes() == first


def test_two_bundles_have_only_the_same_files_in_common(wheel, tmp_path):
    first, second = (
        zipfile.ZipFile(bundle.bundle(lab, wheel, tmp_path / "dist")).namelist() for lab in lab_text.LABS[:2]
    )
    assert set(first) & set(second) == {f"{bundle.TOP}/{wheel.name}", f"{bundle.TOP}/nbgrader_config.py"}


def test_a_lab_that_is_not_released_is_refused(course, wheel, tmp_path):
    with pytest.raises(FileNotFoundError, match="make course"):
        bundle.bundle("02-dispatch", wheel, tmp_path / "dist", course)


# ---- which files the wheel is built from


def test_no_answer_and_no_part_of_the_grader_is_in_the_wheel():
    modules = bundle.students_modules()
    assert "autograder/labs/strides/order/check.py" in modules
    assert {part for path in modules for part in PurePosixPath(path).parts} & set(INSTRUCTORS) == set()


def imports_of_notebooks() -> set[str]:
    """The lines that import something of autograder/ in the released notebooks."""
    notebooks = (nbformat.read(path, as_version=4) for path in lab_text.ROOT.glob("course/*/lab.ipynb"))
    lines = {line.strip() for notebook in notebooks for cell in notebook.cells for line in cell.source.splitlines()}
    return {line for line in lines if line.startswith(("from autograder", "import autograder"))}


def test_all_that_the_notebooks_import_when_they_run_is_in_the_wheel():
    program = IMPORTS.format(imports="\n".join(sorted(imports_of_notebooks())))
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], cwd=lab_text.ROOT, capture_output=True, text=True
    )
    files = {Path(line).relative_to(lab_text.ROOT).as_posix() for line in ran.stdout.split()}
    assert "autograder/notebook.py" in files, ran.stderr
    assert files - set(bundle.students_modules()) == set()


# ---- the wheel and the bundles, on a student's computer


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return bundle.build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.mark.handed_out
@pytest.mark.slow
def test_a_wheel_says_its_commit_and_has_the_same_bytes_each_time(built, tmp_path):
    assert re.fullmatch(r"inside_the_tensor-[\d.]+\+\d{8}\.g[0-9a-f]{8}(\.d[0-9a-f]{8})?-py3-none-any\.whl", built.name)
    assert built.name == bundle.wheel_name()
    again = bundle.build_wheel(tmp_path)
    assert (again.name, again.read_bytes()) == (built.name, built.read_bytes())


def test_without_git_the_version_is_the_engines(tmp_path):
    assert bundle.version(tmp_path) == engine.__version__


@pytest.fixture(scope="module")
def in_the_wheel(built):
    with zipfile.ZipFile(built) as opened:
        return set(opened.namelist())


@pytest.mark.handed_out
@pytest.mark.slow
def test_every_file_of_the_engine_is_in_the_wheel(in_the_wheel):
    tracked = subprocess.run(
        ["git", "ls-files", "engine"], cwd=lab_text.ROOT, capture_output=True, text=True, check=True
    )
    assert [name for name in tracked.stdout.split() if name not in in_the_wheel] == []


@pytest.mark.handed_out
@pytest.mark.slow
def test_of_autograder_the_wheel_has_the_student_s_modules_alone(in_the_wheel):
    assert {name for name in in_the_wheel if name.startswith("autograder/")} == set(bundle.students_modules())
