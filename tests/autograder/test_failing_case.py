"""The picture of a failing case: what was given, wanted and answered, wherever there is something to see."""

import re

import pytest

from autograder.examine.questions import Observation
from autograder.labs import CHECKS
from autograder.student.failing_case import picture

# exercise -> (a case, its answer, a wrong answer)
CASES = {
    "strides.permute": (((2, 3), (3, 1), (1, 0)), ((3, 2), (1, 3)), ((3, 2), (3, 1))),
    "strides.slice_dim": (((6,), (1,), 2, 0, 1, 5, 2), ((2,), (2,), 3), ((2,), (1,), 3)),
    "strides.expand": (((3, 1), (1, 1), (3, 4)), ((3, 4), (1, 0)), ((3, 4), (1, 1))),
    "strides.view_strides": (((2, 3), (3, 1), (6,)), (1,), (3,)),
    "strides.unfold": (((6,), (1,), 0, 3, 2), ((2, 3), (2, 1)), ((3, 2), (1, 1))),
    "aten.native.tensor_transpose.permute": (
        ((2, 3), (3, 1), 0, (1, 0), ()),
        {"result": ((3, 2), (1, 3), 0, "torch.int64")},
        {"result": ((3, 2), (2, 1), 0, "torch.int64")},
    ),
}
ODD = [
    None,
    3,
    "text",
    (),
    (7,),
    ((2,), "a"),
    ((2,), (1, 1)),
    ((-2,), (1,)),
    ((2.0,), (1,)),
    ((2,), (1,), -1),
    ([2], [1]),
]


def shown(exercise, wanted=None, got=None):
    args, right, wrong = CASES[exercise]
    return picture(exercise, args, wanted or Observation(right), got or Observation(wrong))


def test_every_drawing_has_a_case_here():
    assert set(CASES) == {name for name, check in CHECKS.items() if check.drawing}


@pytest.mark.parametrize("exercise", CASES)
def test_it_shows_all_three_views(exercise):
    text = str(shown(exercise)._repr_mimebundle_())
    assert all(f"{name}: sizes" in text for name in ("given", "wanted", "yours"))


@pytest.mark.parametrize("exercise", CASES)
@pytest.mark.parametrize("answer", ODD, ids=repr)
def test_any_answer_leaves_a_picture_of_what_was_wanted(exercise, answer):
    assert "wanted: sizes" in str(shown(exercise, got=Observation(answer))._repr_mimebundle_())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (((2,), (2,), -1), "yours: sizes (2,)  strides (2,)  offset -1, not drawn: it starts before cell 0"),
        (((-2,), (2,), 3), "yours: sizes (-2,)  strides (2,)  offset 3, not drawn: a size is below 0"),
        (((2,), (-2,), 3), "yours: sizes (2,)  strides (-2,)  offset 3, not drawn: a stride is below 0"),
    ],
)
def test_an_answer_that_no_tensor_has_is_said_below_the_picture(answer, said):
    shows = shown("strides.slice_dim", got=Observation(answer))
    drawn = re.findall(r">(yours: [^<]*)</text>", shows.svg)
    assert "wanted: sizes" in shows.text and shows.text.splitlines()[-1] == said and said.startswith(drawn[0])


def test_where_no_view_is_wanted_it_shows_the_students():
    assert "yours: sizes" in str(shown("strides.view_strides", wanted=Observation(None))._repr_mimebundle_())


def test_a_refusal_has_no_picture():
    assert shown("strides.permute", wanted=Observation(raised="IndexError")) is None


def test_a_huge_answer_has_no_picture():
    assert shown("strides.permute", got=Observation(((2, 3), (10**9, 1)))) is None


def test_an_exercise_that_makes_no_view_has_no_picture():
    assert picture("strides.infer_size", ((2, -1), 6), Observation((2, 3)), Observation(None)) is None


def test_an_error_has_no_picture():
    assert shown("strides.permute", got=Observation(raised="NameError")) is None


def test_strides_of_which_no_step_is_taken_have_no_picture():
    answers = Observation(((1, 3), (4, 1))), Observation(((1, 3), (0, 1)))
    assert picture("strides.expand", ((3,), (1,), (1, 3)), *answers) is None
