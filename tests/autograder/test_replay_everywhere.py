"""`replay` shows the failing case of every exercise again, scripts and traces included."""

import copy

import pytest

from autograder.author.lab_text import LABS, ROOT
from autograder.examine.cell_rules import CellRefused, inspect_cell
from autograder.examine.verdict import RIGHT
from autograder.labs import CHECKS, LAB_OF, name_of
from autograder.made_up.answers import WRONG_ANSWERS
from autograder.student import replay
from autograder.student.cell_text import NotReady
from autograder.student.recorded_check import judge_cell

FOLDERS = {name_of(lab): ROOT / "course" / lab for lab in LABS}


def failing(exercise):
    """A wrong answer and the question that it fails on the recorded cases: one that ends with an answer."""
    for wrong in (wrong for wrong in WRONG_ANSWERS if wrong.exercise == exercise):
        asked = []
        try:
            inspect_cell(wrong.source, exercise)
            result = judge_cell(exercise, wrong.source, FOLDERS[LAB_OF[exercise]], asked)
        except (CellRefused, NotReady):
            continue
        question = next((one for one in asked if not one.is_right), None)
        if result.verdict != RIGHT and question is not None and question.got.raised != "no answer":
            return wrong, question
    raise AssertionError(f"no wrong answer to {exercise} ends with an answer to a recorded case")


@pytest.mark.slow
@pytest.mark.parametrize("exercise", CHECKS)
def test_the_failing_case_of_every_exercise_fails_again(exercise, monkeypatch, capsys):
    wrong, question = failing(exercise)
    monkeypatch.setattr(replay, "_failing", {exercise: question})
    args = copy.deepcopy(question.case.args)
    with pytest.raises(Exception) as found:  # noqa: PT011  of the student's own, or WrongAnswer
        replay.again(exercise, wrong.source, FOLDERS[LAB_OF[exercise]])
    shown = capsys.readouterr().out
    assert "passes now" not in shown and "expected " in shown and len(shown.splitlines()) >= 2 + bool(args)
    assert not isinstance(found.value, NotReady)
    if isinstance(found.value, replay.WrongAnswer):
        wanted, _, got = str(found.value).partition(", got ")
        assert wanted != f"expected {got}"  # what differs is to be seen
