"""The state of the student's work: this lab with its points, and the map of the engine."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import engine
from autograder import documents, overlay
from autograder.examine import lab_file, verdict
from autograder.examine.answer_text import UNANSWERED, is_unwritten
from autograder.examine.lab_file import Lab
from autograder.labs import CHECKS
from autograder.student.cell_text import NotDefined, NotReady, Saved, answer_of, is_same
from autograder.student.draw_engine_map import draw_map
from autograder.student.draw_points import CHANGED, OPEN, RIGHT, UNCHECKED, WRONG, draw_points
from autograder.student.recorded_check import recorded_methods
from engine import draw
from engine.layers import LAYERS, TOOLS


class Checked(NamedTuple):
    """The last verdict on an exercise or a document in this notebook: the text that was judged, and the points."""

    text: str
    points: int
    is_right: bool


def lab_points(
    here: Path, my_engine: Path, namespace: Mapping[str, object], saved: Saved | None, checked: Mapping[str, Checked]
) -> draw.Picture:
    """Return the picture of the lab in the folder `here`, with the state and the points of each exercise.

    Raises:
        FileNotFoundError, ValueError: `lab.json`, which says what the lab asks, is missing or damaged.
    """
    lab = lab_file.load(here)
    rows = []
    for exercise in lab.exercises:
        state, points = _state(exercise.name, here, my_engine, namespace, saved, checked.get(exercise.name))
        rows.append((exercise.name, state, points, exercise.points))
    for document in lab.documents:
        known = documents.of_lab(lab.id).get(document.name)
        state, points = _state_of_document(here / document.name, known, checked.get(document.name))
        rows.append((document.name, state, points, document.points))
    return draw_points(lab.id, rows, _written(lab, here, saved), lab.optional)


def _state(
    name: str,
    here: Path,
    my_engine: Path,
    namespace: Mapping[str, object],
    saved: Saved | None,
    last: Checked | None,
) -> tuple[str, int]:
    functions = recorded_methods(name, here) or {name.rpartition(".")[2]}
    passed = part_file(my_engine, name)
    try:
        text = answer_of(name, namespace, saved, functions).text
    except NotDefined:
        return OPEN, 0
    except NotReady:
        return (CHANGED if last or passed.is_file() else UNCHECKED), 0
    if is_unwritten(text, functions):
        return OPEN, 0
    if last and is_same(last.text, text):
        return (RIGHT if last.is_right else WRONG), last.points
    if passed.is_file() and is_same(passed.read_text(encoding="utf-8"), text):
        return RIGHT, CHECKS[name].points
    return (CHANGED if last or passed.is_file() else UNCHECKED), 0


def _state_of_document(path: Path, document: documents.Document | None, last: Checked | None) -> tuple[str, int]:
    """Return the state of the file; without a check in this session it is judged now, because no verdict is saved."""
    text = _text_of(path)
    if text is None:
        return OPEN, 0
    if last is None:
        if document is None:
            return UNCHECKED, 0
        with overlay.swapped({}):
            result = documents.judge(document, text)
        if result.message == documents.EMPTY:
            return OPEN, 0
        return (RIGHT if result.verdict == verdict.RIGHT else WRONG), result.points
    if not is_same(last.text, text):
        return CHANGED, 0
    return (RIGHT if last.is_right else WRONG), last.points


def _text_of(path: Path) -> str | None:
    """Return the text of a file, None where it can't be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None


def _written(lab: Lab, here: Path, saved: Saved | None) -> str:
    """Return a line on the written answers, by what was saved; "" where that can't be known.

    The words that a document asks for are a written answer too. They are in the document, not in their cell.
    """
    cells = saved.cells if saved else ()
    known = documents.of_lab(lab.id)
    answers = [
        not text.startswith(UNANSWERED)
        if name not in known
        else documents.has_prose(known[name], _text_of(here / name) or "")
        for _, reflection, name, text in cells
        if reflection.startswith("reflect-")
    ]
    return f"{sum(answers)} of {len(answers)} written answers; a person grades these" if answers else ""


def part_file(my_engine: Path, name: str) -> Path:
    """Return the path where a passing answer is saved: `strides/view_strides.py` below `my_engine`."""
    module, _, qualname = name.rpartition(".")
    return my_engine.joinpath(*module.split("."), f"{qualname}.py")


def engine_map(checked: Mapping[str, Checked]) -> draw.Picture:
    """Return the picture of the engine's files, in which each exercise is filled if the student's code runs."""
    rows: dict[tuple[str, str], list[tuple[str, str]]] = {}
    layered = {module for layer in LAYERS for module in layer.modules}
    of_module = {name: _layered_module(name, layered) for name in CHECKS}
    labs = {layer.lab for layer in LAYERS if set(layer.modules) & set(of_module.values())}
    for layer in LAYERS:
        for module in layer.modules if layer.lab in labs else ():
            folder, dot, _ = module.partition(".")
            is_package = dot or (Path(engine.__file__).parent / folder).is_dir()
            chips = rows.setdefault((folder + ("/" if is_package else ".py"), layer.lab), [])
            its = [name for name, of in of_module.items() if of == module]
            chips += [(name.rpartition(".")[2], _whose(name, checked.get(name))) for name in its]
    return draw_map([(file, "" if lab == TOOLS else lab, chips) for (file, lab), chips in rows.items()])


def _layered_module(name: str, modules: Collection[str]) -> str:
    """Return the one of `modules` that contains `name`, or a package among them above it; "" without one."""
    module = name.rpartition(".")[0]
    while module and module not in modules:
        module = module.rpartition(".")[0]
    return module


def _whose(name: str, last: Checked | None) -> str:
    return "yours" if name in overlay.active() else "failing" if last and not last.is_right else "reference"
