"""The picture of a walk over memory: which element of an array a loop comes to, one after the other, and what it cost.

Time runs from left to right, memory from top to bottom. Blue: the cache line was there; orange: it had to be fetched.
The cache is the model of memory_trace/cache.py, so the picture is the same on every machine.
"""

from collections.abc import Sequence
from typing import Any

from .card import GREY, INK, PAD, PAPER, SMALL, WIDEST, Card, Picture

HIT, MISS = "#56b4e9", "#d55e00"
HEIGHT, GAP, TOP = 190, 20, 44  # pixels
MOST_TRACES = 3

Trace = Any  # the class in memory_trace/trace.py: plain data, so a picture needs no import for it


def walk(
    *traces: Trace, array: str, missed: Sequence[Sequence[bool]], names: Sequence[str] = (),
) -> Picture:  # fmt: skip
    """Draw the order in which loops access one array, with their cache misses.

    Args:
        traces: from `engine.memory_trace.record_call`, one a column.
        array: the name of the array.
        missed: for each trace, whether each access to the array missed the cache, in the order of time.
        names: one for each trace; the functions' own if not given.
    Raises:
        ValueError: no trace or too many, no such array, or another number of misses than of accesses.
    """
    if not 1 <= len(traces) <= MOST_TRACES:
        raise ValueError(f"expected 1 to {MOST_TRACES} traces to draw, got {len(traces)}")
    card = Card()
    width = (WIDEST - 2 * PAD - GAP * (len(traces) - 1)) / len(traces)
    said = []
    for number, (trace, misses) in enumerate(zip(traces, missed, strict=True)):
        cells = _cells(trace, array)
        if len(cells) != len(misses):
            raise ValueError(f"expected one bool for each of {len(cells)} accesses to {array}, got {len(misses)}")
        name = names[number] if names else trace.kernel
        said.append(f"{name}: {len(cells)} accesses to {array}, {sum(misses)} misses")
        left = PAD + number * (width + GAP)
        card.text(left, PAD + 10, name, bold=True)
        card.text(left, PAD + 28, f"{len(cells)} accesses, {sum(misses)} misses", SMALL, INK)
        _panel(card, left, width, cells, misses)
    bottom = TOP + PAD + HEIGHT + 16
    card.text(PAD, bottom, f"{array}: first element at the top, time to the right", SMALL, GREY)
    card.rect(PAD + 352, bottom - 9, 10, 10, HIT)
    card.text(PAD + 368, bottom, "line was there", SMALL, GREY)
    card.rect(PAD + 480, bottom - 9, 10, 10, MISS)
    card.text(PAD + 496, bottom, "had to be fetched", SMALL, GREY)
    text = "\n".join(said)
    return card.picture(f"How loops walk over {array}", text.replace("\n", "; "), text)


def _cells(trace: Trace, array: str) -> list[int]:
    """Return the elements that the accesses to an array mean, in the order of time."""
    numbers = {number for number, known in enumerate(trace.arrays) if known.name == array}
    if not numbers:
        raise ValueError(f"expected one of {', '.join(known.name for known in trace.arrays)}, got {array!r}")
    return [event.index for event in trace.events if getattr(event, "array", -1) in numbers]


def _panel(card: Card, left: float, width: float, cells: Sequence[int], misses: Sequence[bool]) -> None:
    top = PAD + TOP
    card.rect(left, top, width, HEIGHT, PAPER)
    size, count = max(cells, default=0) + 1, max(len(cells), 1)
    across, down = max(width / count, 1.0), max(HEIGHT / size, 2.0)
    shown: dict[tuple[int, int], bool] = {}  # a place of the picture -> whether a miss fell there
    for time, (cell, is_miss) in enumerate(zip(cells, misses, strict=True)):
        place = round(time * (width - across) / count), round(cell * (HEIGHT - down) / size)
        shown[place] = shown.get(place, False) or is_miss
    for color, wanted in ((HIT, False), (MISS, True)):
        boxes = [(left + x, top + y, across, down) for (x, y), is_miss in shown.items() if is_miss is wanted]
        card.rects(boxes, color)
