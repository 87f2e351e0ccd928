"""The student's parts: whose code a function of the engine runs, and the grafts that change it.

A part is the text of one notebook cell that defines a function (or a class) of the engine, by the name of its
module below the package and its own: "strides.view_strides". Grafting replaces `__code__`, `__defaults__` and
`__kwdefaults__` of the function that is there, so every table, default and import that holds it sees the part.
The other names of the cell become globals of that module, each as "name@view_strides": out of the way of the
engine's names and of other parts, and gone after `restore`. In tracebacks the cell is the file
"<strides.view_strides>".

A closure can't be grafted: the code would lose its cells.
"""

import ast
import contextlib
import functools
import importlib
import importlib.util
import linecache
import os
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import compiled
from engine.utils import memos
from engine.utils.memos import forget_memos

from . import cell_compiler, lazy_imports, regenerate
from .grafting import ABSENT, PACKAGE, Change, PartError, changes_of


@dataclass(frozen=True)
class Graft:
    name: str
    source: str
    module: types.ModuleType
    changes: tuple[Change, ...]

    def apply(self) -> None:
        register_text(self.name, self.source)
        for owner, attribute, _, new in self.changes:
            _assign(owner, attribute, new)
        _active[self.name] = self
        self._changed(self.source)

    def revert(self) -> None:
        for owner, attribute, old, _ in reversed(self.changes):
            _assign(owner, attribute, old)
        del _active[self.name]
        self._changed(None)

    def _changed(self, source: str | None) -> None:
        memos.search_again(self.module)
        compiled.changed(self.name, source)


_active: dict[str, Graft] = {}
_awaited: dict[str, str] = {}  # name -> text, of parts that are grafted when their module is imported


def active() -> tuple[str, ...]:
    """Return the names of the active parts, oldest first, and of parts whose module is not imported yet."""
    return (*_active, *_awaited)


def graft(name: str, source: str) -> None:
    """Replace the code of the function, or of the methods of the class, `name` with `source`; its identity stays.

    Of a class, the methods and attributes that the part defines are replaced, the others stay.

    Args:
        name: "strides.view_strides": module below the package, then the qualified name.
        source: a cell that defines it at top level, and whatever it needs beside what the module has.
    Raises:
        PartError: the text can't be grafted; the engine stays as it was.
    """
    if name in _awaited:
        _locate(name)  # it arrives
    before = _active.get(name)
    if before:
        before.revert()
        forget_memos()
    try:
        _prepare(name, source).apply()
    except BaseException:
        if before:
            before.apply()
        raise
    finally:
        forget_memos()


def blank(name: str, source: str) -> None:
    """Replace the reference of `name` with `source` for good, so that it can't be restored."""
    graft(name, source)
    del _active[name]


def restore(name: str | None = None) -> None:
    """Restore the reference of one part, or of all parts. A part that is not active is left alone."""
    names = tuple(reversed(active())) if name is None else (name,)
    reverted = [_active[active_name] for active_name in names if active_name in _active]
    for active_name in names:
        _awaited.pop(active_name, None)
    for part in reverted:
        part.revert()
    forget_memos()
    regenerate.follow(active(), (part.name for part in reverted))


def carry(module: str, is_carried: bool) -> None:
    """Set whether parts of a module of `regenerate.FOLLOWERS` run instead of generated code, now and later."""
    (regenerate.not_carried.discard if is_carried else regenerate.not_carried.add)(module)
    regenerate.follow(active(), (f"{module}.",))


@contextlib.contextmanager
def swapped(sources: Mapping[str, str]) -> Iterator[None]:
    """Activate exactly these parts, and no others, inside the block; restore the previous state afterwards.

    Code that the engine generated with parts that were active is generated again by the reference; nothing is
    generated from `sources`, because they may be wrong.
    """
    before, awaited = tuple(_active.values()), dict(_awaited)
    restore()
    _rebuild(regenerate.REBUILDERS, before)
    try:
        for name, source in sources.items():
            graft(name, source)
        yield
    finally:
        restore()
        for previous in before:
            previous.apply()
        for name, source in awaited.items():
            _graft_in_time(name, source)
        forget_memos()
        regenerate.follow(active(), (part.name for part in before))
        _rebuild(regenerate.REBUILDERS, before)


