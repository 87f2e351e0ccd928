"""The picture of a storage and the views over it: which cell is which element, and how far each step goes.

Above, the cells of the storage in order, each colored by the row (of one view) or by the view (of several) that
uses it. Below, each view as a grid, of n dimensions as slices over the last two.
"""

import math
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from .card import FAINT, FONT, GREY, INK, OKABE_ITO, PAD, PAPER, SMALL, WIDEST, Card, Picture, text_width, tint
from .geometry import Geometry, as_text, geometry_of, indices, shown_cells

CELL_HEIGHT = 30
NARROWEST = 32
PER_ROW = 16
MOST_CELLS, MOST_ROWS, MOST_COLUMNS, MOST_SLICES = 64, 10, 14, 8
MOST_STEPS = 11  # arrows of a walk
LEGEND_WIDTH = 150
NOTE_COLUMNS = int((WIDEST - 2 * PAD) // text_width("x"))


class _Look(NamedTuple):
    """The settings that all parts of one picture share; `colors` has one list for each cell that is used."""

    views: tuple[Geometry, ...]
    names: tuple[str, ...]
    width: float
    shown: list[int | None]
    colors: dict[int, list[str]]
    numbered: bool  # values differ from cell numbers, so the grids show both

    def color(self, view: int, row: int) -> str:
        return OKABE_ITO[(row if len(self.views) == 1 else view) % len(OKABE_ITO)]


def storage(*views: Any, names: Sequence[str] = (), walk: bool | None = None, note: str = "") -> Picture:
    """Draw the storage that `views` share, and the layout of each view.

    Args:
        views: tensors, or `Geometry(values, sizes, strides, offset)`.
        names: one for each view; "a", "b", ... for several if not given.
        walk: arrows from each element to the next, in the order of the indices; None draws them when the view
            is alone, has at most 12 elements, shares no cell and its storage fits into one row.
        note: below the views, folded to the width of the picture.
    Raises:
        TypeError: a view is neither.
        ValueError: no view, views of different storages, or a view that reaches outside.
    """
    geometries = tuple(geometry_of(view) for view in views)
    if not geometries:
        raise ValueError("expected at least one tensor to draw")
    if len(geometries) > 1 and not _share_storage(views, geometries):
        raise ValueError("the views do not share one storage: draw them one by one")
    look = _look(geometries, tuple(names) or tuple("abcdefghijkl"[: len(geometries)]))
    card = Card()
    y = _strip(card, PAD, look, _steps(look, walk))
    for number in range(len(geometries)):
        y = _grid(card, y + 26, look, number)
    for line in textwrap.wrap(note, NOTE_COLUMNS):
        y += 20
        card.text(PAD, y, line, bold=True)
    title = f"A storage of {len(geometries[0].values)} cells and " + "; ".join(
        _heading(look, number) for number in range(len(geometries))
    )
    return card.picture(title, " ".join([_description(look), note]).strip(), "\n".join([_as_text(look), note]).strip())


def _share_storage(views: Sequence[Any], geometries: Sequence[Geometry]) -> bool:
    if all(hasattr(view, "untyped_storage") for view in views):
        return len({(id(view.untyped_storage()), view.dtype) for view in views}) == 1
    return all(geometry.values is geometries[0].values for geometry in geometries)


def _look(views: tuple[Geometry, ...], names: tuple[str, ...]) -> _Look:
    values = views[0].values
    colors: dict[int, list[str]] = {}
    for number, view in enumerate(views):
        for cell, rows in view.row_of_cells().items():
            for key in rows if len(views) == 1 else (number,):
                colors.setdefault(cell, []).append(OKABE_ITO[key % len(OKABE_ITO)])
    shown = shown_cells(len(values), colors, MOST_CELLS)
    visible = [cell for cell in shown if cell is not None]
    widest = max((text_width(as_text(values[cell])) for cell in visible), default=0.0)
    numbered = any(as_text(values[cell]) != str(cell) for cell in visible)
    return _Look(views, names, max(NARROWEST, round(widest + 12)), shown, colors, numbered)


def _heading(look: _Look, number: int) -> str:
    view = look.views[number]
    name = f"{look.names[number]}: " if len(look.views) > 1 else ""
    return f"{name}sizes {view.sizes}  strides {view.strides}  offset {view.offset}"


# ---- the storage


def _steps(look: _Look, walk: bool | None) -> list[tuple[int, int]]:
    """Return (from, to) of each arrow of the walk through the only view, or none."""
    view = look.views[0]
    fits = len(look.views) == 1 and len(look.shown) <= _per_row(look) and None not in look.shown
    calm = view.numel() <= MOST_STEPS + 1 and max(view.uses().values(), default=0) <= 1
    if not fits or not (calm if walk is None else walk):
        return []
    cells = view.walk()
    return list(zip(cells, cells[1:], strict=False))[:MOST_STEPS]


def _per_row(look: _Look) -> int:
    return max(1, min(PER_ROW, int((WIDEST - 2 * PAD) // look.width)))


def _depth(step: int) -> float:
    return min(6 + 5 * abs(step), 30)


def _strip(card: Card, y: float, look: _Look, steps: list[tuple[int, int]]) -> float:
    """Draw the cells of the storage in rows; return where the last row ends."""
    count = len(look.views[0].values)
    card.text(PAD, y + 11, f"storage: {count} cell{'s' if count != 1 else ''}", bold=True)
    y += 18
    offsets: dict[int, list[str]] = {}
    for name, view in zip(look.names, look.views, strict=True):
        offsets.setdefault(view.offset, []).append(name if len(look.views) > 1 else f"offset {view.offset}")
    counts = [view.uses() for view in look.views]
    uses = {cell: max(count[cell] for count in counts) for cell in look.colors}
    per_row = _per_row(look)
    for first in range(0, len(look.shown), per_row):
        y = _strip_row(card, y, look, look.shown[first : first + per_row], steps, offsets, uses)
    return y


def _strip_row(
    card: Card, y: float, look: _Look, cells: Sequence[int | None],
    steps: list[tuple[int, int]], offsets: dict[int, list[str]], uses: dict[int, int],
) -> float:  # fmt: skip
    x_of = {cell: PAD + position * look.width for position, cell in enumerate(cells) if cell is not None}
    marked = [cell for cell in x_of if cell in offsets]
    used = [cell for cell in x_of if cell in look.colors]
    backward = max((_depth(to - at) + 12 for at, to in steps if to < at), default=0)
    top = y + (6 + 14 * len(marked) if marked else 0) + backward
    for level, cell in enumerate(marked):  # a mark further right begins lower, so no line crosses a name
        _offset_mark(card, x_of[cell] + look.width / 2, y + 14 * level, top, ", ".join(offsets[cell]))
    for position, drawn in enumerate(cells):
        middle = PAD + (position + 0.5) * look.width
        if drawn is None:
            card.text(middle, top + 14 + CELL_HEIGHT / 2 + 4, "···", fill=GREY, anchor="middle")
        else:
            card.text(middle, top + 10, str(drawn), SMALL, GREY, "middle")
    for cell in sorted(x_of, key=used.__contains__):  # those in use last, so that their outline is on top
        _cell(card, x_of[cell], top + 14, look, cell, look.colors.get(cell, []))
    bottom = top + 14 + CELL_HEIGHT
    shared = [cell for cell in used if uses[cell] > 1]
    for cell in shared:
        card.text(x_of[cell] + look.width / 2, bottom + 12, f"×{uses[cell]}", SMALL, INK, "middle")
    bottom += 14 if shared else 0
    for at, to in steps:
        _step(card, x_of[at] + look.width / 2, x_of[to] + look.width / 2, to - at, top, bottom)
    return bottom + max((_depth(to - at) + 14 for at, to in steps if to > at), default=0) + 6


def _offset_mark(card: Card, x: float, y: float, top: float, label: str) -> None:
    card.arrow((x, y + 4), (x, top))
    right = x + 8 + text_width(label, SMALL) <= WIDEST - PAD
    card.text(x + (7 if right else -7), y + 11, label, SMALL, INK, "start" if right else "end")


def _step(card: Card, x: float, to_x: float, step: int, top: float, bottom: float) -> None:
    """Draw an arrow of the walk: forward ones below the cells, backward ones above."""
    if step == 0:
        return
    side, y = (1, bottom + 1) if step > 0 else (-1, top - 1)
    card.arc(x + 3 * side, to_x - 3 * side, y, _depth(step) * side)
    middle = y + side * (_depth(step) + 4) + (8 if step > 0 else 0)
    card.text((x + to_x) / 2, middle, f"{step:+d}", SMALL, INK, "middle")


def _cell(card: Card, x: float, y: float, look: _Look, cell: int, colors: Sequence[str], height: float = CELL_HEIGHT):
    """Draw a cell with its value, in stripes if several rows or views use it; gray if none does."""
    stripes = colors[:6] or [""]
    for number, color in enumerate(stripes):
        fill = tint(color) if color else PAPER
        card.rect(x + number * look.width / len(stripes), y, look.width / len(stripes), height, fill)
    card.rect(x, y, look.width, height, stroke="#6e6e6e" if colors else FAINT)
    ink = INK if colors else GREY
    card.text(x + look.width / 2, y + CELL_HEIGHT / 2 + 4.5, as_text(look.views[0].values[cell]), FONT, ink, "middle")


# ---- a view


def _grid(card: Card, y: float, look: _Look, number: int) -> float:
    """Draw one view as grids of its last two dimensions, with a legend of the strides; return where it ends."""
    view = look.views[number].as_slices()
    card.text(PAD, y, _heading(look, number), bold=True)
    y += 12
    if not view.numel():
        card.text(PAD, y + 14, "no elements", fill=GREY)
        return y + 18
    height = CELL_HEIGHT + (11 if look.numbered else 0)
    rows, columns = (
        _cut(size, most) for size, most in zip(view.sizes[-2:], (MOST_ROWS, _most_columns(look)), strict=True)
    )
    leading = list(indices(view.sizes[:-2]))
    block_width, block_height = len(columns) * look.width, len(rows) * height + (18 if leading[0] else 0)
    x, right = float(PAD), float(PAD)
    for position, slice_index in enumerate(leading[:MOST_SLICES]):
        if x > PAD and x + block_width > WIDEST - PAD:
            x, y = PAD, y + block_height + 10
        _block(card, x, y, look, number, slice_index, rows, columns, height)
        x += block_width + 18
        right = max(right, x)
        last = position
    if left_out := math.prod(view.sizes[:-2]) - last - 1:
        card.text(PAD, y + block_height + 16, f"and {left_out} more slices", SMALL, GREY)
        block_height += 18
    if right + LEGEND_WIDTH <= WIDEST - PAD:
        return max(y + block_height, _legend(card, right, y + (18 if leading[0] else 0), look.views[number], look))
    return _legend(card, PAD, y + block_height + 8, look.views[number], look)


def _cut(size: int, most: int) -> list[int | None]:
    """Return the indices of a dimension, with None instead of the indices left out."""
    return list(range(size)) if size <= most else [*range(most - 2), None, size - 1]


def _most_columns(look: _Look) -> int:
    return max(3, min(MOST_COLUMNS, int((WIDEST - 2 * PAD) // look.width)))


def _block(
    card: Card, x: float, y: float, look: _Look, number: int, slice_index: tuple[int, ...],
    rows: Sequence[int | None], columns: Sequence[int | None], height: float,
) -> None:  # fmt: skip
    view = look.views[number].as_slices()
    if slice_index:
        card.text(x, y + 10, f"[{', '.join(map(str, slice_index))}, :, :]", SMALL, GREY)
        y += 18
    before = 0  # rows of the slices before this one, for the color
    for size, leading in zip(view.sizes[:-2], slice_index, strict=True):
        before = before * size + leading
    for down, i in enumerate(rows):
        for across, j in enumerate(columns):
            left, top = x + across * look.width, y + down * height
            if i is None or j is None:
                card.text(left + look.width / 2, top + height / 2 + 4, "···", fill=GREY, anchor="middle")
                continue
            cell = view.cell((*slice_index, i, j))
            _cell(card, left, top, look, cell, [look.color(number, before * view.sizes[-2] + i)], height)
            if look.numbered:
                card.text(left + look.width / 2, top + height - 5, str(cell), SMALL, "#3d3d3d", "middle")


def _legend(card: Card, x: float, y: float, view: Geometry, look: _Look) -> float:
    """Draw the legend: the number that one step along each dimension adds to the cell's number."""
    ndim = len(view.sizes)
    for d in reversed(range(ndim)):
        if d == ndim - 1:
            card.arrow((x, y + 10), (x + 16, y + 10))
        elif d == ndim - 2:
            card.arrow((x + 8, y + 2), (x + 8, y + 17))
        role = "" if d >= ndim - 2 else " (slices)"
        card.text(x + 24, y + 14, f"dim {d}: {view.strides[d]:+d}{role}", SMALL)
        y += 20
    if look.numbered:
        card.text(x, y + 14, "small: cell number", SMALL, GREY)
        y += 20
    return y


# ---- words


def _description(look: _Look) -> str:
    parts = []
    for number, view in enumerate(look.views):
        rows = view.as_slices()
        cells = rows.walk()
        columns = max(rows.sizes[-1], 1)
        reads = [cells[first : first + columns] for first in range(0, min(len(cells), 16 * columns), columns)]
        said = "; ".join(f"row {row} reads cells {', '.join(map(str, read))}" for row, read in enumerate(reads))
        parts.append(f"{_heading(look, number)}: {said or 'no elements'}.")
    return " ".join(parts)


def _as_text(look: _Look) -> str:
    """Return the picture as columns of text: cells, values, how often each is used; then the cells of each view."""
    values = look.views[0].values
    wide = max([5, *(len(as_text(values[cell])) + 1 for cell in look.shown if cell is not None)])
    margin = max(6, *(len(name) for name in look.names)) + 1 if len(look.views) > 1 else 6
    lines = [f"storage: {len(values)} cells"]
    for first in range(0, len(look.shown), PER_ROW):
        shown = look.shown[first : first + PER_ROW]
        cells = [("...", "...") if cell is None else (str(cell), as_text(values[cell])) for cell in shown]
        lines.append("cell".ljust(margin) + "".join(index.rjust(wide) for index, _ in cells))
        lines.append("value".ljust(margin) + "".join(value.rjust(wide) for _, value in cells))
        for number, view in enumerate(look.views):
            uses = view.uses()
            marks = ("" if cell is None or not uses[cell] else f"×{uses[cell]}" for cell in shown)
            label = look.names[number] if len(look.views) > 1 else "used"
            lines.append((label.ljust(margin) + "".join(mark.rjust(wide) for mark in marks)).rstrip())
    for number, view in enumerate(look.views):
        rows = view.as_slices()
        walked, columns = rows.walk(), max(rows.sizes[-1], 1)
        lines.append(f"{_heading(look, number)}: cells")
        starts = range(0, len(walked), columns)
        lines += [f"  {walked[first : first + columns]}" for first in starts[:MOST_ROWS]]
        lines += ["  ..."] if len(starts) > MOST_ROWS else []
    return "\n".join(lines)
