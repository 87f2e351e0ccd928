"""The end of a process in which a student's code runs is a verdict: a child ends, and never the notebook."""

import os
import signal
import sys
import time

import pytest

from autograder import overlay
from autograder.author.lab_text import ROOT
from autograder.examine.model import Case
from autograder.examine.questions import Observation
from autograder.examine.timelimit import clock
from autograder.examine.verdict import CRASHED, TIMED_OUT, WRONG
from autograder.student import child, replay
from autograder.student.cell_text import NotReady
from autograder.student.child import Answered, forked
from autograder.student.recorded_check import judge_cell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="not run: only Linux forks here")


@pytest.mark.parametrize(
    ("end", "kind", "words"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), CRASHED, "outside its arrays, and that ended the process (SIGS"),
        (os.abort, CRASHED, "(SIGABRT)"),
        (lambda: os._exit(0), CRASHED, "the cell ends the process"),
        (lambda: time.sleep(60), TIMED_OUT, "no answer after 1 seconds"),
    ],
)
def test_the_end_of_a_child_is_a_verdict(end, kind, words, monkeypatch):
    monkeypatch.setattr(child, "WALL_SECONDS", 1.0)
    with forked(lambda case, seconds: end() or Answered(Observation(1))) as ask:
        came = ask(Case(()), 1.0)
    assert came.is_dead and came.stopped[0] == kind and words in came.stopped[1]


def test_one_child_answers_all_cases_while_the_clock_stands_still():
    def slow(case, seconds):
        time.sleep(0.2)
        return Answered(Observation((os.getpid(), case.args)))

    with forked(slow) as ask:
        began = clock()
        first, second = (ask(Case((number,)), 1.0).got.value for number in (1, 2))
        assert clock() - began < 0.2
    assert first[0] == second[0] != os.getpid() and (first[1], second[1]) == ((1,), (2,))


def checked(name, lab, before, after):
    """The verdict on the reference with a text in it replaced, and the questions."""
    source, asked = overlay.source_of(name), []
    assert before in source
    return judge_cell(name, source.replace(before, after), ROOT / "course" / lab, asked), asked


def test_a_compiled_kernel_that_writes_far_away_does_not_end_the_notebook(monkeypatch):
    name, zero = "cpu.gemm.multiply_panels", "zero = a.dtype.type(0)\n"
    far = f"{zero}    if n > 60:  # only compiled\n        c.elements[10**10] = zero\n"
    result, asked = checked(name, "05-cpu", zero, far)
    assert (result.verdict, result.points) == (CRASHED, 4) and "SIGSEGV" in result.message
    monkeypatch.setattr(replay, "_failing", {name: asked[-1]})
    with pytest.raises(NotReady, match="would end the notebook"):
        replay.again(name, overlay.source_of(name), ROOT)


def test_a_geometry_beyond_the_storage_is_a_wrong_answer():
    change = "resize_output(output, sizes, strides)", "output._sizes, output._strides = sizes, strides"
    result, _ = checked("aten.structured.GivenOutputs", "03-operators", *change)
    assert result.verdict == WRONG and "outside of its storage" in result.aspects[1].failure.hint
