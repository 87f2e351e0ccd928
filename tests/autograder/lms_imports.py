"""The imports of Canvas and Moodle, by the rules that their makers document: an oracle for what is exported.

Written from the same pages as `autograder/department/exports/formats.py` and shares nothing with it.
"""

import csv
import io
import re
from dataclasses import dataclass, field

NOT_ASSIGNMENTS = re.compile("Current (Score|Points|Grade)|Final (Score|Points|Grade)|Override (Score|Grade|Status)")


class ImportFails(Exception):
    """The whole file is refused."""


def rows_of(text, delimiter=","):
    assert not text.startswith("\ufeff")  # Ruby's CSV takes a mark for a part of the first heading
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))


@dataclass
class CanvasCourse:
    """Users as (id, SIS id, login, sortable name), assignments by id, scores by (user id, assignment id).

    `custom`: the instructor's own columns, which are not assignments.
    """

    users: list[tuple[int, str, str, str]]
    assignments: dict[int, str]
    scores: dict[tuple[int, int], str] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    custom: tuple[str, ...] = ("Notes",)

    def upload(self, text, delimiter=","):
        heading, *rows = rows_of(text, delimiter)
        if not (len(heading) > 3 and "Student" in heading[0] and "ID" in heading[1]):
            raise ImportFails("Invalid header row")
        has_sis = heading[2] == "SIS User ID"
        assert heading[2 + has_sis] == "SIS Login ID"
        assert heading[3 + has_sis] == "Section"
        columns = {}
        for at, title in enumerate(heading[4 + has_sis :], 4 + has_sis):
            if NOT_ASSIGNMENTS.search(title) or title in self.custom:
                continue
            number = re.fullmatch(r"(.*)\s\((\d+)\)", title)
            known = int(number[2]) if number and int(number[2]) in self.assignments else None
            named = [key for key, name in self.assignments.items() if name == title]
            columns[at] = known or next(iter(named), None)
            if columns[at] is None:
                self.new.append(title)
        for row in rows:
            if "Points Possible" in row[0] or all(
                re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell) for cell in row
            ):
                continue
            user = self._user(row, has_sis)
            for at, assignment in columns.items():
                self._score(user, assignment, row[at].strip())

    def _user(self, row, has_sis):
        sis, login = (row[2], row[3]) if has_sis else ("", row[2])
        tests = (
            lambda user: row[1] and str(user[0]) == row[1],
            lambda user: sis and user[1] == sis,
            lambda user: login and user[2] == login,
            lambda user: user[3] == row[0],
        )
        found = (user[0] for test in tests for user in self.users if test(user))
        user = next(found, None)
        if user is None:
            raise ImportFails(f"who is {row[0]}?")
        return user

    def _score(self, user, assignment, cell):
        if cell == "":
            self.scores.pop((user, assignment), None)
        elif cell != "N/A":
            self.scores[user, assignment] = cell if cell == "EX" else str(float(cell.replace(",", ".")))


@dataclass
class Worksheet:
    """Moodle's assignment: participants by number, its maximum, grades and feedback by participant."""

    participants: set[int]
    most: float
    grades: dict[int, float] = field(default_factory=dict)
    feedback: dict[int, str] = field(default_factory=dict)
    locked: set[int] = field(default_factory=set)

    def upload(self, text):
        heading, *rows = rows_of(text)
        number, grade, _ = (heading.index(name) for name in ("Identifier", "Grade", "Last modified (grade)"))
        for row in rows:
            if len(row) != len(heading):
                raise ImportFails("weird columns")
            who = int(row[number][len("Participant ") :])
            assert who in self.participants
            if row[grade] and who not in self.locked and 0 <= float(row[grade]) <= self.most:
                self.grades[who] = float(row[grade])
            if "Feedback comments" in heading:
                self.feedback[who] = row[heading.index("Feedback comments")]


def moodle_gradebook(text, users, by, column, before=()):
    """Grades by user after Moodle's import: `users` by their value of the column `by`; the first stranger ends it."""
    heading, *rows = rows_of(text)
    who, grade = heading.index(by), heading.index(column)
    after, user = dict(before), None
    for row in rows:
        if row[who]:
            if row[who] not in users:
                raise ImportFails(f"no user {row[who]}")
            user = users[row[who]]
        value = None if row[grade] in ("", "-") else float(row[grade])
        if value is not None and value > 100:
            raise ImportFails("grade value too big")
        after[user] = value
    return after
