"""The picture of one call's way through the dispatcher: the keys of the call as a ladder, and the rung where it stops.

On the left, which argument brings which key, what the thread adds and takes away, and the set that is left. In the
middle the keys from the highest to the lowest: struck out if the thread excludes them, crossed out if calls fall
through them, filled where the call lands. On the right, the reason, and the function at that key.
"""

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import _ops, slots
from ..dispatch import boxing, dumps, registry
from ..dispatch.calling import key_set_of_tensors
from ..dispatch.keys import DispatchKey, DispatchKeySet, below, bits, keys_of, without
from ..dispatch.local import local
from ..dispatch.source_location import Place, place_of
from .card import FAINT, GREY, INK, OKABE_ITO, PAD, PAPER, SMALL, WIDEST, Card, Picture, text_width, tint

TAKEN, FALLS, EXCLUDED, BELOW, SHADOWED, MISSING = "taken", "falls through", "excluded", "below", "shadowed", "missing"
GREEN, RED = "#009e73", "#d55e00"
# state -> fill and outline of the rung, color of its name
LOOKS = {
    TAKEN: (tint(GREEN, 0.45), GREEN, INK),
    FALLS: ("#ffffff", "#8a8a8a", INK),
    EXCLUDED: (PAPER, FAINT, GREY),
    BELOW: ("#ffffff", FAINT, GREY),
    SHADOWED: (PAPER, FAINT, GREY),
    MISSING: (tint(RED, 0.35), RED, INK),
}
ORIGINS = {
    "kernel": "kernel of this key",
    "default": "CompositeExplicitAutograd",
    "math": "CompositeImplicitAutograd",
    "autograd": "Autograd kernel",
    "batched": "batching rule",
    "fallback": "backend fallback",
    "ambiguous": "two kernels claim it",
    "missing": "no kernel",
}
ROW, RUNG = 44, 28  # distance of rungs, height of one


class Source(NamedTuple):
    """A source of dispatch keys for a call: an argument or the thread's included keys."""

    name: str
    key_set: int


class Rung(NamedTuple):
    """A dispatch key of the ladder: which sources have it, its state in the call, the reason, and its kernel."""

    key: DispatchKey
    brought: tuple[bool, ...]
    state: str
    why: str
    place: Place | None


def dispatch(op: Any, *args: Any, **kwargs: Any) -> Picture:
    """Draw which kernel a call would dispatch to in this thread, and why, without running it.

    Inside a function that is transformed there is a ladder for each layer of transforms.

    Args:
        op: `engine.ops.aten.add.Tensor`, or its name "aten::add.Tensor".
        args, kwargs: of the call, as `op` takes them.
    Raises:
        RuntimeError: there is no such operator, or it does not take these arguments.
    """
    name = op if isinstance(op, str) else op.name() if isinstance(op, _ops.OpOverload) else str(op).replace(".", "::")
    schema = registry.find(name).schema
    assert schema is not None
    sources, stack = [], boxing.stack_of(schema, args, kwargs)
    if local.state.included & bits(DispatchKey.FuncTorchDynamicLayerFrontMode):
        return slots.picture_of_levels(name, schema, stack)
    for argument, value in zip(schema.arguments, stack, strict=True):
        if argument in schema.tensor_arguments and value is not None:
            tensors = value if isinstance(value, (list, tuple)) else (value,)
            sources.append(Source(argument.name, key_set_of_tensors(tensors)))
    sources.append(Source("thread +", local.state.included))
    rungs = [
        rung._replace(why=f"goes to {slots.answering(stack)}") if rung.key is DispatchKey.Python else rung
        for rung in ladder(name, sources, local.state.excluded)
    ]
    return _picture(name, str(schema), sources, rungs)


def ladder(name: str, sources: Sequence[Source], excluded: int) -> list[Rung]:
    """Return the dispatch keys of a call from highest to lowest priority, each with its state.

    Args:
        name: of the operator.
        sources: what brings keys.
        excluded: the bits that the thread takes away.
    """
    union = 0
    for source in sources:
        union |= source.key_set
    key_set = without(union, excluded)
    keys = [*reversed([*keys_of(union)])]
    steps = [key for key, _, _ in dumps.explain(name, key_set)]
    if steps[-1] not in keys:
        keys.append(steps[-1])  # Undefined, when nothing is left
    rungs: list[Rung] = []
    for key in keys:
        _, origin, kernel = dumps.explain(name, bits(key))[0]
        served = kernel is not None and not kernel.is_fallthrough
        if key not in steps and not _has(key_set, key):
            state, why = EXCLUDED, "excluded by the thread"
        elif any(below(rung.key) == below(key) and rung.state != EXCLUDED for rung in rungs):
            state, why = SHADOWED, "another backend is higher"
        elif key in steps[:-1]:
            state, why = FALLS, f"falls through ({ORIGINS[origin]})"
        elif key is steps[-1]:
            state, why = (TAKEN if served else MISSING), ORIGINS[origin]
        else:
            state, why = (
                BELOW,
                "waits for a redispatch" if served else "would fall through" if kernel else ORIGINS[origin],
            )
        place = place_of(kernel) if kernel is not None and served and state in (TAKEN, BELOW) else None
        rungs.append(Rung(key, tuple(_has(source.key_set, key) for source in sources), state, why, place))
    return rungs


def _has(key_set: int, key: DispatchKey) -> bool:
    return DispatchKeySet.from_raw_repr(key_set).has(key)


# ---- the picture


