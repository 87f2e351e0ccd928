"""The notebooks run in a real kernel: the instructor's passes every check, the student's none."""

import os
import shutil

import nbformat
import pytest
from nbclient import NotebookClient
from tiers import fast_first

from autograder import documents
from autograder.author import lab_text, weave
from autograder.labs import CHECKS

SECONDS = 60


@pytest.fixture(autouse=True)
def kernels_find_the_packages(monkeypatch):
    """Also where the distribution is not installed: a kernel starts in the notebook's folder, not in ours."""
    monkeypatch.setenv("PYTHONPATH", str(lab_text.ROOT), prepend=os.pathsep)


@pytest.fixture(scope="module", params=fast_first(1, lab_text.LABS))
def lab(request, tmp_path_factory):
    """A lab of the course, woven."""
    return woven(tmp_path_factory.mktemp("course"), lab_text.load(request.param))


@pytest.fixture
def work(lab, tmp_path):
    """The folder of a student who begins: no parts are saved beside it."""
    return shutil.copytree(lab, tmp_path / "work" / lab.name)


def woven(root, lab):
    """A folder that holds the recorded cases and both notebooks: lab.ipynb and solution.ipynb."""
    released = weave.weave(lab, CHECKS, root)
    shutil.copyfile(root / "solutions" / lab.id / "lab.ipynb", released / "solution.ipynb")
    return released


def executed(path):
    """The notebook at `path` after all its cells ran in its own folder; a cell may fail only where it is tagged."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(path.parent)}}).execute()
    return notebook


def checks_of(notebook):
    """For each check cell whether it failed."""
    return {
        cell.source: any(output.output_type == "error" for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.startswith("check(")
    }


def test_the_solution_passes_every_check(work):
    documents.write_solved(work.name, work)
    assert not any(checks_of(executed(work / "solution.ipynb")).values())


@pytest.mark.slow
def test_the_stub_passes_no_check(work):
    assert all(checks_of(executed(work / "lab.ipynb")).values())
