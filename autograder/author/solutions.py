"""The labs' solutions as a student's engine: `python -m autograder.author.solutions FOLDER [LAB ...] [-- COMMAND ...]`.

Writes each exercise's reference as `FOLDER/<module path>/<name>.py`, as `check` saves what passes. With a command,
runs it on that engine: `python -m autograder.author.solutions /tmp/my_engine -- pytest tests/engine`. Processes that it
starts run on the reference, unless they call `overlay.boot` as the tests do.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.author import lab_text
from autograder.overlay import source_of

RUN = """
import runpy, sys
from autograder import overlay
overlay.boot()
del sys.argv[0]
sys.path.insert(0, "")
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def solutions(lab_ids: Iterable[str] = lab_text.LABS) -> dict[str, str]:
    """Return the reference solution of every exercise in the labs, by name."""
    return {exercise.name: source_of(exercise.name) for lab in lab_ids for exercise in lab_text.load(lab).exercises}


def write(folder: Path, parts: Mapping[str, str]) -> list[Path]:
    """Write source texts, given by exercise name, to files below `folder`; return their paths."""
    written = []
    for name, source in parts.items():
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        written.append(path)
    return written


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit status of the command that it runs."""
    given = sys.argv[1:] if arguments is None else arguments
    own, command = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    parser = argparse.ArgumentParser(prog="python -m autograder.author.solutions", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("labs", nargs="*", metavar="LAB", help="01-strides, or 01; default: all")
    options = parser.parse_args(own)
    try:
        parts = solutions([lab_text.find(name) for name in options.labs] or lab_text.LABS)
    except lab_text.LabError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(write(options.folder, parts))} parts in {options.folder}", flush=True)
    if not command:
        return 0
    environment = os.environ | {"ENGINE_PARTS": str(options.folder.resolve())}
    return subprocess.run([sys.executable, "-c", RUN, *command], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
