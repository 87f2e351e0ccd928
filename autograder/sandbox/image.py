"""The engine as it enters the sandbox: without the lab's answers, and for lab 1 without the labs to come.

    <folder>/image/engine/...                     bodies of the lab's exercises blanked
    <folder>/image/autograder/...                 the labs' probes, the worker's code, what these import; no check
    <folder>/answers                              what was blanked, as answers.py says; it is not mounted

The zygote imports the engine while the answers are there, because an engine whose schema parser is blank could not
be imported. Made once per process in a folder of ours.
"""

import ast
import compileall
import functools
import importlib
import os
import py_compile
import shutil
from collections.abc import Iterable, Mapping
from multiprocessing.util import Finalize
from pathlib import Path

from autograder import labs
from autograder.examine.needed_files import needed_by, own_files
from autograder.sandbox import answers, temporary
from autograder.sandbox.isolation import REPOSITORY, package_folders

# Of autograder/, besides what these import.
GUESTS = ("sandbox/zygote.py", "sandbox/worker.py", "sandbox/warm_up.py", "overlay/overlay.py", "labs/*/*/probe.py")
ANSWERS = "answers"
State = tuple[tuple[str, int, int, int], ...]
MADE_AT = 946_684_800  # one time of change for all files: numba keeps it with each compiled kernel


def build(lab: str, exercises: Mapping[str, tuple[str, ...]]) -> Path:
    """Build the image for a lab and return its folder; `answers_of` returns the path of the answers beside it.

    Args:
        lab: "01-strides".
        exercises: the lab's exercises by name, and of a class the methods that the student writes.
    """
    return _build(_state_of_all(), lab, tuple(exercises.items()))


def packages_of(image: Path) -> Path:
    """Return the folder beside an image that links to the packages available in the sandbox, and to no others."""
    return image.with_name("packages")


def answers_of(image: Path) -> Path:
    """Return the path of the file beside an image that `answers.write` has written."""
    return image.with_name(ANSWERS)


