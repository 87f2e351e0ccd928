"""The parts of a check: plain data that the notebook and the grader both read.

A check asks one question of an exercise many times. A *case* is one set of arguments, a *probe* (in
the theme's `probe.py`) runs next to the implementation and returns what it observed, an *aspect* is a family
of cases worth some points, and a *hint* says what went wrong (`hints.py` chooses it). The right answer to a case is
the same probe run on the reference engine.
"""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from autograder.examine.questions import Observation

WHOLE_ENGINE = "whole engine"  # what the case of a check's program is about


@dataclass(frozen=True)
class Case:
    """The arguments of one call of the function to be checked.

    Args:
        args: of the probe, plain data.
        about: a key of the check's hints, or "".
        probe: asked instead of the check's, or "".
    """

    args: tuple
    about: str = ""
    probe: str = ""


@dataclass(frozen=True)
class Aspect:
    """A family of cases that earns `points` if every case is answered as the reference answers it.

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
    findings: Callable[[tuple, Any], object] | None = None
    compiled: bool = False


class Mistake(NamedTuple):
    """A typical mistake that can be recognized from a wrong answer.

    Args:
        says: a sentence for the student.
        shows: called as `shows(args, wanted, got)` with the case's arguments and two observations, the right one and
            the answer's: True if the answer is what this mistake gives. What it raises counts as False: an answer may
            have any form.
    """

    says: str
    shows: "Callable[[tuple, Observation, Observation], bool]"


class Drawing(NamedTuple):
    """Two functions that provide what is drawn of a case, for exercises that turn one geometry into another.

    `given(args)` returns (sizes, strides, storage_offset) of the tensor in the case, `answer(args, value)` the same of
    an answer, or () where it has none.
    """

    given: Callable[[tuple], tuple]
    answer: Callable[[tuple, tuple], tuple]


@dataclass(frozen=True)
class Check:
    """The rules by which one exercise is judged.

    Args:
        exercise: module path below `engine` and qualified name: "strides.view_strides".
        arguments: names of the case's arguments, to print a case as `sizes=(2, 3) strides=(3, 1)`.
        aspects: one to five.
        hints: text by key; keys are `Case.about`, "type", "returned None", "raised", "raised another", "not raised",
            and what `differs` names. `hints.py` says which is shown when.
        mistakes: looked at before the hints; the first that shows is shown.
        differs: called as `differs(args, wanted, got)` with two different values: names of what differs in them, the
            most telling first, which are keys of the hints. Without it, of two dicts with the same keys: the first
            key whose values differ.
        words: the meaning of the words of a case that is not a call but a script; each is shown below a case that has
            it. A key that is the name of an argument is shown below every case.
        makes: what the text is that a probe leaves beside a value (`raised.leave`): "the text that it makes". It is
            shown with a wrong value. "" if probes leave none.
        program: a probe without arguments that runs a short program on the whole engine, asked last of all in the
            first aspect: an answer that is right case by case must not break what is built on it. "" for none.
        probe: lab, theme and function, "strides.accessor.trace" for `trace` of labs/strides/accessor/probe.py, called
            as `probe(engine, *case.args)`; "" calls the exercise itself with the case's arguments.
        drawing: how a failing case is drawn, if it can be.
        on_memory: whether the engine's kernels run on tensors whose geometry the answer decides: a wrong one may end
            the process.
        call: Python text that runs a case by itself, of its arguments, where a probe asks; shown if it is not long.
    """

    exercise: str
    arguments: tuple[str, ...]
    aspects: tuple[Aspect, ...]
    hints: dict[str, str] = field(default_factory=dict)
    probe: str = ""
    drawing: Drawing | None = None
    mistakes: tuple[Mistake, ...] = ()
    differs: Callable[[tuple, Any, Any], Iterable[str]] | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    program: str = ""
    call: Callable[[tuple], str] | None = None
    makes: str = ""
    on_memory: bool = False

    def probe_of(self, case: Case) -> str:
        """Return the probe that runs a case."""
        return case.probe or self.probe

    def legend(self, shown: str) -> list[str]:
        """Return one line of explanation for each word in a case that needs it."""
        return [
            f"{word}: {means}" for word, means in self.words.items() if word in self.arguments or f"'{word}'" in shown
        ]

    @property
    def points(self) -> int:
        """The points of all aspects together."""
        return sum(aspect.points for aspect in self.aspects)
