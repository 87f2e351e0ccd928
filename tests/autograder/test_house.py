"""Where things live: what each folder of autograder/ may know, and what enters the sandbox or a student's bundle."""

import ast
import graphlib
import re

import pytest

from autograder import labs
from autograder.author import bundle, lab_text
from autograder.examine.needed_files import imports_of, own_files
from autograder.sandbox import image

ROOT = lab_text.ROOT
FOLDER = ROOT / "autograder"
FOLDERS = {
    "author",
    "department",
    "documents",
    "examine",
    "grading",
    "labs",
    "made_up",
    "overlay",
    "proof",
    "sandbox",
    "student",
}
FILES = {"__init__.py", "files.py", "notebook.py", "progress_bar.py", "submit.py"}
OF_A_LAB = {"cohort", "documents.py", "limits.yaml"}
OF_A_THEME = {"check.py", "probe.py", "wrong.py", "right.py", "cases.py"}
MACHINERY = [path for path in own_files(ROOT) if path.suffix == ".py" and FOLDER / "labs" not in path.parents]
BELOW_EXAMINE = (
    "author",
    "department",
    "grading",
    "made_up",
    "proof",
    "sandbox",
    "student",
)  # folders that build on examine/


def tracked(folder):
    return {path for path in folder.iterdir() if path.name != "__pycache__"}


def test_the_root_has_folders_by_who_uses_them_and_the_names_that_students_write():
    own = {path.relative_to(FOLDER).parts for path in own_files(ROOT)}
    assert {parts[0] for parts in own if len(parts) > 1} == FOLDERS
    assert {parts[0] for parts in own if len(parts) == 1} == FILES


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


def test_nothing_outside_labs_names_a_lab_or_an_exercise():
    named = [
        (path.relative_to(FOLDER).as_posix(), node.value)
        for path in MACHINERY
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


def test_examine_builds_on_no_other_folder():
    for path in (FOLDER / "examine").glob("*.py"):
        needed = {found.relative_to(FOLDER).parts[0] for found in imports_of(path, ROOT)}
        assert needed & set(BELOW_EXAMINE) == set(), path.name


def needs(path):
    """The files of `grading/` beside a file that it imports, by their names."""
    return {found.name for found in imports_of(path, ROOT) if found.parent == FOLDER / "grading"}


def test_no_file_of_grading_needs_itself_through_others():
    order = graphlib.TopologicalSorter({path.name: needs(path) for path in (FOLDER / "grading").glob("[!_]*.py")})
    order.prepare()  # raises `graphlib.CycleError`, which names them


def test_nothing_below_needs_the_proof():
    for path in MACHINERY:
        if FOLDER / "proof" not in path.parents:
            found = {found for found in imports_of(path, ROOT) if FOLDER / "proof" in found.parents}
            assert found == set(), path


def test_grading_needs_no_other_thing_of_a_department_than_its_cluster():
    for path in (FOLDER / "grading").rglob("*.py"):
        found = {found.name for found in imports_of(path, ROOT) if FOLDER / "department" in found.parents}
        assert found - {"__init__.py"} <= ({"cluster.py"} if path.name == "run.py" else set()), path.name


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
