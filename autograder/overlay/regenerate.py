"""Regeneration of what the engine makes while it is imported, when a student's part has gone live.

Most parts need nothing of this: callers of the function run the part. But the schemas have been parsed, and source
has been generated, by the time a notebook grafts a parser or a generator; and some functions show in slow code what
the engine generates, so nothing calls them. Rows are in the order of the engine's layers.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .grafting import PACKAGE

Row = tuple[tuple[str, ...], str]  # modules below the package whose code is consumed, and "module:function"

REBUILDERS: tuple[Row, ...] = (
    (("aten.codegen",), "aten.registration:generate_again"),
    (("autograd.gen_autograd_functions",), "autograd.registration:generate_nodes_again"),
    (("cpu.capability",), "cpu.elementwise:reselect_capability"),
)

# Parsers: every text that the engine has read is read again, and must come out as it was, or the part does not go live.
READERS: tuple[Row, ...] = (
    (("dispatch.schema", "dispatch.function_schema"), "dispatch.calling:read_schemas_again"),
    (("aten.native_functions",), "aten.registration:read_again"),
)

# Module -> what lets the engine run its functions of these names, and no others, instead of generated ones.
FOLLOWERS: dict[str, Callable[[tuple[str, ...]], None]] = {
    "dispatch.dispatcher": lambda names: _module("dispatch.dispatcher").switch("Dispatcher" in names),
    "autograd.variable_type_manual": lambda names: _module("autograd.registration").use_handwritten(names),
}
not_carried: set[str] = set()  # modules of FOLLOWERS whose parts are left out


def concerned(table: Iterable[Row], names: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the rows that parts of these names affect: the function to call, and the parts that it uses."""
    modules = {name: name.rpartition(".")[0] for name in names}
    for consumed, function in table:
        parts = tuple(name for name, module in modules.items() if module in consumed)
        if parts:
            yield function, parts


def run(function: str) -> None:
    """Call a function of the package, given as "module:function"."""
    module, _, name = function.partition(":")
    getattr(_module(module), name)()


def follow(active: Iterable[str], concerned: Iterable[str]) -> None:
    """Let the engine run its functions whose parts are active instead of generated ones.

    Args:
        active: names of the active parts.
        concerned: names of parts that came or went; modules without one are left alone.
    """
    parts = [name.rpartition(".") for name in active]
    for module in {name.rpartition(".")[0] for name in concerned} & FOLLOWERS.keys():
        FOLLOWERS[module](tuple(qualname for name, _, qualname in parts if name == module not in not_carried))


def _module(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")
