"""The one program behind every verdict: graft an answer, ask it the cases, judge what came back.

The notebook, the grader and `verify` differ only in the *place* where the answer runs: in this process (`here`), there
within a student's patience (`student/recorded_check.py`), or shut in (`sandbox/grade.py`).
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import engine
from autograder import overlay
from autograder.examine.cell_rules import CellRefused, inspect_cell
from autograder.examine.model import Aspect, Case, Check
from autograder.examine.observe import observe
from autograder.examine.own_imports import without_own_imports
from autograder.examine.questions import Ask, Observation, once
from autograder.examine.verdict import RIGHT, ExerciseResult, judge

Place = Callable[[Check, str], AbstractContextManager[Ask]]
Cases = Mapping[str, Sequence[tuple[Case, Observation]]]


@contextlib.contextmanager
def here(check: Check, source: str) -> Iterator[Ask]:
    """Yield a function that runs cases in this process, without limits or a sandbox.

    Raises:
        CellRefused: the text can't become a part of the engine.
    """
    try:
        grafted = overlay.swapped({check.exercise: source})
        with grafted:
            yield lambda case, following=(): Observation(
                **observe(engine, check.exercise, check.probe_of(case), case.args)
            )
    except overlay.PartError as error:
        raise CellRefused(str(error)) from None


@dataclass(frozen=True)
class Examiner:
    """A judge of answers that all run in one place, such as this process or a worker.

    Args:
        place: called as `place(check, source)`: a context in which `source` answers for the check's exercise, and every
            other exercise is the reference; its value asks one question. It may raise CellRefused; the asking, Stopped.
        inspects: whether the text must keep the rules of a solution cell (`cell_rules.py`).
    """

    place: Place = here
    inspects: bool = False

    def examine(self, check: Check, source: str, cases: Cases, in_full: bool = True) -> ExerciseResult:
        """Judge the text of a solution cell, and return the verdict.

        Args:
            cases: by aspect, each case with its right answer.
            in_full: whether an aspect that has lost its points is asked further, to count the right answers.
        Raises:
            CellRefused: nothing was asked; it has the reason.
        """
        if self.inspects:
            source = without_own_imports(source, check.exercise)
            inspect_cell(source, check.exercise)
        with self.place(check, source) as ask:
            return judge(check, cases, once(ask), in_full, source)

    def until_lost(
        self, check: Check, source: str, cases: Cases, begin: Callable[[Aspect], None] = lambda aspect: None
    ) -> ExerciseResult:
        """Judge as `examine` does, but stop at the first wrong answer; run aspects that need others, too.

        Args:
            begin: called before each aspect.
        """
        result = ExerciseResult(check.exercise, RIGHT, check.points, check.points)
        with self.place(check, source) as answers:
            ask = once(answers)
            for aspect in check.aspects:
                begin(aspect)
                alone = replace(check, aspects=(replace(aspect, needs=""),))
                result = judge(alone, {aspect.name: cases[aspect.name]}, ask, in_full=False)
                if result.verdict != RIGHT:
                    break
        return result
