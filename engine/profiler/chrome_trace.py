"""A recording as a trace for chrome://tracing and Perfetto. Mirrors kineto's output_json.cpp and profiler_kineto.cpp.

    X    an event with a duration; its category is cpu_op, user_annotation, cuda_runtime or kernel
    s f  the beginning and end of an arrow: from a forward operator to its node, from a launch to its kernel
    i    an allocation
    M    names of processes and threads
Times are microseconds.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .event_tree import parents_of
from .events import CUDA_RUNTIME, KERNEL, MEMORY, Allocation, DeviceType, Event, Input, Kernel, Recording
from .parsing import forward_threads, is_backward

Json = dict[str, Any]
GPU = 0  # what a trace calls the process of the first device


@dataclass(frozen=True)
class Context:
    """A recording, with the derived data that the trace needs.

    Attributes:
        parents: for each event the index of its parent, or None.
        fwd_threads: for each event of the backward pass the thread of its forward operator; 0 for the others.
        pid: of the process.
        zero: nanoseconds from the trace's zero to the zero of the recording's clock.
    """

    recording: Recording
    parents: list[int | None]
    fwd_threads: list[int]
    pid: int
    zero: int

    def us(self, time: int) -> float:
        """Convert a time of the recording to microseconds since the trace's zero."""
        return (time + self.zero) / 1000

    def tid(self, thread: int) -> int:
        """Return the operating system's id of a thread."""
        return self.recording.threads.get(thread, (thread, ""))[0]

    def operator(self, number: int) -> int:
        """Return the index of the operator whose kernel an event launched, or the event's own index if it has none."""
        parent = self.parents[number]
        return number if parent is None else parent


def chrome_trace(recording: Recording, metadata: Json, name: str, host: str = "") -> Json:
    """Return the whole trace as a dict for JSON.

    Args:
        metadata: more entries at the top level.
        name: "traceName".
        host: name of the machine.
    """
    begun = recording.epoch + recording.start
    base = begun - begun % 1_000_000_000
    events = recording.events
    context = Context(recording, parents_of(events), forward_threads(events), os.getpid(), recording.epoch - base)
    return {
        "schemaVersion": 1,
        "deviceProperties": [],
        **metadata,
        "host_name": host,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": base,
        "traceEvents": [
            *names(context),
            *(event_json(context, number) for number in range(len(events))),
            *(one for kernel in recording.kernels for one in kernel_json(context, kernel)),
            *forward_backward_arrows(context),
            *(
                allocation_json(context, allocation, len(events) + number)
                for number, allocation in enumerate(recording.allocations)
            ),
            *span(context),
        ],
        "traceName": name,
    }


def event_json(context: Context, number: int) -> Json:
    """Return the trace event for one event of a recording, as a dict for JSON.

    Args:
        context: the recording and what follows from it. `us(time)` converts a time of the recording to microseconds
            since the trace's zero; `tid(thread)` converts the recording's number of a thread to the system's;
            `operator(number)` is the index of the operator whose kernel the event with the index `number` launched.
        number: the event's index in `context.recording.events`.
    Returns:
        a dict:

            ph      "X"
            cat     the event's category, `event.category`
            name    its name, `event.name`
            pid     `context.pid`
            tid     the system's number of its thread, `event.thread`
            ts      its start, `event.start`, as microseconds since the trace's zero
            dur     its length, from `event.start` to `event.end`, microseconds
            args    a dict

        The entries of args. Those with an "if" are left out otherwise:

            External id           number + 1; of a launch, the operator's index + 1
            Record function id    0; a launch does not have it
            cbid                  211, if the event is a launch (NVIDIA's number for cudaLaunchKernel)
            correlation           number + 1, if the event is a launch
            Sequence number       its sequence number, `event.sequence_nr`, if that is 0 or greater
            Fwd thread id         `context.fwd_threads[number]` as it is, not converted by `tid`, if its sequence number
                                  is 0 or greater
            Call stack            the entries of `event.stack`, joined by ";", if it has any
            Ev Idx                number

        and all entries of `inputs_json(event.inputs)`, unless `event.inputs` is empty. A launch is an event
        of category CUDA_RUNTIME.

    Source: output_json.cpp (kineto) and profiler_kineto.cpp.
    """
    event = context.recording.events[number]
    args: Json = {"External id": number + 1, "Record function id": 0}
    if event.category == CUDA_RUNTIME:
        args = {"External id": context.operator(number) + 1, "cbid": 211, "correlation": number + 1}
    if event.sequence_nr >= 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.fwd_threads[number]}
    if event.inputs:
        args |= inputs_json(event.inputs)
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    args["Ev Idx"] = number
    return {
        "ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
        "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args,
    }  # fmt: skip


def inputs_json(inputs: Sequence[Input]) -> Json:
    """Return the arguments of an operator in the format of a trace."""
    return {
        "Concrete Inputs": [concrete(one) for one in inputs],
        "Input type": [one.kind for one in inputs],
        "Input Strides": [one.strides for one in inputs],
        "Input Dims": [one.sizes for one in inputs],
    }


def concrete(given: Input) -> str:
    """Return the value of a number or list of numbers as a string, or "" for any other argument."""
    return "" if given.value is None else str(given.value)


