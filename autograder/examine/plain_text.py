"""The language of a cell whose accesses are counted: numbers, tuples and arrays, and the names that a kernel needs.

A count is taken in the process that runs the cell. So it earns points only if the text can't hold of that process
anything but what the loop works on. Nothing is refused here by name: kinds of statements, names after a dot and names
from outside are listed, and all others end the matter. A text that keeps to these lists makes no class, catches no
error, imports nothing but numbers' functions, and gets no object from which another one could be reached.
The text is read on the trusted side when its first trace is, whatever became of it before.
"""

import ast
import contextlib
import functools
import importlib
import itertools
import math
import symtable
import types
from collections.abc import Iterator
from contextvars import ContextVar

import numpy as np

from autograder.examine.cell_rules import CellRefused, locate, parsed
from autograder.examine.gpu_compiler import plain_of
from autograder.overlay.cell_compiler import bound_names

NODES = (
    ast.Module, ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Expr, ast.Pass, ast.Break,
    ast.Continue, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.While, ast.If, ast.IfExp,
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.keyword, ast.Starred, ast.Name, ast.Attribute,
    ast.Constant, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Dict, ast.ListComp, ast.GeneratorExp,
    ast.comprehension, ast.JoinedStr, ast.FormattedValue, ast.Import, ast.ImportFrom, ast.alias, ast.Raise,
    ast.Assert, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip
BUILTINS = frozenset((
    "abs", "all", "any", "bool", "divmod", "enumerate", "float", "int", "len", "list", "max", "min", "range",
    "reversed", "round", "sorted", "sum", "tuple", "type", "zip", "True", "False", "None", "NotImplementedError",
    "ValueError", "RuntimeError", "TypeError", "IndexError",
))  # fmt: skip
OF_CUDA = (
    "threadIdx", "blockIdx", "blockDim", "gridDim", "x", "y", "z", "grid", "gridsize", "laneid", "warpsize",
    "syncthreads", "syncthreads_and", "syncthreads_or", "syncthreads_count", "threadfence", "shared", "local", "const",
    "array", "array_like", "atomic", "add", "sub", "exch", "cas", "inc", "dec", "and_", "or_", "xor", "nanmax",
    "nanmin", "compare_and_swap", "jit", "fma", "popc", "brev", "clz", "ffs", "selp", "cbrt",
)  # fmt: skip
OF_ARRAYS = ("shape", "size", "ndim", "strides", "dtype", "itemsize", "T", "reshape", "type", "real", "imag", "item",
             "copy", "fill", "eps", "tiny", "bits", "nmant", "bit_length", "append", "extend", "pop", "get", "items",
             "keys", "values", "setdefault")  # fmt: skip
OF_NUMPY = ("empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "arange", "dtype",
            "finfo", "iinfo", "inf", "nan", "pi", "e", "sum", "prod", "max", "min", "any", "all", "dot", "outer",
            "ravel", "transpose", "round", "cumsum", "where", "clip", "bool", "nonzero", "argmax",
            "argmin")  # fmt: skip
# Of the engine's names those that wrap a function, and those whose own text is for a compiler.
OF_ENGINE = ("named", "device_function", "register_jitable", "load_shared", "store_shared", "loadu", "storeu",
             "broadcast", "fmadd", "full_tile", "fewer_tile", "fewest_tile", "walk", "plane_of")  # fmt: skip
NAMING = {"named", "register_jitable"}  # they take a text, and keep it
MATHEMATICS = ("math", "numpy", "itertools")
OF_ANNOTATIONS = ("Any", "Callable", "Iterable", "Iterator", "Sequence")
OF_TYPING = ("typing", "types", "collections.abc", "numba.core.types")


class NotCounted(ValueError):
    """The error raised for a cell in which something is not listed; it says what and where."""


submitted_cell: ContextVar[tuple[str, str] | None] = ContextVar("submitted", default=None)  # exercise and source


@contextlib.contextmanager
def submitted(exercise: str, source: str) -> Iterator[None]:
    """Inside the block, judge counts as of this cell; as of ours, which may hold anything, if it is ""."""
    token = submitted_cell.set((exercise, source) if source else None)
    try:
        yield
    finally:
        submitted_cell.reset(token)


def require_plain(more: frozenset[str] = frozenset()) -> None:
    """Raise NotCounted unless the cell that is judged now may be counted.

    Args:
        more: further names that may be used, after a dot or before it.
    """
    cell = submitted_cell.get()
    if cell and (reason := unlisted(*cell, more)):
        raise NotCounted(f"{reason} has no place in code that is counted: write it with numbers, tuples and arrays")


@functools.lru_cache(maxsize=16)
def unlisted(exercise: str, source: str, more: frozenset[str] = frozenset()) -> str:
    """Return the first thing in a cell's text that is not listed, with its line, or ""."""
    try:
        tree = parsed(source)
    except CellRefused as refused:
        return refused.reason
    module = "engine." + exercise.rpartition(".")[0]
    scope = vars(importlib.import_module(module))
    return next(_unlisted(tree, scope, attributes() | _fields(module) | more, BUILTINS | more), "")


def _unlisted(
    tree: ast.AST, scope: dict[str, object], attributes: frozenset[str], names: frozenset[str]
) -> Iterator[str]:
    """Yield what of a text is not listed, each with its line."""
    try:
        own, outside = _names(tree)
    except SyntaxError as error:
        yield f"line {error.lineno}: {error.msg}"
        return
    texts = set(map(id, _texts(tree)))
    copied = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and not node.keywords}
    for node in ast.walk(tree):
        said = f"line {getattr(node, 'lineno', 0)}: "
        if not isinstance(node, NODES):
            yield f"{said}`{type(node).__name__.lower()}`"
        elif isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in texts and _is_text(node):
            yield f"{said}a text"
        elif isinstance(node, ast.arguments) and node.kwarg or isinstance(node, ast.keyword) and node.arg is None:
            yield "`**`"
        elif isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load) or node.attr not in attributes:
                yield f"{said}.{node.attr}"
        elif isinstance(node, ast.Name) and node.id in outside:
            if node.id == "dict" and id(node) in copied:
                continue  # with keywords it would make texts of names
            if node.id not in own | names and not _is_listed(node.id, scope.get(node.id)):
                yield f"{said}{node.id}"
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (f"{said}{name}" for name in _imports(node))


