"""The glossary: the terms that the labs define, each with the sentence that defines it and a link to its section.

A lab sets a term in *emphasis* where it defines it. `glossary.yaml` lists the emphasized words that are not terms, the
terms under another name, and definitions where the sentence alone does not say enough.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from autograder.author import lab_text
from autograder.author.site import lab_pages

FILE = Path(__file__).with_name("glossary.yaml")
PAGE = "glossary.md"
EMPHASIS = re.compile(r"(?<![*\w\\`])\*(?![*\s])([^*`\n]+(?:\n[^*`\n]+)?)(?<![\s*])\*(?![*\w])")
HIDDEN = re.compile(r"<details>.*?</details>|^ *(```+).*?^ *\1[ \t]*$|^\|.*?$|\$\$.*?\$\$", re.S | re.M)
CODE = re.compile(r"`[^`]*`")
SENTENCE = re.compile(r"(?<=[.!?])[\s]+(?=[A-Z`*(\[\"])|(?<=[.!?]\*\*)\s+")
BULLET = re.compile(r"^[ \t]*(?:[-+*]|\d+\.)[ \t]+", re.M)


@dataclass(frozen=True)
class Term:
    """A term, its defining sentence in Markdown, and the section that contains it."""

    name: str
    sentence: str
    lab: str
    section: int
    heading: str


def load(path: Path = FILE) -> dict:
    """Load the hand-written part of the glossary: `not_terms`, `names` and `definitions`."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def terms(labs: Iterable[lab_text.LabText], by_hand: Mapping) -> list[Term]:
    """Return the terms of the labs in alphabetical order; the first of several definitions is used."""
    found: dict[str, Term] = {}
    for lab in labs:
        for term in _of_lab(lab):
            name = by_hand["names"].get(term.name, term.name)
            if term.name in by_hand["not_terms"] or name.lower() in found:
                continue
            sentence = by_hand["definitions"].get(name, term.sentence)
            found[name.lower()] = Term(name, sentence, term.lab, term.section, term.heading)
    return sorted(found.values(), key=lambda term: term.name.lower())


def _of_lab(lab: lab_text.LabText) -> Iterator[Term]:
    section, heading = 0, lab.title
    for cell in lab.cells:
        if cell.kind != "markdown" or "reflect" in cell.metadata:
            continue
        pieces = lab_pages.HEADING.split(cell.source)
        for at, piece in enumerate(pieces):
            if at:
                section, heading = section + 1, piece.partition("\n")[0]
                piece = piece.partition("\n")[2]
            for name, sentence in emphasized(piece):
                yield Term(name, sentence, lab.id, section, heading)


def emphasized(text: str) -> Iterator[tuple[str, str]]:
    """Yield each emphasized term in a text with the sentence around it."""
    for paragraph in re.split(r"\n\s*\n|\n(?=[ \t]*(?:[-+*]|\d+\.)[ \t])", HIDDEN.sub("", text)):
        for sentence in SENTENCE.split(BULLET.sub("", paragraph.strip())):
            plain = CODE.sub(lambda code: "\0" * len(code[0]), sentence)
            for found in EMPHASIS.finditer(plain):
                yield " ".join(found[1].split()), " ".join(sentence.split())


def page(labs: Iterable[lab_text.LabText]) -> str:
    """Return the glossary page in Markdown."""
    lines = ["# Glossary", "", "The terms of the labs, each as the lab that introduces it says it first.", ""]
    lines += ["::::{glossary}"]
    for term in terms(labs, load()):
        target = lab_pages.section_label(term.lab, term.section)
        number = lab_text.number_of(term.lab)
        where = term.heading if term.section else "beginning"
        lines += [term.name, f"  {term.sentence} [Lab {number}, {where}](#{target})", ""]
    return "\n".join([*lines, "::::", ""])
