"""The engine's map: its files from the lowest layer up, each function of an exercise filled by whose code it runs."""

from collections.abc import Sequence

from engine.draw.card import FAINT, GREY, INK, PAD, SMALL, WIDEST, Card, Picture, text_width, tint

YOURS, REFERENCE, FAILING = "yours", "reference", "failing"
# state -> fill, outline, sign before the name
LOOKS = {
    YOURS: (tint("#009e73", 0.45), "#009e73", "✓ "),
    REFERENCE: ("#ffffff", "#8a8a8a", ""),
    FAILING: (tint("#d55e00", 0.4), "#d55e00", "✗ "),
}
WORDS = {YOURS: "your code", REFERENCE: "the reference's", FAILING: "yours, not right yet"}
CHIP_HEIGHT, GAP = 24, 8

Row = tuple[str, str, Sequence[tuple[str, str]]]


def draw_map(rows: Sequence[Row]) -> Picture:
    """Draw a map of the engine that shows whose code each exercise runs.

    Args:
        rows: (file, lab, [(exercise, state), ...]) from the lowest layer up; `lab` is "" for
            none; state is "yours", "reference" or
            "failing". A file without exercises is given, and drawn as such.
    Raises:
        ValueError: a state is unknown.
    """
    states = [state for _, _, exercises in rows for _, state in exercises]
    unknown = set(states) - set(LOOKS)
    if unknown:
        raise ValueError(f"expected the states {', '.join(LOOKS)}, got {', '.join(sorted(unknown))}")
    card = Card()
    done = states.count(YOURS)
    summary = f"{done} of {len(states)} exercises run your code"
    card.text(PAD, PAD + 11, summary, bold=True)
    _bar(card, PAD + 22, states)
    y = _legend(card, PAD + 44)
    label_width = max([60.0, *(text_width(file) for file, _, _ in rows)]) + 14
    for position, (file, lab, exercises) in enumerate(rows):
        if position == 0 or rows[position - 1][1] != lab:
            card.text(PAD, y + 15, f"lab {lab}" if lab else "given", SMALL, GREY, bold=True)
            y += 24
        y = _file(card, y, file, label_width, exercises)
    said = "; ".join(f"{file}: " + (", ".join(f"{n} ({s})" for n, s in found) or "given") for file, _, found in rows)
    return card.picture(f"The engine's map: {summary}", said, _as_text(summary, rows))


def _bar(card: Card, y: float, states: Sequence[str]) -> None:
    width = WIDEST - 2 * PAD
    card.rect(PAD, y, width, 10, "#eeeeee", round=5)
    for state, first in ((YOURS, 0), (FAILING, states.count(YOURS))):
        share = states.count(state) / len(states) if states else 0
        if share:
            card.rect(PAD + width * first / len(states), y, width * share, 10, LOOKS[state][1], round=5)


def _legend(card: Card, y: float) -> float:
    x = float(PAD)
    for state, (fill, outline, sign) in LOOKS.items():
        card.rect(x, y, 14, 14, fill, outline, round=3)
        words = sign + WORDS[state]
        card.text(x + 20, y + 11, words, SMALL)
        x += 20 + text_width(words, SMALL) + 22
    return y + 24


def _file(card: Card, y: float, file: str, label_width: float, exercises: Sequence[tuple[str, str]]) -> float:
    """Draw a file's name and its exercises as chips, wrapped; return where it ends."""
    card.line(((PAD, y), (WIDEST - PAD, y)), FAINT, 1)
    y += 6
    card.text(PAD, y + 16, file, fill=INK if exercises else GREY)
    x = left = PAD + label_width
    if not exercises:
        card.text(x, y + 16, "given", SMALL, GREY)
    for name, state in exercises:
        fill, outline, sign = LOOKS[state]
        label = sign + name
        width = text_width(label, 12) + 16
        if x > left and x + width > WIDEST - PAD:
            x, y = left, y + CHIP_HEIGHT + GAP - 2
        card.rect(x, y, width, CHIP_HEIGHT, fill, outline, 1.25, 5)
        card.text(x + width / 2, y + 16, label, 12, INK, "middle")
        x += width + GAP
    return y + CHIP_HEIGHT + 6


def _as_text(summary: str, rows: Sequence[Row]) -> str:
    lines = [summary]
    for file, lab, exercises in rows:
        lines.append(f"  {file} (lab {lab})" if lab else f"  {file}")
        lines += [f"    [{'x' if state == YOURS else '!' if state == FAILING else ' '}] {n}" for n, state in exercises]
    return "\n".join(lines)
