"""Shared by the checks of loops: operands somewhere in an array, and findings that every check makes."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Case
from autograder.labs.cpu.elementwise.probe import SHARED, storages
from engine import memory_trace
from engine.memory_trace import Trace
from engine.memory_trace.provenance import missing_flows

Operand = tuple[Any, int]
MANY = 200  # numbers of an operand that nobody reads one by one


def operand(rng: random.Random, size: int, offset: int, more: int | None = None) -> Operand:
    """Draw an operand: `size` numbers from `offset` on, and `more` cells after them, or 0 to 2 if `more` is None.

    Of many cells only their number is given; they hold 0, 1, 2, ...
    """
    if size > MANY:
        return offset + size + (more or 0), offset
    cells = offset + size + (rng.randint(0, 2) if more is None else more)
    return [rng.randint(-9, 9) + rng.choice((0, 0, 0.25)) for _ in range(cells)], offset


def with_factor(cases: Callable[[random.Random], Iterator[Case]]) -> Callable[[random.Random], list[Case]]:
    """Add a random factor c to the arguments of each case, so that f cannot be hard-coded."""
    return lambda rng: [Case((*case.args, rng.choice((2, 3, 5))), case.about) for case in cases(rng)]


def arrays_of(*operands: Operand) -> dict[str, np.ndarray]:
    """Return the arrays that the probe passes to the loop, by name."""
    return dict(zip(("out", "a", "b"), storages(*operands)[::2], strict=False))


def beside(trace: Trace) -> dict[str, str]:
    """Return the finding on out-of-bounds accesses."""
    return {"beside an array": counting.out_of_bounds(trace)}


IN_PLACE = "in the right cells"
RESULT = "result of this case"  # the finding beside counts
TRACED = {"trace": "the loop runs in plain Python, and each access is recorded"}  # a word of a case
COUNTED = {RESULT: "the result is wrong here, and nothing is counted before it is right"}  # its hint


def touched(trace: Trace, stores: Mapping[str, set[int]], loads: Mapping[str, set[int]]) -> dict[str, str]:
    """Return the findings on the cells that are written and read; arguments that share an array count together."""
    number = {argument.name: argument.array for argument in trace.arguments}
    found = {}
    for kind, done, wanted in (("store", "written", stores), ("load", "read", loads)):
        for name, cells in wanted.items():
            of_memory = cells.union(*(more for other, more in wanted.items() if number[other] == number[name]))
            seen = {access.index for access in memory_trace.accesses(trace, "", kind) if access.array == number[name]}
            found[f"{name} is {done}"] = _said(seen, of_memory)
    return found


def _said(seen: set[int], wanted: set[int]) -> str:
    if seen == wanted:
        return IN_PLACE
    more, less = sorted(seen - wanted), sorted(wanted - seen)
    parts = [f"{also} in cell{'s' * (len(cells) > 1)} {', '.join(map(str, cells[:3]))}{', ...' * (len(cells) > 3)}"
             for also, cells in (("also", more), ("not", less)) if cells]  # fmt: skip
    return " and ".join(parts)


Outputs = Mapping[str, Any]


def judged(
    trace: Trace, inputs: Mapping[str, Any], right: Outputs, bound: Any = 0.0, needed: Any = None,
    instead: Mapping[str, Callable[[], Outputs]] | None = None, also: Iterable[str] = (),
) -> str:  # fmt: skip
    """Judge as `counting.judged_result` does, and add to a wrong result its explanation or what is missing in it.

    Args:
        instead: what mistakes give, by what is said of them.
    """
    said = counting.judged_result(trace, inputs, right, bound, needed, also)
    if said == "right" or " is " not in said:
        return said
    for means, outputs in (instead or {}).items():
        if counting.judged_result(trace, inputs, outputs(), bound, also=also) == "right":
            return f"{said}: {means}"
    name = said.partition("[")[0]
    argument = next((argument for argument in trace.arguments if argument.name == name), None)
    if argument is None or not needed or name not in needed:
        return said
    index = said.partition("[")[2].partition("]")[0]
    for missing in missing_flows(trace, argument, needed[name]):
        if str(missing.index[0]) == index:
            return f"{said}: {missing.about}"
    return said


def text_of(array: np.ndarray) -> str:
    """Write Python code that recreates a flat array."""
    kind = "" if array.dtype == np.float64 else f", '{array.dtype}'"
    text = f"np.array({array.tolist()}{kind})"
    if array.size > 1 and np.array_equal(array, np.repeat(array[:1], array.size), equal_nan=True):
        text = min(text, f"np.full({array.size}, {array[0].item()}{kind or ', float'})", key=len)
    return text.replace("inf", "np.inf").replace("nan", "np.nan")


def call_of(maker: str, expression: str, args: tuple) -> str:
    """Write Python code that runs a case of an elementwise loop.

    Args:
        maker: its call, "contiguous_binary(f)".
        expression: of x, y and c: what f is without the scalars.
        args: observed, begin, end, operands, what else the loop takes, scalars, c.
    """
    observed, begin, end, *rest = args
    *given_arrays, scalars, c = rest
    operands = [part for part in given_arrays if type(part) is tuple]
    more = given_arrays[len(operands) :]
    names = ["x", "y"][: len(operands) - 1] + [f"s{n}" for n in range(len(scalars))]
    function = f"lambda {', '.join(names)}: {' + '.join([expression.format(c=c), *names[len(operands) - 1 :]])}"
    made, given = [], []
    for name, (cells, offset) in zip(("out", "a", "b"), operands, strict=False):
        if cells not in SHARED:
            array = f"np.arange({cells}.0)" if type(cells) is int else text_of(storages((cells, offset))[0])
            made.append(f"{name} = {array}")
        given.append(f"{cells if cells in SHARED else name}, {offset}")
    geometry = [f"np.array({part})" for part in more]
    loop = maker
    if observed in ("compiled", "pasted"):
        pasted = f"engine.cpu.elementwise_loops.in_place_or({maker})" if observed == "pasted" else maker
        function, loop = f"numba.njit({function})", f"numba.njit(error_model='numpy')({pasted})"
    call = f"{loop}({', '.join([str(begin), str(end), *given, *geometry, str(scalars)])})"
    return f"f = {function}; {'; '.join(made)}; {call}; print(out)"
