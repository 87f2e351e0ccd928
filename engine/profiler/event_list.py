"""EventList: the events of a profile, or their averages, and their tables, averages and stacks.

Mirrors torch/autograd/profiler_util.py (EventList).
"""

from collections.abc import Iterable
from typing import Any

from . import averages
from .averages import FunctionEventAvg
from .table import Options, attribute_of, build_table

METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total")
"""The metrics that `export_stacks` can write."""


class EventList(list):
    """A list of FunctionEvents or FunctionEventAvgs that can be shown as a table.

    Args:
        events: what is in it.
        profile_memory, with_flops: whether tables have columns for that.
    """

    def __init__(self, events: Iterable[Any] = (), profile_memory: bool = False, with_flops: bool = False):
        super().__init__(events)
        self._profile_memory, self._with_flops = profile_memory, with_flops

    def __str__(self) -> str:
        return self.table()

    def _like(self, events: Iterable[Any]) -> "EventList":
        return EventList(events, self._profile_memory, self._with_flops)

    @property
    def self_cpu_time_total(self) -> float:
        """The CPU time of all events in microseconds, without counting nested events twice."""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Return the events as a table.

        Args:
            sort_by: largest first: cpu_time, cpu_time_total, self_cpu_time_total, (self_)cpu_memory_usage,
                count, flops, the same of the device (device_time_total, cuda_time_total, ...), key, input_shapes.
            row_limit: -1: all rows.
            header: a line above it.
            top_level_events_only: without events inside others.
            time_unit: "s", "ms" or "us".
        Raises:
            AttributeError: `sort_by` names nothing that the events have.
            RuntimeError: it names a time of the device that is not known.
        """
        options = Options(
            row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only, self._profile_memory, self._with_flops, time_unit,
        )  # fmt: skip
        return build_table(self, sort_by, options)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> "EventList":
        """Return the events summed by name, and grouped also by shapes, stack or overload name if requested."""
        return self._like(averages.key_averages(self, group_by_input_shapes, group_by_stack_n, group_by_overload_name))

    def total_average(self) -> FunctionEventAvg:
        """Return the sum of all events, under the key "Total"."""
        return averages.total_average(self)

    def hot(self, share: float = 0.05, metric: str = "self_cpu_time_total") -> "EventList":
        """Return the sums by name whose share of the total exceeds `share`, largest first. Not in PyTorch.

        Args:
            share: of the sum of `metric` over all events; 0.05 means 5%.
            metric: "self_cpu_time_total", "self_device_time_total", "self_cpu_memory_usage", ...
        """
        summed = [one for one in self if isinstance(one, FunctionEventAvg)] or averages.key_averages(self)
        return self._like(averages.above(summed, share, metric))

    def supported_export_stacks_metrics(self) -> list[str]:
        """Return the names of the metrics that `export_stacks` supports."""
        return list(METRICS)

    def export_stacks(self, path: str, metric: str) -> None:
        """Write a line for each event that has a call stack: its callers, outermost first, and its time.

        Tools for flame graphs read that.

        Args:
            metric: one of METRICS.
        Raises:
            ValueError: the metric is unknown.
        """
        if metric not in METRICS:
            raise ValueError(f"metric should be one of: {list(METRICS)}")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in stack_lines(self, metric))


def stack_lines(events: Iterable[Any], metric: str) -> list[str]:
    """Return the lines of `export_stacks`, such as "outer;inner 12" in microseconds; events below 1 us are left out."""
    attribute = attribute_of(metric)
    table = str.maketrans(" ;\t\n", "____")
    lines = []
    for event in events:
        value = int(getattr(event, attribute)) if event.stack else 0
        if value > 0:
            lines.append(f"{';'.join(entry.translate(table) for entry in reversed(event.stack))} {value}")
    return lines
