"""The bytecode of a submitted cell: which instructions there are, and whether one leads to another."""

import ast
import dis
import functools
import types
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from autograder.overlay import cell_compiler, grafting

ENTRY, EXIT = -1, -2
OF_GENERATORS = 0x20 | 0x80 | 0x200  # flags of a code that is left and entered in its middle
ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD",
        "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE")  # fmt: skip
RETURNS = ("RETURN_VALUE", "RETURN_CONST")
OURS = ("engine", "autograder")  # folders of code that is believed: what a kernel calls beside the cell
OF_PROBES = ("call", "exp")  # functions that probes make of a text
Position = tuple[int | None, int | None, int | None, int | None]


class Site(NamedTuple):
    """An instruction of the cell's bytecode.

    Attributes:
        steady: whether each execution is an access, or each is none: `x[i]` of an argument x that stays the same.
        receiver: (position of the function, name) of x, where it is an argument.
    """

    code: types.CodeType
    offset: int
    name: str
    steady: bool
    receiver: tuple[int, str] | None

    @property
    def is_generator(self) -> bool:
        return bool(self.code.co_flags & OF_GENERATORS)


class Program:
    """The syntax tree of a cell, and its code as the worker compiles it."""

    def __init__(self, exercise: str, source: str):
        self.file, qualname = f"<{exercise}>", exercise.rpartition(".")[2]
        self._sites: dict[types.CodeType, dict[int, Site]] = {}
        try:
            self._codes = list(_codes(cell_compiler.compile_cell(source, self.file, qualname)))
            self._subscripts = dict(_subscripts(ast.parse(source)))
        except (grafting.PartError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ValueError(f"a trace of a cell that does not compile: {error}") from None

    def site(self, file: str, function: str, line: int, offset: int) -> Site | None:
        """Return the instruction that a trace refers to, or None if it is in our code, not in the cell.

        Raises:
            ValueError: there is no such instruction.
        """
        if file != self.file:
            _require_ours(file, function)
            return None
        for code in self._codes:
            if code.co_name == function and (step := steps_of(code).get(offset)) and _line(step) == line:
                return self._sites_of(code)[offset]
        raise ValueError(f"an instruction in line {line} of {function}, where the cell has none")

    def alike(self, site: Site) -> frozenset[int]:
        """Return the offsets in the same code object where the same argument is indexed."""
        sites = self._sites_of(site.code).values() if site.receiver else ()
        return frozenset(one.offset for one in sites if one.receiver == site.receiver)

    def _sites_of(self, code: types.CodeType) -> dict[int, Site]:
        """Return all instructions of a code, by offset."""
        if code not in self._sites:
            self._sites[code] = {offset: self._site(code, step) for offset, step in steps_of(code).items()}
        return self._sites[code]

    def _site(self, code: types.CodeType, step: dis.Instruction) -> Site:
        receiver = self._subscripts.get(_position(step))
        is_subscript = step.opname in ("BINARY_SUBSCR", "STORE_SUBSCR") or (
            step.opname == "BINARY_OP" and step.argrepr == "[]"
        )
        is_call = step.opname.startswith("CALL") and receiver is not None and receiver[1] == "()"
        steady = receiver is not None and (is_call or is_subscript and receiver[1] != "()")
        return Site(code, step.offset, step.opname, steady, receiver if steady and is_subscript else None)


@functools.lru_cache(maxsize=1024)
def _require_ours(file: str, function: str) -> None:
    """Raise ValueError if there is no such function in the engine and the probes."""
    if file == "<string>" and function in OF_PROBES:
        return
    root = Path(__file__).resolve().parents[2]
    parts = Path(file.replace("\\", "/")).parts
    for folder in OURS:
        if folder in parts:
            at = len(parts) - 1 - parts[::-1].index(folder)
            inside = parts[at:]
            if ".." not in inside and function in _functions_of(root.joinpath(*inside)):
                return
    raise ValueError(f"an instruction of {function} in {file[-80:]}, which is neither the cell's nor the engine's")


@functools.lru_cache(maxsize=64)
def _functions_of(path: Path) -> frozenset[str]:
    if not path.is_file() or path.suffix != ".py":
        return frozenset()
    return frozenset(code.co_name for code in _codes(compile(path.read_text(encoding="utf-8"), path.name, "exec")))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _line(step: dis.Instruction) -> int | None:
    return step.positions.lineno if step.positions else None


def _position(step: dis.Instruction) -> Position:
    return tuple(step.positions) if step.positions else (None,) * 4  # type: ignore[return-value]


def _subscripts(tree: ast.AST) -> Iterator[tuple[Position, tuple[int, str]]]:
    """Yield position, (function, name) of each `x[i]` of an argument its function keeps; "()" of a `syncthreads()`."""
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        given = function.args
        names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        inside = list(ast.walk(function))
        names -= {node.id for node in inside if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        for node in _of_function(function):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in names:
                if not any(isinstance(part, (ast.Slice, ast.Starred)) for part in ast.walk(node.slice)):
                    yield _extent(node), (function.lineno, node.value.id)
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "").startswith("syncthreads"):
                yield _extent(node), (function.lineno, "()")


def _extent(node: ast.expr) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _of_function(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, except the nodes of functions within it."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield child
            yield from _of_function(child)


# ---- paths


@functools.lru_cache(maxsize=256)
def steps_of(code: types.CodeType) -> dict[int, dis.Instruction]:
    """Return the instructions of a code object, by offset."""
    return {step.offset: step for step in dis.get_instructions(code)}


@functools.lru_cache(maxsize=256)
def _successors(code: types.CodeType) -> dict[int, tuple[int, ...]]:
    steps = list(steps_of(code).values())
    found: dict[int, list[int]] = {ENTRY: [steps[0].offset]}
    handlers = [(entry.start, entry.end, entry.target) for entry in dis.Bytecode(code).exception_entries]  # type: ignore[attr-defined]
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        following = [after.offset] if after and step.opname not in ENDS else []
        if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            following.append(step.argval)
        following += [target for start, end, target in handlers if start <= step.offset < end]
        found[step.offset] = following + [EXIT] * (step.opname in RETURNS)
    return {offset: tuple(following) for offset, following in found.items()}


@functools.lru_cache(maxsize=4096)
def reaches(code: types.CodeType, start: int, goal: int, between: frozenset[int]) -> bool:
    """Return True if a path leads from after `start` to `goal` that avoids all of `between`."""
    successors, seen = _successors(code), set()
    waiting = list(successors[start])
    while waiting:
        offset = waiting.pop()
        if offset == goal:
            return True
        if offset not in seen and offset not in between and offset != EXIT:
            seen.add(offset)
            waiting += successors[offset]
    return False
