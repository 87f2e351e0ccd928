"""The engine's layers: imports look towards the lower ones only, and importing them compiles nothing."""

import ast
import functools
import importlib
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine import slots
from engine.layers import LAYERS, MODULES, TOOLS

PACKAGE = Path(engine.__file__).parent
FILES = sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py"))
FILES = [name.removesuffix(".__init__") for name in FILES if name != "__init__"]
FOLDERS = [name for name in FILES if (PACKAGE / name.replace(".", "/")).is_dir() and name not in MODULES]


def entry(module: str) -> str:
    """The entry of the table that a module belongs to: itself, or the innermost folder that is listed as one.

    A folder whose files are listed one by one has read them all, so its place is the last file's.
    """
    above = (listed for listed in MODULES if module == listed or module.startswith(f"{listed}."))
    below = (listed for listed in reversed(MODULES) if listed.startswith(f"{module}."))
    return max(above, key=len, default="") or next(below, "")


def path_of(module: str) -> Path:
    inside = PACKAGE / module.replace(".", "/")
    return inside / "__init__.py" if inside.is_dir() else inside.with_suffix(".py")


@functools.cache
def imported(module: str) -> tuple[str, ...]:
    """Modules of the engine that `module` imports, anywhere in its text."""
    return tuple(_imported(module))


def _imported(module: str) -> Iterator[str]:
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


ROOT = {
    "layers", "slots", "backend", "dtypes", "strides", "storage", "accessor", "tensor_impl", "_ops", "library", "_C",
    "extend", "functional", "linalg", "printing", "api", "tiny_tensor",
}  # fmt: skip
FOLDERS_OF_ROOT = {
    "compiled", "dispatch", "aten", "autograd", "cpu", "cuda", "memory_trace", "profiler", "draw", "journey", "nn",
    "optim", "utils", "native", "transforms",
}  # fmt: skip


def test_the_root_has_what_pytorch_has_and_the_reading_order():
    assert {path.stem for path in PACKAGE.glob("*.py")} == {"__init__", *ROOT}
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == FOLDERS_OF_ROOT


def test_of_compiled_nothing_but_its_face_is_imported():
    outside = [module for module in FILES if not module.startswith("compiled")]
    found = [(module, other) for module in outside for other in imported(module) if other.startswith("compiled.")]
    assert found == []


OF_THE_COURSE = re.compile(r"student|notebook|graft|grader|learner|autograder|\bcourse\b", re.I)


def test_the_engine_knows_no_students():
    """It is what the course is about: it neither imports the course's packages nor speaks of who uses them."""
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*") if path.suffix in (".py", ".yaml")}
    assert {str(path): found for path, text in texts.items() if (found := OF_THE_COURSE.findall(text))} == {}


def test_every_file_stands_in_the_table():
    assert [module for module in FILES if not entry(module) and module not in FOLDERS] == []


def test_no_module_stands_in_the_table_twice():
    assert len(set(MODULES)) == len(MODULES)


def test_every_listed_module_exists():
    assert [module for module in MODULES if not path_of(module).is_file()] == []


def test_a_module_imports_only_what_stands_before_it():
    places = {name: place for place, name in enumerate(MODULES)}

    def stands_before(other, module):
        own, others = entry(module), entry(other)
        return bool(own and others) and places[others] <= places[own] and other != module

    found = [(module, other) for module in FILES for other in imported(module) if not stands_before(other, module)]
    assert found == []


def test_a_module_assigns_no_name_of_another():
    """A function that a lower layer calls and a higher one provides is a slot (`engine/slots.py`)."""
    texts = {module: path_of(module).read_text(encoding="utf-8") for module in FILES}
    assert {module: names for module, text in texts.items() if (names := assigned(text, module))} == {}


def assigned(text: str, module: str) -> list[str]:
    """ "dtypes.NAME": the names of other modules that a text assigns or deletes."""
    tree = ast.parse(text)
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = module.split(".") if path_of(module).name == "__init__.py" else module.split(".")[:-1]
            base = [*package[: len(package) + 1 - node.level], *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                if path_of(".".join([*base, alias.name])).is_file():
                    modules[alias.asname or alias.name] = ".".join([*base, alias.name])
    written = [
        node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    ]
    return [
        f"{modules[node.value.id]}.{node.attr}"
        for node in written
        if isinstance(node.value, ast.Name) and node.value.id in modules
    ]


def test_an_assignment_to_another_module_is_found():
    text = "from . import variable\nfrom .. import dtypes as kinds\nvariable.x = 1\nkinds.y += 1\nself.variable = 2"
    assert assigned(text, "autograd.engine") == ["autograd.variable.x", "dtypes.y"]


def test_every_slot_is_filled_by_the_module_that_it_names():
    filled = {name: slot for name, slot in vars(slots).items() if isinstance(slot, slots.Slot)}
    assert filled
    for name, slot in filled.items():
        importlib.import_module(f"engine.{slot.filled_by}")
        assert slot.function.__module__ == f"engine.{slot.filled_by}", name


def test_a_slot_is_filled_by_no_other_module():
    with pytest.raises(ValueError, match="expected a function of autograd.inference, got one of"):
        slots.is_inference_mode.fill(path_of)


def test_a_slot_that_is_not_filled_says_who_fills_it():
    with pytest.raises(NotImplementedError, match="autograd.engine did not fill the slot that is to do nothing"):
        slots.Slot("autograd.engine", "do nothing")()


def test_labs_are_built_in_the_order_of_the_layers():
    labs = [layer.lab for layer in LAYERS if layer.lab != TOOLS]
    assert labs == sorted(labs, key=lambda lab: (int(re.match(r"\d+", lab)[0]), lab))


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
