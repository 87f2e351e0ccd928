"""The picture of a failing case: one storage, the view that was given, the one that was wanted, and the student's.

Only exercises that turn one geometry into another have one. Cells are numbered, not filled, because what is wrong
is where elements lie.
"""

import base64
from dataclasses import dataclass
from html import escape
from typing import Any

from autograder.examine.model import Drawing
from autograder.examine.questions import Observation
from autograder.labs import CHECKS
from engine import draw
from engine.draw import Geometry, Picture

MOST_CELLS = 60
CLASS = "engine-picture"
DARK_PAGES = ('[data-jp-theme-light="false"]', "body.vscode-dark")
DARK = "invert(0.93) hue-rotate(180deg)"  # white becomes nearly black, and the colors stay apart
View = tuple[tuple[int, ...], tuple[int, ...], int]


@dataclass(frozen=True)
class Themed(Picture):
    """A picture that follows the light or dark theme of JupyterLab or VS Code.

    Both show an SVG as an image, which the page's style does not reach; a filter on that image is style of the page.
    Where the style is not trusted, the image stays as light as it is.
    """

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        source = base64.b64encode(self.svg.encode()).decode()
        style = f"<style>{', '.join(f'{page} .{CLASS}' for page in DARK_PAGES)} {{filter: {DARK}}}</style>"
        image = f'<img class="{CLASS}" alt="{escape(self.text)}" src="data:image/svg+xml;base64,{source}">'
        return super()._repr_mimebundle_(include, exclude) | {"text/html": style + image}


def picture(exercise: str, args: tuple, wanted: Observation, got: Observation) -> Picture | None:
    """Draw a failing case; return None if a picture would not help: for an error, one cell, too many, no difference."""
    drawing = CHECKS[exercise].drawing
    if drawing is None or wanted.raised or got.raised:
        return None
    views = {"given": drawing.given(args)}
    note = ""
    for name, seen in (("wanted", wanted.value), ("yours", got.value)):
        if not _is_geometry(view := _geometry(drawing, args, seen)):
            continue
        if outside := _outside(view):
            sizes, strides, offset = view
            note = f"{name}: sizes {sizes}  strides {strides}  offset {offset}, not drawn: {outside}"
        else:
            views[name] = view
    cells = 1 + max(_last(view) for view in views.values())
    if len(views) == 1 or 0 in views["given"][0] or not 2 <= cells <= MOST_CELLS:
        return None
    if len(views) == 3 and _walk(views["yours"]) == _walk(views["wanted"]):
        return None
    values = range(cells)
    return draw.storage(*(Geometry(values, *view) for view in views.values()), names=tuple(views), note=note)


def themed(picture: Picture) -> Themed:
    """Return the picture for display in a notebook, dark if the theme is dark."""
    return Themed(picture.svg, picture.text)


def _geometry(drawing: Drawing, args: tuple, seen: object) -> tuple:
    """Return the geometry in an answer, or ()."""
    try:
        return tuple(drawing.answer(args, seen))  # type: ignore[arg-type]
    except (TypeError, ValueError, KeyError, IndexError):  # an answer may have any form
        return ()


def _is_geometry(view: tuple) -> bool:
    """Return whether an answer has the form of a geometry: the student's may be anything."""
    if len(view) != 3 or type(view[2]) is not int:
        return False
    sizes, strides, _ = view
    numbers = isinstance(sizes, tuple) and isinstance(strides, tuple) and len(sizes) == len(strides)
    return numbers and all(type(number) is int for number in (*sizes, *strides))


def _outside(view: View) -> str:
    """Return the reason why no tensor has this geometry, "" if one may have it."""
    sizes, strides, offset = view
    if min(sizes, default=0) < 0:
        return "a size is below 0"
    if min(strides, default=0) < 0:
        return "a stride is below 0"
    return "it starts before cell 0" if offset < 0 else ""


def _walk(view: View) -> tuple:
    """Return the visible part of a view: no strides of dimensions that have no step."""
    sizes, strides, offset = view
    return sizes, offset, [stride for size, stride in zip(sizes, strides, strict=True) if size > 1]


def _last(view: View) -> int:
    sizes, strides, offset = view
    return offset + sum(max(size - 1, 0) * stride for size, stride in zip(sizes, strides, strict=True))
