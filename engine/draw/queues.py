"""The picture of a program on queues: the host's calls above, and what each stream does below, over time."""

from collections.abc import Sequence
from typing import Any

from ..cuda.queue import Times, schedule
from .card import GREY, INK, PAD, SMALL, WIDEST, Card, Picture, text_width, tint

LEFT = PAD + 74  # where time begins
BAR, STEP = 17, 26  # height of a band's bars, distance of bands
KERNEL, CALL, WAITING = tint("#cc79a7", 0.6), "#dcdcdc", tint("#e69f00", 0.5)


def queues(calls: Sequence[tuple], overhead: int) -> Picture:
    """Draw when the host issues its calls, and when the device runs the kernels, on one timeline.

    Args:
        calls, overhead: as of `engine.cuda.queue.schedule`.
    """
    times = schedule(calls, overhead)
    streams = sorted({call[1] for call in calls if call[0] in ("launch", "record", "wait")})
    last = max((max(time.returned, time.end) for time in times), default=0) or 1
    scale = (WIDEST - PAD - LEFT) / last
    rows = {None: PAD + 8.0, **{stream: PAD + 8.0 + STEP * number for number, stream in enumerate(streams, 1)}}
    card = Card()
    for stream, y in rows.items():
        card.text(PAD, y + 12.5, "host" if stream is None else f"stream {stream}", SMALL, GREY)
    before = 0
    for call, time in zip(calls, times, strict=True):
        _host(card, rows[None], before, time, overhead, scale, call[0])
        before = time.returned
        if call[0] == "launch":
            _bar(card, rows[call[1]], time.begin, time.end, scale, KERNEL, str(call[2]))
        elif call[0] == "record":
            x = LEFT + time.end * scale
            card.line(((x, rows[call[1]] - 3), (x, rows[call[1]] + BAR + 3)), INK, 1.5)
            card.text(x + 3, rows[call[1]] + BAR + 5, str(call[2]), SMALL, INK)
    bottom = max(rows.values()) + STEP + 12
    card.line(((LEFT, bottom - 8), (LEFT + last * scale, bottom - 8)), GREY, 1)
    card.text(LEFT, bottom + 5, "0", SMALL, GREY)
    card.text(LEFT + last * scale, bottom + 5, f"{last} us", SMALL, GREY, "end")
    text = "\n".join(_line(call, time) for call, time in zip(calls, times, strict=True))
    return card.picture(f"{len(calls)} calls on {len(streams)} streams in {last} us", text.replace("\n", "; "), text)


def _host(card: Card, y: float, before: int, time: Times, overhead: int, scale: float, kind: str) -> None:
    """Draw the host's bars: the call itself, and its waiting time."""
    busy = time.returned if kind == "host" else min(before + overhead, time.returned)
    _bar(card, y, before, busy, scale, CALL, "")
    _bar(card, y, busy, time.returned, scale, WAITING, "waits")


def _bar(card: Card, y: float, start: int, end: int, scale: float, color: str, label: str) -> None:
    width = (end - start) * scale
    if width <= 0:
        return
    card.rect(LEFT + start * scale, y, max(width - 0.8, 0.3), BAR, color, round=2 if width > 6 else 0)
    if text_width(label, SMALL) + 6 < width:
        card.text(LEFT + start * scale + 3, y + 12.5, label, SMALL, INK)


def _line(call: tuple[Any, ...], time: Times) -> str:
    return f"{' '.join(map(str, call)):<24} returned at {time.returned}, on the device {time.begin} to {time.end}"
