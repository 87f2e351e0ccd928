"""One submission's record: judged once, found again while it holds, judged again when it does not."""

import multiprocessing
import os
from dataclasses import replace

import pytest
from handed_in import ACCESSOR, CONTIGUOUS, LAB, RIGHT, VIEW, cell_of, hand_in, write_answer, write_course

from autograder import sandbox
from autograder.grading import pool, records
from autograder.grading.records import MISSING, Settings, run_submission
from autograder.verdict import OUR_FAULT, REFUSED, WRONG
from autograder.verdict import RIGHT as VERDICT_RIGHT

ISOLATION = sandbox.canary()
pytestmark = pytest.mark.skipif(ISOLATION.tier == "none", reason=f"not run: bubblewrap ({ISOLATION.reason})")


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(root=write_course(tmp_path_factory.mktemp("course")))


@pytest.fixture(scope="module")
def ada(settings):
    """The record of a student whose answers are all right."""
    hand_in(settings.root, "ada")
    return run_submission("ada", LAB, settings)


def verdicts(record):
    return {name: result["verdict"] for name, result in record["exercises"].items()}


def test_right_answers_get_all_points(ada):
    assert (ada["status"], ada["points"], ada["max_points"]) == ("graded", 20, 20)


def test_a_record_says_how_it_was_made(ada):
    assert ada["tier"] == "bwrap" and type(ada["seed"]) is int and ada["cpu_seconds"] > 0


def test_an_answer_that_equals_the_reference_is_flagged(ada):
    assert ada["exercises"][VIEW]["same_as_reference"]


def test_a_record_comes_back_from_its_file_as_it_was(settings, ada):
    assert records.read(settings.root, LAB, "ada") == ada


def test_a_second_run_judges_nobody_again(settings, ada):
    assert run_submission("ada", LAB, settings) == ada


@pytest.mark.slow
def test_force_judges_again_on_other_cases(settings, ada):
    hand_in(settings.root, "again")
    first = run_submission("again", LAB, settings)
    assert run_submission("again", LAB, replace(settings, force=True))["seed"] != first["seed"]


@pytest.mark.slow
def test_a_seed_judges_again_on_the_same_cases(settings, ada):
    hand_in(settings.root, "defended", {VIEW: "def view_strides(sizes, strides, new_sizes):\n    return (1,)"})
    first = run_submission("defended", LAB, settings)
    again = run_submission("defended", LAB, replace(settings, force=True, seed=first["seed"]))
    assert again["exercises"] == first["exercises"]


@pytest.mark.slow
def test_another_answer_is_judged_anew(settings):
    hand_in(settings.root, "bob", {})
    before = run_submission("bob", LAB, settings)
    hand_in(settings.root, "bob", {CONTIGUOUS: RIGHT[CONTIGUOUS]})
    after = run_submission("bob", LAB, settings)
    assert (before["points"], after["points"]) == (0, 5)


def test_another_text_beside_the_same_code_is_not_judged_but_noted(settings, ada):
    hand_in(settings.root, "text")
    before = run_submission("text", LAB, settings)
    hand_in(settings.root, "text", change=write_answer("It repeats."))
    after = run_submission("text", LAB, settings)
    assert after["seed"] == before["seed"] and after["submission"] != before["submission"]


def test_changed_limits_are_judged_anew(settings, ada):
    other = replace(settings, limits=sandbox.Limits(answer_seconds=4.0))
    assert records.key_of(LAB, RIGHT, other.limits) != records.key_of(LAB, RIGHT, settings.limits)


def test_one_cell_that_can_not_run_costs_its_own_exercise(settings):
    hand_in(settings.root, "eve", RIGHT | {CONTIGUOUS: "def contiguous_strides(:", VIEW: "%timeit 1\n" + RIGHT[VIEW]})
    record = run_submission("eve", LAB, settings)
    assert verdicts(record) == {CONTIGUOUS: REFUSED, ACCESSOR: VERDICT_RIGHT, VIEW: REFUSED}


def test_a_deleted_cell_is_a_missing_answer(settings):
    def delete(notebook):
        notebook["cells"].remove(cell_of(notebook, "strides-view_strides-answer"))

    hand_in(settings.root, "gone", change=delete)
    result = run_submission("gone", LAB, settings)["exercises"][VIEW]
    assert (result["verdict"], result["message"], result["points"]) == (WRONG, MISSING, 0)


def test_a_refused_submission_has_a_record_with_the_reason(settings):
    hand_in(settings.root, "mallory").write_text("[")
    record = run_submission("mallory", LAB, settings)
    assert record["status"] == REFUSED and "not JSON" in record["reason"]


def test_a_strange_name_is_kept_under_a_plain_one(settings):
    hand_in(settings.root, "a b'c")
    run_submission("a b'c", LAB, settings)
    assert records.read(settings.root, LAB, "a b'c")["status"] == REFUSED


@pytest.mark.parametrize("text", ["", "[]", '{"format": 0}', '{"format"'])
def test_a_damaged_record_counts_as_none(settings, text):
    path = records.path_of(settings.root, LAB, "damaged")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert records.read(settings.root, LAB, "damaged") is None


def test_a_broken_grader_gives_no_zero(settings, monkeypatch):
    hand_in(settings.root, "unlucky")

    def broken(*_):
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(sandbox, "grade_cell", broken)
    record = run_submission("unlucky", LAB, settings)
    assert record["status"] == OUR_FAULT and "ZeroDivisionError: ours" in record["reason"]


def test_what_we_failed_to_judge_is_judged_by_the_next_run(settings, monkeypatch):
    hand_in(settings.root, "patient")
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "grade_cell", lambda *_: 1 / 0)
        run_submission("patient", LAB, settings)
    assert run_submission("patient", LAB, settings)["points"] == 20


@pytest.mark.slow
def test_verdicts_without_isolation_do_not_hold_with_it(settings, ada):
    hand_in(settings.root, "open")
    record = run_submission("open", LAB, settings)
    records.write(settings.root, record | {"tier": "none", "seed": -1})
    assert run_submission("open", LAB, settings)["seed"] != -1


def test_the_pool_gives_a_record_for_everyone(settings, ada):
    hand_in(settings.root, "mallory").write_text("[")
    outcomes = pool.run_all([(LAB, "ada"), (LAB, "mallory")], settings)
    got = {outcome.record["student"]: outcome.record["status"] for outcome in outcomes}
    assert got == {"ada": "graded", "mallory": REFUSED}


def test_a_process_that_dies_is_our_fault(settings, monkeypatch):
    hand_in(settings.root, "victim")
    fork = multiprocessing.get_context("fork")  # which sees what is patched here
    monkeypatch.setattr(pool, "get_context", lambda _: fork)
    monkeypatch.setattr(records, "run_submission", lambda *_: os._exit(1))
    (outcome,) = pool.run_all([(LAB, "victim")], settings)
    assert outcome.record["status"] == OUR_FAULT and outcome.failures == []
