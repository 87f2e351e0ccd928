"""Pieces of scripts: small tensors with whole numbers, whose gradients are exact."""

import random
from collections.abc import Sequence
from typing import Any

from autograder.examine.plain_data import equal

Step = tuple
WORDS = {
    "leaf": "('leaf', 'x', sizes, values, requires_grad) makes x",
    "do": "('do', 'y', 'mul', 'x', 'w') is y = x.mul(w); with '' nothing is kept of the result: x.mul_(w)",
    "pick": "('pick', 'y', 'parts', 1) is y = parts[1], one result of an operator with several",
    "drop": "('drop', 'y') is del y",
    "dies": "('dies', 'y') is del y; True: the node of y is gone, too",
    "enter": "('enter', 'no_grad') begins a block, ('leave',) ends it",
    "backward": "('backward', 'y', values, keep) is y.backward(values, retain_graph=keep)",
    "grad": "('grad', 'y', ('x',), values, create) is autograd.grad(y, [x], values, create_graph=create); with create, "
    "the gradient is called 'grad of x' from then on",
    "see": "('see', 'grad', 'x') is x.grad of a leaf; 'history': the node of x and the nodes behind it; 'version': "
    "x._version; 'meta': whether x has an _autograd_meta",
    "saved": "('saved', 'y', 'self'): what the node of y has saved as `self`: its values, requires_grad, its grad_fn, "
    "output_nr, version, and which tensor it is",
    "keep": "('keep', 's', 'y', True) is s = SavedVariable(y, is_output=True)",
    "kept": "('kept', 's'): the fields of s, as `save` has set them",
    "load": "('load', 's', 'z') is s.load(the node of z): values, whether it is the tensor itself, whether it is "
    "s.data, "
    "requires_grad, its grad_fn, output_nr",
    "refuses": "('refuses', 's', 'z') is s.load(the node of z), too, but only whether it raises, and whose words",
    "check": "('check', 'v') is check_inplace(v)",
    "rebase": "('rebase', 'v', 2.0) multiplies v by 2 in place, which nobody has checked, and calls rebase_view",
    "slices": "('slices', base, view, factors, grad, needs) calls CopySlices.apply([grad], needs); base and view are "
    "(sizes, strides, offset). `written` returns what it is given times each factor; None: no gradient. factors None: "
    "the graph has been freed",
    "hook": "('hook', 'h', 'x', label, answer) is h = x.register_hook(...); the hook notes label and gradient, and "
    "returns the gradient times answer, or None; with the name of a hook as answer, it removes that one",
    "remove": "('remove', 'h') is h.remove()",
    "log": "('log',): label and gradient of each hook that ran since the last time",
}
"""The meaning of a script's words, for a reader of a failing case."""


def first_difference(args: tuple, wanted: dict, got: dict) -> tuple[Step, Any, Any]:
    """Return the first step of a script whose answer differs, with the right and the given answer."""
    for number, step in enumerate(args[0], 1):
        right, given = _answer(wanted, number), _answer(got, number)
        if not equal(right, given):
            return step, right, given
    raise ValueError("nothing differs")


def _answer(found: dict, number: int) -> Any:
    """Return the answer of one step: a value, or a dict if the step saw several."""
    mine = {key: value for key, value in found.items() if key.startswith(f"{number}: ")}
    fields = {key.rpartition(" / ")[2]: value for key, value in mine.items() if " / " in key}
    return fields or next(iter(mine.values()))


def was_raised(answer: object) -> bool:
    """Return True if the answer of a step says that it raised an error."""
    return type(answer) is tuple and answer[:1] == ("raised",)


def numbers(rng: random.Random, count: int) -> list[int]:
    """Draw small integers other than 0 and 1, which would hide mistakes."""
    return [rng.choice((-3, -2, 2, 3, 4)) for _ in range(count)]


def leaf(rng: random.Random, name: str, sizes: Sequence[int], requires_grad: bool = True) -> Step:
    """Return the step that makes a leaf."""
    count = 1
    for size in sizes:
        count *= size
    return ("leaf", name, tuple(sizes), numbers(rng, count), requires_grad)


def unrecorded(*steps: Step) -> list[Step]:
    """Return `steps` wrapped in a `no_grad` block."""
    return [("enter", "no_grad"), *steps, ("leave",)]
