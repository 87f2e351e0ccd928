"""One drawing primitive: a white card that collects shapes and text, and shows itself in Jupyter.

JupyterLab and nbconvert put an SVG into an <img>: neither the page's style nor its fonts nor `currentColor` reach
it. So the card is opaque, each color is an attribute, and the font is the generic monospace.
Lengths are in pixels from the card's top left corner.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

WIDEST = 680
PAD = 16
FONT, SMALL = 13, 11
ADVANCE = 0.61  # width of a monospace character, in units of the font size
INK, GREY, FAINT, PAPER = "#1a1a1a", "#5f5f5f", "#c9c9c9", "#f4f4f4"
# Suffix of a saved picture's file -> the file's text, of the SVG and what names the picture.
FORMATS = {
    ".svg": "{svg}\n",
    ".html": '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{name}</title>\n{svg}\n</html>\n',
}
# Okabe & Ito's colors without black; each pair holds apart for the common kinds of color blindness.
OKABE_ITO = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00", "#0072b2")


def tint(color: str, share: float = 0.5) -> str:
    """Return `color` mixed with white, light enough to write on; with a `share` of 1 it is unchanged."""
    channels = (int(color[first : first + 2], 16) for first in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - channel)):02x}" for channel in channels)


def text_width(text: str, size: int = FONT) -> float:
    """Return the width of a line of text in pixels."""
    return len(text) * size * ADVANCE


@dataclass(frozen=True)
class Picture:
    """A finished drawing: an SVG for Jupyter, and a text version for terminals."""

    svg: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": self.text}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file that a browser can open, "x.svg" or "x.html".

        A file of that name is replaced when the new one is complete; if writing fails it stays as it was.

        Raises:
            ValueError: another suffix.
            OSError: the file can't be written.
        """
        target = Path(path)
        form = FORMATS.get(target.suffix.lower())
        if form is None:
            raise ValueError(
                f"expected a file name that ends in {' or '.join(FORMATS)}, got {target.name!r}; "
                f'save it as "{target.stem or "picture"}.svg" and convert that where another format is needed'
            )
        text = form.format(svg=self.svg, name=escape(target.stem))
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
        return target


class Card:
    """A canvas that collects shapes from back to front, and grows to contain them."""

    def __init__(self) -> None:
        self._shapes: list[str] = []
        self._right = self._bottom = 0.0

    def _add(self, shape: str, right: float, bottom: float) -> None:
        self._shapes.append(shape)
        self._right, self._bottom = max(self._right, right), max(self._bottom, bottom)

    def rect(
        self, x: float, y: float, width: float, height: float,
        fill: str = "none", stroke: str = "none", thick: float = 1, round: float = 0,
    ) -> None:  # fmt: skip
        corner = f' rx="{_number(round)}"' if round else ""
        line = f' stroke="{stroke}" stroke-width="{_number(thick)}"' if stroke != "none" else ""
        box = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
        self._add(f'<rect {box}{corner} fill="{fill}"{line}/>', x + width, y + height)

    def rects(self, boxes: Sequence[tuple[float, float, float, float]], fill: str) -> None:
        """Draw many rectangles (x, y, width, height) of one color as a single path."""
        corners = "".join(
            f"M{_point(x, y)}h{_number(width)}v{_number(height)}h{_number(-width)}z" for x, y, width, height in boxes
        )
        right = max((x + width for x, _, width, _ in boxes), default=0.0)
        self._add(f'<path d="{corners}" fill="{fill}"/>', right, max((y + h for _, y, _, h in boxes), default=0.0))

    def text(
        self, x: float, y: float, text: str,
        size: int = FONT, fill: str = INK, anchor: str = "start", bold: bool = False,
    ) -> None:  # fmt: skip
        """Draw a line of text with its baseline at y; `anchor` is start, middle or end."""
        width = text_width(text, size)
        weight = ' font-weight="bold"' if bold else ""
        place = f'x="{_number(x)}" y="{_number(y)}" text-anchor="{anchor}"'
        shape = f'<text {place} font-size="{size}" fill="{fill}"{weight} xml:space="preserve">{escape(text)}</text>'
        self._add(shape, x + {"start": width, "middle": width / 2, "end": 0}[anchor], y + size * 0.3)

    def line(self, points: Sequence[tuple[float, float]], stroke: str = INK, thick: float = 1.25) -> None:
        self._path("M" + " L".join(_point(*point) for point in points), points, stroke, thick)

    def arrow(self, start: tuple[float, float], end: tuple[float, float], stroke: str = INK) -> None:
        """Draw a straight arrow, horizontal or vertical."""
        self.line((start, end), stroke)
        self._head(end, (end[0] - start[0], end[1] - start[1]), stroke)

    def arc(self, x: float, to_x: float, y: float, depth: float, stroke: str = INK) -> None:
        """Draw a curved arrow from (x, y) to (to_x, y) that reaches `depth` below y, or above y if it is negative."""
        control = y + depth * 4 / 3  # of a cubic whose lowest point is then at `depth`
        curve = f"M{_point(x, y)} C{_point(x, control)} {_point(to_x, control)} {_point(to_x, y)}"
        self._path(curve, ((x, y), (to_x, y + max(depth, 0))), stroke, 1.25)
        self._head((to_x, y), (0, -depth), stroke)

    def _path(self, path: str, points: Sequence[tuple[float, float]], stroke: str, thick: float) -> None:
        shape = f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{_number(thick)}"/>'
        self._add(shape, max(x for x, _ in points), max(y for _, y in points))

    def _head(self, tip: tuple[float, float], direction: tuple[float, float], fill: str) -> None:
        length = (direction[0] ** 2 + direction[1] ** 2) ** 0.5 or 1.0
        dx, dy = direction[0] / length, direction[1] / length
        (x, y), back, half = tip, 6, 3
        corners = ((x, y), (x - back * dx + half * dy, y - back * dy - half * dx),
                   (x - back * dx - half * dy, y - back * dy + half * dx))  # fmt: skip
        self._add(f'<path d="M{" L".join(_point(*corner) for corner in corners)} Z" fill="{fill}"/>', x, y)

    def picture(self, title: str, desc: str, text: str) -> Picture:
        """Return the finished picture.

        Args:
            title, desc: read aloud instead of the picture.
            text: shown where there are no pictures.
        """
        width, height = min(round(self._right + PAD), WIDEST), round(self._bottom + PAD)
        shapes = "\n".join(self._shapes)
        name = "p" + hashlib.sha256(f"{title}\n{desc}\n{shapes}".encode()).hexdigest()[:10]
        svg = f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" \
style="max-width:100%;height:auto" role="img" aria-labelledby="{name}t {name}d" \
font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">
<title id="{name}t">{escape(title)}</title>
<desc id="{name}d">{escape(desc)}</desc>
<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6" fill="#ffffff" stroke="{FAINT}"/>
{shapes}
</svg>"""
        return Picture(svg, text)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _point(x: float, y: float) -> str:
    return f"{_number(x)} {_number(y)}"
