"""The picture of where the time of a profile goes: calls with the same callers are one bar, as wide as their time.

Below a bar are the frames that it called; the rest is its own time. The order from left to right means nothing:
the widest comes first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .bars import BAR, STEP, as_time, events_of, fitting, short
from .card import GREY, INK, PAD, SMALL, WIDEST, Card, Picture, tint

NARROWEST = 1.0  # pixels; what is narrower is left out
MOST_LINES = 40  # of the text
COOL, HOT = "#f0e442", "#d55e00"  # of a bar without and with nothing but time of its own


@dataclass
class Frame:
    """All calls of one name with the same callers, as a frame of a flame graph.

    Attributes:
        own: their time, microseconds, without the time of what they called.
        inside: name -> what they called.
    """

    name: str
    own: float = 0.0
    count: int = 0
    inside: dict[str, "Frame"] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The time of the calls, including everything that they called."""
        return self.own + sum(frame.total for frame in self.inside.values())

    def widest_first(self) -> list["Frame"]:
        """Return the frames called from this one, longest total time first."""
        return sorted(self.inside.values(), key=lambda frame: -frame.total)


def flame(profile: Any, callers: bool = False) -> Picture:
    """Draw a flame graph of the CPU time of a profile.

    Args:
        profile: one that has ended, or its `events()`.
        callers: above the operators show the lines of Python that called them; the profile needs with_stack=True.
    Raises:
        ValueError: there is no time; or callers are asked for and not recorded.
    """
    events = [event for event in events_of(profile) if event.cpu_time_total > 0]
    if callers and not any(event.stack for event in events):
        raise ValueError("expected a profile with callers, got none: record it with with_stack=True")
    root = merged((path_of(event, callers), event.self_cpu_time_total) for event in events)
    if root.total <= 0:
        raise ValueError("expected a profile with events that took time, got none")
    card = Card()
    card.text(PAD, PAD + 8, f"{as_time(root.total)} on the CPU", SMALL, GREY)
    _draw(card, root, PAD, PAD + 18, (WIDEST - 2 * PAD) / root.total, root.total)
    lines = text_lines(root)
    title = f"Where {as_time(root.total)} go: most of its own time has {hottest(root)}"
    return card.picture(title, "; ".join(line.strip() for line in lines[:12]), "\n".join(lines))


def path_of(event: Any, callers: bool) -> tuple[str, ...]:
    """Return the names of the events that contain an event, outermost first, and its own name last.

    With `callers`, the lines of Python that called it come first, and a `record_function` around it is left out:
    it is one of these lines.
    """
    names = [event.name]
    above = event.cpu_parent
    while above is not None:
        names += [] if callers and above.is_user_annotation else [above.name]
        above = above.cpu_parent
    return (*(reversed(event.stack) if callers else ()), *reversed(names))


def merged(paths: Iterable[tuple[Sequence[str], float]]) -> Frame:
    """Merge paths with common prefixes into one tree.

    Args:
        paths: (names from the outermost to the innermost, the time of the innermost alone).
    Returns:
        a frame that contains all others; its name is "all". Its `total` is the sum of the times.

    >>> merged([(("a",), 1.0), (("a", "b"), 2.0), (("a", "b"), 3.0)]).inside["a"].inside["b"].own
    5.0
    """
    root = Frame("all")
    for path, time in paths:
        frame = root
        for name in path:
            frame = frame.inside.setdefault(name, Frame(name))
        frame.own += time
        frame.count += 1
    return root


def hottest(root: Frame) -> str:
    """Return the name with the largest own time, summed over the whole tree."""
    times: dict[str, float] = {}
    left = [root]
    while left:
        frame = left.pop()
        times[frame.name] = times.get(frame.name, 0.0) + frame.own
        left += frame.inside.values()
    return max(times, key=lambda name: times[name])


def _draw(card: Card, frame: Frame, x: float, y: float, scale: float, whole: float) -> None:
    width = frame.total * scale
    if width < NARROWEST:
        return
    share = frame.own / frame.total
    color = tint(COOL, 0.35) if share < 0.05 else tint(HOT, 0.2 + 0.5 * share)
    card.rect(x, y, max(width - 0.6, 0.4), BAR, color, round=2 if width > 6 else 0)
    name = f"{short(frame.name)} {100 * frame.total / whole:.0f}%"
    label = fitting(name, width - 6)
    if label:
        card.text(x + 3, y + 12.5, label, SMALL, INK)
    for inner in frame.widest_first():
        _draw(card, inner, x, y + STEP, scale, whole)
        x += inner.total * scale


def text_lines(root: Frame) -> list[str]:
    """Return the tree as lines of text, each with the total share, the own share and the number of calls."""
    lines: list[str] = []

    def write(frame: Frame, depth: int) -> None:
        total, own = 100 * frame.total / root.total, 100 * frame.own / root.total
        calls = f", {frame.count} calls" if frame.count else ""
        lines.append(f"{'  ' * depth}{frame.name}  {total:.1f}% (own {own:.1f}%{calls})")
        for inner in frame.widest_first():
            write(inner, depth + 1)

    write(root, 0)
    return [*lines[:MOST_LINES], f"... and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else lines
