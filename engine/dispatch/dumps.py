"""An operator's registrations, its computed table, and the way of a call, as text and data for readers."""

from collections.abc import Callable
from typing import Any

from .keys import BACKEND_MASK, DispatchKey, highest_bit, highest_key
from .registry import OperatorEntry, fallbacks, find, operators
from .resolved import lock
from .table import Kernel, computed_table

ORIGINS = {  # as PyTorch's table dump calls them
    "kernel": "kernel", "default": "default backend kernel", "math": "math kernel", "autograd": "autograd kernel",
    "batched": "batched kernel", "fallback": "backend fallback", "ambiguous": "ambiguous autogradother",
    "missing": "missing",
}  # fmt: skip


def dump_table(entry: OperatorEntry) -> str:
    """Return the computed table, a line for each runtime key that has an entry, as `torch._C._dispatch_dump_table`."""
    lines = []
    for key, (kernel, origin) in computed_table(entry.kernels, fallbacks).items():
        if kernel is not None:
            fallthrough = "fallthrough " if kernel.is_fallthrough else ""
            lines.append(f"{key.name}: {fallthrough}{kernel.debug} [{ORIGINS[origin]}]\n")
        elif origin == "ambiguous":
            lines.append(f"{key.name}: ambiguous_autogradother [{ORIGINS[origin]}]\n")
    return "".join(lines)


def dump(entry: OperatorEntry) -> str:
    """Return the registrations, newest first, as `torch._C._dispatch_dump`."""
    lines = [f"name: {entry.name}\n"]
    if entry.schema is None:
        lines.append("schema: (none)\n")
    else:
        lines += [f"schema: {entry.schema}\n", f"debug: {entry.debug}\n", "alias analysis kind: FROM_SCHEMA\n"]
    for key, kernels in sorted(entry.registered.items()):
        alias = "[alias]" if key >= DispatchKey.Autograd else ""
        for number, kernel in enumerate(kernels):
            inactive = " (inactive)" if number else ""
            fallthrough = "fallthrough " if kernel.is_fallthrough else ""
            lines.append(f"{key.name}{alias}{inactive}: {kernel.debug} :: (none) [ {fallthrough}boxed ]\n")
    return "".join(lines)


def table(name: str) -> dict[str, tuple[Callable[..., Any] | None, str]]:
    """Return the operator's table as data: runtime key -> (the callable registered for it or None, its origin).

    The origins are as in `computed_kernel`, and "fallthrough" for a key that calls skip.

    Raises:
        RuntimeError: nothing was defined or registered under that name.
    """
    entry = operators.get(name) or find(name)
    result: dict[str, tuple[Callable[..., Any] | None, str]] = {}
    with lock:
        for key, (kernel, origin) in computed_table(entry.kernels, fallbacks).items():
            if kernel is None:
                result[key.name] = None, origin
            elif kernel.is_fallthrough:
                result[key.name] = None, "fallthrough"
            else:
                result[key.name] = kernel.registered, origin
    return result


def explain(name: str, key_set: int) -> list[tuple[DispatchKey, str, Kernel | None]]:
    """Return the dispatch steps of a call: its keys from the highest down to the one taken, each with its origin."""
    entry = find(name)
    full = computed_table(entry.kernels, fallbacks)
    steps: list[tuple[DispatchKey, str, Kernel | None]] = []
    rest = key_set
    while True:
        key = highest_key(rest)
        kernel, origin = full[key]
        steps.append((key, origin, kernel))
        if not rest & ~BACKEND_MASK or kernel is None or not kernel.is_fallthrough:
            return steps
        rest &= ~highest_bit(rest)
