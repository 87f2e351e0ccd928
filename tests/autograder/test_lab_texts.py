"""Every lab's text: each exercise and document has the same shape, and what is given runs on the reference alone."""

import re
from itertools import groupby

import matplotlib
import pytest

from autograder import documents
from autograder.author import lab_text
from autograder.author.stated_points import with_points
from autograder.labs import CHECKS
from engine.overlay import source_of

LONGEST_IDEA = 150
HINTS = ["Hint 1: direction", "Hint 2: method", "Hint 3: almost code"]
LABS = [lab_text.load(lab) for lab in lab_text.LABS]
NOT_WORDS = re.compile(r"\$\$.*?\$\$|^\*\*Predict\*\*.*", re.S | re.M)


def sections(lab, directive="solution"):
    """The cells of each exercise, from its heading to the next; or of each document."""
    number = 0
    numbered = []
    for cell in lab.cells:
        number += cell.kind == "markdown" and cell.source.startswith("## ")
        numbered.append((number, cell))
    grouped = ([cell for _, cell in cells] for _, cells in groupby(numbered, key=lambda pair: pair[0]))
    return [cells for cells in grouped if any(cell.kind == "code" and directive in cell.metadata for cell in cells)]


EXERCISES = [
    pytest.param(lab, exercise, cells, id=exercise.name)
    for lab in LABS
    for exercise, cells in zip(lab.exercises, sections(lab), strict=True)
]
DOCUMENT_PARTS = [
    pytest.param(lab, document, cells, id=f"{lab.id}/{document.name}")
    for lab in LABS
    for document, cells in zip(lab.documents, sections(lab, "document"), strict=True)
]
each_exercise = pytest.mark.parametrize(("lab", "exercise", "cells"), EXERCISES)
each_part = pytest.mark.parametrize(("lab", "part", "cells"), EXERCISES + DOCUMENT_PARTS)


def prose(cells):
    return "\n".join(cell.source for cell in cells if cell.kind == "markdown")


@each_exercise
def test_an_exercise_is_numbered_in_its_heading(lab, exercise, cells):
    """Exercises are counted from 1, or from 0 where the lab's first exercise is its section 0."""
    first = 1 - sections(lab)[0][0].source.startswith(f"## {lab.number}.0 ")
    number = f"{lab.number}.{lab.exercises.index(exercise) + first}"
    assert cells[0].source.startswith(f"## {number} ") and f"**Exercise {number}.**" in prose(cells)


@each_part
def test_the_text_states_the_points_of_the_check(lab, part, cells):
    check = CHECKS.get(part.name) or documents.of_lab(lab.id)[part.name]
    aspects = ", ".join(f"{aspect.name} {aspect.points}" for aspect in check.aspects)
    last = max(cell.line for cell in cells)
    woven = [cell for cell in with_points(lab) if cells[0].line <= cell.line <= last]
    extra = "optional, " if getattr(part, "optional", False) else ""
    assert re.search(rf"^\*\*Exercise.* \({extra}{check.points} points: {aspects}\)\.\*\*", prose(woven), re.M)


@each_part
def test_the_idea_is_short(lab, part, cells):
    idea = re.split(r"^\*\*Exercise", NOT_WORDS.sub("", prose(cells).partition("\n")[2]), maxsplit=1, flags=re.M)[0]
    assert 30 <= len(idea.split()) <= LONGEST_IDEA


@each_part
def test_a_prediction_is_answered_by_the_next_cell(lab, part, cells):
    asked = [i for i, cell in enumerate(cells) if cell.kind == "markdown" and "**Predict**" in cell.source]
    assert asked and all("predict" in cells[i + 1].metadata.get("tags", []) for i in asked)


@each_part
def test_three_hints_are_folded_in_order(lab, part, cells):
    assert re.findall(r"<details><summary>(Hint.*?)</summary>", prose(cells)) == HINTS


@each_part
def test_it_names_where_it_stands_in_pytorch(lab, part, cells):
    assert re.search(r"^\*\*In PyTorch\*\*: .*\.(cpp|cuh?|h|py)`", prose(cells), re.M)


@pytest.mark.parametrize(("lab", "document", "cells"), DOCUMENT_PARTS)
def test_a_document_is_named_with_its_tables(lab, document, cells):
    said = prose(cells)
    assert f"`{document.name}`" in said and "handed in" in said
    assert [call for call in documents.of_lab(lab.id)[document.name].expected() if f"`{call}`" not in said] == []


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
def test_jupyterlab_can_show_all_of_the_text(lab):
    directives = re.compile(r"^\s*(:::|```\{)|\{[\w:]+\}`", re.M)
    assert [cell.line for cell in lab.cells if cell.kind == "markdown" and directives.search(cell.source)] == []


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
def test_what_is_given_runs_without_the_students_work(lab, tmp_path, monkeypatch, capsys):
    from autograder.student import notebook

    matplotlib.use("agg")
    monkeypatch.setattr(notebook, "HERE", lab_text.ROOT / "course" / lab.id)
    monkeypatch.chdir(tmp_path)  # a cell may write a file beside the notebook
    namespace = {"__name__": "__main__"}
    names = {exercise.line: exercise.name for exercise in lab.exercises}
    for cell in lab.cells:
        asked = {"solution", "document"} & set(cell.metadata) or cell.source.startswith("check(")
        if lab.is_from_scratch and "solution" in cell.metadata:
            exec(source_of(names[cell.line]), namespace)  # there is no engine below that has it
        elif cell.kind == "code" and not asked:
            capsys.readouterr()
            exec(compile(cell.source, f"{lab.path}:{cell.line}", "exec"), namespace)
            if "predict" in cell.metadata.get("tags", []):
                assert capsys.readouterr().out, f"{lab.path}:{cell.line} prints no answer"
