"""The page: texts and figures by the template, tables by `page.js` from the data in it, and nothing loaded.

Whatever is a student's is escaped twice over: the template escapes texts, the data is JSON in which no `<` is left,
`page.js` sets text and never markup, and the page's own policy lets no script run but the two of this folder.
"""

import base64
import hashlib
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from autograder.documents import is_document
from autograder.grading.class_page import figures, students
from autograder.grading.class_page.history import Entry
from autograder.grading.class_page.predictions import FEWEST, Predictions
from autograder.grading.report import Classes
from autograder.grading.standings import Enrolled
from autograder.sandbox import Isolation

FOLDER = Path(__file__).parent
LIBRARY, SCRIPT, STYLE = "datatables/dataTables.min.js", "page.js", "page.css"


def html(
    classes: Classes,
    isolation: Isolation,
    problem: str = "",
    enrolled: Mapping[str, Enrolled] | None = None,
    trend: Mapping[str, Sequence[Entry]] | None = None,
    guesses: Mapping[str, Predictions] | None = None,
) -> str:
    """Return the class page as the text of one HTML file.

    Args:
        isolation: what this run found.
        problem: what is wrong with the course's file, or "".
        enrolled: everybody whom the gradebook knows.
        trend: by lab, its distribution after the last regrades.
        guesses: by lab, what the class predicted; None if the course does not count it.
    """
    known, kept = enrolled or {}, trend or {}
    everyone = len(known)
    labs = [
        figures.of_lab(lab, rows, everyone)
        | {"trend": kept.get(lab.id, ()), "predictions": (guesses or {}).get(lab.id)}
        for lab, rows in classes
    ]
    return _template().render(
        labs=labs, data=students.data(classes, known), everyone=max([everyone, *(lab["submitted"] for lab in labs)]),
        problems=[problem] if problem else [], isolation=isolation, when=time.strftime("%Y-%m-%d %H:%M"),
        style=text(STYLE), scripts=[text(LIBRARY), text(SCRIPT)], digests=[digest(LIBRARY), digest(SCRIPT)],
        bars=bars, short_name=short_name, fewest=FEWEST,
    )  # fmt: skip


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html")


@cache
def text(name: str) -> Markup:
    """Return the text of a file in this folder, marked as safe to insert into the page."""
    return Markup((FOLDER / name).read_text("utf-8"))


def digest(name: str) -> str:
    """Return the hash by which the page's Content-Security-Policy allows a script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text(name).encode()).digest()).decode()}"


def short_name(name: str) -> str:
    """Return an exercise's name without its module, or a document's name unchanged.

    >>> short_name("strides.permute"), short_name("STACK.md")
    ('permute', 'STACK.md')
    """
    return name if is_document(name) else name.rpartition(".")[2]


def bars(counts: Sequence[int], most: int) -> list[dict[str, Any]]:
    """Return the bars of a histogram of points up to `most`.

    `height`: percent of the tallest. `label`: the points that it counts; "" where there are none.
    """
    tenths, tallest = len(counts) - 1, max([1, *counts])
    edges = [-(-most * tenth // tenths) for tenth in range(tenths + 1)]
    labels = [_range(low, high - 1) for low, high in zip(edges, edges[1:], strict=False)] + [f"{most}"]
    return [
        {"count": count, "height": round(100 * count / tallest, 1), "label": label}
        for count, label in zip(counts, labels, strict=True)
    ]


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}" if low < high else ""
