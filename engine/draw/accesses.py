"""The picture of what a kernel touches: for each array, which thread comes to which element, colored by warp.

A panel is an array: its elements from left to right, the threads of a block from top to bottom. Side by side, the same
of several kernels, a naive one and a tiled one for instance: what is dense on the left is what the tiles save.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .card import FAINT, FONT, GREY, INK, OKABE_ITO, PAD, PAPER, SMALL, WIDEST, Card, Picture, text_width, tint

RED = "#d55e00"  # outside an array
COLOURS = tuple(color for color in OKABE_ITO if color != RED)  # of warps, in turn
WARP = 32
GAP = 44  # between columns: for the numbers of threads
LEFT = 34  # for the first column
TALLEST, WIDEST_CELL, TALLEST_CELL = 132, 16, 9  # pixels
NARROWEST_CELL, LOWEST_CELL = 2.2, 2.0
MOST_TRACES = 3
MOST_WARPS = 8  # in the legend and in the text

Trace = Any  # the class in memory_trace/trace.py: plain data, so a picture needs no import for it
Box = tuple[float, float, float, float]


class Panel(NamedTuple):
    """An array of a kernel, with the accesses that one block makes to it.

    Attributes:
        touched: (thread, index, inside the array) -> kinds of access, of "load", "store" and "atomic".
        counts: kind -> how many accesses the whole block makes.
        first, last: elements that are shown; beyond the array's elements if a thread came there.
        size: elements of the array.
    """

    name: str
    touched: dict[tuple[int, int, bool], set[str]]
    counts: dict[str, int]
    first: int
    last: int
    size: int


def accesses(*traces: Trace, names: Sequence[str] = (), arrays: Sequence[str] = (), block: int = 0) -> Picture:
    """Draw which threads of a block access which elements of which array.

    Args:
        traces: from `engine.cuda.record`, one a column.
        names: one for each; the kernels' own if not given.
        arrays: those to draw, by name; all of global memory that the block touches if not given. Shared ones are
            drawn when they are named.
        block: the linear number of the block.
    Raises:
        ValueError: no trace or too many, a block or an array that is not there.
    """
    if not 1 <= len(traces) <= MOST_TRACES:
        raise ValueError(f"expected 1 to {MOST_TRACES} traces to draw, got {len(traces)}")
    columns = [panels_of(trace, arrays, block) for trace in traces]
    shown = list(dict.fromkeys(panel.name for column in columns for panel in column))
    titles = tuple(names) or tuple(trace.kernel for trace in traces)
    card = Card()
    width = (WIDEST - 2 * PAD - LEFT - GAP * (len(traces) - 1)) / len(traces)
    lefts = [PAD + LEFT + number * (width + GAP) for number in range(len(traces))]
    card.text(lefts[0], PAD + 8, f"block {block}: its threads down, elements across", SMALL, GREY)
    for left, title in zip(lefts, titles, strict=True):
        card.text(left, PAD + 30, fitting(title, width, FONT), bold=True)
    y = float(PAD + 54)
    for name in shown:
        bottoms = [y]
        for left, column, trace in zip(lefts, columns, traces, strict=True):
            bottoms += [_panel(card, left, y, width, panel, trace) for panel in column if panel.name == name]
        y = max(bottoms) + 24
    outside = any(not inside for column in columns for panel in column for _, _, inside in panel.touched)
    _legend(card, y - 8, max(map(_warps, traces)), outside)
    text = "\n".join(_lines(title, column) for title, column in zip(titles, columns, strict=True))
    title = f"Which thread of block {block} touches which element, in {' and in '.join(titles)}"
    return card.picture(title, text.replace("\n", " "), text)


def _threads(trace: Trace) -> int:
    return trace.block[0] * trace.block[1] * trace.block[2]


def _warps(trace: Trace) -> int:
    return -(-_threads(trace) // WARP)


# ---- the accesses of a block


def panels_of(trace: Trace, arrays: Sequence[str], block: int) -> list[Panel]:
    """Return a panel for each chosen array, or for each global array that the block accesses, in trace order.

    Raises:
        ValueError: an array or the block is not in the trace.
    """
    known = [array.name for array in trace.arrays]
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    if unknown := [name for name in arrays if name not in known]:
        raise ValueError(f"{trace.kernel} has no array {unknown[0]!r}; it has {', '.join(known)}")
    if not 0 <= block < blocks:
        raise ValueError(f"{trace.kernel} ran in blocks 0 to {blocks - 1}, there is no block {block}")
    touched: dict[int, dict[tuple[int, int, bool], set[str]]] = {}
    counts: dict[int, dict[str, int]] = {}
    for event in trace.events:
        if event.block == block and hasattr(event, "array"):
            place = event.thread, event.index, event.inside
            touched.setdefault(event.array, {}).setdefault(place, set()).add(event.kind)
            of = counts.setdefault(event.array, {})
            of[event.kind] = of.get(event.kind, 0) + 1
    chosen = [
        number for number, array in enumerate(trace.arrays)
        if (array.name in arrays if arrays else array.space == "global" and number in touched)
    ]  # fmt: skip
    panels = []
    for number in chosen:
        indices = [index for _, index, _ in touched.get(number, ())]
        array = trace.arrays[number]
        first, last = min([0, *indices]), max([0, array.size - 1, *indices])
        panels.append(Panel(array.name, touched.get(number, {}), counts.get(number, {}), first, last, array.size))
    return panels


def count_summary(panel: Panel) -> str:
    """Return the number of accesses of each kind as text."""
    plural = {kind: kind + "s" if count > 1 else kind for kind, count in panel.counts.items()}
    return ", ".join(f"{count:,} {plural[kind]}" for kind, count in panel.counts.items()) or "not touched"


# ---- drawing


def _panel(card: Card, left: float, y: float, width: float, panel: Panel, trace: Trace) -> float:
    """Draw a panel below its heading; return where it ends. A cell represents several elements if there are many."""
    threads, elements = _threads(trace), panel.last - panel.first + 1
    name = fitting(panel.name, width / 2, FONT)
    said = left + text_width(name) + 10
    card.text(left, y, name, bold=True)
    card.text(said, y, fitting(count_summary(panel), left + width - said, SMALL), SMALL, GREY)
    top = y + 8
    per_column = math.ceil(elements * NARROWEST_CELL / width)
    per_row = math.ceil(threads * LOWEST_CELL / TALLEST)
    columns, rows = math.ceil(elements / per_column), math.ceil(threads / per_row)
    wide, tall = min(WIDEST_CELL, width / columns), min(TALLEST_CELL, TALLEST / rows)
    right, bottom = left + columns * wide, top + rows * tall

    def x_of(index: int) -> float:
        return left + (index - panel.first) // per_column * wide

    card.rect(left, top, right - left, bottom - top, PAPER)
    if panel.size:
        card.rect(x_of(0), top, x_of(panel.size - 1) + wide - x_of(0), bottom - top, "#ffffff")
    drawn: dict[tuple[str, str], set[Box]] = {}
    for (thread, index, inside), kinds in panel.touched.items():
        color = COLOURS[thread // WARP % len(COLOURS)] if inside else RED
        for look in {"load" if kind == "load" else "store" for kind in kinds}:
            box = x_of(index), top + thread // per_row * tall, wide, tall
            drawn.setdefault((look, color), set()).add(box)
    for (look, color), boxes in sorted(drawn.items()):  # loads first, stores on top
        _cells(card, look, color, sorted(boxes))
    card.rect(left, top, right - left, bottom - top, stroke=FAINT)
    card.text(left - 6, top + 9, "0", SMALL, GREY, "end")
    card.text(left - 6, bottom, str(threads - 1), SMALL, GREY, "end")
    card.text(left, bottom + 13, str(panel.first), SMALL, GREY)
    card.text(right, bottom + 13, str(panel.last), SMALL, GREY, "end")
    return bottom + 13


def fitting(text: str, width: float, size: int) -> str:
    """Truncate text to a width in pixels."""
    most = int(width / text_width(" ", size))
    return text if len(text) <= most else text[: most - 1] + "…"


def _cells(card: Card, look: str, color: str, boxes: Sequence[Box]) -> None:
    """Draw loads as filled cells, stores with a dark core."""
    card.rects(boxes, tint(color, 0.75))
    if look == "store":
        card.rects([(x + w / 4, y + h / 4, w / 2, h / 2) for x, y, w, h in boxes], INK)


def _legend(card: Card, y: float, warps: int, outside: bool) -> None:
    looks = [("load", COLOURS[0], "load"), ("store", COLOURS[0], "store or atomic")]
    looks += [("load", RED, "outside the array")] if outside else []
    x = float(PAD + LEFT)
    for look, color, said in looks:
        _cells(card, look, color, [(x, y, 12, 9)])
        card.text(x + 18, y + 9, said, SMALL)
        x += 18 + text_width(said, SMALL) + 20
    shown = min(warps, MOST_WARPS)
    for warp in range(shown):
        _cells(card, "load", COLOURS[warp % len(COLOURS)], [(x + 13 * warp, y, 12, 9)])
    said = f"warps 0 to {warps - 1}" if warps > 1 else "warp 0"
    card.text(x + 13 * shown + 5, y + 9, said, SMALL)


# ---- words


def _lines(title: str, column: Sequence[Panel]) -> str:
    lines = [f"{title}:"]
    for panel in column:
        lines.append(f"  {panel.name}, {panel.size} elements: {count_summary(panel)}")
        reach: dict[int, list[int]] = {}
        for thread, index, _ in panel.touched:
            reach.setdefault(thread // WARP, []).append(index)
        for warp, indices in sorted(reach.items())[:MOST_WARPS]:
            count = len(set(indices))
            lines.append(f"    warp {warp}: {count} element{'s' * (count > 1)} from {min(indices)} to {max(indices)}")
    return "\n".join(lines)
