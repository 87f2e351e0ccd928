"""Findings on a pass of training are true: none on the engine's own, and for each fault its count."""

import pytest

import engine
from autograder import overlay
from autograder.examine.questions import draw_cases
from autograder.labs import CHECKS
from autograder.labs.profiler.training import check
from autograder.labs.profiler.training.probe import run
from autograder.made_up.answers import WRONG_ANSWERS

pytestmark = pytest.mark.slow  # passes of training, of which each compiles the kernels of a network

CHECK = CHECKS[check.TRAIN_EPOCH.exercise]
FINDINGS = {aspect.name: aspect.findings for aspect in CHECK.aspects}
CASES = [case for cases in draw_cases(CHECK, 3).values() for case in cases]


def found(name, case, source=None):
    """The findings of an aspect on the engine's own answer, or on another one."""
    with overlay.swapped({CHECK.exercise: source} if source else {}):
        return FINDINGS[name](case.args, run(engine, *case.args))


@pytest.mark.parametrize("name", FINDINGS)
def test_of_the_engines_own_answer_everything_is_right(name):
    cases = draw_cases(CHECK, 3)[name]
    assert [text for case in cases for text in found(name, case).values() if "where" in text or ":" in text] == []
    assert name != "ordinary" or {found(name, case)["losses"] for case in cases} == {"right"}


@pytest.mark.parametrize(
    ("about", "aspect", "key", "count"),
    [
        ("all three faults", "reads", "reads in the loop", 2),
        ("tolist in the place of item", "reads", "reads in the loop", 2),
        ("read one by one after the loop", "reads", "reads afterwards", 3),
        ("the copy is moved before the loop", "memory", "copies of its own", 1),
        ("the loop over rows only", "calls", "calls of loss", 18),
    ],
)
def test_a_fault_is_counted(about, aspect, key, count):
    source = next(wrong.source for wrong in WRONG_ANSWERS if wrong.about == about)
    case = next(case for case in CASES if [len(batch) for batch in case.args[2]] == [6, 6, 6])
    assert found(aspect, case, source)[key].startswith(f"{count}, where ")


EACH_READ_AT_ONCE = """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses
"""


def test_a_loop_that_reads_each_loss_at_once_is_told_how_often():
    case = next(case for case in CASES if [len(batch) for batch in case.args[2]] == [6, 6, 6])
    assert found("reads", case, EACH_READ_AT_ONCE) == {
        "reads of batches": "0",
        "reads in the loop": "3, where 0 is right",
        "reads afterwards": "0, where 1 is right",
    }


IN_OTHER_WORDS = """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    optimizer.zero_grad()
    kept = []
    for rows in batches:
        loss = loss_function(model(at.index_select(inputs, 0, rows)), targets[rows])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        kept.append(loss.data.clone() * 1.0)
    return at.stack(kept).numpy().tolist() if kept else []
"""


@pytest.mark.parametrize("name", FINDINGS)
def test_gradients_may_begin_at_zero_after_each_step_and_a_loss_may_be_copied(name):
    cases = draw_cases(CHECK, 3)[name]
    assert [found(name, case, IN_OTHER_WORDS) for case in cases] == [found(name, case) for case in cases]
