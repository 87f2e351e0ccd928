"""`make conformance`: the engine against PyTorch over PyTorch's own operator test inputs, and the dispatcher.

Prints what fails, by operator: of the operators' results, of those in halves and small integers, on device "meta", in
wrappers, under vmap and functionalized, then of their gradients and the gradients of those. Exit status 1 below 99% of
the samples in scope or 95% of the error inputs, or if a dispatch table, a call trace or a threaded call is wrong.
"""

import argparse
import gc
import json
import multiprocessing
import multiprocessing.connection
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from autograder.progress_bar import ProgressBar, begin

if __name__ == "__main__":
    begin("loading PyTorch and its test inputs", interrupted="nothing was decided")

import torch
from rich.console import Console

from . import functionalized, fuzz, gradients, meta, operators, report, scope, vmapped, wrapped
from .operators import Row

LIMIT = 240  # seconds for one operator


Judge = Callable[[str, int | None], Row]  # the OpInfo's name and the most samples -> what came of them
PARTS = {
    "operators": (operators.run, scope.names, report.print_table),
    "small": (operators.run_small, scope.names, report.print_table),
    "meta": (meta.run, scope.names, report.print_meta),
    "wrapped": (wrapped.run, scope.names, report.print_wrapped),
    "vmapped": (vmapped.run, scope.names, report.print_vmapped),
    "functionalized": (functionalized.run, scope.names, report.print_functionalized),
    "gradients": (gradients.run, gradients.names, report.print_gradients),
}


