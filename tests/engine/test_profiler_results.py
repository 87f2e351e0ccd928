"""The results of a profile: tables, averages, traces, stacks, operations, memory. The oracle is PyTorch's profiler."""

import gzip
import json
import math
import re

import pytest
from compare import needs_torch, torch
from profiles import network, profiled, quiet, tops, trace_of

import engine
from engine.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler
from engine.profiler.averages import above
from engine.profiler.chrome_trace import chrome_trace
from engine.profiler.event_list import EventList
from engine.profiler.event_tree import memory_of, parents_of, self_times
from engine.profiler.events import Allocation, DeviceType, Event, Recording
from engine.profiler.flops import convolution_flops
from engine.profiler.parsing import function_events

CPU = [ProfilerActivity.CPU]
EVERYTHING = {"record_shapes": True, "profile_memory": True, "with_flops": True}


@pytest.fixture(scope="module")
def full():
    return profiled(engine, network, with_stack=True, **EVERYTHING)


@pytest.fixture(scope="module")
def theirs(pytorch):
    return profiled(torch, network, **EVERYTHING)


@pytest.fixture(scope="module")
def their_trace(theirs, tmp_path_factory):
    return trace_of(theirs, tmp_path_factory.mktemp("trace"))  # PyTorch writes a trace once


# ---- nested events


def test_an_event_lies_in_the_smallest_one_of_its_thread_that_holds_it():
    events = [
        Event("a", 0, 10), Event("b", 1, 4), Event("c", 2, 3), Event("d", 4, 9), Event("e", 10, 12),
        Event("f", 2, 3, thread=2),
    ]  # fmt: skip
    assert parents_of(events) == [None, 0, 1, 0, None, None]
    assert parents_of(events[::-1]) == [None, None, 5, 4, 5, None]


def test_events_that_only_overlap_are_no_parents():
    assert parents_of([Event("a", 0, 5), Event("b", 3, 8), Event("c", 4, 5)]) == [None, None, 1]


def test_of_two_events_of_one_time_the_first_holds_the_second():
    assert parents_of([Event("a", 1, 3), Event("b", 1, 3)]) == [None, 0]


def test_own_times_add_up_to_the_whole():
    events = [Event("a", 0, 10), Event("b", 1, 4), Event("c", 2, 3), Event("d", 4, 9)]
    times = self_times(events, parents_of(events))
    assert times == [2, 2, 1, 5]
    assert sum(times) == 10


@needs_torch
def test_the_tree_is_that_of_pytorch_for_random_intervals():
    import random

    from torch.autograd.profiler_util import EventList, FunctionEvent

    chance = random.Random(7)
    for _ in range(30):
        starts = [chance.randrange(40) for _ in range(25)]
        events = [
            Event(f"{number}", start, start + chance.randrange(20), chance.randrange(1, 3))
            for number, start in enumerate(starts)
        ]
        made = EventList(FunctionEvent(at, one.name, one.thread, one.start, one.end) for at, one in enumerate(events))
        made._populate_cpu_children()
        assert parents_of(events) == [one.cpu_parent.id if one.cpu_parent else None for one in made]


# ---- the table


def as_theirs(events):
    """The engine's averages, which PyTorch's own table takes: it asks for attributes only."""
    from torch.autograd.profiler_util import _build_table

    return lambda **options: _build_table(events, **options)


@needs_torch
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sort_by": "self_cpu_time_total", "row_limit": 5},
        {"sort_by": "cpu_time", "row_limit": -1, "time_unit": "ms"},
        {"sort_by": "count", "header": "a header", "top_level_events_only": True},
        {"sort_by": "cuda_time_total", "max_name_column_width": 20},
        {"sort_by": "self_cpu_memory_usage", "max_name_column_width": None, "max_shapes_column_width": 10},
        {"sort_by": "flops"},
        {"sort_by": "key"},
        {"sort_by": "input_shapes", "max_src_column_width": 30},
    ],
)
@pytest.mark.parametrize("grouped", [(False, 0), (True, 0), (True, 2)])
def test_a_table_is_that_of_pytorch(full, options, grouped):
    averages = full.key_averages(group_by_input_shape=grouped[0], group_by_stack_n=grouped[1])
    with_flops = not grouped[1]  # PyTorch mixes up operations and callers
    expected = as_theirs(averages)(profile_memory=True, with_flops=with_flops, **options)
    assert EventList(averages, True, with_flops).table(**options) == expected


@needs_torch
def test_a_table_of_events_is_that_of_pytorch(full):
    events = EventList(full.events(), profile_memory=True)
    assert events.table() == as_theirs(events)(profile_memory=True)


