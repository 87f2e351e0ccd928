"""The engine's layers: imports look towards the lower ones only, and importing them compiles nothing."""

import ast
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine.layers import LAYERS, MODULES

PACKAGE = Path(engine.__file__).parent
FILES = sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py"))
FILES = [name.removesuffix(".__init__") for name in FILES if name != "__init__"]
FOLDERS = [name for name in FILES if (PACKAGE / name.replace(".", "/")).is_dir() and name not in MODULES]


def entry(module: str) -> str:
    """The entry of the table that a module belongs to: itself, or the folder that is listed as one.

    A folder whose files are listed one by one has read them all, so it stands where the last of them does.
    """
    above = (listed for listed in MODULES if module == listed or module.startswith(f"{listed}."))
    below = (listed for listed in reversed(MODULES) if listed.startswith(f"{module}."))
    return next(above, next(below, ""))


def path_of(module: str) -> Path:
    inside = PACKAGE / module.replace(".", "/")
    return inside / "__init__.py" if inside.is_dir() else inside.with_suffix(".py")


def imported(module: str) -> Iterator[str]:
    """Modules of the engine that `module` imports, anywhere in its text."""
    path = path_of(module)
    package = ["engine", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            targets = [[*base, alias.name] for alias in node.names]
        else:
            continue
        yield from (found for target in targets if target[0] == "engine" for found in _as_modules(target[1:]))


def _as_modules(path: list[str]) -> list[str]:
    """The longest beginning of a dotted path that names a module; a name within a module leads to that module."""
    while path and not path_of(".".join(path)).is_file():
        path = path[:-1]
    return [".".join(path)] if path else []


def test_every_file_stands_in_the_table():
    assert [module for module in FILES if not entry(module) and module not in FOLDERS] == []


def test_no_module_stands_in_the_table_twice():
    assert len(set(MODULES)) == len(MODULES)


def test_every_listed_module_exists():
    assert [module for module in MODULES if not path_of(module).is_file()] == []


@pytest.mark.parametrize("module", FILES)
def test_a_module_imports_only_what_stands_before_it(module):
    allowed = {*MODULES[: MODULES.index(entry(module))], entry(module)} if entry(module) else set()
    assert [other for other in imported(module) if entry(other) not in allowed or other == module] == []


def test_labs_are_built_in_the_order_of_the_layers():
    labs = [layer.lab for layer in LAYERS if layer.lab]
    assert labs == sorted(labs)


def test_a_public_name_is_no_submodules_unless_it_is_that_module():
    submodules = {name.split(".")[0] for name in MODULES}
    public = {name: value for name, value in vars(engine).items() if not name.startswith("_")}
    clashes = [name for name in submodules & set(public) if not isinstance(public[name], types.ModuleType)]
    assert clashes == []


def test_importing_the_engine_compiles_nothing():
    program = (
        "import engine, numba.core.dispatcher as dispatcher, gc;"
        "print(sum(len(found.overloads) for found in gc.get_objects() if isinstance(found, dispatcher.Dispatcher)"
        " and found.py_func.__module__.startswith('engine')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=PACKAGE.parent, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_the_walk_of_imports_finds_those_of_a_block_and_of_a_package():
    assert {"draw.card", "draw.ladder"} <= set(imported("draw"))
    assert {"strides", "tensor_impl", "aten.at"} <= set(imported("aten.structured"))
