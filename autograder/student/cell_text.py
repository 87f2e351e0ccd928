"""The text that `check` judges: the text of the cell that is handed in, as it last ran.

Which cells are the answer is decided as for the grade (`answer_text.py`). A cell's run is known by its id where the
notebook's program sends ids with the cells that it runs, as JupyterLab does; elsewhere by its text. The file also shows
what was typed since: a notebook saved with another text in that cell hands in this other text. Where there is neither,
as in a terminal, the cell that defines the function is judged, and the verdict says so.
"""

import json
import linecache
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from IPython import get_ipython

import engine
from autograder.examine.answer_text import (
    answer_id,
    cells_of_answers,
    is_blank,
    is_unwritten,
    joined,
    name_of,
    parts_of,
)
from autograder.examine.guess import without_guess
from autograder.examine.student_error import UNDEFINED
from autograder.overlay import cell_compiler

NOTEBOOK = "lab.ipynb"
Stamp = tuple[int, int]  # of a file: differs whenever it was saved again


class NotReady(Exception):
    """The error raised if there is nothing to judge: `reason`, the first line, says why; `advice` says what to do."""

    def __init__(self, reason: str, advice: str = ""):
        super().__init__(reason, advice)
        self.reason, self.advice = reason, advice


class NotDefined(NotReady):
    """The error raised if no cell has defined the function yet."""


@dataclass
class Run:
    """A cell that ran: its id, or "" without one; its text; the file's stamp at that time; how the run ended."""

    cell: str
    text: str
    stamp: Stamp | None = None
    error: str = ""
    is_over: bool = True


class Saved(NamedTuple):
    """The notebook's file as last saved: its cells as (id, name, document that the cell is about, text)."""

    path: Path
    stamp: Stamp
    cells: tuple[tuple[str, str, str, str], ...]


class Answer(NamedTuple):
    """The text to judge, and a note about it for the student."""

    text: str
    note: str = ""


class _Place(NamedTuple):
    """A cell that goes by the answer's name: its text as it would be handed in, and its last run."""

    text: str
    run: Run | None


runs: list[Run] = []  # of this process, in order


def answer_of(
    name: str, namespace: Mapping[str, object], saved: Saved | None, functions: Collection[str] = ()
) -> Answer:
    """Return the text that would be handed in for the exercise `name`, if the notebook has run it unchanged.

    Args:
        functions: what the student writes of a class, as "Class.method"; else the function alone.
    Raises:
        NotReady: the answer's cell failed, or was changed after it ran; or there is none.
    """
    qualname = name.rpartition(".")[2]
    functions = functions or {qualname}
    ids = {cell for cell, *_ in saved.cells} if saved else {answer_id(name), answer_id(name).removesuffix("-answer")}
    keeps_ids = any(run.cell in ids for run in runs)
    places = _places(name, saved, keeps_ids)
    if not places and saved:
        advice = f"write `{qualname}` into a cell and save the notebook: what is saved is handed in"
        raise NotReady(f"{saved.path.name} has no cell for the answer", advice)
    if not places and keeps_ids:
        _require_not_failed(qualname)
        raise NotDefined("the answer's cell has not run", "run the cell above, then this one")
    if not places:
        return Answer(_unchanged_since(defined_text(name, namespace)), "judged: the cell that last defined it")
    kept = parts_of([place.text for place in places], lambda text: is_unwritten(text, functions))
    parts = [places[at] for at in kept] or places[:1]
    answer = _answer_at(parts, name, namespace, saved, keeps_ids, functions)
    return answer._replace(note="; ".join(filter(None, (answer.note, _about(parts, places, name, saved)))))


def _places(name: str, saved: Saved | None, keeps_ids: bool) -> list[_Place]:
    if saved is None:
        of_id = [run for run in runs if run.cell == answer_id(name)]
        return [_Place(of_id[-1].text, of_id[-1])] if keeps_ids and of_id else []
    places = []
    for at in _cells_of(name, saved):
        cell, *_, text = saved.cells[at]
        ids = {cell} if keeps_ids else {run.cell for run in runs if is_same(run.text, text)}
        own = [run for run in runs if run.cell in ids and (run.cell or is_same(run.text, text))]
        is_newer = bool(own) and own[-1].stamp == saved.stamp  # it ran after the file was saved
        places.append(_Place(own[-1].text if is_newer else text, own[-1] if own else None))
    return places


def _cells_of(name: str, saved: Saved) -> list[int]:
    named = [(its_name, text) for _, its_name, _, text in saved.cells]
    return cells_of_answers(named, [answer_id(name)])[answer_id(name)]


