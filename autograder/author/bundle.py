"""The files that an instructor hands out: `python -m autograder.author.bundle [01]` makes `dist/01-strides.zip`.

inside-the-tensor/inside_the_tensor-*.whl   the engine and its checks
inside-the-tensor/nbgrader_config.py        how Validate works
inside-the-tensor/01-strides/               the released notebook, its recorded cases, lab.json, templates
inside-the-tensor/01-strides/SUBMIT.md      how to install, work and submit
inside-the-tensor/01-strides/constraints.txt    the versions that the course was tried with

Bundles are unpacked together: only the files beside the labs' folders are in all of them.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import engine
from autograder.author import lab_text
from autograder.author.course_config import VALIDATE_SECONDS
from autograder.examine.needed_files import needed_by

TOP = "inside-the-tensor"
CONSTRAINTS = "constraints.txt"
TRIED = ("3.11", "3.13")  # `make test-all` on the first, `make pythons` on the other
WHOLE = ("engine", "LICENSE", "README.md", "pyproject.toml")
ENTRIES = (
    "autograder/notebook.py",
    "autograder/submit.py",
    "autograder/student/validate.py",
)  # with all that they import
OF_LABS = ("*/*/check.py", "*/*/probe.py", "*/documents.py")
EPOCH = (1980, 1, 1, 0, 0, 0)
ZIPS_BEGIN = 315532800  # the same, in seconds
VALIDATE = f"""\
# Read by nbgrader when JupyterLab is started in this folder: Validate waits this many seconds for a cell: one that
# compiles kernels for the first time may take a minute or more. And it asks for what the grade counts, also where
# another program has dropped nbgrader's marks, or where a cell was copied or split.
c = get_config()  # noqa: F821
c.Execute.timeout = {VALIDATE_SECONDS}
try:
    from autograder.student.validate import install
except ImportError:  # the course is installed for the kernel alone
    pass
else:
    install()
"""
PROSE = "Answer the written questions; they are read by a person."
NO_PROSE = "There are no written questions in this lab."
SUBMIT = """\
# {title}

You need Python 3.11 or newer and 1 GB of disk. Tried on Linux (Debian 12, x86-64) with Python {pythons}. Not tried
on Windows and macOS, in VS Code and Colab; nothing that the lab needs is known to be missing there.

## Install, once for all labs

In the folder that holds `{lab}/` and the `.whl` file:

    python3 -m venv .venv
    . .venv/bin/activate                            (Windows: .venv\\Scripts\\activate)
    pip install -c {lab}/constraints.txt "./{wheel}[lab]"

Unpack later labs into the same place. The name of the `.whl` file says the day and the version that it was made of. If
a later lab brings another one, run the last line of that lab's SUBMIT.md, which names it; your work stays.

## Work

    jupyter lab {lab}/{notebook}

Work through the notebook from top to bottom. Each exercise is one cell; the cell below it checks it, and what
passes is saved to `my_engine/` beside the folder `{lab}/`. Keep `cases.json` and `lab.json` beside the
notebook.

- **VS Code**: open the folder that holds `{lab}/`, then the notebook, and choose `.venv` as its kernel.
- **Colab**: copy the `.whl` file and the folder `{lab}/` to your Google Drive, into a folder `{top}`, and run this in
  a cell of its own before the others, in each session:

      from google.colab import drive
      drive.mount("/content/drive")
      %cd /content/drive/MyDrive/{top}/{lab}
      %pip install --quiet ../{wheel}

## Submit

1. Restart the kernel and run all cells: in JupyterLab, Kernel > Restart Kernel and Run All Cells.
2. Press Validate in JupyterLab's toolbar. It says which exercise is open.
3. {prose}
4. Save, and make the file to upload, with the login or number that your course knows you by:

       python -m autograder.submit {lab} --id YOUR-ID

   It says what is still open, and writes `{lab}-YOUR-ID.zip` with {files}. Upload this one file. (In a notebook of
   Colab: `!cd .. && python -m autograder.submit {lab} --id YOUR-ID`.) Don't add, remove or rename cells that are
   checked: only the cells with your answers are read.

