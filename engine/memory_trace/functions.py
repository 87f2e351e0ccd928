"""The functions of a kernel with other names around them: `cuda` is the recorder's, device functions are plain Python.

The code itself is not changed, nor is any module: each function gets globals of its own. So a kernel can be recorded
while numba runs others, and in a process with a GPU.
"""

import dis
import functools
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np


def python_function(kernel: Any) -> types.FunctionType:
    """Return the Python function of a kernel, without `@cuda.jit`.

    Raises:
        TypeError: it is not a kernel; with what it is.
    """
    if not hasattr(kernel, "py_func") or "cuda" not in type(kernel).__module__:
        name = getattr(kernel, "__qualname__", None)
        got = f"{type(kernel).__name__} {name}" if name else repr(kernel)
        raise TypeError(f"expected a kernel, a function under @cuda.jit, got {got}")
    options = getattr(kernel, "targetoptions", {})
    if getattr(kernel, "_device", False) or options.get("device"):
        raise TypeError(f"{kernel.py_func.__qualname__} is a device function: record the kernel that calls it")
    return kernel.py_func


class Rebinder:
    """A maker of functions in which the module `cuda` is replaced by `kernel_cuda`.

    Args:
        kernel_cuda: replaces `numba.cuda`.
        constant: makes of an array among the globals, which numba compiles as a constant, one that is recorded.
        instead: replacements of globals that only compiled code can call; then functions of the whole package are
            rebound, not of one file alone.
        require: called with each function of a kernel; it may refuse the function.
    """

    def __init__(
        self, kernel_cuda: Any, constant: Callable[[np.ndarray], Any], instead: Sequence[tuple[Any, Any]] = (),
        require: Callable[[types.FunctionType], None] | None = None,
    ):  # fmt: skip
        self._require = require
        self._cuda = kernel_cuda
        self._constant = constant
        self._is_whole = bool(instead)
        self._done: dict[int, Any] = {id(name): stand_in for name, stand_in in instead}

    def function(self, function: types.FunctionType) -> types.FunctionType:
        """Return a function with the same code, but with its globals and closure rebound."""
        if id(function) in self._done:
            return self._done[id(function)]
        if self._require:
            self._require(function)
        scope = dict(function.__globals__)
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells or None)
        made.__kwdefaults__ = function.__kwdefaults__
        self._done[id(function)] = made  # before what it calls: it may call itself
        names = set(names_of(function.__code__))
        for name in globals_of(function.__code__) & scope.keys():
            scope[name] = self._value(scope[name], names, function)
        for cell, of in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self._value(of.cell_contents, names, function)
        return made

    def _value(self, value: Any, names: set[str], user: types.FunctionType) -> Any:
        """Return the recorded form of a global: itself, unless it is or leads to `cuda`, a jitted function or an array.

        The simulator, which swaps `cuda` in a whole module, lets a kernel call plain functions beside it: so does this.
        """
        if value is sys.modules.get("numba.cuda"):
            return self._cuda
        if id(value) in self._done:
            return self._done[id(value)]
        if isinstance(value, types.ModuleType):
            found = {name: vars(value)[name] for name in names if name in vars(value)}
            rebound = {name: self._value(of, names - {name}, user) for name, of in found.items()}
            changed = {name: of for name, of in rebound.items() if of is not found[name]}
            return _ModuleView(value, changed) if changed else value
        if isinstance(getattr(value, "py_func", None), types.FunctionType):
            return self.function(value.py_func)
        if isinstance(value, types.FunctionType) and self._is_beside(value, user):
            return self.function(value)
        if isinstance(value, np.ndarray):
            self._done[id(value)] = self._constant(value)
            return self._done[id(value)]
        return value

    def _is_beside(self, function: types.FunctionType, user: types.FunctionType) -> bool:
        one, other = (str(of.__globals__.get("__name__")).partition(".")[0] for of in (function, user))
        is_of_kernel = self._require is not None and one == __name__.partition(".")[0]
        return function.__globals__ is user.__globals__ or (self._is_whole and (one == other or is_of_kernel))


class _ModuleView(types.ModuleType):
    """A module with some names rebound."""

    def __init__(self, module: types.ModuleType, changed: dict[str, Any]):
        super().__init__(module.__name__)
        self.__dict__.update(vars(module))
        self.__dict__.update(changed)


def names_of(code: types.CodeType) -> Iterator[str]:
    """Yield the global and attribute names that a code object uses, including functions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_of(constant)


def globals_of(code: types.CodeType) -> set[str]:
    """Return the global names that a code object and functions within it read, without attributes of the same names."""
    read = {one.argval for one in instructions_of(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return read.union(*(globals_of(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)))


@functools.lru_cache
def instructions_of(code: types.CodeType) -> tuple[dis.Instruction, ...]:
    """Return the instructions of a code object, without inline caches."""
    return tuple(dis.get_instructions(code))


def instruction_start(code: types.CodeType, offset: int) -> int:
    """Return the offset of the instruction at a frame's `f_lasti`, which may point into the inline cache after it."""
    return max(at.offset for at in instructions_of(code) if at.offset <= offset)


def variable_at(code: types.CodeType, offset: int) -> str:
    """Return the local variable that the result of the call at a frame's `f_lasti` is assigned to, or ""."""
    after = next((at for at in instructions_of(code) if at.offset > offset), None)
    return str(after.argval) if after and after.opname in ("STORE_FAST", "STORE_DEREF") else ""
