"""The page `autograder/similarity.html`: it loads nothing, runs nothing, and escapes all that a student wrote."""

import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup, escape

from autograder.department.similarity.fragments import MEASURES, Fragment, Token, fragments
from autograder.department.similarity.hand_ins import Answer, Hand
from autograder.department.similarity.questions import Compared, Question, Shared
from autograder.examine.lab_file import Lab

MOST_TEXTS = 200  # questions that are shown with their texts
MOST_LINES = 1000  # further questions, and pairs of people, a line each
MOST_SHARED = 12  # of a part
LONGEST = 6000  # characters of a text that are shown
ALIKE, UNUSUAL = 1, 2
MARKS = {ALIKE: "<u>{}</u>", UNUSUAL: "<mark>{}</mark>"}


class Class(NamedTuple):
    """Everything that was compared: the number of submissions by folder label ("" for this class)."""

    lab: Lab
    submissions: dict[str, int]
    compared: Sequence[Compared]
    unread: Sequence[tuple[Hand, str]]


def page(found: Class) -> str:
    """Return the HTML page with the questions about one lab."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    questions = questions_of(found.compared)
    people = {each.part.name: each.people for each in found.compared}
    return environment.get_template("similarity.html").render(
        lab=found.lab, compared=found.compared, unread=found.unread, people=people, measures=MEASURES,
        when=time.strftime("%Y-%m-%d %H:%M"), now=found.submissions[""],
        earlier={year: count for year, count in found.submissions.items() if year},
        questions=questions[:MOST_TEXTS], further=questions[MOST_TEXTS:MOST_LINES], total=len(questions),
        several=several(questions)[:MOST_LINES], shared=[(each, shown(each.shared)) for each in found.compared],
        texts=texts, cut=cut,
    )  # fmt: skip


def questions_of(compared: Sequence[Compared]) -> list[Question]:
    """Return the questions of all parts, most similar first."""
    return sorted((question for each in compared for question in each.questions), key=lambda each: -each.weight)


def several(questions: Sequence[Question]) -> list[tuple[list[str], list[int]]]:
    """Return pairs of people who are alike in several parts, with the question numbers; most parts first."""
    numbers: defaultdict[frozenset[Hand], list[int]] = defaultdict(list)
    for number, question in enumerate(questions, 1):
        for pair in question.pairs:
            numbers[pair].append(number)
    parts = {pair: {questions[number - 1].part.name for number in of} for pair, of in numbers.items()}
    chosen = sorted(
        (pair for pair in parts if len(parts[pair]) > 1), key=lambda pair: (-len(parts[pair]), sorted(pair))
    )
    return [([hand.name for hand in sorted(pair)], numbers[pair]) for pair in chosen]


def shown(shared: Sequence[Shared]) -> Sequence[Shared]:
    """Return the shared texts of a part that the page shows."""
    return shared[:MOST_SHARED]


def texts(question: Question) -> list[tuple[Answer, Markup]]:
    """Return the two texts of a question with their similar passages marked."""
    measure = MEASURES[question.part.kind]
    return [
        (answer, marked(answer.text, measure.tokens(answer.text), question.unusual, question.both, measure.length))
        for answer in (question.left, question.right)
    ]


def marked(
    text: str, tokens: Sequence[Token], unusual: frozenset[Fragment], both: frozenset[Fragment], length: int
) -> Markup:
    """Return the escaped text with the tokens of shared fragments marked; comments between them are not marked."""
    levels = [0] * len(tokens)
    for at, fragment in enumerate(fragments([token.word for token in tokens], length)):
        level = UNUSUAL if fragment in unusual else ALIKE if fragment in both else 0
        levels[at : at + length] = [max(level, before) for before in levels[at : at + length]]
    pieces: list[tuple[int, str]] = []
    end = 0
    for token, level in zip(tokens, levels, strict=True):
        gap = text[end : token.start]
        joins = bool(pieces) and pieces[-1][0] == level and not gap.strip()
        pieces += [(level if joins else 0, gap), (level, text[token.start : token.end])]
        end = token.end
    return _joined([*pieces, (0, text[end:])])


def _joined(pieces: Sequence[tuple[int, str]]) -> Markup:
    """Return one element for each run of one level, up to the most that is shown."""
    runs: list[tuple[int, list[str]]] = []
    room = LONGEST
    for level, text in pieces:
        if not runs or runs[-1][0] != level:
            runs.append((level, []))
        runs[-1][1].append(text[:room])
        room -= min(room, len(text))
    rest = sum(len(text) for _, text in pieces) - LONGEST
    html = Markup().join(Markup(MARKS.get(level, "{}")).format("".join(run)) for level, run in runs if any(run))
    return html + _more(rest)


def cut(text: str) -> Markup:
    """Return the beginning of a text, HTML-escaped."""
    return escape(text[:LONGEST]) + _more(len(text) - LONGEST)


def _more(rest: int) -> Markup:
    return Markup("\n<i>... {:,} more characters</i>").format(rest) if rest > 0 else Markup()
