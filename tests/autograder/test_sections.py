"""A second sitting: after a lab's import cell, each section runs alone, with the reference in its solution cells."""

import ast
import contextlib
import io

import matplotlib
import pytest
from IPython.core.interactiveshell import InteractiveShell
from tiers import fast_only

from autograder.author import lab_text
from autograder.overlay import source_of

matplotlib.use("agg")
AFTERWARDS = "Grown up"  # the section of lab 0 in which the engine comes in
IMPORTS = (ast.Import, ast.ImportFrom)


def code_cells(lab):
    """(heading, cell) of every code cell, the heading "" before the first section."""
    heading, found = "", []
    for cell in lab_text.load(lab).cells:
        if cell.kind == "markdown" and "reflect" not in cell.metadata:
            heading = next(reversed(lab_text.HEADING.findall(cell.source)), heading)
        elif cell.kind == "code":
            found.append((heading, cell))
    return found


def source(lab, cell):
    """The cell's text; of a solution cell the reference under the lines that are given."""
    names = {exercise.line: exercise.name for exercise in lab_text.load(lab).exercises}
    return f"{cell.source}\n\n{source_of(names[cell.line])}" if "solution" in cell.metadata else cell.source


def parsed(text):
    return ast.parse(InteractiveShell.instance().transform_cell(text))


def imports_beyond_torch(text):
    """The import statements of a cell, except imports of PyTorch where it may be absent."""
    tree = parsed(text)
    guarded = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.Try) or (isinstance(block, ast.If) and "find_spec('torch')" in ast.unparse(block.test))
        for node in ast.walk(block)
        if is_of_torch(node)
    }
    return [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, IMPORTS) and id(node) not in guarded]


def is_of_torch(node):
    """True for `import torch` and `from torch.x import y`."""
    names = [name.name for name in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", None)]
    return isinstance(node, IMPORTS) and all((name or "").partition(".")[0] == "torch" for name in names)


def sections(lab):
    first = code_cells(lab)[0][1]
    grouped = {}
    for heading, cell in code_cells(lab):
        if cell is not first:
            grouped.setdefault(heading, []).append(cell)
    return grouped


def ran(lab, heading, folder):
    """Run the import cell and the section's cells in one namespace; `check` and `progress` do nothing.

    A lab that students write from empty cells is one program: all sections up to this one run.
    """
    of_sections, last = sections(lab), list(sections(lab)).index(heading)
    first = 0 if lab_text.load(lab).is_from_scratch else last
    cells = [
        code_cells(lab)[0][1],
        *(cell for name in list(of_sections)[first : last + 1] for cell in of_sections[name]),
    ]
    quiet = dict.fromkeys(("check", "replay", "resume", "progress"), lambda *_: None)
    namespace = {"__name__": "__main__"}
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            exec(compile(parsed(source(lab, cell)), f"{lab}, line {cell.line}", "exec"), namespace)
            namespace |= {name: call for name, call in quiet.items() if name in namespace}
    return namespace


SECTIONS = [pytest.param(lab, heading) for lab in lab_text.LABS for heading in sections(lab)]
FEW = [row for row in SECTIONS if row.values[0] in ("01-strides", "02-dispatch")]  # that compile nothing


@pytest.mark.parametrize(("lab", "heading"), fast_only(FEW, SECTIONS))  # all of a lab in one go: test_lab_texts.py
def test_a_section_runs_after_the_import_cell_alone(lab, heading, tmp_path):
    ran(lab, heading, tmp_path)


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_only_the_first_cell_imports(lab):
    found = {
        f"line {cell.line}": imports_beyond_torch(cell.source)
        for heading, cell in code_cells(lab)[1:]
        if "solution" not in cell.metadata and imports_beyond_torch(cell.source) and heading != AFTERWARDS
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", []),
        ("if find_spec('torch'):\n    import torch\n    from torch.utils import data", []),
        ("if find_spec('torch'):\n    import torch\n    import math", ["import math"]),
        ("if x:\n    import torch", ["import torch"]),
        ("from torch.utils import data", ["from torch.utils import data"]),
        ("%timeit 1\nfrom math import prod", ["from math import prod"]),
    ],
)
def test_a_guarded_import_of_torch_is_the_only_one_allowed(text, found):
    assert imports_beyond_torch(text) == found
