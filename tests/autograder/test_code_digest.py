"""The files that decide a verdict: all of them, and no others, for everybody, for a lab and for an exercise."""

import functools

import pytest

from autograder.author import lab_text
from autograder.examine import needed_files
from autograder.examine.needed_files import needed_by
from autograder.grading import code_digest
from autograder.labs import CHECKS, FOLDER

ROOT = code_digest.PACKAGE.parent


def names(files):
    return {path.relative_to(ROOT).as_posix() for path in files}


def test_a_check_its_probe_what_they_import_and_the_labs_tables():
    found = names(code_digest.files_of_exercise("cpu.gemm.pack"))
    assert {"autograder/labs/cpu/limits.yaml", "autograder/labs/cpu/runs.py"} <= found
    assert not any("cohort" in name or name.endswith(("wrong.py", "right.py")) for name in found)


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_the_lab_has_the_files_of_all_its_exercises_and_its_documents(lab):
    of_exercises = {path for part in lab_text.load(lab).exercises for path in code_digest.files_of_exercise(part.name)}
    assert of_exercises <= {*code_digest.files_of_lab(lab)}
    documents = FOLDER / lab.partition("-")[2] / "documents.py"
    assert (documents in code_digest.files_of_lab(lab)) == documents.is_file()


def test_what_a_check_imports_is_its_own_or_everybodys(monkeypatch):
    monkeypatch.setattr(needed_files, "imports_of", functools.cache(needed_files.imports_of))
    for_all = {path for name in code_digest.FOR_ALL for path in code_digest._at((code_digest.PACKAGE / name).resolve())}
    for exercise in CHECKS:
        files = code_digest.files_of_exercise(exercise)
        needed = {*needed_by([path for path in files if path.suffix == ".py"], ROOT, with_packages=False)}
        assert needed <= {*files, *for_all, *ROOT.glob("autograder/*.py")}, exercise


def test_the_engine_its_tables_and_the_sandbox_decide_for_everybody():
    found = {path for name in code_digest.FOR_ALL for path in code_digest._at((code_digest.PACKAGE / name).resolve())}
    assert {path.suffix for path in found} == {".py", ".yaml", ".txt"}
    assert {"engine/strides.py", "autograder/sandbox/worker.py", "autograder/examine/verdict.py"} <= names(found)


def test_two_themes_do_not_share_a_digest():
    assert code_digest.of_exercise("strides.permute") != code_digest.of_exercise("strides.contiguous_strides")
    assert code_digest.of_lab("01-strides") != code_digest.of_lab("02-dispatch")