def _rebuild(table: Iterable[regenerate.Row], grafts: Iterable[Graft]) -> None:
    for function, _ in regenerate.concerned(table, tuple(graft.name for graft in grafts)):
        regenerate.run(function)


def rebuilt(names: Iterable[str]) -> dict[str, str]:
    """Rebuild, with the code of these parts, what the engine generated and read when it was imported.

    Returns:
        the parts with which that failed, and why: they are the reference again, and all was made with it.
    """
    failed: dict[str, str] = {}
    names = tuple(names)
    regenerate.follow(active(), names)
    for function, consumed in regenerate.concerned((*regenerate.READERS, *regenerate.REBUILDERS), names):
        try:
            regenerate.run(function)
        except Exception as error:
            for name in consumed:
                if name in _active:
                    failed[name] = f"the engine can't be made with it: {type(error).__name__}: {error}"
                    restore(name)
            regenerate.run(function)
    return failed


def source_of(name: str) -> str:
    """Return the reference source of `name` as it is in its file, including decorators.

    Raises:
        PartError: there is no such definition.
    """
    module, qualname = _locate(name)
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    nodes: list[Any] = ast.parse(text).body
    for identifier in qualname.split("."):
        found = [node for node in nodes if getattr(node, "name", None) == identifier]
        if not found:
            raise PartError(f"{module.__name__} defines no {qualname}")
        nodes = found[-1].body
    node = found[-1]
    first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
    return "".join(text.splitlines(keepends=True)[first - 1 : node.end_lineno])


