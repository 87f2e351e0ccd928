"""The core path as annotated listings: a page for each file, each function's docstring above its code.

A student's edition shows of each exercise the signature and the docstring, as the notebook does.
"""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from autograder.author import lab_text
from autograder.author.site.docstrings import fenced, inline, markdown
from autograder.examine.lab_file import Exercise
from engine.layers import CORE_PATH

FOLDER = "core"
STUB = "...  # an exercise: yours to write"
ENGINE = lab_text.ROOT / "engine"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Piece(NamedTuple):
    """A part of a file: `name` is "TensorAccessor.offset_of", or "" for the text between definitions."""

    name: str
    docstring: str
    code: str


def exercises() -> dict[str, tuple[str, Exercise]]:
    """Return the exercises of all labs by name, each with its lab."""
    return {each.name: (lab, each) for lab in lab_text.LABS for each in lab_text.load(lab).exercises}


def pages(student: bool, path: Mapping[str, tuple[str, ...]] = CORE_PATH) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page."""
    known = exercises()
    yield f"{FOLDER}/index.md", _contents(path)
    for number, modules in path.items():
        for module in modules:
            yield page_of(module), _page(number, module, known, student)


def page_of(module: str) -> str:
    """Return the path of the page about a module: "core/dispatch.keys.md"."""
    return f"{FOLDER}/{module}.md"


def label(name: str) -> str:
    """Return the link target of a definition: "core-strides.permute"."""
    return f"core-{name.lower()}"


def has(name: str) -> bool:
    """Return True if the module of an exercise, "strides.permute", is on the core path."""
    return any(name.startswith(f"{module}.") for modules in CORE_PATH.values() for module in modules)


def text_of(module: str) -> str:
    """Return the source code of a module in the engine."""
    return ENGINE.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")


def _contents(path: Mapping[str, tuple[str, ...]]) -> str:
    lines = ["# The core path", "", INTRODUCTION, ""]
    for number, modules in path.items():
        try:
            title = lab_text.load(lab_text.find(number)).title
        except lab_text.LabError:
            title = f"Lab {number}"
        lines += [f"## {title}", "", "| file | lines | contents |", "|---|--:|---|"]
        for module in modules:
            text = text_of(module)
            about = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
            file = f"engine/{module.replace('.', '/')}.py"
            lines.append(f"| [{file}]({module}.md) | {len(text.splitlines()):,} | {inline(about)} |")
        lines += ["", "```{toctree}", ":hidden:", "", *modules, "```", ""]
    return "\n".join(lines)


INTRODUCTION = """\
The files to open for each lab, in the order in which they are understood. They hold most exercises, and the whole path
of `x + y`, of `backward()`, of a kernel on the CPU, of a launch on CUDA, and of a profile. What the rest of the engine
adds is breadth: more operators, more dtypes, more layers."""


def _page(number: str, module: str, known: Mapping[str, tuple[str, Exercise]], student: bool) -> str:
    text = text_of(module)
    here = {name.removeprefix(f"{module}."): found for name, found in known.items() if name.startswith(f"{module}.")}
    if student:
        text = blanked(text, {name: exercise for name, (_, exercise) in here.items()})
    tree = ast.parse(text)
    lines = [f"({label(module)})=", f"# engine/{module.replace('.', '/')}.py", ""]
    lines += [markdown(ast.get_docstring(tree) or ""), "", f"On [the core path](index.md) of lab {number}.", ""]
    used: set[str] = set()
    for piece in pieces(text):
        if piece.name:
            target = label(f"{module}.{piece.name}")
            lines += [] if target in used else [f"({target})="]
            used.add(target)
            lines += ["#" * (2 + piece.name.count(".")) + f" `{piece.name}`", ""]
        if piece.name in here:
            _, exercise = here[piece.name]
            lines += [f"*[Exercise: {inline(exercise.title)}](#exercise-{exercise.name.lower()})*", ""]
        if piece.docstring:
            lines += [markdown(piece.docstring), ""]
        lines += [fenced(piece.code, "python"), ""] if piece.code else []
    return "\n".join(lines)


def pieces(text: str) -> Iterator[Piece]:
    """Yield the parts of a file in order: each documented definition with its code, and the text in between."""
    lines = text.splitlines()
    tree = ast.parse(text)
    at = tree.body[0].end_lineno or 0 if ast.get_docstring(tree) else 0
    for node in tree.body:
        if not isinstance(node, Definition):
            continue
        begin = _begin(node, lines, at)
        yield from _between(lines, at, begin)
        yield from _definition(node, lines, begin)
        at = node.end_lineno or 0
    yield from _between(lines, at, len(lines))


def _between(lines: list[str], begin: int, end: int) -> Iterator[Piece]:
    if code := _joined(lines[begin:end]):
        yield Piece("", "", code)


def _begin(node: Definition, lines: list[str], earliest: int) -> int:
    """Return the line, from 0, where a definition begins, with its decorators and the comment above it."""
    begin = min(node.lineno, *(each.lineno for each in node.decorator_list), node.lineno) - 1
    while begin > earliest and lines[begin - 1].lstrip().startswith("#"):
        begin -= 1
    return begin


def _definition(node: Definition, lines: list[str], begin: int, owner: str = "") -> Iterator[Piece]:
    """Yield a function as one piece; a class up to its first documented method, then each of these."""
    name = f"{owner}{node.name}"
    end = node.end_lineno or 0
    inner = [each for each in node.body if isinstance(each, Definition) and ast.get_docstring(each)]
    if not isinstance(node, ast.ClassDef) or not inner or owner:
        yield Piece(name, ast.get_docstring(node) or "", _joined(_without_docstring(node, lines, begin, end)))
        return
    begins = [_begin(each, lines, begin) for each in inner]
    yield Piece(name, ast.get_docstring(node) or "", _joined(_without_docstring(node, lines, begin, begins[0])))
    for at, each in enumerate(inner):
        until = begins[at + 1] if at + 1 < len(inner) else end
        code = _without_docstring(each, lines, begins[at], until)
        yield Piece(f"{name}.{each.name}", ast.get_docstring(each) or "", _joined(code))


def _without_docstring(node: Definition, lines: list[str], begin: int, end: int) -> list[str]:
    if ast.get_docstring(node) is None or len(node.body) == 1 or node.body[0].lineno > end:
        return lines[begin:end]
    first = node.body[0]
    rest = lines[first.end_lineno or 0 : end]
    return lines[begin : first.lineno - 1] + rest[not rest[0].strip() :]


def _joined(lines: list[str]) -> str:
    """Return lines as text, without empty ones around them, indented as little as possible."""
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    return re.sub(r"\n{3,}", "\n\n", text)


def blanked(text: str, here: Mapping[str, Exercise]) -> str:
    """Return a module's source with the bodies of its exercises left out, as in the students' notebooks."""
    lines = text.splitlines()
    tree = ast.parse(text)
    found = {node.name: node for node in tree.body if isinstance(node, Definition)}
    functions = [each for name, exercise in here.items() if name in found for each in asked(found[name], exercise)]
    for function in sorted(functions, key=lambda each: -each.lineno):
        documented = ast.get_docstring(function) is not None
        body = function.body[documented:]
        if not body:
            continue
        begin = (function.body[0].end_lineno or 0) if documented else body[0].lineno - 1
        indent = " " * function.body[0].col_offset
        lines[begin : function.end_lineno] = [f"{indent}{STUB}"]
    return "\n".join(lines) + "\n"


def asked(node: Definition, exercise: Exercise) -> list[ast.FunctionDef]:
    """Return the functions that the student has to write."""
    if isinstance(node, ast.FunctionDef):
        return [node]
    return [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name in exercise.methods]
