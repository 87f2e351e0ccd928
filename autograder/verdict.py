"""Verdicts: what was asked, what was expected, what came back, and the points that follow.

`judge` is the one program that turns answers into points; the notebook hands it answers from its own
process and recorded expectations, the grader answers from the sandbox and expectations of the reference.
"""

from dataclasses import dataclass

RIGHT, WRONG, TIMED_OUT, OUT_OF_MEMORY, CRASHED, REFUSED, OUR_FAULT = (
    "right", "wrong", "timed out", "out of memory", "crashed", "refused", "not graded: our fault",
)  # fmt: skip


@dataclass(frozen=True)
class Observation:
    """What a probe saw: a plain value, or the exact type name and the message of what was raised."""

    value: object = None
    raised: str = ""
    message: str = ""


@dataclass(frozen=True)
class Failure:
    """The smallest failing case, as text for a reader."""

    case: str
    expected: str
    got: str
    hint: str = ""


@dataclass(frozen=True)
class AspectResult:
    name: str
    points: int
    max_points: int
    passed: int
    cases: int
    failure: Failure | None = None


@dataclass(frozen=True)
class ExerciseResult:
    exercise: str
    verdict: str
    points: int
    max_points: int
    aspects: tuple[AspectResult, ...] = ()
    message: str = ""