def _work(judge: Judge, name: str, most: int | None, pipe: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the parent, which ends this process
    torch.set_num_threads(1)
    gc.freeze()  # a storage that grows looks at all objects for its tensors; none is among those that are here now
    try:
        row = judge(name, most)
    except Exception:
        row = _stopped(name, traceback.format_exc())
    pipe.send(row)


def run_all(judge: Judge, names: list[str], most: int | None, processes: int, bar: ProgressBar) -> list[Row]:
    """One process an operator, `processes` at a time, so that one that crashes or hangs is one failed row."""
    fork = multiprocessing.get_context("fork")
    waiting, running, rows = list(names), {}, {}
    while waiting or running:
        while waiting and len(running) < processes:
            name = waiting.pop(0)
            bar.step(name)
            ours, theirs = fork.Pipe(duplex=False)
            process = fork.Process(target=_work, args=(judge, name, most, theirs), daemon=True)
            process.start()
            theirs.close()
            running[ours] = (name, process, time.monotonic() + LIMIT)
        for pipe in multiprocessing.connection.wait(list(running), timeout=1):
            name, process, _ = running.pop(pipe)
            try:
                rows[name] = pipe.recv()
            except EOFError:
                process.join()
                rows[name] = _stopped(name, f"the process ended with status {process.exitcode}")
            process.join()
            if rows[name].kinds:
                print(report.in_short(rows[name]), flush=True)
        for pipe, (name, process, until) in list(running.items()):
            if time.monotonic() > until:
                process.kill()
                process.join()
                del running[pipe]
                rows[name] = _stopped(name, f"no answer in {LIMIT} s")
    return [rows[name] for name in names]


def _stopped(name: str, why: str) -> Row:
    row = Row(name, samples=1, failed=1)
    row.kinds["stopped"] = 1
    row.failures.append(("stopped", name, why))
    return row


def main() -> int:
    options = _options()
    console = Console(width=200 if not sys.stdout.isatty() else None)
    passed, found = True, {}
    for part in options.part or PARTS:
        judge, names, print_rows = PARTS[part]
        found[part] = _judged(console, judge, options.op or names(), options)
        passed = print_rows(console, found[part]) and passed
    if options.json:
        with open(options.json, "w") as file:
            json.dump({part: [vars(row) for row in rows] for part, rows in found.items()}, file, indent=1)
    if not options.op and not options.part:
        passed = _dispatch(console) and passed
        passed = _behaviours(console) and passed
    return 0 if passed else 1


def _judged(console: Console, judge: Judge, names: list[str], options: argparse.Namespace) -> list[Row]:
    began = time.monotonic()
    with ProgressBar(judge.__module__.rpartition(".")[2], len(names)) as bar:
        rows = run_all(judge, names, options.most, options.processes, bar)
    for row in rows if options.op else ():
        report.print_in_full(console, row)
    console.print(f"{time.monotonic() - began:.0f} s")
    return rows


def _dispatch(console: Console) -> bool:
    from . import dispatch_calls, dispatch_tables, threads

    wrong = 0
    checks = (
        ("tables of 1,000 random sets of registrations", lambda: dispatch_tables.check(1000)),
        ("call traces of 300 random sets", lambda: dispatch_calls.check(300)),
        ("64 threads that call and register for 10 s", lambda: threads.check(10.0)),
    )
    for title, check in checks:
        with ProgressBar("dispatcher", 1) as bar:
            bar.step(title)
            failures = check()
        wrong += len(failures)
        console.print(f"{title}: {len(failures)} wrong", style="red" if failures else "green")
        for failure in failures[:5]:
            console.print(f"  {failure}", markup=False, highlight=False)
    return not wrong


def _behaviours(console: Console) -> bool:
    import autograd_snippets

    with ProgressBar("snippets of autograd", 1) as bar:
        bar.step(f"{len(autograd_snippets.SNIPPETS)} snippets")
        differences = autograd_snippets.differences()
    title = f"{len(autograd_snippets.SNIPPETS)} snippets of autograd, {len(autograd_snippets.DIFFERENT)} with a reason"
    console.print(f"{title}: {len(differences)} wrong", style="red" if differences else "green")
    for text in (*differences, *(f"{name}: {reason}" for name, reason in autograd_snippets.DIFFERENT.items())):
        console.print(f"  {text}", markup=False, highlight=False)
    programs = _programs(3000)
    console.print(f"3,000 random programs of autograd: {len(programs)} differ", style="red" if programs else "green")
    for text in programs[:5]:
        console.print(f"  {text}", markup=False, highlight=False)
    fuzzed = _fuzzed(2000)
    console.print(
        f"2,000 random programs over the public names: {len(fuzzed)} differ", style="red" if fuzzed else "green"
    )
    for text in (*fuzzed[:20], *(f"{line}: {reason}" for line, reason in fuzz.KNOWN.items())):
        console.print(f"  {text}", markup=False, highlight=False)
    return not differences and not programs and not fuzzed


def _fuzzed(count: int) -> list[str]:
    """The differences of random programs over the public names, each with its smallest program."""
    with ProgressBar("random programs over the public names", 1) as bar:
        bar.step("seed 0")
        found = []
        for seed in range(count):
            bar.show(f"seed {seed} of {count}")
            found.append(fuzz.failure(seed))
    return [difference for difference in found if difference]


def _programs(count: int) -> list[str]:
    """The differences that random programs of autograd show."""
    import autograd_programs

    import engine

    found = []
    with ProgressBar("random programs of autograd", 1) as bar:
        bar.step("seed 0")
        for seed in range(count):
            bar.show(f"seed {seed} of {count}")
            found.append(autograd_programs.difference(seed, engine, torch))
    return [difference for difference in found if difference]


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(prog="make conformance", description=__doc__)
    arguments.add_argument("--op", action="append", help="only this operator, each failure in full (repeatable)")
    arguments.add_argument("--json", help="write the rows to this file")
    arguments.add_argument("--most", type=int, help="samples of each dtype (all)")
    arguments.add_argument("--part", action="append", choices=PARTS, help="only this part (repeatable)")
    arguments.add_argument("--processes", type=int, default=2)
    return arguments.parse_args()


if __name__ == "__main__":
    sys.exit(main())
