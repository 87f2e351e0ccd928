"""Aspects of loops that are run in two ways: in plain Python under the recorder, or compiled by numba.

The first argument of a case says how: "traced" or "compiled". Cases and findings are written without it.
"""

import random
from collections.abc import Callable, Iterable

from autograder.examine.model import Aspect, Case, Mistake
from autograder.examine.plain_data import show
from autograder.examine.questions import Observation

Cases = Callable[[random.Random], Iterable[Case]]
Findings = Callable[[tuple, object], object]
COMPILED = (
    "compiled with the engine's options, the result is wrong: get the other aspects right first; if they are, a number "
    "may have another type here than in Python (0.0 is a float64), or a sum another order"
)
OF_THE_DTYPE = "all numbers and vectors have the dtype of `a`: write a.dtype.type(0), and not 0 or 0.0"
RAISED = "nothing is to be refused here: the function computes, whatever the numbers are"
REFUSED = (  # by numba or LLVM: words of their message, what they mean
    ("cannot be determined, operation", "numba can't tell the type of a value: on this Python it can't compile `:=`"),
    ("Untyped global name", "compiled code can call a function of your own only if it is above, under "
     "@register_jitable; under it a function can't call itself"),
    ("literal_value", "the number of lanes must be known when the loop is compiled: use the maker's `lanes` where "
     "loadu or broadcast is called, and do not give it to a function outside the maker"),
    ("'Array' object has no attribute 'lanes'", "compiled, a vector is what loadu, broadcast and fmadd give, and no "
     "array of NumPy"),
    ("cannot store <", OF_THE_DTYPE),
    ("value needs to be of type", OF_THE_DTYPE),
    ("", "numba can't compile this: write plain loops, arrays and numbers, no lists of arrays, no Python objects, no "
     "`:=`, nothing that calls itself; a function of your own is above, under @register_jitable"),
)  # fmt: skip


def says(words: str, means: str) -> Mistake:
    """Build a mistake that is shown if the findings or the error message contain `words`."""
    return Mistake(means, lambda args, wanted, got: words in (got.message if got.raised else show(got.value, 4000)))


def _refused(words: str, means: str) -> Mistake:
    def shows(args: tuple, wanted: Observation, got: Observation) -> bool:
        return bool(got.raised) and words in got.message and (bool(words) or got.raised.startswith("numba."))

    return Mistake(means, shows)


STAR = says("operand type(s) for +: 'int' and 'tuple'", "the scalars are a tuple: give them one by one, *scalars")
LOOPS = (  # mistakes of all exercises whose loop is run in both ways
    says("a function that the maker returns", "the maker must return the loop: is a `return` missing, or is the loop "
         "called already?"),
    says("NumPy can't have it as a whole", "write loops over single elements: a slice may be taken and indexed, but "
         "there is no arithmetic with it"),
    *(_refused(*words) for words in REFUSED),
)  # fmt: skip


def traced(name: str, points: int, cases: Cases, findings: Findings, needs: str = "") -> Aspect:
    """Build an aspect that judges the trace of a run in plain Python."""
    return _aspect("traced", name, points, cases, findings, needs)


def compiled(points: int, cases: Cases, findings: Findings) -> Aspect:
    """Build the aspect of the compiled function, with few cases, which earns no points if the trace is wrong."""
    return _aspect("compiled", "compiled", points, cases, findings, "ordinary")


def _aspect(how: str, name: str, points: int, cases: Cases, findings: Findings, needs: str) -> Aspect:
    def drawn(rng: random.Random) -> list[Case]:
        return [Case((how, *case.args), case.about) for case in cases(rng)]

    def found(args: tuple, observed: object) -> object:
        return findings(args[1:], observed)

    return Aspect(name, points, drawn, needs, found, how == "compiled")
