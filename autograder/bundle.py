"""What an instructor hands out: `python -m autograder.bundle [01]` makes `dist/01-strides.zip`.

inside-the-tensor/SUBMIT.md                 how to install, work and submit
inside-the-tensor/inside_the_tensor-*.whl   the engine and its checks
inside-the-tensor/01-strides/               the released notebook, its recorded cases, templates of documents
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from autograder import labs

TOP = "inside-the-tensor"
PACKAGE = ("engine", "autograder", "pyproject.toml", "README.md", "LICENSE")
INSTRUCTORS = ("cohort", "mutants", "grading", "sandbox", "judging.py", "verify.py", "nbgrader_config.py")
MADE = ("__pycache__", "submitted", "autograded", "feedback", "records", "gradebook.db", "grades.csv", "report.html")
EPOCH = (1980, 1, 1, 0, 0, 0)
SUBMIT = """\
# {title}

You need Python 3.11 or newer. In the folder of this file:

    python3 -m venv .venv
    . .venv/bin/activate            (Windows: .venv\\Scripts\\activate)
    pip install ./{wheel}
    jupyter lab {lab}/{notebook}

Work through the notebook from top to bottom. Each exercise is one cell; the cell below it checks it, and what
passes is saved to `my_engine/` beside the folder `{lab}/`. Keep `cases.json` beside the notebook.

## Before you submit

1. Restart the kernel and run all cells: Kernel > Restart Kernel and Run All Cells.
2. Press Validate in the notebook's toolbar.
3. Answer the written questions; they are read by a person.
4. Save, and submit {files} under {own}, the way your course takes files.
   Don't add, remove or rename cells that are checked: only the cells with your answers are read.

The grade comes from fresh cases, not from the outputs in the file.
"""


def build_wheel(folder: Path, root: Path = labs.ROOT) -> Path:
    """Build the wheel that a student needs into `folder`.

    From a copy: in place, what a former build left would be packed too.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for name in PACKAGE:
            source, target = root / name, Path(scratch) / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns(*INSTRUCTORS, *MADE))
            else:
                shutil.copyfile(source, target)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--wheel-dir", str(folder), scratch], check=True)
    return next(folder.glob("inside_the_tensor-*.whl"))


def bundle(lab: str, wheel: Path, dist: Path, course: Path = labs.ROOT / "course") -> Path:
    """Zip the released lab, the wheel and the instructions to `dist/<lab>.zip`.

    Raises:
        FileNotFoundError: the lab is not released.
    """
    notebook = labs.NOTEBOOK + ".ipynb"
    if not (course / lab / notebook).is_file():
        raise FileNotFoundError(f"{course / lab / notebook} is missing: run `make course` first")
    title = _title(course / lab / notebook, lab)
    documents = sorted(path.name for path in (course / lab).glob("*.md"))
    files = f"the one file `{lab}/{notebook}`"
    if documents:
        files = "together " + " and ".join(f"`{lab}/{name}`" for name in (notebook, *documents))
    own = "their own names" if documents else "its own name"
    submit = SUBMIT.format(title=title, lab=lab, notebook=notebook, wheel=wheel.name, files=files, own=own)
    dist.mkdir(parents=True, exist_ok=True)
    target = dist / f"{lab}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        contents = {"SUBMIT.md": submit.encode(), wheel.name: wheel.read_bytes()}
        contents |= {f"{lab}/{path.name}": path.read_bytes() for path in sorted((course / lab).iterdir())}
        for name, data in contents.items():
            entry = zipfile.ZipInfo(f"{TOP}/{name}", EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return target


def _title(notebook: Path, lab: str) -> str:
    """The first heading of a released lab."""
    import nbformat

    cells = nbformat.read(notebook, as_version=4).cells
    lines = (line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines())
    return next((line[2:].strip() for line in lines if line.startswith("# ")), lab)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m autograder.bundle", description="Make a lab's hand-out.")
    parser.add_argument("lab", nargs="?", default="01", help="01-strides, or 01 (default)")
    options = parser.parse_args(arguments)
    try:
        lab = labs.find(options.lab)
        with tempfile.TemporaryDirectory() as scratch:
            made = bundle(lab, build_wheel(Path(scratch)), labs.ROOT / "dist")
    except (FileNotFoundError, labs.LabError) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"the wheel could not be built: {' '.join(map(str, error.cmd))} ended with {error.returncode}")
        return 1
    print(f"{made.relative_to(labs.ROOT)}   {made.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
