"""A lab's executed notebook as a page: solutions, outcomes of predictions and model answers folded.

The student's edition has instead of a solution the stub of the released notebook, and no model answers.
"""

import ast
import copy
import re
import textwrap
from collections.abc import Iterator
from functools import lru_cache

import nbformat

from autograder.author import lab_text, weave
from autograder.author.site import core_path, downloads
from autograder.examine.answer_text import answer_id

FOLDER = "labs"
SHOWN = ("tags", "mystnb")  # the metadata that a page needs
MARKS = re.compile(r"^[ \t]*### (?:BEGIN|END) SOLUTION.*\n?", re.M)
BODY = re.compile(r"### BEGIN SOLUTION .*\n((?:.*\n)*?)[ \t]*### END SOLUTION")
SHORTEST = 60  # characters of a body that another function cannot have by chance
MARKED = re.compile(r"^([ \t]*)### BEGIN SOLUTION.*\n(?:.*\n)*?[ \t]*### END SOLUTION.*$", re.M)
ASKS = re.compile(r"\A(?:\w+ *= *)?predict\(.*\)[ \t]*\n+")  # the line that asks a student before an outcome
HEADING = re.compile(r"^## ", re.M)
TITLE = re.compile(r"\A# ")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
SOLUTION, OUTCOME = "Show the solution", "Predict first, then open"
MODEL = "Model answer and rubric"
YOURS = "*Your answer goes here, in the notebook.*"
CAPTIONS = ("set_title", "suptitle", "set_xlabel", "set_ylabel", "text", "set")  # calls that write on a chart


def page_of(lab: str) -> str:
    """Return the path of a lab's page: "labs/01-strides.ipynb"."""
    return f"{FOLDER}/{lab}.ipynb"


def section_label(lab: str, number: int) -> str:
    """Return the link target of a lab's section, counted from 1; 0 is the title."""
    return f"{lab}-section-{number}"


def page(lab: lab_text.LabText, executed: nbformat.NotebookNode, student: bool) -> nbformat.NotebookNode:
    """Return the notebook that Sphinx reads as a lab's page; `executed` is not modified."""
    made = nbformat.v4.new_notebook(metadata={"kernelspec": executed.metadata.kernelspec})
    answers = {answer_id(exercise.name): exercise for exercise in lab.exercises}
    sections = 0
    before = ""
    for cell in executed.cells:
        marks = cell.metadata.get("nbgrader", {})
        cell = copy.deepcopy(cell)
        cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in SHOWN if key in cell.metadata})
        if cell.cell_type == "code":
            if cell.id in answers:
                made.cells.append(_above(answers[cell.id]))
            made.cells.append(_code(cell, bool(marks.get("solution")), student, before))
            continue
        if marks.get("solution"):
            cell.source = _answer(cell.source, student)
        else:
            cell.source, sections = with_labels(cell.source, lab.id, sections)
            before = cell.source
        made.cells.append(cell)
        if len(made.cells) == 1:  # after the opening
            made.cells.append(downloads.note(lab.id))
    return made


def with_labels(source: str, lab: str, sections: int) -> tuple[str, int]:
    """Return prose with link targets above the title and section headings, and the number of sections so far."""
    pieces = HEADING.split(source)
    text = TITLE.sub(f"({section_label(lab, 0)})=\n# ", pieces[0])
    for piece in pieces[1:]:
        sections += 1
        text += f"({section_label(lab, sections)})=\n## {piece}"
    return text, sections


def _above(exercise: lab_text.Exercise) -> nbformat.NotebookNode:
    """Return a cell with the target of an exercise, and the link to its place in the engine."""
    text = f"(exercise-{exercise.name.lower()})=\n"
    if core_path.has(exercise.name):
        text += f"In the engine: [`{exercise.name}`](#{core_path.label(exercise.name)})"
    else:
        text += f"Exercise `{exercise.name}`"
    return nbformat.v4.new_markdown_cell(text)


def _code(cell: nbformat.NotebookNode, is_solution: bool, student: bool, before: str) -> nbformat.NotebookNode:
    tags = set(cell.metadata.get("tags", [])) - {"raises-exception"}
    if is_solution and student:
        cell.source = MARKED.sub(r"\1# your code\n\1raise NotImplementedError", cell.source)
    elif is_solution:
        cell.source = MARKS.sub("", cell.source)
        _fold(cell, tags, "hide-input", SOLUTION)
    if "predict" in tags:
        cell.source = ASKS.sub("", cell.source)
        _fold(cell, tags, "hide-output", OUTCOME)
    cell.metadata["tags"] = sorted(tags)
    alt = _alt(cell.source, before)
    for output in cell.outputs:
        if output.output_type == "stream":
            output.text = ANSI.sub("", without_answers(output.text) if student else output.text)
        elif "image/png" in output.get("data", {}):
            output.data["text/plain"] = alt
            cell.metadata.setdefault("mystnb", {})["image"] = {"alt": alt}
    return cell


def without_answers(text: str) -> str:
    """Return a cell's printed output without the bodies of exercises, because some labs print the engine's source."""
    for body in _bodies():
        if body in text:
            indent = body[: len(body) - len(body.lstrip())]
            text = text.replace(body, indent + core_path.STUB)
    return text


@lru_cache
def _bodies() -> tuple[str, ...]:
    exercises = (exercise for name in lab_text.LABS for exercise in lab_text.load(name).exercises)
    found = (body.rstrip() for each in exercises for body in BODY.findall(weave.marked_solution(each)))
    return tuple(body for body in found if len(body) >= SHORTEST)


def _fold(cell: nbformat.NotebookNode, tags: set[str], tag: str, prompt: str) -> None:
    if tag == "hide-output" and not cell.outputs:
        return
    tags.add(tag)
    cell.metadata["mystnb"] = {"code_prompt_show": prompt, "code_prompt_hide": prompt}


def _answer(source: str, student: bool) -> str:
    return YOURS if student else f"<details><summary>{MODEL}</summary>\n\n{source}\n\n</details>"


def _alt(source: str, before: str) -> str:
    """Describe a chart by the words that its code writes on it, or else by the paragraph before it."""
    words = list(dict.fromkeys(_captions(source)))
    if words:
        return "Chart: " + ", ".join(words)
    paragraph = re.sub(r"[`*#$<>\"]", "", before.strip().split("\n\n")[-1])
    return "Picture that the code above draws. " + textwrap.shorten(paragraph, 400, placeholder=" ...")


def _captions(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):  # titles of several panels
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CAPTIONS):
            continue
        texts = [*node.args, *(each.value for each in node.keywords if each.arg in ("label", "xlabel", "ylabel"))]
        for each in texts:
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and " " in each.value.strip() + " ":
                yield each.value
