"""Which text of a notebook is an exercise's answer: one rule, for the grader and for `check` in the notebook.

Cells are known by name: nbgrader's id of the cell ("strides-permute-answer"), else the notebook's own. Where several
go by one name, the last that says more than the released stub is the answer.
"""

import ast
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

IN_DOCUMENT = "Leave this cell as it is: your text in {document} is read instead."  # a reflection's stub

UNANSWERED = "YOUR ANSWER HERE"  # begins a written answer that is open


def grade_id(exercise: str) -> str:
    """The id of the check cell of an exercise or a document: nbgrader allows no dots.

    >>> grade_id("strides.view_strides")
    'strides-view_strides'
    """
    return exercise.replace(".", "-")


def answer_id(exercise: str) -> str:
    """The id of the cell that is handed in as the answer to an exercise.

    >>> answer_id("strides.view_strides")
    'strides-view_strides-answer'
    """
    return f"{grade_id(exercise)}-answer"


def name_of(cell: Mapping[str, Any]) -> str:
    """The name of a notebook's cell: nbgrader's id, else the cell's own; anything but text counts as none.

    >>> name_of({"id": "1a", "metadata": {"nbgrader": {"grade_id": "strides-permute"}}}), name_of({"id": "1a"})
    ('strides-permute', '1a')
    """
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    candidates = (marks.get("grade_id") if isinstance(marks, dict) else None, cell.get("id"))
    return next((name for name in candidates if type(name) is str and name), "")


def chosen(texts: Sequence[str], is_unwritten: Callable[[str], bool]) -> int | None:
    """The position of the answer among the texts of all cells of one name; None if none of them is written.

    >>> chosen(["an answer", "another", "a stub"], lambda text: text == "a stub")
    1
    """
    return next((place for place in reversed(range(len(texts))) if not is_unwritten(texts[place])), None)


def is_unwritten(source: str, functions: Collection[str]) -> bool:
    """True if all that `source` has of these functions ("f", "Class.method") is open: only raises NotImplementedError.

    Docstrings and comments make no difference, so the stub of another release is unwritten too, and so is a cell that
    has nothing else.

    >>> is_unwritten("def f(x):\\n    'Is f.'\\n    raise NotImplementedError('f')", {"f"})
    True
    >>> is_unwritten("# YOUR CODE HERE: f", {"f"}), is_unwritten("def g(x): ...", {"f"})
    (True, False)
    """
    found = functions_of(source)
    bodies = [body for name, body in found.items() if name in functions]
    return all(map(_is_open, bodies)) if bodies else is_blank(source)


def open_functions(stub: str) -> frozenset[str]:
    """The functions and methods that a stub leaves to be written: "f", "Class.method"."""
    return frozenset(name for name, body in functions_of(stub).items() if _is_open(body))


def functions_of(source: str) -> dict[str, list[ast.stmt]]:
    """By name, the bodies without docstrings of functions and methods at top level; {} where nothing can be parsed."""
    statements = _statements(source)
    bodies = {}
    classes = [node for node in statements if isinstance(node, ast.ClassDef)]
    for prefix, body in [("", statements), *((f"{node.name}.", node.body) for node in classes)]:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                bodies[prefix + node.name] = node.body[ast.get_docstring(node, clean=False) is not None :]
    return bodies


def is_blank(source: str) -> bool:
    """True if a text has nothing but comments and empty lines."""
    return all(line.lstrip().startswith("#") for line in source.splitlines() if line.strip())


def _statements(source: str) -> list[ast.stmt]:
    """The statements of a text; [] where it can't be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _is_open(body: list[ast.stmt]) -> bool:
    if len(body) != 1 or not isinstance(body[0], ast.Raise):
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
