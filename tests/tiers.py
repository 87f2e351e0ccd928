"""Which rows of a table of parameters `make test` runs; the others are marked `slow`, which `make test-all` runs too.

@pytest.mark.parametrize("name", fast_first(2, NAMES))
"""

from collections.abc import Iterable
from typing import Any

import pytest


def fast_first(count: int, rows: Iterable[Any]) -> list[Any]:
    """The rows as parameters, all but the first `count` of them slow."""
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


def _slow(row: Any) -> Any:
    is_parameter = hasattr(row, "marks")
    values, marks, name = (row.values, row.marks, row.id) if is_parameter else ((row,), (), None)
    return pytest.param(*values, marks=(*marks, pytest.mark.slow), id=name)
