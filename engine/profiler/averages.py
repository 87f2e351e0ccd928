"""Events summed by name, and optionally by shapes and callers. Mirrors FunctionEventAvg and EventList.key_averages."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from .events import DeviceType
from .function_event import FunctionEvent, Times, known, summed

SUMMED = (
    "count", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage",
    "device_memory_usage", "self_device_memory_usage", "flops",
)  # fmt: skip
TAKEN = (
    "key", "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes", "stack",
    "scope", "device_type", "is_legacy", "use_device", "is_user_annotation",
)  # fmt: skip


class FunctionEventAvg(Times):
    """The sum of several events, shown as one row of a table.

    Attributes:
        SUMMED: over all of them.
        TAKEN: of the first one.
    """

    def __init__(self) -> None:
        self.key: str | None = None
        self.use_device: str | None = None
        self.device_type = DeviceType.CPU
        self.input_shapes: Any = None
        self.stack: list[str] = []
        self.overload_name = ""
        self.cpu_memory_usage = self.device_memory_usage = 0
        for name in SUMMED:
            setattr(self, name, 0)
        self.device_us: float | None = 0.0
        self.self_device_us: float | None = 0.0

    def add(self, other: Any) -> "FunctionEventAvg":
        """Add an event, or another sum with the same key, to this sum.

        Raises:
            AssertionError: it has another key.
        """
        if self.key is None:
            for name in TAKEN:
                setattr(self, name, getattr(other, name))
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.device_us = summed(self.device_us, other.device_us)
        self.self_device_us = summed(self.self_device_us, other.self_device_us)
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        shown = (
            f"self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
            if self.device_us is not None
            else ""
        )
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  {shown}input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage}>"
        )


def key_averages(
    events: Sequence[FunctionEvent],
    group_by_input_shapes: bool = False,
    group_by_stack_n: int = 0,
    group_by_overload_name: bool = False,
) -> list[FunctionEventAvg]:
    """Return the sum of each group of similar events, in the order in which the groups first appear.

    Two events are in the same group if they have the same `key` and the same `device_type`, and both or neither of them
    is a `record_function` block (`is_user_annotation`); and, if requested, the same `input_shapes`, the same first
    `group_by_stack_n` entries of their `stack`, the same `overload_name`.

    Args:
        events: a list. `input_shapes` is a list with a list for each argument: the sizes of a tensor, [] for anything
            else. `stack` is a list of texts, innermost caller first; it may have fewer entries than requested.

    Returns:
        a FunctionEventAvg for each group, to which its events were added in their order. It keeps only what it was
        grouped by: `input_shapes` and `overload_name` are "" if not grouped by; `stack` is a new list of the first
        `group_by_stack_n` entries, not shared with other sums. The events and their list are not changed.

    Source: EventList.key_averages (torch/autograd/profiler_util.py).
    """
    groups: dict[tuple[Any, ...], FunctionEventAvg] = {}
    for event in events:
        key = (
            event.key,
            event.device_type,
            event.is_user_annotation,
            str(event.input_shapes) if group_by_input_shapes else "",
            event.overload_name if group_by_overload_name else "",
            *event.stack[:group_by_stack_n],
        )
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        group.stack = group.stack[:group_by_stack_n]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())


def total_average(events: Iterable[Any]) -> FunctionEventAvg:
    """Return the sum of all events, under the key "Total"."""
    total = FunctionEventAvg()
    for event in events:
        total.add(event)
        total.key = None
    total.key = "Total"
    return total


Summed = TypeVar("Summed")


def above(averages: Sequence[Summed], share: float, metric: str = "self_cpu_time_total") -> list[Summed]:
    """Return the entries whose share of the total exceeds `share`, largest first.

    Args:
        averages: objects with an attribute `metric`; equal ones stay in their order. The list is not changed.
        share: of the sum of `metric` over all of them; 0.05 means 5%, and it may be 1 or more. An entry is returned if
            its value is greater than share * sum, even where values or the sum are 0 or negative. An entry with exactly
            that share is left out (where the product has to be rounded, either answer is right).
        metric: the name of an attribute: a number of microseconds, bytes or calls, or None if it is not known. Numbers
            are compared as they are: a large int is not converted to a float.
    Raises:
        RuntimeError: a value is not known, whatever the share (`known` raises it): then nobody knows the whole.
    """
    values = [known(getattr(one, metric)) for one in averages]
    least = share * sum(values)
    found = [(one, value) for one, value in zip(averages, values, strict=True) if value > least]
    return [one for one, value in sorted(found, key=lambda pair: pair[1], reverse=True)]