@functools.cache
def _build(state: State, lab: str, exercises: tuple[tuple[str, tuple[str, ...]], ...]) -> Path:
    folder = temporary.make("image")
    # Not atexit, which a process that multiprocessing has forked does not run.
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=0)
    image, blanks, whole = folder / "image", _by_file(exercises), {}
    for path in engine_files(lab):
        target = image / path
        target.parent.mkdir(parents=True, exist_ok=True)
        source = (REPOSITORY / path).read_text(encoding="utf-8")
        if path in blanks:
            whole[".".join(path.with_suffix("").parts)] = compile(source, path.name, "exec", dont_inherit=True)
        target.write_text(blank(source, blanks.pop(path, {})), encoding="utf-8")
    if blanks:
        raise ValueError(f"exercises in modules that are not part of the engine of lab {lab}: {sorted(blanks)}")
    _copy_autograder(image)
    packages_of(image).mkdir()
    for package in package_folders():
        (packages_of(image) / os.path.basename(package)).symlink_to(package)
    # The sandbox can't write bytecode, and the folder's owner is not its user: make it now, readable to all.
    compileall.compile_dir(image, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    for entry in (image, *image.rglob("*")):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
        os.utime(entry, (MADE_AT, MADE_AT))
    answers.write(answers_of(image), whole, dict(exercises), needed_at_once(lab))
    return image


def blank(source: str, exercises: Mapping[str, tuple[str, ...]]) -> str:
    """Return a module's source with the bodies of the exercises replaced by NotImplementedError; docstrings are kept.

    Args:
        source: text of the module.
        exercises: qualified names; of a class the methods to blank.
    Raises:
        ValueError: the module has no such function or method.

    >>> print(blank("def f(x):\\n    'Doc.'\\n    return x", {"f": ()}))
    def f(x):
        \"\"\"Doc.\"\"\"
        raise NotImplementedError('f')
    """
    if not exercises:
        return source
    tree = ast.parse(source)
    for name, methods in exercises.items():
        definition = _definition(tree, name)
        if isinstance(definition, ast.FunctionDef):
            _blank(definition, name)
            continue
        if not methods:
            raise ValueError(f"{name} is a class: which of its methods does the student write?")
        for method in methods:
            _blank(_definition(definition, method), f"{name}.{method}")
    return ast.unparse(ast.fix_missing_locations(tree))


def stub(source: str, methods: tuple[str, ...]) -> str:
    """Return the source of one exercise, a function or a class, with the bodies that students write replaced."""
    (definition,) = ast.parse(source).body
    return blank(source, {definition.name: methods})  # type: ignore[attr-defined]


def _definition(parent: ast.Module | ast.ClassDef | ast.FunctionDef, name: str) -> ast.ClassDef | ast.FunctionDef:
    for node in parent.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return node
    raise ValueError(f"there is no {name} to blank")


def _blank(definition: ast.ClassDef | ast.FunctionDef, name: str) -> None:
    docstring = definition.body[:1] if ast.get_docstring(definition) is not None else []
    definition.body = [*docstring, *ast.parse(f"raise NotImplementedError({name!r})").body]


def _by_file(exercises: Iterable[tuple[str, tuple[str, ...]]]) -> dict[Path, dict[str, tuple[str, ...]]]:
    found: dict[Path, dict[str, tuple[str, ...]]] = {}
    for exercise, methods in exercises:
        *modules, name = exercise.split(".")
        found.setdefault(Path("engine", *modules).with_suffix(".py"), {})[name] = methods
    return found


def has_whole_engine(lab: str) -> bool:
    """Return True unless the lab's exercises need only the engine's layers up to that lab."""
    return labs.limits(lab).get("engine") != "own layers"


def engine_files(lab: str) -> list[Path]:
    """Return the engine files in a lab's image, relative to the repository; packages without modules are left out."""
    layers = importlib.import_module("engine.layers").LAYERS
    order = list(dict.fromkeys(layer.lab for layer in layers))
    last = len(order) if has_whole_engine(lab) else order.index(labs.number_of(lab))
    built = {module: order.index(layer.lab) for layer in layers for module in layer.modules}
    files = sorted(path.relative_to(REPOSITORY) for path in engine_texts())
    kept = [path for path in files if path.name == "__init__.py" or _position(path, built) <= last]
    inhabited = {path.parent for path in kept if path.name != "__init__.py" and path.suffix == ".py"}
    return [path for path in kept if any(folder.is_relative_to(path.parent) for folder in inhabited)]


def needed_at_once(lab: str = "") -> list[str]:
    """Return the lab's lazily imported modules, except drawing: a worker would find some of them blanked.

    Args:
        lab: "06-cuda"; without one, the modules of all labs.
    """
    layers = importlib.import_module("engine.layers").LAYERS
    which = {labs.number_of(lab)} if lab else {layer.lab for layer in layers}
    later = [module for layer in layers if layer.at_first_use and layer.lab in which for module in layer.modules]
    return [f"engine.{module}" for module in later if not module.startswith("draw.")]


def engine_texts() -> list[Path]:
    """Return the paths of the engine's modules and of the tables that they read."""
    return [path for suffix in ("py", "yaml", "txt") for path in sorted((REPOSITORY / "engine").rglob(f"*.{suffix}"))]


def _position(path: Path, built: Mapping[str, int]) -> int:
    """Return the lab (its place in the order) of the innermost module or folder that has the file; 0 if none does."""
    parts = path.with_suffix("").parts[1:]
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((built[name] for name in names if name in built), 0)


def guest_files() -> list[Path]:
    """Return the autograder files that enter the sandbox, relative to the repository; package inits are empty there."""
    return _guest_files(_state_of(path for path in own_files(REPOSITORY) if path.suffix == ".py"))


@functools.cache
def _guest_files(state: State) -> list[Path]:
    entries = [path for pattern in GUESTS for path in (REPOSITORY / "autograder").glob(pattern)]
    return [path.relative_to(REPOSITORY) for path in needed_by(entries, REPOSITORY, with_packages=False)]


def _copy_autograder(image: Path) -> None:
    for path in guest_files():
        (image / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / path, image / path)
    for folder in {image / parent for path in guest_files() for parent in path.parents if parent.name}:
        (folder / "__init__.py").touch()


def _state_of_all() -> State:
    """Return the state of everything that enters the image."""
    return _state_of([*engine_texts(), *(REPOSITORY / path for path in guest_files())])


def _state_of(paths: Iterable[Path]) -> State:
    """Return path, time of change, size and inode of each file: far quicker than a digest, for every submission."""
    return tuple((str(path), (now := path.stat()).st_mtime_ns, now.st_size, now.st_ino) for path in sorted(paths))
