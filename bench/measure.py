"""A case measured: engine and PyTorch in one process, in turns, on the same inputs.

A round repeats a piece of work for about `ROUND_SECONDS`, and the ratio is the ratio of the medians. Before its turn
each rests and makes one call that is not timed, because a thread of the other that still looks for work would take a
processor from it. A result that differs from PyTorch's is not timed. Memory is a call's peak, its result included.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import torch

import engine
from bench.cases import Case, Work
from bench.peak_memory import peak_bytes

ROUND_SECONDS = 0.02
REST = 0.01
MEGABYTE = 2**20


@dataclass(frozen=True)
class Row:
    """A measured case: microseconds and bytes of the engine and of PyTorch; None where the results differ."""

    case: Case
    ours: float | None = None
    theirs: float | None = None
    memory: tuple[int, int] | None = None

    @property
    def ratio(self) -> float:
        """Engine over PyTorch."""
        return (self.ours or 0) / (self.theirs or 1)

    @property
    def memory_ratio(self) -> float | None:
        """Engine over PyTorch; None of work that takes less than a megabyte."""
        if self.memory is None or self.memory[1] < MEGABYTE:
            return None
        return self.memory[0] / self.memory[1]


def seconds(work: Work, repeats: int) -> float:
    """Wall-clock seconds of one call, over `repeats` calls."""
    begin = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - begin) / repeats


def turn(work: Work, repeats: int) -> float:
    """`seconds`, by itself on the machine."""
    time.sleep(REST)
    work()
    return seconds(work, repeats)


def differs(case: Case) -> bool:
    """Return whether dtype, sizes, strides or values differ from PyTorch's (floats: are not close)."""
    ours, theirs = case.prepare(engine)(), case.prepare(torch)()
    described = [(str(result.dtype), tuple(result.shape), result.stride()) for result in (ours, theirs)]
    if described[0] != described[1]:
        return True
    if theirs.element_size() == 2:  # the product's halves may round the other way
        return not np.allclose(ours.float().numpy(), theirs.float().numpy(), rtol=2e-2, atol=2e-1)
    if theirs.is_floating_point():
        return not np.allclose(ours.numpy(), theirs.numpy(), rtol=1e-4, atol=1e-4, equal_nan=True)
    return not np.array_equal(ours.numpy(), theirs.numpy())


def measure(case: Case, rounds: int, differs: Callable[[Case], bool] = differs) -> Row:
    """Median times of the engine and of PyTorch, measured in turns, and their memory."""
    if differs(case):
        return Row(case)
    works = [case.prepare(T) for T in (engine, torch)]
    repeats = [max(1, round(ROUND_SECONDS / seconds(work, 3))) for work in works]
    times = [[turn(work, count) for work, count in zip(works, repeats, strict=True)] for _ in range(rounds)]
    ours, theirs = (statistics.median(column) * 1e6 for column in zip(*times, strict=True))
    try:
        memory = (peak_bytes(works[0]), peak_bytes(works[1]))
    except OSError:
        memory = None
    return Row(case, ours, theirs, memory)


def mean_ratio(rows: Iterable[Row]) -> float:
    """The geometric mean of the ratios."""
    return statistics.geometric_mean(row.ratio for row in rows if row.ours)


def summary(rows: list[Row]) -> str:
    """In words: the mean of all ratios, the largest, and the largest of the memory."""
    worst = max(rows, key=lambda row: row.ratio)
    text = (
        f"geometric mean of {len(rows)} ratios: {mean_ratio(rows):.2f}; largest: {worst.ratio:.2f} ({worst.case.name})"
    )
    if heavy := [row for row in rows if row.memory_ratio]:
        largest = max(heavy, key=lambda row: row.memory_ratio or 0)
        text += f"; largest memory ratio {largest.memory_ratio:.2f} ({largest.case.name})"
    return text
