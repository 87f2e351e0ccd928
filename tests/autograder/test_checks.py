"""The checks: what they are worth, what they ask, and whom they believe."""

import functools
import multiprocessing
import random
import re
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import pytest
from planted_mistakes import MESSAGES

from autograder import overlay
from autograder.author import lab_text
from autograder.examine.model import WHOLE_ENGINE
from autograder.examine.plain_data import equal
from autograder.examine.questions import draw_cases
from autograder.examine.rendering import render
from autograder.examine.verdict import RIGHT
from autograder.labs import CHECKS, LAB_OF, name_of
from autograder.made_up.answers import WRONG_ANSWERS
from autograder.proof.mutant_runner import judged_apart, lost_aspects
from autograder.proof.verify import questions

each_exercise = pytest.mark.parametrize("name", CHECKS, scope="module")  # whose tests run together and share questions


def judged(name: str, source: str, seed: int):
    """The verdict with the questions of a seed."""
    return _lean_process().submit(_judged, name, source, seed).result()


class Drawn(NamedTuple):
    """The cases of seed 0, as what their right answers are and what is said about them."""

    about: set[str]
    findings: set[str]
    raised: dict[str, set[bool]]  # by aspect


def drawn(name: str) -> Drawn:
    return _lean_process().submit(_drawn, name).result()


def _drawn(name: str) -> Drawn:
    by_aspect = _asked(name, 0)
    asked = [question for questions in by_aspect.values() for question in questions]
    findings = {key for _, right in asked if type(right.value) is dict for key in right.value}
    raised = {aspect: {bool(right.raised) for _, right in questions} for aspect, questions in by_aspect.items()}
    return Drawn({case.about for case, _ in asked}, findings, raised)


@functools.cache
def _lean_process() -> ProcessPoolExecutor:
    """The process that verdicts are forked from; forking the test process, with PyTorch in it, costs more."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


def _judged(name: str, source: str, seed: int):
    ((_, result),) = judged_apart(CHECKS[name], _asked(name, seed), [source], lost_aspects)
    return result


@functools.lru_cache(maxsize=8)
def _asked(name: str, seed: int):
    """The questions with the answers of the reference, which the tests of one exercise share."""
    return questions(CHECKS[name], [seed])


def same(one, other) -> bool:
    return len(one) == len(other) and all(
        a.about == b.about and equal(a.args, b.args) for a, b in zip(one, other, strict=True)
    )


def test_every_exercise_has_a_check_and_every_check_an_exercise():
    in_texts = [(exercise.name, name_of(lab)) for lab in lab_text.LABS for exercise in lab_text.load(lab).exercises]
    assert sorted(in_texts) == sorted(LAB_OF.items())


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_of_100_points_15_to_25_are_given_by_hand(lab):
    by_hand = sum(reflection.points for reflection in lab_text.load(lab).reflections)
    fewest = 0 if lab_text.load(lab).is_from_scratch else 15  # lab 0 asks for no prose
    assert lab_text.load(lab).points == 100 and fewest <= by_hand <= 25


# A question about a trace is about hundreds of accesses; one that compiles takes a second.
FEWEST, FEWEST_TRACES, MOST_CASES, MOST_COMPILED = 30, 6, 150, 3


@pytest.mark.parametrize("name", CHECKS)
def test_a_seed_draws_cases_of_its_own_and_enough_of_them(name):
    aspects = CHECKS[name].aspects
    for aspect in aspects:
        one, again, other = (list(aspect.cases(random.Random(seed))) for seed in (3, 3, 4))
        assert same(one, again) and not same(one, other), aspect.name
        fewest, most = FEWEST_TRACES if aspect.findings else FEWEST, MOST_CASES
        if aspect.compiled:
            fewest, most = 1, MOST_COMPILED
        assert fewest <= len(one) <= most, aspect.name
        assert not aspect.compiled or aspect is aspects[-1], aspect.name


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_the_reference_keeps_to_every_bound_that_it_is_the_measure_of(lab):
    recorded = (lab_text.ROOT / "course" / lab / "cases.json").read_text(encoding="utf-8")
    assert [words for words in ("are allowed", "are needed", "none is allowed") if words in recorded] == []


@pytest.mark.parametrize("name", CHECKS)
def test_every_case_has_a_hint(name):
    about = {case.about for cases in draw_cases(CHECKS[name], 0).values() for case in cases}
    assert about <= {*CHECKS[name].hints, WHOLE_ENGINE}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_a_message_names_only_aspects_that_the_exercise_has(name):
    check = CHECKS[name]
    says = [*check.hints.values(), *check.words.values(), *(mistake.says for mistake in check.mistakes)]
    named = [word for said in says for some in re.findall(r"aspects? ((?:`\w+`(?:, | and | or )?)+)", said)
             for word in re.findall(r"`(\w+)`", some)]  # fmt: skip
    assert set(named) <= {aspect.name for aspect in check.aspects}


@each_exercise
def test_no_hint_is_for_cases_that_are_never_drawn(name):
    kinds = {"type", "returned None", "raised", "raised another", "not raised", WHOLE_ENGINE}
    others = set(CHECKS[name].hints) - drawn(name).about - drawn(name).findings - kinds
    assert not others or CHECKS[name].differs, others  # which names them


@each_exercise
def test_refusals_are_all_refused_and_nothing_else_is(name):
    if CHECKS[name].probe:
        return  # what a probe's trace holds is not raised
    for aspect, raised in drawn(name).raised.items():
        assert raised == {aspect == "refusals"}


# What right and wrong answers are worth is for `make verify` to say, of those written by hand and of mutants.


@each_exercise
def test_the_reference_is_right(name):
    result = judged(name, overlay.source_of(name), 0)
    assert result.verdict == RIGHT


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change", "message"), MESSAGES)
def test_a_mistake_is_told_in_its_own_words(name, change, message):
    source = overlay.source_of(name)
    assert change[0] in source
    result = judged(name, source.replace(*change), 1)
    assert message in " ".join(render(result).split())


@pytest.mark.parametrize("name", CHECKS)
def test_an_exercise_has_at_least_three_wrong_answers_written_by_hand(name):
    assert sum(wrong.exercise == name for wrong in WRONG_ANSWERS) >= 3
