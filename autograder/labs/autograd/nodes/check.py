"""Check of node_source: classes made from entries of derivatives.yaml, asked for their fields and gradients."""

import random
import re
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake

NEG = "- name: neg(Tensor self) -> Tensor\n  self: -grad\n"
EXP = "- name: exp(Tensor self) -> Tensor\n  self: grad * result\n"
MUL = "- name: mul(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n"
SQUARE = "- name: square_(Tensor self) -> Tensor\n  self: 2 * grad * self\n"
LERP = (
    "- name: mix(Tensor self, Tensor end, Tensor weight) -> Tensor\n"
    "  self: grad * (1 - weight)\n  end: grad * weight\n  weight: grad * (end - self)\n"
)
ADD = "- name: add(Tensor self, Tensor other, *, int alpha=1) -> Tensor\n  self: grad\n  other: grad * alpha\n"
POW = "- name: pow(Tensor self, int exponent) -> Tensor\n  self: grad * exponent * self ** (exponent - 1)\n"
SCALE = "- name: scale(Tensor self, int factor, int divisor) -> Tensor\n  self: grad * factor / divisor\n"
SUM = "- name: total(Tensor self, Tensor[] others) -> Tensor\n  self: grad * sum(others)\n"
BOTH = "- name: both(Tensor self, Tensor other) -> Tensor\n  self, other: (grad * other, grad * self)\n"
TWO = (
    "- name: parts(Tensor self, int k) -> (Tensor one, Tensor two)\n"
    "  self: sum(g for g in grads if g is not None) * k * one\n"
)
HAND = "- name: copy(Tensor self) -> Tensor\n  node: torch::autograd::CopyBackwards\n  self: grad\n"
HAND_SAVES = "- name: cos(Tensor self) -> Tensor\n  node: at::CosBackward7\n  self: grad * self\n"
BAD = "- name: f(Tensor self) -> Tensor\n  self: grad *\n"
UNKNOWN = "- name: f(Tensor self) -> Tensor\n  other: grad\n"

PLAIN: tuple[tuple[str, tuple[str, ...], int], ...] = (
    (NEG, (), 1), (EXP, ("result",), 1), (MUL, ("other", "self"), 2), (SQUARE, ("self",), 1),
    (LERP, ("weight", "end", "self"), 3),
)  # fmt: skip
"""(entry, tensors that its formulas save, number of gradients)."""

KINDS: tuple[tuple[str, tuple[tuple[str, Any], ...], int, int], ...] = (
    (ADD, (("alpha", 3),), 1, 2), (POW, (("exponent", 3), ("self", 2.0)), 1, 1),
    (SCALE, (("factor", 6), ("divisor", 2)), 1, 1), (SUM, (("others", [2.0, 5.0]),), 1, 1),
    (BOTH, (("other", 3.0), ("self", 2.0)), 1, 2), (TWO, (("k", 3), ("one", 2.0)), 2, 1),
    (HAND, (), 1, 1), (HAND_SAVES, (("self", 2.0),), 1, 1),
)  # fmt: skip
"""(entry, what it saves, number of outputs, number of gradients)."""

PACKED = re.compile("'SavedVariable'|has no attribute 'unpack'")  # in an error: a saved value is read in a wrong way
NO_NAME = ("NameError", "UnboundLocalError")


def _number(rng: random.Random) -> float:
    return float(rng.choice((-4, -3, -2, 2, 3, 4, 5)))


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for entry, names, width in PLAIN:
        yield Case((entry, "class", (), (), ()), "fields")
        for _ in range(4):
            saved: tuple[tuple[str, Any], ...] = tuple((name, _number(rng)) for name in names)
            yield Case((entry, "gradients", saved, (_number(rng),), (True,) * width), "gradients")
        yield Case((entry, "gradients", saved, (None,), (True,) * width), "no gradient")
        yield Case((entry, "gradients", saved, (_number(rng),), (False,) * width), "gradients")
    for needs, saved in (
        ((True, False), (("other", 3.0), ("self", None))),
        ((False, True), (("other", None), ("self", 2.0))),
    ):
        yield Case((MUL, "gradients", saved, (_number(rng),), needs), "gradients")


def _again(rng: random.Random, value: Any) -> Any:
    if isinstance(value, list):
        return [_number(rng) for _ in range(rng.randint(1, 3))]
    return rng.randint(2, 5) if isinstance(value, int) else _number(rng)


