"""Findings on traces: right ones, wrong ones, and forged ones, which cost little time and earn nothing."""

import contextlib
import sys
from collections import Counter

import numpy as np
import pytest

from autograder.examine import counting
from engine import memory_trace
from engine.cuda.driver import cuda

A = np.array([3.0, -1.0, 4.0, 1.5, -5.0, 9.0, 2.5], np.float32)
B = np.array([2.0, 7.0, -1.0, 8.0, 2.0, -8.0, 1.0], np.float32)
GRID, BLOCK = (2,), (4,)


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[i] + b[i]


@cuda.jit
def add_elsewhere(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = 5.0


@cuda.jit
def add_beyond(a, b, out):
    i = cuda.grid(1)
    value = a[i] + b[i]
    if i < out.shape[0]:
        out[i] = value


@cuda.jit
def racing_sum(a, out):
    tile = cuda.shared.array(4, np.float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    if i < 2:
        cuda.syncthreads()
    if i == 3:
        out[0] = tile[0] + tile[1] + tile[2] + tile[3]


def columns(kernel, *arrays, grid=GRID, block=BLOCK):
    return memory_trace.to_columns(memory_trace.record(kernel, grid, block, *arrays))


def added(kernel=add):
    out = np.zeros_like(A)
    return columns(kernel, A.copy(), B.copy(), out)


def memories():
    return {"a": A, "b": B, "out": np.empty_like(A)}


def read(data):
    return counting.read(data, memories(), GRID, BLOCK)


def result(trace, **more):
    return counting.judged_result(trace, {"a": A, "b": B}, {"out": A + B}, **more)


def needed(i):
    return {"a": [i], "b": [i]}


def test_a_right_trace():
    trace = read(added())
    assert result(trace, needed={"out": needed}) == "right"
    assert counting.loads(trace, "a", 7, 7) == "7"
    assert counting.transactions(trace, "a", "load", 1, 2) == "1 to 2"
    assert counting.uninitialised_reads(trace, ("out",)) == "none"
    assert counting.faults(trace) == {"out of bounds": "none", "races": "none", "barriers": "reached by all threads"}
    assert counting.bank_conflicts(trace) == "none"


def test_names_of_arguments_are_ours():
    @cuda.jit
    def other_names(x, y, z):
        i = cuda.grid(1)
        if i < z.shape[0]:
            z[i] = x[i] + y[i]

    trace = read(added(other_names))
    assert result(trace) == "right"
    assert counting.stores(trace, "out", 7, 7) == "7"


def test_views_of_one_memory():
    memory = np.arange(12, dtype=np.float32)
    arrays = {"a": memory[1:8], "b": memory[11:4:-1], "out": np.empty(7, np.float32)}
    data = columns(add, *(values.copy() if name == "out" else values for name, values in arrays.items()))
    trace = counting.read(data, arrays, GRID, BLOCK)
    right = {"out": memory[1:8] + memory[11:4:-1]}
    assert counting.judged_result(trace, {"a": memory[1:8], "b": memory[11:4:-1]}, right) == "right"
    with pytest.raises(ValueError, match="an argument"):
        counting.read(data, arrays | {"b": memory[5:12]}, GRID, BLOCK)


def test_an_answer_from_elsewhere():
    values = np.full_like(A, 5)
    trace = read(added(add_elsewhere))
    wrong = counting.judged_result(trace, {"a": A}, {"out": values}, needed={"out": needed})
    assert wrong == "out[0]: nothing flows into it from a at (0,)"
    assert counting.loads(trace, "a", 7, 7) == "0, and at least 7 are needed"


def test_wrong_and_near_results():
    trace = read(added())
    wrong = counting.judged_result(trace, {"a": A, "b": B}, {"out": A - B}, 0.5)
    assert wrong == "out[0] is 5, and should be 1"
    assert counting.judged_result(trace, {"a": A, "b": B}, {"out": A + B + 0.25}, 0.5) == "right"
    assert counting.judged_result(trace, {"a": A, "b": B}, {"out": A + B + 0.25}, {"out": 0.125}) != "right"
    assert counting.judged_result(trace, {"a": A, "b": B}, {"out": np.full(7, np.inf)}, 0.5) != "right"


def test_faults():
    beyond = read(added(add_beyond))
    assert counting.out_of_bounds(beyond) == "thread 3 of block 1 reads beside a, which has 7 elements"
    arrays = {"a": A, "out": np.empty(1, np.float32)}
    data = columns(racing_sum, A.copy(), np.zeros(1, np.float32), grid=1, block=4)
    trace = counting.read(data, arrays, (1,), (4,))
    assert counting.races(trace) == (
        "thread 0 of block 0 writes and thread 3 of block 0 reads shared tile[0], and no barrier is between them"
    )
    assert counting.barriers(trace) == "barrier 0 of block 0 is reached by 2 of 4 threads"
    assert counting.of_space(trace, "shared", "load", 0, 3) == "4, and at most 3 are allowed"


def test_loads_that_the_memory_never_held():
    data = added()
    row = int(np.flatnonzero(data["events"][:, 4] == 0)[0])
    data["values"][row] = 77, 0
    assert result(read(data)).startswith("a load of a at 0: it gave 77.0, the memory held 3.0")


def test_outputs_without_loads():
    data = added()
    kept = data["events"][:, 4] != 0
    data["events"], data["values"] = data["events"][kept], data["values"][kept]
    trace = read(data)
    assert result(trace) == "right"
    assert result(trace, needed={"out": needed}) == "out[0]: nothing flows into it from a at (0,)"


def test_a_truncated_trace():
    data = added()
    data["events"], data["values"] = data["events"][:-3], data["values"][:-3]
    assert result(read(data)) == "out[6] was never stored, and should be 3.5"


def without(key):
    return lambda data: data.pop(key)


def with_rest(part, row):
    def change(data):
        rest = list(data["rest"])
        rest[part] = (*rest[part], row)
        data["rest"] = tuple(rest)

    return change


FORGED = {
    "no events": without("events"),
    "no values": without("values"),
    "events of objects": lambda data: data.update(events=data["events"].astype(object)),
    "another grid": lambda data: data.update(sizes=((2**31, 1, 1), (4, 1, 1))),
    "another block": lambda data: data.update(sizes=((2, 1, 1), (1024, 1, 1))),
    "an argument more": with_rest(0, ("c", 0, 0, (2**30,), (1,))),
    "a global array more": with_rest(1, ("c", "global", "float32", 4, 7, 0)),
    "huge shared memory": with_rest(1, ("c", "shared", "float32", 4, 2**60, 0)),
    "elements of many bytes": with_rest(1, ("c", "shared", "float32", 2**60, 1, 0)),
    "a long name": with_rest(1, ("c" * 1_000_000, "shared", "float32", 4, 7, 0)),
    "many instructions": lambda data: data.update(rest=(*data["rest"][:2], data["rest"][2][:1] * 60_000)),
    "huge": lambda data: data.update(events=np.zeros((10_000_000, 8), np.int64)),
    "a thread that is none": lambda data: data["events"].__setitem__((0, 1), 4),
    "an array that is none": lambda data: data["events"].__setitem__((0, 5), -1),
    "beyond its array": lambda data: data["events"].__setitem__((0, 6), 7),
    "barriers only": lambda data: data.update(
        events=np.tile([0, 0, 0, 0, -1, 0, 0, 0], (50_000, 1)), values=np.zeros((50_000, 2))
    ),
    "other arrays": lambda data: data.update(
        rest=(data["rest"][0][::-1], data["rest"][1][::-1], data["rest"][2])
    ),
}  # fmt: skip


@contextlib.contextmanager
def counted_calls():
    """Count how often functions of Python and of C are called, by name: the machine's load does not change it."""
    calls = Counter()

    def count(frame, event, function):
        if event in ("call", "c_call"):
            calls[function.__name__ if event == "c_call" else frame.f_code.co_name] += 1

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(previous)


@pytest.mark.parametrize("name", FORGED)
def test_what_is_no_trace_of_the_case(name):
    data = added()
    FORGED[name](data)
    if name == "other arrays":  # all three are alike: only their strides could tell
        data["rest"] = (data["rest"][0], (*data["rest"][1][:2], ("z", "global", "float64", 8, 7, 0)), data["rest"][2])
    with counted_calls() as calls, pytest.raises((ValueError, KeyError)):
        read(data)
    assert calls.total() < 1000


def full(row_of, count=counting.MOST_EVENTS):
    """A trace of `add` of as many events as are looked at."""
    data = added()
    rows = np.zeros((count, 8), np.int64)
    rows[:] = row_of(np.arange(count)[:, None])
    data["events"], data["values"] = rows, np.zeros((count, 2))
    return data


def row(n, thread=0, kind=1, array=0, index=0, inside=1):
    parts = (0 * n, thread + 0 * n, 0 * n, n, kind + 0 * n, array + 0 * n, index + 0 * n, inside + 0 * n)
    return np.concatenate(parts, 1)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [
    lambda n: row(n),
    lambda n: row(n, thread=n % 4, kind=2),
    lambda n: row(n, thread=n % 4, kind=n % 3, array=n % 3, index=n % 7),
    lambda n: row(n, kind=0, inside=0, index=n),
], ids=["one thread stores", "atomics of one element", "all kinds", "beside the array"])  # fmt: skip
def test_the_largest_trace_that_is_looked_at_takes_a_few_calls_an_event(rows):
    data = full(rows)
    with counted_calls() as calls:
        trace = read(data)
        assert result(trace, needed={"out": needed}) != "right"
        counting.faults(trace)
        counting.transactions(trace, "a", "load", 0, None)
        counting.bank_conflicts(trace)
        counting.uninitialised_reads(trace)
    assert calls.total() < 100 * len(data["events"])


@pytest.mark.parametrize(("count", "low", "high", "said"), [
    (0, 0, 0, "none"), (1, 0, 0, "1, and none is allowed"), (3, 0, 4, "at most 4"), (3, 2, None, "at least 2"),
    (1, 2, 4, "1, and at least 2 are needed"), (5, 2, 4, "5, and at most 4 are allowed"), (2, 2, 4, "2 to 4"),
])  # fmt: skip
def test_within(count, low, high, said):
    assert counting.within(count, low, high) == said
