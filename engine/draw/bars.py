"""The picture of a profile over time: a band for each thread and each stream of a device, bars for events.

Time runs from left to right. A bar below another one is inside it; what of a bar has none below it is its own time.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .card import GREY, INK, PAD, SMALL, WIDEST, Card, Picture, text_width, tint

BAR, STEP = 17, 19  # height of a bar, distance of bars
NARROWEST = 0.4  # pixels; what is narrower is left out
MOST_LINES = 40  # of the text
LEFT = PAD + 74  # where time begins
# kind of an event -> color of its bars, and what the legend calls it
KINDS = {
    "forward": (tint("#56b4e9", 0.55), "operator"),
    "backward": (tint("#e69f00", 0.5), "backward pass"),
    "name": (tint("#009e73", 0.4), "record_function"),
    "launch": ("#dcdcdc", "launch"),
    "kernel": (tint("#cc79a7", 0.6), "kernel on the device"),
}

Profile = Any  # the class in profiler/stepwise.py, or its events; a picture needs no import for it


class Bar(NamedTuple):
    """An event as a bar of a timeline.

    Attributes:
        band: "thread 1" or "stream 0".
        depth: how many bars are above it.
        start, end: microseconds.
        kind: one of KINDS.
    """

    name: str
    band: str
    depth: int
    start: float
    end: float
    kind: str


def timeline(profile: Profile, start: float | None = None, end: float | None = None) -> Picture:
    """Draw the events of a profile on a timeline.

    Args:
        profile: one that has ended, or its `events()`.
        start, end: microseconds since it began; what is outside is not shown.
    Raises:
        ValueError: there are no events in that time.
    """
    bars = bars_of(events_of(profile))
    first = min((bar.start for bar in bars), default=0.0) if start is None else start
    last = max((bar.end for bar in bars), default=0.0) if end is None else end
    shown = [bar for bar in bars if bar.end > first and bar.start < last]
    if not shown:
        raise ValueError(f"expected a profile with events between {first:.0f} and {last:.0f} us, got none")
    card = Card()
    bands = list(dict.fromkeys(bar.band for bar in shown))
    scale = (WIDEST - PAD - LEFT) / (last - first)
    y = PAD + 22.0
    tops = {}
    for band in bands:
        tops[band] = y
        y += (max(bar.depth for bar in shown if bar.band == band) + 1) * STEP + 14
    _axis(card, first, last, scale, y - 8)
    for band in bands:
        card.text(PAD, tops[band] + 12.5, band, SMALL, GREY)
    for bar in shown:
        _bar(card, bar, tops[bar.band] + bar.depth * STEP, first, last, scale)
    _legend(card, y + 8, [kind for kind in KINDS if any(bar.kind == kind for bar in shown)])
    title = f"What ran when: {len(shown)} events in {as_time(last - first)}"
    text = "\n".join(text_lines(shown))
    return card.picture(title, f"{len(bands)} bands: {', '.join(bands)}", text)


# ---- the profile as plain data


def events_of(profile: Profile) -> Sequence[Any]:
    """Return the events of a profile; a list of events is returned unchanged."""
    return profile if isinstance(profile, list) else profile.events()


def bars_of(events: Sequence[Any]) -> list[Bar]:
    """Return a bar for each event, except for events without a duration."""
    depths: dict[int, int] = {}
    bars = []
    for event in events:  # a parent comes before its children
        parent = event.cpu_parent
        depth = depths[id(event)] = 0 if parent is None else depths[id(parent)] + 1
        if event.time_range.end > event.time_range.start:
            is_kernel = event.activity_type == "kernel"
            band = f"stream {event.device_resource_id}" if is_kernel else f"thread {event.thread}"
            bars.append(
                Bar(event.name, band, 0 if is_kernel else depth, event.time_range.start, event.time_range.end,
                    kind_of(event))
            )  # fmt: skip
    return bars


def kind_of(event: Any) -> str:
    """Return the kind of an event, one of KINDS; any operator inside the backward pass is "backward"."""
    if event.activity_type in ("kernel", "cuda_runtime"):
        return "kernel" if event.activity_type == "kernel" else "launch"
    if event.is_user_annotation:
        return "name"
    above = event
    while above is not None:
        if above.scope == 1 or above.name.startswith("autograd::engine::"):
            return "backward"
        above = above.cpu_parent
    return "forward"


# ---- the parts of the picture


def _axis(card: Card, first: float, last: float, scale: float, bottom: float) -> None:
    step = round_step((last - first) / 8)
    tick = math.ceil(first / step) * step
    while tick <= last + step * 1e-6:
        x = LEFT + (tick - first) * scale
        card.line(((x, PAD + 14), (x, bottom)), "#e6e6e6", 1)
        label = as_time(tick, step)
        if x + text_width(label, SMALL) / 2 <= WIDEST - 2:
            card.text(x, PAD + 8, label, SMALL, GREY, "middle")
        tick += step


def _bar(card: Card, bar: Bar, y: float, first: float, last: float, scale: float) -> None:
    x = LEFT + (max(bar.start, first) - first) * scale
    width = (min(bar.end, last) - max(bar.start, first)) * scale
    if width < NARROWEST:
        return
    card.rect(x, y, max(width - 0.5, 0.3), BAR, KINDS[bar.kind][0], round=2 if width > 6 else 0)
    label = fitting(short(bar.name), width - 6)
    if label:
        card.text(x + 3, y + 12.5, label, SMALL, INK)


def _legend(card: Card, y: float, kinds: Sequence[str]) -> None:
    x = float(LEFT)
    for kind in kinds:
        color, label = KINDS[kind]
        card.rect(x, y, 12, 12, color, round=2)
        card.text(x + 17, y + 10, label, SMALL, GREY)
        x += 17 + text_width(label, SMALL) + 18


def short(name: str) -> str:
    """Return an event's name without its common prefixes, such as "aten::"."""
    for prefix in ("autograd::engine::evaluate_function: ", "torch::autograd::", "aten::"):
        name = name.removeprefix(prefix)
    return name


def fitting(text: str, width: float) -> str:
    """Truncate text to a width in pixels; return "" if fewer than three letters would fit."""
    most = int(width / text_width("x", SMALL))
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…" if most > 3 else ""


def round_step(step: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, ... that is at least `step`."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9))


def as_time(time_us: float, step: float | None = None) -> str:
    """Format microseconds with a suitable unit, at a precision that suits a scale with steps of `step`."""
    size = time_us if step is None else max(abs(time_us), step)
    unit, length = next(((unit, length) for unit, length in (("s", 1e6), ("ms", 1e3)) if size >= length), ("us", 1.0))
    return f"{time_us / length:.4g} {unit}"


# ---- words


def text_lines(bars: Sequence[Bar]) -> list[str]:
    """Return the bars as lines of text, indented by depth, each with its start and duration."""
    lines, band = [], ""
    for bar in sorted(bars, key=lambda bar: (bar.band, bar.start, bar.depth))[:MOST_LINES]:
        if bar.band != band:
            lines.append(bar.band)
            band = bar.band
        lines.append(f"{'  ' * (bar.depth + 1)}{bar.name}  from {as_time(bar.start)}, {as_time(bar.end - bar.start)}")
    return [*lines, f"... and {len(bars) - MOST_LINES} more"] if len(bars) > MOST_LINES else lines
