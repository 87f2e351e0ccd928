"""From a recording to the events that programs see, with their parents, children, memory and kernels.

Mirrors profile._parse_kineto_results (torch/autograd/profiler.py) and EventList._build_tree.
"""

from collections.abc import Sequence

from .event_tree import memory_of, parents_of, self_times
from .events import MEMORY, USER_ANNOTATION, Allocation, DeviceType, Event, Recording
from .flops import flops_of
from .function_event import FunctionEvent, Interval, Kernel


def function_events(recording: Recording, use_device: str | None = None) -> list[FunctionEvent]:
    """Return the events of a recording as FunctionEvents, with parents and children, sorted by time.

    An event that is the only child of one with the same name is left out, as in PyTorch: `record_function` around a
    function that does so itself. Kernels and allocations that are in no event are events of their own.
    """
    events = recording.events
    parents = parents_of(events)
    own = self_times(events, parents)
    cpu_bytes, lone_cpu = memory_of(events, recording.allocations, DeviceType.CPU)
    device_bytes, lone_device = memory_of(events, recording.allocations, DeviceType.CUDA)
    threads = forward_threads(events)
    made = [_made(number, event, recording.start, threads[number]) for number, event in enumerate(events)]
    for number, event in enumerate(made):
        event.self_cpu_time_total = own[number] / 1000
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
    """Return, for each backward event, the thread of its forward operator; 0 for all other events.

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
    """Return True if an event belongs to the backward pass."""
    return event.scope == 1 or event.name.startswith("autograd::engine::evaluate_function: ")


def without_duplicates(events: list[FunctionEvent]) -> list[FunctionEvent]:
    """Return the events without only children that have the name of their parent, which takes over their children.

    Source: EventList._remove_dup_nodes.
    """
    dropped: set[int] = set()
    for event in reversed(events):  # those inside first
        parent = event.cpu_parent
        if parent is not None and parent.name == event.name and len(parent.cpu_children) == 1:
            parent.self_cpu_time_total += event.self_cpu_time_total
            parent.cpu_children, parent.kernels = event.cpu_children, parent.kernels + event.kernels
            for child in event.cpu_children:
                child.cpu_parent = parent
            dropped.add(id(event))
    return [event for event in events if id(event) not in dropped]


def with_forward_stacks(events: list[FunctionEvent]) -> list[FunctionEvent]:
    """Return all events, after replacing the stack of each backward event by the stack of its forward operator.

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
    """Return the kernels as events of their own; add each to `kernels` of the operator that launched it."""
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
