"""Imports of a cell that say again what the exercise's module says already; they are dropped, since nothing is gained.

`from engine.strides import numel` in a cell for `strides.permute` names what `engine/strides.py` has at hand anyway.
"""

import ast
from functools import cache
from pathlib import Path

from autograder.examine.cell_rules import CellRefused, imported, locate, package_of, parsed


def without_own_imports(source: str, exercise: str) -> str:
    """Return a cell's text without engine imports of names that the exercise's module has, with the same line numbers.

    A text that does not parse comes back as it is.

    >>> without_own_imports("from engine.strides import unfold, wrap_dim as w\\nx = 1", "strides.permute")
    'from engine.strides import wrap_dim as w\\nx = 1'
    """
    try:
        tree = parsed(source)
    except CellRefused:
        return source
    module = locate(exercise)[0]
    lines = source.splitlines(keepends=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.end_lineno is not None:
            names = imported(node, package_of(module))
            kept = [one for one, name in zip(node.names, names, strict=True) if not _is_at_hand(one, name, module)]
            if len(kept) < len(node.names):
                _replace(lines, node, kept)
    return "".join(lines)


def _is_at_hand(alias: ast.alias, name: str, module: Path) -> bool:
    """Return True if an imported name is the engine's, keeps its name, and is a name of the module."""
    return name.startswith("engine.") and alias.asname in (None, alias.name) and alias.name in _names_of(module)


@cache
def _names_of(module: Path) -> frozenset[str]:
    """Return the names that are defined or imported at the top level of a module of the engine."""
    found: set[str] = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
        else:
            found |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return frozenset(found)


def _replace(lines: list[str], node: ast.ImportFrom, kept: list[ast.alias]) -> None:
    """Write the statement anew with the names that are kept, or `pass`, on its first line; the others become empty."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    text = ast.unparse(ast.ImportFrom(node.module, kept, node.level)) if kept else "pass"
    before = lines[first].encode()[: node.col_offset].decode()
    after = lines[last].encode()[node.end_col_offset :].decode()
    lines[first : last + 1] = [before + text + after, *("\n" for _ in range(last - first))]
