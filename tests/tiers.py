"""Which rows of a table of parameters `make test` runs; the others are marked `slow`, which `make test-all` runs.

@pytest.mark.parametrize("name", fast_first(2, NAMES))
"""

from collections.abc import Iterable
from typing import Any

import pytest

PAGES = ("01-strides", "02-dispatch")
"""Labs whose page and payoff `make test` runs. Lab 0's runs in `test_promises_00`; others compile, time, simulate."""


def fast_first(count: int, rows: Iterable[Any]) -> list[Any]:
    """The rows as parameters, all but the first `count` of them slow; a row of several values is a `pytest.param`."""
    return [row if at < count else _slow(row) for at, row in enumerate(rows)]


def fast_only(chosen: Iterable[Any], rows: Iterable[Any]) -> list[Any]:
    """The rows as parameters, all but the chosen ones slow.

    Raises:
        ValueError: one that is chosen is not a row.
    """
    rows, chosen = list(rows), list(chosen)
    if missing := [row for row in chosen if row not in rows]:
        raise ValueError(f"fast, but not in the table: {missing}")
    return [row if row in chosen else _slow(row) for row in rows]


def payoff_marks(lab: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a row that runs the payoff of a lab."""
    return () if lab in PAGES else (pytest.mark.slow,)


def _slow(row: Any) -> Any:
    is_parameter = hasattr(row, "marks")
    values, marks, name = (row.values, row.marks, row.id) if is_parameter else ((row,), (), None)
    return pytest.param(*values, marks=(*marks, pytest.mark.slow), id=name)
