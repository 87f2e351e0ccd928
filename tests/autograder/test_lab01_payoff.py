"""Lab 1's payoff: every exercise is load-bearing in it, and its blur is NumPy's."""

import importlib
import sys
from collections import Counter

import numpy as np
import pytest

from autograder import labs, plain

LAB = labs.load("01-strides")


@pytest.fixture(scope="module")
def payoff():
    namespace = {}
    import engine

    namespace["engine"] = engine
    for cell in LAB.cells:
        if "payoff" in cell.metadata.get("tags", []):
            exec(compile(cell.source, str(LAB.path), "exec"), namespace)
    return namespace["payoff"]


@pytest.fixture(scope="module")
def calls(payoff):
    """How often the payoff runs each code object."""
    counted = Counter()

    def count(frame, event, _):
        if event == "call":
            counted[frame.f_code] += 1

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        payoff()
    finally:
        sys.setprofile(previous)
    return counted


def codes(exercise):
    """Code objects that the student writes: of a function, or of the methods of a class."""
    module, _, qualname = exercise.name.rpartition(".")
    written = getattr(importlib.import_module(f"engine.{module}"), qualname)
    return [getattr(written, method).__code__ for method in exercise.methods] or [written.__code__]


@pytest.mark.parametrize("exercise", LAB.exercises, ids=lambda exercise: exercise.name)
def test_the_payoff_runs_the_exercise(calls, exercise):
    assert all(calls[code] > 0 for code in codes(exercise))


def test_the_payoff_returns_plain_data_that_compares(payoff):
    assert plain.equal(payoff(), payoff())


def test_the_payoff_blurs_as_numpy_does(payoff):
    images = np.pad(payoff.__globals__["DIGITS"][:6], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), axis=(1, 2))
    blurred = (windows * np.outer([1, 2, 1], [1, 2, 1])).sum(axis=(3, 4)) / 16
    assert payoff()["strip"] == np.hstack(list(blurred)).tolist()


def test_the_windows_share_one_storage_and_their_copy_does_not(payoff):
    result = payoff()
    assert result["bytes of their storage"] < 8 * result["elements in windows"] == result["bytes of a copy"]
