"""The table of a profile, as text. Mirrors _build_table (torch/autograd/profiler_util.py).

Where a table has both operations and callers PyTorch puts each under the header of the other; here they are right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .device import UNSYNCHRONIZED
from .events import DeviceType
from .formats import flops_scale, format_memory, format_time, format_time_share

WIDTH, SPACING = 12, 2


@dataclass(frozen=True)
class Column:
    """A column of a table: its header, width and alignment, and a function that returns the text of a cell."""

    header: str
    width: int
    shown: Callable[[Any], str]
    align: str = ">"

    def cell(self, text: str) -> str:
        return f"{text:{self.align}{self.width}}" + " " * SPACING


@dataclass(frozen=True)
class Options:
    """The layout options of a table.

    Attributes:
        max_name_column_width and the like: characters; None: as wide as needed.
        time_unit: "s", "ms" or "us" for all times; None: the one that fits, for each.
    """

    row_limit: int = 100
    max_src_column_width: int | None = 75
    max_name_column_width: int | None = 55
    max_shapes_column_width: int | None = 80
    header: str | None = None
    top_level_events_only: bool = False
    profile_memory: bool = False
    with_flops: bool = False
    time_unit: str | None = None


def build_table(events: Sequence[Any], sort_by: str | None, options: Options) -> str:
    """Return a table of events or of their sums as text; "" if there are none.

    Args:
        sort_by: the name of a number; `number_of(event, sort_by)` returns that number. Largest first, equal ones in
            their order. None: they stay in their order. The list is not changed.
    Returns:
        a text of these lines, joined by line feeds:

            the line `options.header` with a line of "=" above it, if it is not None
            "This report only display top-level ops statistics" in the same way, if `options.top_level_events_only`
            a rule, the headers of the columns, a rule
            the lines of the rows (`lines_of`): the first `options.row_limit`, or all if that is negative; with
                `options.top_level_events_only`, rows that have a `cpu_parent` are left out first
            a rule
            the lines below the table, `totals_of(rows, options)`; the last one is "", so the text ends with a line feed

        Columns and totals are made from all rows in their sorted order, shown or not. In a rule each column has as many
        "-" as it is wide, followed by SPACING spaces; a line of "=" is as long as a rule without its last spaces.
    Raises:
        AttributeError: the events do not have that number.
        RuntimeError: `sort_by` is a time of the device that is not known.

    Source: _build_table (torch/autograd/profiler_util.py).
    """
    if not events:
        return ""
    rows = list(events)
    if sort_by is not None:
        rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)
    columns = columns_of(rows, options)
    rule = "".join("-" * column.width + " " * SPACING for column in columns)
    double = "=" * (len(rule) - SPACING)
    lines = [double, options.header] if options.header is not None else []
    if options.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.header) for column in columns), rule]
    shown = [row for row in rows if row.cpu_parent is None] if options.top_level_events_only else rows
    for row in shown if options.row_limit < 0 else shown[: options.row_limit]:
        lines += lines_of(row, columns)
    return "\n".join([*lines, rule, *totals_of(rows, options)])


def number_of(event: Any, metric: str) -> Any:
    """Return the value of a metric of an event or of a sum of events.

    Raises:
        AttributeError: it has no such number.
        RuntimeError: a time of the device that is not known.
    """
    return getattr(event, attribute_of(metric))


def attribute_of(metric: str) -> str:
    """Return the attribute for a metric such as "cuda_time_total", where "device" replaces the device name."""
    return metric.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")


def lines_of(row: Any, columns: Sequence[Column]) -> list[str]:
    """Return the lines of a row: the row itself and, in a table with stacks, one per further caller and a blank one."""
    first = "".join(column.cell(column.shown(row)) for column in columns)
    if columns[-1].header != SOURCE:
        return [first]
    callers = [*row.stack[1:], ""]
    *others, last = columns
    blank = "".join(column.cell("") for column in others)
    return [first, *(blank + last.cell(elide_start(caller, last.width)) for caller in callers)]


# ---- columns


SOURCE = "Source Location"


def columns_of(rows: Sequence[Any], options: Options) -> list[Column]:
    """Return the columns of a table with these rows."""
    name_width = max(len(row.key) for row in rows) + 4
    longest = options.max_name_column_width
    name_width = name_width if longest is None else min(name_width, longest)
    columns = [Column("Name", name_width, lambda row: cut(row.key, longest))]
    if any(row.overload_name for row in rows):
        columns.append(Column("Overload Name", name_width, lambda row: cut(row.overload_name, longest)))
    columns += cpu_columns(rows, options)
    if has_device_time(rows):
        columns += device_columns(rows, options)
    if options.profile_memory:
        columns += memory_columns(rows)
    columns.append(Column("# of Calls", WIDTH, lambda row: str(row.count)))
    return [*columns, *wide_columns(rows, options)]


def cpu_columns(rows: Sequence[Any], options: Options) -> list[Column]:
    """Return the columns for CPU times."""
    total, unit = sum(row.self_cpu_time_total for row in rows), options.time_unit
    return [
        Column("Self CPU %", WIDTH, lambda row: format_time_share(row.self_cpu_time_total, total)),
        Column("Self CPU", WIDTH, lambda row: format_time(row.self_cpu_time_total, unit)),
        Column("CPU total %", WIDTH, lambda row: format_time_share(row.cpu_time_total, total)),
        Column("CPU total", WIDTH, lambda row: format_time(row.cpu_time_total, unit)),
        Column("CPU time avg", WIDTH, lambda row: format_time(row.cpu_time, unit)),
    ]


def device_columns(rows: Sequence[Any], options: Options) -> list[Column]:
    """Return the columns for device times."""
    total, unit, name = device_total(rows), options.time_unit, device_name(rows)
    return [
        Column(f"Self {name}", WIDTH, lambda row: format_time(row.self_device_time_total, unit)),
        Column(f"Self {name} %", WIDTH, lambda row: format_time_share(row.self_device_time_total, total)),
        Column(f"{name} total", WIDTH, lambda row: format_time(row.device_time_total, unit)),
        Column(f"{name} time avg", WIDTH, lambda row: format_time(row.device_time, unit)),
    ]


def memory_columns(rows: Sequence[Any]) -> list[Column]:
    """Return the columns for net allocated memory."""
    columns = [
        Column("CPU Mem", WIDTH, lambda row: format_memory(row.cpu_memory_usage)),
        Column("Self CPU Mem", WIDTH, lambda row: format_memory(row.self_cpu_memory_usage)),
    ]
    if rows[0].use_device and any(row.self_device_memory_usage > 0 for row in rows):
        name = device_name(rows)
        columns += [
            Column(f"{name} Mem", WIDTH, lambda row: format_memory(row.device_memory_usage)),
            Column(f"Self {name} Mem", WIDTH, lambda row: format_memory(row.self_device_memory_usage)),
        ]
    return columns


def wide_columns(rows: Sequence[Any], options: Options) -> list[Column]:
    """Return the columns for shapes, stacks and FLOPs that the rows need."""
    columns = []
    if any(row.input_shapes for row in rows):
        width = limited(max(len(str(row.input_shapes)) for row in rows) + 4, options.max_shapes_column_width)
        columns.append(Column("Input Shapes", width, lambda row: str(row.input_shapes)[:width]))
    counted = [row.flops for row in rows if row.flops > 0]
    if options.with_flops and counted:
        scale, unit = flops_scale(min(counted))
        columns.append(
            Column(f"Total {unit}", WIDTH, lambda row: f"{row.flops * scale:8.3f}" if row.flops > 0 else "--")
        )
    if any(row.stack for row in rows):
        longest = max(len(entry) for row in rows for entry in row.stack)
        place = limited(longest + 4, options.max_src_column_width)
        columns.append(Column(SOURCE, place, lambda row: elide_start(row.stack[0], place) if row.stack else "", "<"))
    return columns


# ---- the device


def has_device_time(rows: Sequence[Any]) -> bool:
    """Return True if any row has device time and all device times are known."""
    return is_known(rows) and any(row.self_device_us > 0 for row in rows)


def is_known(rows: Sequence[Any]) -> bool:
    """Return True if all device times are known."""
    return all(row.self_device_us is not None for row in rows)


def device_total(rows: Sequence[Any]) -> float:
    """Return the total device time, from kernel rows only, since the rows of operators count the same time again."""
    return sum(row.self_device_us for row in rows if row.device_type is not DeviceType.CPU)


def device_name(rows: Sequence[Any]) -> str:
    """Return the name of the device for headers, such as "CUDA"."""
    return (rows[0].use_device or "None").upper()


def totals_of(rows: Sequence[Any], options: Options) -> list[str]:
    """Return the sums by name that exceed `share` of the total, largest first; see `EventList.hot`."""
    total = sum(row.self_cpu_time_total for row in rows)
    lines = [f"Self CPU time total: {format_time(total, options.time_unit)}"]
    if not is_known(rows):
        lines.append(f"{device_name(rows)} time is not shown: {UNSYNCHRONIZED}.")
    elif has_device_time(rows):
        lines.append(f"Self {device_name(rows)} time total: {format_time(device_total(rows), options.time_unit)}")
    return [*lines, ""]


# ---- texts that are too long


def limited(width: int, longest: int | None) -> int:
    """Return the smaller of a width and a limit, if there is one."""
    return width if longest is None else min(width, longest)


def cut(text: str, width: int | None) -> str:
    """Truncate text to a width."""
    return f"{text[: width - 3]}..." if width is not None and len(text) >= width - 3 else text


def elide_start(path: str, width: int) -> str:
    """Truncate a path to a width at its start, because its end says more."""
    return f"...{path[len(path) - width + 3 :]}" if len(path) > width else path
