"""The rules for a solution cell, decided from its text before anything runs.

An exercise is a function or a class of the engine and may import what its engine module imports, and the tools of
`TOOLS`; with `np.broadcast_shapes` at hand there would be nothing left to write. NumPy is in every worker's
memory, so the ways that lead there without an import are refused too, unless the engine's module takes them itself;
of a module's own NumPy, what arithmetic needs may be used (`numpy_names.py`).
All this is for the sake of the exercise, not for safety, nor for counts (`plain_text.py`): what slips past it meets the
same list where it runs (`sandbox/restricted_builtins.py`), and is shut in the sandbox.
"""

import ast
import re
import symtable
import warnings
from functools import cache, lru_cache
from pathlib import Path

from autograder.examine.answer_text import is_blank
from autograder.examine.attribute_by_text import last_name, spelled_out
from autograder.examine.numpy_names import offered, refused
from autograder.examine.refused_names import (
    FORBIDDEN_NAMES,
    FORMATS,
    GETTERS,
    MODULE_TOOLS,
    is_inside,
    is_private,
    is_protocol,
    refuses_attribute,
)

ENGINE = Path(__file__).resolve().parents[2] / "engine"
EMPTY = "nothing is written in the cell"
LONGEST = 100_000  # bytes of a cell
DEEPEST = 200  # levels of the syntax tree
MAGIC = re.compile(r"%%?\w|!!?\s*\S")  # begins a line, or what a line assigns
TARGETS = re.compile(r"[\w.,\s]+")
HELP = re.compile(r"\??\w[\w.]*\?\??")
NAMING = ("name", "asname", "arg", "value")  # fields of a node that hold a name, or a text that may be one
TOOLS = frozenset(("__future__.annotations", *MODULE_TOOLS))


class CellRefused(Exception):
    """The error raised if a cell is not run; `reason` tells the student why."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def inspect_cell(source: str, exercise: str) -> None:
    """Raise CellRefused unless the cell may run as the answer to an exercise such as "strides.view_strides".

    Raises:
        CellRefused: a syntax error, a magic or shell line, an import that is not `importable`, a way around imports,
            a cell that is too long or does not define the exercise.
    """
    if is_blank(source):
        raise CellRefused(EMPTY)
    tree = parsed(source)
    module, qualname = locate(exercise)
    allowed, by_name = importable(exercise), spelled_out(tree, "getattr" in _reaches_of(module))
    own = {f".{name}" for name in own_attributes(tree) | _of_tensors()}
    may_be_reached = _reaches_of(module) | _own_variables(source) | own
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for name in imported(node, package_of(module)):
            origin, _, member = name.rpartition(".")
            is_getter = origin == "operator" and member in GETTERS
            if name not in allowed and not is_getter and (origin not in allowed or refuses_attribute(member, ())):
                given = ", ".join(sorted(allowed)) or "nothing"
                raise CellRefused(f"line {line}: imports {name}; this exercise may import: {given}")
        reach = "" if node in by_name else _reach(node)
        if reach and reach not in may_be_reached:
            raise CellRefused(f"line {line}: {reach} may not be used in an exercise")
    for line, name in refused(tree, offered(module)) if offered(module) else ():
        raise CellRefused(f"line {line}: {name} may not be used in an exercise")
    if _definition(tree, qualname) is None:
        kind = "class" if qualname[:1].isupper() else "def"
        raise CellRefused(f"the cell does not define {qualname}: `{kind} {qualname}` must stand at its top level")


def importable(exercise: str) -> frozenset[str]:
    """Return the modules that the exercise's cell may import: those that its engine module imports, and the `TOOLS`."""
    return _imports_of(locate(exercise)[0]) | TOOLS


def same_as_reference(source: str, exercise: str) -> bool:
    """Return True if the cell's definition has the reference's syntax tree, apart from docstrings and comments."""
    module, qualname = locate(exercise)
    try:
        answer = _definition(_parse(source), qualname)  # a tree of its own, which `_bare` changes
    except CellRefused:
        return False
    return answer is not None and _bare(answer) == _bare_reference(module, qualname)


@cache
def _bare_reference(module: Path, qualname: str) -> str:
    reference = _definition(ast.parse(module.read_text(encoding="utf-8")), qualname)
    return "" if reference is None else _bare(reference)


def locate(exercise: str) -> tuple[Path, str]:
    """Return the engine's file and the qualified name: "aten.views.narrow" -> (engine/aten/views.py, "narrow").

    Raises:
        ValueError: there is no such module.
    """
    *modules, qualname = exercise.split(".")
    path = ENGINE.joinpath(*modules).with_suffix(".py")
    if not modules or not path.is_file():
        raise ValueError(f"exercise {exercise!r}: there is no {path.relative_to(ENGINE.parent)}")
    return path, qualname


@lru_cache(maxsize=2)  # several functions in turn ask about one cell
def parsed(source: str) -> ast.Module:
    """Return a cell's syntax tree, not to be changed. Raises CellRefused: it is not Python, or too long or deep."""
    return _parse(source)


