"""The parts of a check: plain data that the notebook and the grader both read.

A check asks one question of an exercise many times. A *case* is one set of arguments, a *probe* (in
the theme's `probe.py`) runs next to the implementation and returns what it observed, an *aspect* is a family
of cases worth some points, and a *hint* says what a failing case is about. The right answer to a case is
the same probe run on the reference engine.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Case:
    """Arguments of one question; `about` is a key of the check's hints (or "")."""

    args: tuple
    about: str = ""


@dataclass(frozen=True)
class Aspect:
    """A family of cases that earns `points` when every case is answered as the reference answers it.

    Args:
        name: one word, shown to the student: "ordinary", "edge", "refusals".
        points: positive int.
        cases: draws a fresh, finite family of cases from a seeded generator; the judge sorts by size.
        needs: name of an aspect of the same check that must pass for these points to count, or "".
        findings: what follows from an observation, worked out on the trusted side: called as
            `findings(args, observed)`, it gives plain data, and these are compared instead of the observations. So a
            raw trace comes in, and "loads of a: at most 96" is what is expected. ValueError, TypeError, KeyError,
            IndexError and OverflowError mean that the observation has not the form that the probe gives it.
        compiled: whether its cases have numba compile the answer, which takes a second each time: few cases, and last.
    """

    name: str
    points: int
    cases: Callable[[random.Random], Iterable[Case]]
    needs: str = ""
    findings: Callable[[tuple, object], object] | None = None
    compiled: bool = False


class Drawing(NamedTuple):
    """Two functions by which a case is drawn, for exercises that turn one geometry into another.

    `given(args)` returns (sizes, strides, storage_offset) of the tensor in the case, `answer(args, value)` the same of
    an answer, or () where it has none.
    """

    given: Callable[[tuple], tuple]
    answer: Callable[[tuple, tuple], tuple]


@dataclass(frozen=True)
class Check:
    """A check: how one exercise is judged.

    Args:
        exercise: module path below `engine` and qualified name: "strides.view_strides".
        arguments: names of the case's arguments, to print a case as `sizes=(2, 3) strides=(3, 1)`.
        aspects: one to four.
        hints: text by key; keys are `Case.about`, "type", "returned None", "raised", "not raised", and, where what
            is compared is a dict, its keys: the first one whose value is wrong says more than the case.
        probe: lab, theme and function, "strides.accessor.trace" for `trace` of labs/strides/accessor/probe.py, called
            as `probe(engine, *case.args)`; "" calls the exercise itself with the case's arguments.
        drawing: how a failing case is drawn, if it can be.
    """

    exercise: str
    arguments: tuple[str, ...]
    aspects: tuple[Aspect, ...]
    hints: dict[str, str] = field(default_factory=dict)
    probe: str = ""
    drawing: Drawing | None = None

    @property
    def points(self) -> int:
        """Points of all aspects together."""
        return sum(aspect.points for aspect in self.aspects)