def use_parts(folder: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Graft every `<module path>/<name>.py` below `folder`, e.g. `strides/view_strides.py`.

    A part that can't be grafted is reported by name on stderr and left to the reference, and so is a file
    that belongs to nothing in the engine. A part of a module that is imported when it is first used waits for that.

    Returns:
        (name, "" or the reason why it was left out), in the order of their paths.
    Raises:
        NotADirectoryError: there is no such folder.
    """
    outcome = []
    for name, path in part_files(root := Path(folder)):
        reason = ""
        try:
            _graft_in_time(name, path.read_text(encoding="utf-8"))
        except (PartError, OSError, UnicodeDecodeError) as error:
            reason = str(error)
        outcome.append((name, reason))
    failed = rebuilt(name for name, reason in outcome if not reason)
    outcome = [(name, failed.get(name, reason)) for name, reason in outcome]
    for name, reason in outcome:
        if reason:
            _say(f"{name} (in {root})", reason)
    return outcome


def part_files(root: Path) -> list[tuple[str, Path]]:
    """Return the name and the file of each part below a folder, in the order of their paths.

    Raises:
        NotADirectoryError: there is no such folder.
    """
    if not root.is_dir():
        raise NotADirectoryError(f"no folder of parts at {root.resolve()}")
    inside = {path: path.relative_to(root).with_suffix("").parts for path in sorted(root.rglob("*.py"))}
    return [
        (".".join(parts), path)
        for path, parts in inside.items()
        if not any(part.startswith((".", "__")) for part in parts)
    ]


def _say(part: str, reason: str) -> None:
    print(f"{PACKAGE}: {part} is left to the reference: {reason}", file=sys.stderr)


def _graft_in_time(name: str, source: str) -> None:
    """Graft a part, of a module that is imported when it is first used not before it is."""
    module = f"{PACKAGE}.{name.rpartition('.')[0]}"
    if lazy_imports.is_to_come(module):
        _awaited[name] = source
        lazy_imports.wait_for(module, functools.partial(_arrive, name))
    else:
        graft(name, source)


def _arrive(name: str) -> None:
    source = _awaited.pop(name, None)
    if source is None:
        return  # it was restored meanwhile
    try:
        graft(name, source)
    except PartError as error:
        _say(name, str(error))


def boot() -> list[tuple[str, str]]:
    """Activate the parts in the folder that the environment variable ENGINE_PARTS names, if it is set.

    A folder that is missing is reported on stderr.
    """
    folder = os.environ.get("ENGINE_PARTS")
    if not folder:
        return []
    try:
        return use_parts(folder)
    except NotADirectoryError as error:
        print(f"{PACKAGE}: ENGINE_PARTS: {error}; the reference runs", file=sys.stderr)
        return []


def _assign(owner: Any, attribute: str, value: Any) -> None:
    if value is not ABSENT:
        setattr(owner, attribute, value)
    elif attribute in vars(owner):
        delattr(owner, attribute)


def _locate(name: str) -> tuple[types.ModuleType, str]:
    """Return the module below the package with the longest path that begins `name`, and what is left of `name`."""
    identifiers = name.split(".")
    if len(identifiers) > 1 and all(identifier.isidentifier() for identifier in identifiers):
        for split in range(len(identifiers) - 1, 0, -1):
            path = ".".join([PACKAGE, *identifiers[:split]])
            with contextlib.suppress(ModuleNotFoundError):
                if path in sys.modules or importlib.util.find_spec(path):
                    return importlib.import_module(path), ".".join(identifiers[split:])
    raise PartError(f"there is no module of {PACKAGE} for '{name}'")


def _reference(name: str) -> tuple[types.ModuleType, str, Any]:
    module, qualname = _locate(name)
    target = vars(module).get(qualname, ABSENT)
    if target is ABSENT:
        raise PartError(f"{module.__name__} has no {qualname}")
    if not callable(target) or getattr(target, "__module__", None) != module.__name__:
        raise PartError(f"{qualname} is no function or class defined in {module.__name__}")
    return module, qualname, target


def _prepare(name: str, source: str) -> Graft:
    """Run the cell beside the engine's globals and say what a graft of it changes."""
    module, qualname, target = _reference(name)
    code = cell_compiler.compile_cell(source, f"<{name}>", qualname)
    register_text(name, source)
    cell = _CellNames(module, qualname)
    try:
        exec(code, vars(module), cell)
        if qualname not in cell.names:
            raise PartError(f"the cell defines no {qualname}")
        changes = changes_of(qualname, target, cell[qualname], f"<{name}>")
        # What the cell calls by the name of its own function is the engine's object, recursion included.
        values = {made: target if made == qualname else cell[made] for made in cell.names}
        if isinstance(target, type):
            values.setdefault(cell_compiler.SUPER, super)
        helpers = [Change(module, cell.unique(made), ABSENT, value) for made, value in values.items()]
    except Exception as error:
        if isinstance(error, PartError):
            raise
        raise PartError(f"the cell stops{_line_of(error, name)} with {type(error).__name__}: {error}") from error
    finally:
        for made in tuple(cell.names):
            del cell[made]
    return Graft(name, source, module, (*changes, *helpers))


def _line_of(error: BaseException, name: str) -> str:
    """Return " in line 3", where in the cell the error came up, or ""."""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == f"<{name}>":
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f" in line {line}" if line else ""


class _CellNames(MutableMapping[str, Any]):
    """The names of a running cell: each lives in the module's globals, under a name unique to the part."""

    def __init__(self, module: types.ModuleType, qualname: str):
        self.module, self.qualname = module, qualname
        self.names: dict[str, None] = {}

    def unique(self, name: str) -> str:
        return cell_compiler.unique(name, self.qualname)

    def __getitem__(self, name: str) -> Any:
        return vars(self.module)[self.unique(name)]  # KeyError: the interpreter tries the module's globals

    def __setitem__(self, name: str, value: Any) -> None:
        self.names[name] = None
        setattr(self.module, self.unique(name), value)

    def __delitem__(self, name: str) -> None:
        del self.names[name]
        _assign(self.module, self.unique(name), ABSENT)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def register_text(name: str, source: str) -> None:
    """Register `source` as the text of the part `name` for tracebacks and debuggers, until the next one replaces it."""
    linecache.cache[f"<{name}>"] = (len(source), None, source.splitlines(keepends=True), f"<{name}>")
