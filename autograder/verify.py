"""Are the checks any good? `python -m autograder.verify [exercise ...]`.

The reference must pass every aspect, an untouched stub none; a wrong answer written by hand must lose the
aspects it is said to lose and no other; and mutants of the reference must lose points. A mutant that
survives is shown with what changed. It counts as equivalent only if a reason stands in the register
(`autograder/mutants/`) and it gives the right answer to 100,000 cases; at most 5 % of an exercise's may.
Every answer is judged by the program that judges a submission: `verdict.judge`, on the part grafted into
the engine, here in a forked process with limits of its own.
"""

import argparse
import ast
import gc
import math
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import psutil

import engine
from autograder import labs, probes
from autograder.checks import CHECKS, Check
from autograder.mutants import EQUIVALENT, WRONG_ANSWERS, WrongAnswer
from autograder.mutants.operators import Mutant, mutants
from autograder.sandbox import Sandbox
from autograder.verdict import (
    CRASHED,
    REFUSED,
    RIGHT,
    TIMED_OUT,
    ExerciseResult,
    Observation,
    answered,
    from_json,
    judge,
    to_json,
)
from engine import parts

CPU_SECONDS = 2  # for the answers to all cases; the reference needs hundredths
WALL_SECONDS = 60.0  # for a mutant that waits; generous, since one stopped by a busy machine would count as killed
BYTES = 1 << 31  # address space added to that of this process
LEAST_KILLED = 0.95
MOST_EQUIVALENT = 0.05
LEAST_BY_HAND = 3
EQUIVALENCE_CASES = 100_000
ROUND = 20  # seeds whose cases one process answers
Backend = Callable[[Check, dict[str, list], Iterable[str]], Iterator[tuple[int, ExerciseResult]]]
_FORK = multiprocessing.get_context("fork")


@dataclass
class Finding:
    """What became of one exercise: what is wrong with its checks, and its mutants."""

    exercise: str
    faults: list[str] = field(default_factory=list)
    mutants: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    equivalent: list[tuple[Mutant, str]] = field(default_factory=list)

    @property
    def killed(self) -> int:
        return self.mutants - len(self.survivors) - len(self.equivalent)

    @property
    def rate(self) -> float:
        """Killed mutants of those that are not equivalent."""
        return self.killed / max(self.mutants - len(self.equivalent), 1)

    @property
    def is_good(self) -> bool:
        few = len(self.equivalent) <= MOST_EQUIVALENT * self.mutants
        return not self.faults and not self.survivors and self.rate >= LEAST_KILLED and few


def questions(check: Check, seeds: Iterable[int]) -> dict[str, list]:
    """Cases of every aspect, drawn with each of the seeds, with their right answers, as `judge` takes them."""
    asked: dict[str, list] = {aspect.name: [] for aspect in check.aspects}
    for seed in seeds:
        for name, cases in answered(check, seed).items():
            asked[name] += cases
    return asked


def judged_here(check: Check, asked: dict[str, list], source: str) -> ExerciseResult:
    """The verdict on `source`, grafted into the engine of this process: no limits, no walls."""
    with parts.swapped({check.exercise: source}):
        return judge(
            check, asked, lambda args: Observation(**probes.observe(engine, check.exercise, check.probe, args))
        )


def judged_apart(check: Check, asked: dict[str, list], sources: Iterable[str]) -> Iterator[tuple[int, ExerciseResult]]:
    """The verdicts on many sources, each in a process of its own; yields (position, verdict) as they come."""
    waiting = list(enumerate(sources))[::-1]
    running: dict[Connection, tuple[int, BaseProcess, float]] = {}
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            position, source = waiting.pop()
            receiver, sender = _FORK.Pipe(duplex=False)
            process: BaseProcess = _FORK.Process(target=_answer_apart, args=(check, asked, source, sender), daemon=True)
            process.start()
            sender.close()
            running[receiver] = position, process, time.monotonic() + WALL_SECONDS
        soonest = min(deadline for _, _, deadline in running.values())
        done = wait(list(running), timeout=max(soonest - time.monotonic(), 0))
        for receiver, (position, process, deadline) in list(running.items()):
            if receiver in done or time.monotonic() > deadline:
                yield position, _collected(check, receiver, process, receiver in done)
                del running[receiver]


