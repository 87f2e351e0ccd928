"""pyproject.toml names what is imported, each extra for its readers; environment.yml and constraints.txt agree."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat
import pytest
import yaml

from autograder.author import bundle
from autograder.examine.needed_files import own_files

ROOT = Path(__file__).resolve().parents[1]
CONDA_NAMES = {"matplotlib-base": "matplotlib", "msgpack-python": "msgpack"}
# The distribution that brings a module, where the names differ or another requirement needs it anyhow.
BROUGHT_BY = {
    "llvmlite": "numba",
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "IPython": "jupyterlab",
    "traitlets": "nbgrader",
    "nbformat": "nbgrader",
    "nbconvert": "nbgrader",
    "nbclient": "nbgrader",
    "jinja2": "nbgrader",
    "markupsafe": "nbgrader",
    "sqlalchemy": "nbgrader",
    "alembic": "nbgrader",
    "bleach": "nbgrader",
    "bs4": "nbgrader",
    "dateutil": "nbgrader",
    "dask": "distributed",
    "docutils": "sphinx",
}
ONLY_WHERE_INSTALLED = {"cuda", "torch"}  # imported on request, in extras of their own


def normalised(requirement: str) -> str:
    """`Name[extra]>=1; marker` as `name>=1`, so that the two files can be compared."""
    return re.sub(r"[\s_]+", "-", re.sub(r"\[.*?\]", "", requirement.split(";")[0]).strip()).lower()


def distribution(requirement: str) -> str:
    return re.split(r"[<>=!~]", normalised(requirement))[0]


def requirements(*extras: str) -> set[str]:
    """The requirements of the engine and of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = project["dependencies"] + [r for extra in extras for r in project["optional-dependencies"][extra]]
    return {normalised(requirement) for requirement in named}


def test_conda_environment_names_the_same_requirements():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    names = [d for d in conda if isinstance(d, str)] + [r for d in conda if isinstance(d, dict) for r in d["pip"]]
    found = set()
    for name in map(normalised, names):
        plain = distribution(name)
        found.add(name.replace(plain, CONDA_NAMES.get(plain, plain), 1))
    assert found - {"python>=3.11", "pip"} == requirements("lab", "grade", "dev")


def test_reading_a_notebook_compiles_no_grammar():
    """jsonschema 4.25 does, whenever it is imported: in each notebook's kernel and each command of the grader."""
    asked = "import sys, nbformat; print('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "False\n"


def test_every_requirement_has_an_exact_version_in_the_constraints():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {distribution(line) for line in lines if "==" in line}
    assert {
        distribution(r) for r in requirements("lab", "grade", "site", "dev", "cluster", "postgres", "torch")
    } <= pinned


# ---- each extra names what its readers import


@functools.cache
def imported(text: str, everywhere: bool = True) -> frozenset[str]:
    """Modules of others that a text imports, in functions too or only where it is imported itself."""
    return frozenset(_imported(text, everywhere))


def _imported(text: str, everywhere: bool) -> Iterator[str]:
    tree = ast.parse(text)
    for node in ast.walk(tree) if everywhere else tree.body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        yield from {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"engine", "autograder"}


def texts(*paths: str) -> Iterator[str]:
    for path in paths:
        file = ROOT / path
        for module in sorted(file.rglob("*.py")) if file.is_dir() else [file]:
            yield module.read_text(encoding="utf-8")


def lab_cells() -> Iterator[str]:
    """The code that is given in the released notebooks, as far as it is Python without magic."""
    for notebook in sorted(ROOT.glob("course/*/lab.ipynb")):
        for cell in nbformat.read(notebook, as_version=4).cells:
            if cell.cell_type == "code" and not re.search(r"^\s*[%!]", cell.source, re.M):
                yield cell.source


def missing(sources: Iterable[str], *extras: str, everywhere: bool = True) -> set[str]:
    """Modules that are imported and that nothing in these extras brings."""
    brought = {distribution(requirement) for requirement in requirements(*extras)}
    found = {name for text in sources for name in imported(text, everywhere)}
    return {name for name in found - ONLY_WHERE_INSTALLED if BROUGHT_BY.get(name, name).lower() not in brought}


def test_importing_the_engine_needs_its_three_requirements_alone():
    assert {distribution(r) for r in requirements()} == {"numba", "numpy", "pyyaml"}
    assert missing(texts("engine"), everywhere=False) == set()


STUDENTS = bundle.students_modules()
# `make lab`, and `make verify`, which makes mutants with cosmic-ray of [dev].
NO_GRADERS = ("open_lab.py", "mutation_operators.py", "mutant_runner.py", "verify.py")
SITE = ROOT / "autograder" / "author" / "site"
GRADERS = [
    path
    for path in own_files(ROOT)
    if path.suffix == ".py" and path.name not in NO_GRADERS and SITE not in path.parents
]


@pytest.mark.parametrize(
    ("sources", "extra"),
    [
        pytest.param(
            lambda: texts("engine", "autograder/student/open_lab.py", *STUDENTS),
            "lab",
            id="wheel",
            marks=pytest.mark.slow,
        ),
        pytest.param(lab_cells, "lab", id="notebooks"),
    ],
)
def test_the_extra_lab_brings_what_a_student_imports(sources, extra):
    assert missing(sources(), extra) == set()


def test_the_extra_grade_brings_what_grading_imports():
    sources = texts(*(path.relative_to(ROOT).as_posix() for path in GRADERS))
    assert missing(sources, "grade", "cluster") <= {"IPython"}  # in the notebook's half of a module


def test_only_a_cluster_needs_dask():
    alone = [path.relative_to(ROOT).as_posix() for path in GRADERS if path.name not in ("cluster.py", "worker.py")]
    assert missing(texts(*alone), "grade") <= {"IPython"}


def test_the_extra_site_brings_what_the_site_imports_besides_both_others():
    assert missing(texts("autograder/author/site"), "lab", "grade", "site") == set()
    assert missing(texts("autograder/author/site"), "lab", "grade") != set()
