"""Check that a kernel's results come from its inputs by way of its accesses.

A trace is taken at its word about what was read and written, but it must hold together: each load gives what memory
held, and what an output depends on was loaded before it was stored.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .trace import Argument, Cell, Index, Trace, accesses, cell_of

Needed = Callable[..., Mapping[str, Iterable[Any]]]
Flow = dict[str, set[Index]]


class Finding(NamedTuple):
    """A contradiction or a gap in a trace: its kind, and the element of an argument or array that it concerns."""

    kind: str
    array: str
    index: Index  # type: ignore[assignment]  # the field's name, over tuple's method
    about: str


def cells_of(argument: Argument) -> Iterator[tuple[Index, Cell]]:
    """Yield each index of an argument, with the memory cell at that index."""
    if len(argument.sizes) == 1:  # most are, and a thousand of these are quick
        array, first, (step,) = argument.array, argument.first, argument.strides
        yield from (((i,), (array, -1, -1, first + i * step)) for i in range(argument.sizes[0]))
        return
    for index in np.ndindex(argument.sizes):
        flat = argument.first + sum(i * step for i, step in zip(index, argument.strides, strict=True))
        yield index, (argument.array, -1, -1, flat)


def replay(trace: Trace, inputs: Mapping[str, Any]) -> tuple[dict[Cell, Any], list[Finding]]:
    """Replay the accesses in order, and compare the value of each load with the contents of memory.

    Args:
        inputs: name of an argument -> its contents before the kernel ran. What else memory held is not known.
    Returns:
        The memory afterwards, as far as it is known, and the loads and atomics that gave something else, or that read
        what is not known.
    """
    memory: dict[Cell, Any] = {}
    for argument in _named(trace, inputs):
        values = np.asarray(inputs[argument.name])
        if values.shape != argument.sizes:
            raise ValueError(f"expected {argument.name} of shape {argument.sizes}, got {values.shape}")
        cells = (cell for _, cell in cells_of(argument))
        memory.update(zip(cells, map(_plain, values.reshape(-1).tolist()), strict=True))
    wrong = []
    for access in accesses(trace):
        if not access.inside or access.space == "constant":
            continue
        cell, read, left = cell_of(access), access.value, access.value
        if access.kind == "atomic":
            read, left = access.value
        if access.kind != "store" and (cell not in memory or not _same(memory[cell], read)):
            held = f"the memory held {memory[cell]}" if cell in memory else "and nothing had been stored there"
            about = f"it gave {read}, {held}"
            wrong.append(Finding("load", trace.arrays[access.array].name, (access.index,), about))
        if access.kind != "load":
            memory[cell] = left
    return memory, wrong


def cell_flows(trace: Trace) -> tuple[dict[Cell, int], list[Cell]]:
    """Return the values that may have flowed into each stored cell, as bits; bit n means the n-th cell of the returned
    list, with the value that it held at the beginning.

    A store may depend on all that its thread has loaded before, and that on all that flowed into what was loaded. This
    is what no kernel can exceed, whatever it computes: what a store really uses of it is not in a trace.
    """
    origins: dict[Cell, int] = {}
    of_thread: dict[tuple[int, int], int] = {}
    of_cell: dict[Cell, int] = {}
    for access in accesses(trace):
        if not access.inside or access.space == "constant":
            continue
        thread, cell = (access.block, access.thread), cell_of(access)
        if access.kind != "store":
            flow = of_cell.get(cell, 0)
            if cell not in of_cell and access.space == "global":
                flow = 1 << origins.setdefault(cell, len(origins))
            of_thread[thread] = of_thread.get(thread, 0) | flow
        if access.kind != "load":
            of_cell[cell] = of_thread.get(thread, 0)
    return of_cell, list(origins)


def flows(trace: Trace, output: str) -> dict[Index, Flow]:
    """Return for each element of an argument the elements that may have flowed into it: name of an argument -> indices.

    An element that was never stored depends on itself alone.
    """
    of_cell, origins = cell_flows(trace)
    names: dict[Cell, list[tuple[str, Index]]] = {}
    for argument in trace.arguments:
        for index, cell in cells_of(argument):
            names.setdefault(cell, []).append((argument.name, index))
    result: dict[Index, Flow] = {}
    for argument in _named(trace, (output,)):
        for index, cell in cells_of(argument):
            bits = of_cell.get(cell)
            flow = result[index] = {output: {index}} if bits is None else {}
            for origin in _ones(bits or 0):
                for name, at in names.get(origins[origin], ()):
                    flow.setdefault(name, set()).add(at)
    return result


def follows(
    trace: Trace, inputs: Mapping[str, Any], outputs: Mapping[str, Any], needed: Mapping[str, Needed]
) -> list[Finding]:
    """Return the reasons why the outputs do not follow from the inputs by the trace; empty if they do.

    Each load must give what the memory held; each element of an output must hold what the last store left there; and
    all that it is to be computed from must have been loaded by the thread that stored it, itself or by way of others.
    A result that was computed elsewhere and only written down has loaded nothing. A kernel that loads all and writes
    down something else is not found out by this: compare the values, for inputs that it can't know.

    Args:
        inputs: name of an argument -> its contents before the kernel ran.
        outputs: name -> its contents afterwards.
        needed: name of an output -> a function that takes the index of an element, as separate ints, and gives what
            it depends on: name of an input -> indices (ints or tuples).
    Raises:
        ValueError: there is no such argument, or the shape differs.

    >>> product = lambda i, j: {"a": [(i, k) for k in range(32)], "b": [(k, j) for k in range(32)]}
    >>> # follows(trace, {"a": a, "b": b}, {"c": c}, {"c": product})
    """
    memory, found = replay(trace, inputs)
    for argument in _named(trace, outputs):
        found += wrong_outputs(argument, np.asarray(outputs[argument.name]), memory)
    for argument in _named(trace, needed):
        found += missing_flows(trace, argument, needed[argument.name])
    return found


def wrong_outputs(argument: Argument, values: np.ndarray, memory: Mapping[Cell, Any]) -> list[Finding]:
    """Return a finding for each element of `values` that differs from the memory's contents after the last store.

    Raises:
        ValueError: the shape differs.
    """
    if values.shape != argument.sizes:
        raise ValueError(f"expected {argument.name} of shape {argument.sizes}, got {values.shape}")
    found = []
    for index, cell in cells_of(argument):
        held, got = memory.get(cell, "nothing that is known"), _plain(values[index])
        if not _same(held, got):
            about = f"it holds {got}; by the stores of the trace it holds {held}"
            found.append(Finding("output", argument.name, index, about))
    return found


def missing_flows(trace: Trace, argument: Argument, needed: Needed) -> list[Finding]:
    """Return a finding for each element of an argument into which not all elements in `needed` flowed."""
    of_cell, origins = cell_flows(trace)
    cells = {(other.name, index): cell for other in trace.arguments for index, cell in cells_of(other)}
    bit_of = {cell: 1 << number for number, cell in enumerate(origins)}
    found = []
    for index, cell in cells_of(argument):
        flow = of_cell.get(cell, bit_of.get(cell, 0))
        for source, indices in needed(*index).items():
            wanted = [at if isinstance(at, tuple) else (at,) for at in indices]
            missing = [at for at in wanted if not flow & bit_of.get(cells[source, at], 0)]
            if missing:
                more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
                about = f"nothing flows into it from {source} at {', '.join(map(str, missing[:4]))}{more}"
                found.append(Finding("flow", argument.name, index, about))
    return found


def _named(trace: Trace, names: Iterable[str]) -> list[Argument]:
    known = {argument.name: argument for argument in trace.arguments}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"expected names of {trace.kernel}'s array arguments, {', '.join(known)}; got {unknown[0]!r}")
    return [known[name] for name in names]


def _ones(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _plain(value: Any) -> Any:
    """Return a value as the trace writes it down."""
    scalar = value.item() if isinstance(value, np.generic) else value
    return (scalar.real, scalar.imag) if isinstance(scalar, complex) else scalar


def _same(one: Any, other: Any) -> bool:
    """Return True if two values are equal, where NaN equals NaN."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))
