"""The bundle on every Python: `python -m tests.pythons [3.12 3.13 ...]`.

Finds each interpreter by running it: on PATH, and among the interpreters of a version manager (pyenv, uv, asdf, mise,
conda), whose shim may refuse to start one. Installs the wheel with [lab] in a fresh environment of each, trains a small
network, and works on lab 1 as a student does: first check, right answer. One that is not found is "not run".
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.author import bundle, lab_text
from tests.as_student import TRAINING, Computer, unpacked

LAB = "01-strides"
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")  # those for which numba is released
# Where version managers keep interpreters, below the home or the folder that a variable names.
MANAGED = (
    ("PYENV_ROOT", ".pyenv", "versions/*/bin"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", "*/bin"),
    ("ASDF_DATA_DIR", ".asdf", "installs/python/*/bin"),
    ("MISE_DATA_DIR", ".local/share/mise", "installs/python/*/bin"),
    ("CONDA_ROOT", "miniforge3", "envs/*/bin"),
)
ASK = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"


def candidates(version: str) -> Iterator[str]:
    """Files that may be the interpreter of `version`, those on PATH first."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in (f"python{version}", "python3", "python"):
            if found := shutil.which(name, path=folder or os.curdir):
                yield found
    for variable, usual, pattern in MANAGED:
        root = Path(os.environ.get(variable) or Path.home() / usual)
        yield from map(str, sorted(root.glob(f"{pattern}/python{version}")))


def find(version: str) -> str | None:
    """The first candidate that says that it is `version` and can make an environment; None if there is none."""
    for candidate in candidates(version):
        try:
            said = subprocess.run([candidate, "-c", ASK], capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if said.returncode == 0 and said.stdout.strip() == version:
            return candidate
    return None


def trial(python: str, wheel: Path, folder: Path) -> None:
    """Raise AssertionError unless a student with this interpreter can begin."""
    computer = Computer(folder / "computer")
    computer.make(python)
    computer.install(wheel, "[lab]")
    computer.run("-c", TRAINING)
    notebook = unpacked(folder, wheel, [LAB]) / LAB / "lab.ipynb"
    ((exercise, on_stub, on_answer),) = computer.solve(notebook, lab_text.load(LAB))
    assert on_stub.startswith("x ") and on_answer.startswith("ok"), f"{exercise}: {on_stub!r}, then {on_answer!r}"


def report(version: str, wheel: Path) -> bool:
    """Try one version and print a line; False if it failed."""
    python = find(version)
    if python is None:
        print(f"not run: python{version} was not found", flush=True)
        return True
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            trial(python, wheel, Path(scratch))
        except (AssertionError, subprocess.CalledProcessError) as error:
            print(f"failed: Python {version}, {python}\n{error}", flush=True)
            return False
    print(f"ok: Python {version}, {python}, {time.monotonic() - began:.0f} s", flush=True)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: 1 if one of the versions failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.pythons", description=__doc__.partition("\n")[0])
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    others = [version for version in VERSIONS if version != running]
    parser.add_argument("versions", nargs="*", default=others, help=f"default: {' '.join(others)}")
    versions = parser.parse_args(arguments).versions
    with tempfile.TemporaryDirectory() as scratch:
        wheel = bundle.build_wheel(Path(scratch))
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB", flush=True)
        results = [report(version, wheel) for version in versions]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
