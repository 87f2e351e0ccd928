"""A student's engine made of right answers to all labs is as good as the reference: the engine's tests pass on it."""

import os
import subprocess
import sys

import pytest
from another_way import ANOTHER_WAY

from autograder.author import lab_text, solutions
from autograder.overlay import source_of

# One file or two for each layer that the labs build; `make grafted` runs them all.
BEHAVIOR = (
    "test_view_chains.py", "test_dispatch_table.py", "test_schema.py", "test_boxing.py", "test_type_promotion.py",
    "test_python_arg_parser.py",
)  # fmt: skip
# Other words of an error, other nodes for the same gradient and a sum in other memory are right as well, so the tests
# that compare those with PyTorch are for the engine's own words only.
EXACT = ("test_native_functions.py", "test_structured.py", "test_autograd_snippets.py", "test_autograd_programs.py")
VALUES = ("test_gradcheck.py", "test_native_backward.py", "test_optim.py")
ENGINES = {
    "the engine's own words": ({}, EXACT),
    "another way": (ANOTHER_WAY, (*BEHAVIOR, *VALUES)),
}


def test_every_exercise_is_a_part(tmp_path):
    parts = solutions.solutions()
    assert list(parts) == [exercise.name for lab in lab_text.LABS for exercise in lab_text.load(lab).exercises]
    paths = solutions.write(tmp_path, parts)
    assert [path.read_text() for path in paths] == list(parts.values())


@pytest.mark.handed_out
@pytest.mark.slow
@pytest.mark.parametrize("words", ENGINES)
def test_the_engine_passes_its_tests_on_the_parts(words, tmp_path):
    otherwise, files = ENGINES[words]
    solutions.write(tmp_path, solutions.solutions() | otherwise)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *(f"tests/engine/{name}" for name in files),
    ]
    environment = os.environ | {"ENGINE_PARTS": str(tmp_path), "PYTHONPATH": str(lab_text.ROOT)}
    done = subprocess.run(command, cwd=lab_text.ROOT, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "left to the reference" not in done.stderr + done.stdout


def test_one_lab_can_be_asked_for(tmp_path, capsys):
    assert solutions.main([str(tmp_path), "01"]) == 0
    assert {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.py")} == {"strides", "accessor"}
    assert (tmp_path / "strides" / "permute.py").read_text() == source_of("strides.permute")


def test_a_lab_that_is_not_there_is_named(tmp_path, capsys):
    assert solutions.main([str(tmp_path), "77"]) == 1
    assert "no lab '77'" in capsys.readouterr().err
