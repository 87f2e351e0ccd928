"""The loop for operators without a batching rule: one call for each slice of the batch, and the results stacked.

Mirrors aten/src/ATen/functorch/BatchedFallback.cpp.
"""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import slots
from ..aten.at import at
from ..dispatch.function_schema import FunctionSchema
from ..dispatch.local import local
from ..dispatch.registry import OperatorEntry
from ..tensor_impl import Tensor
from .batched import BatchedTensor, unwrapped
from .plumbing import below_vmap, current_layer

WARNING = (
    "There is a performance drop because we have not yet implemented the batching rule for {}. Please file us an "
    "issue on GitHub so that we can prioritize its implementation."
)
REFUSAL = "Batching rule not implemented for {}"
NO_FALLBACK = f"{REFUSAL}. We could not generate a fallback."
ALIASES = f"{REFUSAL}; the fallback path doesn't work on out= or view ops."
NO_RETURNS = f"{REFUSAL}. The fallback path does not support operations with no returns."
EMPTY = f"{REFUSAL}. The fallback path does not support vmap over dims of size 0."
INPLACE = (
    "vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over at level "
    "{level}. Please try to use out-of-place operators instead of {name}. If said operator is being called inside the "
    "PyTorch framework, please file a bug report instead."
)
MIXED = (
    "vmap: slow fallback received a mix of undefined and defined tensors as the result of an operation. This is not "
    "supported, please file us an issue on github."
)
ENGINE = Path(__file__).parent.parent
IN_PYTHON = tuple(str(ENGINE / name) for name in ("functional.py", "nn", "optim"))
"""Where Python code is that is Python in PyTorch, too: it warns at its lines, and in all other code at the caller's."""


def for_loop_fallback(entry: OperatorEntry, *arguments: Any) -> Any:
    """Call an operator once for each slice of the batched tensors, and return the stacked results, batched.

    An operator that writes to its first argument writes to the slices of that, and returns it. It warns, once for
    each line that calls it. A call without batched tensors of the innermost level goes on below.

    Raises:
        RuntimeError: it returns or takes lists of tensors, is an out= or a view operator, or the batch is empty; or it
            would write to a tensor that is not batched.

    Source: batchedTensorForLoopFallback (aten/src/ATen/functorch/BatchedFallback.cpp).
    """
    schema, layer = entry.schema, current_layer(entry)
    assert schema is not None
    check_returns(schema, entry.name)
    values, bdims = unwrapped(arguments, layer.level)
    before = local.state
    local.state = below_vmap(before)
    try:
        if all(bdim is None for bdim in bdims):
            return entry.call(*arguments)
        check_aliases(schema, entry.name)
        warnings.warn(WARNING.format(entry.name), UserWarning, frames_to_caller())
        if schema.writes_only_self and bdims[0] is None:
            raise RuntimeError(INPLACE.format(name=f"{schema.name.namespace}::{schema.name.base}", level=layer.level))
        if not layer.batch_size:
            raise RuntimeError(EMPTY.format(entry.name))
        slices = [entry.call(*sliced(values, bdims, number)) for number in range(layer.batch_size)]
        if schema.writes_only_self:
            return arguments[0]
        columns = zip(*slices, strict=True) if len(schema.returns) > 1 else [slices]
        stacked = [stack(column) for column in columns]
    finally:
        local.state = before
    made = [one if one is None else BatchedTensor(one, 0, layer.level) for one in stacked]
    return made[0] if len(schema.returns) == 1 else tuple(made)


def check_returns(schema: FunctionSchema, name: str) -> None:
    """Raise a RuntimeError for an operator that returns or takes anything that can't be stacked or sliced."""
    lists = schema.tensor_positions[1]
    if lists or any(str(returned.type) != "Tensor" for returned in schema.returns):
        raise RuntimeError(NO_FALLBACK.format(name))


def check_aliases(schema: FunctionSchema, name: str) -> None:
    """Raise a RuntimeError for an out= or a view operator, and for one that returns nothing."""
    if not schema.writes_only_self and (schema.mutated or schema.aliased_positions):
        raise RuntimeError(ALIASES.format(name))
    if not schema.returns:
        raise RuntimeError(NO_RETURNS.format(name))


def sliced(values: Sequence[Any], bdims: Sequence[Any], number: int) -> list[Any]:
    """Return the arguments of the call for one slice."""
    return [
        value if bdim is None else at.select_int(value, bdim, number)
        for value, bdim in zip(values, bdims, strict=True)
    ]  # fmt: skip


def stack(slices: Sequence[Tensor | None]) -> Tensor | None:
    """Return the results of all slices as one tensor, the batch first; None for a gradient that no slice has.

    Raises:
        RuntimeError: some slices have one, and others do not.
    """
    made = tuple(one for one in slices if one is not None)
    if made and len(made) < len(slices):
        raise RuntimeError(MIXED)
    return at.stack(made, 0) if made else None


def frames_to_caller() -> int:
    """Return the `stacklevel` for a warning of the caller about the line of Python that called an operator."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and is_internal(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return level


def is_internal(filename: str) -> bool:
    """Return True for code that is not Python in PyTorch: the engine's own, generated source included."""
    is_own = re.match(r"<\w+: ", filename) is not None or filename.startswith(f"{ENGINE}{os.sep}")
    return is_own and not filename.startswith(IN_PYTHON)


slots.batched_fallback.fill(for_loop_fallback)
