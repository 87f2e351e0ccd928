"""Whose a file is, by its path in the archive.

Ada Lovelace_1234567_assignsubmission_file_/lab.ipynb      Moodle, in folders
Ada Lovelace_1234567_assignsubmission_file_lab.ipynb       Moodle, without
lovelaceada_LATE_12345_67890_lab-1.ipynb                   Canvas: late, person, attachment, second upload
ada/lab.ipynb, ada/01-strides/lab.ipynb, 01-strides-ada.zip, Ada Lovelace.ipynb      plain
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from autograder.examine.handin import FILE, STUDENT
from autograder.grading.collect.roster import Roster

MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.S)
CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<attachment>\d+)_(?P<file>.+)", re.S)
COPY = re.compile(r"(?: ?\(\d+\)|\.\d+)$")
WORDS = ("lab", "submission", "submissions")


class Claim(NamedTuple):
    """The student and file that a path names.

    `who`: kinds and values to look up, a group of them for each thing that names a person.
    `order`: grows with each upload, where the system numbers them. `late`: the system's mark. `said`: the id that the
    student's own zip states, which only decides where its name is not enough.
    """

    system: str
    who: tuple[tuple[tuple[str, str], ...], ...]
    file: str
    order: int = 0
    late: bool = False
    said: str = ""

    @property
    def called(self) -> str:
        """The name in the path, for display; in a plain path it can be any word."""
        return next((value for group in self.who for kind, value in group if kind in ("name", "word")), "")

    @property
    def person(self) -> str:
        """The person's name as the LMS writes it, or "" if the path is not from an LMS."""
        return self.called if self.system != "plain" else ""


def read(parts: tuple[str, ...], labs: Iterable[str]) -> Claim:
    """Parse a path, given as its `parts`, into a claim."""
    for at, part in enumerate(parts):
        if match := MOODLE.fullmatch(part):
            names = match["name"].split("-")
            spelled = ["-".join(names[start:]) for start in range(len(names))]  # a group's name may come first
            who = (("moodle", match["number"]), *(("name", name) for name in spelled))
            return Claim("moodle", (who,), parts[-1] if at + 1 < len(parts) else match["file"] or part)
    if match := CANVAS.fullmatch(parts[-1]):
        who = (("canvas", match["user"]), ("name", match["name"]))
        folders = [(("word", part),) for part in reversed(parts[:-1])]  # a plain path may look like one of Canvas's
        return Claim("canvas", (who, *folders), match["file"], int(match["attachment"]), bool(match["late"]))
    labs = tuple(labs)
    stem = parts[-1].rpartition(".")[0] or parts[-1]
    named = [stem, *_without(stem, labs), *reversed(parts[:-1])]
    names = [name for name in dict.fromkeys(named) if name.casefold() not in WORDS and name not in labs]
    return Claim("plain", tuple((("word", name),) for name in names), parts[-1])


def _without(stem: str, labs: tuple[str, ...]) -> list[str]:
    """Return a file's name without the words that name the lab, and without a copy's number."""
    out = []
    for text in (stem, COPY.sub("", stem)):
        for word in (*labs, "lab"):
            for cut in (text.removeprefix(word), text.removesuffix(word)):
                if cut != text:
                    out.append(cut.strip("-_ ."))
        out.append(text)
    return [name for name in out if name]


def student(claim: Claim, roster: Roster) -> tuple[str, str]:
    """Return the student's id and "", or "" and the reason that no student matches."""
    if roster.is_open:
        return _without_roster(claim)
    found: set[str] = set()
    for group in claim.who:
        for kind, value in group:
            if hit := roster.find(kind, value):
                found |= hit
                break
    if not found and claim.system == "plain" and claim.said:
        found = roster.find("word", claim.said)
    if len(found) > 1 and claim.said in found:
        found = {claim.said}
    if len(found) == 1:
        return found.pop(), ""
    if found:
        return "", f"{' and '.join(sorted(found))} may be meant: rename it, or add a number or login to {roster.source}"
    if claim.person:
        return "", f"{claim.person!r} is nobody in {roster.source}: add a line, then the same command again"
    called = repr(claim.called) if claim.called else "no name in it"
    return (
        "",
        f"{called} is nobody in {roster.source}: put it as <id>/{FILE} with an id of the roster, and collect that",
    )


def _without_roster(claim: Claim) -> tuple[str, str]:
    if claim.system != "plain":
        return "", f"{claim.called!r} has no id: give a roster, ROSTER=roster.csv, with the columns id,name"
    names = [value for ((_, value),) in claim.who if STUDENT.fullmatch(value)]
    # Names of people are not told from other words without a roster: only ada/lab.ipynb and 01-strides-ada.zip are.
    stem, _, kind = claim.file.rpartition(".")
    if kind == "zip":
        names = [name for name in names if not claim.said or name == claim.said] or [claim.said]
    elif kind != "ipynb":
        names = [name for name in names if name != stem]
    if names and names[0] and (kind != "ipynb" or claim.file == FILE or len(names) == 1):
        return names[0], ""
    return "", "no student's id is in its path: put it as ada/lab.ipynb, or give a roster, ROSTER=roster.csv"