def _about(parts: Sequence[_Place], places: Sequence[_Place], name: str, saved: Saved | None) -> str:
    """Return what is unusual about the answer's cells, for the student; the grade counts the same text."""
    if len(parts) > 1:
        return f"judged: {len(parts)} cells as one text; select them, then Edit > Merge Selected Cells makes them one"
    if any(not is_blank(place.text) and not is_same(place.text, parts[0].text) for place in places):
        return "several cells are the answer: the last one that is written counts; delete the others"
    if saved and all(saved.cells[at][1] != answer_id(name) for at in _cells_of(name, saved)):
        return "the answer's cell has lost its name in the file: it was found by what it defines"
    return ""


def _whole(parts: Sequence[_Place]) -> _Place:
    """Return the parts of a split cell as one; that a part alone fails means nothing."""
    if len(parts) == 1:
        return parts[0]
    ran = [place.run for place in parts if place.run]
    run = Run("", joined(run.text for run in ran), ran[-1].stamp) if len(ran) == len(parts) else None
    return _Place(joined(place.text for place in parts), run)


def _answer_at(
    parts: Sequence[_Place],
    name: str,
    namespace: Mapping[str, object],
    saved: Saved | None,
    keeps_ids: bool,
    functions: Collection[str],
) -> Answer:
    place = _whole(parts)
    try:
        defined = defined_text(name, namespace)
    except NotReady:
        defined = place.text
    is_elsewhere = not any(is_same(defined, part.text) for part in (place, *parts))
    if is_blank(place.text) and not is_elsewhere:
        raise NotReady("not written yet", "write it into the cell above and run that, then this cell")
    is_retried = place.run is None or not is_unwritten(place.text, functions)
    if is_elsewhere and is_retried and not keeps_ids and saved and _is_newer(defined, saved):
        advice = f"save the notebook before you hand it in: {saved.path.name} has another text in the answer's cell"
        return Answer(_unchanged_since(defined), advice)
    if is_elsewhere and is_unwritten(place.text, functions) and not is_unwritten(defined, functions):
        advice = "copy it to the answer's cell, which alone is handed in; run that, then this cell again"
        raise NotReady("it is written in another cell", advice if keeps_ids else f"save the notebook, or {advice}")
    if place.run is None:
        return Answer(place.text, "judged as it is saved: the answer's cell has not run")
    if not is_same(place.run.text, place.text):
        raise NotReady("the answer's cell was changed after it ran", "run it as it is now, then this cell again")
    if place.run.error:
        advice = _giver_of(place.run.error, saved) or "repair it and run it, then this cell again"
        raise NotReady(f"the answer's cell failed: {place.run.error}", advice)
    return Answer(place.run.text, "judged: the answer's cell; another cell defines it too" if is_elsewhere else "")


def _unchanged_since(text: str) -> str:
    """Return `text`; raise NotReady if the cell that ran it has run another one since, or has failed."""
    own = [run for run in runs if is_same(run.text, text)]
    last = next((run for run in reversed(runs) if own and run.cell == own[-1].cell), None) if own else None
    if last is None or not last.cell:
        return text
    if not is_same(last.text, text):
        reason = f"its cell has since run with another text{', and failed' if last.error else ''}"
        raise NotReady(reason, "repair that cell and run it, then this one again")
    if last.error:
        raise NotReady(f"its cell failed: {last.error}", "repair it and run it, then this cell again")
    return text


def _is_newer(text: str, saved: Saved) -> bool:
    """Return True if a cell's text ran since the file was saved, and no cell in the file has it."""
    ran_at = next((run.stamp for run in reversed(runs) if is_same(run.text, text)), None)
    return ran_at in (saved.stamp, None) and not any(is_same(text, kept) for *_, kept in saved.cells)


def is_same(text: str, other: str) -> bool:
    """Return True if two cell texts are equal apart from line endings and trailing whitespace."""
    return text.replace("\r\n", "\n").rstrip() == other.replace("\r\n", "\n").rstrip()


# ---- what a name means in this notebook


def defined_text(name: str, namespace: Mapping[str, object]) -> str:
    """Return the text of the notebook cell that defines the exercise `name`.

    Raises:
        NotReady: the cell has not run, or the name means something else by now.
    """
    qualname = name.rpartition(".")[2]
    if qualname not in namespace:
        _require_not_failed(qualname)
        raise NotDefined(f"`{qualname}` is not defined yet", "run the cell above, then this one")
    code = _code(namespace[qualname])
    if code is None:
        raise NotReady(f"`{qualname}` has to be made by `def` or `class`", "without a decorator of your own")
    if is_part(name, code) or Path(code.co_filename).is_relative_to(Path(engine.__file__).parent):
        _require_not_failed(qualname)
        raise NotDefined(f"`{qualname}` is the engine's own here", "run the cell above again, then this one")
    source = "".join(linecache.getlines(code.co_filename))
    if not source:
        raise NotReady(f"the text of the cell that defines `{qualname}` is gone", "run that cell again, then this one")
    return _as_typed(source)