The grade comes from fresh cases, not from the outputs in the file.
"""


def students_modules(root: Path = lab_text.ROOT) -> list[str]:
    """Return the paths of the autograder's files that a student needs: entry points, labs' checks, and their imports.

    Everything else there, such as wrong answers, made-up students, sandbox and grading, is the instructor's.
    """
    entries = [root / entry for entry in ENTRIES]
    entries += [path for name in OF_LABS for path in (root / "autograder" / "labs").glob(name)]
    return [path.relative_to(root).as_posix() for path in needed_by(entries, root)]


def build_wheel(folder: Path, root: Path = lab_text.ROOT) -> Path:
    """Build the wheel for students into `folder`.

    From a copy: in place, what a former build left would be packed too.
    """
    with tempfile.TemporaryDirectory() as scratch:
        copy((*WHOLE, *students_modules(root)), root, Path(scratch))
        project = Path(scratch) / "pyproject.toml"
        project.write_text(_with_version(project.read_text("utf-8"), version(root)), "utf-8")
        return wheel_of(Path(scratch), folder)


def version(root: Path = lab_text.ROOT) -> str:
    """Return the version of a wheel built from `root`: "0.1.0+20261128.g6d3d1434" contains the commit and its date.

    So pip takes a wheel of another commit for another version. What is not committed yet adds its own digits; without
    git there is only the version of the engine.
    """
    try:
        if Path(_git(root, "rev-parse", "--show-toplevel")) != root.resolve():
            return engine.__version__  # files of this repository without its history, inside another one
        commit = _git(root, "log", "-1", "--format=%cd.g%h", "--date=format:%Y%m%d", "--abbrev=8")
        changes = _git(root, "diff", "HEAD", "--", *WHOLE, "autograder")
    except (OSError, subprocess.CalledProcessError):
        return engine.__version__
    changed = f".d{hashlib.sha256(changes.encode()).hexdigest()[:8]}" if changes else ""
    return f"{engine.__version__}+{commit}{changed}"


def wheel_name(root: Path = lab_text.ROOT) -> str:
    """Return the file name of the wheel that `build_wheel` builds."""
    return f"inside_the_tensor-{version(root)}-py3-none-any.whl"


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def _with_version(text: str, version: str) -> str:
    """Return the text of pyproject.toml with this version instead of the engine's.

    Raises:
        ValueError: the text is not as expected.
    """
    for before, after in {
        'dynamic = ["version"]': f'version = "{version}"',
        '[tool.setuptools.dynamic]\nversion = { attr = "engine.__version__" }': "",
    }.items():
        if text.count(f"\n{before}\n") != 1:
            raise ValueError(f"pyproject.toml: expected {before!r} once")
        text = text.replace(f"\n{before}\n", f"\n{after}\n")
    return text


def copy(names: Iterable[str], root: Path, folder: Path) -> None:
    """Copy files and folders of `root` to the same relative paths below `folder`, without bytecode."""
    for name in names:
        source, target = root / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)


def wheel_of(project: Path, folder: Path) -> Path:
    """Build the wheel of a folder with a pyproject.toml into `folder`, without its dependencies.

    The same files give the same bytes: no time is written.
    """
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(ZIPS_BEGIN)}
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([*pip, "--wheel-dir", made, str(project)], check=True, env=environment)
        (wheel,) = Path(made).iterdir()
        return Path(shutil.copy(wheel, folder))


def bundle(lab: str, wheel: Path, dist: Path, course: Path = lab_text.ROOT / "course") -> Path:
    """Write the released lab, the wheel and the instructions into `dist/<lab>.zip`.

    Raises:
        FileNotFoundError: the lab is not released.
    """
    notebook = lab_text.NOTEBOOK + ".ipynb"
    if not (course / lab / notebook).is_file():
        raise FileNotFoundError(f"{course / lab / notebook} is missing: run `make course` first")
    contents = {wheel.name: wheel.read_bytes(), "nbgrader_config.py": VALIDATE.encode()}
    contents |= {f"{lab}/{path.name}": path.read_bytes() for path in sorted((course / lab).iterdir())}
    contents[f"{lab}/{CONSTRAINTS}"] = (lab_text.ROOT / CONSTRAINTS).read_bytes()
    contents[f"{lab}/SUBMIT.md"] = _instructions(lab, course / lab, wheel.name).encode()
    dist.mkdir(parents=True, exist_ok=True)
    target = dist / f"{lab}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(f"{TOP}/{name}", EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return target


def _instructions(lab: str, released: Path, wheel: str) -> str:
    """Return the text of SUBMIT.md."""
    notebook = lab_text.NOTEBOOK + ".ipynb"
    documents = sorted(path.name for path in released.glob("*.md"))
    files = " and ".join(f"`{lab}/{name}`" for name in (notebook, *documents))
    return SUBMIT.format(
        title=_title(released / notebook, lab),
        lab=lab,
        top=TOP,
        notebook=notebook,
        wheel=wheel,
        files=files,
        prose=PROSE if '"reflect-' in (released / notebook).read_text("utf-8") else NO_PROSE,
        pythons=f"{', '.join(TRIED[:-1])} and {TRIED[-1]}",
    )


def _title(notebook: Path, lab: str) -> str:
    """Return the first heading of a released lab."""
    import nbformat

    cells = nbformat.read(notebook, as_version=4).cells
    lines = (line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines())
    return next((line[2:].strip() for line in lines if line.startswith("# ")), lab)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m autograder.author.bundle", description="Make a lab's hand-out.")
    parser.add_argument("lab", nargs="?", default="01", help="01-strides, or 01 (default)")
    options = parser.parse_args(arguments)
    try:
        lab = lab_text.find(options.lab)
        with tempfile.TemporaryDirectory() as scratch:
            wheel = build_wheel(Path(scratch))
            size = wheel.stat().st_size
            made = bundle(lab, wheel, lab_text.ROOT / "dist")
    except (FileNotFoundError, lab_text.LabError) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"the wheel could not be built: {' '.join(map(str, error.cmd))} ended with {error.returncode}")
        return 1
    sizes = f"{made.stat().st_size / 1e6:.1f} MB, of which the wheel is {size / 1e6:.1f} MB"
    print(f"{made.relative_to(lab_text.ROOT)}   {sizes}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
