"""Where things live: what each folder of autograder/ may know, and what enters the sandbox or a student's bundle."""

import ast
import re
import subprocess
import sys

import pytest

from autograder import labs
from autograder.author import bundle, lab_text
from autograder.examine.needed_files import imports_of
from autograder.sandbox import image

ROOT = lab_text.ROOT
FOLDER = ROOT / "autograder"
FOLDERS = {"author", "documents", "examine", "grading", "labs", "proof", "sandbox", "student"}
FILES = {"README.md", "__init__.py", "former_names.py", "notebook.py", "submit.py"}
OF_A_LAB = {"cohort", "documents.py", "limits.yaml"}
OF_A_THEME = {"check.py", "probe.py", "wrong.py", "right.py", "cases.py"}
MACHINERY = sorted(path for path in FOLDER.rglob("*.py") if FOLDER / "labs" not in path.parents)
BELOW_EXAMINE = ("author", "grading", "proof", "sandbox", "student")  # folders that build on examine/


def tracked(folder):
    return {path for path in folder.iterdir() if path.name != "__pycache__"}


def test_the_root_has_folders_by_who_uses_them_and_the_names_that_students_write():
    made = {"submitted", "autograded", "feedback", "records", "backups", "collected", "exchange"}  # by use, not ours
    assert {path.name for path in tracked(FOLDER) if path.is_dir()} - made == FOLDERS
    assert {path.name for path in tracked(FOLDER)} >= FILES
    assert {path.name for path in FOLDER.glob("*.py")} == {name for name in FILES if name.endswith(".py")}


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_a_lab_s_folder_has_themes_with_the_same_files(lab):
    folder = labs.FOLDER / labs.name_of(lab)
    themes = [path for path in tracked(folder) if path.is_dir() and path.name not in OF_A_LAB]
    for theme in themes:
        assert {path.name for path in tracked(theme)} <= OF_A_THEME, theme
    assert {path.suffix for path in tracked(folder) if path.is_file()} <= {".py", ".yaml"}


EXERCISES = [exercise.name for lab in lab_text.LABS for exercise in lab_text.load(lab).exercises]
NAMES = re.compile("|".join(map(re.escape, sorted(EXERCISES))))
LABS = re.compile("|".join(lab_text.LABS))


def values(tree):
    """The text constants of a module that are not docstrings or other statements of text alone."""
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            yield node


@pytest.mark.parametrize("path", MACHINERY, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_nothing_outside_labs_names_a_lab_or_an_exercise(path):
    named = [
        node.value
        for node in values(ast.parse(path.read_text(encoding="utf-8")))
        if (NAMES.fullmatch(node.value) or LABS.fullmatch(node.value))
    ]
    assert named == []


def test_what_enters_the_sandbox_imports_no_check():
    names = {path.as_posix() for path in image.guest_files()}
    assert not [name for name in names if name.endswith(("check.py", "wrong.py", "right.py", "verdict.py", "model.py"))]
    assert {name for name in names if "/labs/" in name and not name.endswith("/probe.py")} == {
        "autograder/labs/cpu/looped.py", "autograder/labs/cuda/arrays.py",
        "autograder/labs/cuda/compilable.py", "autograder/labs/profiler/modules.py",
    }  # fmt: skip


@pytest.mark.parametrize("path", sorted((FOLDER / "examine").glob("*.py")), ids=lambda path: path.name)
def test_examine_builds_on_no_other_folder(path):
    needed = {found.relative_to(FOLDER).parts[0] for found in imports_of(path, ROOT)}
    assert needed & set(BELOW_EXAMINE) == set()


def test_wrong_and_right_answers_and_cohorts_stay_out_of_the_bundle():
    modules = bundle.students_modules()
    assert not [name for name in modules if "/cohort/" in name or name.endswith(("wrong.py", "right.py"))]
    assert [name for name in modules if name.endswith("/check.py")] == sorted(
        path.relative_to(ROOT).as_posix() for path in labs.FOLDER.glob("*/*/check.py")
    )


def test_no_text_of_a_lab_repeats_the_points_of_a_check():
    for lab in lab_text.LABS:
        text = (ROOT / "solutions" / lab / "lab.md").read_text(encoding="utf-8")
        assert not re.findall(r"^:points:", text, re.M) and not re.findall(
            r"^\*\*Exercise[^*]*\(\d+ points", text, re.M
        )


def test_former_names_of_commands_run():
    for name in ("lab", "weave", "verify"):
        done = subprocess.run(
            [sys.executable, "-W", "error::SyntaxWarning", "-m", f"autograder.{name}", "--help"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0 and done.stdout.startswith("usage:"), done.stderr
