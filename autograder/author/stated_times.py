"""The times in a lab's prose, computed: reading, predictions, attempts and run times.

**Time.**               ->  **Time**: about 8.5 hours estimated (core), 2 hours more for the optional exercises. All of
                            it takes about 3 hours if you know PyTorch and every answer passes at once.
## 1.1 Fresh strides    ->  ## 1.1 Fresh strides (about 25 minutes)        (a section in which something is asked)

`solutions/<lab>/times.yaml` holds `part: {attempts: N, seconds: S}` for exercises, documents and reflections: how often
a student runs the check before it passes (five minutes each; for prose, five minutes of writing), and how long the
section's cells run. They are estimates from readings of the text, until students' own times exist; for a part without
figures 3 attempts are assumed. Given code is read like prose, and a prediction takes two minutes. The shorter time
counts one attempt for each part, and no time for predictions. A lab whose text still has a typed time is left alone.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from autograder.author.lab_text import HEADING, Cell, LabError, LabText
from autograder.examine.lab_file import Exercise, Part

FILE = "times.yaml"
MARKER = re.compile(r"^\*\*Time\.\*\*$", re.M)
WORDS_A_MINUTE, MINUTES_A_PREDICTION, MINUTES_AN_ATTEMPT, ATTEMPTS = 150, 2, 5, 3
FIELDS = {"attempts", "seconds"}
Figures = Mapping[str, Mapping[str, float]]  # by part


@dataclass
class Section:
    """The content of a lab section: words of prose and given code before weaving, predictions, and graded parts."""

    words: int = 0
    predictions: int = 0
    parts: list[Part] = field(default_factory=list)

    @property
    def optional(self) -> bool:
        """True if all parts in the section are optional, so that only students who do them need to read it."""
        return bool(self.parts) and all(map(_is_optional, self.parts))

    def reading(self) -> float:
        """Return the minutes for everything except the parts."""
        return self.words / WORDS_A_MINUTE + self.predictions * MINUTES_A_PREDICTION

    def minutes(self, figures: Figures) -> float:
        return self.reading() + sum(minutes(figures.get(part.name, {})) for part in self.parts)

    def at_once(self, figures: Figures) -> float:
        """Return the minutes for someone who passes every part at the first attempt and takes no time to predict."""
        asked = sum(minutes({**figures.get(part.name, {}), "attempts": 1}) for part in self.parts)
        return self.words / WORDS_A_MINUTE + asked

    def extra(self, figures: Figures) -> float:
        """Return the minutes for the optional exercises, plus the reading time if the section has no other parts."""
        asked = sum(minutes(figures.get(part.name, {})) for part in self.parts if _is_optional(part))
        return asked + self.reading() * self.optional


def with_times(lab: LabText, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return the cells with the lab's hours filled in, and minutes in the headings of sections that have parts."""
    if not any(MARKER.search(cell.source) for cell in cells):
        return cells
    figures = load(lab.path.with_name(FILE), {part.name for part in lab.parts})
    sections = sections_of(lab)

    def heading(found: re.Match[str]) -> str:
        section = sections.get(found[1], Section())
        return f"{found[0]} ({_in_minutes(section.minutes(figures))})" if section.parts else found[0]

    def stated(cell: Cell) -> Cell:
        source = MARKER.sub(f"**Time**: {hours(sections.values(), figures)}", cell.source)
        return cell._replace(source=HEADING.sub(heading, source))

    return tuple(stated(cell) if _is_prose(cell) else cell for cell in cells)


def sections_of(lab: LabText) -> dict[str, Section]:
    """Return the sections of a lab by heading; the text before the first heading is under ""."""
    heading, sections = "", {"": Section()}
    asked = {part.line: part for part in lab.parts}
    for cell in lab.cells:
        if cell.line in asked:
            sections[heading].parts.append(asked[cell.line])
            continue
        if _is_prose(cell):
            heading = next(reversed(HEADING.findall(cell.source)), heading)
        section = sections.setdefault(heading, Section())
        section.words += len(cell.source.split())
        section.predictions += "predict" in cell.metadata.get("tags", ())
    return sections


def hours(sections: Collection[Section], figures: Figures) -> str:
    """Return a sentence with a lab's hours: the core, the optional exercises, and the time of a quick reader."""
    extra = sum(section.extra(figures) for section in sections)
    core = sum(section.minutes(figures) for section in sections) - extra
    more = f", {_in_hours(extra)} more for the optional exercises" if extra else ""
    at_once = _in_hours(sum(section.at_once(figures) for section in sections))
    quick = f"All of it takes about {at_once} if you know PyTorch and every answer passes at once."
    return f"about {_in_hours(core)} estimated (core){more}. {quick}"


def minutes(figures: Mapping[str, float]) -> float:
    """Return the minutes that a part takes, without the reading time.

    >>> minutes({"attempts": 2, "seconds": 60}), minutes({})
    (11.0, 15.0)
    """
    return figures.get("attempts", ATTEMPTS) * MINUTES_AN_ATTEMPT + figures.get("seconds", 0) / 60


def load(path: Path, parts: set[str]) -> dict[str, dict[str, float]]:
    """Load the figures (attempts and seconds) by part; return {} if there is no file.

    Raises:
        LabError: the file names a part that the lab has not, or another figure.
    """
    if not path.is_file():
        return {}
    figures = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    for name, given in figures.items():
        if name not in parts or not isinstance(given, dict) or set(given) - FIELDS:
            raise LabError(f"{path}: expected a part of the lab with attempts and seconds, got {name}: {given}")
    return figures


def _is_prose(cell: Cell) -> bool:
    return cell.kind == "markdown" and not cell.metadata


def _is_optional(part: Part) -> bool:
    return isinstance(part, Exercise) and part.optional


def _in_minutes(minutes: float) -> str:
    """Round to five minutes, at least five, and return it in words.

    >>> _in_minutes(22.4), _in_minutes(1)
    ('about 20 minutes', 'about 5 minutes')
    """
    return f"about {max(1, round(minutes / 5)) * 5} minutes"


def _in_hours(minutes: float) -> str:
    """Round to half hours, at least one, and return it in words.

    >>> _in_hours(509), _in_hours(3)
    ('8.5 hours', '0.5 hour')
    """
    hours = max(1, round(minutes / 30)) / 2
    return f"{hours:g} hour{'s' * (hours > 1)}"
