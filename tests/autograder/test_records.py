"""One submission's record: judged once, found again while it holds, judged again when it does not."""

import decimal
import errno
import json
import os
import stat
from dataclasses import replace

import pytest
from handed_in import ACCESSOR, CONTIGUOUS, LAB, RIGHT, VIEW, cell_of, forked, hand_in, write_answer, write_course

from autograder import sandbox
from autograder.examine.verdict import OUR_FAULT, REFUSED, WRONG
from autograder.examine.verdict import RIGHT as VERDICT_RIGHT
from autograder.grading import (
    code_digest,
    gradebook,
    intake,
    pipeline,
    pool,
    report,
    signature,
    store,
    submission_record,
)
from autograder.grading.budget import Budget
from autograder.grading.disk import DiskError
from autograder.grading.submission_record import MISSING, Settings, run_submission
from autograder.labs import CHECKS
from autograder.sandbox import grade

pytestmark = pytest.mark.usefixtures("isolation")


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(root=write_course(tmp_path_factory.mktemp("course") / "a [b] of 50%?"))  # any name will do


@pytest.fixture(scope="module")
def ada(settings):
    """The record of a student whose answers are all right."""
    hand_in(settings.root, "ada")
    return run_submission("ada", LAB, settings)


def next_run(settings):
    """The settings of a later command, which asks other cases."""
    return replace(settings, drawn=Settings().drawn)


def verdicts(record):
    return {name: result["verdict"] for name, result in record["exercises"].items()}


def test_right_answers_get_all_points(ada):
    assert (ada["status"], ada["points"], ada["max_points"]) == ("graded", 20, 20)


def test_a_record_says_how_it_was_made(ada, isolation):
    assert ada["tier"] == isolation.tier and type(ada["seed"]) is int and ada["cpu_seconds"] > 0


def test_an_answer_that_equals_the_reference_is_flagged(ada):
    assert ada["exercises"][VIEW]["same_as_reference"]


def test_a_record_comes_back_from_its_file_as_it_was(settings, ada):
    assert submission_record.read(settings.root, LAB, "ada") == ada


def test_a_second_run_judges_nobody_again(settings, ada):
    assert run_submission("ada", LAB, settings) == ada


@pytest.mark.slow
def test_force_judges_again_on_other_cases(settings, ada):
    hand_in(settings.root, "again")
    first = run_submission("again", LAB, settings)
    assert run_submission("again", LAB, replace(next_run(settings), force=True))["seed"] != first["seed"]


@pytest.mark.slow
def test_all_who_are_judged_in_one_run_are_asked_the_same(settings, ada):
    """And so the reference answers once, in each process."""
    hand_in(settings.root, "neighbor")
    assert run_submission("neighbor", LAB, settings)["seed"] == ada["seed"]
    check = CHECKS[VIEW]
    assert grade.answered(check, ada["seed"]) is grade.answered(check, ada["seed"])
    assert grade.answered(check, ada["seed"] + 1) is not grade.answered(check, ada["seed"])
    for seed in range(grade.REMEMBERED + 5):
        grade.answered(CHECKS["strides.contiguous_strides"], seed)
    assert len(grade._answered) == grade.REMEMBERED


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
    assert submission_record.key_of(LAB, RIGHT, other.limits) != submission_record.key_of(LAB, RIGHT, settings.limits)


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


def test_a_file_that_can_not_be_opened_is_no_zero(settings, ada, monkeypatch):
    def denied(*_):
        raise intake.Unreadable("lab.ipynb can't be opened: Permission denied")

    hand_in(settings.root, "locked")
    monkeypatch.setattr(intake, "_read", denied)
    sent = []
    pipeline.perform(pipeline.job_text(LAB, "locked", None, pipeline.ALL, False, {}, settings), sent.append)
    (record,) = [message["record"] for message in sent if "record" in message]
    assert (record["status"], record["reason"]) == (OUR_FAULT, "lab.ipynb can't be opened: Permission denied")
    assert not [message for message in sent if "failure" in message]
    assert gradebook.standing(settings.root, record) is None
    page = settings.root / "autograder" / "feedback" / "locked" / LAB / "lab.html"
    assert "Permission denied" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_picture_of_a_written_answer_is_on_the_page(settings):
    def draw(notebook):
        kinds = {"image/gif": "R0lGODlhAQABAAAAACw="}
        cell = cell_of(notebook, "reflect-stride-zero")
        cell |= {"source": "![a](attachment:a.gif)", "attachments": {"a.gif": kinds}}

    hand_in(settings.root, "painter", change=draw)
    pipeline.perform(pipeline.job_text(LAB, "painter", None, pipeline.ALL, False, {}, settings), lambda message: None)
    page = settings.root / "autograder" / "feedback" / "painter" / LAB / "lab.html"
    assert '<img src="data:image/gif;base64,R0lG' in page.read_text(encoding="utf-8")


