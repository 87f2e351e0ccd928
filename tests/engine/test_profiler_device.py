"""The device in a profile: kernels belong to the operators that launch them, and a time that is not known is not told.

The device whose work takes longer than its launch is a stand-in; the engine's own is the simulator or a GPU.
"""

from types import SimpleNamespace

import pytest
from profiles import trace_of

import engine
from engine.profiler import ProfilerActivity, device, profile, record_function, recorder

BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


class Queue:
    """A device that runs what it was given when it is waited for, at 1 ms a kernel."""

    def __init__(self):
        self.done = self.given = 0.0
        self.listeners = []

    def synchronize(self):
        self.done = self.given

    def launch(self, name):
        def run():
            self.given += 1.0

        for listener in self.listeners:
            listener(name, 4, (8, 2), SimpleNamespace(number=3), run)

    def runtime(self):
        queue = self

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing

            def record(self, stream=None):
                self.time = queue.given

            def query(self):
                return self.time <= queue.done

            def synchronize(self):
                queue.done = max(queue.done, self.time)

            def elapsed_time(self, other):
                assert self.query()
                assert other.query()
                return other.time - self.time

        return SimpleNamespace(Event=Event, synchronize=self.synchronize)


@pytest.fixture
def queue(monkeypatch):
    made = Queue()
    launches = SimpleNamespace(watch=made.listeners.append, unwatch=made.listeners.remove)

    def stand_in(owner):
        return device.Device(owner, made.runtime(), launches) if owner.config.cuda else None

    others = [source for source in recorder.SOURCES if source is not device.watch]
    monkeypatch.setattr(recorder, "SOURCES", [*others, stand_in])
    return made


def two_kernels(queue, is_waited_for):
    """A profile of an operator of one's own that launches two kernels, and of another one that launches none."""
    with profile(activities=BOTH) as prof:
        with record_function("outer"):
            with record_function("launches"):
                queue.launch("first")
                queue.launch("second")
            engine.ones(1)
        if is_waited_for:
            queue.synchronize()
    return prof


def test_a_kernel_belongs_to_the_operator_that_launched_it(queue):
    prof = two_kernels(queue, True)
    times = {one.name: (one.self_device_time_total, one.device_time_total) for one in prof.events()}
    assert times["launches"] == pytest.approx((2000.0, 2000.0))
    assert times["outer"] == pytest.approx((0, 2000.0))
    assert times["aten::ones"] == (0, 0)
    assert times["first"] == pytest.approx((1000.0, 1000.0)) == times["second"]
    launches = [one for one in prof.events() if one.name == "cudaLaunchKernel"]
    assert [one.cpu_parent.name for one in launches] == ["launches"] * 2


def test_the_table_has_columns_of_the_device(queue):
    lines = two_kernels(queue, True).key_averages().table(sort_by="cuda_time_total").splitlines()
    headers = [name.strip() for name in lines[1].split("  ") if name.strip()]
    assert headers[6:10] == ["Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"]
    assert lines[-1] == "Self CUDA time total: 2.000ms"


def test_device_time_that_was_not_waited_for_is_refused_and_says_what_to_do(queue):
    prof = two_kernels(queue, False)
    message = r"expected the device to have run all kernels when the profile ended.*Call cuda\.synchronize\(\) inside"
    rows = {one.key: one for one in prof.key_averages()}
    for name in ("device_time_total", "self_device_time_total", "device_time", "device_time_str"):
        with pytest.raises(RuntimeError, match=message):
            getattr(rows["launches"], name)
    with pytest.raises(RuntimeError, match=message):
        prof.key_averages().table(sort_by="cuda_time_total")
    with pytest.raises(RuntimeError, match=message):
        prof.hot(0.05, "self_device_time_total")
    assert rows["aten::ones"].device_time_total == 0
    assert rows["launches"].cpu_time_total > 0