def _picture(name: str, schema: str, sources: Sequence[Source], rungs: Sequence[Rung]) -> Picture:
    card = Card()
    card.text(PAD, PAD + 11, name, bold=True)
    y = PAD + 16.0
    for line in textwrap.wrap(schema.removeprefix(name), 94):
        y += 15
        card.text(PAD, y, line, SMALL, GREY)
    y += 38
    middles, x = [], PAD + 0.0
    for column in [*(source.name for source in sources[:-1]), "+", "−", "call"]:
        width = max(34.0, text_width(column, SMALL) + 12)
        middles.append(x + width / 2)
        card.text(x + width / 2, y, column, SMALL, GREY if column != "call" else INK, "middle", column == "call")
        x += width
    card.text((middles[-3] + middles[-2]) / 2, y - 14, "thread", SMALL, GREY, "middle")
    left = x + 20
    width = max(text_width(rung.key.name) for rung in rungs) + 18
    card.text(left + width / 2, y, "highest key first", SMALL, GREY, "middle")
    top = y + 14
    _rail(card, left, top, rungs)
    for number, rung in enumerate(rungs):
        _row(card, top + number * ROW, middles, left, width, rung)
    taken = next((rung for rung in rungs if rung.state in (TAKEN, MISSING)), rungs[-1])
    title = f"{name} goes to {taken.key.name}" + (f": {taken.place}" if taken.place else "")
    return card.picture(title, _spoken(sources, rungs), as_text(name, sources, rungs))


def _rail(card: Card, left: float, top: float, rungs: Sequence[Rung]) -> None:
    """Draw the call's way down, from above the first rung to the one that is taken."""
    last = next((number for number, rung in enumerate(rungs) if rung.state in (TAKEN, MISSING)), len(rungs) - 1)
    x, y = left - 11, top + last * ROW + RUNG / 2
    card.line(((x, top - 6), (x, y)), INK)
    card.arrow((x, y), (left - 1, y), INK)


def _row(card: Card, y: float, middles: Sequence[float], left: float, width: float, rung: Rung) -> None:
    middle = y + RUNG / 2
    card.line(((PAD, middle), (middles[-1] + 14, middle)), "#ececec", 1)
    for number, (x, has) in enumerate(zip(middles, rung.brought, strict=False)):
        if has:
            _dot(card, x, middle, OKABE_ITO[(0, 1, 3, 6, 5)[number % 5]])
    if rung.state == EXCLUDED:
        card.rect(middles[-2] - 6, middle - 1.5, 12, 3, RED)
    elif rung.key is not DispatchKey.Undefined:
        _dot(card, middles[-1], middle, INK)
    fill, outline, ink = LOOKS[rung.state]
    card.rect(left, y, width, RUNG, fill, outline, 2 if rung.state in (TAKEN, MISSING) else 1, 5)
    if rung.state == FALLS:
        for start, end in ((y, y + RUNG), (y + RUNG, y)):
            card.line(((left + 3, start), (left + width - 3, end)), tint(RED, 0.55), 1.5)
    card.text(left + width / 2, middle + 4.5, rung.key.name, fill=ink, anchor="middle", bold=rung.state == TAKEN)
    if rung.state == EXCLUDED:
        half = text_width(rung.key.name) / 2 + 3
        card.line(((left + width / 2 - half, middle), (left + width / 2 + half, middle)), RED, 1.5)
    _reason(card, left + width + 14, middle, rung)


def _dot(card: Card, x: float, y: float, fill: str) -> None:
    card.rect(x - 5, y - 5, 10, 10, fill, round=5)


def _reason(card: Card, x: float, middle: float, rung: Rung) -> None:
    """Draw the reason in up to three lines; for the kernel that runs also its function and file."""
    room = int((WIDEST - PAD - x) / text_width("x", SMALL))
    lines = textwrap.wrap(rung.why, room)[:2]
    if rung.place:
        file = rung.place.file
        lines += [rung.place.function[-room:]]
        lines += [file if len(file) <= room else f"…{file[1 - room :]}"] if rung.state == TAKEN else []
    y = middle + 4 - 6.5 * (len(lines) - 1)
    for line in lines:
        function = rung.place is not None and line == rung.place.function[-room:] and rung.state == TAKEN
        ink = RED if rung.state == MISSING else INK if function else GREY
        card.text(x, y, line, SMALL, ink, bold=function)
        y += 13


# ---- words


def _spoken(sources: Sequence[Source], rungs: Sequence[Rung]) -> str:
    brought = "; ".join(
        f"{source.name}: " + ", ".join(rung.key.name for rung in rungs if rung.brought[number])
        for number, source in enumerate(sources)
    )
    return f"{brought}. From the highest key: " + "; ".join(f"{rung.key.name} {rung.why}" for rung in rungs) + "."


def as_text(name: str, sources: Sequence[Source], rungs: Sequence[Rung]) -> str:
    """Return a ladder as text: a line for each rung, with a sign for its state, below the operator's name."""
    wide = max(len(rung.key.name) for rung in rungs)
    signs = {TAKEN: "->", FALLS: " x", EXCLUDED: " -", BELOW: "  ", SHADOWED: "  ", MISSING: "!!"}
    lines = [name]
    for rung in rungs:
        given = " ".join(source.name for source, has in zip(sources, rung.brought, strict=True) if has)
        place = f": {rung.place}" if rung.place else ""
        lines.append(
            f"{signs[rung.state]} {rung.key.name:{wide}}  {rung.why}{place}" + (f"  [{given}]" if given else "")
        )
    return "\n".join(lines)
