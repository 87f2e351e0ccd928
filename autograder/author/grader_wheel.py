"""`make grader-wheel`: all of the grader as a wheel, `dist/inside_the_tensor_grader-*.whl`, for a cluster's machines.

It has what no student gets, right and wrong answers too, so its distribution has another name than the students'
wheel. It needs what a worker imports, so that `pip install` of this one file makes a worker.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from autograder.author import lab_text
from autograder.author.bundle import WHOLE, copy, wheel_of
from autograder.examine.needed_files import own_files

NAME = "inside-the-tensor-grader"
EXTRAS = ("grade", "cluster")  # of pyproject.toml: what a worker needs besides the engine's packages


def build(folder: Path, root: Path = lab_text.ROOT) -> Path:
    """Build the wheel into `folder` from a temporary copy, so that no leftovers of an earlier build get into it."""
    with tempfile.TemporaryDirectory() as scratch:
        copy((*WHOLE, *(path.relative_to(root).as_posix() for path in own_files(root))), root, Path(scratch))
        project = Path(scratch) / "pyproject.toml"
        project.write_text(of_grader(project.read_text("utf-8")), "utf-8")
        return wheel_of(Path(scratch), folder)


def of_grader(text: str) -> str:
    """Return the text of pyproject.toml with the grader's name, and with all packages it needs as dependencies.

    Raises:
        ValueError: the text is not as expected.
    """
    project = tomllib.loads(text)["project"]
    needed = [*project["dependencies"], *(each for extra in EXTRAS for each in project["optional-dependencies"][extra])]
    changes = {
        f'name = "{project["name"]}"': f'name = "{NAME}"',
        f"dependencies = {_listed(project['dependencies'])}": f"dependencies = {_listed(sorted(set(needed)))}",
    }
    for before, after in changes.items():
        if text.count(f"\n{before}\n") != 1:
            raise ValueError(f"pyproject.toml: expected the line {before!r} once")
        text = text.replace(f"\n{before}\n", f"\n{after}\n")
    return text


def _listed(words: list[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


def main() -> int:
    """Run the command."""
    dist = lab_text.ROOT / "dist"
    dist.mkdir(exist_ok=True)
    try:
        wheel = build(dist)
    except subprocess.CalledProcessError as error:
        print(f"the wheel could not be built: {' '.join(map(str, error.cmd))} ended with {error.returncode}")
        return 1
    print(f"{wheel.relative_to(lab_text.ROOT)}   {wheel.stat().st_size / 1e6:.1f} MB, for a cluster's machines alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
