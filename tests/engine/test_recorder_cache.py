"""The model of a cache, on examples worked out by hand; and a trace as columns of numbers and back."""

import numpy as np
import pytest

from engine.memory_trace import (
    Cache,
    from_columns,
    global_loads,
    missed,
    missed_in,
    misses,
    record_call,
    to_columns,
    total_misses,
)


def add(out, x, y):
    for i in range(out.size):
        out[i] = x[i] + y[i]


def every_fourth(x):
    total = 0.0
    for i in range(0, x.size, 4):
        total += x[i]
    return total


def arrays(size):
    return np.zeros(size, np.float32), np.arange(size, dtype=np.float32), np.ones(size, np.float32)


@pytest.mark.parametrize(
    ("addresses", "cache", "expected"),
    [
        ([0, 63, 64, 0], Cache(1, 2, 64), [1, 0, 1, 0]),  # two lines fit
        ([0, 64, 128, 0], Cache(1, 2, 64), [1, 1, 1, 1]),  # the line used longest ago had to go
        ([0, 64, 0, 128, 0, 64], Cache(1, 2, 64), [1, 1, 0, 1, 0, 1]),  # a use makes a line young again
        ([0, 64, 128, 0], Cache(2, 1, 64), [1, 1, 1, 1]),  # lines 0 and 2 share a set
        ([0, 64, 192, 0], Cache(2, 1, 64), [1, 1, 1, 0]),  # lines 1 and 3 do, and 0 stays
        ([0, 8, 16, 24], Cache(4, 4, 8), [1, 1, 1, 1]),
        ([], Cache(1, 1, 1), []),
    ],
)
def test_which_accesses_miss(addresses, cache, expected):
    assert missed(addresses, cache) == [bool(miss) for miss in expected]


@pytest.mark.parametrize("cache", [Cache(0, 1, 64), Cache(1, -1, 64), Cache(1, 1, 0)])
def test_a_cache_without_a_size_is_refused(cache):
    with pytest.raises(ValueError, match="positive sizes"):
        missed([0], cache)


def test_a_walk_along_neighbours_misses_once_a_line():
    trace = record_call(add, *arrays(40))
    assert misses(trace, Cache(1, 3, 64)) == {"out": 3, "x": 3, "y": 3}
    assert total_misses(trace, Cache(1, 3, 64)) == 9


def test_three_arrays_push_each_other_out_of_a_cache_of_two_lines():
    assert misses(record_call(add, *arrays(40)), Cache(1, 2, 64)) == {"out": 40, "x": 40, "y": 40}


def test_arrays_that_begin_in_one_set_push_each_other_out_though_the_cache_is_large():
    assert misses(record_call(add, *arrays(40)), Cache(64, 2, 64)) == {"out": 40, "x": 40, "y": 40}


def test_the_misses_of_one_array_in_the_order_of_time():
    trace = record_call(every_fourth, np.zeros(24, np.float32))
    assert missed_in(trace, Cache(1, 1, 32), "x") == [True, False, True, False, True, False]


def test_a_plain_loop_is_recorded_and_its_results_are_there():
    out, x, y = arrays(5)
    trace = record_call(add, out, x, y)
    assert out.tolist() == [1, 2, 3, 4, 5] and global_loads(trace) == 10 and global_loads(trace, "x") == 5


def test_what_only_compiled_code_can_call_is_replaced():
    def loud(value):
        raise NotImplementedError("a function of compiled code")

    def twice(out):
        out[0] = loud(out[0])

    out = np.ones(1)
    record_call(twice, out, instead=[(loud, lambda value: 2 * value)])
    assert out[0] == 2


def test_a_loop_that_never_ends_is_stopped():
    def forever(out):
        while True:
            out[0] = 1

    with pytest.raises(RuntimeError, match="more than 100 accesses"):
        record_call(forever, np.zeros(1), most_events=100)


def test_columns_come_back_as_the_trace():
    trace = record_call(add, *arrays(6))
    assert from_columns(to_columns(trace)) == trace


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("events"),
        lambda data: data.update(events=data["events"][:, :7]),
        lambda data: data.update(events=data["events"].astype(np.int32)),
        lambda data: data.update(values=data["values"][1:]),
        lambda data: data["events"].__setitem__((0, 5), 9),  # an array that is not there
        lambda data: data["events"].__setitem__((0, 6), 6),  # an element that is not there
        lambda data: data["events"].__setitem__((0, 4), 7),  # no kind of access
        lambda data: data["events"].__setitem__((0, 1), 1),  # a second thread
        lambda data: data.update(rest=()),
        lambda data: data.update(rest=(*data["rest"][:2], ())),  # no instructions
        lambda data: data.update(sizes=((0, 1, 1), data["sizes"][1])),  # no blocks
    ],
)
def test_columns_of_no_trace_are_refused(spoil):
    data = to_columns(record_call(add, *arrays(6)))
    spoil(data)
    with pytest.raises(ValueError):
        from_columns(data)
