"""The table by operator, with the first failing call of each kind."""

from rich.console import Console
from rich.table import Table

from .operators import Row

SAMPLES_NEEDED, ERRORS_NEEDED = 0.99, 0.95  # shares that pass


def print_table(console: Console, rows: list[Row]) -> bool:
    """The table, the first failure of each kind, the totals; whether enough passed."""
    table = Table("operator", "samples", "in scope", "failed", "calls", "refused", "in scope", "failed", "what fails",
                  "reported only")  # fmt: skip
    for column in table.columns[1:8]:
        column.justify = "right"
    for row in rows:
        if row.missing:
            table.add_row(row.name, *[""] * 7, "not there yet", style="dim")
            continue
        inside, refused = in_scope(row)
        cells = (row.samples, inside, row.failed, row.calls, row.errors, refused, row.errors_failed)
        table.add_row(row.name, *map(str, cells), _counts(row.kinds), _counts(row.softer),
                      style="red" if row.failed or row.errors_failed else None)  # fmt: skip
    _print_first(console, rows)
    console.print(table)
    reasons: dict[str, int] = {}
    for row in rows:
        for why, count in (row.out_of_scope + row.errors_out_of_scope).items():
            reasons[why] = reasons.get(why, 0) + count
    console.print("out of scope: " + "; ".join(f"{why}: {count}" for why, count in sorted(reasons.items())))
    return _print_totals(console, rows)


def in_scope(row: Row) -> tuple[int, int]:
    """Samples and error inputs that count."""
    return row.samples - row.out_of_scope.total(), row.errors - row.errors_out_of_scope.total()


def in_short(row: Row) -> str:
    """A row as one line, for those who wait."""
    samples, errors = in_scope(row)
    text = f"{row.name}: {row.failed} of {samples} samples fail, {row.errors_failed} of {errors} error inputs"
    return f"{text}; {_counts(row.kinds)}" if row.kinds else text


def _print_totals(console: Console, rows: list[Row]) -> bool:
    passed = True
    for title, at, failed, needed in (
        ("samples", 0, sum(row.failed for row in rows), SAMPLES_NEEDED),
        ("error inputs", 1, sum(row.errors_failed for row in rows), ERRORS_NEEDED),
    ):
        total = sum(in_scope(row)[at] for row in rows)
        share = 1 - failed / max(total, 1)
        passed = passed and share >= needed
        style = "green" if share >= needed else "red"
        console.print(f"{title}: {total - failed} of {total} in scope, {share:.2%} (needed {needed:.0%})", style=style)
    return passed


def _print_first(console: Console, rows: list[Row]) -> None:
    for row in rows:
        shown = set()
        for kind, line, detail in row.failures:
            if kind not in shown:
                shown.add(kind)
                console.print(f"{row.name}: {kind} ({row.kinds[kind]}): {line[:600]}\n    {detail[:600]}", markup=False,
                              highlight=False, soft_wrap=True)  # fmt: skip


def print_in_full(console: Console, row: Row) -> None:
    """Each failure of an operator that was kept."""
    for kind, line, detail in [*row.failures, *row.soft_failures]:
        console.print(f"{kind}: {line}\n    {detail}", markup=False, highlight=False, soft_wrap=True)


def _counts(kinds: dict[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in kinds.items())