def _require_not_failed(qualname: str) -> None:
    """Raise NotReady if the last cell that should have defined the name has run, and failed."""
    defines = re.compile(rf"^(def|class)\s+{re.escape(qualname)}\b", re.MULTILINE)
    last = next((run for run in reversed(runs) if defines.search(run.text)), None)
    if last is not None and last.error:
        raise NotReady(f"the cell of `{qualname}` ran and failed: {last.error}", "repair it and run it, then this one")


def _giver_of(error: str, saved: Saved | None) -> str:
    """Give advice where a cell misses a name that an earlier cell of the notebook gives; else ""."""
    missing = UNDEFINED.search(error)
    for _, _, _, text in saved.cells if missing and saved else ():
        try:
            is_given = missing is not None and missing[1] in cell_compiler.bound_names(text)
        except (SyntaxError, ValueError):
            continue  # of a text cell, or one with magic
        if is_given and (first := next((line for line in without_guess(text).splitlines() if line.strip()), "")):
            return f"run the cell that begins with `{first.strip()[:60]}`, then the answer's cell, then this one"
    return ""


def _as_typed(source: str) -> str:
    """Return the cell's text before IPython took indentation, prompts and magic out of it: that text is handed in."""
    shell = get_ipython()
    typed = shell.history_manager.input_hist_raw if shell else ()
    lines = source.splitlines()
    return next((raw for raw in reversed(typed) if _transformed(shell, raw) == lines), source)


def _transformed(shell: Any, raw: str) -> list[str]:
    """Return the lines that IPython runs for `raw`; none if even its tokens are wrong, as in a badly indented cell."""
    try:
        return shell.transform_cell(raw).splitlines()
    except SyntaxError:
        return []


def _code(defined: object) -> CodeType | None:
    """Return the code of a function, or of the first method of a class."""
    if isinstance(defined, type):
        functions = (getattr(member, "__func__", member) for member in vars(defined).values())
        defined = next((function for function in functions if isinstance(function, FunctionType)), None)
    return defined.__code__ if isinstance(defined, FunctionType) else None


def is_part(name: str, code: CodeType) -> bool:
    """Return True if a code object belongs to the part `name`, not to the engine itself."""
    return code.co_filename == f"<{name}>"


# ---- what ran, and what was saved


def watch(shell: Any, file: Callable[[], Path | None]) -> None:
    """Record each cell that runs from now on; `file` returns the path where the notebook is saved."""

    def began(info: Any) -> None:
        runs.append(Run(info.cell_id or "", info.raw_cell or "", stamp(file()), is_over=False))

    def ended(result: Any) -> None:
        if runs and not runs[-1].is_over:
            error = result.error_before_exec or result.error_in_exec
            runs[-1].is_over, runs[-1].error = True, _first_line(error) if error else ""

    shell.events.register("pre_run_cell", began)
    shell.events.register("post_run_cell", ended)


def _first_line(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__} in line {error.lineno}: {error.msg}"
    return f"{type(error).__name__}: {error}".split("\n")[0].strip(": ")


def stamp(path: Path | None) -> Stamp | None:
    """Return a value that changes whenever a file is saved again; None if there is no file."""
    try:
        status = os.stat(path) if path else None
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size) if status else None


def notebook_file(here: Path, namespace: Mapping[str, object]) -> Path | None:
    """Return the path of the open notebook in the folder `here`, as Jupyter or VS Code report it, else `lab.ipynb`."""
    told = (namespace.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME"), here / NOTEBOOK)
    paths = (Path(str(path)) for path in told if path)
    found = (path for path in paths if path.suffix == ".ipynb" and path.is_file())
    return next((path for path in found if path.parent.resolve() == here.resolve()), None)


def read_saved(path: Path | None) -> Saved | None:
    """Return the notebook as saved, or None if it can't be read, for example while it is being written."""
    made = stamp(path)
    if path is None or made is None:
        return None
    try:
        cells = json.loads(path.read_text(encoding="utf-8-sig"))["cells"]
        found = tuple((str(cell.get("id", "")), name_of(cell), _document(cell), _text(cell)) for cell in cells)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return Saved(path, made, found)


def _document(cell: Mapping[str, Any]) -> str:
    return str(cell.get("metadata", {}).get("document", ""))


def _text(cell: Mapping[str, Any]) -> str:
    source: str | Sequence[str] = cell["source"]
    return source if isinstance(source, str) else "".join(source)