def test_a_table_shows_operations_and_callers_under_their_headers(full):
    lines = full.key_averages(group_by_stack_n=1).table(sort_by="flops", row_limit=1).splitlines()
    begin = lines[1].index("Source Location")
    assert re.search(r"Total \w*FLOPs", lines[1][:begin])
    assert re.match(r"\S+\(\d+\): \w+", lines[3][begin:])


@needs_torch
@pytest.mark.parametrize("options", [{}, EVERYTHING, {"record_shapes": True}, {"profile_memory": True}])
def test_columns_are_those_of_pytorch(options):
    def columns(T):
        table = profiled(T, network, **options).key_averages(group_by_input_shape=True).table(row_limit=1)
        return [name.strip() for name in table.splitlines()[1].split("  ") if name.strip()]

    assert columns(engine) == columns(torch)


@needs_torch
@pytest.mark.parametrize("key", ["nonsense", "self_nonsense_time", ""])
def test_a_key_to_sort_by_that_is_none_is_refused_as_in_pytorch(full, theirs, key):
    messages = []
    for prof in (full, theirs):
        with pytest.raises(AttributeError) as error:
            prof.key_averages().table(sort_by=key)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_a_table_of_nothing_is_empty():
    with profile(activities=CPU) as prof:
        pass
    assert (prof.key_averages().table(), prof.events(), prof.profiler.self_cpu_time_total) == ("", [], 0)


# ---- averages


@needs_torch
@pytest.mark.parametrize("grouped", [{}, {"group_by_input_shape": True}])
def test_averages_of_what_a_program_calls_count_as_in_pytorch(full, theirs, grouped):
    def counts(prof):
        called = {event.name for event in tops(prof)} - {"[memory]"}
        return [(one.key, one.input_shapes, one.count, one.flops) for one in prof.key_averages(**grouped)
                if one.key in called and one.key not in INNER]  # fmt: skip

    assert sorted(map(str, counts(full))) == sorted(map(str, counts(theirs)))


INNER = {"aten::empty", "aten::detach", "aten::ones", "aten::uniform_"}  # that PyTorch calls inside others, too


def test_averages_add_up_to_the_events(full):
    events, averages = full.events(), full.key_averages()
    assert sum(one.count for one in averages) == len(events)
    assert math.isclose(averages.self_cpu_time_total, events.self_cpu_time_total)
    assert math.isclose(events.total_average().self_cpu_time_total, full.profiler.self_cpu_time_total)
    roots = sum(one.cpu_time_total for one in events if one.cpu_parent is None)
    assert math.isclose(events.self_cpu_time_total, roots)


def test_averages_by_overload_need_a_profile_that_keeps_them():
    def program(T):
        x = T.ones(2)
        T.add(x, x)
        x.sum()
        x.sum(0)

    config = engine._C._profiler._ExperimentalConfig(capture_overload_names=True)
    prof = profiled(engine, program, experimental_config=config)
    found = [(one.key, one.overload_name) for one in prof.key_averages(group_by_overload_name=True)]
    assert ("aten::sum", "") in found
    assert ("aten::sum", "dim_IntList") in found
    assert len(prof.key_averages()) < len(found)


def test_what_takes_more_than_a_share_is_hot(full):
    hot = full.hot(0.05)
    total = full.key_averages().self_cpu_time_total
    assert [one.self_cpu_time_total for one in hot] == sorted((one.self_cpu_time_total for one in hot), reverse=True)
    assert all(one.self_cpu_time_total > 0.05 * total for one in hot)
    assert {one.key for one in hot} == {
        one.key for one in full.key_averages() if one.self_cpu_time_total > 0.05 * total
    }
    assert "Self CPU %" in hot.table()


def test_a_share_of_exactly_five_per_cent_is_not_above_it():
    class Row:
        def __init__(self, time):
            self.self_cpu_time_total = time

    rows = [Row(5), Row(6), Row(89)]
    assert [row.self_cpu_time_total for row in above(rows, 0.05)] == [89, 6]


# ---- operations


@needs_torch
def test_operations_of_products_and_convolutions_are_those_of_pytorch():
    def program(T):
        x, batch = T.ones(3, 4), T.ones(2, 3, 4)
        T.mm(x, x.t())
        T.addmm(T.ones(3), x, x.t())
        T.bmm(batch, T.ones(2, 4, 5))
        T.baddbmm(T.ones(2, 3, 5), batch, T.ones(2, 4, 5))
        T.add(x, 1)
        T.mul(x, x)
        T.add(T.ones(()), T.ones(2))
        T.mm(T.ones(0, 4), T.ones(4, 3))
        T.conv2d(T.ones(2, 4, 7, 6), T.ones(6, 4, 3, 3))

    def flops(T):
        called = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::add", "aten::mul", "aten::conv2d")
        return [(one.name, one.flops) for one in tops(profiled(T, program, with_flops=True)) if one.name in called]

    assert flops(engine) == flops(torch)
    assert len(flops(engine)) == 9


