"""engine.autograd.profiler: one session of recording and its results. Mirrors torch/autograd/profiler.py."""

import contextlib
import socket
import uuid
import warnings
from collections.abc import Callable
from typing import Any

from . import backward, device, memory, recorder  # the first three enter what they look at
from .averages import FunctionEventAvg
from .chrome_trace import chrome_trace, write
from .event_list import EventList
from .events import Recording
from .function_event import FunctionEvent
from .parsing import function_events
from .recorder import Config, Record, Recorder

__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "backward",
    "device",
    "memory",
    "profile",
    "record_function",
]


def device_option(use_device: str | None, use_cuda: bool) -> str | None:
    """Return the device to profile, "cuda" or None, with a warning if `use_cuda` is set or the device is invalid."""
    if use_cuda:
        warnings.warn(
            "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
            FutureWarning,
            stacklevel=3,
        )
        return "cuda"
    if use_device not in (None, "cuda"):
        warnings.warn(f"The {use_device} is not a valid device option.", stacklevel=3)
        return None
    return use_device


def random_id() -> str:
    """Return a unique random id for a trace."""
    return uuid.uuid4().hex.upper()


class record_function(contextlib.ContextDecorator):
    """A named block of code or function that appears as an event while a profile is active, and does nothing otherwise.

    Args:
        name: of the event.
        args: accepted and not shown, as in PyTorch.

    `recorder.active` is the recorder that is on when the block is entered, or None. Its `annotate(name)` begins an
    event and returns its record, or None if this thread is not observed. `Recorder.end(record)` ends the event of a
    record; for None it does nothing. The block ends the event that it began, even if that recorder has stopped, and
    even if the block is left by an error of any kind, which is raised on. A block that was left may be entered again:
    that is another event, or none. Entering `as` gives the block itself.
    As a decorator: each call of the function is a block of its own, with the same name and args, made by
    `_recreate_cm`.

    Attributes:
        name, args: as given.
        _record: of the event that it began, or None. You may also remember it in another way.

    Source: record_function (torch/autograd/profiler.py).
    """

    _record: Record | None = None

    def __init__(self, name: str, args: str | None = None):
        self.name, self.args = name, args

    def _recreate_cm(self) -> "record_function":
        return type(self)(self.name, self.args)  # a function may run several times at once

    def __enter__(self) -> "record_function":
        now = recorder.active
        self._record = now.annotate(self.name) if now is not None else None
        return self

    def __exit__(self, *error: Any) -> None:
        Recorder.end(self._record)


class profile:
    """Profiler that records what runs in its `with` block. `engine.profiler.profile` is built on it.

    Args:
        enabled: False: it does nothing.
        use_device: "cuda": kernels too.
        record_shapes: sizes and strides of arguments; with_flops implies it.
        use_cpu: operators; False only beside a device.
        all_threads: the operators of other threads too. (PyTorch: experimental_config.profile_all_threads.)
        capture_overload_names: as experimental_config's.
        acc_events: events of later sessions are added to the earlier ones.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        acc_events: bool = False,
        all_threads: bool = False,
        capture_overload_names: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
    ):
        self.enabled = enabled
        self.use_device = device_option(use_device, use_cuda)
        if not use_cpu and self.use_device is None:
            raise AssertionError("No activities specified for the profiler")
        self.with_flops, self.with_stack, self.profile_memory = with_flops, with_stack, profile_memory
        self.acc_events, self.capture_overload_names = acc_events, capture_overload_names
        self.entered = False
        self.trace_id = ""
        self._trace_id_of = custom_trace_id_callback or random_id
        self._config = Config(
            use_cpu, self.use_device == "cuda", record_shapes or with_flops, profile_memory, with_stack, all_threads
        )
        self._recorder: Recorder | None = None
        self.recording: Recording | None = None
        self._events: EventList | None = None
        self._earlier: list[FunctionEvent] = []

    # ---- the session

    def __enter__(self) -> "profile":
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._prepare_trace()
        self._start_trace()
        return self

    def _prepare_trace(self) -> None:
        """Look, without keeping what is seen: calls resolve anew, which should not count."""
        self.entered = True
        self.trace_id = self._trace_id_of()
        self._recorder = Recorder(self._config)
        self._recorder.start()

    def _start_trace(self) -> None:
        assert self._recorder is not None
        self._recorder.discard()

    def __exit__(self, *error: Any) -> None:
        if not self.enabled or self._recorder is None:
            return
        if self._events is not None and self.acc_events:
            self._earlier = list(self._events)
        self._events = None
        self.recording, self._recorder = self._recorder.stop(), None
        if self.acc_events:
            self._events = self.function_events

    # ---- the results

    @property
    def function_events(self) -> EventList:
        """The recorded events, sorted by time.

        Raises:
            AssertionError: nothing has been recorded.
        """
        if self._events is None:
            events = function_events(self._recorded(), self.use_device)
            for event in events if not self.capture_overload_names else ():
                event.overload_name = ""
            self._events = EventList([*events, *self._earlier], self.profile_memory, self.with_flops)
        return self._events

    def _recorded(self) -> Recording:
        if self.recording is None:
            raise AssertionError("Expected profiling results: the profile has not been stopped")
        return self.recording

    def table(self, sort_by: str | None = None, **options: Any) -> str:
        """Return the events as a table; see `EventList.table`."""
        return self.function_events.table(sort_by, **options)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Return the events summed by name; see `EventList.key_averages`."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """Return the sum of all events; see `EventList.total_average`."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The CPU time of all events in microseconds, without counting nested events twice."""
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(self, path: str, metadata: dict[str, Any] | None = None) -> None:
        """Write the trace in the format of chrome://tracing and Perfetto, compressed if the name ends in ".gz".

        Args:
            metadata: more entries at the top level.
        """
        entries = {"trace_id": self.trace_id, **(metadata or {})}
        write(chrome_trace(self._recorded(), entries, path, socket.gethostname()), path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the call stack and the time of each event; see `EventList.export_stacks`.

        Raises:
            AssertionError: stacks were not recorded.
        """
        events = self.function_events
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        events.export_stacks(path, metric)

    def __str__(self) -> str:
        return str(self.function_events) if self.recording else "<unfinished torch.autograd.profile>"

    def __repr__(self) -> str:
        return repr(self.function_events) if self.recording else "<unfinished torch.autograd.profile>"
