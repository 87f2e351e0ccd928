"""The engine's docstrings: every public function has one, and the examples are true."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.layers import MODULES

ROOT = Path(engine.__file__).parent.parent


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name):
    results = doctest.testmod(importlib.import_module(f"engine.{name}"))
    assert results.failed == 0


def test_there_are_examples_to_run():
    found = doctest.DocTestFinder().find(importlib.import_module("engine.strides"))
    assert sum(bool(test.examples) for test in found) > 15


def undocumented(module) -> list[str]:
    """Public functions and classes defined in a module, and the methods of the classes, without a docstring."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    public = {name: value for name, value in own.items() if not name.startswith("_")}
    documented = {name: value for name, value in public.items() if inspect.isfunction(value) or inspect.isclass(value)}
    return [name for name, value in documented.items() if not value.__doc__]


def test_every_public_function_and_class_has_a_docstring():
    assert {name: found for name in MODULES if (found := undocumented(importlib.import_module(f"engine.{name}")))} == {}


def test_every_public_name_has_a_docstring():
    names = [name for name, value in vars(engine).items() if inspect.isfunction(value) and not name.startswith("_")]
    assert [name for name in names if not getattr(engine, name).__doc__] == []


def test_every_operator_attached_to_a_tensor_has_a_docstring():
    methods = {name: value for name, value in vars(engine.Tensor).items() if not name.startswith("_")}
    called = {name: value for name, value in methods.items() if inspect.isfunction(value)}
    obvious = {"storage_offset", "dim", "ndimension", "numel", "nelement", "untyped_storage", "is_floating_point"}
    assert {name for name, value in called.items() if not value.__doc__} <= obvious


def test_importing_the_engine_imports_little_more_than_numpy_and_numba():
    """`make bench` measures the seconds."""
    program = (
        "import sys, numpy, numba; before = set(sys.modules); import engine;"
        "print({name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) <= {"engine", "yaml", "_yaml"}
