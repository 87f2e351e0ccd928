"""Regeneration of what the engine makes while it is imported, when a student's part has gone live.

Most parts need nothing of this: callers of the function run the part. But the schemas have been parsed, and source
has been generated, by the time a notebook grafts a parser or a generator. Each row names the modules whose code was
consumed so, and the function that does it again. Rows are in the order of the layers.
"""

import importlib
from collections.abc import Iterable, Iterator

_PACKAGE = __name__.partition(".")[0]

Row = tuple[tuple[str, ...], str]  # modules below the package, and "module:function"

# Switches that depend on which parts are active. They are cheap, so they run when a part is restored, too.
FOLLOWERS: tuple[Row, ...] = ((("dispatch.written",), "dispatch.written:follow_parts"),)

REBUILDERS: tuple[Row, ...] = (
    (("aten.codegen",), "aten.registration:generate_again"),
    (("autograd.gen_autograd_functions",), "autograd.registration:generate_nodes_again"),
    (("autograd.variable_type_manual",), "autograd.registration:register_parts"),
    (("cpu.capability",), "cpu.elementwise:reselect_capability"),
)

# Parsers: every text that the engine has read is read again, and must come out as it was, or the part does not go live.
READERS: tuple[Row, ...] = (
    (("dispatch.schema", "dispatch.function_schema"), "dispatch.calling:read_schemas_again"),
    (("aten.native_functions",), "aten.registration:read_again"),
)


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
    getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)()
