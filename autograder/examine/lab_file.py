"""The exercises, documents and reflections of a lab, in order: `course/<lab>/lab.json`, written by `make course`.

    {"format": 1, "lab": "01-strides", "title": "...", "points": 100,
     "parts": [{"exercise": "strides.permute", "title": "1.5 ...", "points": 5, "aspects": {"ordinary": 2, ...},
                "methods": [], "optional": false},
               {"document": "TRACE.md", "points": 8, "aspects": {...}},
               {"reflection": "diagnosis", "points": 5, "document": ""}]}

The order and the titles come from the lab's text, points and aspects from the checks. Nothing else repeats them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

FILE = "lab.json"
FORMAT = 1
EXTRA_POINTS = "extra_points"  # in the metadata of an optional exercise's check cell


@dataclass(frozen=True)
class Exercise:
    """A function or class that the student writes.

    Args:
        name: as in `autograder.labs.CHECKS`.
        points: of all aspects together.
        methods: of a class, those that the student writes; else ().
        aspects: points by name, in their order.
        title: with its number, "1.5 Permute".
        optional: its points are extra: the lab's total is without them.
        line: of the lab's text; 0 if it was not read from there.
    """

    name: str
    points: int
    methods: tuple[str, ...] = ()
    aspects: Mapping[str, int] = field(default_factory=dict)
    title: str = ""
    optional: bool = False
    line: int = 0


@dataclass(frozen=True)
class Attached:
    """A document that is handed in along with the notebook; `name` is its file's, as in `autograder.documents`."""

    name: str
    points: int
    aspects: Mapping[str, int] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True)
class Reflection:
    """A written answer that a person grades; `document` is the file whose prose it is about, or ""."""

    name: str
    points: int
    document: str = ""
    line: int = 0


Part = Exercise | Attached | Reflection


@dataclass(frozen=True)
class Lab:
    """The graded parts of a lab, in the order of its text."""

    id: str
    title: str
    parts: tuple[Part, ...]

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        return tuple(part for part in self.parts if isinstance(part, Exercise))

    @property
    def documents(self) -> tuple[Attached, ...]:
        return tuple(part for part in self.parts if isinstance(part, Attached))

    @property
    def reflections(self) -> tuple[Reflection, ...]:
        return tuple(part for part in self.parts if isinstance(part, Reflection))

    @property
    def checked(self) -> list[Exercise | Attached]:
        """The parts that the machine grades."""
        return [part for part in self.parts if not isinstance(part, Reflection)]

    @property
    def optional(self) -> frozenset[str]:
        """Return the names of the optional exercises, whose points are extra."""
        return frozenset(exercise.name for exercise in self.exercises if exercise.optional)

    @property
    def points(self) -> int:
        """The points of the whole lab, without optional exercises."""
        return sum(part.points for part in self.parts if part.name not in self.optional)

    @property
    def checked_points(self) -> int:
        """The points that the machine gives, without optional exercises."""
        return sum(part.points for part in self.checked if part.name not in self.optional)

    @property
    def extra(self) -> int:
        """The points of the optional exercises."""
        return sum(part.points for part in self.exercises if part.optional)


def released(root: Path) -> list[Lab]:
    """Return all labs released in the course `root`, in the order of their ids. Raises ValueError as `load`."""
    return [load(path.parent) for path in sorted((root / "course").glob(f"*/{FILE}"))]


def dump(lab: Lab) -> str:
    """Return the text of `lab.json`, with one part per line."""
    head = {"format": FORMAT, "lab": lab.id, "title": lab.title, "points": lab.points}
    parts = ",\n".join(f"  {json.dumps(_as_json(part), ensure_ascii=False)}" for part in lab.parts)
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "parts": [\n{parts}\n]}}\n'


def _as_json(part: Part) -> dict:
    if isinstance(part, Reflection):
        return {"reflection": part.name, "points": part.points, "document": part.document}
    if isinstance(part, Attached):
        return {"document": part.name, "points": part.points, "aspects": dict(part.aspects)}
    return {
        "exercise": part.name, "title": part.title, "points": part.points, "aspects": dict(part.aspects),
        "methods": list(part.methods), "optional": part.optional,
    }  # fmt: skip


def load(folder: Path) -> Lab:
    """Return the lab whose released notebook is in `folder`.

    Raises:
        FileNotFoundError: there is no lab.json: the lab is not released.
        ValueError: it is not of this format.
    """
    path = folder / FILE
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _parsed(path: Path, _: int) -> Lab:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["format"] != FORMAT:
            raise ValueError(f"format {stored['format']!r}")
        return Lab(stored["lab"], stored["title"], tuple(_part(**part) for part in stored["parts"]))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path}: expected format {FORMAT}, as `make course` writes it; got {error}") from None


def _part(points: int, aspects: Mapping[str, int] | None = None, **more) -> Part:
    aspects = aspects or {}
    if "reflection" in more:
        return Reflection(more["reflection"], points, more["document"])
    if "document" in more:
        return Attached(more["document"], points, aspects)
    return Exercise(more["exercise"], points, tuple(more["methods"]), aspects, more["title"], more["optional"])
