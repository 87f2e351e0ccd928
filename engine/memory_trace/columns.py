"""A trace as a few arrays, and back: a hundred thousand events as one block of numbers, to be sent and then judged.

The events have the int64 columns of an `Access`; a barrier has kind -1 and zeros in the others.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .trace import KINDS, Access, Barrier, Trace, from_plain

ATOMIC = KINDS.index("atomic")  # the last
REAL = int, float, bool
COLUMNS = 8  # block, thread, instruction, k, kind, array, index, inside


def to_columns(trace: Trace) -> dict[str, Any]:
    """Return the trace as plain data: `events` (n, 8) int64, `values` (n, 2) float64, and the rest as tuples.

    Of a value the second column is what an atomic left.

    Raises:
        ValueError: a value is not a real number.
    """
    events, values = [], []
    for event in trace.events:
        if isinstance(event, Barrier):
            events.append((*event, -1, 0, 0, 0))
            values.append((0, 0))
            continue
        value = event.value if event.kind == "atomic" else (event.value, 0)
        if not all(type(number) in REAL for number in value):
            raise ValueError(f"expected real numbers as values of a trace, got {event.value!r}")
        events.append((*event[:4], KINDS.index(event.kind), event.array, event.index, event.inside))
        values.append(value)
    rest = tuple(tuple(tuple(item) for item in part) for part in trace[3:6])
    return {
        "kernel": trace.kernel,
        "sizes": (trace.grid, trace.block),
        "rest": rest,
        "events": np.array(events, np.int64).reshape(-1, COLUMNS),
        "values": np.array(values, np.float64).reshape(-1, 2),
    }


def from_columns(data: Any) -> Trace:
    """Return the trace from what `to_columns` wrote, validating untrusted data. Values come back as floats.

    Raises:
        ValueError: it has not that form, or means threads, elements or instructions that do not exist.
    """
    try:
        return _read(data)
    except (TypeError, KeyError, IndexError) as error:
        raise ValueError(f"expected the columns of a trace: {error}") from None


def _read(data: Mapping[str, Any]) -> Trace:
    events, values, (arguments, arrays, instructions) = data["events"], data["values"], data["rest"]
    for name, column, width, kind in (("events", events, COLUMNS, np.int64), ("values", values, 2, np.float64)):
        if type(column) is not np.ndarray or column.dtype != kind or column.ndim != 2 or column.shape[1] != width:
            raise ValueError(f"expected {name} of shape (n, {width}), {kind.__name__}")
    if len(events) != len(values):
        raise ValueError(f"expected a value for each of {len(events)} events, got {len(values)}")
    head = from_plain((data["kernel"], *data["sizes"], arguments, arrays, instructions, ()))
    if _are_usual(head, events):
        return head._replace(events=_accesses(head, events, values))
    rows = [_event(row, value, arrays) for row, value in zip(events.tolist(), values.tolist(), strict=True)]
    return from_plain((data["kernel"], *data["sizes"], arguments, arrays, instructions, rows))


def _are_usual(head: Trace, events: np.ndarray) -> bool:
    """Return True if all events are loads and stores, of threads, instructions and elements that exist."""
    sizes = np.array([array.size for array in head.arrays] or [0])
    most = math.prod(head.grid), math.prod(head.block), len(head.instructions), math.inf, ATOMIC, len(head.arrays)
    columns = events.T
    if len(events) and any(not 0 <= column.min() <= column.max() < limit
                           for column, limit in zip(columns, most, strict=False)):  # fmt: skip
        return False
    *_, array, index, inside = columns
    return bool(np.all(~inside.astype(bool) | ((index >= 0) & (index < sizes[array]))))


def _accesses(head: Trace, events: np.ndarray, values: np.ndarray) -> tuple[Access, ...]:
    """Return the events of a trace that `_are_usual`."""
    block, thread, instruction, k, kind, array, index, inside = events.T.tolist()
    kinds, spaces = (KINDS[number] for number in kind), (head.arrays[number].space for number in array)
    rows = zip(block, thread, instruction, k, kinds, spaces, array, index, values[:, 0].tolist(), map(bool, inside),
               strict=True)  # fmt: skip
    return tuple(map(Access._make, rows))


def _event(row: list[int], value: list[float], arrays: Any) -> Access | Barrier:
    block, thread, instruction, k, kind, array, index, inside = row
    if kind < 0:
        return Barrier(block, thread, instruction, k)
    name, space = KINDS[kind], arrays[array][1]
    left = tuple(value) if name == "atomic" else value[0]
    return Access(block, thread, instruction, k, name, space, array, index, left, bool(inside))
