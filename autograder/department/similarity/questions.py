"""Answers to one part of a lab that share text which few others have, grouped so that each group is one question.

Answers of the same tokens are one *form*, however many have it. A fragment is *unusual* if it is neither given nor
natural and at most `few` people have it: so what many share raises no question, and no pairs of it are made. Two
forms are linked if enough of their unusual fragments are the same; forms that links join are a group.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from autograder.department.similarity.fragments import MEASURES, Fragment, Measure, fragments, fragments_of
from autograder.department.similarity.given import Part
from autograder.department.similarity.hand_ins import Answer, Hand

LEAST, USUAL, MOST = 3, 10, 50  # people who may have a fragment that is unusual; 10 is the default of MOSS's option -m
OF_SMALL, OF_LARGE = 5, 20  # at most one person in 5 of a small class, and one in 20 of a large one
LISTED = 3  # people whose text is listed as shared where no question is asked


@dataclass
class Form:
    """A sequence of tokens, and all answers that consist of exactly these tokens."""

    words: tuple[str, ...]
    answers: list[Answer] = field(default_factory=list)
    everything: frozenset[Fragment] = frozenset()
    unusual: frozenset[Fragment] = frozenset()

    @property
    def people(self) -> set[str]:
        """The ids of the students; a student who repeats the course counts once."""
        return {answer.hand.student for answer in self.answers}


class Link(NamedTuple):
    """Two forms, or one form twice, and the number of unusual fragments in both; `share` is relative to the smaller."""

    first: Form
    second: Form
    fragments: int
    share: float

    @property
    def weight(self) -> float:
        """A similarity score: share times number of fragments."""
        return self.fragments * self.share


@dataclass(frozen=True)
class Question:
    """A group of answers that may have a common source.

    Args:
        left, right: the two that are most alike.
        others: the rest of the group.
        share: of the unusual fragments of the shorter of the two, those that both have.
        unusual: these fragments; `both`: all that both have, given ones too.
        alone: how many of the unusual ones nobody outside the group has.
        elsewhere: the most people outside the group who have one of them.
        like: known texts that have at least half of them.
        pairs: all pairs of hands that are alike.
    """

    part: Part
    left: Answer
    right: Answer
    others: tuple[Answer, ...]
    share: float
    unusual: frozenset[Fragment]
    both: frozenset[Fragment]
    alone: int
    elsewhere: int
    like: tuple[str, ...]
    pairs: frozenset[frozenset[Hand]]

    @property
    def weight(self) -> float:
        return self.share * len(self.unusual)

    @property
    def people(self) -> int:
        return len({answer.hand.student for answer in (self.left, self.right, *self.others)})


class Shared(NamedTuple):
    """A text that many students share, in one or more versions; `known` names its source, "" if it is unknown."""

    part: Part
    people: int
    versions: int
    text: str
    known: str


class Compared(NamedTuple):
    """The result of comparing a part of the lab; `people` is the number of students whose answers were compared."""

    part: Part
    people: int
    questions: list[Question]
    shared: list[Shared]


def few(people: int) -> int:
    """Return the most people who may share a fragment for it to count as unusual among `people`.

    >>> [few(people) for people in (5, 20, 30, 200, 600, 5000)]
    [3, 4, 6, 10, 30, 50]
    """
    return min(MOST, max(LEAST, min(USUAL, people // OF_SMALL), people // OF_LARGE))


def compare(part: Part, answers: Iterable[Answer]) -> Compared:
    """Compare all answers to a part, and group those that are alike."""
    forms = forms_of(part, answers)
    holders = _holders(forms)
    people = set[str]().union(*(form.people for form in forms))
    most = few(len(people))
    for form in forms:
        own = form.everything - part.given - part.natural
        form.unusual = frozenset(each for each in own if len(holders[each]) <= most)
    questions: list[Question] = []
    shared: list[Shared] = []
    seen: set[int] = set()
    for links in _groups([*_within(forms, part), *_between(forms, part)]):
        group = {id(form): form for link in links for form in link[:2]}
        seen |= group.keys()
        if len(set[str]().union(*(form.people for form in group.values()))) > most:
            shared.append(_shared(part, list(group.values())))
        else:
            questions.append(_question(part, links, list(group.values()), holders))
    shared += [_shared(part, [form]) for form in forms if id(form) not in seen and len(form.people) >= LISTED]
    questions.sort(key=lambda each: -each.weight)
    return Compared(part, len(people), questions, sorted(shared, key=lambda each: -each.people))


def forms_of(part: Part, answers: Iterable[Answer]) -> list[Form]:
    """Return the answers grouped by their token sequence."""
    measure = MEASURES[part.kind]
    forms: dict[tuple[str, ...], Form] = {}
    for answer in answers:
        words = tuple(token.word for token in measure.tokens(answer.text))
        forms.setdefault(words, Form(words)).answers.append(answer)
    for form in forms.values():
        form.everything = frozenset(fragments(form.words, measure.length))
    return list(forms.values())


def _holders(forms: Iterable[Form]) -> Mapping[Fragment, set[str]]:
    holders: defaultdict[Fragment, set[str]] = defaultdict(set)
    for form in forms:
        people = form.people
        for each in form.everything:
            holders[each] |= people
    return holders


def _within(forms: Iterable[Form], part: Part) -> Iterator[Link]:
    """Yield a link for each form that several people have."""
    for form in forms:
        link = Link(form, form, len(form.unusual), 1.0)
        if len(form.answers) > 1 and _is_asked(link, MEASURES[part.kind]):
            yield link


def _between(forms: Sequence[Form], part: Part) -> Iterator[Link]:
    """Yield a link for each two forms that are alike; only those that share something unusual are looked at."""
    measure = MEASURES[part.kind]
    having: defaultdict[Fragment, list[int]] = defaultdict(list)
    for place, form in enumerate(forms):
        for each in form.unusual:
            having[each].append(place)
    common = Counter(pair for places in having.values() for pair in combinations(places, 2))
    for (one, two), count in common.items():
        first, second = forms[one], forms[two]
        link = Link(first, second, count, count / min(len(first.unusual), len(second.unusual)))
        if _is_asked(link, measure):
            yield link


def _is_asked(link: Link, measure: Measure) -> bool:
    whole = min(len(form.everything) for form in link[:2])
    is_alike = link.share >= measure.share and link.fragments >= max(measure.least, measure.whole * whole)
    return is_alike and any(_pairs(link))


def _groups(links: Iterable[Link]) -> list[list[Link]]:
    """Return the links, in groups that no link joins (union-find by the identity of the forms)."""
    links = list(links)
    parent = {id(form): id(form) for link in links for form in link[:2]}

    def root(form: int) -> int:
        while parent[form] != form:
            parent[form] = parent[parent[form]]
            form = parent[form]
        return form

    for link in links:
        parent[root(id(link.first))] = root(id(link.second))
    groups: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        groups[root(id(link.first))].append(link)
    return list(groups.values())


def _question(
    part: Part, links: Sequence[Link], forms: Sequence[Form], holders: Mapping[Fragment, set[str]]
) -> Question:
    best = max(links, key=lambda link: link.weight)
    left, right = _two(best)
    unusual = best.first.unusual & best.second.unusual
    people = set[str]().union(*(form.people for form in forms))
    outside = [len(holders[each] - people) for each in unusual]
    rest = (answer for form in forms for answer in form.answers if answer is not left and answer is not right)
    return Question(
        part, left, right, tuple(sorted(rest, key=lambda answer: answer.hand)), best.share, unusual,
        best.first.everything & best.second.everything, outside.count(0), max(outside), _like(part, unusual),
        frozenset(frozenset((one.hand, two.hand)) for link in links for one, two in _pairs(link)),
    )  # fmt: skip


def _two(link: Link) -> tuple[Answer, Answer]:
    """Return an answer of each form, by two people, this class's first."""
    one, two = min(_pairs(link), key=lambda pair: [answer.hand[::-1] for answer in pair])
    return (two, one) if one.hand.year and not two.hand.year else (one, two)


def _pairs(link: Link) -> Iterator[tuple[Answer, Answer]]:
    """Yield an answer of each form, by two people, at least one of this class."""
    for one in link.first.answers:
        for two in link.second.answers:
            if one.hand.student != two.hand.student and not (one.hand.year and two.hand.year):
                yield one, two


def _like(part: Part, unusual: frozenset[Fragment]) -> tuple[str, ...]:
    return tuple(
        name for name, texts in part.known.items()
        if any(2 * len(unusual & fragments_of(text, part.kind)) >= len(unusual) for text in texts)
    )  # fmt: skip


def _shared(part: Part, forms: Sequence[Form]) -> Shared:
    """Return an entry for forms that many share, with the text that most have."""
    forms = sorted(forms, key=lambda form: -len(form.people))
    measure = MEASURES[part.kind]
    known = (
        name for name, texts in part.known.items()
        if any(tuple(token.word for token in measure.tokens(text)) == forms[0].words for text in texts)
    )  # fmt: skip
    people = set[str]().union(*(form.people for form in forms))
    return Shared(part, len(people), len(forms), forms[0].answers[0].text, next(known, ""))