def test_a_table_without_device_time_says_why(queue):
    text = two_kernels(queue, False).key_averages().table(sort_by="self_cpu_time_total")
    assert "Self CUDA" not in text
    assert text.splitlines()[-1].startswith("CUDA time is not shown: expected the device to have run all kernels")


def test_waiting_after_the_profile_has_ended_is_too_late(queue):
    prof = two_kernels(queue, False)
    queue.synchronize()
    with pytest.raises(RuntimeError, match="inside the profiled region"):
        prof.key_averages().total_average().device_time_total  # noqa: B018


def test_kernels_of_a_warm_up_are_not_kept(queue):
    plan = engine.profiler.schedule(wait=0, warmup=1, active=1, repeat=1)
    with profile(activities=BOTH, schedule=plan) as prof:
        for name in ("warm", "kept"):
            queue.launch(name)
            queue.synchronize()
            prof.step()
    assert [one.name for one in prof.events() if one.activity_type == "kernel"] == ["kept"]
    assert queue.listeners == []


def test_a_trace_leads_from_each_launch_to_its_kernel(queue, tmp_path):
    events = trace_of(two_kernels(queue, True), tmp_path)["traceEvents"]
    kernels = [one for one in events if one.get("cat") == "kernel"]
    launches = {one["args"]["correlation"]: one for one in events if one.get("cat") == "cuda_runtime"}
    assert [one["name"] for one in kernels] == ["first", "second"]
    for kernel in kernels:
        launch = launches[kernel["args"]["correlation"]]
        assert launch["args"]["External id"] == kernel["args"]["External id"]
        assert (kernel["dur"], kernel["tid"], kernel["args"]["grid"], kernel["args"]["block"]) == (
            1000.0, 3, [4, 1, 1], [8, 2, 1],
        )  # fmt: skip
    ends = {one["id"]: one["ts"] for one in events if one.get("cat") == "ac2g" and one["ph"] == "f"}
    assert sorted(ends.values()) == [one["ts"] for one in kernels]


def test_a_kernel_that_was_not_waited_for_is_not_in_the_trace(queue, tmp_path):
    events = trace_of(two_kernels(queue, False), tmp_path)["traceEvents"]
    assert [one for one in events if one.get("cat") == "kernel"] == []
    assert len([one for one in events if one.get("cat") == "cuda_runtime"]) == 2


# ---- the engine's own


@pytest.fixture(scope="module")
def on_device():
    x = engine.ones(6, device="cuda")
    x + x
    with profile(activities=BOTH, profile_memory=True) as prof:
        y = x + x
        y.mul_(x)
        del y
        engine.cuda.synchronize()
    return prof


def test_an_operator_on_the_device_has_the_time_of_its_kernel(on_device):
    rows = {one.key: one for one in on_device.key_averages()}
    kernels = [one for one in on_device.events() if one.activity_type == "kernel"]
    assert rows["aten::add"].self_device_time_total > 0
    assert rows["aten::add"].self_device_time_total + rows["aten::mul_"].self_device_time_total == pytest.approx(
        sum(one.device_time_total for one in kernels)
    )
    assert rows["aten::add"].count == 1


def test_memory_of_the_device_is_counted_apart(on_device):
    usage = {one.key: one.device_memory_usage for one in on_device.key_averages()}
    assert (usage["aten::add"], usage["aten::mul_"], usage["[memory]"]) == (512, 0, -512)  # blocks of 512 bytes
    assert "Self CUDA Mem" in on_device.key_averages().table()


def test_a_launch_lies_inside_its_operator_and_its_kernel_begins_no_earlier(on_device):
    recording = on_device.profiler.recording
    for kernel in recording.kernels:
        launch = recording.events[kernel.event]
        assert launch.start <= kernel.start < kernel.end
    assert [one.cpu_parent.name for one in on_device.events() if one.name == "cudaLaunchKernel"] == [
        "aten::add", "aten::mul_",
    ]  # fmt: skip
