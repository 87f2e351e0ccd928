"""Backward through long chains: time and memory must grow as the chain does. `python -m bench.chains`, or `make bench`.

A chain is `x.sin().sin()...` of 8 elements: each node keeps the tensor that it was made from. Each length is measured
in a process of its own: the height of memory while the chain is made and gone through, and the time of the way back.
"""

import argparse
import gc
import importlib
import json
import subprocess
import sys
import time
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.memory import height

LENGTHS = (1_000, 10_000, 100_000)
LINEAR = 2.0  # a node's time or memory, over that in a chain of a tenth the length: 1 and caches; 10 would be quadratic


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


def table() -> tuple[Table, bool]:
    """The table for a terminal, and whether the engine's times and memory grow no faster than the chain."""
    shown = Table("nodes", "engine, ms", "PyTorch, ms", "ratio", "us a node", "growth", "engine, MB", "PyTorch, MB",
                  "bytes a node", "growth", title="backward of a chain; growth = of a node's, from a tenth the length",
                  )  # fmt: skip
    for column in shown.columns:
        column.justify = "right"
    before: tuple[float, float] | None = None
    linear = True
    for length in LENGTHS:
        (ours, our_bytes), (theirs, their_bytes) = (measured(name, length) for name in ("engine", "torch"))
        a_node = ours / length, our_bytes / length
        growths = [now / then for now, then in zip(a_node, before, strict=True)] if before else []
        linear = linear and all(growth <= LINEAR for growth in growths)
        of_time, of_memory = [f"{growth:.2f}" for growth in growths] or ["", ""]
        shown.add_row(f"{length:,}", f"{ours * 1e3:,.1f}", f"{theirs * 1e3:,.1f}", f"{ours / theirs:.2f}",
                      f"{a_node[0] * 1e6:.2f}", of_time, f"{our_bytes / 1e6:,.1f}", f"{their_bytes / 1e6:,.1f}",
                      f"{a_node[1]:,.0f}", of_memory)  # fmt: skip
        before = a_node
    return shown, linear


def print_table(console: Console) -> bool:
    """The table, and whether time and memory grow as the chain does."""
    shown, linear = table()
    console.print(shown)
    console.print("time and memory grow linearly" if linear else f"a node's grow by more than {LINEAR}")
    return linear


def main() -> None:
    """One measurement, for the process that asked for it; without arguments, the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", choices=("engine", "torch"))
    parser.add_argument("--length", type=int)
    given = parser.parse_args()
    if given.module is None:
        print_table(Console(width=None if sys.stdout.isatty() else 110))
        return
    T = importlib.import_module(given.module)
    T.set_num_threads(1)
    forth_and_back(T, 10)  # what is made once, such as a compiled kernel, is not of the chain
    peak = height(lambda: forth_and_back(T, given.length))
    print(json.dumps({"seconds": backward_seconds(T, given.length), "bytes": peak}))


if __name__ == "__main__":
    main()
