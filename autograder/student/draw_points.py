"""A lab's points: each exercise with its state, as a picture and as a table of text."""

from collections.abc import Collection, Sequence

from engine.draw.card import FAINT, GREY, INK, PAD, SMALL, WIDEST, Card, Picture, text_width, tint

RIGHT, WRONG, CHANGED, UNCHECKED, OPEN = "right", "wrong", "changed since its check", "not checked yet", "open"
# state -> fill and outline of its mark, the sign in it
LOOKS = {
    RIGHT: (tint("#009e73", 0.45), "#009e73", "✓"),
    WRONG: (tint("#d55e00", 0.4), "#d55e00", "✗"),
    CHANGED: (tint("#e69f00", 0.4), "#e69f00", "~"),
    UNCHECKED: (tint("#56b4e9", 0.4), "#56b4e9", "?"),
    OPEN: ("#ffffff", "#8a8a8a", ""),
}
ROW, MARK = 26, 16

Row = tuple[str, str, int, int]


def draw_points(title: str, rows: Sequence[Row], note: str = "", extra: Collection[str] = ()) -> Picture:
    """Draw the points earned in each exercise of a lab.

    Args:
        title: of the lab.
        rows: (exercise, state, points, points of the exercise) in the order of the lab; see `LOOKS` for the states.
        note: a line below.
        extra: the optional exercises, whose points are added up apart.
    Raises:
        ValueError: a state is unknown.
    """
    unknown = {state for _, state, _, _ in rows} - set(LOOKS)
    if unknown:
        raise ValueError(f"expected the states {', '.join(LOOKS)}; got {', '.join(sorted(unknown))}")
    earned, total = _added([row for row in rows if row[0] not in extra])
    summary = f"{title}: {earned} of {total} points"
    if extra:
        summary += ", extra {} of {}".format(*_added([row for row in rows if row[0] in extra]))
    rows = [(row[0] + " (optional)" * (row[0] in extra), *row[1:]) for row in rows]
    card = Card()
    card.text(PAD, PAD + 11, summary, bold=True)
    width = WIDEST - 2 * PAD
    card.rect(PAD, PAD + 22, width, 10, "#eeeeee", round=5)
    if earned:
        card.rect(PAD, PAD + 22, width * earned / total, 10, LOOKS[RIGHT][1], round=5)
    y = PAD + 44.0
    state_x = PAD + MARK + 10 + max([0.0, *(text_width(name) for name, *_ in rows)]) + 24
    for name, state, got, most in rows:
        fill, outline, sign = LOOKS[state]
        card.line(((PAD, y), (WIDEST - PAD, y)), FAINT, 1)
        card.rect(PAD, y + 5, MARK, MARK, fill, outline, 1.25, 3)
        card.text(PAD + MARK / 2, y + 17, sign, SMALL, INK, "middle", bold=True)
        card.text(PAD + MARK + 10, y + 17, name)
        card.text(state_x, y + 17, state, SMALL, GREY)
        card.text(WIDEST - PAD, y + 17, f"{got} of {most}", anchor="end", fill=INK if got else GREY)
        y += ROW
    if note:
        card.line(((PAD, y), (WIDEST - PAD, y)), FAINT, 1)
        card.text(PAD, y + 17, note, SMALL, GREY)
    said = "; ".join(f"{name}: {state}, {got} of {most}" for name, state, got, most in rows)
    return card.picture(summary, said, _as_text(summary, rows, note))


def _added(rows: Sequence[Row]) -> tuple[int, int]:
    return sum(row[2] for row in rows), sum(row[3] for row in rows)


def _as_text(summary: str, rows: Sequence[Row], note: str) -> str:
    widest = max((len(state) for _, state, _, _ in rows), default=0)
    lines = [f"   {state:<{widest}}  {got:2} of {most:2}  {name}" for name, state, got, most in rows]
    return "\n".join([summary, *lines, *([f"   {note}"] if note else [])])
