"""The engine beside PyTorch: `make bench`.

Both run in one process on one thread, in turns, on the same inputs; a round repeats a piece of work for about
`ROUND_SECONDS`, and the ratio is that of the medians. A result that differs from PyTorch's is not timed. What
`import engine` adds to importing NumPy and numba is measured in processes of its own.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import engine
from bench.cases import CASES, Case

ROUND_SECONDS = 0.02
Work = Callable[[], Any]


def seconds(work: Work, repeats: int) -> float:
    """Wall-clock seconds of one call, over `repeats` calls."""
    begin = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - begin) / repeats


def differs(case: Case) -> bool:
    """Whether the engine's result is not PyTorch's in dtype, sizes, strides or values (floats: close to it)."""
    ours, theirs = case.prepare(engine)(), case.prepare(torch)()
    described = [(str(result.dtype), tuple(result.shape), result.stride()) for result in (ours, theirs)]
    if described[0] != described[1]:
        return True
    if theirs.is_floating_point():
        return not np.allclose(ours.numpy(), theirs.numpy(), equal_nan=True)
    return not np.array_equal(ours.numpy(), theirs.numpy())


def import_seconds(runs: int = 7) -> float:
    """Median seconds that `import engine` takes once NumPy and numba are there, in fresh processes."""
    program = "import numpy, numba, time; t = time.perf_counter(); import engine; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", program]
    return statistics.median(
        float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(runs)
    )


def measure(case: Case, rounds: int) -> tuple[float, float]:
    """Median seconds of the engine and of PyTorch, measured in turns."""
    works = [case.prepare(T) for T in (engine, torch)]
    repeats = [max(1, round(ROUND_SECONDS / seconds(work, 3))) for work in works]
    times = [[seconds(work, count) for work, count in zip(works, repeats, strict=True)] for _ in range(rounds)]
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    return ours, theirs


def main() -> int:
    arguments = argparse.ArgumentParser(prog="make bench", description=__doc__)
    arguments.add_argument("--rounds", type=int, default=15, help="turns that each side takes (15)")
    arguments.add_argument("--only", default="", help="only the cases whose name holds this text")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    table = Table("work", "engine, us", "PyTorch, us", "ratio", title="one thread; ratio = engine / PyTorch")
    for column in table.columns[1:]:
        column.justify = "right"
    wrong = 0
    for case in CASES:
        if options.only not in case.name:
            continue
        if differs(case):
            wrong += 1
            table.add_row(case.name, "not timed: the results differ", "", "")
            continue
        ours, theirs = measure(case, options.rounds)
        table.add_row(case.name, f"{ours * 1e6:,.2f}", f"{theirs * 1e6:,.2f}", f"{ours / theirs:.2f}")
    Console().print(table)
    if not options.only:
        Console().print(f"import engine, after numpy and numba: {import_seconds():.2f} s")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
