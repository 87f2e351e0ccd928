"""Cells of the cohort that are refused for their text are run nevertheless: shut in, they earn nothing either."""

from functools import cache

import pytest

from autograder import overlay
from autograder.examine import questions, verdict
from autograder.labs import CHECKS
from autograder.made_up.cohort import submitted_source
from autograder.made_up.student import load
from autograder.sandbox import Limits, Sandbox

LAB = "01-strides"
STUDENTS = load(LAB)
HOSTILE = [
    ("exit-zero", "strides.slice_dim"),
    ("exit-zero", "strides.expand"),
    ("exit-zero", "strides.view_strides"),
    ("exit-zero", "strides.has_internal_overlap"),
    ("forged-frames", "strides.view_strides"),
    ("forged-frames", "strides.is_contiguous"),
    ("forks", "strides.permute"),
    ("searches-memory", "strides.view_strides"),
    ("searches-memory", "strides.contiguous_strides"),
    ("searches-memory", "strides.infer_dense_strides"),
    ("searches-memory", "strides.strided_offsets"),
]


@pytest.fixture(scope="module")
def shut(isolation):
    with Sandbox(LAB, Limits(answer_seconds=1.5, exercise_seconds=3.0)) as sandbox:
        yield sandbox


def judged(sandbox, exercise, source):
    """The verdict on `source` without a look at its text."""
    check = CHECKS[exercise]
    cases = questions.answered(check, seed=1)
    with sandbox.run(exercise, source) as run:
        return verdict.judge(check, cases, lambda case, following: run.answer(check.probe_of(case), case.args))


@pytest.fixture(scope="module")
def outcome(shut):
    """Points of a hostile cell, and the verdict on the reference that is asked after it; each run once."""

    @cache
    def run(name, exercise):
        points = judged(shut, exercise, submitted_source(STUDENTS[name], STUDENTS, exercise)).points
        return points, judged(shut, "strides.permute", overlay.source_of("strides.permute")).verdict

    return run


@pytest.mark.slow
@pytest.mark.parametrize(("name", "exercise"), HOSTILE)
def test_a_hostile_cell_earns_nothing(outcome, name, exercise):
    points, _ = outcome(name, exercise)
    assert points == 0


@pytest.mark.parametrize(("name", "exercise"), [*HOSTILE, ("poisons-the-well", "strides.contiguous_strides")])
def test_after_a_hostile_cell_the_reference_is_right(outcome, name, exercise):
    _, afterwards = outcome(name, exercise)
    assert afterwards == verdict.RIGHT


def test_nothing_can_be_carried_from_one_exercise_to_the_next(shut):
    smuggler = STUDENTS["smuggler"]
    out = judged(shut, "strides.contiguous_strides", submitted_source(smuggler, STUDENTS, "strides.contiguous_strides"))
    assert out.verdict == verdict.RIGHT, "the cell that carries out does not run as it should"
    back = judged(shut, "strides.view_strides", submitted_source(smuggler, STUDENTS, "strides.view_strides"))
    assert back.points == 0
