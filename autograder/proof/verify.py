"""The quality of the checks: `python -m autograder.proof.verify [exercise ...]`.

The reference and the right answers in `right.py` must pass every aspect, an untouched stub none; a wrong answer
written by hand must lose the aspects it is said to lose and no other; and mutants of the reference must lose points.
A mutant that survives is shown with what changed. It counts as equivalent only if the register has a reason
(`labs/*/*/wrong.py`) and it gives the right answer to 100,000 cases, or to 2,000 where each is a trace; at most
5% of an exercise's may, rounded up. With `--seeds 10` every one of ten draws of the cases must judge so: else two
students with the same answer would not get the same points.
Every answer is judged by the program that judges a submission: `verdict.judge`, on the part grafted into
the engine, here in a forked process with limits of its own.
"""

import argparse
import ast
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from autograder.progress_bar import ProgressBar, begin

if __name__ == "__main__":
    begin("loading the checks", interrupted="the lines above hold, the rest was not verified")

from autograder import overlay
from autograder.author import lab_text
from autograder.examine.examiner import Examiner
from autograder.examine.model import Check
from autograder.examine.questions import answered
from autograder.examine.rendering import render
from autograder.examine.verdict import RIGHT, ExerciseResult
from autograder.labs import CHECKS
from autograder.made_up.answers import EQUIVALENT, RIGHT_ANSWERS, WRONG_ANSWERS
from autograder.made_up.wrong_answer import WrongAnswer
from autograder.proof.mutant_runner import Judge, in_full, judged_apart, until_lost
from autograder.proof.mutation_operators import Mutant, mutants
from autograder.sandbox import Sandbox
from autograder.sandbox.grade import shut_in

LEAST_KILLED = 0.95
MOST_EQUIVALENT = 0.05
LEAST_BY_HAND = 3
EQUIVALENCE_CASES = 100_000
TRACED_CASES = 2_000  # instead, where each case takes milliseconds because every access is noted
OF_OURS = re.compile(r"autograder[/.]\S*|\S*probe\.py|nothing that can be judged.*")
ROUND = 20  # seeds whose cases one process answers
TRACED_ROUND = 4  # the same of traces, which else would take longer than an answer may

Tell = Callable[[str], None]  # shows what is done now


def _silent(doing: str) -> None:
    pass


@dataclass
class Finding:
    """The results for one exercise: faults of its checks, and its mutants.

    `by_hand` counts the reference, the stub, and the answers written by hand; `seeds` how often each was judged.
    """

    exercise: str
    faults: list[str] = field(default_factory=list)
    mutants: int = 0
    by_hand: int = 0
    seeds: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    equivalent: list[tuple[Mutant, str]] = field(default_factory=list)

    @property
    def killed(self) -> int:
        return self.mutants - len(self.survivors) - len(self.equivalent)

    @property
    def rate(self) -> float:
        """The fraction of non-equivalent mutants that were killed."""
        return self.killed / max(self.mutants - len(self.equivalent), 1)

    @property
    def is_good(self) -> bool:
        few = len(self.equivalent) <= math.ceil(MOST_EQUIVALENT * self.mutants)
        is_killed = not self.mutants or self.rate >= LEAST_KILLED
        return not self.faults and not self.survivors and is_killed and few


def questions(check: Check, seeds: Iterable[int]) -> dict[str, list]:
    """Return the cases of every aspect for all seeds with their right answers, in the form that `judge` takes."""
    asked: dict[str, list] = {aspect.name: [] for aspect in check.aspects}
    for seed in seeds:
        for name, cases in answered(check, seed).items():
            asked[name] += cases
    return asked


def judged_in_sandbox(
    check: Check, asked: dict[str, list], sources: Iterable[str], judged: Judge = in_full
) -> Iterator[tuple[int, ExerciseResult]]:
    """Judge all sources in the submission sandbox, with every question: slower than `judged_apart`, but complete."""
    with Sandbox(_lab_exercise(check.exercise)[0]) as sandbox:
        for position, source in enumerate(sources):
            yield position, Examiner(partial(shut_in, sandbox)).examine(check, source, asked)