def _parse(source: str) -> ast.Module:
    """Return a new syntax tree of a cell; raises as `parsed` does."""
    try:
        size = len(source.encode("utf-8"))
    except UnicodeEncodeError:
        raise CellRefused("the cell is not text: it holds half of a surrogate pair") from None
    if size > LONGEST:
        raise CellRefused(f"the cell is {size:,} bytes long; {LONGEST:,} are allowed")
    if "\0" in source:
        raise CellRefused("the cell holds a NUL character")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        raise CellRefused(_magic_line(source) or f"line {error.lineno}: syntax error: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError) as error:
        raise CellRefused(f"the cell can't be parsed: {type(error).__name__}") from None
    _refuse_deep(tree)
    return tree


def _refuse_deep(tree: ast.Module) -> None:
    """Refuse a deep tree: Python's compiler recurses over it, and so do we, which could exhaust the stack."""
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise CellRefused(f"line {getattr(level[0], 'lineno', 0)}: the code is nested too deeply")


def _magic_line(source: str) -> str:
    for number, line in enumerate(source.splitlines(), 1):
        if _is_magic(line.strip()):
            return f"line {number}: {line.strip()[:60]!r} is notebook magic, not Python: put it in a cell of its own"
    return ""


def _is_magic(line: str) -> bool:
    """Return True if IPython takes the line for its own; every step is linear in its length.

    >>> [_is_magic(line) for line in ("%time f()", "a, b = !ls", "x.y??", "x != 3", "x = 3 % y")]
    [True, True, True, False, False]
    """
    targets, equals, rest = line.partition("=")
    assigned = rest.lstrip() if equals and TARGETS.fullmatch(targets) else line
    return bool(MAGIC.match(line) or MAGIC.match(assigned) or HELP.fullmatch(line))


@cache
def _imports_of(module: Path) -> frozenset[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return frozenset(name for node in ast.walk(tree) for name in imported(node, package_of(module)))


def imported(node: ast.AST, package: str) -> list[str]:
    """Return the modules and members that one import statement names: `from math import prod` gives ["math.prod"]."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        parents = package.strip(".").split(".")
        base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
        origin = ".".join(part for part in (base, node.module) if part)
        return [f"{origin}.{alias.name}" for alias in node.names]
    return []


@cache
def _reaches_of(module: Path) -> frozenset[str]:
    return frozenset(map(_reach, ast.walk(ast.parse(module.read_text(encoding="utf-8")))))


def _reach(node: ast.AST) -> str:
    """Return what in this node reaches things by name or through Python's insides that nobody gave it; or ""."""
    if isinstance(node, ast.Name) and (node.id in FORBIDDEN_NAMES or is_inside(node.id)):
        return node.id
    if isinstance(node, ast.Attribute) and (refuses_attribute(node.attr, ()) or node.attr in FORMATS):
        return f".{node.attr}"
    called = (getattr(node, field, None) for field in NAMING)
    if protocol := next(filter(is_protocol, called), ""):
        return protocol
    if isinstance(node, ast.MatchClass) and (node.patterns or node.kwd_attrs):
        return "a class pattern that looks into the object"  # `case object(sys=found)` is a getattr
    if isinstance(node, ast.Call) and last_name(node.func) == "wraps" and (len(node.args) != 1 or node.keywords):
        return "wraps with more than the function"  # it copies attributes by their names
    return ""


def own_attributes(tree: ast.Module) -> frozenset[str]:
    """Return the attributes with one leading underscore that the cell's classes define: methods, members, `self._x`."""
    found: set[str] = set()
    for kind in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        for node in ast.walk(kind):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return frozenset(name for name in found if is_private(name) and not is_inside(name))


@cache
def attributes_of(module: Path) -> frozenset[str]:
    """Return the attributes that the module's own code uses, by name or in a string."""
    nodes = list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)} | _of_tensors()
    return frozenset(named | {node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str
                              and node.value.isidentifier()})  # fmt: skip


@cache
def _of_tensors() -> frozenset[str]:
    """Return the private attributes of the engine's tensors, which its kernels use everywhere."""
    tree = ast.parse((ENGINE / "tensor_impl.py").read_text(encoding="utf-8"))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return frozenset(name for name in names if is_private(name) and not is_inside(name))


def fence_of(exercise: str, source: str) -> dict[str, list[str]]:
    """Return for the worker what the compiled cell `may_use`, which builtins it is `without`, its names of `numpy`."""
    module = locate(exercise)[0]
    try:
        tree = parsed(source)
    except CellRefused:  # as the worker will say
        tree = ast.Module([], [])
    own = own_attributes(tree) | {name for name in GETTERS if name in source}
    used = _names_used(module)
    return {
        "may_use": sorted(attributes_of(module) | own | set(filter(is_inside, used))),
        "without": sorted(FORBIDDEN_NAMES - used - own - _own_variables(source)),
        "numpy": sorted(offered(module)),
    }


@cache
def _names_used(module: Path) -> frozenset[str]:
    nodes = ast.walk(ast.parse(module.read_text(encoding="utf-8")))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _own_variables(source: str) -> frozenset[str]:
    """Return the names of variables of functions of the cell: `open = []` hides what Python calls so."""
    try:
        tables = [symtable.symtable(source, "<cell>", "exec")]
    except SyntaxError:  # of those that only the compiler sees
        return frozenset()
    own: set[str] = set()
    other: set[str] = set()
    for table in tables:
        tables += table.get_children()  # the list grows as we go
        for symbol in table.get_symbols():
            is_own = table.get_type() == "function" and not symbol.is_global()
            (own if is_own else other).add(symbol.get_name())
    return frozenset(own - other) & FORBIDDEN_NAMES


def package_of(module: Path) -> str:
    """Return the name of the package that a module of the engine is in: "engine.aten"."""
    return ".".join(("engine", *module.parent.relative_to(ENGINE).parts))


def _definition(tree: ast.Module, qualname: str) -> ast.FunctionDef | ast.ClassDef | None:
    found = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == qualname]
    return found[-1] if found else None


def _bare(definition: ast.AST) -> str:
    """Return the tree as text, after its docstrings are taken out of it."""
    for node in ast.walk(definition):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    return ast.dump(definition)
