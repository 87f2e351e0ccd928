"""A verdict as the text block that the notebook, the feedback and the report show."""

import textwrap

from autograder.examine import student_error
from autograder.examine.questions import COLUMNS
from autograder.examine.verdict import RIGHT, WRONG, AspectResult, ExerciseResult, Failure


def stated(result: ExerciseResult, optional: bool = False) -> str:
    """Return the points in words; the points of an optional exercise are extra."""
    return f"{result.points} of {result.max_points} {'extra ' * optional}points"


def render(result: ExerciseResult, optional: bool = False) -> str:
    """Return the result as the text block that `check`, the feedback and the report show."""
    mark = "ok" if result.verdict == RIGHT else "x "
    verdict = "" if result.verdict in (RIGHT, WRONG) else f"   {result.verdict}"
    lines = [f"{mark} {result.exercise}   {stated(result, optional)}{verdict}"]
    if result.message:
        lines.append(f"   {result.message}")
    width = max((len(aspect.name) for aspect in result.aspects), default=0)
    shown: set[str] = set()
    for aspect in result.aspects:
        head, *more = (part for line in _render_aspect(aspect) for part in _folded(line, COLUMNS - width - 5))
        lines.append(f"   {aspect.name:<{width}}  {head}")
        lines += [" " * (width + 5) + line for line in more]
        if aspect.failure is not None:
            lines += [f"     {line}" for line in _render_code(aspect.failure, shown)]
    return "\n".join(lines)


def _render_code(failure: Failure, shown: set[str]) -> list[str]:
    """Return the lines of a failure that stay whole, to be compared and copied.

    Args:
        shown: excerpts and words that were shown before; it grows.
    """
    lines = []
    if failure.excerpt:
        where = f"line {student_error.number_in(failure.excerpt)} of your cell"
        error = f": {failure.error}" if failure.error else ""
        if failure.excerpt in shown:
            lines.append(f"{where}, as above{error}")
        else:
            lines += [f"{where}{error or ':'}", *failure.excerpt.split("\n")]
        shown.add(failure.excerpt)
    if failure.made:
        lines += failure.made.replace("\n", "\n   ").split("\n")
    if failure.words and failure.words not in shown:
        lines += ["words of this case:", *(f"   {line}" for line in failure.words.split("\n"))]
        shown.add(failure.words)
    return [*lines, f"try it: {failure.call}"] if failure.call else lines


def _render_aspect(aspect: AspectResult) -> list[str]:
    if aspect.failure is None:
        count = f"{aspect.passed} of {aspect.cases}"
        if aspect.passed < aspect.cases:
            return ["not asked"]
        return [count if aspect.points else f"{count}; they give points when the aspects that they build on are right"]
    failure = aspect.failure
    one_line = f"expected {failure.expected}   got {failure.got}"
    answers = (
        [one_line] if len(one_line) <= COLUMNS - 15 else [f"expected {failure.expected}", f"got      {failure.got}"]
    )
    hint = [f"-> {failure.hint}"] if failure.hint else []
    return [f"{failure.place or 'smallest failing case'}: {failure.case}", *answers, *hint]


def _folded(line: str, columns: int) -> list[str]:
    return textwrap.wrap(line, columns, subsequent_indent="   ", break_long_words=False, break_on_hyphens=False)
