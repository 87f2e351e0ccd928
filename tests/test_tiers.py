"""The two tiers: what `make test` leaves out it covers by something else, and PyTorch is asked for in one way."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiers import fast_first, fast_only

from autograder.labs import CHECKS
from engine.layers import LAYERS
from tests import conftest

TESTS = Path(__file__).parent
# One test of the fast tier each: a check's questions are answered by the reference, a page's cells run.
OF_A_CHECK = "autograder/test_checks.py::test_the_reference_is_right[{}]"
FAST_PAGES = ("01-strides", "02-dispatch")
OF_A_PAGE = "autograder/test_lab_texts.py::test_what_is_given_runs_without_the_students_work[{}]"


@pytest.fixture(scope="module")
def fast(fast_tests):
    """The ids of the tests that `make test` runs, relative to this folder."""
    if fast_tests is not None:
        return {name.removeprefix("tests/") for name in fast_tests}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-m", "not slow", "-p", "no:cacheprovider", str(TESTS)]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return {line.removeprefix("tests/") for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.slow  # alone it collects all tests
def test_the_fast_tier_has_each_check_and_the_pages_of_two_labs(fast):
    wanted = [OF_A_CHECK.format(name) for name in CHECKS] + [OF_A_PAGE.format(lab) for lab in FAST_PAGES]
    assert [test for test in wanted if test not in fast] == []


MODULE_OF = {"Tensor": "tensor_impl"}  # of a public name that is not its module's


def modules_named(path):
    """Modules of the engine that a test's file imports or reaches by a public name: "cpu.copy", "tensor_impl"."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine."):
            inside = node.module.removeprefix("engine.")
            yield from (inside, *(f"{inside}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module == "engine":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "engine":
            yield MODULE_OF.get(node.attr, node.attr)


@pytest.mark.slow
def test_the_fast_tier_has_a_test_that_looks_into_each_layer(fast):
    looked_at = {
        module for path in {test.partition("::")[0] for test in fast} for module in modules_named(TESTS / path)
    }
    checked = {name.rpartition(".")[0] for name in CHECKS}

    def is_tested(module):
        return any(module == seen or module.startswith(f"{seen}.") for seen in looked_at | checked)

    assert [layer.about for layer in LAYERS if not any(map(is_tested, layer.modules))] == []


def test_the_first_rows_are_fast_and_the_others_slow():
    rows = fast_first(1, [1, pytest.param(2, id="two"), 3])
    assert rows[0] == 1 and [row.values for row in rows[1:]] == [(2,), (3,)]
    assert [[mark.name for mark in row.marks] for row in rows[1:]] == [["slow"], ["slow"]] and rows[1].id == "two"


def test_a_fast_row_that_is_not_in_the_table_is_refused():
    assert fast_only(["b"], ["a", "b"])[1] == "b"
    with pytest.raises(ValueError, match="not in the table.*'c'"):
        fast_only(["c"], ["a", "b"])


def test_each_worker_begins_with_the_graders_tests_and_loses_none():
    items = [SimpleNamespace(nodeid=name) for name in ("a", "b", *(f"tests/engine/{i}" for i in range(5)), "c")]
    ordered = [item.nodeid.removeprefix("tests/engine/") for item in conftest.in_shares(items, 2)]
    assert ordered == ["a", "0", "1", "b", "c", "2", "3", "4"]


# ---- skips


@pytest.mark.parametrize(("reason", "fails"), [("not run: bubblewrap", False), ("for now", True)])
def test_a_skip_for_any_other_reason_fails_the_run(reason, fails):
    reporter = SimpleNamespace(stats={"skipped": [SimpleNamespace(longrepr=("test_x.py", 1, f"Skipped: {reason}"))]})
    plugins = SimpleNamespace(get_plugin={"terminalreporter": reporter}.get)
    session = SimpleNamespace(config=SimpleNamespace(pluginmanager=plugins), exitstatus=pytest.ExitCode.OK)
    conftest.pytest_sessionfinish(session)
    assert (session.exitstatus == pytest.ExitCode.TESTS_FAILED) is fails


# ---- PyTorch


def imports_torch(node):
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
    return any(name.partition(".")[0] in ("torch", "torchgen") for name in names)


def at_import(node):
    """The statements that run when a file is imported."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from at_import(child)


def test_pytorch_is_asked_for_in_one_way_only():
    """By the fixture `pytorch`, which `needs_torch` uses: no file of tests fails to import without PyTorch.

    Programs that PyTorch and the engine run are not files of tests.
    """
    texts = {path.relative_to(TESTS): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items() if re.search(r"\bimport torch|\bfrom torch", text)}
    at_top = [
        str(path)
        for path, tree in trees.items()
        if not {"conformance", "transform_programs"} & {*path.parts} and any(map(imports_torch, at_import(tree)))
    ]
    assert at_top == ["engine/compare.py"]
    elsewhere = [path for path in texts if path.name not in ("conftest.py", Path(__file__).name)]
    said = [str(path) for path in elsewhere if "PyTorch is not installed" in texts[path]]
    assert said == []


def test_the_conformance_package_is_imported_only_where_pytorch_is():
    """It is a tool beside PyTorch, whose modules import it at their top."""
    for path in (TESTS / "engine").glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            assert not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("conformance")), path
