"""The names of NumPy that code of an exercise may use where its engine module imports it: what arithmetic needs.

NumPy also reads files, loads pickles, makes arrays of any address and holds all its modules; so what may be used is
listed, and nothing is refused by name. An alias for the module would be another name to follow: `np` has a dot behind
it wherever it is written.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

import numpy as np

NUMPY = ("np", "numpy")
FUNCTIONS = frozenset((
    "array", "asarray", "ascontiguousarray", "empty", "zeros", "ones", "full", "empty_like", "zeros_like",
    "ones_like", "full_like", "arange", "linspace", "geomspace", "logspace", "eye", "identity", "diag", "tri",
    "tril", "triu", "copy", "copyto", "ndarray", "dtype", "finfo", "iinfo", "errstate", "newaxis", "inf", "nan",
    "pi", "e", "ndindex", "ndenumerate", "bool", "sum", "prod", "max", "min", "amax", "amin", "mean", "std",
    "var", "any", "all", "argmax", "argmin", "cumsum", "cumprod", "sort", "argsort", "where", "nonzero",
    "flatnonzero", "clip", "round", "around", "dot", "outer", "inner", "vdot", "tensordot", "einsum", "transpose",
    "reshape", "ravel", "squeeze", "expand_dims", "swapaxes", "moveaxis", "broadcast_to", "broadcast_arrays",
    "concatenate", "stack", "hstack", "vstack", "split", "repeat", "tile", "flip", "roll", "take",
    "take_along_axis", "put_along_axis", "array_equal", "allclose", "isclose", "count_nonzero", "unique",
    "searchsorted", "diff", "ptp", "median", "nan_to_num", "result_type", "promote_types", "can_cast", "isscalar",
    "ndim", "shape", "size", "bincount", "vectorize",
))  # fmt: skip


@cache
def _of_arithmetic() -> frozenset[str]:
    def is_number(value: object) -> bool:
        return isinstance(value, np.ufunc) or (isinstance(value, type) and issubclass(value, np.generic))

    return FUNCTIONS | {name for name, value in vars(np).items() if name[0] != "_" and is_number(value)}


@cache
def offered(module: Path) -> frozenset[str]:
    """Return the names of NumPy that a cell of this engine module may use; none if the module has no NumPy."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    if not any(isinstance(node, ast.Import) and any(alias.name == "numpy" for alias in node.names)
               for node in ast.walk(tree)):  # fmt: skip
        return frozenset()
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_numpy(node.value, NUMPY)}
    return _of_arithmetic() | used


def refused(tree: ast.Module, may_use: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of what a cell uses of NumPy that is not in `may_use`.

    >>> list(refused(ast.parse("np.zeros(3)\\nnp.load(x)\\ny = np\\nfrom numpy import lib"), frozenset(["zeros"])))
    [(4, 'numpy.lib'), (2, 'np.load'), (3, 'np without a dot behind it')]
    """
    names = set(NUMPY)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names if alias.name.rpartition(".")[2] in NUMPY}
            origin = (getattr(node, "module", None) or "") + "."
            whole = [f"{origin}{alias.name}".strip(".") for alias in node.names]
            of_numpy = [name for name in whole if name.startswith("numpy.") and name != "numpy"]
            yield from ((node.lineno, name) for name in of_numpy
                        if isinstance(node, ast.Import) or name.removeprefix("numpy.") not in may_use)  # fmt: skip
    owners = {id(node.value): node for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if _is_numpy(node, tuple(names)):
            owner = owners.get(id(node))
            if owner is None:
                yield node.lineno, f"{ast.unparse(node)} without a dot behind it"
            elif owner.attr not in may_use:
                yield node.lineno, f"{ast.unparse(node)}.{owner.attr}"


def _is_numpy(node: ast.AST, names: tuple[str, ...]) -> TypeGuard[ast.Name | ast.Attribute]:
    """Return True for the module by one of its names, or as what another module calls `np`."""
    return (isinstance(node, ast.Name) and node.id in names) or (isinstance(node, ast.Attribute) and node.attr == "np")