def test_a_notebook_that_answers_nothing_of_the_lab_is_refused_and_not_graded_0(settings):
    def leave_prose(notebook):
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]

    hand_in(settings.root, "other", change=leave_prose)
    record = run_submission("other", LAB, settings)
    assert record["status"] == REFUSED and "no cell that answers one of its exercises" in record["reason"]


def test_a_notebook_without_marks_and_ids_is_graded_as_it_was_with_a_note(settings, ada):
    def strip(notebook):
        for number, cell in enumerate(notebook["cells"]):
            cell |= {"id": f"c{number}", "metadata": {}}

    hand_in(settings.root, "bare", change=strip)
    record = run_submission("bare", LAB, settings)
    assert (record["points"], len(record["found"])) == (ada["points"], 4)
    notes = report.Row(record, submission_record.results_of(record), None).notes
    assert "4 without their marks, found by their text" in notes


def test_a_refused_submission_has_a_record_with_the_reason(settings):
    hand_in(settings.root, "mallory").write_text("[")
    record = run_submission("mallory", LAB, settings)
    assert record["status"] == REFUSED and "not JSON" in record["reason"]


def test_a_strange_name_is_kept_under_a_plain_one(settings):
    hand_in(settings.root, "a b'c")
    run_submission("a b'c", LAB, settings)
    assert submission_record.read(settings.root, LAB, "a b'c")["status"] == REFUSED


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 0}', '{"format"', "[" * 100_000, '{"format": 2, "signature": 7}']
)
def test_a_damaged_record_counts_as_none(settings, text):
    path = submission_record.path_of(settings.root, LAB, "damaged")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert submission_record.look(settings.root, LAB, "damaged") == (None, store.CHANGED)


def rewrite(path, change):
    """The record's file, after `change` of its data."""
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


