"""A wrong answer and an equivalent mutant: plain data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WrongAnswer:
    """A typical wrong answer to an exercise, with the aspects that it must lose.

    Args:
        exercise: "strides.view_strides".
        about: the mistake, in one line.
        loses: names of the aspects whose points it must lose; all others it must keep.
        text: text of the solution cell, or changes of the reference as `changed` takes them. Answers that share what a
            right answer says in other words are `changed(OTHER, before, after)`, with the OTHER of their `right.py`.
    """

    exercise: str
    about: str
    loses: tuple[str, ...]
    text: str | tuple[str, ...]

    @property
    def source(self) -> str:
        """The source text of the solution cell.

        Raises:
            ValueError: the lines to change are not in the reference, or there more than once.
        """
        if isinstance(self.text, str):
            return self.text
        from autograder.overlay import source_of

        return changed(source_of(self.exercise), *self.text, where=f"{self.exercise}: {self.about}")


def changed(source: str, *changes: str, where: str = "") -> str:
    """Replace lines of a text with others, and indent them like the originals.

    Args:
        changes: before, after, before, after: what is replaced, without indentation and comments, must be in the text
            exactly once. Empty lines around it do not count.
        where: begins the message of an error.
    Raises:
        ValueError: lines are not there, or more than once.

    >>> print(changed("def f(x):\\n    return x  # itself", "return x", "return -x"))
    def f(x):
        return -x
    """
    for before, after in zip(changes[::2], changes[1::2], strict=True):
        source = _with_lines(source, before, after, where)
    return source


def _with_lines(source: str, before: str, after: str, where: str) -> str:
    lines, wanted = source.split("\n"), before.strip("\n").split("\n")
    places = [at for at in range(len(lines)) if _dedented(lines[at : at + len(wanted)]) == wanted]
    if len(places) != 1:
        raise ValueError(f"{where}: expected these lines once in the text, found {len(places)} times:\n{before}")
    at = places[0]
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines[at : at + len(wanted)] = [indent + line if line else line for line in after.strip("\n").split("\n")]
    return "\n".join(lines)


def replaced(source: str, *changes: tuple[str, str]) -> str:
    """Replace strings in a text, given as (before, after) pairs; each `before` must occur exactly once.

    >>> replaced("def f(x):\\n    return x + 1", ("x + 1", "x - 1"))
    'def f(x):\\n    return x - 1'
    """
    for before, after in changes:
        if (count := source.count(before)) != 1:
            raise ValueError(f"expected this once in the text, found {count} times: {before}")
        source = source.replace(before, after)
    return source


def _dedented(lines: list[str]) -> list[str]:
    """Return the lines without the indentation of the first and without comments at their ends."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return [line.removeprefix(indent).partition("  #")[0].rstrip() for line in lines]


@dataclass(frozen=True)
class Equivalent:
    """A mutant that gives the same answers as the reference to every question that can be asked.

    Args:
        exercise: "strides.view_strides".
        before, after: the changed lines as `Mutant.change` gives them.
        reason: why no case can tell the two apart.
    """

    exercise: str
    before: str
    after: str
    reason: str
