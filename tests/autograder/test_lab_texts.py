"""Every lab's text: each exercise and document has the same shape, and what is given runs on the reference alone."""

import doctest
import re
from importlib import import_module
from itertools import groupby

import matplotlib
import pytest
from tiers import PAGES, fast_only

from autograder import documents
from autograder.author import lab_text
from autograder.author.stated_points import with_points
from autograder.labs import CHECKS
from autograder.overlay import source_of

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
    (lab, exercise, cells) for lab in LABS for exercise, cells in zip(lab.exercises, sections(lab), strict=True)
]
DOCUMENT_PARTS = [
    (lab, document, cells)
    for lab in LABS
    for document, cells in zip(lab.documents, sections(lab, "document"), strict=True)
]
PARTS = EXERCISES + DOCUMENT_PARTS


def prose(cells):
    return "\n".join(cell.source for cell in cells if cell.kind == "markdown")


def without(rule, parts=PARTS):
    """The names of the parts that do not keep to a rule, a function of lab, part and cells."""
    return [f"{lab.id}/{part.name}" for lab, part, cells in parts if not rule(lab, part, cells)]


def test_an_exercise_is_numbered_in_its_heading():
    """Exercises are counted from 1, or from 0 where the lab's first exercise is its section 0."""

    def is_numbered(lab, exercise, cells):
        first = 1 - sections(lab)[0][0].source.startswith(f"## {lab.number}.0 ")
        number = f"{lab.number}.{lab.exercises.index(exercise) + first}"
        return cells[0].source.startswith(f"## {number} ") and f"**Exercise {number}.**" in prose(cells)

    assert without(is_numbered, EXERCISES) == []


def test_the_text_states_the_points_of_the_check():
    woven = {lab.id: with_points(lab) for lab in LABS}

    def states_them(lab, part, cells):
        check = CHECKS.get(part.name) or documents.of_lab(lab.id)[part.name]
        aspects = ", ".join(f"{aspect.name} {aspect.points}" for aspect in check.aspects)
        last = max(cell.line for cell in cells)
        said = prose([cell for cell in woven[lab.id] if cells[0].line <= cell.line <= last])
        extra = "optional, " if getattr(part, "optional", False) else ""
        return re.search(rf"^\*\*Exercise.* \({extra}{check.points} points: {aspects}\)\.\*\*", said, re.M)

    assert without(states_them) == []


def test_the_idea_is_short():
    def is_short(lab, part, cells):
        text = NOT_WORDS.sub("", prose(cells).partition("\n")[2])
        return 30 <= len(re.split(r"^\*\*Exercise", text, maxsplit=1, flags=re.M)[0].split()) <= LONGEST_IDEA

    assert without(is_short) == []


def test_a_prediction_is_answered_by_the_next_cell():
    def is_answered(lab, part, cells):
        asked = [i for i, cell in enumerate(cells) if cell.kind == "markdown" and "**Predict**" in cell.source]
        return asked and all("predict" in cells[i + 1].metadata.get("tags", []) for i in asked)

    assert without(is_answered) == []


def test_three_hints_are_folded_in_order():
    summary = re.compile(r"<details><summary>(Hint.*?)</summary>")
    assert without(lambda lab, part, cells: summary.findall(prose(cells)) == HINTS) == []


def test_it_names_where_it_stands_in_pytorch():
    named = re.compile(r"^\*\*In PyTorch\*\*: .*\.(cpp|cuh?|h|py)`", re.M)
    assert without(lambda lab, part, cells: named.search(prose(cells))) == []


def test_a_document_is_named_with_its_tables():
    def is_named(lab, document, cells):
        expected = documents.of_lab(lab.id)[document.name].expected()
        words = (f"`{document.name}`", "handed in", *(f"`{call}`" for call in expected))
        return all(word in prose(cells) for word in words)

    assert without(is_named, DOCUMENT_PARTS) == []


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
def test_jupyterlab_can_show_all_of_the_text(lab):
    directives = re.compile(r"^\s*(:::|```\{)|\{[\w:]+\}`", re.M)
    assert [cell.line for cell in lab.cells if cell.kind == "markdown" and directives.search(cell.source)] == []


def answer(name, is_optional, namespace):
    """Do what whoever does the core alone does: leave an optional exercise's stub, run the examples of another."""
    module, _, qualname = name.rpartition(".")
    if is_optional:
        namespace[qualname] = not_written
        return
    namespace[qualname] = vars(import_module(f"engine.{module}"))[qualname]
    said = []
    for examples in doctest.DocTestFinder().find(namespace[qualname], qualname, globs=namespace):
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=said.append)
    assert said == [], f"{name}: an example of the docstring fails\n{''.join(said)}"


def not_written(*arguments, **named):
    raise NotImplementedError("optional")


@pytest.mark.parametrize("lab_id", fast_only(PAGES, lab_text.LABS))
def test_what_is_given_runs_without_the_students_work(lab_id, tmp_path, monkeypatch, capsys):
    from autograder.student import notebook

    lab = next(lab for lab in LABS if lab.id == lab_id)
    matplotlib.use("agg")
    monkeypatch.setattr(notebook, "HERE", lab_text.ROOT / "course" / lab.id)
    monkeypatch.chdir(tmp_path)  # a cell may write a file beside the notebook
    namespace = {"__name__": "__main__"}
    names = {exercise.line: exercise.name for exercise in lab.exercises}
    for cell in lab.cells:
        asked = {"solution", "document"} & set(cell.metadata) or cell.source.startswith("check(")
        if lab.is_from_scratch and "solution" in cell.metadata:
            exec(source_of(names[cell.line]), namespace)  # there is no engine below that has it
        elif "solution" in cell.metadata:
            answer(names[cell.line], names[cell.line] in lab.optional, namespace)
        elif cell.kind == "code" and not asked:
            capsys.readouterr()
            exec(compile(cell.source, f"{lab.path}:{cell.line}", "exec"), namespace)
            if "predict" in cell.metadata.get("tags", []):
                assert capsys.readouterr().out, f"{lab.path}:{cell.line} prints no answer"
