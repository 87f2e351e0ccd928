"""The engine's and PyTorch's operators inside functionalize, each against itself without: results and writes.

The forms of an operator are called with clones of a sample's tensors: in place, with out= and without.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from engine.utils._pytree import tree_flatten, tree_unflatten

import engine

from . import op_db, scope
from .calls import TOLERANCE
from .forms import Form, applies, exists, forms
from .frozen import Sample, Thawed
from .operators import Row, note, patience

MOST = 2  # samples of each operator
FUNCTIONALIZE: dict[Any, Callable[..., Any]] = {engine: engine.func.functionalize, torch: torch.func.functionalize}
REMOVE = ("mutations", "mutations_and_views")


def run(name: str, most: int | None = None) -> Row:
    """The first float32 samples of an operator, at most `most` (MOST), in each form.

    A case fails if the engine's outcome is not PyTorch's: the same as without functionalization, other values, or an
    error with the same text.
    """
    info, row = op_db.INFOS[name], Row(name, missing=not exists(engine, op_db.INFOS[name]))
    if row.missing or (scope.OPERATORS.get(name) or scope.LATER[name]) == scope.EMPTY:
        return row
    for form, call in forms(info).items():
        for sample, why in op_db.samples(info, torch.float32, most or MOST):
            if why or scope.reason(name, sample) or not applies(form, sample):  # type: ignore[arg-type]
                continue
            for remove in REMOVE:
                with patience():
                    ours, theirs = (outcome(T, form, call, sample, remove) for T in (engine, torch))  # type: ignore[arg-type]
                if ours is None or theirs is None:
                    continue
                row.samples += 1
                row.calls += theirs == "same"
                row.failed += ours != theirs
                shown = [("functionalized", f"{remove}: {ours}\ninstead of {theirs}")] if ours != theirs else []
                note(row, form, sample, shown, [])  # type: ignore[arg-type]
    return row


def outcome(T: Any, form: str, call: Form, sample: Sample, remove: str) -> str | None:
    """Return "same", "other values" or the error of a call inside functionalize; None if it is refused without.

    The seed is the same for both calls.
    """
    flat, spec = tree_flatten(Thawed(T).thaw([sample.input, sample.args, sample.kwargs]))
    places = [place for place, one in enumerate(flat) if isinstance(one, T.Tensor)]

    def function(*tensors: Any) -> list[Any]:
        given = list(flat)
        for place, tensor in zip(places, tensors, strict=False):
            given[place] = tensor
        given_input, args, kwargs = tree_unflatten(given, spec)
        outs = tensors[len(places) :]
        named = {"out": outs[0] if len(outs) == 1 else tuple(outs)} if outs else {}
        return flattened(call(T, given_input, args, {**kwargs, **named}))

    tensors = [flat[place].detach() for place in places]
    try:
        if form == "out=":
            tensors += [T.zeros_like(one) for one in function(*[one.clone() for one in tensors])]
        expected = observed(T, function, tensors)
    except Exception:
        return None
    try:
        found = observed(T, FUNCTIONALIZE[T](function, remove=remove), tensors)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "same" if len(found) == len(expected) and all(map(is_close, found, expected)) else "other values"


def flattened(result: Any) -> list[Any]:
    """Return the results of a call as a list; named tuples are of either package."""
    return [one for part in result for one in flattened(part)] if isinstance(result, (tuple, list)) else [result]


def observed(T: Any, function: Callable[..., Any], tensors: list[Any]) -> list[Any]:
    """Return the results of a call with clones of tensors, and the clones as they are then, as arrays."""
    T.manual_seed(0)
    given = [one.clone() for one in tensors]
    results = [*function(*given), *given]
    return [one.detach().numpy().copy() if isinstance(one, T.Tensor) else one for one in results]


def is_close(found: Any, expected: Any) -> bool:
    """Return True for arrays of the same sizes and dtype with almost the same elements, and for equal values."""
    if not isinstance(expected, np.ndarray) or not isinstance(found, np.ndarray):
        return bool(found == expected)
    relative, absolute = TOLERANCE["float32"]
    same = found.shape == expected.shape and found.dtype == expected.dtype
    return same and np.allclose(found, expected, 10 * relative, absolute, equal_nan=True)
