"""Traces that the submitted code can't have left, and one that it has."""

import numpy as np
import pytest

import engine
from autograder import overlay
from autograder.examine import counting, plain_text
from autograder.examine.observe import observe
from autograder.labs.cuda.fusion.probe import operands

EXERCISE = "cuda.bias_activation.bias_activation_kernel"
GREEDY = """
def bias_activation_kernel(activate):
    def bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps):
        m, n = sizes
        for element in range(cuda.grid(1), m * n, cuda.gridsize(1)):
            x = out[o + element]
            if beta != 0:
                x += beta * bias[p + element % n]
            out[o + element] = x
            out[o + element] = activate(x)
            cuda.syncthreads()

    return cuda.jit(bias_activation)
"""
SIZES, GRID, BLOCK, SEED = (4, 5), (1,), (4,), 7
LOAD, BIAS, FIRST, SECOND, BARRIER = range(5)  # places of the events of an element


@pytest.fixture(scope="module")
def data():
    args = (SIZES, "rows", "a row", 1, "float32", "s - 2 * x", 3, 1, 4, SEED)
    with overlay.swapped({EXERCISE: GREEDY}):
        return observe(engine, EXERCISE, "cuda.fusion.fused", args)["value"]


def read(data, source=GREEDY):
    arrays = operands(SIZES, "rows", "a row", 1, "float32", SEED)
    with plain_text.submitted(EXERCISE, source):
        return counting.read(data, arrays, GRID, BLOCK)


def picked(data, rows):
    """The events of these rows, each with the k that it has then."""
    events = data["events"][rows].copy()
    counts: dict[tuple, int] = {}
    for event in events:
        key = tuple(event[:3])
        event[3] = counts.get(key, -1) + 1
        counts[key] = int(event[3])
    return {**data, "events": events, "values": data["values"][rows]}


def without(data, *places):
    """The trace in which some of the accesses to an element never happen."""
    return picked(data, np.flatnonzero(~np.isin(_places(data), places)))


def _places(data):
    """Which of the five events of an element each event is."""
    order = list(dict.fromkeys(data["events"][:, 2].tolist()))
    return np.array([order.index(instruction) for instruction in data["events"][:, 2].tolist()])


def test_a_trace_of_the_code_is_read(data):
    assert len(read(data).events) == 5 * 20


@pytest.mark.parametrize("place", [LOAD, BIAS, FIRST, SECOND, BARRIER])
def test_no_kind_of_access_can_be_taken_out(data, place):
    if place == BIAS:
        assert len(read(without(data, place)).events) == 4 * 20  # the code goes another way where beta is 0
        return
    with pytest.raises(ValueError, match="another access|order of the recorder"):
        read(without(data, place))


def test_no_single_access_can_be_taken_out(data):
    accesses = np.flatnonzero(_places(data) != BIAS)
    for row in (accesses[0], accesses[7], accesses[-1]):
        with pytest.raises(ValueError, match="another access|order of the recorder"):
            read(picked(data, np.delete(np.arange(len(data["events"])), row)))


def test_events_stay_in_the_order_of_the_recorder(data):
    for column in (6, 4):
        with pytest.raises(ValueError, match="order of the recorder|another access"):
            read(picked(data, np.argsort(data["events"][:, column], kind="stable")))
    with pytest.raises(ValueError, match="order of the recorder|another access"):
        read(picked(data, np.arange(len(data["events"]))[::-1]))


def changed(data, column, value, rows=slice(None)):
    events = data["events"].copy()
    events[rows, column] = value
    return {**data, "events": events}


@pytest.mark.parametrize(("column", "value", "rows", "said"), [
    (1, 0, slice(None), "was"),
    (1, 3, slice(0, 1), "was|order of the recorder"),
    (3, 0, slice(None), "was 1 times"),
    (4, 1, slice(0, 1), "a store at line 6"),
    (4, 2, slice(0, 1), "a atomic at line 6"),
    (2, 3, slice(0, 1), "no thread comes to line 10"),
])  # fmt: skip
def test_threads_executions_and_kinds_are_those_of_the_code(data, column, value, rows, said):
    with pytest.raises(ValueError, match=said):
        read(changed(data, column, value, rows))


def with_instruction(data, number, **new):
    names = ("file", "line", "offset", "function", "caller")
    arguments, arrays, instructions = data["rest"]
    changed = tuple(new.get(name, old) for name, old in zip(names, instructions[number], strict=True))
    return {**data, "rest": (arguments, arrays, (*instructions[:number], changed, *instructions[number + 1 :]))}


@pytest.mark.parametrize(("new", "said"), [
    ({"line": 7}, "line 7 of bias_activation, where the cell has none"),
    ({"offset": 1}, "line 6 of bias_activation, where the cell has none"),
    ({"function": "f"}, "line 6 of f, where the cell has none"),
    ({"file": "elsewhere.py"}, "neither the cell's nor the engine's"),
    ({"file": "/x/engine/cuda/loops.py"}, "neither the cell's nor the engine's"),
    ({"file": "/x/engine/../../etc/passwd"}, "neither the cell's nor the engine's"),
    ({"file": "<string>"}, "neither the cell's nor the engine's"),
    ({"caller": 0}, "which comes later"),
])  # fmt: skip
def test_instructions_are_those_of_the_cell(data, new, said):
    with pytest.raises(ValueError, match=said):
        read(with_instruction(data, 0, **new))


def test_another_text_has_other_instructions(data):
    with pytest.raises(ValueError, match="where the cell has none"):
        read(data, GREEDY.replace("            out[o + element] = x\n", ""))


def test_without_a_text_nothing_is_compared(data):
    assert read(without(data, SECOND), "")
