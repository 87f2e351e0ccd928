"""Every lab's payoff: all of the lab's exercises are load-bearing in it, and it can be compared."""

import importlib
import sys
from collections import Counter
from contextlib import contextmanager
from functools import cache

import matplotlib
import pytest
from tiers import payoff_marks

import engine
from autograder import overlay
from autograder.author import lab_text
from autograder.examine import plain_data
from engine.compiled import kernel_invalidation

LABS = [
    lab for lab in lab_text.LABS if not lab_text.load(lab).is_from_scratch
]  # lab 0 runs its own program, not the engine
EXERCISES = [
    pytest.param(lab, exercise, id=exercise.name, marks=payoff_marks(lab))
    for lab in LABS
    for exercise in lab_text.load(lab).exercises
]


@cache
def payoff_of(lab):
    """Return the function `payoff` of a lab's text, after the import cell and the cells that are tagged payoff."""
    matplotlib.use("agg")
    namespace = {"__name__": "__main__", "engine": engine}
    imports, *others = (cell for cell in lab_text.load(lab).cells if cell.kind == "code")
    for cell in (imports, *(cell for cell in others if "payoff" in cell.metadata.get("tags", []))):
        exec(compile(cell.source, f"<payoff of {lab}>", "exec"), namespace)
    return namespace["payoff"]


@cache
def calls_of(lab):
    """Count how often the payoff runs each code object in Python, and find the exercises in the kernels that it uses.

    The engine remembers nothing of earlier calls. Returns what the payoff returns, too.
    """
    counted = Counter()

    def count(frame, event, _):
        if event == "call":
            counted[frame.f_code] += 1

    payoff, exercises = payoff_of(lab), lab_text.load(lab).exercises
    overlay.forget_memos()
    previous = sys.getprofile()
    parts = {"autograd.variable_type_manual.mul", "dispatch.dispatcher.Dispatcher"}
    only_as_parts = [exercise for exercise in exercises if exercise.name in parts]
    references = [codes(exercise) for exercise in only_as_parts]
    with as_parts([exercise.name for exercise in only_as_parts]):
        with kernel_invalidation.watched(exercise.name for exercise in exercises) as in_kernels:
            sys.setprofile(count)
            try:
                value = payoff()
            finally:
                sys.setprofile(previous)
        for exercise, reference in zip(only_as_parts, references, strict=True):
            counted.update(dict(zip(reference, (counted[code] for code in codes(exercise)), strict=True)))
    return counted, in_kernels, value


@contextmanager
def as_parts(names):
    """Inside, the reference's text of these exercises is a student's part: of some the engine runs no other."""
    for name in names:
        overlay.graft(name, overlay.source_of(name))
    overlay.rebuilt(names)
    try:
        yield
    finally:
        for name in names:
            overlay.restore(name)
        overlay.rebuilt(names)


def codes(exercise):
    """Code objects that the student writes: of a function, or of the methods of a class."""
    module, _, qualname = exercise.name.rpartition(".")
    written = getattr(importlib.import_module(f"engine.{module}"), qualname)
    methods = (vars(written)[method] for method in exercise.methods)
    return [getattr(method, "__func__", method).__code__ for method in methods] or [written.__code__]


@pytest.mark.parametrize(("lab", "exercise"), EXERCISES)
def test_the_payoff_runs_the_exercise(lab, exercise):
    counted, in_kernels, _ = calls_of(lab)
    assert exercise.name in in_kernels or all(counted[code] > 0 for code in codes(exercise))


@pytest.mark.parametrize("lab", [pytest.param(lab, marks=payoff_marks(lab)) for lab in LABS])
def test_the_payoff_returns_plain_data_that_compares(lab):
    *_, value = calls_of(lab)
    assert plain_data.equal(value, payoff_of(lab)())
