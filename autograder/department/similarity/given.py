"""Text that everybody may have: the release, the reference, and the answers that the authors know.

Nothing is asked about it. The released notebook is given to everybody; the reference's shape is the natural one of a
short exercise (`report.html` says whose answer equals it); and the answers in `right.py` and `wrong.py` were written
down because students find them by themselves.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.author import lab_text
from autograder.author.course_config import STEPS
from autograder.department.similarity.fragments import Fragment, fragments_of
from autograder.examine.answer_text import answer_id
from autograder.examine.handin import FILE, Refused, cells_of
from autograder.examine.lab_file import Exercise, Lab
from autograder.grading.rebuild import released
from autograder.made_up.answers import RIGHT_ANSWERS, WRONG_ANSWERS
from autograder.overlay import source_of

CELLS = {"code": "code", "prose": "markdown"}  # kind of a text: kind of the cells that give some of it


class Part(NamedTuple):
    """An exercise or a written answer of a lab, as a unit of comparison.

    Args:
        name: of its cell.
        kind: "code" or "prose".
        given: fragments that nobody has written.
        natural: fragments of answers that the authors know.
        known: by what they are, texts that an answer may equal: "the reference", "the model answer".
    """

    name: str
    title: str
    kind: str
    given: frozenset[Fragment]
    natural: frozenset[Fragment]
    known: Mapping[str, tuple[str, ...]]


def parts_of(lab: Lab, root: Path, courses: Iterable[Path]) -> list[Part]:
    """Return all parts of a lab that can be compared, in the lab's order.

    Args:
        courses: course folders of earlier years, whose release may have given other text.
    """
    cells = [(cell.cell_type, cell.source) for cell in released(root / STEPS["release_directory"], lab.id).cells]
    cells += [cell for course in courses for cell in _earlier_release(course / STEPS["release_directory"] / lab.id)]
    texts = [(root / STEPS["release_directory"] / lab.id / document.name) for document in lab.documents]
    cells += [("markdown", path.read_text(encoding="utf-8")) for path in texts if path.is_file()]
    starter = {
        kind: frozenset().union(*(fragments_of(text, kind) for of, text in cells if of == cell))
        for kind, cell in CELLS.items()
    }
    models = _model_answers(lab.id, root)
    code = [_exercise(each, starter["code"]) for each in lab.exercises]
    return code + [
        Part(f"reflect-{each.name}", f"Written answer: {each.name}", "prose", starter["prose"], frozenset(), known)
        for each in lab.reflections
        for known in [{"the model answer": models[each.name]} if each.name in models else {}]
    ]


def _exercise(exercise: Exercise, starter: frozenset[Fragment]) -> Part:
    known = {
        "the reference": (source_of(exercise.name),),
        "a right answer that the authors know": RIGHT_ANSWERS.get(exercise.name, ()),
        "a wrong answer that the authors know": tuple(
            wrong.source for wrong in WRONG_ANSWERS if wrong.exercise == exercise.name
        ),
    }
    reference, *others = ([fragments_of(text, "code") for text in texts] for texts in known.values())
    given = starter.union(*reference)
    natural = frozenset().union(*(found for each in others for found in each))
    title = exercise.title or exercise.name
    return Part(answer_id(exercise.name), title, "code", given, natural, known)


def _model_answers(lab: str, root: Path) -> dict[str, tuple[str, ...]]:
    """Return the model answers with their rubrics by name of the written answer; {} without the labs' texts."""
    if lab not in lab_text.lab_ids(root):
        return {}
    cells = [cell for cell in lab_text.load(lab, root).cells if "reflect" in cell.metadata]
    return {str(cell.metadata["reflect"]): (cell.source,) for cell in cells}


def _earlier_release(folder: Path) -> list[tuple[str, str]]:
    """Return kind and text of the cells that an earlier year's notebook gave; [] if it can't be read."""
    try:
        notebook = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return [(cell.kind, cell.source) for cell in cells_of(notebook)]
    except (OSError, ValueError, Refused):
        return []
