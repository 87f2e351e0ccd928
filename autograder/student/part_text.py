"""A student's part as text in the engine's own file, instead of the reference's text.

A function is replaced by the whole cell: helpers and imports of the cell come along, in its order, under the
reference's decorators. Of a class only the methods and attributes that the part defines are replaced. What else the
cell binds at its top level is renamed if the file, or another of its folder, has that name already: the engine finds
some functions by their names in a whole folder.
"""

import ast
import builtins
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from autograder.overlay import PartError
from autograder.overlay.cell_compiler import bound_names, global_uses

_OF_A_CLASS = ("__slots__", "__module__", "__qualname__", "__doc__")  # stay the reference's
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def placed(text: str, name: str, cell: str, others: Callable[[], Collection[str]] = tuple) -> str:
    """Return the text of a module with the definition of the part `name` replaced by the student's.

    Args:
        text: of the module.
        name: "strides.view_strides".
        cell: the student's text.
        others: returns the names of other files that the cell's helpers must not have, if it has helpers.
    Raises:
        PartError: the part can't be placed there; the message says why.
    """
    module, _, qualname = name.rpartition(".")
    try:
        cell = _without_clashes(text, module, qualname, cell, others)
        reference, part = _definition(text, qualname, "the engine's file"), _definition(cell, qualname, "the cell")
        if isinstance(reference, ast.ClassDef) and isinstance(part, ast.ClassDef):
            first, last = _lines_of(part)
            lines = _lines(cell)
            own = [*lines[: first - 1], *_class_lines(text, reference, cell, part), *lines[last:]]
        elif isinstance(reference, ast.ClassDef) or isinstance(part, ast.ClassDef):
            raise PartError(f"{qualname} is a class on one side only")
        else:
            own = _function_lines(text, reference, cell, part)
        made = _replaced(text, [(*_lines_of(reference), [f"# yours: {name}", *_trimmed(own)])])
        compile(made, module, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        raise PartError(f"it can't be put into the engine's file: {getattr(error, 'msg', error)}{line}") from error
    return made


def _lines(text: str) -> list[str]:
    """Return the lines as Python counts them: `splitlines` also splits at characters that a string may contain."""
    return text.removesuffix("\n").split("\n")


def _definition(text: str, name: str, where: str) -> _Definition:
    """Return the last definition of a name at the top level."""
    found = [node for node in ast.parse(text).body if isinstance(node, _DEFINITIONS) and node.name == name]
    if not found:
        raise PartError(f"{where} has no `def {name}` or `class {name}` at its top level")
    return found[-1]


def _lines_of(node: _Definition) -> tuple[int, int]:
    """Return the first and last line, decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), node.end_lineno or node.lineno


def _replaced(text: str, changes: Iterable[tuple[int, int, list[str]]]) -> str:
    """Return the text with lines first to last, counted from 1, replaced. Where last is first - 1, lines are added."""
    lines = _lines(text)
    for first, last, new in sorted(changes, key=lambda change: change[0], reverse=True):
        lines[first - 1 : last] = new
    return "\n".join(lines) + "\n"


def _trimmed(lines: list[str]) -> list[str]:
    """Drop blank lines at the beginning and the end."""
    return "\n".join(lines).strip("\n").split("\n")


def _function_lines(text: str, reference: _Definition, cell: str, part: _Definition) -> list[str]:
    """Return the cell, with the reference's decorators on its function: a graft keeps those, too."""
    decorators = _lines(text)[_lines_of(reference)[0] - 1 : reference.lineno - 1]
    return _replaced(cell, [(_lines_of(part)[0], part.lineno - 1, decorators)]).split("\n")


# ---- classes


def _class_lines(text: str, reference: ast.ClassDef, cell: str, part: ast.ClassDef) -> list[str]:
    """Return the reference's class with the methods and attributes of the part."""
    first, last = _lines_of(reference)
    indent = reference.body[0].col_offset
    there = {key: node for node in reference.body for key in _keys(node)}
    changes: list[tuple[int, int, list[str]]] = []
    added: list[str] = []
    for node in part.body:
        keys = [key for key in _keys(node) if key not in _OF_A_CLASS]
        if not keys:
            if _says_nothing(node):
                continue
            raise PartError(f"line {node.lineno} of the cell: a class can take methods and attributes only")
        old = {id(there[key]): there[key] for key in keys if key in there}
        new = _indented(cell, node, indent)
        if not old:
            added += ["", *new]
        for position, statement in enumerate(old.values()):
            changes.append((*_span(statement), [] if position else new))
    changes.append((last + 1, last, added))
    shifted = [(start - first + 1, end - first + 1, new) for start, end, new in changes]
    return _lines(_replaced("\n".join(_lines(text)[first - 1 : last]), shifted))


def _keys(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a class gives a value; "x.setter" of the setter of a property."""
    if isinstance(node, _DEFINITIONS):
        of_property = [ast.unparse(decorator) for decorator in node.decorator_list]
        return [next((text for text in of_property if text.startswith(f"{node.name}.")), node.name)]
    if isinstance(node, ast.Assign):
        return [inner.id for target in node.targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]
    if isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _says_nothing(node: ast.stmt) -> bool:
    """Return True of a docstring, `...`, `pass`, an annotation without a value, and what stays the reference's."""
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_annotation = isinstance(node, ast.AnnAssign) and node.value is None
    return is_constant or is_annotation or isinstance(node, ast.Pass) or bool(_keys(node))


def _span(node: ast.stmt) -> tuple[int, int]:
    return _lines_of(node) if isinstance(node, _DEFINITIONS) else (node.lineno, node.end_lineno or node.lineno)


def _indented(cell: str, node: ast.stmt, indent: int) -> list[str]:
    """Return the lines of a statement of the cell's class, indented as the reference's."""
    first, last = _span(node)
    lines = _lines(cell)[first - 1 : last]
    if node.col_offset == indent and lines[0][:indent].isspace():
        return lines
    plain = textwrap.dedent("\n".join(lines))
    if ast.dump(ast.parse(plain)) != ast.dump(ast.Module(body=[node], type_ignores=[])):
        plain = ast.unparse(node)  # a text of several lines would get other spaces
    return _reindented(plain, indent)


def _reindented(plain: str, indent: int) -> list[str]:
    """Return plain code, each line indented by this number of spaces, but not inside texts of several lines."""
    inside = {
        line
        for node in ast.walk(ast.parse(plain))
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }
    lines = _lines(plain)
    return [line if at in inside or not line else " " * indent + line for at, line in enumerate(lines, start=1)]


# ---- the other names of a cell


def _without_clashes(text: str, module: str, qualname: str, cell: str, others: Callable[[], Collection[str]]) -> str:
    """Return the cell, in which the names that are taken have got others."""
    helpers = bound_names(cell) - {qualname}
    if not helpers:
        return cell
    in_file, imports = bound_names(text), set(_imports(text, module))
    same = {bound for bound, *origin in _imports(cell, module) if (bound, *origin) in imports}
    taken = {*in_file, *others(), *dir(builtins)}
    mapping = {}
    for helper in sorted(helpers & taken - same):
        new = f"{helper}_{qualname}"
        while new in taken or new in helpers:
            new += "_"
        mapping[helper] = new
    return renamed(cell, mapping) if mapping else cell


def _imports(text: str, module: str) -> Iterator[tuple[str, str, str]]:
    """Yield (name, module, name in that module) of each import at the top level."""
    above = ["engine", *module.split(".")]
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            for alias in node.names:  # `import a.b` binds a
                origin = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or origin, origin, ""
        elif isinstance(node, ast.ImportFrom):
            base = above[: len(above) - node.level] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((alias.asname or alias.name, origin, alias.name) for alias in node.names)


def renamed(cell: str, mapping: Mapping[str, str]) -> str:
    """Return the cell with some of its top-level names renamed wherever they are used; comments and layout stay.

    Raises:
        PartError: a name is bound in a way that can't be followed.
    """
    before = bound_names(cell)
    lines = cell.encode().splitlines()
    edits = set(_edits(cell, lines, mapping))
    for line, column, old, new in sorted(edits, reverse=True):
        there = lines[line - 1]
        if there[column : column + len(old)] != old.encode():
            raise PartError(f"the engine's file has a name `{old.split()[-1]}` too: call yours something else")
        lines[line - 1] = there[:column] + new.encode() + there[column + len(old) :]
    made = b"\n".join(lines).decode() + "\n"
    left = global_uses(made, mapping)
    if bound_names(made) != {mapping.get(name, name) for name in before} or left:
        names = ", ".join(f"`{name}`" for name in mapping)
        raise PartError(f"the engine's file has names {names} too: call yours something else")
    return made


def _edits(cell: str, lines: list[bytes], mapping: Mapping[str, str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield (line, column in bytes, present text, new text) of each name to be replaced."""
    for name in global_uses(cell, mapping):
        yield name.lineno, name.col_offset, name.id, mapping[name.id]
    tree = ast.parse(cell)
    for node in _at_top(tree.body):
        if isinstance(node, _DEFINITIONS) and node.name in mapping:
            head = re.compile(rb"(async\s+)?(def|class)\s+").match(lines[node.lineno - 1], node.col_offset)
            yield node.lineno, head.end() if head else 0, node.name, mapping[node.name]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                bound = alias.asname or alias.name
                if bound in mapping:
                    there = f"{alias.name} as {bound}" if alias.asname else alias.name
                    yield alias.lineno, alias.col_offset, there, f"{alias.name} as {mapping[bound]}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            for old in {*node.names} & mapping.keys():
                found = re.search(rb"\b%s\b" % old.encode(), lines[node.lineno - 1][node.col_offset :])
                yield node.lineno, node.col_offset + (found.start() if found else 0), old, mapping[old]


def _at_top(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the statements that run in a text's own scope: all but those inside functions and classes."""
    for statement in statements:
        yield statement
        if not isinstance(statement, (*_DEFINITIONS, ast.Lambda)):
            yield from _at_top(ast.iter_child_nodes(statement))