CHANGES = {
    "more points": (lambda record: record.update(points=100), store.CHANGED),
    "a better verdict": (lambda record: record["exercises"][VIEW].update(verdict="right", points=10), store.CHANGED),
    "an exercise is gone": (lambda record: record["exercises"].pop(VIEW), store.CHANGED),
    "no signature": (lambda record: record.pop("signature"), store.CHANGED),
    "somebody else's": (lambda record: record.update(student="ada"), store.CHANGED),
    "of an earlier version": (lambda record: record.pop("signature") and record.update(format=1), store.EARLIER),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_a_record_that_the_grader_did_not_write_counts_as_none(settings, ada, change, said):
    path = submission_record.path_of(settings.root, LAB, "eve")
    submission_record.write(settings.root, ada | {"student": "eve", "points": 3})
    assert submission_record.read(settings.root, LAB, "eve")["points"] == 3
    rewrite(path, change)
    assert submission_record.look(settings.root, LAB, "eve") == (None, said)
    path.unlink()


def test_a_record_of_one_student_is_none_of_another(settings, ada):
    path = submission_record.path_of(settings.root, LAB, "thief")
    path.write_bytes(submission_record.path_of(settings.root, LAB, "ada").read_bytes())
    assert submission_record.look(settings.root, LAB, "thief") == (None, store.CHANGED)


@pytest.mark.slow
def test_a_record_that_was_changed_is_judged_again_and_that_is_said(settings, ada):
    hand_in(settings.root, "cheat", {})
    first = run_submission("cheat", LAB, settings)
    rewrite(submission_record.path_of(settings.root, LAB, "cheat"), lambda record: record.update(points=20))
    (outcome,) = pool.run_all([pool.Job(LAB, "cheat", stages=("judge",))], settings)
    assert (first["points"], outcome.record["points"], outcome.notes) == (0, 0, [store.CHANGED])


def test_the_key_is_its_owners_alone_and_another_key_fits_no_record(settings, ada):
    path = settings.root / signature.FILE
    key = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and len(key) == signature.BYTES
    path.write_bytes(b"too short")
    assert submission_record.look(settings.root, LAB, "ada") == (None, store.CHANGED)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and len(path.read_bytes()) == signature.BYTES
    path.write_bytes(key)
    assert submission_record.read(settings.root, LAB, "ada") == ada


@pytest.mark.parametrize("changed", ["for_all", "of_lab"])
def test_another_python_or_table_of_the_engine_is_judged_anew(settings, monkeypatch, changed):
    before = submission_record.key_of(LAB, RIGHT, settings.limits)
    monkeypatch.setattr(code_digest, changed, lambda *_: "")
    assert submission_record.key_of(LAB, RIGHT, settings.limits) != before


def test_a_changed_check_concerns_its_own_exercises_alone(settings, monkeypatch):
    hand_in(settings.root, "concerned")
    before, judged = run_submission("concerned", LAB, settings), []
    usual, digest = sandbox.grade_cell, code_digest.of_exercise

    def noted(box, check, *others):
        judged.append(check.exercise)
        return usual(box, check, *others)

    monkeypatch.setattr(sandbox, "grade_cell", noted)
    monkeypatch.setattr(code_digest, "of_lab", lambda lab: "changed")
    monkeypatch.setattr(code_digest, "of_exercise", lambda name: "changed" if name == VIEW else digest(name))
    record = run_submission("concerned", LAB, settings)
    assert judged == [VIEW]
    assert [*record["exercises"]] == [*before["exercises"]]
    assert (record["points"], record["seed"], record["status"]) == (20, before["seed"], "graded")


def test_another_answer_is_judged_with_all_the_others(settings, monkeypatch):
    hand_in(settings.root, "twice")
    first = run_submission("twice", LAB, settings)
    hand_in(settings.root, "twice", answers={VIEW: RIGHT[VIEW]})
    second = run_submission("twice", LAB, next_run(settings))
    assert second["points"] < first["points"] and second["seed"] != first["seed"]


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
    submission_record.write(settings.root, record | {"tier": "none", "seed": -1})
    assert run_submission("open", LAB, settings)["seed"] != -1


def test_the_pool_gives_a_record_for_everyone(settings, ada):
    hand_in(settings.root, "mallory").write_text("[")
    outcomes = pool.run_all([(LAB, "ada"), (LAB, "mallory")], settings)
    got = {outcome.record["student"]: outcome.record["status"] for outcome in outcomes}
    assert got == {"ada": "graded", "mallory": REFUSED}


@pytest.fixture(name="forked")
def _forked(monkeypatch):
    forked(monkeypatch)


def spin(*_):
    while True:
        pass


def swell(*_):
    return [bytearray(b"x" * (1 << 20)) for _ in range(2000)] and spin()


SMALL = Budget(cpu_seconds=0.5, memory=700 << 20)


@pytest.mark.slow
@pytest.mark.parametrize(("work", "said"), [(spin, "more than 0.5 CPU seconds"), (swell, "more than")])
def test_a_submission_that_costs_us_too_much_is_refused_and_the_others_go_on(
    settings, ada, forked, monkeypatch, work, said
):
    usual = submission_record.run_submission
    monkeypatch.setattr(
        submission_record, "run_submission", lambda name, *rest: usual(name, *rest) if name == "ada" else work()
    )
    hand_in(settings.root, "bomb")
    jobs = [pool.Job(LAB, name, stages=("judge",)) for name in ("bomb", "ada")]
    found = {one.record["student"]: one.record for one in pool.run_all(jobs, replace(settings, budget=SMALL))}
    assert found["ada"] == ada and found["bomb"]["status"] == REFUSED
    assert said in found["bomb"]["reason"] and "hand it in again" in found["bomb"]["reason"]


@pytest.mark.slow
def test_feedback_that_costs_us_too_much_shows_verdicts_alone(settings, ada, forked, monkeypatch):
    monkeypatch.setattr(gradebook, "write_feedback", spin)
    job = pool.Job(LAB, "ada", ada, ("show",))
    (outcome,) = pool.run_all([job], replace(settings, budget=SMALL))
    assert outcome.failures == [] and "writing its feedback took more than 0.5" in outcome.notes[0]
    assert "20 of 20 points" in gradebook.page_of(settings.root, ada).read_text()


@pytest.mark.slow
def test_an_entry_that_costs_us_too_much_is_told_and_the_verdict_stands(settings, ada, forked, monkeypatch):
    monkeypatch.setattr(gradebook, "enter", spin)
    (outcome,) = pool.run_all([pool.Job(LAB, "ada", ada, ("enter", "show"))], replace(settings, budget=SMALL))
    assert outcome.record == ada and "entering it into the gradebook took more than" in outcome.failures[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "error", [ZeroDivisionError("ours"), decimal.InvalidOperation(), RecursionError(), MemoryError()]
)
def test_any_error_of_intake_is_one_students(settings, ada, forked, monkeypatch, error):
    usual = intake.admit

    def admit(submitted, student, *rest):
        if student == "victim":
            raise error
        return usual(submitted, student, *rest)

    monkeypatch.setattr(intake, "admit", admit)
    hand_in(settings.root, "victim")
    jobs = [pool.Job(LAB, name, stages=("judge",)) for name in ("victim", "ada")]
    found = {one.record["student"]: one.record for one in pool.run_all(jobs, settings)}
    assert found["ada"] == ada and found["victim"]["status"] == OUR_FAULT
    assert type(error).__name__ in found["victim"]["reason"]


@pytest.mark.slow
def test_a_full_disk_ends_the_run_with_what_to_do(settings, ada, forked, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "/course/autograder/records/x.tmp")

    monkeypatch.setattr(submission_record, "write", full)
    with pytest.raises(DiskError, match=r"^/course/.*x.tmp can't be written. The disk is full: free some space, then"):
        list(pool.run_all([pool.Job(LAB, "ada")], replace(settings, force=True)))
    assert submission_record.read(settings.root, LAB, "ada") == ada


def test_a_process_that_dies_is_our_fault(settings, forked, monkeypatch):
    hand_in(settings.root, "victim")
    monkeypatch.setattr(submission_record, "run_submission", lambda *_: os._exit(1))
    (outcome,) = pool.run_all([pool.Job(LAB, "victim", stages=("judge",))], settings)
    assert outcome.record["status"] == OUR_FAULT and outcome.failures == []
