"""A student's code where it runs: without the builtins, tools and attributes that the filter of its text refuses.

What the filter has overlooked in the text is looked for again in the compiled code, and what only shows when the code
runs (`getattr` with a name that was put together) is asked each time. All of it is in the student's own process: it
keeps names from leading anywhere, and is not a wall between processes.
"""

import builtins
import dis
import functools
import importlib
import operator
import sys
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any

from autograder.examine.refused_names import (
    BY_TEXT,
    FORMATS,
    GETTERS,
    MODULE_TOOLS,
    is_inside,
    is_protocol,
    looks_into,
    refuses_attribute,
)

ATTRIBUTE_STEPS = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR", "IMPORT_FROM")
NAME_STEPS = ("LOAD_GLOBAL", "LOAD_NAME")
OF_CLASS_BODIES = ("__build_class__", "__annotations__", "__type_params__")  # a compiler's names
CHECKED: dict[str, Callable[..., Any]] = {"getattr": getattr, "setattr": setattr, "delattr": delattr}


class Refused(Exception):
    """The compiled cell uses something that an exercise may not use."""


def require(source: str, name: str, may_use: Collection[str], without: Collection[str]) -> None:
    """Raise Refused if the code of a cell uses a name, attribute or class pattern that is not allowed.

    Raises:
        Refused: with the line.
    """
    try:
        code = compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # it is reported when the cell is grafted
    _look_into(code, may_use, without)


def _look_into(code: types.CodeType, may_use: Collection[str], without: Collection[str]) -> None:
    before = None
    for step in dis.get_instructions(code):
        line = step.positions.lineno if step.positions else 0
        if step.opname in ATTRIBUTE_STEPS and refuses_attribute(str(step.argval), may_use):
            raise Refused(f"line {line}: .{step.argval} may not be used in an exercise")
        is_format = step.opname in ATTRIBUTE_STEPS and step.argval in FORMATS and step.argval not in may_use
        if is_format and (type(before) is not str or looks_into(before)):
            raise Refused(f"line {line}: .{step.argval} may not be used in an exercise")
        if step.opname in NAME_STEPS and _is_refused(step.argval, may_use, without):
            raise Refused(f"line {line}: {step.argval} may not be used in an exercise")
        if step.opname in ("STORE_NAME", "STORE_GLOBAL") and is_protocol(step.argval) and step.argval not in may_use:
            raise Refused(f"line {line}: {step.argval} may not be used in an exercise")
        if step.opname == "MATCH_CLASS" and (step.argval or before):
            raise Refused(f"line {line}: a class pattern that looks into the object may not be used in an exercise")
        before = step.argval if step.opname == "LOAD_CONST" else None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _look_into(constant, may_use, without)
        if protocol := next((text for text in _texts(constant) if is_protocol(text) and text not in may_use), ""):
            raise Refused(f"line {code.co_firstlineno}: {protocol} may not be used in an exercise")


def _texts(constant: object) -> Iterator[str]:
    if isinstance(constant, str):
        yield constant
    for inner in constant if isinstance(constant, (tuple, frozenset)) else ():
        yield from _texts(inner)


def _is_refused(name: str, may_use: Collection[str], without: Collection[str]) -> bool:
    return name not in OF_CLASS_BODIES and name not in may_use and (
        is_inside(name) or (name in without and name not in CHECKED)
    )  # fmt: skip


def enclose(
    module: types.ModuleType, may_use: Collection[str], without: Collection[str], numpy: frozenset[str] = frozenset()
) -> None:
    """Hide the builtins in `without` from functions of this module, and restrict `getattr` to permitted attributes.

    Of NumPy, under whatever name the module has it, they get the names in `numpy`.

    A function keeps the builtins that it was made with; so they are hidden by globals of the module as well.
    """
    hidden: dict[str, Any] = {name: _missing(name) for name in without if hasattr(builtins, name)}
    hidden |= {name: _checked(function, may_use) for name, function in CHECKED.items()}
    scope = vars(module)
    scope["__builtins__"] = vars(builtins) | hidden
    scope.update(hidden)
    scope.update({name: _numpy(numpy) for name, value in scope.items() if value is sys.modules.get("numpy")})


@functools.cache
def _numpy(names: frozenset[str]) -> types.ModuleType:
    """Return a module with these names of NumPy, which numba takes for NumPy."""
    module = sys.modules["numpy"]
    made = types.ModuleType(module.__name__)
    vars(made).update({name: getattr(module, name) for name in names if hasattr(module, name)})
    return made


def _missing(name: str) -> Callable[..., Any]:
    def missing(*_: Any, **__: Any) -> Any:
        raise NameError(f"name {name!r} is not defined: it may not be used in an exercise")

    return missing


def _checked(function: Callable[..., Any], may_use: Collection[str]) -> Callable[..., Any]:
    def checked(thing: Any, name: Any, *rest: Any) -> Any:
        if type(name) is not str or refuses_attribute(name, may_use):
            raise AttributeError(f".{name} may not be used in an exercise")
        return function(thing, name, *rest)

    return checked


def _checked_getter(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `attrgetter` or `methodcaller`, limited to names that code of an exercise may use."""

    def getter(*names: Any, **more: Any) -> Any:
        taken = names if function is operator.attrgetter else names[:1]
        parts = [part for name in taken for part in (name.split(".") if type(name) is str else (name,))]
        refused = [part for part in parts if type(part) is not str or part in FORMATS or refuses_attribute(part, ())]
        if refused:
            raise AttributeError(f".{refused[0]} may not be used in an exercise")
        made = function(*names, **more)
        return lambda thing: made(thing)  # its type makes no other getter

    return getter


@functools.cache
def tools(module: types.ModuleType) -> types.ModuleType:
    """Return a copy of one of the `MODULE_TOOLS`: only public names, and no function that takes attribute names."""
    made = types.ModuleType(module.__name__)
    public = getattr(module, "__all__", [name for name in vars(module) if name[0] != "_"])
    found = {name: getattr(module, name) for name in public if name not in BY_TEXT}
    vars(made).update(found)
    vars(made).update({name: _checked_getter(getattr(module, name)) for name in GETTERS if hasattr(module, name)})
    if "wraps" in found:
        vars(made)["wraps"] = lambda wrapped: functools.wraps(wrapped)
    if module.__name__ == "collections":
        vars(made)["abc"] = tools(_abc())
    return made


def _abc() -> types.ModuleType:
    import collections.abc

    return collections.abc


def is_tool(name: str) -> bool:
    return name in (*MODULE_TOOLS, "numpy")


def imported(origin: str, members: Collection[str], numpy: frozenset[str]) -> types.ModuleType:
    """Return the tool that an import statement gets: `origin` or its package, with `numpy` names of NumPy.

    Raises:
        ImportError: of NumPy another name is asked for, which Python would look for among the loaded modules.
    """
    if origin == "numpy":
        if refused := sorted(set(members) - numpy):
            raise ImportError(f"numpy.{refused[0]} may not be used in an exercise")
        return _numpy(numpy)
    return tools(importlib.import_module(origin if members else origin.partition(".")[0]))
