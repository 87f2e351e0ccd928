"""The points in a lab's prose: the text leaves them out, weaving writes them from the checks.

**Points.**              ->  **Points**: 100 (80 for code, 20 for written answers, which a person grades).
**Exercise 1.1.** Write  ->  **Exercise 1.1 (5 points: ordinary 3, edge 2).** Write
**R1. Diagnosis.** A     ->  **R1. Diagnosis (5 points).** A          (also "**R2. View or reshape?** A")
"""

import re

from autograder.author.lab_text import Cell, LabText
from autograder.examine.lab_file import Attached, Exercise, Part, Reflection

TOTAL = re.compile(r"^\*\*Points\.\*\*$", re.M)
OF_A_CHECK = re.compile(r"^\*\*(Exercise \S+|Exercise: [^*\n]+)\.\*\*", re.M)
OF_AN_ANSWER = re.compile(r"^\*\*([^*\n]+)([.?])\*\*(?= )", re.M)


def with_points(lab: LabText) -> tuple[Cell, ...]:
    """Return the cells of a lab with the points filled into each sentence that states them."""
    cells = list(lab.cells)
    for at, cell in enumerate(cells):
        if cell.kind == "markdown" and TOTAL.search(cell.source):
            cells[at] = cell._replace(source=TOTAL.sub(f"**Points**: {total(lab)}", cell.source))
    for part in lab.parts:
        pattern = OF_AN_ANSWER if isinstance(part, Reflection) else OF_A_CHECK
        at = _sentence(lab, cells, part, pattern)  # type: ignore[assignment]
        if at is None:
            continue
        last = list(pattern.finditer(cells[at].source))[-1]
        source = cells[at].source
        cells[at] = cells[at]._replace(source=source[: last.start()] + stated(part, last) + source[last.end() :])
    return tuple(cells)


def _sentence(lab: LabText, cells: list[Cell], part: Part, pattern: re.Pattern[str]) -> int | None:
    """Return the position of the last prose cell that has the sentence, between the previous part and this one."""
    before = max((other.line for other in lab.parts if other.line < part.line), default=0)
    between = [at for at, cell in enumerate(cells) if before < cell.line < part.line and cell.kind == "markdown"]
    return next((at for at in reversed(between) if pattern.search(cells[at].source)), None)


def stated(part: Part, found: re.Match[str]) -> str:
    """Return the bold sentence that asks for a part, with its points added."""
    if isinstance(part, Reflection):
        points = f" ({_points(part.points)})"
        return f"**{found[1]}?{points}**" if found[2] == "?" else f"**{found[1]}{points}.**"
    aspects = ", ".join(f"{name} {points}" for name, points in part.aspects.items())
    extra = "optional, " if isinstance(part, Exercise) and part.optional else ""
    return f"**{found[1]} ({extra}{_points(part.points)}: {aspects}).**"


def total(lab: LabText) -> str:
    """Return the sentence that states a lab's total points."""
    code = sum(part.points for part in lab.exercises if not part.optional)
    extra = sum(part.points for part in lab.exercises if part.optional)
    written = sum(part.points for part in lab.reflections)
    shares = [f"{code} for code"]
    shares += [f"{part.points} for `{part.name}`" for part in lab.parts if isinstance(part, Attached)]
    shares += [f"{written} for written answers, which a person grades"] if written else []
    more = f" {extra} more can be earned in optional exercises." if extra else ""
    return f"{lab.points} ({', '.join(shares)}).{more}"


def _points(count: int) -> str:
    return f"{count} point{'s' * (count != 1)}"
