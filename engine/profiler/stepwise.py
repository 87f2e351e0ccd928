"""engine.profiler.profile: records the steps that a schedule asks for. Mirrors torch/profiler/profiler.py."""

import json
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from . import autograd_profiler
from .actions import ProfilerAction, Schedule, always
from .autograd_profiler import record_function
from .event_list import EventList
from .events import ProfilerActivity
from .experimental import ExperimentalConfig

A = ProfilerAction
SAVE = ("stop_trace", "_trace_ready")
# what was done in the last step, what is to be done in the next one or None at the end -> the methods that change over
TRANSITIONS: dict[tuple[ProfilerAction, ProfilerAction | None], tuple[str, ...]] = {
    (A.NONE, A.WARMUP): ("prepare_trace",),
    (A.NONE, A.RECORD): ("prepare_trace", "start_trace"),
    (A.NONE, A.RECORD_AND_SAVE): ("prepare_trace", "start_trace"),
    (A.WARMUP, A.NONE): ("_warn_warmup_none", "start_trace", "stop_trace"),
    (A.WARMUP, A.RECORD): ("start_trace",),
    (A.WARMUP, A.RECORD_AND_SAVE): ("start_trace",),
    (A.RECORD, A.NONE): ("_warn_record_none", "stop_trace"),
    (A.RECORD, A.WARMUP): ("_warn_record_warmup", "stop_trace", "prepare_trace"),
    (A.RECORD_AND_SAVE, A.NONE): SAVE,
    (A.RECORD_AND_SAVE, A.WARMUP): (*SAVE, "prepare_trace"),
    (A.RECORD_AND_SAVE, A.RECORD): (*SAVE, "prepare_trace", "start_trace"),
    (A.RECORD_AND_SAVE, A.RECORD_AND_SAVE): (*SAVE, "prepare_trace", "start_trace"),
    (A.WARMUP, None): ("start_trace", "stop_trace"),
    (A.RECORD, None): SAVE,
    (A.RECORD_AND_SAVE, None): SAVE,
}


def supported_activities() -> set[ProfilerActivity]:
    """Return the default activities of a profile: CPU, and CUDA if the program has already used it."""
    package = __package__.rpartition(".")[0]
    has_cuda = f"{package}.cuda.launch" in sys.modules
    return {ProfilerActivity.CPU} | ({ProfilerActivity.CUDA} if has_cuda else set())


def parse_activities(activities: Iterable[Any] | None) -> set[ProfilerActivity]:
    """Return the given activities as a set, or the default ones if none are given.

    Raises:
        AssertionError: an empty list.
        TypeError: an entry is not an activity.
        ValueError: one is there twice.
    """
    if activities is None:
        return supported_activities()
    parsed: set[ProfilerActivity] = set()
    given = list(activities)
    if not any(isinstance(item, (ProfilerActivity, dict)) for item in given):
        raise AssertionError("No valid profiler activities found")
    for item in given:
        if not isinstance(item, (ProfilerActivity, dict)):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(item)}")
        for activity in item if isinstance(item, dict) else (item,):
            if activity in parsed:
                raise ValueError(f"Activity {activity} specified more than once")
            parsed.add(activity)
    return parsed


