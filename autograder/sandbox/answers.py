"""The lab's answers, on their way into the sandbox: a file outside, only an open descriptor inside.

    <length of the head> <head, marshalled> <bytecode of each exercise, in the order of the head>

The head holds the code of the modules whose files in the image are blanked, with the exercises empty
(exercise_bodies.py), and never their text. The zygote imports the engine while the answers are `present`, and no other
process sees the descriptor; the broker hands a worker the bytecode of all exercises but its own (`give`).
"""

import contextlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from autograder.sandbox import exercise_bodies

LENGTH = 8  # bytes
_empty: dict[str, list[CodeType]] = {}  # by exercise its code objects, in the zygote and in its workers


def write(
    path: Path, modules: Mapping[str, CodeType], exercises: exercise_bodies.Exercises, needed_at_once: list[str]
) -> None:
    """Write the exercises' bytecode, and the code of the modules without it, to the file `path`.

    Args:
        modules: full name -> code of the whole module, of each with an exercise.
        exercises: "strides.permute" -> of a class the methods that the student writes.
        needed_at_once: names of further modules that the lab needs.
    """
    code = {name: exercise_bodies.bytecode(_codes_of(modules, name, methods)) for name, methods in exercises.items()}
    sizes = [(name, methods, len(code[name])) for name, methods in exercises.items()]
    emptied = {module: exercise_bodies.emptied(text, _inside(module, exercises)) for module, text in modules.items()}
    head = marshal.dumps((emptied, sizes, needed_at_once))
    path.write_bytes(len(head).to_bytes(LENGTH, "little") + head + b"".join(code.values()))


def bytecode(path: Path) -> dict[str, bytes]:
    """Return the bytecode of each exercise in the file, by name."""
    text, found = path.read_bytes(), {}
    first = LENGTH + int.from_bytes(text[:LENGTH], "little")
    for name, _, size in marshal.loads(text[LENGTH:first])[1]:
        found[name] = text[first : first + size]
        first += size
    return found


@contextlib.contextmanager
def present(descriptor: int) -> Iterator[tuple[list[str], list[str]]]:
    """Import blanked modules with their exercises filled in while the context is active; empty them afterwards.

    Returns:
        names of the blanked modules, and of the further ones that the lab needs.
    """
    size = int.from_bytes(os.pread(descriptor, LENGTH, 0), "little")
    emptied, sizes, needed_at_once = marshal.loads(os.pread(descriptor, size, LENGTH))
    finder = _Finder(emptied)
    first = LENGTH + size
    for name, methods, _ in sizes:
        _empty[name] = _codes_of(finder.codes, name, methods)
        first = exercise_bodies.fill_from_file(_empty[name], descriptor, first)
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]
    try:
        yield list(finder.codes), needed_at_once
    finally:
        sys.meta_path.remove(finder)  # type: ignore[arg-type]
        for codes in _empty.values():
            exercise_bodies.empty(codes)


def exercises() -> tuple[str, ...]:
    """Return the names of the lab's exercises."""
    return tuple(_empty)


def give(code: Mapping[str, Any]) -> None:
    """Fill in the code of exercises from byte arrays of their `bytecode`, given by name."""
    for name, array in code.items():
        exercise_bodies.fill(_empty[name], array.tobytes())


class _Finder:
    """Finds the modules whose files in the image are blanked, and has them run the code that was given."""

    def __init__(self, codes: Mapping[str, CodeType]):
        self.codes = {name: _placed(code, _place(name)) for name, code in codes.items()}

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name not in self.codes:
            return None
        loader = _Loader(name, _place(name))
        loader.code = self.codes[name]
        return importlib.util.spec_from_file_location(name, _place(name), loader=loader)


class _Loader(SourceFileLoader):
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code


def _place(module: str) -> str:
    """Return the path of a module of the image."""
    return os.path.join(Path(__file__).parents[2], *module.split(".")) + ".py"


def _placed(code: CodeType, path: str) -> CodeType:
    """Return the code as if it had been compiled from the file `path`."""
    inner = tuple(_placed(value, path) if isinstance(value, CodeType) else value for value in code.co_consts)
    return code.replace(co_filename=path, co_consts=inner)


def _codes_of(modules: Mapping[str, CodeType], exercise: str, methods: tuple[str, ...]) -> list[CodeType]:
    module, _, name = exercise.rpartition(".")
    return exercise_bodies.codes_of(modules[f"engine.{module}"], name, methods)


def _inside(module: str, exercises: exercise_bodies.Exercises) -> exercise_bodies.Exercises:
    """Return the answers of a module, by the names that they have there."""
    parts = {name: name.rpartition(".") for name in exercises}
    return {parts[name][2]: exercises[name] for name in exercises if f"engine.{parts[name][0]}" == module}
