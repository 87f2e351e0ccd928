"""The picture of a call under transforms: a ladder for each layer, the innermost first, and one for what is below.

A call enters a layer by its front, the key FuncTorchDynamicLayerFrontMode, which excludes all keys but the layer's own;
it lands at one of these; and it leaves by the layer's back, to the front of the next one.
"""

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from .. import slots
from ..dispatch.calling import key_set_of_tensors
from ..dispatch.function_schema import FunctionSchema
from ..dispatch.keys import DispatchKey, bits, highest_bit
from ..dispatch.local import ThreadState, local
from ..transforms.interpreters import Interpreter, layer_names, layers, map_arguments, only_own_keys, without_layers
from .card import GREY, INK, PAD, SMALL, WIDEST, Card, Picture, text_width, tint
from .ladder import BELOW, EXCLUDED, LOOKS, MISSING, RUNG, TAKEN, Rung, Source, as_text, ladder

FRONT, BACK = DispatchKey.FuncTorchDynamicLayerFrontMode, DispatchKey.FuncTorchDynamicLayerBackMode
DOOR = "#0072b2"
COLUMN, GAP, STEP = 148, 18, 50  # width of a ladder, distance of two, distance of their rungs
HEAD = 22  # above the first rung


class Level(NamedTuple):
    """A layer's view of a call; without a layer, what the call is below all of them.

    Attributes:
        title: "level 2: vmap".
        sources: of the keys, as the layer sees the tensors.
        rungs: the keys that the layer does not exclude, highest first; of a layer only those above its back.
        excluded: names of the keys that it excludes.
    """

    title: str
    sources: list[Source]
    rungs: list[Rung]
    excluded: list[str]


def levels_of(name: str, schema: FunctionSchema, arguments: Sequence[Any]) -> list[Level]:
    """Return what the thread's layers make of a call, from the innermost to what is below all of them."""
    found, state = [], local.state
    for layer, title in reversed([*zip(layers.stack, layer_names(), strict=True)]):
        wrap = getattr(layer, "wrap_captured", None)  # grad sees all tensors as its own
        seen = map_arguments(schema, wrap, arguments) if wrap else list(arguments)
        found.append(level(title, name, schema, seen, only_own_keys(state, layer.own, layer.included), state.excluded))
        arguments = map_arguments(schema, partial(value_at, layer), arguments)
    return [*found, level("below all levels", name, schema, arguments, without_layers(state), state.excluded)]


def value_at(layer: Interpreter, tensor: Any) -> Any:
    """Return the tensor that a layer's tensor wraps; return any other tensor as it is."""
    return tensor._value if getattr(tensor, "_level", None) == layer.level else tensor


def level(
    title: str, name: str, schema: FunctionSchema, arguments: Sequence[Any], state: ThreadState, before: int
) -> Level:
    """Return the ladder of a call in a state of the thread, without what is below a layer's back.

    Args:
        before: the bits that the thread excludes outside of the layer.
    """
    sources = []
    for argument, value in zip(schema.arguments, arguments, strict=True):
        if argument in schema.tensor_arguments and value is not None:
            tensors = value if isinstance(value, (list, tuple)) else (value,)
            sources.append(Source(argument.name, key_set_of_tensors(tensors)))
    sources.append(Source("thread +", state.included))
    rungs = ladder(name, sources, state.excluded)
    out = [rung.key for rung in rungs if rung.state == EXCLUDED and rung.key is not FRONT]
    excluded = [key.name for key in out if not highest_bit(bits(key)) & before]
    left = [rung for rung in rungs if rung.state != EXCLUDED]
    back = next((place for place, rung in enumerate(left) if rung.key is BACK), len(left))
    return Level(title, sources, left[:back], excluded)


def picture_of_levels(name: str, schema: FunctionSchema, arguments: Sequence[Any]) -> Picture:
    """Draw a call of an operator under the thread's transforms, without running it.

    Args:
        name, schema: of the operator.
        arguments: all of the call.
    """
    found = levels_of(name, schema, arguments)
    card = Card()
    card.text(PAD, PAD + 11, name, bold=True)
    per_row = (WIDEST - 2 * PAD + GAP) // (COLUMN + GAP)
    top, lowest = PAD + 36.0, 0.0
    for number, one in enumerate(found):
        x = PAD + number % per_row * (COLUMN + GAP)
        bottom = _column(card, x, top, one, is_last=number == len(found) - 1)
        lowest = max(lowest, bottom)
        if number == len(found) - 1:
            break
        way = [(x + COLUMN, bottom - RUNG / 2), (x + COLUMN + GAP / 2, bottom - RUNG / 2)]
        if (number + 1) % per_row == 0:  # on to the next row
            x, top = PAD - COLUMN - GAP, lowest + 34
            way += [(way[-1][0], top - 6), (PAD - GAP / 2, top - 6)]
        way += [(x + COLUMN + GAP / 2, top + HEAD + RUNG / 2)]
        card.line(way, DOOR)
        card.arrow(way[-1], (x + COLUMN + GAP - 1, way[-1][1]), DOOR)
    landings = [f"{one.title}: {landing(one)}" for one in found]
    text = "\n".join([name, *(line for one in found for line in _as_lines(one))])
    return card.picture(f"{name} under {len(found) - 1} transforms", "; ".join(landings) + ".", text)


def landing(one: Level) -> str:
    """Return the name of the key where a call lands at a level."""
    return next((rung.key.name for rung in one.rungs if rung.state in (TAKEN, MISSING)), BACK.name)


def _column(card: Card, x: float, top: float, one: Level, is_last: bool) -> float:
    """Draw one ladder between its doors; return where it ends."""
    card.text(x + COLUMN / 2, top + 10, one.title, SMALL, anchor="middle", bold=True)
    y = top + HEAD
    if not is_last:
        count = len(one.excluded)
        _door(card, x, y, "front", f"excludes {count} key{'s' * (count != 1)}")
        y += STEP
    for rung in one.rungs:
        fill, outline, ink = LOOKS[rung.state]
        is_taken = rung.state in (TAKEN, MISSING)
        card.rect(x, y, COLUMN, RUNG, fill, outline, 2 if is_taken else 1, 5)
        card.text(x + COLUMN / 2, y + RUNG / 2 + 4.5, rung.key.name, fill=ink, anchor="middle", bold=is_taken)
        why = rung.place.function if rung.place and is_taken else "waits" if rung.state == BELOW else rung.why
        room = int(COLUMN / text_width("x", SMALL))
        shown = textwrap.shorten(why, room, placeholder="…") if " " in why else why[:room]
        card.text(x + COLUMN / 2, y + RUNG + 13, shown, SMALL, INK if is_taken else GREY, "middle")
        y += STEP
    if not is_last:
        _door(card, x, y, "back", "the layer steps aside")
        y += RUNG
    return y


def _door(card: Card, x: float, y: float, name: str, about: str) -> None:
    card.rect(x, y, COLUMN, RUNG, tint(DOOR, 0.2), DOOR, 2, 5)
    card.text(x + COLUMN / 2, y + RUNG / 2 + 4.5, name, anchor="middle", bold=True)
    card.text(x + COLUMN / 2, y + RUNG + 13, about, SMALL, GREY, "middle")


def _as_lines(one: Level) -> list[str]:
    below = one.title.startswith("below")
    front = [] if below else [f"   front: excludes {', '.join(one.excluded)}"]
    lines = as_text("", one.sources, one.rungs).splitlines()[1:]
    return [one.title, *front, *lines, *([] if below else ["   back"])]


slots.picture_of_levels.fill(picture_of_levels)
