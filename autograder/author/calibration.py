"""Calibration samples: three answers to each reflection, with the points and the comment that they deserve.

`solutions/<lab>/samples.yaml` holds `name: {strong: {points, answer, comment}, middling: ..., weak: ...}`, the points
in whole numbers and in this order. Graders grade these first and compare their points, so that all of them grade alike.
"""

from typing import NamedTuple

import yaml

from autograder.author.lab_text import LabError, LabText

FILE = "samples.yaml"
LEVELS = ("strong", "middling", "weak")
FIELDS = {"points": int, "answer": str, "comment": str}


class Sample(NamedTuple):
    """A made-up answer in Markdown, the points that it deserves, and the comment that a student would get for it."""

    points: int
    answer: str
    comment: str


def samples_of(lab: LabText) -> dict[str, dict[str, Sample]]:
    """Return the lab's samples by reflection name and level; return {} if the lab has no file of samples.

    Raises:
        LabError: the file can't be read, a reflection or level is unknown or missing, or points do not descend.
    """
    path = lab.path.with_name(FILE)
    if not path.is_file():
        return {}
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise LabError(f"{path}: this is not YAML: {error}") from error
    most = {part.name: part.points for part in lab.reflections}
    if not isinstance(given, dict) or given.keys() != most.keys():
        got = list(given) if isinstance(given, dict) else given
        raise LabError(f"{path}: expected samples of the lab's reflections, {', '.join(most)}; got {got!r}")
    samples = {
        name: {level: _sample(f"{path}: {name}", levels, level) for level in LEVELS} for name, levels in given.items()
    }
    for name, of_name in samples.items():
        points = [most[name] + 1, *(of_name[level].points for level in LEVELS), -1]
        if sorted(set(points), reverse=True) != points:
            raise LabError(f"{path}: {name}: expected points that descend, {most[name]} at most, got {points[1:-1]}")
    return samples


def _sample(place: str, levels: object, level: str) -> Sample:
    if not isinstance(levels, dict) or levels.keys() != set(LEVELS):
        raise LabError(f"{place}: expected {', '.join(LEVELS)}, got {levels!r}")
    fields = levels[level]
    if (
        not isinstance(fields, dict)
        or fields.keys() != FIELDS.keys()
        or any(type(fields[each]) is not kind for each, kind in FIELDS.items())
    ):
        raise LabError(f"{place}: {level}: expected points (a whole number), answer and comment, got {fields!r}")
    return Sample(fields["points"], fields["answer"].strip(), " ".join(fields["comment"].split()))
