"""The class that a run grades, and the isolation that it is graded in."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from autograder import sandbox
from autograder.author import lab_text
from autograder.grading import intake
from autograder.grading.submission_record import Settings
from autograder.made_up import cohort
from autograder.made_up.cohort import CohortError
from autograder.sandbox.canary import how_to_install
from autograder.sandbox.isolation import TIERS

MADE_UP = Path("build")  # below it, the courses of the sample class and of the whole cohort


class Class(NamedTuple):
    """The class to grade: the course's folder, and for each lab the names of its made-up students (() means all).

    `is_sample`: it is the sample class, whose members' code is part of this repository.
    """

    root: Path
    made_up: Mapping[str, Sequence[str]]
    is_sample: bool = False

    def without_hostile(self) -> "Class":
        """Return a copy of the class without the students who attack the grader, for machines without isolation."""
        harmless = {
            lab: tuple(name for name in names if name not in cohort.hostile(names, lab))
            for lab, names in self.made_up.items()
        }
        return self._replace(made_up=harmless)


def class_of(options: argparse.Namespace, console: Console) -> Class:
    """Return the class that the options select, or the sample class if nobody has submitted anything.

    Raises:
        CohortError: deserved points are expected of a class that is not made up.
    """
    root = options.root.resolve()
    submitted = Settings(root).submitted
    if options.cohort:
        return Class(root / MADE_UP / "cohort", {lab: () for lab in lab_text.lab_ids(root) if cohort.has_cohort(lab)})
    is_empty = not intake.folders(submitted)
    if options.sample or is_empty:
        where = root / MADE_UP / "sample"
        because = f"{submitted.relative_to(root)} is empty: " * (not options.sample)
        members = {lab: names for lab in lab_text.lab_ids(root) if (names := cohort.sample(lab))}
        count = sum(map(len, members.values()))
        console.print(
            f"{because}grading the sample class, {count} made-up students, in {where.relative_to(root)}. "
            "Your own class stays apart from it.",
            soft_wrap=True,
        )
        return Class(where, members, is_sample=True)
    if options.expect_deserved:
        raise CohortError(
            f"--expect-deserved is for made-up students, and {submitted.relative_to(root)} holds a class of yours: "
            "add --sample, or use make cohort"
        )
    return Class(root, {})


def tier_for(graded: Class, options: argparse.Namespace, console: Console) -> str:
    """Return the tier to grade the class in, or "" if grading is impossible; print it with its limits."""
    found = sandbox.canary(options.isolation)
    if found.tier != "none":
        because = ", because bubblewrap does not hold here" * (found.tier != TIERS[0] and not options.isolation)
        console.print(Text(f"Isolation: {found.tier}{because}. {found.limits}", "dim"), soft_wrap=True)
        return found.tier
    if options.accept_no_isolation:
        console.print(Text(f"Grading WITHOUT ISOLATION, as you asked: {found.reason}.", "bold red"))
        console.print(Text("Every submission can read and change all that this account can.", "red"))
        return "none"
    if graded.is_sample:
        console.print(
            Text(f"UNDER LIMITS ALONE, because nothing shuts programs in here: {found.reason}.", "bold yellow")
        )
        console.print(Text("The sample class is graded without its hostile members. Anybody else's work is refused.",
                           "yellow"), soft_wrap=True)  # fmt: skip
        console.print(Text(how_to_install(), "dim"), soft_wrap=True)
        return "none"
    console.print(Text(f"Not grading: {found.reason}.\n\n{how_to_install()}"), soft_wrap=True)
    return ""
