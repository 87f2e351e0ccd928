"""The files of autograder/: the grader's own, and those that a program needs, with all that they import.

A class is graded in the same folder, `autograder/submitted/` and others beside the grader's packages: students choose
the names and the contents there. So whatever looks for files of the grader begins with `own_files`.
"""

import ast
import os
from collections.abc import Iterable
from pathlib import Path


def own_files(root: Path) -> list[Path]:
    """Return the grader's own files below `root/autograder`, sorted: modules and package data, without bytecode."""
    top = root / "autograder"
    packages = [path.parent for path in top.glob("*/__init__.py")]
    inside = (Path(folder, name) for package in packages for folder, _, names in os.walk(package) for name in names)
    return sorted([*top.glob("*.py"), *(path for path in inside if path.suffix != ".pyc")])


def needed_by(entries: Iterable[Path], root: Path, with_packages: bool = True) -> list[Path]:
    """Return the entries and all files that they import, directly or not, even inside functions; sorted.

    Args:
        entries: files below `root/autograder`.
        root: the repository's root.
        with_packages: with the `__init__.py` of each package on the way, and what these import.
    """
    found: set[Path] = set()
    waiting = set(entries)
    while waiting:
        file = waiting.pop()
        found.add(file)
        waiting |= {path for path in imports_of(file, root) if with_packages or path.name != "__init__.py"} - found
    return sorted(found)


def imports_of(file: Path, root: Path) -> set[Path]:
    """Return the files of autograder/ that a module imports, even in functions, with the packages that contain them."""
    package = file.parent.relative_to(root).parts
    names: set[tuple[str, ...]] = {package}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module or "").split(".")) if node.module else base
            names |= {(*module, alias.name) for alias in node.names}
    modules = {name[:length] for name in names if name[0] == "autograder" for length in range(1, len(name) + 1)}
    paths = (root.joinpath(*module) for module in modules)
    return {found for path in paths for found in (path.with_suffix(".py"), path / "__init__.py") if found.is_file()}
