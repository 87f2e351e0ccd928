"""FunctionEvent: an event as programs see it, with PyTorch's names, in microseconds.

Mirrors torch/autograd/profiler_util.py.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .device import UNSYNCHRONIZED
from .event_tree import memory_of, parents_of
from .events import MEMORY, USER_ANNOTATION, Allocation, DeviceType, Event, Recording
from .flops import flops_of
from .formats import format_time


class Interval(NamedTuple):
    """From `start` to `end`, in microseconds since the profile began."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


class Kernel(NamedTuple):
    """A kernel that an operator launched; `duration` in microseconds, None if it is not known."""

    name: str
    device: int
    duration: float | None


def known(time: float | None) -> float:
    """A time of the device.

    Raises:
        RuntimeError: it is not known, because the device was not waited for.
    """
    if time is None:
        raise RuntimeError(UNSYNCHRONIZED)
    return time


def summed(*times: float | None) -> float | None:
    """Their sum; None if one is not known."""
    return None if None in times else sum(times)  # type: ignore[arg-type]


def _deprecated(name: str) -> property:
    successor = name.replace("cuda", "device")

    def value(self: Any) -> Any:
        warnings.warn(f"`{name}` is deprecated, please use `{successor}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, successor)

    return property(value)


class Times:
    """What follows from `cpu_time_total`, `count` and the times of the device."""

    count: int
    cpu_time_total: Any
    self_cpu_time_total: Any
    device_us: Any
    self_device_us: Any

    @property
    def cpu_time(self) -> float:
        """Time of a call on the average, microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time_total(self) -> float:
        """Time of the kernels that it and what lies in it launched; of a kernel its own.

        Raises:
            RuntimeError: when the profile ended, one had not run.
        """
        return known(self.device_us)

    @property
    def self_device_time_total(self) -> float:
        """Time of the kernels that it launched itself; as `device_time_total`."""
        return known(self.self_device_us)

    @property
    def device_time(self) -> float:
        """Time of the kernels of a call on the average."""
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
    """One event.

    Attributes:
        id: its number, from 1; "External id" in a trace.
        key: what it is grouped by: the name, but "ProfilerStep*" for all steps.
        cpu_parent, cpu_children: the event that it lies directly in, and those that lie directly in it.
        kernels: those that it launched itself.
        fwd_thread: of an event of the backward pass, the thread of the forward operator; else 0.
        sequence_nr, scope, stack: as of an Event.
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
        """Its length, microseconds."""
        return self.time_range.elapsed_us() if self.device_type is DeviceType.CPU else 0

    @property
    def self_cpu_time_total(self) -> float:
        """Its length less those of its children."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_us(self) -> float | None:
        """`device_time_total`; None: it is not known."""
        if self.device_type is not DeviceType.CPU:
            return summed(*(kernel.duration for kernel in self.kernels))
        return summed(*(kernel.duration for kernel in self.kernels), *(child.device_us for child in self.cpu_children))

    @property
    def self_device_us(self) -> float | None:
        """`self_device_time_total`; None: it is not known."""
        return summed(*(kernel.duration for kernel in self.kernels))

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes that it took itself, less those that it gave back."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        """The same of the device's memory."""
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


def function_events(recording: Recording, use_device: str | None = None) -> list[FunctionEvent]:
    """The events of a recording as programs see them, with their parents and children, in the order of time.

    An event that is the only child of one with the same name is left out, as in PyTorch: `record_function` around a
    function that does so itself. Kernels and allocations that lie in no event are events of their own.
    """
    events = recording.events
    parents = parents_of(events)
    cpu_bytes, lone_cpu = memory_of(events, recording.allocations, DeviceType.CPU)
    device_bytes, lone_device = memory_of(events, recording.allocations, DeviceType.CUDA)
    threads = forward_threads(events)
    made = [_made(number, event, recording.start, threads[number]) for number, event in enumerate(events)]
    for number, event in enumerate(made):
        event.cpu_memory_usage, event.device_memory_usage = cpu_bytes[number], device_bytes[number]
        parent = parents[number]
        if parent is not None:
            event.cpu_parent = made[parent]
            made[parent].cpu_children.append(event)
    made += _kernels(recording, made, parents)
    made += [
        _lone_memory(len(made) + number + 1, allocation, recording.start)
        for number, allocation in enumerate(lone_cpu + lone_device)
    ]
    for event in made:
        event.use_device = use_device
    made.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    return with_forward_stacks(without_duplicates(made))


def forward_threads(events: Sequence[Event]) -> list[int]:
    """For each event of the backward pass the thread of the forward operator whose node it runs; 0 for the others.

    An event of the backward pass has a sequence number and is in the scope BACKWARD_FUNCTION, or its name begins with
    "autograd::engine::evaluate_function: ". The operator is the last one before with that number. If there is none, it
    ran before the profile began: then it is the event's own thread.
    """
    last: dict[int, int] = {}
    threads = [0] * len(events)
    for number, event in enumerate(events):
        if event.sequence_nr >= 0:
            if is_backward(event):
                threads[number] = last.get(event.sequence_nr, event.thread)
            else:
                last[event.sequence_nr] = event.thread
    return threads


def is_backward(event: Event) -> bool:
    """Whether an event runs a node of the backward pass."""
    return event.scope == 1 or event.name.startswith("autograd::engine::evaluate_function: ")


def without_duplicates(events: list[FunctionEvent]) -> list[FunctionEvent]:
    """The events without those that are the only child of one with the same name; the parent takes their place.

    Source: EventList._remove_dup_nodes.
    """
    dropped: set[int] = set()
    for event in reversed(events):  # those inside first
        parent = event.cpu_parent
        if parent is not None and parent.name == event.name and len(parent.cpu_children) == 1:
            parent.cpu_children, parent.kernels = event.cpu_children, parent.kernels + event.kernels
            for child in event.cpu_children:
                child.cpu_parent = parent
            dropped.add(id(event))
    return [event for event in events if id(event) not in dropped]


def with_forward_stacks(events: list[FunctionEvent]) -> list[FunctionEvent]:
    """The events; in the backward pass with the stack of the forward operator in place of their own.

    Source: EventList._set_backward_stacktraces.
    """
    stacks: dict[tuple[int, int], list[str]] = {}
    backward: dict[int, FunctionEvent] = {}
    for event in events:  # a parent comes before its children
        if event.scope == 1:
            backward[id(event)] = event
        elif id(event.cpu_parent) in backward:
            backward[id(event)] = backward[id(event.cpu_parent)]
        elif event.stack:
            stacks.setdefault((event.sequence_nr, event.thread), event.stack)
    for event in events:
        node = backward.get(id(event))
        if node is not None:
            event.stack = stacks.get((node.sequence_nr, node.fwd_thread), [])
    return events


def _made(number: int, event: Event, start: int, fwd_thread: int) -> FunctionEvent:
    plain = [one.sizes if one.kind != "TensorList" else [] for one in event.inputs]
    return FunctionEvent(
        id=number + 1,
        name="ProfilerStep*" if event.name.startswith("ProfilerStep#") else event.name,
        trace_name=event.name,
        overload_name=event.overload,
        thread=event.thread,
        fwd_thread=fwd_thread,
        time_range=Interval((event.start - start) / 1000, (event.end - start) / 1000),
        input_shapes=plain,
        structured_input_shapes=[one.sizes for one in event.inputs],
        structured_input_strides=[one.strides for one in event.inputs],
        input_dtypes=[one.kind for one in event.inputs],
        concrete_inputs=[one.value for one in event.inputs],
        stack=list(event.stack),
        scope=event.scope,
        sequence_nr=event.sequence_nr,
        device_resource_id=event.thread,
        flops=flops_of(event.name, event.inputs),
        is_user_annotation=event.category == USER_ANNOTATION,
        activity_type=event.category,
        external_id=number + 1,
    )


def _kernels(
    recording: Recording, events: Sequence[FunctionEvent], parents: Sequence[int | None]
) -> list[FunctionEvent]:
    """The kernels as events of their own; the operator that launched one has it among its `kernels`."""
    made = []
    for number, kernel in enumerate(recording.kernels):
        known_times = kernel.start is not None and kernel.end is not None
        start, end = (kernel.start, kernel.end) if known_times else (recording.events[kernel.event].start,) * 2
        interval = Interval((start - recording.start) / 1000, (end - recording.start) / 1000)  # type: ignore[operator]
        entry = Kernel(kernel.name, 0, interval.elapsed_us() if known_times else None)
        parent = parents[kernel.event]
        launcher = events[kernel.event if parent is None else parent]
        launcher.kernels.append(entry)
        made.append(
            FunctionEvent(
                id=len(events) + number + 1, name=kernel.name, trace_name=kernel.name, thread=launcher.thread,
                time_range=interval, device_type=DeviceType.CUDA, device_resource_id=kernel.stream,
                activity_type="kernel", external_id=launcher.id, linked_correlation_id=launcher.id, kernels=[entry],
            )
        )  # fmt: skip
    return made


def _lone_memory(number: int, allocation: Allocation, start: int) -> FunctionEvent:
    time = (allocation.time - start) / 1000
    is_cpu = allocation.device is DeviceType.CPU
    return FunctionEvent(
        id=number, name=MEMORY, thread=allocation.thread, fwd_thread=allocation.thread,
        time_range=Interval(time, time), cpu_memory_usage=allocation.nbytes if is_cpu else 0,
        device_memory_usage=0 if is_cpu else allocation.nbytes,
    )  # fmt: skip
