"""Which text of a notebook is an exercise's answer: one rule, for the grader and for `check` in the notebook.

Cells are known by name: nbgrader's id of the cell ("strides-permute-answer"), else the notebook's own. Where no cell
has the name, because a program has dropped it, those count that define the exercise's function.

Several cells of one name are the parts of a cell that was split, or copies of it; they are read as one text, in order.
What a later one defines again replaces the earlier one, stubs don't count, and neither do trial calls.
"""

import ast
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

IN_DOCUMENT = "Leave this cell as it is: your text in {document} is read instead."  # a reflection's stub

UNANSWERED = "YOUR ANSWER HERE"  # begins a written answer that is open
LONGEST = 100_000  # characters that are parsed
DEFINES = re.compile(r"^(?:def|class)[ \t]+(\w+)", re.M)  # also in a part that does not parse by itself


def grade_id(exercise: str) -> str:
    """Return the id of the check cell of an exercise or a document; it has no dots, which nbgrader forbids.

    >>> grade_id("strides.view_strides")
    'strides-view_strides'
    """
    return exercise.replace(".", "-")


def answer_id(exercise: str) -> str:
    """Return the id of the cell that holds the answer to an exercise.

    >>> answer_id("strides.view_strides")
    'strides-view_strides-answer'
    """
    return f"{grade_id(exercise)}-answer"


def name_of(cell: Mapping[str, Any]) -> str:
    """Return the name of a notebook cell: nbgrader's id, else the cell's own id; "" if it is not text.

    >>> name_of({"id": "1a", "metadata": {"nbgrader": {"grade_id": "strides-permute"}}}), name_of({"id": "1a"})
    ('strides-permute', '1a')
    """
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    candidates = (marks.get("grade_id") if isinstance(marks, dict) else None, cell.get("id"))
    return next((name for name in candidates if type(name) is str and name), "")


def cells_of_answers(cells: Sequence[tuple[str, str]], answers: Iterable[str]) -> dict[str, list[int]]:
    """Return the positions of each answer's cells in `cells`, of (name, text), found by name or by what they define.

    >>> cells = [("strides-permute-answer", "..."), ("1a", "def expand(): ..."), ("2b", "expand()")]
    >>> cells_of_answers(cells, ["strides-permute-answer", "strides-expand-answer", "strides-view-answer"])
    {'strides-permute-answer': [0], 'strides-expand-answer': [1], 'strides-view-answer': []}
    """
    by_name: dict[str, list[int]] = {}
    by_definition: dict[str, list[int]] = {}
    for place, (name, text) in enumerate(cells):
        by_name.setdefault(name, []).append(place)
        for defined in dict.fromkeys(DEFINES.findall(text)):
            by_definition.setdefault(defined, []).append(place)
    return {name: by_name.get(name) or by_definition.get(defined_by(name), []) for name in answers}


def defined_by(answer: str) -> str:
    """Return the name of the function or class that an answer cell defines.

    >>> defined_by("strides-view_strides-answer")
    'view_strides'
    """
    return answer.removesuffix("-answer").rpartition("-")[2]


def parts_of(texts: Sequence[str], is_unwritten: Callable[[str], bool]) -> list[int]:
    """Return the positions of the cells that make up the answer, or [] if it is not written.

    >>> parts_of(["def f():", "    return 1", "f()"], lambda text: False)
    [0, 1]
    >>> parts_of(["def f(): return 1", "def g(): return 1", "def f(): return g()"], lambda text: False)
    [1, 2]
    """
    kept: list[int] = []
    later: set[str] = set()
    for names, places in reversed(_groups(texts)):
        replaced = names & later
        needed = _uses(joined(texts[place] for place in kept), names - replaced)
        if not is_unwritten(joined(texts[place] for place in places)) and (needed or not replaced):
            kept, later = places + kept, later | names
    return kept


def joined(parts: Iterable[str]) -> str:
    """Return the parts of a split cell as one text, joined with or without line breaks, whichever parses.

    >>> joined(["def f(x):", "    return x"]), joined(["x = 1", " + 2"])
    ('def f(x):\\n    return x', 'x = 1 + 2')
    """
    texts = list(parts)
    whole, within = "\n".join(texts), "".join(texts)
    return within if len(texts) > 1 and _parsed(whole) is None and _parsed(within) is not None else whole


def _groups(texts: Sequence[str]) -> list[tuple[set[str], list[int]]]:
    """Return each cell that defines something, with the parts after it, as (names, positions); without trial calls."""
    groups: list[tuple[set[str], list[int]]] = []
    written = sum(not is_blank(text) for text in texts)
    for place, text in enumerate(texts):
        if is_blank(text) and written:
            continue
        names = _bound(text)
        others = "\n".join(other for at, other in enumerate(texts) if at != place)
        before = joined(texts[at] for at in groups[-1][1]) if groups else ""
        if written > 1 and _parsed(before) is not None and _is_trial(text) and not _uses(others, names):
            continue
        if names or not groups:
            groups.append((names, [place]))
        else:
            groups[-1][1].append(place)
    return groups or [(set(), [place]) for place in range(len(texts))]


def _bound(text: str) -> set[str]:
    """Return the names that a text binds at its top level; by `def` and `class` alone where it does not parse."""
    tree = _parsed(text)
    if tree is None:
        return set(DEFINES.findall(text))
    bound = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return bound


def _is_trial(text: str) -> bool:
    """Return True if a text only calls, prints, measures: magic lines and statements that define nothing for others."""
    lines = [line for line in text.splitlines() if not (line.lstrip()[:1] in "%!?" or line.rstrip().endswith("?"))]
    tree = _parsed("\n".join(lines))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global)
    return tree is not None and not any(
        isinstance(node, kinds)
        or isinstance(node, (ast.Attribute, ast.Subscript))
        and not isinstance(node.ctx, ast.Load)
        for node in ast.walk(tree)
    )


def _uses(text: str, names: Iterable[str]) -> bool:
    wanted = set(names)
    return bool(wanted) and not wanted.isdisjoint(re.findall(r"\w+", text))


def is_unwritten(source: str, functions: Collection[str]) -> bool:
    """Return True if all of these functions ("f", "Class.method") in `source` only raise NotImplementedError.

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
    """Return the functions and methods that a stub leaves for the student to write: "f", "Class.method"."""
    return frozenset(name for name, body in functions_of(stub).items() if _is_open(body))


def functions_of(source: str) -> dict[str, list[ast.stmt]]:
    """Return the bodies of functions and methods by name, without docstrings; {} if the source does not parse."""
    statements = _statements(source)
    bodies = {}
    classes = [node for node in statements if isinstance(node, ast.ClassDef)]
    for prefix, body in [("", statements), *((f"{node.name}.", node.body) for node in classes)]:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                bodies[prefix + node.name] = node.body[ast.get_docstring(node, clean=False) is not None :]
    return bodies


def is_blank(source: str) -> bool:
    """Return True if a text has only comments and empty lines."""
    return all(line.lstrip().startswith("#") for line in source.splitlines() if line.strip())


def _statements(source: str) -> list[ast.stmt]:
    """Return the statements of a text; [] where it can't be parsed."""
    tree = _parsed(source)
    return tree.body if tree else []


@lru_cache(maxsize=8)
def _parsed(source: str) -> ast.Module | None:
    """Return the tree of a text, not to be changed; None where it can't be parsed."""
    if len(source) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_open(body: list[ast.stmt]) -> bool:
    if len(body) != 1 or not isinstance(body[0], ast.Raise):
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
