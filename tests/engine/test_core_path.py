"""The core path: the files to open for what each lab builds, and the command and the sentence that tell how many."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from autograder.author import lab_text
from engine import journey
from engine.layers import CORE_PATH, core_path_table

PACKAGE = Path(engine.__file__).parent
PATH = [module for modules in CORE_PATH.values() for module in modules]


def file_of(module):
    return PACKAGE / f"{module.replace('.', '/')}.py"


def lines(modules):
    return sum(len(file_of(module).read_text(encoding="utf-8").splitlines()) for module in modules)


def whole_engine():
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py"))


def run(*arguments, **variables):
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | variables, check=False)


def test_every_file_of_the_path_exists_and_stands_there_once():
    assert [module for module in PATH if not file_of(module).is_file()] == []
    assert len(set(PATH)) == len(PATH)


@pytest.mark.parametrize("lab", CORE_PATH)
def test_a_labs_share_can_be_read_in_a_week(lab):
    assert 600 <= lines(CORE_PATH[lab]) <= 1600


def test_the_whole_path_has_about_ten_thousand_lines():
    assert lines(PATH) <= 9_931


@pytest.mark.parametrize("lab", [lab for lab in lab_text.LABS if not lab_text.load(lab).is_from_scratch])
def test_a_labs_share_holds_files_of_its_exercises(lab):
    modules = {exercise.name.rpartition(".")[0] for exercise in lab_text.load(lab).exercises}
    assert len(modules & set(PATH)) >= 2


@pytest.mark.parametrize("expression", ["x + y", "x * y"])
def test_what_runs_for_an_expression_is_on_the_path(expression):
    files = {PACKAGE.parent / frame.place.file for frame in journey.frames(expression)}
    files = {path for path in files if path.is_file()}
    assert len(files) > 3
    assert files - {file_of(module) for module in PATH} == set()


def test_the_command_prints_every_file_the_sums_and_the_whole():
    done = run("-m", "engine.layers")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == core_path_table() + "\n"
    for lab, modules in CORE_PATH.items():
        assert re.search(rf"^lab {lab} +{lines(modules):,} lines$", done.stdout, re.M)
    for module in PATH:
        inside = re.escape(file_of(module).relative_to(PACKAGE).as_posix())
        assert re.search(rf"^  engine/{inside} +{lines([module]):,}  \S", done.stdout, re.M)
    assert re.search(rf"^the core path, {len(PATH)} files +{lines(PATH):,} lines$", done.stdout, re.M)
    assert re.search(rf"^the whole engine, \d+ files of Python +{whole_engine():,} lines$", done.stdout, re.M)


def test_the_command_is_quiet_where_all_warnings_are_shown():
    """Not even the interpreter's about a module that its own package has imported before."""
    done = run("-m", "engine.layers", PYTHONWARNINGS="default")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_that_imports_the_engine_keeps_its_filters_of_warnings():
    program = "import warnings; before = list(warnings.filters); import engine.layers; "
    program += "print([rule for rule in warnings.filters if rule not in before and 'layers' in str(rule)])"
    assert run("-c", program).stdout == "[]\n"