def _is_text(node: ast.Constant | ast.JoinedStr) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(node.value, (str, bytes))


def _texts(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the texts that are docstrings, or are given to an error or a kernel's name: none is a value elsewhere.

    With one at hand, classes could be made, and arrays of objects.
    """
    fields = ("id", "name", "arg", "asname")
    own = {getattr(node, field, None) for node in ast.walk(tree) for field in fields
           if not isinstance(getattr(node, "ctx", None), ast.Load)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from itertools.chain.from_iterable(map(_pieces, node.exc.args))
        elif isinstance(node, ast.Assert) and node.msg:
            yield from _pieces(node.msg)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in NAMING - own:
            given = (*node.args, *(one.value for one in node.keywords))
            yield from itertools.chain.from_iterable(map(_pieces, given))


def _pieces(text: ast.AST) -> Iterator[ast.AST]:
    """Yield a text and its pieces, but nothing of the values that are put into it."""
    yield text
    if isinstance(text, ast.JoinedStr):
        for piece in text.values:
            inner = piece.format_spec if isinstance(piece, ast.FormattedValue) else piece
            yield from _pieces(inner) if inner else ()


def _names(tree: ast.AST) -> tuple[frozenset[str], set[str]]:
    """Return the names that a text binds at its top level, and those that some part of it looks for there or beyond.

    The overlay gives the former other names (`cell_compiler.py`): one without a value means nothing else.
    """
    text = ast.unparse(tree)
    tables, outside = [symtable.symtable(text, "<cell>", "exec")], set()
    for table in tables:
        is_module = table is tables[0]
        tables += table.get_children()  # the list grows as we go
        outside |= {one.get_name() for one in table.get_symbols() if is_module or one.is_global()}
    return bound_names(text), outside


@functools.cache
def attributes() -> frozenset[str]:
    """Return the names that may stand after a dot, whatever is before it."""
    numbers = (name for name, value in vars(np).items() if isinstance(value, np.ufunc) or _is_number_type(value))
    functions = (name for of in (math, itertools) for name in vars(of) if not name.startswith("_"))
    return frozenset((*OF_CUDA, *OF_ARRAYS, *OF_NUMPY, *functions, *numbers))


def _is_number_type(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, (np.number, np.bool_))


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield what a statement imports beside functions of numbers."""
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if one.name not in MATHEMATICS)
    else:
        listed = attributes() if node.module in MATHEMATICS else OF_ANNOTATIONS
        yield from (one.name for one in node.names if one.name not in listed)


def _is_listed(name: str, value: object) -> bool:
    """Return True for what a text may name of the engine's: numbers, NumPy's types, `cuda`, and plain functions."""
    if name in OF_ENGINE or isinstance(value, (int, float, np.generic, np.ufunc)) or _is_number_type(value):
        return True
    if isinstance(value, types.ModuleType):
        return value.__name__ in (*MATHEMATICS, "numba.cuda", "numba.types", "numba.core.types")
    function = plain_of(value)
    if isinstance(function, types.FunctionType):
        return _is_plain_function(function.__module__, function.__qualname__)
    is_named_tuple = isinstance(value, type) and issubclass(value, tuple)
    is_intrinsic = type(value).__module__ == "numba.core.extending"  # which compiled code alone can call
    return is_named_tuple or is_intrinsic or getattr(value, "__module__", "") in OF_TYPING


@functools.cache
def _is_plain_function(module: str, name: str) -> bool:
    """Return True for a function of the engine whose own text is plain, as are those that it names."""
    if not module.startswith("engine.") or "." in name:
        return False
    scope = vars(importlib.import_module(module))
    found = [one for one in _trees(module).body if isinstance(one, ast.FunctionDef) and one.name == name]
    return bool(found) and not any(_unlisted(found[-1], scope, attributes() | _fields(module), BUILTINS))


@functools.cache
def _trees(module: str) -> ast.Module:
    return ast.parse(locate(f"{module.removeprefix('engine.')}.x")[0].read_text(encoding="utf-8"))


@functools.cache
def _fields(module: str) -> frozenset[str]:
    """Return the names of the members of the named tuples that a module has at hand."""
    kinds = [one for one in vars(importlib.import_module(module)).values() if hasattr(one, "_fields")]
    own = {name for one in kinds for name, value in vars(one).items() if isinstance(value, property)}
    return frozenset(own.union(*(one._fields for one in kinds)))
