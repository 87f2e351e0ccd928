"""The engine beside PyTorch: `make bench`.

Both run in one process on the same number of threads, as bench/measure.py says. What `import engine` adds to importing
NumPy and numba is measured in processes of its own.
"""

import argparse
import os
import statistics
import subprocess
import sys
from itertools import groupby
from typing import Any

from autograder.progress_bar import ProgressBar, begin

if __name__ == "__main__":
    begin("loading PyTorch", interrupted="docs/performance.md is as it was")

import torch
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import engine
from bench import chains, page
from bench.cases import CASES
from bench.measure import Row, mean_ratio, measure, summary


def import_seconds(runs: int = 7) -> float:
    """Median seconds that `import engine` takes once NumPy and numba are there, in fresh processes."""
    program = "import numpy, numba, time; t = time.perf_counter(); import engine; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", program]
    return statistics.median(
        float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(runs)
    )


def shown(row: Row) -> tuple[str, str, str, str]:
    """The columns of a row after its name."""
    if row.ours is None or row.theirs is None:
        return "the results differ", "", "", ""
    memory = "" if row.memory_ratio is None else f"{row.memory_ratio:.2f}"
    target = "" if row.case.target is None else f" (at most {row.case.target})"
    return f"{row.ours:,.1f}", f"{row.theirs:,.1f}", f"{row.ratio:.2f}{target}", memory


def printed(rows: list[Row], title: str) -> Table:
    """The table for a terminal."""
    table = Table("work", "engine, us", "PyTorch, us", "ratio", "memory", title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for group, members in groupby(rows, key=lambda row: row.case.group):
        table.add_section()
        members = list(members)
        table.add_row(f"[bold]{group}", "", "", f"[bold]{mean_ratio(members):.2f}", "")
        for row in members:
            table.add_row(escape(row.case.name), *shown(row))
    return table


def markdown(rows: list[Row], about: str) -> str:
    """The tables for docs/performance.md: a line a group, then all cases folded away."""
    lines = [f"{about}; {summary(rows)}.", "", "| work | cases | mean ratio | from | to |", "|---|--:|--:|--:|--:|"]
    for group, found in groupby(rows, key=lambda row: row.case.group):
        members = list(found)
        ratios = [row.ratio for row in members]
        lines.append(
            f"| {group} | {len(members)} | {mean_ratio(members):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |"
        )
    lines += ["", "<details><summary>Every case</summary>", ""]
    lines += ["| work | engine, us | PyTorch, us | ratio | memory |", "|---|--:|--:|--:|--:|"]
    lines += ["| " + " | ".join((f"`{row.case.name}`", *shown(row))) + " |" for row in rows]
    return "\n".join([*lines, "", "</details>", ""])


def options() -> Any:
    """The command line."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="turns that each side takes (15)")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1), help="of each side (2)")
    parser.add_argument("--only", default="", help="only the cases whose group or name holds this text; `chains`")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/performance.md")
    given = parser.parse_args()
    if given.write and given.only:
        parser.error("--write needs every case, and --only leaves some out: give one of the two")
    if given.write and not page.has_place():
        parser.error(f"{page.PAGE} has lost the marks around its tables: get it back with git checkout")
    return given


def measured(given: Any) -> tuple[list[Row], list[chains.Chain], float | None]:
    """Rows of the cases, the chains, and the seconds of the import, as far as they were chosen."""
    cases = [case for case in CASES if given.only in f"{case.group} {case.name}"]
    with ProgressBar("bench", len(cases) + 2) as bar:
        rows = []
        for case in cases:
            bar.step(f"{case.group}: {case.name}")
            rows.append(measure(case, given.rounds))
        bar.step("backward of long chains")
        through_chains = chains.measure() if given.only in "chains" else []
        bar.step("import engine")
        return rows, through_chains, None if given.only else import_seconds()


def main() -> int:
    given = options()
    torch.set_num_threads(given.threads)
    engine.set_num_threads(given.threads)
    console = Console(width=None if sys.stdout.isatty() else 110)
    rows, through_chains, seconds_of_import = measured(given)
    for row in rows:
        if row.ours is None:
            console.print(f"{row.case.group}: {row.case.name}: {shown(row)[0]}", style="red", markup=False)
    wrong = sum(row.ours is None for row in rows)
    rows = [row for row in rows if row.ours]
    about = f"PyTorch {torch.__version__.split('+')[0]}, {given.threads} threads each"
    if rows:
        console.print(printed(rows, f"{about}; ratio = engine / PyTorch"))
        console.print(summary(rows))
    if through_chains:
        console.print(chains.printed(through_chains), chains.verdict(through_chains))
        wrong += not chains.is_linear(through_chains)
    if seconds_of_import is not None:
        console.print(f"import engine, after numpy and numba: {seconds_of_import:.2f} s")
    if given.write:
        page.write(f"{markdown(rows, f'{page.provenance()}. {about}')}\n{chains.markdown(through_chains)}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