def judged_in_turn(check: Check, rounds: Sequence[dict[str, list]], source: str) -> list[ExerciseResult]:
    """The verdicts on one source over several rounds of questions, in one process: it is grafted anew for each.

    What a round leaves unanswered because it ended the process, and every round after it, is asked in its own.
    """
    receiver, sender = _FORK.Pipe(duplex=False)
    process: BaseProcess = _FORK.Process(target=_answer_in_turn, args=(check, rounds, source, sender), daemon=True)
    process.start()
    sender.close()
    results: list[ExerciseResult] = []
    try:
        while len(results) < len(rounds) and receiver.poll(WALL_SECONDS):
            results.append(from_json(receiver.recv()))
    except EOFError:  # it ended without an answer
        pass
    finally:
        process.kill()
        process.join()
        receiver.close()
    for asked in rounds[len(results) :]:
        results += [result for _, result in judged_apart(check, asked, [source])]
    return results


def _answer_in_turn(check: Check, rounds: Sequence[dict[str, list]], source: str, sender: Connection) -> None:
    _limit()
    for asked in rounds:
        _limit_time()
        sender.send(to_json(_verdict(check, asked, source)))
    os._exit(0)


def _answer_apart(check: Check, asked: dict[str, list], source: str, sender: Connection) -> None:
    _limit()
    _limit_time()
    sender.send(to_json(_verdict(check, asked, source)))
    os._exit(0)