def _lab_exercise(name: str) -> tuple[str, lab_text.Exercise]:
    """Return the lab that has the exercise, and what its text says of it."""
    return next(
        (lab, exercise) for lab in lab_text.LABS for exercise in lab_text.load(lab).exercises if exercise.name == name
    )


def lost(result: ExerciseResult) -> set[str]:
    """Return the names of the aspects that earned less than full points."""
    return {aspect.name for aspect in result.aspects if aspect.points < aspect.max_points}


def stub(name: str) -> str:
    """Return the reference with the functions that students write reduced to `raise NotImplementedError`."""
    tree = ast.parse(overlay.source_of(name))
    written = _lab_exercise(name)[1].methods or (name.rsplit(".", 1)[1],)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in written:
            node.body = ast.parse("raise NotImplementedError").body
    return ast.unparse(tree)


def verify(
    check: Check,
    seeds: Iterable[int] = (0,),
    backend: Callable = judged_apart,
    tell: Tell = _silent,
    with_mutants: bool = True,
) -> Finding:
    """Judge the reference, the stub, the answers written by hand and the mutants of one exercise.

    Every seed must give the same verdicts: the points for an answer are not a matter of luck.
    """
    reference = overlay.source_of(check.exercise)
    by_hand = [wrong for wrong in WRONG_ANSWERS if wrong.exercise == check.exercise]
    right = RIGHT_ANSWERS.get(check.exercise, ())
    made = mutants(reference, _lab_exercise(check.exercise)[1].methods) if with_mutants else []
    whole = [reference, stub(check.exercise), *right, *(wrong.source for wrong in by_hand)]
    finding = Finding(check.exercise, [], len(made), len(whole))
    alive: set[int] = set()
    for seed in seeds:
        finding.seeds += 1
        asked = questions(check, [seed])
        by_position = dict(_told(backend(check, asked, whole), len(whole), "answers", tell))
        finding.faults += _faults([by_position[position] for position in range(len(whole))], by_hand, seed)
        of_mutants = backend(check, asked, [mutant.source for mutant in made], until_lost)
        of_mutants = _told(of_mutants, len(made), "mutants", tell)
        alive |= {position for position, result in of_mutants if result.verdict == RIGHT}
    _sort_survivors(finding, check, [made[position] for position in sorted(alive)], tell)
    return finding


def _told(
    results: Iterable[tuple[int, ExerciseResult]], total: int, named: str, tell: Tell
) -> Iterator[tuple[int, ExerciseResult]]:
    """Pass the verdicts on, and tell how many have come."""
    for count, result in enumerate(results, 1):
        tell(f"{count} of {total} {named}")
        yield result


def _faults(results: list[ExerciseResult], by_hand: list[WrongAnswer], seed: int) -> Iterator[str]:
    """Yield the wrong verdicts on the reference, the stub and the answers written by hand."""
    if results[0].verdict != RIGHT:
        yield f"the reference loses {sorted(lost(results[0]))}: {results[0].verdict}"
    if any(aspect.points or aspect.passed == aspect.cases for aspect in results[1].aspects):
        yield "the stub passes an aspect"
    if len(by_hand) < LEAST_BY_HAND:
        yield f"only {len(by_hand)} wrong answers written by hand, of {LEAST_BY_HAND}"
    of_right, of_wrong = results[2 : len(results) - len(by_hand)], results[len(results) - len(by_hand) :]
    for number, result in enumerate(of_right, 1):
        if result.verdict != RIGHT:
            yield f"right answer {number} of right.py loses {sorted(lost(result))}: {result.verdict} (seed {seed})"
    for wrong, result in zip(by_hand, of_wrong, strict=True):
        if lost(result) != set(wrong.loses) or result.verdict == RIGHT:
            should = f"loses {sorted(lost(result))} and should lose {sorted(wrong.loses)}"
            yield f"wrong answer ({wrong.about}): {should} (seed {seed})"
        if said := OF_OURS.findall(render(result)):
            yield f"wrong answer ({wrong.about}): its message says {said[0]!r}, which tells a student nothing"


