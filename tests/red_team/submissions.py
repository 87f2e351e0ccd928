"""Whole submissions that aim at the trusted side: its time, its memory, its files, the other students."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Notebook = dict[str, Any]
CONTIGUOUS, ACCESSOR, VIEW = "strides.contiguous_strides", "accessor.TensorAccessor", "strides.view_strides"
LARGEST = 9_900_000  # bytes of a notebook that is read
WIDE = "|a" * 1200 + "\n" + "|-" * 1200 + "\n" + "|" * 2000
NESTED = ["> " * 4000, "- " * 4000, "1. " * 3000, ">- " * 3000]
OPEN = ["[" * 9900, "![" * 4900, "[a](" * 2400, "<a " * 3000]
MARKS = ["*a_ " * 2400, "`" * 9900, "**a" * 3000]
STUB = "def view_strides(sizes, strides, new_sizes):\n    raise NotImplementedError\n"


@dataclass(frozen=True)
class Submission:
    """One student's submission to the small lab of the tests, and what it deserves.

    Args:
        about: what it tries; unique.
        change: of the notebook with right answers, as JSON data.
        files: by name, texts beside the notebook; "lab.ipynb" replaces it.
        says: words of the reason for which it is refused; "" if it is graded.
        points: of 20.
    """

    about: str
    change: Callable[[Notebook], object] = lambda notebook: None
    files: Mapping[str, bytes] = field(default_factory=dict)
    says: str = ""
    points: int = 20


def _cell(notebook: Notebook, name: str) -> Notebook:
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def _add(kind: str, *sources: Any, **fields: Any) -> Callable[[Notebook], None]:
    """A change: cells of the student's own."""

    def change(notebook: Notebook) -> None:
        for number, source in enumerate(sources):
            cell = {"cell_type": kind, "id": f"own-{number}", "metadata": {}, "source": source, **fields}
            notebook["cells"].append(cell | ({"execution_count": None} if kind == "code" else {}))

    return change


def _after(exercise: str, text: str) -> Callable[[Notebook], None]:
    """A change: text at the end of an answer."""

    def change(notebook: Notebook) -> None:
        cell = _cell(notebook, f"{exercise.replace('.', '-')}-answer")
        cell["source"] += f"\n{text}"

    return change


def _write(text: str) -> Callable[[Notebook], None]:
    """A change: the written answer."""
    return lambda notebook: _cell(notebook, "reflect-stride-zero").update(source=text)


def _repeat(text: str, times: int) -> Callable[[Notebook], None]:
    """A change: an answer's cell appears many times, each with this text."""

    def change(notebook: Notebook) -> None:
        cell = _cell(notebook, "strides-view_strides-answer")
        notebook["cells"] += [{**cell, "source": text} for _ in range(times)]

    return change


def _mark(value: Any) -> Callable[[Notebook], None]:
    """A change: the notebook's metadata hold this."""
    return lambda notebook: notebook["metadata"].update(bomb=value)


def _time(text: bytes) -> Mapping[str, bytes]:
    return {"timestamp.txt": text}


def _file(text: bytes) -> Mapping[str, bytes]:
    return {"lab.ipynb": text}


SUBMISSIONS = [
    Submission("a time of handing in of 40 nines", files=_time(b"9" * 40 + b" h"), says="timestamp.txt holds"),
    Submission("a time with an offset beyond the calendar", files=_time(b"9999-12-31 23:59 -23:59"), says="timestamp"),
    Submission("a time before the calendar", files=_time(b"0001-01-01 00:00 +23:59"), says="timestamp.txt"),
    Submission("a time zone that is a path", files=_time(b"2026-10-12 10:00 A/../../../etc/passwd"), says="timestamp"),
    Submission("a time of a thousand digits", files=_time(b"1" * 1000), says="timestamp.txt has 1,000 bytes"),
    Submission("a time that is no text", files=_time(b"\xff\xfe\x00"), says="timestamp.txt holds"),
    Submission("a cell of 99,000 spaces that does not parse", _after(VIEW, " " * 95_000 + "x ("), points=11),
    Submission("a cell of 99,000 tabs and a sign of equality", _after(VIEW, "\t" * 95_000 + "=("), points=11),
    Submission("a cell of names and dots before a magic", _after(VIEW, "a." * 45_000 + "?? ("), points=11),
    Submission("a cell of 30,000 starred names", _after(VIEW, "x = lambda a: (" + "*a," * 30_000 + ")")),
    Submission("an answer of 50 kB of short statements", _after(CONTIGUOUS, "1;" * 25_000 + "1")),
    Submission("a cell nested a thousand deep", _after(VIEW, "x = " + "[" * 1000 + "]" * 1000), points=11),
    Submission("twelve code cells of 199 kB", _add("code", *["a+1;" * 49_750] * 12)),
    Submission("forty code cells of white space", _add("code", *[" \n" * 10_000] * 40)),
    Submission("six hundred cells of headings", _add("markdown", *["a\n=\n" * 2400] * 650)),
    Submission("five hundred tables", _add("markdown", *["|a|b|\n|-|-|\n" + "|c|d|\n" * 1500] * 500)),
    Submission("tables of a thousand columns", _add("markdown", *[WIDE] * 50)),
    Submission("quotes and lists in each other", _add("markdown", *NESTED * 20)),
    Submission("open brackets and links", _add("markdown", *OPEN * 20)),
    Submission("stars, underscores and backquotes", _add("markdown", *MARKS * 20)),
    Submission("a written answer of 199,000 tildes", _write("~" * 199_000)),
    Submission("a written answer of 199,000 brackets", _write("[" * 199_000)),
    Submission("forty stubs of 199 kB", _repeat(STUB + "1," * 99_000, 40), points=11),
    Submission("nine hundred copies of the answer that say nothing", _repeat(STUB, 900)),
    Submission("outputs of nine megabytes", _add("code", "1", outputs=[{"text": "\x1b[31m" * 900_000}])),
    Submission("nine hundred cells that print", _add("code", *["1"] * 900, outputs=[{"text": "x" * 9000}])),
    Submission("a cell of 190,000 lines", _add("code", ["a\n"] * 95_000)),
    Submission("a million empty lists in the metadata", _mark([[]] * 2_000_000)),
    Submission("a thousand numbers of 4,000 digits", _mark([int("9" * 4000)] * 1000)),
    Submission("names of a megabyte", _add("code", "1", metadata={"nbgrader": {"grade_id": "x" * 1_000_000}})),
    Submission("half surrogates and zeros everywhere", _add("markdown", "\ud800\0\u202e" * 3000)),
    Submission("numbers that are none", files=_file(b'{"cells": [], "nbformat": NaN}'), says="notebook format nan"),
    Submission("lists in each other", files=_file(b"[" * LARGEST), says="RecursionError"),
    Submission("a number of nine million digits", files=_file(b"9" * LARGEST), says="ValueError"),
    Submission("a name that is a page", files={f"{'<script>' * 20}.txt": b"x"}),
    Submission("a thousand files with long names", files={f"{number:0>250}": b"" for number in range(1000)}),
]  # fmt: skip
