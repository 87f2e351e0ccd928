"""FunctionEvent: an event as programs see it, with PyTorch's names, in microseconds.

Mirrors torch/autograd/profiler_util.py.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .device import UNSYNCHRONIZED
from .events import DeviceType
from .formats import format_time


class Interval(NamedTuple):
    """A time interval, in microseconds since the profile began."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """Return the length of the interval in microseconds."""
        return self.end - self.start


class Kernel(NamedTuple):
    """A kernel that an operator launched, with its `duration` in microseconds, or None if that is not known."""

    name: str
    device: int
    duration: float | None


def known(time: float | None) -> float:
    """Return a device time, after checking that it is known.

    Raises:
        RuntimeError: it is not known, because the device was not waited for.
    """
    if time is None:
        raise RuntimeError(UNSYNCHRONIZED)
    return time


def summed(*times: float | None) -> float | None:
    """Return the sum of `times`, or None if any of them is None."""
    return None if None in times else sum(times)  # type: ignore[arg-type]


def _deprecated(name: str) -> property:
    successor = name.replace("cuda", "device")

    def value(self: Any) -> Any:
        warnings.warn(f"`{name}` is deprecated, please use `{successor}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, successor)

    return property(value)


class Times:
    """The base class of events and their sums, with values derived from `count`, CPU times and device times."""

    count: int
    cpu_time_total: Any
    self_cpu_time_total: Any
    device_us: Any
    self_device_us: Any

    @property
    def cpu_time(self) -> float:
        """The mean CPU time per call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time_total(self) -> float:
        """The time of all kernels launched by the event or by its nested events, or the event's own if it is a kernel.

        Raises:
            RuntimeError: when the profile ended, one had not run.
        """
        return known(self.device_us)

    @property
    def self_device_time_total(self) -> float:
        """The time of the kernels that the event launched directly; raises like `device_time_total`."""
        return known(self.self_device_us)

    @property
    def device_time(self) -> float:
        """The mean time of all kernels per call."""
        return self.device_time_total / self.count if self.count else 0.0

    cuda_time = _deprecated("cuda_time")
    cpu_time_str = property(lambda self: format_time(self.cpu_time))
    cpu_time_total_str = property(lambda self: format_time(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: format_time(self.self_cpu_time_total))
    device_time_str = property(lambda self: format_time(self.device_time))
    device_time_total_str = property(lambda self: format_time(self.device_time_total))
    self_device_time_total_str = property(lambda self: format_time(self.self_device_time_total))


@dataclass(eq=False, repr=False)
class FunctionEvent(Times):
    """An event of a profile, with its times, its memory and its place in the tree of events.

    Attributes:
        id: its number, from 1; "External id" in a trace.
        key: what it is grouped by: the name, but "ProfilerStep*" for all steps.
        cpu_parent, cpu_children: the event that directly contains it, and the events directly inside it.
        kernels: those that it launched itself.
        fwd_thread: of an event of the backward pass, the thread of the forward operator; else 0.
        sequence_nr, scope, stack: as of an Event.
        self_cpu_time_total: its length minus its children's, microseconds.
        flops: by formula; 0 where there is none.
    """

    id: int
    name: str
    thread: int
    time_range: Interval
    trace_name: str | None = None
    overload_name: str = ""
    fwd_thread: int = 0
    input_shapes: list[Any] = field(default_factory=list)
    structured_input_shapes: list[Any] = field(default_factory=list)
    structured_input_strides: list[Any] = field(default_factory=list)
    input_dtypes: list[str] = field(default_factory=list)
    concrete_inputs: list[Any] = field(default_factory=list)
    kwinputs: dict[str, Any] = field(default_factory=dict)
    stack: list[str] = field(default_factory=list)
    scope: int = 0
    sequence_nr: int = -1
    use_device: str | None = None
    device_type: DeviceType = DeviceType.CPU
    device_index: int = 0
    device_resource_id: int = 0
    cpu_memory_usage: int = 0
    device_memory_usage: int = 0
    self_cpu_time_total: float = 0.0
    flops: int = 0
    is_user_annotation: bool = False
    activity_type: str | None = None
    external_id: int = 0
    linked_correlation_id: int = 0
    kernels: list[Kernel] = field(default_factory=list)
    cpu_children: list["FunctionEvent"] = field(default_factory=list)
    cpu_parent: "FunctionEvent | None" = None
    count: int = 1
    node_id: int = -1
    is_async: bool = False
    is_remote: bool = False
    is_legacy: bool = False

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """The duration of the event in microseconds, or 0 if it did not run on the CPU."""
        return self.time_range.elapsed_us() if self.device_type is DeviceType.CPU else 0

    @property
    def device_us(self) -> float | None:
        """The value of `device_time_total` in microseconds, or None if it is not known."""
        if self.device_type is not DeviceType.CPU:
            return summed(*(kernel.duration for kernel in self.kernels))
        return summed(*(kernel.duration for kernel in self.kernels), *(child.device_us for child in self.cpu_children))

    @property
    def self_device_us(self) -> float | None:
        """The value of `self_device_time_total` in microseconds, or None if it is not known."""
        return summed(*(kernel.duration for kernel in self.kernels))

    @property
    def self_cpu_memory_usage(self) -> int:
        """The net bytes of CPU memory that the event allocated itself, without nested events."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        """The net bytes of device memory that the event allocated itself, without nested events."""
        return self.device_memory_usage - sum(child.device_memory_usage for child in self.cpu_children)

    cuda_time_total = _deprecated("cuda_time_total")
    self_cuda_time_total = _deprecated("self_cuda_time_total")
    self_cuda_memory_usage = _deprecated("self_cuda_memory_usage")

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} device_type={self.device_type} "
            f"cpu_time={self.cpu_time_str} start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} seq_nr={self.sequence_nr}>"
        )
