"""Compile a notebook cell so that its functions find the cell's other names in an engine module's globals.

A function has one dict of globals, and a graft keeps the engine's; so each use of a top-level name of the cell
becomes a use of "name@part", which no other code can write. The compiler shows which uses are global:
each name of the text gets a line number of its own, and the instructions that reach globals have these numbers.
"""

import ast
import dis
import types
from collections.abc import Collection, Iterator

from .grafting import PartError

SUPER = "super"
NUMBAS = ("njit", "jit", "register_jitable")


def unique(name: str, qualname: str) -> str:
    """Return the name under which the engine's module stores the global `name` of the part `qualname`."""
    return f"{name}@{qualname}"


def compile_cell(source: str, filename: str, qualname: str) -> types.CodeType:
    """Compile a cell for execution with a mapping as locals that stores each name under `unique`.

    Args:
        source: text of the cell.
        filename: shown in tracebacks; line numbers refer to the text.
        qualname: the function or class that the cell is about.
    Raises:
        PartError: the text does not parse, or binds names in a way that can't be followed.
    """
    try:
        tree, marked = ast.parse(source, filename), ast.parse(source, filename)
        for one in (tree, marked):
            _spell_out_super(one, qualname)
        names = _bound_names(tree, compile(tree, filename, "exec", dont_inherit=True))
        first_mark = len(source.splitlines()) + 2
        uses = set(_global_uses(_compile_marked(marked, first_mark, filename), names, first_mark))
        for mark, node in _numbered_names(tree, first_mark):
            if (mark, node.id) in uses:
                node.id = unique(node.id, qualname)
        for statement in ast.walk(tree):
            if isinstance(statement, ast.Global):
                statement.names = [unique(name, qualname) if name in names else name for name in statement.names]
        _drop_decorators(tree, qualname)
        return compile(tree, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise PartError(f"the cell does not parse: {error.msg} (line {error.lineno})") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise PartError(f"the cell does not parse: {error}") from error


def bound_names(source: str) -> frozenset[str]:
    """Return the global names that a text binds, except those from `import *`.

    Raises:
        SyntaxError: it does not parse.
    """
    return _stored(compile(source, "<text>", "exec", dont_inherit=True))


def global_uses(source: str, names: Collection[str]) -> list[ast.Name]:
    """Return the nodes at which a text uses these names as globals, at top level or inside functions and classes."""
    tree, marked = ast.parse(source), ast.parse(source)
    first_mark = len(source.splitlines()) + 2
    code = _compile_marked(marked, first_mark, "<text>")
    reaching = ("_NAME", "_GLOBAL", "_GLOBALS")  # the last two for a name that some function declares global
    at_top = (step for step in dis.get_instructions(code) if step.opname.endswith(reaching) and step.argval in names)
    uses = {(step.positions.lineno or 0, step.argval) for step in at_top if step.positions}
    uses |= set(_global_uses(code, names, first_mark))
    return [node for mark, node in _numbered_names(tree, first_mark) if (mark, node.id) in uses]


def _bound_names(tree: ast.Module, code: types.CodeType) -> frozenset[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            raise PartError(f"line {node.lineno}: name what you import from {node.module}, instead of *")
    return _stored(code)


def _stored(code: types.CodeType) -> frozenset[str]:
    binds = ("STORE_NAME", "STORE_GLOBAL")  # the second for a name that some function declares global
    return frozenset(step.argval for step in dis.get_instructions(code) if step.opname in binds)


def _numbered_names(tree: ast.Module, first_mark: int) -> Iterator[tuple[int, ast.Name]]:
    return enumerate((node for node in ast.walk(tree) if isinstance(node, ast.Name)), start=first_mark)


def _compile_marked(tree: ast.Module, first_mark: int, filename: str) -> types.CodeType:
    for mark, node in _numbered_names(tree, first_mark):
        node.lineno = node.end_lineno = mark
        node.col_offset = node.end_col_offset = 0
    return compile(tree, filename, "exec", dont_inherit=True)


def _global_uses(code: types.CodeType, names: Collection[str], first_mark: int) -> Iterator[tuple[int, str]]:
    """Yield (mark, name) of each use of a top-level name inside the functions and classes below `code`."""
    for inner in code.co_consts:
        if not isinstance(inner, types.CodeType):
            continue
        in_class: set[str] = set()  # a class body finds a name among its own only after binding it
        for step in dis.get_instructions(inner):
            reaches_globals = step.opname.endswith(("_GLOBAL", "_GLOBALS"))
            if step.opname == "STORE_NAME":
                in_class.add(step.argval)
            found_outside = step.opname == "LOAD_NAME" and step.argval not in in_class
            if (reaches_globals or found_outside) and step.argval in names:
                mark = step.positions.lineno if step.positions else None
                if step.opname == "STORE_GLOBAL" and (mark or 0) < first_mark:
                    raise PartError(f"`global {step.argval}` before a def, class or import: bind it at top level")
                yield mark or 0, step.argval
        yield from _global_uses(inner, names, first_mark)


def _spell_out_super(tree: ast.Module, qualname: str) -> None:
    """Write `super()` in methods of the part as `super(Class, self)`: the class of the cell is not the engine's.

    Where the compiler reads `super`, it makes a cell for the class around; so it goes by another name, `SUPER`.
    """
    kinds = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == qualname)
    methods = (node for kind in kinds for node in kind.body if isinstance(node, ast.FunctionDef))
    for method in methods:
        receiver = next((argument.arg for argument in (*method.args.posonlyargs, *method.args.args)), "")
        for call in ast.walk(method):
            is_super = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "super"
            if isinstance(call, ast.Call) and is_super and receiver and not call.args:
                names = (ast.Name(name, ast.Load()) for name in (unique(SUPER, qualname), qualname, receiver))
                function, *arguments = (ast.copy_location(name, call.func) for name in names)
                call.func, call.args = function, list[ast.expr](arguments)


def _drop_decorators(tree: ast.Module, qualname: str) -> None:
    """Drop numba's decorators from the part itself, as the engine's function keeps its own, and `cache` on helpers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            numbas = [decorator for decorator in node.decorator_list if _name_of(decorator) in NUMBAS]
            for call in numbas:
                if isinstance(call, ast.Call):
                    call.keywords = [keyword for keyword in call.keywords if keyword.arg != "cache"]
            if node.name == qualname:
                node.decorator_list = [decorator for decorator in node.decorator_list if decorator not in numbas]


def _name_of(decorator: ast.expr) -> str:
    """Return the last name of a decorator, "njit" for `@numba.njit(cache=True)`."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