def _kinds(rng: random.Random) -> Iterator[Case]:
    for entry, saved, outputs, width in KINDS:
        yield Case((entry, "class", (), (), ()), "namespace" if "::" in entry else "fields")
        yield Case((entry, "gradients", saved, (None,) * outputs, (True,) * width), "no gradient")
        for _ in range(4):
            values = tuple((name, _again(rng, value)) for name, value in saved)
            grads = tuple(_number(rng) for _ in range(outputs))
            yield Case((entry, "gradients", values, grads, (True,) * width), "kinds")
    yield Case((TWO, "gradients", KINDS[5][1], (None, 2.0), (True,)), "kinds")
    yield Case((TWO, "gradients", KINDS[5][1], (2.0, None), (True,)), "kinds")
    yield Case((BAD, "class", (), (), ()), "refused")
    yield Case((UNKNOWN, "class", (), (), ()), "refused")


def _freed(rng: random.Random) -> Iterator[Case]:
    for entry, names, _ in PLAIN:
        yield Case((entry, "freed", tuple((name, _number(rng)) for name in names), (), ()), "freed")
    for entry, saved, _, _ in KINDS:
        yield Case((entry, "freed", saved, (), ()), "freed")
        for _ in range(3):
            yield Case((entry, "freed", tuple((name, _again(rng, value)) for name, value in saved), (), ()), "freed")


def _differs(args: tuple, wanted: Any, got: Any) -> Iterator[str]:
    if isinstance(got, str):
        yield "class"
    elif args[1] == "class":
        key = next(key for key in wanted if wanted[key] != got[key])
        if (key, got[key]) == ("saved_fields", "str"):
            yield "no comma"
        yield {"name": "namespace", "slots": "slots", "saved_fields": "fields"}[key]
    elif args[1] == "freed":
        key = next(key for key in wanted if wanted[key] != got[key])
        is_value = isinstance(wanted[key], int) and not isinstance(wanted[key], bool)
        if key.startswith("defines") and wanted[key] and all(isinstance(value, list) for _, value in args[2]):
            yield "no method for a list"
        yield "values stay" if is_value else "no method" if key.startswith("defines") else "freed"
    else:
        yield "no gradient" if type(wanted) is dict else "gradients"


NODE_SOURCE = Check(
    "autograd.gen_autograd_functions.node_source",
    ("entry", "observed", "saved", "grads", "needs"),
    (
        Aspect("ordinary", 4, _ordinary),
        Aspect("kinds", 2, _kinds, needs="ordinary"),
        Aspect("freed", 2, _freed, needs="ordinary"),
    ),
    {
        "class": "return text that defines a subclass of `Node` with the name `info.node`",
        "fields": "`saved_fields` is a tuple of the names in `all_saved`, in that order and without `saved_`",
        "no comma": "`saved_fields` is a text here: a tuple of one name needs a comma, `('result',)`",
        "slots": "`__slots__` has one name for each saved value: `saved_` and the name",
        "namespace": "an entry that names its node has `info.namespace`: the class needs it as `namespace`",
        "gradients": "`apply` reads what was saved into local names, and then computes the formulas",
        "no gradient": "`grad_lines` returns early where no gradient came in: its lines come first in `apply`, "
        "before anything that was saved is unpacked",
        "kinds": "a saved value is a tensor, a list of tensors or plain: `unpacked` has the expression for each",
        "refused": "`formulas_of` refuses a formula that makes no sense: let its ValueError through",
        "freed": "`release_variables` sets what holds tensors, single or in a list, to FREED_VARIABLE",
        "values stay": "a plain value keeps no memory: `release_variables` leaves it as it is",
        "no method": "define `release_variables` if tensors are saved, and only then; plain values stay as they are",
        "no method for a list": "define `release_variables` if tensors are saved, and only then. A `Tensor[]` "
        "(kind `tensors`) holds tensors, too",
        "raised": "the text must run as it is: print what you return for `args[0]`, and read it",
    },
    probe="autograd.nodes.built",
    makes="the text that you return",
    mistakes=(
        Mistake(
            "the text below is no Python: look at the line that is named",
            lambda args, wanted, got: got.value[0] == "does not compile",
        ),
        Mistake(
            "`apply` reads a saved value by the expression that `unpacked(saved)` gives for its kind",
            lambda args, wanted, got: got.value[0] == "stops" and PACKED.search(got.value[1]) is not None,
        ),
        Mistake(
            "the text below stops with this error. It knows what it assigns itself and the names of "
            "`engine.autograd.registration.IN_SCOPE`, and no others of your cell",
            lambda args, wanted, got: got.value[0] == "stops" and got.value[1].startswith(NO_NAME),
        ),
        Mistake(
            "the text below stops with this error, in the line that is named",
            lambda args, wanted, got: got.value[0] == "stops",
        ),
    ),
    differs=_differs,
    words={
        "class": "asks for the name, the slots and the saved_fields of the class",
        "gradients": "asks what `apply(grads, needs)` returns, and if no gradient comes in, how many of the saved "
        "tensors it unpacks all the same; each tensor is written as a number here",
        "freed": "asks what is left of the saved values after `release_variables`",
    },
)

CHECKS = (NODE_SOURCE,)
