"""Notebooks with their outputs, executed where a student would: each once, then kept in `build/executed/`.

A kept notebook counts as long as what it was made of is the same: its cells, the files beside it (recorded cases,
documents), the engine, the checks, and the versions of Python, NumPy and numba. Tests and the site share it, so what
`make test-all` has executed `make site` does not execute again.
"""

import contextlib
import fcntl
import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import nbformat

from autograder import documents
from autograder.author import bundle, lab_text, weave
from autograder.files import write_whole

KEPT = "build/executed"
SECONDS = 300  # for one cell; one that compiles kernels for the first time may take a minute or more
NOTEBOOK = f"{lab_text.NOTEBOOK}.ipynb"
ENGINE = ("*.py", "*.yaml", "*.txt")  # the files of engine/ that a result depends on
PACKAGES = ("numpy", "numba", "matplotlib", "ipykernel")
DIGEST = "made_of"  # in the metadata of a kept notebook


def lab(name: str, root: Path = lab_text.ROOT) -> nbformat.NotebookNode:
    """Return the instructor's notebook of a lab, "01-strides", with the solutions filled in and all outputs.

    Raises:
        LabError: the lab is not released.
        nbclient.exceptions.CellExecutionError: a cell failed that may not fail.
    """
    return notebook(name, weave.instructor_notebook(lab_text.load(name, root)), name, root)


def notebook(name: str, cells: nbformat.NotebookNode, lab: str, root: Path = lab_text.ROOT) -> nbformat.NotebookNode:
    """Execute a notebook in a student's folder of `lab` and return it with its outputs, cached under `name`."""
    released = root / "course" / lab
    if not released.is_dir():
        raise lab_text.LabError(f"{released} is missing: run `make course` first")
    kept = root / KEPT / f"{name}.ipynb"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(shutil.copytree(released, Path(scratch) / "work" / lab))
        documents.write_solved(lab, folder)
        (folder / NOTEBOOK).write_text(nbformat.writes(cells), encoding="utf-8")
        made_of = digest(sorted(path for path in folder.iterdir() if path.is_file()))
        with _alone(kept):
            if (found := _kept(kept, made_of)) is not None:
                return found
            executed = run(folder / NOTEBOOK)
            executed.metadata[DIGEST] = made_of
            write_whole(kept, nbformat.writes(executed))
            return executed


def run(path: Path) -> nbformat.NotebookNode:
    """Execute the notebook at `path` in its folder and return it; only cells tagged `raises-exception` may fail."""
    from nbclient import NotebookClient  # here, since nothing runs where all is kept

    cells = nbformat.read(path, as_version=4)
    # A kernel starts in the notebook's folder, not in ours: it must find the packages where they are not installed.
    paths = os.pathsep.join(filter(None, [str(lab_text.ROOT), os.environ.get("PYTHONPATH", "")]))
    environment = os.environ | {"PYTHONPATH": paths, "ENGINE_PROGRESS": "0"}
    where = {"metadata": {"path": str(path.parent)}}
    quiet = ["--IPKernelApp.log_level=ERROR"]
    client = NotebookClient(cells, timeout=SECONDS, record_timing=False, resources=where, extra_arguments=quiet)
    client.execute(env=environment)
    for cell in cells.cells:
        if cell.cell_type == "code":
            cell.outputs = joined_streams(output for output in cell.outputs if not _is_about_fonts(output))
    return cells


def _is_about_fonts(output: nbformat.NotebookNode) -> bool:
    """Return True for the line that matplotlib writes where it runs for the first time."""
    return output.output_type == "stream" and "building the font cache" in output.text


def joined_streams(outputs: Iterable[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Merge adjacent outputs of one stream; nbclient's `coalesce_streams` loses track of displays."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        before = joined[-1] if joined else None
        if before and output.output_type == before.output_type == "stream" and output.name == before.name:
            before.text += output.text
        else:
            joined.append(output)
    for output in joined:
        if output.output_type == "stream":  # a line that was written anew shows as it ended
            output.text = re.sub(r"[^\n]*\r(?!\n|$)", "", output.text)
    return joined


def failed_checks(cells: nbformat.NotebookNode) -> list[str]:
    """Return the source of each check cell in an executed notebook that did not pass."""
    return [
        cell.source
        for cell in cells.cells
        if cell.cell_type == "code" and cell.source.startswith("check(")
        if any(output.output_type == "error" for output in cell.outputs)
    ]


def digest(files: Iterable[Path]) -> str:
    """Return the digest of the files' names and contents, and of the programs that execute notebooks."""
    parts = [_of_programs(), *(_of_file(path.name, path) for path in files)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@lru_cache
def _of_programs(root: Path = lab_text.ROOT) -> str:
    """Return the digest of the engine, the part of autograder/ that a notebook imports, and the packages."""
    paths = [root / name for name in bundle.students_modules(root)]
    paths += [path for pattern in ENGINE for path in (root / "engine").rglob(pattern)]
    lines = [platform.python_version(), platform.machine()]
    lines += [f"{package} {importlib.metadata.version(package)}" for package in PACKAGES]
    lines += [_of_file(path.relative_to(root).as_posix(), path) for path in sorted(paths)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _of_file(name: str, path: Path) -> str:
    return f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}"


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock, so that another process waits for this notebook instead of executing it too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _kept(path: Path, made_of: str) -> nbformat.NotebookNode | None:
    if not path.is_file():
        return None
    found = nbformat.read(path, as_version=4)
    return found if found.metadata.get(DIGEST) == made_of else None
