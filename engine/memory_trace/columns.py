"""A trace as a few arrays, and back: a hundred thousand events as one block of numbers, to be sent and then judged.

The events have the int64 columns of an `Access`; a barrier has kind -1 and zeros in the others.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .trace import KINDS, Access, Barrier, Trace, from_plain

COLUMNS = 8  # block, thread, instruction, k, kind, array, index, inside


def to_columns(trace: Trace) -> dict[str, Any]:
    """The trace as plain data: `events` (n, 8) int64, `values` (n, 2) float64, and the rest as tuples.

    Of a value the second column is what an atomic left.

    Raises:
        ValueError: a value is not a real number.
    """
    events, values = np.zeros((len(trace.events), COLUMNS), np.int64), np.zeros((len(trace.events), 2))
    for row, event in enumerate(trace.events):
        if isinstance(event, Barrier):
            events[row, :5] = (*event, -1)
            continue
        value = event.value if event.kind == "atomic" else (event.value, 0)
        if any(type(number) not in (int, float, bool) for number in value):
            raise ValueError(f"expected real numbers as values of a trace, got {event.value!r}")
        kind = KINDS.index(event.kind)
        events[row] = (*event[:4], kind, event.array, event.index, event.inside)
        values[row] = value
    rest = tuple(tuple(tuple(item) for item in part) for part in trace[3:6])
    return {
        "kernel": trace.kernel,
        "sizes": (trace.grid, trace.block),
        "rest": rest,
        "events": events,
        "values": values,
    }


def from_columns(data: Any) -> Trace:
    """The trace that `to_columns` wrote, whoever sent it. Values come back as floats.

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
    rows = [_event(row, value, arrays) for row, value in zip(events.tolist(), values.tolist(), strict=True)]
    return from_plain((data["kernel"], *data["sizes"], arguments, arrays, instructions, rows))


def _event(row: list[int], value: list[float], arrays: Any) -> Access | Barrier:
    block, thread, instruction, k, kind, array, index, inside = row
    if kind < 0:
        return Barrier(block, thread, instruction, k)
    name, space = KINDS[kind], arrays[array][1]
    left = tuple(value) if name == "atomic" else value[0]
    return Access(block, thread, instruction, k, name, space, array, index, left, bool(inside))
