"""Compare: a table of measurements, descriptions against sub-labels. Mirrors torch/utils/benchmark/utils/compare.py."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .measurement import ENGLISH, Measurement, select_unit, trim_sigfig

BOLD, TERMINATE = "\033[1m", "\033[0m"
BEST, GOOD, BAD, VERY_BAD = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m"
SEPARATOR = "  |  "
Cell = Measurement | None


@dataclass(frozen=True)
class Style:
    """The formatting options of a table.

    Attributes:
        trim: numbers have the figures that mean something, and no more.
        `colours`: "none", "columnwise" or "rowwise": where to look for the fastest.
        warnings: times that differ too much are marked.
    """

    trim: bool = False
    colours: str = "none"
    warnings: bool = False


class Compare:
    """A comparison of measurements: a table per label, a column per description, a row per sub-label, env and threads.

    Args:
        results: the measurements.
    """

    def __init__(self, results: Iterable[Measurement]):
        self._results: list[Measurement] = []
        self._style = Style()
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Append measurements to the comparison.

        Raises:
            ValueError: one is none.
        """
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
            self._results.append(result)

    def trim_significant_figures(self) -> None:
        """Show only the significant figures of the times."""
        self._style = Style(True, self._style.colours, self._style.warnings)

    def colorize(self, rowwise: bool = False) -> None:
        """Color the times by their distance from the fastest one in each column or row."""
        self._style = Style(self._style.trim, "rowwise" if rowwise else "columnwise", self._style.warnings)

    def highlight_warnings(self) -> None:
        """Mark times whose spread is too large."""
        self._style = Style(self._style.trim, self._style.colours, True)

    def print(self) -> None:
        """Print the tables."""
        print(self)

    def __str__(self) -> str:
        groups: dict[str | None, list[Measurement]] = {}
        for result in Measurement.merge(self._results):
            groups.setdefault(result.task_spec.label, []).append(result)
        return "\n".join(table_of(group, self._style) for group in groups.values())


def table_of(results: Sequence[Measurement], style: Style) -> str:
    """Return the table for measurements that share one label."""
    unit, scale = select_unit(min(result.median for result in results))
    headers = list(dict.fromkeys(result.task_spec.description for result in results))
    keys = sorted(dict.fromkeys(row_key(result) for result in results), key=lambda key: (key[0], key[1] or ""))
    cells: dict[tuple[int, str | None, str], list[Cell]] = {key: [None] * len(headers) for key in keys}
    for result in results:
        cells[row_key(result)][headers.index(result.task_spec.description)] = result
    columns = [[row[number] for row in cells.values()] for number in range(len(headers))]
    texts = [column_texts(column, scale, style) for column in columns]
    has_env = len({result.task_spec.env for result in results}) > 1
    names = row_names(keys, has_env)
    lines = [["", *(header or "" for header in headers)]]
    lines += [[name, *entries] for name, entries in zip(names, zip(*texts, strict=True), strict=True)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [SEPARATOR.join(text.center(width) for text, width in zip(lines[0], widths, strict=True))]
    overall = len(shown[0])
    before = None
    for key, line in zip(keys, lines[1:], strict=True):
        if key[0] != before:
            shown.append(f"{key[0]} threads: ".ljust(overall, "-"))
            before = key[0]
        row = cells[key]
        group = [cells[other] for other in keys if other[0] == key[0]]
        entries = [
            coloured(text.center(width), cell, best_of(style, row, [other[number] for other in group]))
            for number, (text, width, cell) in enumerate(zip(line[1:], widths[1:], row, strict=True))
        ]
        shown.append(SEPARATOR.join([line[0].ljust(widths[0]), *entries]))
    label = f" {results[0].task_spec.label or ''} ".center(overall - 2, "-")
    variance = style.warnings and any(result.has_warnings for result in results)
    note = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n" if variance else ""
    body = "\n".join(shown)
    return f"[{label}]\n{body}\n\nTimes are in {ENGLISH[unit]}s ({unit}).\n{note}"


def row_key(result: Measurement) -> tuple[int, str | None, str]:
    """Return the key that identifies the row of a measurement."""
    return result.task_spec.num_threads, result.task_spec.env, result.as_row_name


def row_names(keys: Sequence[tuple[int, str | None, str]], has_env: bool) -> list[str]:
    """Return the row names; if there are several envs, prefix the first row of each with the env in parentheses."""
    length = max(len(str(env)) for _, env, _ in keys) if has_env else 0
    names, before = [], (None, "")
    for threads, env, name in keys:
        is_new = has_env and (threads, env) != before
        names.append("  " + (f"({env})" if is_new else "").ljust(length + 4) + name)
        before = threads, env  # type: ignore[assignment]
    return names


def column_texts(column: Sequence[Cell], scale: float, style: Style) -> list[str]:
    """Return the medians of a column as text with the same number of decimals; missing cells are blank."""
    found = [cell for cell in column if cell is not None]
    digits = [math.ceil(math.log10(cell.median / scale)) for cell in found]
    decimals = 1
    if style.trim:
        decimals = min(max(cell.significant_figures - count, 0) for count, cell in zip(digits, found, strict=True))
    length = max(digits) + decimals + (1 if decimals else 0)
    has_marks = style.warnings and any(cell.has_warnings for cell in found)
    texts = []
    for cell in column:
        if cell is None:
            texts.append(f"{1:>{length}.{decimals}f}{'':>{7 if has_marks else 0}}")
            texts[-1] = " " * len(texts[-1])
            continue
        number = cell.median / scale
        number = trim_sigfig(number, cell.significant_figures) if style.trim else number
        mark = f" (! {cell.iqr / cell.median * 100:.0f}%)" if has_marks and cell.has_warnings else ""
        texts.append(f"{number:>{length}.{decimals}f}{mark:>{7 if has_marks else 0}}")
    return texts


def best_of(style: Style, row: Sequence[Cell], column: Sequence[Cell]) -> float | None:
    """Return the shortest time in the row or column of a cell, whichever the style compares; None if neither."""
    among = {"none": (), "rowwise": row, "columnwise": column}[style.colours]
    return min((cell.median for cell in among if cell is not None), default=None)


def coloured(text: str, cell: Cell, best: float | None) -> str:
    """Return a cell's text, colored by how its time compares with the best time."""
    if cell is None or best is None:
        return text
    time = cell.median
    if time <= best * 1.01 or time <= best + 100e-9:
        return BEST + BOLD + text + TERMINATE * 2
    if time <= best * 1.1:
        return GOOD + BOLD + text + TERMINATE * 2
    if time >= best * 5:
        return VERY_BAD + BOLD + text + TERMINATE * 2
    return BAD + text + TERMINATE * 2 if time >= best * 2 else text
