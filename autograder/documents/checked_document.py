"""The parts of a checked document: a Markdown file with tables whose right rows the reference engine knows.

A *table* has a heading of its own (`## x + y`) and has fixed columns. An *aspect* is worth some points and
looks at some of the columns. The prose of a document is not looked at here: a person reads it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Rows = list[tuple[str, ...]]


@dataclass(frozen=True)
class Aspect:
    """A part of a document that earns points.

    Args:
        name: one word, shown to the student.
        points: positive int.
        columns: those that must be right.
        in_order: the rows must be exactly the expected ones, in their order. Otherwise each expected row is looked
            for: one that is missing, or wrong in these columns, loses the aspect.
        hint: what to do about a wrong row.
        turned: what to say, if anything, of the right rows from the last to the first.
    """

    name: str
    points: int
    columns: tuple[str, ...]
    hint: str
    in_order: bool = False
    turned: str = ""


@dataclass(frozen=True)
class Document:
    """A file that is handed in along with the notebook.

    Args:
        name: "TRACE.md".
        columns: of every table.
        known_by: the columns that tell one row from another.
        aspects: one to four.
        expected: the right rows of each table, by heading, from what the engine does now.
        words: by column, the closed list of allowed words.
        plain: by column, brings what was written into the form of the expected rows.
        left_out: what to say of a row that does not belong in a table, by one of its cells in the form of the expected
            rows.
        prose: heading of the part that a person reads, "" if there is none.
    """

    name: str
    columns: tuple[str, ...]
    known_by: tuple[str, ...]
    aspects: tuple[Aspect, ...]
    expected: Callable[[], Mapping[str, Rows]]
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    plain: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    prose: str = ""

    @property
    def points(self) -> int:
        """The points of all aspects together."""
        return sum(aspect.points for aspect in self.aspects)
