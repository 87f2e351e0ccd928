"""A lab's hours: how long each exercise took so far, as a picture and as a table of text."""

from collections.abc import Collection, Sequence

from engine.draw.card import FAINT, GREY, INK, PAD, SMALL, WIDEST, Card, Picture, text_width, tint

PASSED, NOT_PASSED, NOT_OPENED = "passed", "not passed yet", "not opened"
BETWEEN = "reading and trying between exercises"
# state -> fill of its mark, outline of its mark and color of its bar, the sign in the mark
LOOKS = {
    PASSED: (tint("#009e73", 0.45), "#009e73", "✓"),
    NOT_PASSED: (tint("#56b4e9", 0.4), "#56b4e9", "…"),
    NOT_OPENED: ("#ffffff", "#8a8a8a", ""),
}
ROW, MARK, TIME = 26, 16, 84  # height of a row, side of a mark, width of the column of minutes

Row = tuple[str, str, float]


def draw_hours(
    title: str, rows: Sequence[Row], between: float = 0.0, estimate: float | None = None, note: str = "",
    extra: Collection[str] = (),
) -> Picture:  # fmt: skip
    """Draw the hours worked on each exercise of a lab.

    Args:
        title: of the lab.
        rows: (exercise, state, minutes) in the order of the lab; see `LOOKS` for the states.
        between: minutes that belong to no exercise.
        estimate: hours that the lab states for its core.
        note: a line below.
        extra: the optional exercises, whose hours are added up apart.
    Raises:
        ValueError: a state is unknown.
    """
    unknown = {state for _, state, _ in rows} - set(LOOKS)
    if unknown:
        raise ValueError(f"expected the states {', '.join(LOOKS)}; got {', '.join(sorted(unknown))}")
    core = between + sum(minutes for name, _, minutes in rows if name not in extra)
    optional = sum(minutes for name, _, minutes in rows if name in extra)
    summary = f"{title}: {_in_hours(core)}{f', estimated {_in_hours(60 * estimate)}' if estimate else ''}"
    if optional:
        summary += f"; optional exercises {_in_hours(optional)}"
    rows = [(f"{name} (optional)" if name in extra else name, state, minutes) for name, state, minutes in rows]
    card = Card()
    card.text(PAD, PAD + 11, summary, bold=True)
    y = PAD + 30.0
    if estimate:
        width = WIDEST - 2 * PAD
        card.rect(PAD, PAD + 22, width, 10, "#eeeeee", round=5)
        if share := min(1.0, core / (60 * estimate)):
            card.rect(PAD, PAD + 22, width * share, 10, LOOKS[PASSED][1], round=5)
        y = PAD + 44.0
    y = _draw_rows(card, rows, between, y)
    if note:
        card.line(((PAD, y), (WIDEST - PAD, y)), FAINT, 1)
        card.text(PAD, y + 17, note, SMALL, GREY)
    said = [f"{name}: {state}, {_in_minutes(minutes)}" for name, state, minutes in rows]
    said += [f"{BETWEEN}: {_in_minutes(between)}"]
    return card.picture(summary, "; ".join(said), _as_text(summary, rows, between, note))


def _draw_rows(card: Card, rows: Sequence[Row], between: float, y: float) -> float:
    """Draw a row for each exercise, and one for the rest; return where they end."""
    longest = max([between, 1.0, *(minutes for *_, minutes in rows)])
    bar_x = PAD + MARK + 10 + max([text_width(BETWEEN, SMALL), *(text_width(name) for name, *_ in rows)]) + 16
    room = max(WIDEST - PAD - TIME - bar_x, 40)
    for name, state, minutes in [*rows, (BETWEEN, "", between)]:
        card.line(((PAD, y), (WIDEST - PAD, y)), FAINT, 1)
        fill, outline, sign = LOOKS.get(state, ("", FAINT, ""))
        if state:
            card.rect(PAD, y + 5, MARK, MARK, fill, outline, 1.25, 3)
            card.text(PAD + MARK / 2, y + 17, sign, SMALL, INK, "middle", bold=True)
        card.text(PAD + MARK + 10, y + 17, name, *(() if state else (SMALL, GREY)))
        if minutes:
            card.rect(bar_x, y + 7, max(1.0, room * minutes / longest), 12, outline, round=2)
        card.text(WIDEST - PAD, y + 17, _in_minutes(minutes), anchor="end", fill=INK if minutes else GREY)
        y += ROW
    return y


def _in_minutes(minutes: float) -> str:
    """Return a time for a table.

    >>> _in_minutes(0), _in_minutes(0.4), _in_minutes(12.6), _in_minutes(125)
    ('–', '<1 min', '13 min', '125 min')
    """
    return "–" if not minutes else "<1 min" if minutes < 1 else f"{minutes:.0f} min"


def _in_hours(minutes: float) -> str:
    """Return a time for a summary.

    >>> _in_hours(30), _in_hours(60), _in_hours(200)
    ('0.5 hours', '1 hour', '3.3 hours')
    """
    number = f"{minutes / 60:.1f}".removesuffix(".0")
    return f"{number} hour{'s' * (number != '1')}"


def _as_text(summary: str, rows: Sequence[Row], between: float, note: str) -> str:
    widest = max(map(len, LOOKS))
    lines = [f"   {state:<{widest}}  {_in_minutes(minutes):>7}  {name}" for name, state, minutes in rows]
    lines.append(f"   {'':<{widest}}  {_in_minutes(between):>7}  {BETWEEN}")
    return "\n".join([summary, *lines, *([f"   {note}"] if note else [])])
