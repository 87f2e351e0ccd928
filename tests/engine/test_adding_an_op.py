"""docs/adding-an-op.md does what it says: its blocks, put where it says, make an operator."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import layers

ROOT = Path(layers.__file__).parent.parent
TEXT = (ROOT / "docs" / "adding-an-op.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(?:yaml|python)\n(.*?)```", TEXT, re.DOTALL)
ENTRY, FUNCTIONS, SCALAR_FUNCTION, ROW, PROGRAM, DERIVATIVE, BACKWARD, COMPOSITE, CALLING = BLOCKS


def insert(path, text, before=None):
    """Put `text` before the line `before` of a file, or at its end."""
    old = path.read_text(encoding="utf-8")
    start = len(old) if before is None else old.index(before)
    path.write_text(f"{old[:start].rstrip()}\n\n{text}\n{old[start:]}", encoding="utf-8")


@pytest.fixture(scope="module")
def engine_with_squareplus(tmp_path_factory):
    """A folder with a copy of the engine that has the operator of the text."""
    folder = tmp_path_factory.mktemp("engine")
    ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    aten, cpu = folder / "engine" / "aten", folder / "engine" / "cpu"
    shutil.copytree(ROOT / "engine", folder / "engine", ignore=ignored)
    insert(aten / "native_functions.yaml", ENTRY)
    insert(aten / "native" / "unary_ops.py", FUNCTIONS)
    insert(cpu / "unary_ops.py", SCALAR_FUNCTION, before="KERNELS: Table = (")
    insert(folder / "engine" / "autograd" / "derivatives.yaml", DERIVATIVE)
    insert(cpu / "unary_ops.py", ROW, before=")\n\nregister(KERNELS)")
    return folder


@pytest.mark.slow  # another digest of the kernels' texts: all are compiled anew
@pytest.mark.parametrize("program", [PROGRAM, BACKWARD], ids=["forward", "backward"])
def test_the_worked_example_runs(engine_with_squareplus, program):
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=engine_with_squareplus, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("program", [COMPOSITE, CALLING], ids=["composite", "calling"])
def test_an_example_that_changes_no_file_runs(program):
    exec(compile(program, "<docs/adding-an-op.md>", "exec"), {})
