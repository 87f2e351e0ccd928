"""The table by operator, with the first failing call of each kind."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from . import scope
from .operators import Row

SAMPLES_NEEDED, ERRORS_NEEDED, OUTCOMES_NEEDED = 0.99, 0.95, 0.95  # shares that pass


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
    _print_reasons(console, rows)
    return _print_totals(console, rows)


def print_gradients(console: Console, rows: list[Row]) -> bool:
    """Print the table of first and second gradients; the operators that fail most come last."""
    table = Table("operator", "samples", "in scope", "failed", "gradients", "what fails", "reported only")
    for column in table.columns[1:5]:
        column.justify = "right"
    for row in sorted(rows, key=lambda row: row.failed):
        if row.missing:
            table.add_row(row.name, *[""] * 4, "not there yet", style="dim")
            continue
        cells = (row.samples, in_scope(row)[0], row.failed, row.calls)
        table.add_row(row.name, *map(str, cells), _counts(row.kinds), _counts(row.softer),
                      style="red" if row.failed else None)  # fmt: skip
    _print_first(console, rows)
    console.print(table)
    _print_reasons(console, rows)
    parts = {"gradients": rows, "gradients, core list": [row for row in rows if scope.is_core(row.name)]}
    shares = [
        _print_share(console, title, [in_scope(row)[0] for row in part], [row.failed for row in part], SAMPLES_NEEDED)
        for title, part in parts.items()
    ]
    return all(shares)


def print_meta(console: Console, rows: list[Row]) -> bool:
    """Print the first failure of each kind on device "meta", what is refused as in PyTorch, and the total."""
    rows = [row for row in rows if not row.missing]
    _print_first(console, rows)
    console.print("refused, as PyTorch refuses them: " + ", ".join(row.name for row in rows if row.softer))
    counts = [in_scope(row)[0] for row in rows]
    return _print_share(console, "meta", counts, [row.failed for row in rows], SAMPLES_NEEDED)


def print_wrapped(console: Console, rows: list[Row]) -> bool:
    """Print the first failure of each kind with wrapped tensors, and the total."""
    rows = [row for row in rows if not row.missing]
    _print_first(console, rows)
    return _print_share(console, "wrapped", [in_scope(row)[0] for row in rows], [row.failed for row in rows], 1.0)


def print_vmapped(console: Console, rows: list[Row]) -> bool:
    """Print the first failure of each kind under vmap, and the shares of right values and of PyTorch's outcomes."""
    rows = [row for row in rows if not row.missing]
    _print_first(console, rows)
    for row in rows:
        for kind, line, detail in row.soft_failures[:1]:
            console.print(f"{row.name}: {kind}: {line[:300]}\n    {detail[:300]}", markup=False, highlight=False)
    shares = [
        _print_share(console, "vmapped, of those right in PyTorch", [row.calls for row in rows],
                     [row.failed for row in rows], SAMPLES_NEEDED),
        _print_share(console, "vmapped, same outcome", [row.samples for row in rows],
                     [row.softer["class"] for row in rows], OUTCOMES_NEEDED),
        _print_share(console, "vmapped, same outcome in the same words", [row.samples for row in rows],
                     [row.softer.total() for row in rows], OUTCOMES_NEEDED),
    ]  # fmt: skip
    return all(shares)


def print_functionalized(console: Console, rows: list[Row]) -> bool:
    """Print the first failure of each kind inside functionalize, and the total."""
    rows = [row for row in rows if not row.missing]
    _print_first(console, rows)
    return _print_share(
        console, "functionalized", [row.samples for row in rows], [row.failed for row in rows], SAMPLES_NEEDED
    )


def _print_reasons(console: Console, rows: list[Row]) -> None:
    reasons: dict[str, int] = {}
    for row in rows:
        for why, count in (row.out_of_scope + row.errors_out_of_scope).items():
            reasons[why] = reasons.get(why, 0) + count
    console.print("out of scope: " + "; ".join(f"{why}: {count}" for why, count in sorted(reasons.items())))


def in_scope(row: Row) -> tuple[int, int]:
    """Samples and error inputs that count."""
    return row.samples - row.out_of_scope.total(), row.errors - row.errors_out_of_scope.total()


def in_short(row: Row) -> str:
    """A row as one line, for those who wait."""
    samples, errors = in_scope(row)
    text = f"{row.name}: {row.failed} of {samples} samples fail, {row.errors_failed} of {errors} error inputs"
    return f"{text}; {_counts(row.kinds)}" if row.kinds else text


def _print_totals(console: Console, rows: list[Row]) -> bool:
    samples, errors = zip(*map(in_scope, rows), strict=True)
    shares = [
        _print_share(console, "samples", samples, [row.failed for row in rows], SAMPLES_NEEDED),
        _print_share(console, "error inputs", errors, [row.errors_failed for row in rows], ERRORS_NEEDED),
    ]
    return all(shares)


def _print_share(console: Console, title: str, counts: Sequence[int], failed: Sequence[int], needed: float) -> bool:
    total, wrong = sum(counts), sum(failed)
    share, whole = 1 - wrong / max(total, 1), sum(not count for count in failed)
    passed = share >= needed
    text = f"{title}: {total - wrong} of {total} in scope, {share:.2%} (needed {needed:.0%}); "
    console.print(f"{text}{whole} of {len(failed)} operators in full", style="green" if passed else "red")
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
