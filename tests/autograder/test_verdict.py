"""From answers to points, and from points to what a student reads."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from autograder.examine import questions, verdict
from autograder.examine.model import Aspect, Case, Check
from autograder.examine.plain_data import NotPlain, equal, show
from autograder.examine.questions import Observation, Stopped
from autograder.examine.rendering import render
from autograder.examine.verdict import CRASHED, RIGHT, TIMED_OUT, WRONG, judge
from autograder.labs import CHECKS

ORDINARY = (((2, 3),), ((4, 5, 6),))
REFUSALS = (((-1,),),)
CHECK = Check(
    "strides.double",
    ("sizes",),
    (
        Aspect("ordinary", 3, lambda rng: [Case(args, "plain") for args in ORDINARY]),
        Aspect("edge", 2, lambda rng: [Case(((),), "empty")]),
        Aspect("refusals", 1, lambda rng: [Case(args, "negative") for args in REFUSALS], needs="ordinary"),
    ),
    {"plain": "twice each", "empty": "nothing doubled is nothing", "negative": "sizes are not negative"},
)


def double(case, following=()):
    args = case.args
    if any(size < 0 for size in args[0]):
        return Observation(raised="ValueError", message="negative")
    return Observation(tuple(2 * size for size in args[0]))


def judged(answer, check=CHECK):
    cases = {name: [(case, double(case)) for case in drawn] for name, drawn in questions.draw_cases(check, 1).items()}
    return judge(check, cases, lambda case, following: answer(case))


def but(wanted_args, observation):
    return lambda case: observation if case.args == wanted_args else double(case)


# ---- findings: what the trusted side makes of an observation


def walked(args, observed):
    """Findings on a trace of cells: its number of cells, and whether it ends where it should."""
    cells = [cell for cell, _ in observed]
    return {"cells": "at most 2" if len(cells) <= 2 else f"{len(cells)}, and at most 2 are allowed", "end": cells[-1]}


COUNTED = Check("strides.double", ("size",), (Aspect("cells", 2, lambda rng: [Case((2,))], findings=walked),))


def counted(observed):
    right = questions.concluded(COUNTED.aspects[0], Case((2,)), Observation([(0, "a"), (1, "b")]))
    return judge(COUNTED, {"cells": [(Case((2,)), right)]}, lambda case, following: Observation(observed))


def test_observations_that_come_to_the_same_findings_are_equal():
    assert counted([(0, "x"), (1, "y")]).verdict == counted([(1, "z")]).verdict == RIGHT


def test_of_several_findings_the_student_reads_the_wrong_ones():
    failure = counted([(0, "x"), (5, "y"), (1, "z")]).aspects[0].failure
    assert failure.expected == "{'cells': 'at most 2'}"
    assert failure.got == "{'cells': '3, and at most 2 are allowed'}"


@pytest.mark.parametrize(
    ("observed", "hint"),
    [
        ([(0, "x"), (5, "y"), (1, "z")], "no cell twice"),
        ([(0, "x"), (2, "y")], ""),
        ([(0, "x"), (5, "y"), (2, "z")], "no cell twice"),
        ([], "this is of another type than expected: compare the two closely"),
    ],
)
def test_the_first_wrong_finding_has_a_hint_of_its_own(observed, hint):
    check = replace(COUNTED, hints={"cells": "no cell twice", "two": "about the case"})
    right = questions.concluded(check.aspects[0], Case((2,)), Observation([(0, "a"), (1, "b")]))
    result = judge(check, {"cells": [(Case((2,), "two"), right)]}, lambda case, following: Observation(observed))
    assert result.aspects[0].failure.hint == hint


@pytest.mark.parametrize("observed", [[], None, [1], [(0,)], {"cells": 2}, NotPlain("a generator")])
def test_an_observation_that_cannot_be_judged_is_wrong(observed):
    result = counted(observed)
    assert (result.verdict, result.points) == (WRONG, 0)


# ---- points


def test_right_answers_earn_all_points():
    result = judged(double)
    assert (result.verdict, result.points, result.max_points) == (RIGHT, 6, 6)


def test_a_wrong_case_costs_the_points_of_its_aspect_alone():
    result = judged(but(((),), Observation((1,))))
    assert (result.verdict, [aspect.points for aspect in result.aspects]) == (WRONG, [3, 0, 1])


def test_points_that_need_an_aspect_fall_with_it():
    result = judged(but(((2, 3),), Observation((4, 7))))
    assert [(aspect.points, aspect.passed) for aspect in result.aspects] == [(0, 1), (2, 1), (0, 1)]


def test_always_refusing_earns_nothing():
    assert judged(lambda args: Observation(raised="ValueError")).points == 0


def test_nothing_is_asked_after_the_program_stopped():
    def answer(case):
        if case.args == ((),):
            raise Stopped(TIMED_OUT, "no answer within 5 s")
        return double(case)

    result = judged(answer)
    assert (result.verdict, result.points) == (TIMED_OUT, 3)
    assert [aspect.passed for aspect in result.aspects] == [2, 0, 0]


def test_the_failure_told_is_the_smallest():
    result = judged(lambda args: Observation("wrong"))
    assert result.aspects[0].failure.case == "sizes=(2, 3)"


def test_a_case_without_zeros_may_be_smaller_than_a_shorter_one():
    drawn = [Case(args) for args in (((0,),), ((2, 3),), ((),), ((3, 0, 0, 3),), ((2, 3, 4),))]
    in_order = sorted(drawn, key=verdict._size)
    assert [case.args[0] for case in in_order] == [(2, 3), (), (2, 3, 4), (0,), (3, 0, 0, 3)]


def test_of_a_wanted_error_only_the_beginning_is_quoted():
    wanted = Observation(raised="IndexError", message="Dimension out of range " * 9)
    result = judge(CHECK, {"ordinary": [(Case(ORDINARY[0]), wanted)], "edge": [(Case(((),)), double(Case(((),))))],
                           "refusals": [(Case(REFUSALS[0]), double(Case(REFUSALS[0])))]}, double)  # fmt: skip
    assert result.aspects[0].failure.expected == "IndexError raised: Dimension out of range Dimension out of ..."


@pytest.mark.parametrize("check", [Check("strides.double", ("sizes",), (Aspect("ordinary", 1, lambda rng: []),))])
def test_an_aspect_without_cases_is_our_mistake(check):
    with pytest.raises(ValueError, match="no cases"):
        judged(double, check)


@pytest.mark.parametrize("wanted", [Observation(raised="NotImplementedError"), Observation({1, 2})])
def test_what_no_answer_may_be_is_not_expected(wanted):
    cases = {aspect.name: [(Case(((),)), wanted)] for aspect in CHECK.aspects}
    with pytest.raises(ValueError, match="can't be the expected answer"):
        judge(CHECK, cases, lambda case, following: wanted)


# ---- comparison


class Liar(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__

    def __repr__(self):
        return "(4, 6)"


class AnyClass:
    __class__ = tuple

    def __eq__(self, other):
        return True


@pytest.mark.parametrize(
    "value",
    [
        [4, 6], (4.0, 6.0), (4, 6, 1), (np.int64(4), np.int64(6)), (Liar(4), 6), Liar(4), AnyClass(),
        NotPlain("(4, 6)"),
        np.array([4, 6]), np.array([AnyClass(), AnyClass()]), None, math.nan, "(4, 6)", type("T", (tuple,), {})((4, 6)),
        (size for size in (4, 6)),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_only_the_same_types_and_values_are_right(value):
    assert judged(but(((2, 3),), Observation(value))).aspects[0].passed == 1


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        (1, True, False), (0, False, False), (0.0, -0.0, False), (math.nan, math.nan, True), (1, 1.0, False),
        ([math.nan], [math.nan], True), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {Liar(1): 1}, False), (np.zeros(2), np.zeros(2), True), (np.zeros(2), np.zeros((2, 1)), False),
        (np.zeros(2), np.zeros(2, np.float32), False), (np.zeros(2, np.int32), np.zeros(2, np.float32), False),
        (np.float64(1), 1.0, False), (None, None, True),
        (None, 0, False),
        (np.array([math.nan]), np.array([math.nan]), True), ("a", "a", True), (10**400, 10**400, True),
    ],
)  # fmt: skip
def test_comparison_is_exact_in_type_and_value(wanted, got, same):
    assert equal(wanted, got) is same


@pytest.mark.parametrize(
    "got",
    [
        Observation(raised="TypeError"), Observation(raised="engine.strides.ValueError"), Observation((-2,)),
        Observation(raised="Exception"), Observation(raised="NotImplementedError"),
    ],
)  # fmt: skip
def test_a_refusal_is_right_only_with_its_exact_type(got):
    assert judged(but(((-1,),), got)).aspects[2].passed == 0


# ---- words


def test_a_result_reads_as_in_the_notebook():
    shown = render(judged(but(((),), Observation(None))))
    assert shown.splitlines() == [
        "x  strides.double   4 of 6 points",
        "   ordinary  2 of 2",
        "   edge      smallest failing case: sizes=()",
        "             expected ()   got None",
        "             -> None came back: is a `return` missing?",
        "     try it: double(())",
        "   refusals  1 of 1",
    ]


def test_a_result_without_an_answer_says_why():
    def crash(args):
        raise Stopped(CRASHED, "the program ended its own process")

    assert render(judged(crash)).splitlines()[:3] == [
        "x  strides.double   0 of 6 points   crashed",
        "   the program ended its own process",
        "   ordinary  smallest failing case: sizes=(2, 3)",
    ]


@pytest.mark.parametrize(
    "value",
    [[0] * 10**6, "x" * 10**6, 10**4000, 1 << 10**6, {"k": "v" * 10**6}, "line\nline\x1b[31m\ud800", np.arange(10**6)],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_shown_on_one_short_printable_line(value):
    shown = show(value)
    assert len(shown) < 300
    assert shown.isprintable()


def test_showing_calls_nothing_of_the_value():
    assert show((Liar(4), AnyClass())) == "(<Liar, which is not plain data>, <AnyClass, which is not plain data>)"


def test_a_result_survives_json():
    result = judged(but(((),), Observation("\ud800")))
    assert verdict.from_json(json.loads(json.dumps(verdict.to_json(result)))) == result


# ---- cases


def test_the_same_seed_draws_the_same_cases():
    check = CHECKS["strides.permute"]
    assert questions.draw_cases(check, 1) == questions.draw_cases(check, 1) != questions.draw_cases(check, 2)


def test_the_expected_answer_is_the_reference():
    check = CHECKS["strides.permute"]
    assert questions.expected(check, check.aspects[0], Case(((2, 3), (3, 1), (1, 0)))) == Observation(((3, 2), (1, 3)))


def test_expected_answers_are_refused_while_a_part_is_active():
    from autograder import overlay

    check = CHECKS["strides.permute"]
    with (
        overlay.swapped({"strides.permute": overlay.source_of("strides.permute")}),
        pytest.raises(RuntimeError, match="need the reference engine"),
    ):
        questions.expected(check, check.aspects[0], Case(((2, 3), (3, 1), (1, 0))))


def test_a_word_that_names_an_argument_is_explained_below_every_case_and_others_where_they_appear():
    check = CHECKS["dispatch.boxing.key_set_of_stack"]
    for shown, words in {"stack=['tensor(CPU)']": ["stack"], "stack=[{'dict': [2]}]": ["stack", "dict"]}.items():
        assert [line.partition(":")[0] for line in check.legend(shown)] == words
