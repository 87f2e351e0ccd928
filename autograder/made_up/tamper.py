"""The changes that a student can make to a submission besides writing solutions: one small function per operation.

Operations of NOTEBOOK change the notebook (plain JSON) before it is written, operations of FOLDER the folder after.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

Notebook = dict[str, Any]


class NoSuchCell(LookupError):
    """The notebook has no cell of this id."""


def cell_at(notebook: Notebook, cell: str) -> int:
    """Return the index of the first cell whose id is `cell`."""
    for position, candidate in enumerate(notebook["cells"]):
        if candidate.get("id") == cell:
            return position
    raise NoSuchCell(cell)


def set_source(notebook: Notebook, cell: str, source: str) -> None:
    notebook["cells"][cell_at(notebook, cell)]["source"] = source


def delete_cell(notebook: Notebook, cell: str) -> None:
    del notebook["cells"][cell_at(notebook, cell)]


def duplicate_cell(notebook: Notebook, cell: str, source: str, place: str = "after") -> None:
    """Insert a second cell with the same metadata next to the original, as copy and paste does."""
    at = cell_at(notebook, cell)
    original = notebook["cells"][at]
    copied = {**original, "metadata": dict(original["metadata"]), "id": f"{cell}-copy", "source": source}
    notebook["cells"].insert(at + (place == "after"), copied)


def retype_cell(notebook: Notebook, cell: str, kind: str) -> None:
    """Change a cell's `cell_type`, and add or remove the fields specific to code cells."""
    retyped = notebook["cells"][cell_at(notebook, cell)]
    retyped["cell_type"] = kind
    for field, empty in (("outputs", []), ("execution_count", None)):
        if kind == "code":
            retyped.setdefault(field, empty)
        else:
            retyped.pop(field, None)


def set_metadata(notebook: Notebook, path: str, value: Any, cell: str = "*") -> None:
    """Set `value` at the dotted `path` in the metadata of one cell, or of all graded cells for "*"."""
    *parents, last = path.split(".")
    graded = [candidate for candidate in notebook["cells"] if "nbgrader" in candidate["metadata"]]
    for changed in graded if cell == "*" else [notebook["cells"][cell_at(notebook, cell)]]:
        place = changed["metadata"]
        for name in parents:
            place = place[name]
        place[last] = value


def forge_outputs(notebook: Notebook, text: str) -> None:
    """Make every check cell look as if it had been executed with `text` as its result."""
    for cell in notebook["cells"]:
        if cell["source"].startswith("check("):
            data = {"text/plain": text}
            cell["outputs"] = [{"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}]
            cell["execution_count"] = 1


def replace_checks(notebook: Notebook, source: str) -> None:
    for cell in notebook["cells"]:
        if cell["source"].startswith("check("):
            cell["source"] = source


def insert_cell(notebook: Notebook, source: str, kind: str = "code", at: int = 0) -> None:
    name = f"inserted-{len(notebook['cells'])}"
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": source}
    if kind == "code":
        cell |= {"outputs": [], "execution_count": None}
    notebook["cells"].insert(at, cell)


def pad(notebook: Notebook, megabytes: int) -> None:
    """Append a cell of `megabytes` million characters."""
    insert_cell(notebook, "x" * (megabytes * 1_000_000), "markdown", len(notebook["cells"]))


def add_file(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def rewrite(folder: Path, text: str, times: int = 1) -> None:
    """Overwrite the notebook's file with `text` (repeated) and nothing else."""
    _notebook(folder).write_text(text * times, encoding="utf-8")


def cut_off(folder: Path, keep: float) -> None:
    """Truncate the notebook's file to the fraction `keep` of its bytes, like an interrupted upload."""
    path = _notebook(folder)
    os.truncate(path, int(path.stat().st_size * keep))


def link(folder: Path, to: str, path: str = "lab.ipynb") -> None:
    """Replace a file with a symbolic link to `to`."""
    (folder / path).unlink(missing_ok=True)
    (folder / path).symlink_to(to)


def pipe(folder: Path) -> None:
    """Replace the notebook with a named pipe, which blocks any process that opens it."""
    _notebook(folder).unlink()
    os.mkfifo(_notebook(folder))


def rename(folder: Path, to: str) -> None:
    _notebook(folder).rename(folder / to)


def _notebook(folder: Path) -> Path:
    return folder / "lab.ipynb"


def _by_name(*operations: Callable[..., None]) -> dict[str, Callable[..., None]]:
    return {operation.__name__: operation for operation in operations}


NOTEBOOK = _by_name(
    set_source, delete_cell, duplicate_cell, retype_cell, set_metadata, forge_outputs, replace_checks, insert_cell, pad
)
FOLDER = _by_name(add_file, rewrite, cut_off, link, pipe, rename)