def _limit() -> None:
    gc.freeze()  # going over what the parent left would copy all of it, and cost more than the answers
    most = psutil.Process().memory_info().vms + BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time() -> None:
    """From now on `CPU_SECONDS` are left."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + CPU_SECONDS, most))


def _verdict(check: Check, asked: dict[str, list], source: str) -> ExerciseResult:
    try:
        return judged_here(check, asked, source)
    except parts.PartError as error:
        return ExerciseResult(check.exercise, REFUSED, 0, check.points, message=str(error))


def _collected(check: Check, receiver: Connection, process: BaseProcess, has_answered: bool) -> ExerciseResult:
    try:
        if has_answered:
            return from_json(receiver.recv())
    except EOFError:  # it ended without an answer
        pass
    finally:
        process.kill()
        process.join()
        receiver.close()
    return ExerciseResult(check.exercise, CRASHED if process.exitcode == 1 else TIMED_OUT, 0, check.points)


def judged_in_sandbox(
    check: Check, asked: dict[str, list], sources: Iterable[str]
) -> Iterator[tuple[int, ExerciseResult]]:
    """As `judged_apart`, by the sandbox that runs submissions: slower, and nothing is left out."""
    with Sandbox(_lab_exercise(check.exercise)[0]) as sandbox:
        for position, source in enumerate(sources):
            with sandbox.run(check.exercise, source) as run:
                yield position, judge(check, asked, partial(run.answer, check.probe))


def _lab_exercise(name: str) -> tuple[str, labs.Exercise]:
    """The lab that has the exercise, and what its text says of it."""
    return next((lab, exercise) for lab in labs.LABS for exercise in labs.load(lab).exercises if exercise.name == name)


def lost(result: ExerciseResult) -> set[str]:
    """Names of the aspects that earned less than all their points."""
    return {aspect.name for aspect in result.aspects if aspect.points < aspect.max_points}


def stub(name: str) -> str:
    """The reference with every body that a student writes replaced by `raise NotImplementedError`."""
    tree = ast.parse(parts.source_of(name))
    written = _lab_exercise(name)[1].methods or (name.rsplit(".", 1)[1],)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in written:
            node.body = ast.parse("raise NotImplementedError").body
    return ast.unparse(tree)


def verify(check: Check, seed: int = 0, backend: Backend = judged_apart) -> Finding:
    """Judges the reference, the stub, the wrong answers written by hand and the mutants of one exercise."""
    reference = parts.source_of(check.exercise)
    by_hand = [wrong for wrong in WRONG_ANSWERS if wrong.exercise == check.exercise]
    made = mutants(reference, _lab_exercise(check.exercise)[1].methods)
    sources = [reference, stub(check.exercise), *(wrong.source for wrong in by_hand), *(m.source for m in made)]
    by_position = dict(backend(check, questions(check, [seed]), sources))
    results = [by_position[position] for position in range(len(sources))]
    finding = Finding(check.exercise, list(_faults(results, by_hand)), len(made))
    survivors = [m for m, result in zip(made, results[2 + len(by_hand) :], strict=True) if result.verdict == RIGHT]
    _sort_survivors(finding, check, survivors)
    return finding


def _faults(results: list[ExerciseResult], by_hand: list[WrongAnswer]) -> Iterator[str]:
    """What is wrong with the verdicts on the reference, on the stub and on the answers written by hand."""
    if results[0].verdict != RIGHT:
        yield f"the reference loses {sorted(lost(results[0]))}: {results[0].verdict}"
    if any(aspect.points or aspect.failure is None for aspect in results[1].aspects):
        yield "the stub passes an aspect"
    if len(by_hand) < LEAST_BY_HAND:
        yield f"only {len(by_hand)} wrong answers written by hand, of {LEAST_BY_HAND}"
    for wrong, result in zip(by_hand, results[2:], strict=False):
        if lost(result) != set(wrong.loses) or result.verdict == RIGHT:
            yield f"wrong answer ({wrong.about}): loses {sorted(lost(result))} and should lose {sorted(wrong.loses)}"


def _sort_survivors(finding: Finding, check: Check, survivors: list[Mutant]) -> None:
    reasons = {(e.before, e.after): e.reason for e in EQUIVALENT if e.exercise == check.exercise}
    explained = [mutant for mutant in survivors if (mutant.before, mutant.after) in reasons]
    differing = set(_differing(check, explained)) if explained else set()
    for mutant in survivors:
        reason = reasons.get((mutant.before, mutant.after))
        if reason and mutant not in differing:
            finding.equivalent.append((mutant, reason))
        else:
            finding.survivors.append(mutant)


def _differing(check: Check, candidates: list[Mutant]) -> Iterator[Mutant]:
    """Those that give a wrong answer to one of 100,000 fresh cases."""
    alive, count, seed = candidates, 0, 1_000
    while alive and count < EQUIVALENCE_CASES:
        asked = questions(check, range(seed, seed + ROUND))
        seed, count = seed + ROUND, count + sum(map(len, asked.values()))
        wrong = {i for i, result in judged_apart(check, asked, [m.source for m in alive]) if result.verdict != RIGHT}
        yield from (alive[i] for i in wrong)
        alive = [mutant for i, mutant in enumerate(alive) if i not in wrong]


def report(finding: Finding, seconds: float) -> str:
    """What a person reads of one exercise: a line, and what needs an eye."""
    lines = [
        f"{'ok' if finding.is_good else 'x '} {finding.exercise:<32} {finding.mutants:>4} mutants"
        f"  {finding.killed:>4} killed  {len(finding.equivalent):>2} equivalent  {finding.rate:>6.1%}  {seconds:5.1f} s"
    ]
    lines += [f"   {fault}" for fault in finding.faults]
    for mutant in finding.survivors:
        lines += [f"   survived: {mutant.operator}", *_diff(mutant)]
    for mutant, reason in finding.equivalent:
        lines += [f"   equivalent: {reason}", *_diff(mutant)]
    return "\n".join(lines)


def _diff(mutant: Mutant) -> list[str]:
    return [f"      - {line}" for line in mutant.before.splitlines()] + [
        f"      + {line}" for line in mutant.after.splitlines()
    ]


def main(arguments: list[str] | None = None) -> int:
    """Verifies the named exercises, or all; 0 if nothing is left to explain."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", metavar="exercise", help="for example strides.view_strides")
    parser.add_argument("--seed", type=int, default=0, help="of the cases (default 0)")
    parser.add_argument("--sandbox", action="store_true", help="judge in the sandbox of submissions (minutes)")
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.exercises if name not in CHECKS]:
        parser.error(f"no such exercise: {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    findings = []
    backend: Backend = judged_in_sandbox if chosen.sandbox else judged_apart
    for name in chosen.exercises or CHECKS:
        began = time.monotonic()
        findings.append(verify(CHECKS[name], chosen.seed, backend))
        print(report(findings[-1], time.monotonic() - began), flush=True)
    killed, equivalent = sum(f.killed for f in findings), sum(len(f.equivalent) for f in findings)
    others = sum(f.mutants for f in findings) - equivalent
    print(f"{killed} of {others} mutants killed ({killed / max(others, 1):.1%}), {equivalent} others equivalent")
    return 0 if all(finding.is_good for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
