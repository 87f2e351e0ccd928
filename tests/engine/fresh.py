"""Registrations that a test makes, under a name that nobody used, and that are gone when it ends.

def program(T, fresh):
    fresh.define("op(Tensor x) -> Tensor")
    fresh.impl("op", lambda x: x + 1, "CPU")
    return fresh.ops.op(T.ones(2))

assert_agree(program)  # with T = engine and with T = torch
"""

import itertools
import re
from collections.abc import Callable
from typing import Any

from compare import engine, outcome, torch

_names = (f"fresh_{number}" for number in itertools.count())


class Fresh:
    """A namespace of its own, and every library that is opened through it.

    Args:
        T: the engine or PyTorch.
        name: of the namespace.
    """

    def __init__(self, T: Any, name: str | None = None):
        self.T, self.name = T, name or next(_names)
        self._opened: list[Any] = []

    def __enter__(self) -> "Fresh":
        return self

    def __exit__(self, *error: Any) -> None:
        for library in reversed(self._opened):
            library._destroy()

    @property
    def ops(self) -> Any:
        return getattr(self.T.ops, self.name)

    def library(self, kind: str = "FRAGMENT", dispatch_key: str = "", ns: str = "") -> Any:
        """Open a library; in this namespace, or another one."""
        library = self.T.library.Library(ns or self.name, kind, dispatch_key)
        self._opened.append(library)
        return library

    def define(self, *schemas: str) -> Any:
        """Define operators in a library, which comes back."""
        library = self.library()
        for schema in schemas:
            library.define(schema)
        return library

    def impl(self, op: Any, function: Callable[..., Any], key: str = "", **keywords: Any) -> Any:
        """Register a kernel in a library of its own, which comes back: destroying it undoes this one."""
        library = self.library("IMPL")
        library.impl(op, function, key, **keywords)
        return library

    def impl_aten(self, op: str, function: Callable[..., Any], key: str, **keywords: Any) -> Any:
        """`impl` for an operator that was there before."""
        library = self.library("IMPL", ns="aten")
        library.impl(op, function, key, **keywords)
        return library

    def fallback(self, function: Callable[..., Any], key: str, **keywords: Any) -> Any:
        """Register a backend fallback in a library of its own, which comes back."""
        library = self.library("IMPL", ns="_")
        library.fallback(function, key, **keywords)
        return library


def error_of(call: Callable[[], Any]) -> str:
    """Type and first line of the error of a call: what PyTorch and the engine have to have in common."""
    try:
        result = call()
    except Exception as error:
        first_line = str(error).partition("\n")[0]
        return f"{type(error).__name__}: {first_line}"
    return f"no error: {result!r}"


def keys(T: Any, *names: str) -> Any:
    """A DispatchKeySet by the names of its keys."""
    key_set = T._C.DispatchKeySet(T._C.DispatchKey.Undefined)
    for name in names:
        key_set = key_set | T._C.DispatchKeySet(T._C._dispatch_key_parse(name))
    return key_set


Program = Callable[[Any, Fresh], Any]


def outcomes(program: Program) -> tuple[Any, Any]:
    """Return the visible state of a program's result on both sides; both use the same fresh name."""
    name = next(_names)

    def run(T: Any) -> Any:
        with Fresh(T, name) as fresh:
            return program(T, fresh)

    return outcome(engine, run), outcome(torch, run)


def assert_agree(program: Program) -> None:
    """The engine and PyTorch give the same result, or an error of the same type."""
    got, expected = outcomes(program)
    assert got == expected, f"\nengine:  {got}\nPyTorch: {expected}"


def without_lines(text: str) -> str:
    """A message in which places are files without folder and line."""
    return re.sub(r"(?:/[\w.@-]+)+/(\w+\.py):\d+", r"\1", text)
