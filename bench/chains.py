"""Backward through long chains: time and memory must grow as the chain does. `python -m bench.chains`, or `make bench`.

A chain is `x.sin().sin()...` of 8 elements: each node keeps the tensor that it was made from. Each length is measured
in a process of its own: the height of memory while the chain is made and gone through, and the time of the way back.
"""

import argparse
import gc
import importlib
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.peak_memory import height

LENGTHS = (1_000, 10_000, 100_000)
SEEN = 1 << 20  # bytes
LINEAR = 2.0  # a node's time or memory, over a node's in a chain a tenth as long: 1 and caches; 10 would be quadratic


def chain(T: Any, length: int) -> tuple[Any, Any]:
    """A leaf, and what comes of it after `length` operators."""
    x = T.ones(8).requires_grad_()
    y = x
    for _ in range(length):
        y = y.sin()
    return x, y.sum()


def backward_seconds(T: Any, length: int) -> float:
    """The shortest time of the way back, of a few chains: the processor's, which other programs do not lengthen."""
    times = []
    for _ in range(max(3, 10_000 // length)):
        _, y = chain(T, length)
        gc.collect()
        begin = time.process_time()
        y.backward()
        times.append(time.process_time() - begin)
    return min(times)


def forth_and_back(T: Any, length: int) -> None:
    """The work whose memory is measured."""
    _, y = chain(T, length)
    y.backward()


def measured(name: str, length: int) -> tuple[float, int]:
    """Seconds and bytes of a chain with the module of this name, in a process of its own."""
    command = [sys.executable, "-m", "bench.chains", "--module", name, "--length", str(length)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found["seconds"], found["bytes"]


@dataclass(frozen=True)
class Chain:
    """A measured length: seconds of the backward pass and peak bytes, of the engine and of PyTorch."""

    length: int
    seconds: tuple[float, float]
    bytes: tuple[int, int]

    def growth(self, shorter: "Chain") -> tuple[float, float]:
        """The engine's time and memory a node, over those in a shorter chain.

        Memory of less than `SEEN` says nothing, because it may be what the process had before: its growth is nan.
        """
        times = self.length / shorter.length
        memory = self.bytes[0] / shorter.bytes[0] / times if shorter.bytes[0] >= SEEN else math.nan
        return self.seconds[0] / shorter.seconds[0] / times, memory


def measure() -> list[Chain]:
    """All lengths."""
    found = []
    for length in LENGTHS:
        (ours, our_bytes), (theirs, their_bytes) = (measured(name, length) for name in ("engine", "torch"))
        found.append(Chain(length, (ours, theirs), (our_bytes, their_bytes)))
    return found


def is_linear(chains: list[Chain]) -> bool:
    """Return whether the engine's time and memory grow as the chain does."""
    return not any(growth > LINEAR for shorter, longer in pairwise(chains) for growth in longer.growth(shorter))


COLUMNS = ("nodes", "engine, ms", "PyTorch, ms", "ratio", "us a node", "growth", "engine, MB", "PyTorch, MB",
           "bytes a node", "growth")  # fmt: skip


def shown(chains: list[Chain]) -> Iterator[tuple[str, ...]]:
    """The rows of the table; growth compares a node's time and memory with a chain a tenth as long."""
    for shorter, row in zip([None, *chains], chains, strict=False):
        grown = row.growth(shorter) if shorter else (math.nan, math.nan)
        of_time, of_memory = ("" if math.isnan(growth) else f"{growth:.2f}" for growth in grown)
        (ours, theirs), (our_bytes, their_bytes) = row.seconds, row.bytes
        yield (
            *(f"{row.length:,}", f"{ours * 1e3:,.1f}", f"{theirs * 1e3:,.1f}", f"{ours / theirs:.2f}"),
            *(f"{ours / row.length * 1e6:.2f}", of_time, f"{our_bytes / 1e6:,.1f}", f"{their_bytes / 1e6:,.1f}"),
            *(f"{our_bytes / row.length:,.0f}", of_memory),
        )


def verdict(chains: list[Chain]) -> str:
    """In words."""
    if is_linear(chains):
        return "backward of a chain: time and memory grow as the chain does"
    return f"backward of a chain: a node's time or memory grows by more than {LINEAR}"


def printed(chains: list[Chain]) -> Table:
    """The table for a terminal."""
    table = Table(
        *COLUMNS,
        title="backward of a chain; growth: a node's time and memory, over a node's in a chain a tenth as long",
    )
    for column in table.columns:
        column.justify = "right"
    for row in shown(chains):
        table.add_row(*row)
    return table


def markdown(chains: list[Chain]) -> str:
    """The table for docs/performance.md."""
    lines = [f"{verdict(chains).capitalize()} (growth: a node's, over a node's in a chain a tenth as long).", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|--:" * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in shown(chains)]
    return "\n".join([*lines, ""])


def main() -> None:
    """One measurement, for the process that asked for it; without arguments, the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", choices=("engine", "torch"))
    parser.add_argument("--length", type=int)
    given = parser.parse_args()
    if given.module is None:
        chains = measure()
        Console(width=None if sys.stdout.isatty() else 110).print(printed(chains), verdict(chains))
        return
    T = importlib.import_module(given.module)
    T.set_num_threads(1)
    forth_and_back(T, 10)  # what is made once, such as a compiled kernel, is not of the chain
    peak = height(lambda: forth_and_back(T, given.length))
    print(json.dumps({"seconds": backward_seconds(T, given.length), "bytes": peak}))


if __name__ == "__main__":
    main()
