"""The checks: what they are worth, what they ask, and whom they believe."""

import functools
import multiprocessing
import random
import re
from concurrent.futures import ProcessPoolExecutor

import pytest
from another_way import ALL_WAYS
from planted_mistakes import MESSAGES
from tiers import fast_first

from autograder.author import lab_text
from autograder.examine.model import WHOLE_ENGINE
from autograder.examine.plain import equal
from autograder.examine.questions import draw_cases
from autograder.examine.rendering import render
from autograder.examine.verdict import RIGHT
from autograder.labs import CHECKS, LAB_OF, name_of
from autograder.proof.answers import WRONG_ANSWERS
from autograder.proof.cohort import mistaken
from autograder.proof.mutant_runner import judged_in_turn
from autograder.proof.verify import lost, questions, stub
from engine import overlay

ASPECTS = [
    pytest.param(check, aspect, id=f"{name}-{aspect.name}")
    for name, check in CHECKS.items()
    for aspect in check.aspects
]


def judged(name: str, source: str, *seeds: int):
    """The verdicts with the questions of each seed."""
    return _lean_process().submit(_judged, name, source, seeds).result()


@functools.cache
def _lean_process() -> ProcessPoolExecutor:
    """The process that verdicts are forked from; forking the test process, with PyTorch in it, costs more."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


def _judged(name: str, source: str, seeds: tuple[int, ...]):
    return judged_in_turn(CHECKS[name], [_asked(name, seed) for seed in seeds], source)


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


@pytest.mark.parametrize(("check", "aspect"), ASPECTS)
def test_the_same_seed_draws_the_same_cases(check, aspect):
    assert same(list(aspect.cases(random.Random(3))), list(aspect.cases(random.Random(3))))


@pytest.mark.parametrize(("check", "aspect"), ASPECTS)
def test_another_seed_draws_other_cases(check, aspect):
    assert not same(list(aspect.cases(random.Random(3))), list(aspect.cases(random.Random(4))))


# A question about a trace is about hundreds of accesses; one that compiles takes a second.
FEWEST, FEWEST_TRACES, MOST_COMPILED = 30, 6, 3


@pytest.mark.parametrize(("check", "aspect"), ASPECTS)
def test_an_aspect_asks_30_to_150_cases(check, aspect):
    cases = len(list(aspect.cases(random.Random(0))))
    if aspect.compiled:
        assert 1 <= cases <= MOST_COMPILED and aspect is check.aspects[-1]
    else:
        assert (FEWEST_TRACES if aspect.findings else FEWEST) <= cases <= 150


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


@pytest.mark.parametrize("name", CHECKS)
def test_no_hint_is_for_cases_that_are_never_drawn(name):
    asked = [question for aspect in questions(CHECKS[name], [0]).values() for question in aspect]
    about = {case.about for case, _ in asked}
    findings = {key for _, right in asked if type(right.value) is dict for key in right.value}
    kinds = {"type", "returned None", "raised", "raised another", "not raised", WHOLE_ENGINE}
    others = set(CHECKS[name].hints) - about - findings - kinds
    assert not others or CHECKS[name].differs, others  # which names them


@pytest.mark.parametrize("name", CHECKS)
def test_refusals_are_all_refused_and_nothing_else_is(name):
    if CHECKS[name].probe:
        return  # what a probe's trace holds is not raised
    for aspect, asked in questions(CHECKS[name], [0]).items():
        assert {bool(right.raised) for _, right in asked} == {aspect == "refusals"}


@pytest.mark.parametrize("seed", fast_first(1, range(3)))
@pytest.mark.parametrize("name", CHECKS)
def test_the_reference_is_right(name, seed):
    (result,) = judged(name, overlay.source_of(name), seed)
    assert result.verdict == RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_the_stub_passes_no_aspect(name):
    (result,) = judged(name, stub(name), 0)
    assert lost(result) == {aspect.name for aspect in CHECKS[name].aspects}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "source"), ALL_WAYS, ids=[name for name, _ in ALL_WAYS])
def test_a_right_answer_written_another_way_is_right(name, source):
    for result in judged(name, source, 0, 1, 2):
        assert result.verdict == RIGHT, result


# Two end the process that asks them, and are judged in the sandbox only (`make grade`).
IN_THE_SANDBOX = ("infinite-loop", "fake-errors: a class that claims to be of Python's own module")
MISTAKEN = [wrong for lab in lab_text.LABS for wrong in mistaken(lab) if not wrong.about.startswith(IN_THE_SANDBOX)]


OF_OURS = re.compile(r"autograder[/.]\S*|\S*probe\.py|nothing that can be judged.*")  # says nothing to a student
SEEDS = (1,)  # more of them: `make verify ARGS="--seeds 10"`; the cohort's seed is another


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [*WRONG_ANSWERS, *MISTAKEN], ids=lambda wrong: f"{wrong.exercise}: {wrong.about}")
def test_whatever_the_seed_a_wrong_answer_loses_the_aspects_it_gets_wrong_and_no_other(wrong):
    results = judged(wrong.exercise, wrong.source, *SEEDS)
    assert [lost(result) for result in results] == [set(wrong.loses)] * len(SEEDS)
    assert [said for result in results for said in OF_OURS.findall(render(result))] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change", "message"), MESSAGES)
def test_a_mistake_is_told_in_its_own_words(name, change, message):
    source = overlay.source_of(name)
    assert change[0] in source
    (result,) = judged(name, source.replace(*change), 1)
    assert message in " ".join(render(result).split())


@pytest.mark.parametrize("name", CHECKS)
def test_an_exercise_has_at_least_three_wrong_answers_written_by_hand(name):
    assert sum(wrong.exercise == name for wrong in WRONG_ANSWERS) >= 3
