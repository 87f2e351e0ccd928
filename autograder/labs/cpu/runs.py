"""Aspects of loops that are run in two ways: in plain Python under the recorder, or compiled by numba.

The first argument of a case says how: "traced" or "compiled". Cases and findings are written without it.
"""

import random
from collections.abc import Callable, Iterable

from autograder.examine.model import Aspect, Case

Cases = Callable[[random.Random], Iterable[Case]]
Findings = Callable[[tuple, object], object]
COMPILED = (
    "numba can't compile it, or it does something else then: use plain loops, arrays and numbers, no Python objects, "
    "no :=; a function of your own that it calls stands before it, under @register_jitable"
)
RAISED = "the run in Python stops with an error: its text says at which line, and what the error is"


def traced(name: str, points: int, cases: Cases, findings: Findings, needs: str = "") -> Aspect:
    """An aspect of what the trace of a run in plain Python says."""
    return _aspect("traced", name, points, cases, findings, needs)


def compiled(points: int, cases: Cases, findings: Findings) -> Aspect:
    """The aspect of the compiled function: few cases, and no points for one whose trace is wrong."""
    return _aspect("compiled", "compiled", points, cases, findings, "ordinary")


def _aspect(how: str, name: str, points: int, cases: Cases, findings: Findings, needs: str) -> Aspect:
    def drawn(rng: random.Random) -> list[Case]:
        return [Case((how, *case.args), case.about) for case in cases(rng)]

    def found(args: tuple, observed: object) -> object:
        return findings(args[1:], observed)

    return Aspect(name, points, drawn, needs, found, how == "compiled")
