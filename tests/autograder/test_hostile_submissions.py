"""No submission costs the trusted side more than a little, and none costs another student anything."""

import pytest
from handed_in import LAB, hand_in, write_course
from red_team.submissions import SUBMISSIONS

from autograder.grading import gradebook, pool
from autograder.grading.budget import Budget
from autograder.grading.submission_record import Settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("isolation"),
]
BUDGET = Budget(cpu_seconds=30, memory=768 << 20)  # half of what a submission is allowed, and less memory
LARGEST_PAGE = 3_000_000  # bytes
BYSTANDER = "bystander"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course in which each of the submissions was handed in, and a right one."""
    root = write_course(tmp_path_factory.mktemp("course"))
    hand_in(root, BYSTANDER)
    for number, submission in enumerate(SUBMISSIONS):
        path = hand_in(root, f"s{number}", change=submission.change)
        for name, text in submission.files.items():
            (path.parent / name).write_bytes(text)
    return root


@pytest.fixture(scope="module")
def outcomes(root):
    """The outcomes by student, of one run."""
    students = [f"s{number}" for number in range(len(SUBMISSIONS))] + [BYSTANDER]
    found = pool.run_all([(LAB, name) for name in students], Settings(root=root, budget=BUDGET))
    return {outcome.record["student"]: outcome for outcome in found}


@pytest.mark.parametrize("number", range(len(SUBMISSIONS)), ids=[one.about for one in SUBMISSIONS])
def test_a_hostile_submission_gets_what_it_deserves_within_half_the_budget(root, outcomes, number):
    deserved, outcome = SUBMISSIONS[number], outcomes[f"s{number}"]
    record = outcome.record
    assert (record["status"], record["points"]) == (("refused", 0) if deserved.says else ("graded", deserved.points))
    assert deserved.says in record["reason"] and len(record["reason"]) < 1100
    assert (outcome.failures, outcome.notes) == ([], [])
    assert 0 < gradebook.page_of(root, record).stat().st_size < LARGEST_PAGE


def test_the_others_are_graded(outcomes):
    assert outcomes[BYSTANDER].record["points"] == 20 and not outcomes[BYSTANDER].failures
