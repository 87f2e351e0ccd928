"""Ten programs on the engine beside PyTorch: `make programs`.

A step is measured as bench/measure.py says, once the losses of the first steps agree with PyTorch's.
"""

import argparse
import sys
from typing import Any

from autograder.progress_bar import ProgressBar, begin

if __name__ == "__main__":
    begin("loading PyTorch", interrupted="docs/performance.md is as it was")

import torch
from rich.console import Console
from rich.table import Table

import engine
from bench import page
from bench.cases import Case
from bench.measure import Row, mean_ratio, measure
from bench.programs import PROGRAMS, differs, losses, prepare

COLUMNS = ("program", "engine, ms", "PyTorch, ms", "ratio")


def measured(name: str, rounds: int) -> Row:
    """A program's step: times and memory, or neither where a loss differs."""
    case = Case(name, PROGRAMS[name], lambda T: prepare(name, T))
    return measure(case, rounds, lambda _: differs(losses(name, engine), losses(name, torch)))


def shown(row: Row) -> tuple[str, ...]:
    """The columns of a row."""
    name = f"{row.case.group}: {row.case.name}"
    if row.ours is None or row.theirs is None:
        return name, "the losses differ", "", ""
    return name, f"{row.ours / 1e3:,.2f}", f"{row.theirs / 1e3:,.2f}", f"{row.ratio:.2f}"


def printed(rows: list[Row], title: str) -> Table:
    """The table for a terminal."""
    table = Table(*COLUMNS, title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*shown(row))
    return table


def markdown(rows: list[Row], about: str) -> str:
    """The table for docs/performance.md."""
    lines = [f"{about}.", "", "| " + " | ".join(COLUMNS) + " |", "|---" + "|--:" * (len(COLUMNS) - 1) + "|"]
    lines += ["| " + " | ".join(shown(row)) + " |" for row in rows]
    return "\n".join([*lines, ""])


def summary(rows: list[Row]) -> str:
    """In words: the mean of the ratios and the largest."""
    worst = max(rows, key=lambda row: row.ratio)
    return f"geometric mean: {mean_ratio(rows):.2f}; largest: {worst.ratio:.2f} ({worst.case.group})"


def options() -> Any:
    """The command line."""
    parser = argparse.ArgumentParser(prog="make programs", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="turns that each side takes (15)")
    parser.add_argument("--threads", type=int, default=1, help="of each side (1)")
    parser.add_argument("--only", default="", help="only the programs whose name holds this text")
    parser.add_argument("--write", action="store_true", help="write the table into docs/performance.md")
    given = parser.parse_args()
    if given.write and given.only:
        parser.error("--write needs every program, and --only leaves some out: give one of the two")
    if given.write and not page.has_place(place=page.PROGRAMS):
        parser.error(f"{page.PAGE} has lost the marks around its table of programs: get it back with git checkout")
    return given


def main() -> int:
    given = options()
    torch.set_num_threads(given.threads)
    engine.set_num_threads(given.threads)
    names = [name for name in PROGRAMS if given.only in name]
    rows = []
    with ProgressBar("programs", len(names)) as bar:
        for name in names:
            bar.step(name)
            rows.append(measured(name, given.rounds))
    console = Console(width=None if sys.stdout.isatty() else 110)
    threads = f"{given.threads} thread{'s' * (given.threads > 1)} each"
    about = f"PyTorch {torch.__version__.split('+')[0]}, {threads}"
    console.print(printed(rows, f"{about}; ratio = engine / PyTorch"))
    right = [row for row in rows if row.ours]
    if right:
        about = f"{about}; {summary(right)}"
        console.print(summary(right))
    if given.write:
        page.write(markdown(rows, f"{page.provenance()}. {about}"), place=page.PROGRAMS)
    return len(rows) - len(right)


if __name__ == "__main__":
    sys.exit(main())
