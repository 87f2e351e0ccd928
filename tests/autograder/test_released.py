"""The notebooks run in a real kernel: the instructor's passes every check, the student's none.

The instructor's are kept with their outputs in build/executed/, where the reading site finds them.
"""

import shutil

import pytest

from autograder.author import lab_text, weave
from autograder.author.site import executed
from autograder.labs import CHECKS


def checks_of(notebook):
    """The sources of the check cells."""
    return [cell.source for cell in notebook.cells if cell.source.startswith("check(")]


@pytest.mark.handed_out
@pytest.mark.slow
@pytest.mark.parametrize("lab", lab_text.LABS)
def test_the_solution_passes_every_check(lab):
    notebook = executed.lab(lab)
    assert checks_of(notebook) and executed.failed_checks(notebook) == []


@pytest.mark.handed_out
@pytest.mark.slow
@pytest.mark.parametrize("lab", lab_text.LABS)
def test_the_stub_passes_no_check(lab, tmp_path):
    folder = shutil.copytree(weave.weave(lab_text.load(lab), CHECKS, tmp_path), tmp_path / "work" / lab)
    notebook = executed.run(folder / "lab.ipynb")
    assert checks_of(notebook) == executed.failed_checks(notebook) != []