@needs_torch
@pytest.mark.parametrize("stride, padding, dilation, groups", [(1, 0, 1, 1), (2, 1, 1, 2), ((2, 1), (1, 0), (1, 2), 1)])
def test_operations_of_a_convolution_are_those_of_pytorch(stride, padding, dilation, groups):
    image, weight = (2, 4, 7, 6), (6, 4 // groups, 3, 2)

    def program(T):
        T.conv2d(T.ones(image), T.ones(weight), None, stride, padding, dilation, groups)

    (theirs,) = [one.flops for one in tops(profiled(torch, program, with_flops=True)) if one.name == "aten::conv2d"]
    pairs = [pair if isinstance(pair, tuple) else (pair, pair) for pair in (stride, padding, dilation)]
    assert convolution_flops(image, weight, *pairs, groups) == theirs


# ---- memory


@needs_torch
def test_bytes_of_what_a_program_calls_are_those_of_pytorch():
    def program(T):
        x = T.ones(50, 40)
        y = x + x
        del x
        y.mul_(2.0)
        T.cat([y, y]).sum()
        T.zeros(0)

    def seen(T):
        events = tops(profiled(T, program, profile_memory=True))
        return [(one.name, one.cpu_memory_usage) for one in events if abs(one.cpu_memory_usage) > 8]

    assert seen(engine) == seen(torch)


def test_large_memory_and_its_return_are_seen_and_that_of_before_is_not():
    before = engine.ones(100_000)
    with profile(activities=CPU, profile_memory=True) as prof:
        x = engine.ones(100_000)
        del before, x
    usage = [(one.name, one.cpu_memory_usage) for one in tops(prof)]
    assert usage == [("aten::ones", 400_000), ("[memory]", -400_000)]


def test_memory_of_an_event_is_what_its_thread_took_in_its_time():
    events = [Event("a", 0, 10), Event("b", 2, 5), Event("c", 0, 10, thread=2)]
    taken = [Allocation(3, 8), Allocation(5, 16), Allocation(6, -8), Allocation(4, 100, thread=2), Allocation(11, -16),
             Allocation(4, 64, device=DeviceType.CUDA)]  # fmt: skip
    used, outside = memory_of(events, taken, DeviceType.CPU)
    assert (used, outside) == ([16, 24, 100], [taken[4]])
    assert memory_of(events, taken, DeviceType.CUDA) == ([64, 64, 0], [])


# ---- the trace


def shape_of(event):
    """The fields of an entry of a trace, without their values."""
    args = tuple(sorted(event.get("args", {})))
    return event["ph"], event.get("cat"), tuple(sorted(event)), args


@needs_torch
def test_entries_of_a_trace_have_the_fields_of_pytorchs(their_trace, tmp_path):
    ours = trace_of(profiled(engine, network, **EVERYTHING), tmp_path)
    assert {*ours} == {*their_trace}
    assert {*map(shape_of, ours["traceEvents"])} == {*map(shape_of, their_trace["traceEvents"])}


@needs_torch
def test_a_trace_passes_pytorchs_own_checks(full, tmp_path):
    from torch.profiler._trace_validator import validate_trace

    full.export_chrome_trace(str(tmp_path / "trace.json"))
    assert validate_trace(str(tmp_path / "trace.json")) == (True, [])


@needs_torch
def test_arrows_lead_from_the_operators_of_pytorch_to_their_nodes(their_trace, tmp_path):
    def arrows(trace):
        events = trace["traceEvents"]
        ops = [one for one in events if one.get("cat") == "cpu_op"]
        at = {one["ts"]: one["name"] for one in sorted(ops, key=lambda one: -one["args"]["Ev Idx"])}
        ends = {one["id"]: at[one["ts"]] for one in events if one.get("cat") == "fwdbwd" and one["ph"] == "f"}
        return [(at[one["ts"]], ends[one["id"]]) for one in events
                if one.get("cat") == "fwdbwd" and one["ph"] == "s"]  # fmt: skip

    mine = arrows(trace_of(profiled(engine, network), tmp_path))
    assert sorted(mine) == sorted(arrows(their_trace))
    assert ("aten::addmm", "AddmmBackward0") in mine


def test_an_entry_of_a_trace_says_what_the_event_says(full, tmp_path):
    events = trace_of(full, tmp_path)
    entries = [one for one in events["traceEvents"] if one.get("cat") in ("cpu_op", "user_annotation")]
    recorded = full.profiler.recording.events
    assert [(one["name"], one["args"]["Ev Idx"], one["args"]["External id"]) for one in entries] == [
        (one.name, number, number + 1) for number, one in enumerate(recorded)
    ]
    for entry, event in zip(entries, recorded, strict=True):
        assert math.isclose(entry["dur"], (event.end - event.start) / 1000)
    start = events["baseTimeNanoseconds"] / 1e9 + entries[0]["ts"] / 1e6
    assert math.isclose(start, (full.profiler.recording.epoch + recorded[0].start) / 1e9, abs_tol=1e-5)


def test_a_trace_is_made_of_a_recording_and_nothing_else():
    recording = Recording(
        [Event("f", 5, 9, sequence_nr=3), Event("g", 10, 12, scope=1, sequence_nr=3)], start=5, end=20
    )
    events = chrome_trace(recording, {"note": 1}, "t.json")
    assert events["note"] == 1
    arrows = [(one["ph"], one["ts"]) for one in events["traceEvents"] if one.get("cat") == "fwdbwd"]
    assert arrows == [("s", 0.005), ("f", 0.01)]


def test_a_trace_is_compressed_if_its_name_says_so(full, tmp_path):
    full.export_chrome_trace(str(tmp_path / "a.json"))
    full.export_chrome_trace(str(tmp_path / "b.json.gz"))
    plain = json.loads((tmp_path / "a.json").read_text())
    packed = json.loads(gzip.decompress((tmp_path / "b.json.gz").read_bytes()))
    assert plain["traceEvents"] == packed["traceEvents"]
    assert (plain["record_shapes"], plain["profile_memory"], plain["with_flops"]) == (1, 1, 1)


def test_what_one_adds_stands_at_the_top_of_the_trace(tmp_path):
    prof = profile(activities=CPU)
    prof.preset_metadata_json("preset", "[1, 2]")
    with prof:
        prof.add_metadata("text", 'a "word"')
        prof.add_metadata_json("number", "5")
    trace = trace_of(prof, tmp_path)
    assert (trace["preset"], trace["text"], trace["number"]) == ([1, 2], 'a "word"', 5)


# ---- callers


def test_stacks_are_written_with_the_outermost_first(full, tmp_path):
    path = tmp_path / "stacks.txt"
    full.export_stacks(str(path), "self_cpu_time_total")
    lines = path.read_text().splitlines()
    assert lines
    for line in lines:
        stack, _, time = line.rpartition(" ")
        assert int(time) > 0
        assert " " not in stack
    assert any("_network;" in line for line in lines)


@needs_torch
def test_stacks_are_refused_as_in_pytorch(full, tmp_path):
    messages = []
    for T in (engine, torch):
        plain = profiled(T, lambda T: T.ones(1))
        for prof, metric, error in ((plain, "self_cpu_time_total", AssertionError), (plain, "time", AssertionError)):
            with pytest.raises(error) as refused:
                prof.export_stacks(str(tmp_path / "stacks.txt"), metric)
            messages.append(str(refused.value))
    assert messages[:2] == messages[2:]
    with pytest.raises(ValueError, match="metric should be one of: "):
        full.export_stacks(str(tmp_path / "stacks.txt"), "time")


def test_averages_by_callers_are_apart_where_the_callers_are():
    def one(T, x):
        return x + x

    def other(T, x):
        return x + x

    def program(T):
        x = T.ones(2)
        one(T, x)
        other(T, x)

    prof = profiled(engine, program, with_stack=True)
    assert [row.count for row in prof.key_averages() if row.key == "aten::add"] == [2]
    apart = [row for row in prof.key_averages(group_by_stack_n=1) if row.key == "aten::add"]
    assert [(row.count, row.stack[0].partition(": ")[2]) for row in apart] == [(1, "one"), (1, "other")]


# ---- steps


@needs_torch
@pytest.mark.parametrize(
    "options",
    [
        {"wait": 1, "warmup": 1, "active": 2},
        {"wait": 0, "warmup": 0, "active": 1, "repeat": 2},
        {"wait": 2, "warmup": 1, "active": 3, "repeat": 2, "skip_first": 3},
        {"wait": 4, "warmup": 1, "active": 1, "skip_first": 2, "skip_first_wait": 1},
    ],
)
@pytest.mark.filterwarnings("ignore:Profiler won't be using warmup")
def test_a_schedule_is_that_of_pytorch(options):
    mine, theirs = schedule(**options), torch.profiler.schedule(**options)
    assert [mine(step).name for step in range(40)] == [theirs(step).name for step in range(40)]


@needs_torch
@pytest.mark.parametrize("options", [{"wait": -1, "warmup": 0, "active": 1}, {"wait": 0, "warmup": 0, "active": 0}])
def test_a_schedule_that_is_none_is_refused_as_in_pytorch(options):
    messages = []
    for T in (engine, torch):
        with pytest.raises(AssertionError) as error:
            T.profiler.schedule(**options)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


@needs_torch
def test_cycles_of_a_schedule_hold_the_steps_of_pytorchs():
    def seen(T):
        cycles = []

        def ready(prof):
            names = [one.name for one in prof.events() if not one.name.startswith("aten::to")]
            cycles.append((prof.step_num, names.count("aten::add"), names.count("ProfilerStep*")))

        plan = T.profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
        x = T.ones(2)
        activities = [T.profiler.ProfilerActivity.CPU]
        with quiet(), T.profiler.profile(activities=activities, schedule=plan, on_trace_ready=ready) as prof:
            for _ in range(10):
                x + x
                prof.step()
        return cycles

    assert seen(engine) == seen(torch)
    assert seen(engine) == [(4, 2, 2), (8, 2, 2)]


def test_events_of_several_cycles_are_kept_if_one_asks():
    plan = schedule(wait=0, warmup=1, active=1, repeat=3)
    counts = []
    for acc_events in (False, True):
        x = engine.ones(2)
        with profile(activities=CPU, schedule=plan, acc_events=acc_events) as prof:
            for _ in range(6):
                x + x
                prof.step()
        counts.append(sum(one.name == "aten::add" for one in prof.events()))
    assert counts == [1, 3]


def test_a_folder_for_tensorboard_gets_a_trace_for_each_cycle(tmp_path):
    handler = tensorboard_trace_handler(str(tmp_path / "log"), "me", use_gzip=True)
    plan = schedule(wait=0, warmup=1, active=1, repeat=2)
    with profile(activities=CPU, schedule=plan, on_trace_ready=handler) as prof:
        for _ in range(4):
            engine.ones(1)
            prof.step()
    names = [path.name for path in (tmp_path / "log").iterdir()]
    assert len(names) == 2
    assert all(name.startswith("me.") and name.endswith(".pt.trace.json.gz") for name in names)


# ---- misuse, and the older interface


@needs_torch
@pytest.mark.parametrize(
    "program",
    [
        lambda T: T.profiler.profile(activities=[]),
        lambda T: T.profiler.profile(activities=[3]),
        lambda T: T.profiler.profile(activities=[T.profiler.ProfilerActivity.CPU] * 2),
        lambda T: T.profiler.profile(activities=[T.profiler.ProfilerActivity.CPU]).key_averages(),
        lambda T: T.profiler.profile(activities=[T.profiler.ProfilerActivity.CPU]).events(),
        lambda T: T.profiler.profile(activities=[T.profiler.ProfilerActivity.CPU]).export_chrome_trace("x"),
    ],
)
def test_misuse_is_refused_as_in_pytorch(program):
    refused = []
    for T in (engine, torch):
        with pytest.raises(Exception) as error:  # noqa: PT011 (whatever PyTorch raises)
            program(T)
        refused.append((error.type, str(error.value)))
    assert refused[0] == refused[1]


@needs_torch
def test_the_profiler_of_autograd_works_as_in_pytorch():
    def seen(T):
        with quiet(), T.autograd.profiler.profile(record_shapes=True) as prof:
            x = T.ones(2)
            with T.autograd.profiler.record_function("label"):
                x * x
        table = prof.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total")
        headers = [name.strip() for name in table.splitlines()[1].split("  ") if name.strip()]
        names = {one.name for one in prof.function_events} & {"label", "aten::mul", "aten::ones"}
        return headers, names, prof.total_average().key, prof.self_cpu_time_total > 0

    assert seen(engine) == seen(torch)


def test_an_event_that_is_the_only_child_of_its_name_is_left_out():
    events = function_events(Recording([Event("a", 0, 10), Event("a", 1, 9), Event("b", 2, 3), Event("a", 20, 21)]))
    assert [(one.name, [child.name for child in one.cpu_children]) for one in events] == [
        ("a", ["b"]), ("b", []), ("a", []),
    ]  # fmt: skip
