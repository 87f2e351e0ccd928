"""The recorder: what a profile writes down while it is on, and how little of it there is while it is off.

    calls of operators       an observer of the dispatcher (`dispatch/observers.py`)
    other functions          a `Place`: a name that is looked up at each call; while a recorder is on, another function
                             replaces it

When profiling is off it costs nothing: the functions and their bytecode are unchanged.
Mirrors aten/src/ATen/record_function.cpp and torch/csrc/autograd/profiler_kineto.cpp.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import get_ident
from time import perf_counter_ns
from typing import Any, Protocol

from ..autograd.node import peek_sequence_nr
from ..autograd.state import state as autograd_state
from ..dispatch import observers, registry
from ..dispatch.keys import AUTOGRAD_FUNCTIONALITIES
from .events import CPU_OP, CUDA_RUNTIME, USER_ANNOTATION, Event, Recording, RecordScope
from .inputs import inputs_of, raw_inputs
from .places import PLACES, Function, entries_of, put
from .stacks import Stacks

Record = list[Any]
"""An event that may still run: its fields by number, because a list is made six times as fast as an object."""
NAME, CATEGORY, SCOPE, SEQUENCE, START, END, INPUTS, STACK, OVERLOAD, KERNEL = range(10)

CALLS = ("call", "callBoxed")
NOT_OBSERVED = frozenset({"aten::size", "aten::is_leaf", "aten::output_nr", "aten::_version", "aten::is_complex"})
"""Operators that are asked for so often that nobody wants to see them (ATen/core/dispatch/ObservedOperators.cpp)."""


@dataclass(frozen=True)
class Config:
    """The settings of a recording.

    Attributes:
        cpu, cuda: operators; kernels on a device.
        all_threads: events of other threads than the one that starts it too.
    """

    cpu: bool = True
    cuda: bool = False
    record_shapes: bool = False
    profile_memory: bool = False
    with_stack: bool = False
    all_threads: bool = False


class Source(Protocol):
    """An additional source of recorded data, besides the events of the recorder itself."""

    def discard(self) -> None:
        """Discard the data recorded so far."""

    def stop(self, recording: Recording) -> Recording:
        """Stop recording, and return `recording` with the data of this source added."""


SOURCES: list[Callable[["Recorder"], Source | None]] = []
"""Sources to switch on when a recorder starts: f(recorder) -> a Source, or None if it does not care."""

active: "Recorder | None" = None
"""The recorder that is on; there is one at a time, for all threads."""


class Recorder:
    """Records the events of a profile from `start` to `stop`.

    Attributes:
        buffers: thread -> its events in the order of their starts.
        describes: whether `describe` has something to note.
    """

    def __init__(self, config: Config):
        self.config = config
        self.buffers: dict[int, list[Record]] = {}
        self.threads: dict[int, tuple[int, int, str]] = {}
        self.describes = config.record_shapes or config.with_stack
        self._stacks = Stacks()
        self._sources: list[Source] = []
        self._originals: list[tuple[Any, str, Function]] = []
        self._start = self._epoch = 0

    def start(self) -> None:
        """Start recording.

        Raises:
            RuntimeError: a recorder is on.
        """
        registry.retrace(self._switch_on)

    def _switch_on(self) -> None:
        global active
        if active is not None:
            raise RuntimeError(
                "Profiler is already enabled: expected one profile at a time, got a second start(); stop() the first"
            )
        active = self
        self._epoch = time.time_ns() - perf_counter_ns()
        self.join(get_ident())
        for place in PLACES:
            for owner in place.owners():
                function = entries_of(owner)[place.name]
                self._originals.append((owner, place.name, function))
                put(owner, place.name, place.wrapped(self, function))
        if self.config.cpu:
            observers.observe(self.observer)
        self._sources = [source for make in SOURCES if (source := make(self)) is not None]
        self._start = perf_counter_ns()

    def discard(self) -> None:
        """Discard everything recorded so far, at the end of the warm-up."""
        for buffer in self.buffers.values():
            buffer.clear()
        for source in self._sources:
            source.discard()
        self._start = perf_counter_ns()

    def stop(self) -> Recording:
        """Stop recording and return the recording. An event that is still running ends now."""
        end = perf_counter_ns()
        registry.retrace(self._switch_off)
        recording = Recording(
            events=self._events(end),
            start=self._start,
            end=end,
            threads={number: (native, name) for number, native, name in self.threads.values()},
            epoch=self._epoch,
        )
        for source in self._sources:
            recording = source.stop(recording)
        return recording

    def _switch_off(self) -> None:
        global active
        active = None
        observers.unobserve(self.observer)
        for owner, name, function in reversed(self._originals):
            put(owner, name, function)
        self._originals.clear()

    def _events(self, end: int) -> list[Event]:
        return sorted(
            (
                _event(record, self.threads[thread][0], end)
                for thread, buffer in self.buffers.items()
                for record in tuple(buffer)
            ),
            key=lambda event: event.start,
        )

    def join(self, thread: int) -> list[Record]:
        """Create and return the buffer of a thread that has none yet."""
        current = threading.current_thread()
        self.threads[thread] = len(self.threads) + 1, threading.get_native_id(), current.name
        return self.buffers.setdefault(thread, [])

    def buffer(self) -> list[Record] | None:
        """Return the buffer of the current thread, or None if this thread is not recorded."""
        thread = get_ident()
        found = self.buffers.get(thread)
        return self.join(thread) if found is None and self.config.all_threads else found

    def is_on(self) -> bool:
        """Return True if this is the active recorder."""
        return active is self

    # ---- events

    def begin(
        self, name: str, category: str, scope: int, sequence_nr: int = -1, arguments: Sequence[Any] = ()
    ) -> Record | None:
        """Begin an event and return its record, or None if this thread or this category is not recorded."""
        buffer = self.buffer() if self.config.cpu or category == CUDA_RUNTIME else None
        if buffer is None:
            return None
        record = [name, category, scope, sequence_nr, 0, 0, None, None, "", None]
        buffer.append(record)
        if self.describes:
            self.describe(record, arguments)
        record[START] = perf_counter_ns()
        return record

    def annotate(self, name: str) -> Record | None:
        """Begin a user-defined event, as `record_function` does, and return its record."""
        return self.begin(name, USER_ANNOTATION, RecordScope.USER_SCOPE)

    @staticmethod
    def end(record: Record | None) -> None:
        """End the event of a record."""
        if record is not None:
            record[END] = perf_counter_ns()

    def describe(self, record: Record, arguments: Sequence[Any]) -> None:
        """Store in a record the arguments and the call stack, as far as the settings request them."""
        if self.config.record_shapes:
            record[INPUTS] = raw_inputs(arguments)
        if self.config.with_stack:
            record[STACK] = self._stacks.current()

    def observer(self, function: Function, resolution: observers.Resolution) -> Function:
        """Wrap a resolved kernel so that each call of the operator is one event, redispatches included."""
        name, _, overload = resolution.op.partition(".")
        if resolution.label not in CALLS or name in NOT_OBSERVED:
            return function
        has_autograd = bool(resolution.key_set & AUTOGRAD_FUNCTIONALITIES)
        return around_call(self, function, name, overload, has_autograd)


def around_call(recorder: Recorder, function: Function, name: str, overload: str, has_autograd: bool) -> Function:
    """Return a function that calls `function` and records each call as an event of `recorder`.

    Args:
        recorder: `recorder.buffer()` returns the list of this thread's records, or None if this thread is not observed;
            then the call leaves no record. Call it at each call: a call may come from any thread, and a thread may get
            another buffer, or none, between two calls. `recorder.describe(record, arguments)` notes what the profile
            needs of the arguments, a tuple, and of the callers. Call it once per call if `recorder.describes`, which
            does not change.
        function: takes positional arguments.
        name, overload: "aten::add" and "Tensor".
        has_autograd: True if the call may record a node for the backward pass.
    Returns:
        call(*arguments): returns or raises what `function(*arguments)` does. It appends a Record to the buffer,
        `[name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]`, before calls inside it append
        theirs. Each call has a list of its own. If it has autograd and `autograd_state.grad_mode` is on,
        `record[SEQUENCE]` becomes `peek_sequence_nr()`, read before `function` begins; 0 is a valid number.
        `record[START]` is `perf_counter_ns()` just before `function` begins, when everything else is noted.
        `record[END]` is `perf_counter_ns()` just after `function` has ended, even if it ended with an error of any
        kind, such as KeyboardInterrupt. Until then both are 0.

    Source: Dispatcher::callWithDispatchKeySlowPath, RecordFunction (aten/src/ATen/record_function.h).
    """
    buffer_of, describe = recorder.buffer, recorder.describe if recorder.describes else None

    def call(*arguments: Any) -> Any:
        buffer = buffer_of()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        buffer.append(record)
        if has_autograd and autograd_state.grad_mode:
            record[SEQUENCE] = peek_sequence_nr()
        if describe is not None:
            describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            record[END] = perf_counter_ns()

    return call


def _event(record: Record, thread: int, end: int) -> Event:
    return Event(
        name=record[NAME],
        start=record[START] or end,
        end=record[END] or end,
        thread=thread,
        category=record[CATEGORY],
        scope=int(record[SCOPE]),
        sequence_nr=record[SEQUENCE],
        overload=record[OVERLOAD],
        inputs=inputs_of(record[INPUTS]) if record[INPUTS] is not None else (),
        stack=record[STACK] or (),
        kernel=record[KERNEL],
    )
