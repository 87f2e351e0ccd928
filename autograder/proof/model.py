"""A wrong answer and an equivalent mutant: plain data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WrongAnswer:
    """A mistake that students make.

    Args:
        exercise: "strides.view_strides".
        about: the mistake, in one line.
        loses: names of the aspects whose points it must lose; all others it must keep.
        text: text of the solution cell, or a change of the reference: (before, after), each one or more of its lines
            without their indentation and without comments at their ends; (before, after, before, after) for two.
    """

    exercise: str
    about: str
    loses: tuple[str, ...]
    text: str | tuple[str, ...]

    @property
    def source(self) -> str:
        """Text of the solution cell.

        Raises:
            ValueError: the lines to change are not in the reference, or there more than once.
        """
        if isinstance(self.text, str):
            return self.text
        from engine.overlay import source_of

        source = source_of(self.exercise)
        for before, after in zip(self.text[::2], self.text[1::2], strict=True):
            source = changed(source, before, after, f"{self.exercise}: {self.about}")
        return source


def changed(source: str, before: str, after: str, where: str = "") -> str:
    """A text with the lines `before` replaced by the lines `after`, indented as they were.

    Args:
        before: without indentation and comments; must be in the text exactly once. Empty lines around it do not count.
        where: begins the message of an error.
    Raises:
        ValueError: it is not there, or more than once.

    >>> print(changed("def f(x):\\n    return x  # itself", "return x", "return -x"))
    def f(x):
        return -x
    """
    lines, wanted = source.split("\n"), before.strip("\n").split("\n")
    places = [at for at in range(len(lines)) if _dedented(lines[at : at + len(wanted)]) == wanted]
    if len(places) != 1:
        raise ValueError(f"{where}: expected these lines once in the reference, found {len(places)} times:\n{before}")
    at = places[0]
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines[at : at + len(wanted)] = [indent + line if line else line for line in after.strip("\n").split("\n")]
    return "\n".join(lines)


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation of the first and without comments at their ends."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return [line.removeprefix(indent).partition("  #")[0].rstrip() for line in lines]


@dataclass(frozen=True)
class Equivalent:
    """A mutant that answers as the reference does, for every question that may be asked.

    Args:
        exercise: "strides.view_strides".
        before, after: the changed lines as `Mutant.change` gives them.
        reason: why no case can tell the two apart.
    """

    exercise: str
    before: str
    after: str
    reason: str
