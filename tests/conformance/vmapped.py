"""vmap over PyTorch's own operator test inputs: each side against a loop over the batch, the engine against PyTorch.

An outcome is "rule", "loop" with the operators that warned of it, "wrong", or "error" with its text.
"""

import warnings
from typing import Any

import numpy as np
import torch
from engine.utils._pytree import tree_flatten, tree_unflatten

import engine

from . import op_db, scope
from .forms import Form, exists, forms
from .frozen import Sample, Thawed
from .operators import Row, note, patience

MOST = 3  # samples of each operator
LEFT_OUT = (scope.RANDOM, scope.EMPTY)  # kinds whose values no second run repeats
WAYS = ("all", "first", "others", "nested")
"""The tensors that have a batch dimension: each in front; the first one at the end; all but it; each, by two levels."""
ORDERS = ((0, 1), (1, 0))  # which of two samples is where in a nested batch

Outcome = tuple[str, str]  # what it is, and the operators that warned or the error's text


def run(name: str, most: int | None = None) -> Row:
    """Compare the first float32 samples of an operator, at most `most` (MOST); the first in place and backward, too.

    `Row.calls` are the cases that PyTorch has right, `Row.failed` the ones among them that the engine has not.
    `Row.softer` counts outcomes of another class ("class"), and of the same class with other words ("words").
    """
    info, row = op_db.INFOS[name], Row(name, missing=not exists(engine, op_db.INFOS[name]))
    if row.missing or (scope.OPERATORS.get(name) or scope.LATER[name]) in LEFT_OUT:
        return row
    ways = forms(info)
    form, call = next(iter(ways.items()))
    for number, (sample, why) in enumerate(op_db.samples(info, torch.float32, most or MOST)):
        if why or scope.reason(name, sample):  # type: ignore[arg-type]
            continue
        kinds = {form: call} if number else {form: call, "gradient": call, "in-place": ways.get("in-place")}
        for kind, function in kinds.items():
            for way in WAYS if function else ():
                with patience():
                    theirs, ours = (outcome(T, kind, function, sample, way) for T in (torch, engine))  # type: ignore[arg-type]
                if theirs is not None and ours is not None:
                    _judge(row, f"{kind}, {way}", sample, ours, theirs)  # type: ignore[arg-type]
    return row


def _judge(row: Row, form: str, sample: Sample, ours: Outcome, theirs: Outcome) -> None:
    row.samples += 1
    shown = f"{ours} instead of {theirs}"
    is_right = theirs[0] in ("rule", "loop")
    failed = is_right and ours[0] not in ("rule", "loop")
    row.calls += is_right
    row.failed += failed
    soft = "class" if ours[0] != theirs[0] else "words" if ours != theirs and ours[0] != "wrong" else ""
    note(row, form, sample, [("vmapped", shown)] if failed else [], [(soft, shown)] if soft else [])


def outcome(T: Any, kind: str, call: Form, sample: Sample, way: str) -> Outcome | None:
    """Return what comes of a call under vmap, over a batch of two; None if there is nothing to compare.

    Args:
        kind: "in-place" for a call that writes to its first argument, "gradient" to differentiate the call.
    """
    flat, spec = tree_flatten(Thawed(T).thaw([sample.input, sample.args, sample.kwargs]))
    places = [place for place, value in enumerate(flat) if isinstance(value, T.Tensor)]
    floats = tuple(at for at, place in enumerate(places) if flat[place].is_floating_point())
    rest = [None if way == "first" else 0] * (len(places) - 1)
    dims: list[int | None] = [{"first": -1, "others": None}.get(way, 0), *rest] if places else []
    if all(dim is None for dim in dims) or (kind == "gradient" and not floats):
        return None

    def function(*tensors: Any) -> tuple[Any, ...]:
        values = list(flat)
        for place, tensor in zip(places, tensors, strict=True):
            values[place] = tensor
        of, args, kwargs = tree_unflatten(values, spec)
        return tuple(_flat(call(T, of.clone() if kind == "in-place" else of, args, kwargs)))

    def squares(*tensors: Any) -> Any:
        return sum((one * one).sum() for one in function(*tensors) if one.is_floating_point())

    asked = T.func.grad(squares, argnums=floats) if kind == "gradient" else function
    pairs = [
        (flat[place], flat[place] if dim is None else _other(T, flat[place]))
        for place, dim in zip(places, dims, strict=True)
    ]
    try:
        expected = [asked(*(pair[number] for pair in pairs)) for number in range(2)]
        if not all(isinstance(one, T.Tensor) for results in expected for one in results):
            return None
        rows = [_stacked(T, pairs, dims, order) for order in ORDERS]
        columns = [[_array(result) for result in results] for results in zip(*expected, strict=True)]
    except Exception:
        return None  # refused without vmap, samples of two shapes, or a result without memory
    batched, mapped = rows[0], T.func.vmap(asked, tuple(dims))
    if way == "nested":
        batched, mapped = [T.stack(pair) for pair in zip(*rows, strict=True)], T.func.vmap(mapped)
    wanted = [np.stack([np.stack([column[number] for number in order]) for order in ORDERS]) for column in columns]
    return _compared(mapped, batched, wanted if way == "nested" else [one[0] for one in wanted])


def _compared(mapped: Any, batched: list[Any], wanted: list[np.ndarray]) -> Outcome:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = [_array(one) for one in mapped(*batched)]
        except Exception as error:
            return "error", f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    names = {str(one.message).partition("batching rule for ")[2].partition(". Please")[0] for one in caught} - {""}
    for got, want in zip(found, wanted, strict=True):
        if got.shape != want.shape or got.dtype != want.dtype or not np.allclose(got, want, 1e-3, 1e-4, equal_nan=True):
            return "wrong", f"{got.shape} {got.dtype} instead of {want.shape} {want.dtype}"
    return ("loop", " ".join(sorted(names))) if names else ("rule", "")


def _stacked(T: Any, pairs: list[Any], dims: list[Any], order: tuple[int, ...]) -> list[Any]:
    """Return two samples of each tensor as a batch; without a dimension to stack them in, the tensor itself."""
    return [
        pair[0] if dim is None else T.stack([pair[number] for number in order], dim)
        for pair, dim in zip(pairs, dims, strict=True)
    ]


def _flat(results: Any) -> list[Any]:
    """Return the results of an operator in a list; those with names are a class of their own on each side."""
    return [one for result in results for one in _flat(result)] if isinstance(results, (tuple, list)) else [results]


def _other(T: Any, tensor: Any) -> Any:
    """Return a tensor of the same shape: its elements in reverse order if they are floating point."""
    return tensor.reshape(-1).flip(0).reshape(tensor.shape) if tensor.is_floating_point() else tensor.clone()


def _array(tensor: Any) -> np.ndarray:
    return tensor.detach().numpy()
