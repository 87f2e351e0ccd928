"""The files of autograder/ that a program needs: its own and all that it imports, read from their text."""

import ast
from collections.abc import Iterable
from pathlib import Path


def needed_by(entries: Iterable[Path], root: Path, with_packages: bool = True) -> list[Path]:
    """The entries and what they import, directly or not, also inside functions; sorted.

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
    """Files of autograder/ that a module imports, in its functions too, with the packages around them."""
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
