"""Shared by the checks of elementwise loops: operands somewhere in an array, and findings that every check makes."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Case
from autograder.labs.cpu.elementwise.probe import storages
from engine.memory_trace import Trace

Operand = tuple[Any, int]


def operand(rng: random.Random, size: int, offset: int, more: int | None = None) -> Operand:
    """Cells that hold `size` numbers from `offset` on, and `more` behind them, or as many as may be: 0 to 2."""
    cells = offset + size + (rng.randint(0, 2) if more is None else more)
    return [rng.randint(-9, 9) + rng.choice((0, 0, 0.25)) for _ in range(cells)], offset


def with_factor(cases: Callable[[random.Random], Iterator[Case]]) -> Callable[[random.Random], list[Case]]:
    """The cases with the operation's c after their arguments, so that f cannot be hard-coded."""
    return lambda rng: [Case((*case.args, rng.choice((2, 3, 5))), case.about) for case in cases(rng)]


def arrays_of(*operands: Operand) -> dict[str, np.ndarray]:
    """The arrays that the probe gives the loop, by their names."""
    return dict(zip(("out", "a", "b"), storages(*operands)[::2], strict=False))


def beside(trace: Trace) -> dict[str, str]:
    """The finding on accesses beside an array."""
    return {"beside an array": counting.out_of_bounds(trace)}