def forward_backward_arrows(context: Context) -> list[Json]:
    """Return arrows from forward operators to the backward nodes that they made, as two trace events each.

    The events of the recording are read in their order. Events without a sequence number (`event.sequence_nr` is
    negative) have no arrow. An event with `is_backward` runs a node; any other event is a forward operator. Only
    backward events in scope 1 (the node's formula) get an arrow. Its operator is the last one before it with the
    node's sequence number on the thread of the forward pass, which is the node event's entry of
    `context.fwd_threads`. Each operator has at most one arrow: the first node takes it. A later node with that
    number has none, even if an earlier operator has the number too.

    Returns:
        for each arrow, in the order of the nodes, two dicts. Both have "id" (from 1), "pid", "cat" and "name" (each
        "fwdbwd"), "tid" and "ts" of the operator's or of the node's event. The first has "ph" "s" and the operator's
        start; the second has "ph" "f", the node's start, and "bp" "e": it binds to the event around it.

    Source: generateForwardBackwardLinks (torch/csrc/profiler/collection.cpp).
    """
    forward: dict[tuple[int, int], Event] = {}
    arrows: list[Json] = []
    for event, fwd_thread in zip(context.recording.events, context.fwd_threads, strict=True):
        if event.sequence_nr < 0:
            continue
        if not is_backward(event):
            forward[event.thread, event.sequence_nr] = event
        elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:
            operator = forward.pop((fwd_thread, event.sequence_nr))
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},
                {"ph": "f", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start), "bp": "e"},
            ]
    return arrows


def kernel_json(context: Context, kernel: Kernel) -> list[Json]:
    """Return trace events for a kernel on the row of its stream, and for the arrow from its launch.

    Nothing, if its times are not known.
    """
    if kernel.start is None or kernel.end is None:
        return []
    launch = context.recording.events[kernel.event]
    args = {
        "External id": context.operator(kernel.event) + 1, "correlation": kernel.event + 1, "device": GPU,
        "stream": kernel.stream, "grid": list(kernel.grid), "block": list(kernel.block),
    }  # fmt: skip
    arrow = {"id": kernel.event + 1, "cat": "ac2g", "name": "ac2g"}
    ts = context.us(kernel.start)
    return [
        {"ph": "X", "cat": KERNEL, "name": kernel.name, "pid": GPU, "tid": kernel.stream, "ts": ts,
         "dur": (kernel.end - kernel.start) / 1000, "args": args},
        {"ph": "s", **arrow, "pid": context.pid, "tid": context.tid(launch.thread), "ts": context.us(launch.start)},
        {"ph": "f", **arrow, "pid": GPU, "tid": kernel.stream, "ts": ts, "bp": "e"},
    ]  # fmt: skip


def allocation_json(context: Context, allocation: Allocation, index: int) -> Json:
    """Return the trace event for an allocation or a free, with `index` as its event index."""
    is_cpu = allocation.device is DeviceType.CPU
    return {
        "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": MEMORY, "pid": context.pid,
        "tid": context.tid(allocation.thread), "ts": context.us(allocation.time),
        "args": {
            "Total Reserved": 0, "Total Allocated": allocation.total, "Bytes": allocation.nbytes,
            "Device Id": -1 if is_cpu else GPU, "Device Type": allocation.device.value, "Addr": allocation.address,
            "finished": False,
            "Ev Idx": index,
        },
    }  # fmt: skip


def names(context: Context) -> list[Json]:
    """Return metadata events that name and order the processes and threads."""
    recording, pid = context.recording, context.pid
    processes = [(pid, "CPU", pid)] + ([(GPU, "GPU 0", 5_000_000)] if recording.kernels else [])
    threads = [(pid, native, f"thread {native} ({name})") for native, name in recording.threads.values()]
    threads += [
        (GPU, stream, f"stream {stream} ") for stream in sorted({kernel.stream for kernel in recording.kernels})
    ]
    rows: list[tuple[str, int, int, Json]] = []
    for process, label, order in processes:
        rows += [
            ("process_name", process, 0, {"name": "python"}),
            ("process_labels", process, 0, {"labels": label}),
            ("process_sort_index", process, 0, {"sort_index": order}),
        ]
    for process, thread, title in threads:
        rows += [
            ("thread_name", process, thread, {"name": title}),
            ("thread_sort_index", process, thread, {"sort_index": thread}),
        ]
    ts = context.us(recording.start)
    return [
        {"ph": "M", "name": name, "ts": ts, "pid": process, "tid": thread, "args": args}
        for name, process, thread, args in rows
    ]


def span(context: Context) -> list[Json]:
    """Return trace events that mark the start and the end of the whole profile."""
    start, end = context.recording.start, context.recording.end
    mark = {"ph": "i", "s": "g"}
    return [
        {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
         "ts": context.us(start), "dur": (end - start) / 1000, "args": {"Op count": 0}},
        {**mark, "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "Trace PyTorch Profiler",
         "ts": context.us(start)},
        {**mark, "name": "Record Window End", "pid": "", "tid": "", "ts": context.us(end)},
    ]  # fmt: skip


def write(trace: Json, path: str) -> None:
    """Write a trace as JSON, compressed if the name ends in ".gz"."""
    import gzip
    import json

    text = json.dumps(trace).encode()
    with open(path, "wb") as file:
        file.write(gzip.compress(text) if path.endswith(".gz") else text)
