"""Whole programs with modes and tensor classes print what they print with PyTorch.

They are in transform_programs/, with what PyTorch prints in a .txt beside each, which
`python tests/engine/test_transform_programs.py` writes anew. They run unmodified but for the name of the package.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "transform_programs").glob("*.py"))


def for_engine(text: str) -> str:
    """Return a program of PyTorch as one of the engine."""
    text = re.sub(r"^import torch$", "import engine as torch", text, flags=re.MULTILINE)
    return re.sub(r"^from torch\b", "from engine", text, flags=re.MULTILINE)


def printed(text: str) -> str:
    """Return what a program prints in a process of its own."""
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert not ran.returncode, ran.stderr
    return ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("native", ["0", "1"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_it_prints_with_pytorch(program, native, monkeypatch):
    monkeypatch.setitem(os.environ, "ENGINE_NATIVE", native)
    assert printed(for_engine(program.read_text(encoding="utf-8"))) == program.with_suffix(".txt").read_text("utf-8")


if __name__ == "__main__":
    for program in PROGRAMS:
        program.with_suffix(".txt").write_text(printed(program.read_text(encoding="utf-8")), encoding="utf-8")