class profile:
    """Profiler that records operators, and optionally more, from `start` to `stop` or in its `with` block.

    Args:
        activities: ProfilerActivity.CPU, ProfilerActivity.CUDA.
        schedule: step -> ProfilerAction; see `schedule`. Without one all steps are recorded.
        on_trace_ready: called with the profile at the end of each cycle of the schedule, and at the end.
        record_shapes: sizes, strides, dtypes and numbers among the arguments of operators.
        profile_memory: bytes of storages, taken and given back.
        with_stack: the lines of Python that called.
        with_flops: operations by formula.
        with_modules: noted in the trace, as PyTorch does for modules outside TorchScript.
        acc_events: events of later cycles are added to the earlier ones.
    Raises:
        AssertionError: no activities.
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Schedule | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: ExperimentalConfig | None = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
    ):
        self.activities = parse_activities(activities)
        if use_cuda is not None:
            warnings.warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.experimental_config = experimental_config or ExperimentalConfig()
        self.custom_trace_id_callback = custom_trace_id_callback
        self.use_device = "cuda" if ProfilerActivity.CUDA in self.activities else None
        self.schedule, self.record_steps = schedule or always, schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(self.step_num)
        self.step_rec_fn: record_function | None = None
        self.profiler: autograd_profiler.profile | None = None
        self.preset_metadata: dict[str, str] = {}
        self._metadata: dict[str, str] = {}

    # ---- when

    def __enter__(self) -> "profile":
        self.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Start the profiler with the scheduled action of the current step."""
        self._transit(A.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """Stop the profiler, and finish the cycle that is being recorded, if any."""
        self._end_step()
        self._transit(self.current_action, None)

    def step(self) -> None:
        """Finish the current step and begin the next one."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._transit(before, self.current_action)
        self._begin_step()

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def _transit(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        for method in TRANSITIONS.get((before, after), ()):
            getattr(self, method)()

    def prepare_trace(self) -> None:
        """Prepare a trace and start recording; the events before `start_trace` are not kept."""
        if self.profiler is None or not self.acc_events:
            self.profiler = autograd_profiler.profile(
                use_cpu=ProfilerActivity.CPU in self.activities,
                use_device=self.use_device,
                record_shapes=self.record_shapes,
                with_flops=self.with_flops,
                profile_memory=self.profile_memory,
                with_stack=self.with_stack,
                acc_events=self.acc_events,
                all_threads=self.experimental_config.profile_all_threads,
                capture_overload_names=self.experimental_config.capture_overload_names,
                custom_trace_id_callback=self.custom_trace_id_callback,
            )
        self.profiler._prepare_trace()

    def start_trace(self) -> None:
        """Keep the events recorded from now on."""
        self._made("starting trace")._start_trace()
        for name in ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops"):
            if getattr(self, name):
                self.add_metadata_json(name, "1")
        for name, value in self.preset_metadata.items():
            self.add_metadata_json(name, value)

    def stop_trace(self) -> None:
        """Stop recording the trace."""
        self._made("stopping trace").__exit__(None, None, None)

    def _trace_ready(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _warn_warmup_none(self) -> None:
        warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=4)

    def _warn_record_none(self) -> None:
        warnings.warn("Incorrect schedule: RECORD followed by NONE", stacklevel=4)

    def _warn_record_warmup(self) -> None:
        warnings.warn("Incorrect schedule: RECORD followed by WARMUP", stacklevel=4)

    # ---- what was seen

    def _made(self, purpose: str) -> autograd_profiler.profile:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {purpose}")
        return self.profiler

    def events(self) -> EventList:
        """Return the events of the last cycle, sorted by time."""
        return self._made("accessing events").function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Return the events summed by name, and grouped also by shapes, stack or overload name if requested."""
        made = self._made("getting key averages")
        return made.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def hot(self, share: float = 0.05, metric: str = "self_cpu_time_total") -> EventList:
        """Return the sums by name that exceed `share` of the total, largest first; see `EventList.hot`."""
        return self._made("getting key averages").function_events.hot(share, metric)

    def export_chrome_trace(self, path: str) -> None:
        """Write the trace of the last cycle, compressed if the name ends in ".gz"."""
        metadata = {name: json.loads(value) for name, value in self._metadata.items()}
        self._made("exporting chrome trace").export_chrome_trace(path, metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the call stack and the time of each event, for flame graphs. It needs with_stack=True."""
        self._made("exporting stacks").export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a string to the metadata at the top level of the trace."""
        self._metadata[key] = json.dumps(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a JSON value to the metadata at the top level of the trace."""
        self._metadata[key] = value

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Add a JSON value to the metadata of every trace, before the profiler starts."""
        self.preset_metadata[key] = value

    def get_trace_id(self) -> str | None:
        """Return the id of the current trace, or None before the first one."""
        return self.profiler.trace_id if self.profiler is not None else None


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """Return a callback for `on_trace_ready` that writes each trace to a folder, in TensorBoard's format.

    Args:
        worker_name: begins the names of files; "<host>_<process>" if there is none.
    """
    import os
    import socket
    import time

    def handler(prof: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handler
