"""Replay knows when to be off: while somebody looks or a student's part runs, and where a probe fails."""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from replaying import WHY_NOT, replay, replays  # noqa: F401  a fixture of every test

import engine
from autograder import overlay
from autograder.sandbox import isolation
from engine import journey, native
from engine.dispatch import observers, registry
from engine.native import launches, layout, leaf, switch

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=f"not run: {WHY_NOT}")


def test_a_registered_kernel_is_called():
    x, y = engine.ones(3), engine.ones(3)
    for _ in range(3):
        x.sum(), x + y
    with engine.library._scoped_library("aten", "IMPL") as library:
        library.impl("sum.dim_IntList", lambda self, *rest, **named: self[0] * 0 + 7, "CPU")
        library.impl("add.Tensor", lambda self, other, **named: other, "CPU")
        assert x.sum().item() == 7
        assert x + y is y
    assert x.sum().item() == 3
    assert (x + y).tolist() == [2] * 3


def test_a_part_of_a_student_s_ends_it():
    x = engine.ones(3)
    for _ in range(3):
        x + x
    before = replays("add.Tensor")
    with overlay.swapped({"strides.contiguous_strides": overlay.source_of("strides.contiguous_strides")}):
        x + x
        assert replays("add.Tensor") == before
    x + x
    x + x
    assert replays("add.Tensor") > 0


def steps_of(program):
    steps = []
    observer = observers.observer_of(lambda step: steps.append((str(step), str(step.place))))
    registry.retrace(lambda: observers.observe(observer))
    try:
        program()
    finally:
        registry.retrace(lambda: observers.unobserve(observer))
    return steps


def test_an_observer_sees_the_same_with_it():
    x = engine.ones(4, 3, requires_grad=True)

    def program():
        (x.relu().t() @ x).sum().backward()

    program(), program()
    seen = steps_of(program)
    switch.disable()
    assert seen == steps_of(program)
    assert seen


def test_the_profiler_sees_the_same_with_it():
    x = engine.ones(4, 3)

    def names():
        with engine.profiler.profile() as profile:
            (x @ x.t()).relu().sum()
        return [event.name for event in profile.events()]

    for _ in range(3):
        (x @ x.t()).relu().sum()
    seen = names()
    switch.disable()
    assert seen == names()
    assert "aten::mm" in seen


def test_a_failed_probe_leaves_it_off(monkeypatch):
    switch.disable()
    monkeypatch.setattr(layout, "ARCHITECTURES", ())
    assert switch.enable().startswith("on ")
    assert not switch.is_enabled()


@pytest.mark.parametrize("fault", ["words_of", "offsets_of_slots"])
def test_objects_of_another_layout_leave_it_off(monkeypatch, fault):
    switch.disable()
    moved = {"words_of": lambda obj, count: [0] * count, "offsets_of_slots": lambda cls: {}}
    monkeypatch.setattr(layout, fault, moved[fault])
    assert switch.enable()
    assert not switch.is_enabled()


def test_arrays_that_numba_passes_otherwise_leave_it_off(monkeypatch):
    switch.disable()
    monkeypatch.setattr(launches, "ARRAY_WORDS", ("data",))
    assert switch.enable().startswith("an array of numba is")
    assert not switch.is_enabled()


def test_a_numba_that_cannot_compile_it_leaves_it_off(monkeypatch):
    def definition():
        raise ValueError("an unknown numba")

    x = engine.ones(3)
    switch.disable()
    monkeypatch.setattr(switch, "_leaves", {})
    monkeypatch.setattr(switch, "_failure", "")
    monkeypatch.setattr(leaf, "definition", definition)
    switch.enable()
    with pytest.warns(RuntimeWarning, match="an unknown numba"):
        assert (x + x).tolist() == [2] * 3
    assert (x * x).tolist() == [1] * 3
    assert switch.enable() == "ValueError: an unknown numba"


@pytest.mark.parametrize(
    ("value", "calls", "is_on"),
    [
        pytest.param("", native.PATIENCE, True, marks=pytest.mark.slow),
        pytest.param("0", native.PATIENCE, False, marks=pytest.mark.slow),
        pytest.param("", 0, False, marks=pytest.mark.slow),
        pytest.param("1", 0, True, marks=pytest.mark.slow),
    ],
)
def test_the_environment_says_from_when_on_kernels_are_replayed(value, calls, is_on):
    program = f"""
import sys, engine
x = engine.ones(3)
for _ in range({calls}):
    y = x + x
assert y.tolist() == [2] * 3 if {calls} else True
switch = sys.modules.get("engine.native.switch")
print(switch is not None and switch.is_enabled())
"""
    environment = {name: text for name, text in os.environ.items() if name != "ENGINE_NATIVE"}
    environment |= {"ENGINE_NATIVE": value} if value else {}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == f"{is_on}\n", done.stderr


@pytest.mark.parametrize("hook", ["setprofile", "settrace"])
@pytest.mark.parametrize("turn_on", [switch.enable, native.enable_when_warm])
def test_who_looks_at_calls_sees_python_alone(hook, turn_on):
    x, seen = engine.ones(3), []
    switch.disable()
    turn_on()
    getattr(sys, hook)(lambda frame, *_: seen.append(frame.f_code))
    try:
        x + x  # resolves, which a later call does not
        seen.clear()
        x + x
    finally:
        getattr(sys, hook)(None)
    assert "add_out" in [code.co_name for code in seen]
    assert not [code for code in seen if "native/__init__" in code.co_filename]


def test_a_journey_leaves_replay_as_it_was():
    x = engine.ones(3)
    journey.frames("x + x", {"x": x})
    before = replays("add.Tensor")
    for _ in range(3):
        x + x
    assert replays("add.Tensor") > before


def test_where_it_cannot_be_on_calls_are_counted_no_more(monkeypatch):
    switch.disable()
    monkeypatch.setattr(native, "_calls", itertools.count(native.PATIENCE))
    monkeypatch.setattr(layout, "ARCHITECTURES", ())
    native.enable_when_warm()
    x = engine.ones(3)
    assert [(x + x).tolist() for _ in range(3)] == [[2] * 3] * 3
    assert observers._replay is None and not switch.is_enabled()


def test_it_is_off_in_the_sandbox():
    assert isolation.environment()["ENGINE_NATIVE"] == "0"


@pytest.mark.slow
def test_the_replayed_call_of_the_documentation_is_one():
    page = Path(engine.__file__).parents[1] / "docs" / "journey.md"
    (program,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    subprocess.run([sys.executable, "-c", program], cwd=page.parents[1], check=True)