def _sort_survivors(finding: Finding, check: Check, survivors: list[Mutant], tell: Tell = _silent) -> None:
    reasons = {(e.before, e.after): e.reason for e in EQUIVALENT if e.exercise == check.exercise}
    explained = [mutant for mutant in survivors if (mutant.before, mutant.after) in reasons]
    differing = set(_differing(check, explained, tell)) if explained else set()
    for mutant in survivors:
        reason = reasons.get((mutant.before, mutant.after))
        if reason and mutant not in differing:
            finding.equivalent.append((mutant, reason))
        else:
            finding.survivors.append(mutant)


def _differing(check: Check, candidates: list[Mutant], tell: Tell = _silent) -> Iterator[Mutant]:
    """Yield mutants that answer one of 100,000 fresh cases wrongly, or of 2,000 that are traced. None is compiled."""
    check = replace(check, aspects=tuple(aspect for aspect in check.aspects if not aspect.compiled))
    is_traced = any(aspect.findings for aspect in check.aspects)
    most, seeds = (TRACED_CASES, TRACED_ROUND) if is_traced else (EQUIVALENCE_CASES, ROUND)
    alive, count, seed = candidates, 0, 1_000
    while alive and count < most:
        tell(f"equivalent mutants, {count:,} of {most:,} cases")
        asked = questions(check, range(seed, seed + seeds))
        seed, count = seed + seeds, count + sum(map(len, asked.values()))
        answers = judged_apart(check, asked, [mutant.source for mutant in alive], until_lost)
        wrong = {i for i, result in answers if result.verdict != RIGHT}
        yield from (alive[i] for i in wrong)
        alive = [mutant for i, mutant in enumerate(alive) if i not in wrong]


def report(finding: Finding, seconds: float) -> str:
    """Return a report on one exercise: a summary line, followed by everything a person has to look at."""
    of_mutants = (
        f"  {finding.mutants:>4} mutants  {finding.killed:>4} killed"
        f"  {len(finding.equivalent):>2} equivalent  {finding.rate:>6.1%}"
    )
    lines = [
        f"{'ok' if finding.is_good else 'x '} {finding.exercise:<40}"
        f" {finding.by_hand:>3} answers, {finding.seeds} seeds"
        f"{of_mutants if finding.mutants else ''}  {seconds:5.1f} s"
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


def _show(bar: ProgressBar, name: str, doing: str) -> None:
    bar.show(f"{name}: {doing}")


def main(arguments: list[str] | None = None) -> int:
    """Verify the named exercises, or all of them; return 0 if nothing unexplained is left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", metavar="exercise", help="for example strides.view_strides")
    parser.add_argument("--seed", type=int, default=0, help="of the cases (default 0)")
    parser.add_argument("--seeds", type=int, default=1, help="how many to ask with, from --seed on (default 1)")
    parser.add_argument("--by-hand", action="store_true", help="without mutants: seconds an exercise, not minutes")
    parser.add_argument("--sandbox", action="store_true", help="judge in the sandbox of submissions (minutes)")
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.exercises if name not in CHECKS]:
        parser.error(f"no such exercise: {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    if chosen.seeds < 1:
        parser.error(f"--seeds must be at least 1, got {chosen.seeds}: with no cases every answer is right")
    findings = []
    backend = judged_in_sandbox if chosen.sandbox else judged_apart
    names = chosen.exercises or [part.name for lab in lab_text.LABS for part in lab_text.load(lab).exercises]
    with ProgressBar("verify", len(names)) as bar:
        for name in names:
            began = time.monotonic()
            bar.step(name)
            tell = partial(_show, bar, name)
            seeds = range(chosen.seed, chosen.seed + chosen.seeds)
            findings.append(verify(CHECKS[name], seeds, backend, tell, not chosen.by_hand))
            print(report(findings[-1], time.monotonic() - began), flush=True)
    killed, equivalent = sum(f.killed for f in findings), sum(len(f.equivalent) for f in findings)
    others = sum(f.mutants for f in findings) - equivalent
    print(f"{sum(f.by_hand for f in findings)} answers, {sum(len(f.faults) for f in findings)} wrong verdicts")
    if others:
        print(f"{killed} of {others} mutants killed ({killed / others:.1%}), {equivalent} others equivalent")
    return 0 if all(finding.is_good for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
