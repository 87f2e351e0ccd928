"""Every attack earns what its cells deserve, costs little, and leaves the next exercise as it was."""

import importlib
import os
import pkgutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder import overlay
from autograder.author import lab_text
from autograder.examine import questions, verdict
from autograder.labs import CHECKS
from autograder.sandbox import Limits, Sandbox, canary, grade_cell, processes
from red_team.attack import MOST_CPU_SECONDS, MOST_MEMORY, Attack, points_without
from red_team.cells import answering_if

pytestmark = pytest.mark.slow
SEED = 7
LIMITS = Limits(answer_seconds=2.0, exercise_seconds=4.0, cpu_seconds=8)
TIER = os.environ.get("RED_TEAM_TIER", "")  # else the strongest that holds here
SECONDS_BETWEEN_LOOKS = 0.02
AFTERWARDS = {"01-strides": "strides.permute"}  # asked last, with the reference; else the lab's first exercise


def categories():
    """Name -> attacks of each module beside this one that has a table ATTACKS."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        attacks = getattr(importlib.import_module(f"red_team.{module.name}"), "ATTACKS", None)
        if attacks is not None:
            yield module.name, attacks


# One that succeeds where there is something to find, so that the others are known to fail at their walls.
CONTROL = Attack(
    "control",
    {"strides.permute": answering_if("True")},
    {"strides.permute": points_without("strides.permute", "refusals")},
    inspected=False,
)
ALL = [
    pytest.param(CONTROL, id="control"),
    *(pytest.param(one, id=f"{name}: {one.about}") for name, attacks in categories() for one in attacks),
]


def lab_of(attack):
    """The lab of the attack's exercises."""
    (lab,) = {lab for lab in lab_text.LABS for one in lab_text.load(lab).exercises if one.name in attack.cells}
    return lab


def earned(sandbox, attack: Attack, exercise: str) -> int:
    """Points of one of its cells."""
    check, source = CHECKS[exercise], attack.cells[exercise]
    if attack.inspected:
        return grade_cell(sandbox, check, source, SEED).points
    with sandbox.run(exercise, source, attack.fenced) as run:
        return verdict.judge(
            check, questions.answered(check, SEED), lambda case, following: run.answer(check.probe_of(case), case.args),
            source=source,
        ).points  # fmt: skip


@contextmanager
def memory_of_children() -> Iterator[list[int]]:
    """Collect how many bytes the processes below this one held, all together, at every look."""
    held, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(SECONDS_BETWEEN_LOOKS):
            held.append(processes.memory(os.getpid()) - processes.memory_of_one(os.getpid()))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield held
    finally:
        ended.set()
        looking.join()


@pytest.mark.parametrize("attack", ALL)
def test_an_attack_earns_what_it_deserves_and_hurts_nothing(attack):
    found = canary(TIER)
    if found.tier == "none":
        pytest.skip(f"not run: isolation ({found.reason})")
    lab = lab_of(attack)
    with memory_of_children() as held, Sandbox(lab, LIMITS, isolation=TIER) as sandbox:
        points = {exercise: earned(sandbox, attack, exercise) for exercise in attack.cells}
        last = AFTERWARDS.get(lab, lab_text.load(lab).exercises[0].name)
        result = grade_cell(sandbox, CHECKS[last], overlay.source_of(last), SEED)
    assert points == {exercise: attack.earns.get(exercise, 0) for exercise in attack.cells}
    assert result.verdict == verdict.RIGHT
    assert sandbox.cpu_seconds < len(attack.cells) * sandbox.limits.cpu_seconds + MOST_CPU_SECONDS
    assert max(held) < MOST_MEMORY
