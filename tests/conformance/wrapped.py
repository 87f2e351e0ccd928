"""The engine's operators on tensors of a class without memory, forward and backward, against themselves on plain ones.

Each tensor of a sample is in a wrapper that hands the operators that it is asked for to the tensor inside.
"""

import traceback
from typing import Any

import numpy as np
import torch
from engine.utils._python_dispatch import return_and_correct_aliasing
from engine.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

import engine

from . import op_db, scope
from .calls import TOLERANCE
from .forms import Form, exists, forms
from .frozen import Sample, Thawed
from .operators import Row, note, patience

MOST = 2  # samples of each operator
LEFT_OUT = (scope.RANDOM, scope.EMPTY)  # kinds whose values no second run repeats


class Wrapper(engine.Tensor):
    """A tensor that answers each operator as the tensor inside does."""

    __torch_function__ = engine._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner: Any) -> Any:
        geometry = inner.size(), inner.stride(), inner.storage_offset()
        made = engine.Tensor._make_wrapper_subclass(cls, *geometry, dtype=inner.dtype, device=inner.device)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        inner_args, inner_kwargs = tree_map(inner, (args, kwargs or {}))
        out = tree_map(lambda x: cls(x) if isinstance(x, engine.Tensor) else x, func(*inner_args, **inner_kwargs))
        return return_and_correct_aliasing(func, args, kwargs, out)


def inner(value: Any) -> Any:
    """Return the tensor inside a wrapper; anything else as it is."""
    return value.inner if isinstance(value, Wrapper) else value


def run(name: str, most: int | None = None) -> Row:
    """The first float32 samples of an operator, at most `most` (MOST), in its plainest form."""
    info, row = op_db.INFOS[name], Row(name, missing=not exists(engine, op_db.INFOS[name]))
    if row.missing or (scope.OPERATORS.get(name) or scope.LATER[name]) in LEFT_OUT:
        return row
    form, call = next(iter(forms(info).items()))
    for sample, why in op_db.samples(info, torch.float32, most or MOST):
        row.samples += 1
        if left_out := why or scope.reason(name, sample):  # type: ignore[arg-type]
            row.out_of_scope[left_out] += 1
            continue
        with patience():
            found = difference(call, sample)  # type: ignore[arg-type]
        row.failed += bool(found)
        note(row, form, sample, [("wrapped", found)] if found else [], [])  # type: ignore[arg-type]
    return row


def difference(call: Form, sample: Sample) -> str:
    """Return how the results and gradients of a call with wrappers differ from those without, or ""."""
    try:
        expected = values(call, sample, lambda tensor: tensor)
    except Exception:
        return ""  # what is refused is no matter of wrappers
    try:
        found = values(call, sample, Wrapper)
    except Exception:
        return traceback.format_exc()
    relative, absolute = TOLERANCE["float32"]
    for one, other in zip(found, expected, strict=True):
        if (one is None) != (other is None):
            return "a gradient is there on one side only"
        if one is None:
            continue
        if one.shape != other.shape or not np.allclose(one, other, 10 * relative, absolute, equal_nan=True):
            return f"{one} instead of {other}"
    return ""


def values(call: Form, sample: Sample, wrap: Any) -> list[np.ndarray | None]:
    """Return the results of a call, and the gradients of the sum of their squares for each tensor of floats."""
    thawed = Thawed(engine).thaw([sample.input, sample.args, sample.kwargs])
    flat, spec = tree_flatten(thawed)
    wrapped = [wrap(one.detach()) if isinstance(one, engine.Tensor) else one for one in flat]
    leaves = [one.requires_grad_() for one in wrapped if isinstance(one, engine.Tensor) and one.is_floating_point()]
    results = tree_leaves(call(engine, *tree_unflatten(wrapped, spec)))
    outputs = [one for one in results if isinstance(one, engine.Tensor)]
    recorded = [(one * one).sum() for one in outputs if one.requires_grad]
    gradients = engine.autograd.grad(sum(recorded), leaves, allow_unused=True) if recorded else ()
    return [None if one is None else inner(one.detach()).numpy().copy() for one in (*outputs, *gradients)]
