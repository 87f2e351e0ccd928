"""The one way to compare with PyTorch: run the same program with `T = engine` and `T = torch`, and compare all
that can be seen of what comes back.

    assert_same(lambda T: T.arange(6).view(2, 3).t())

Seen of a tensor: values (none on the meta device), dtype, sizes, strides, offset, contiguity in both
memory formats, version, and which of the tensors in one result share a storage. Of an error: its exact type. Nothing is
rounded.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import engine

try:
    import torch
except ImportError:
    torch = None

needs_torch = pytest.mark.usefixtures("pytorch")  # of tests/conftest.py

Program = Callable[[Any], Any]


@dataclass(frozen=True)
class Seen:
    """The visible state of a tensor. `storage` numbers the storages of one result in order of appearance."""

    values: str
    dtype: str
    sizes: tuple
    strides: tuple
    storage_offset: int
    is_contiguous: bool
    is_channels_last: bool
    version: int
    storage: int


@dataclass(frozen=True)
class Raised:
    """The exact type of an error, by name; its message is for the reader of a failed comparison."""

    type: str
    message: str = field(compare=False)


def seen(T: Any, result: Any, storages: list | None = None) -> Any:
    """`result` with each tensor in it replaced by what can be seen of it."""
    storages = [] if storages is None else storages
    if isinstance(result, T.Tensor):
        storage = _identity(T, result)
        if storage not in storages:
            storages.append(storage)
        return Seen(
            values=repr(result.tolist()) if result.device.type != "meta" else "[]",
            dtype=str(result.dtype),
            sizes=tuple(result.shape),
            strides=tuple(result.stride()),
            storage_offset=result.storage_offset(),
            is_contiguous=result.is_contiguous(),
            is_channels_last=result.is_contiguous(memory_format=T.channels_last),
            version=result._version,
            storage=storages.index(storage),
        )
    if isinstance(result, np.ndarray):
        return (result.dtype, result.shape, result.strides, result.tobytes())
    if isinstance(result, (list, tuple)):
        return [type(result).__name__, *(seen(T, entry, storages) for entry in result)]
    if isinstance(result, (T.dtype, T.device, T.layout, T.memory_format)):
        return repr(result)
    return type(result).__name__, repr(result)  # repr tells NaN from NaN, -0.0 from 0.0 and True from 1


def outcome(T: Any, program: Program) -> Any:
    """Return the visible state of what `program(T)` gives: a result, or an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = program(T)
        except Exception as error:
            return Raised(type(error).__name__, str(error))
        return seen(T, result)


def assert_same(program: Program) -> None:
    got, expected = outcome(engine, program), outcome(torch, program)
    assert got == expected, f"\nengine:  {got}\nPyTorch: {expected}"


def assert_close(program: Program) -> None:
    """As `assert_same`, but floats may differ in their last digits, by what torch.testing.assert_close allows."""
    got, expected = outcome(engine, program), outcome(torch, program)
    assert _without_values(got) == _without_values(expected), f"\nengine:  {got}\nPyTorch: {expected}"
    for one, other in zip(_values(got), _values(expected), strict=True):
        torch.testing.assert_close(one, other, equal_nan=True, msg=lambda text: f"{text}\n{got}\n{expected}")


def _without_values(result: Any) -> Any:
    if isinstance(result, Seen):
        return replace(result, values="")
    return [_without_values(entry) for entry in result] if isinstance(result, list) else result


def _values(result: Any) -> list:
    """The numbers of all tensors in what was seen."""
    if isinstance(result, Seen):
        numbers = eval(result.values, {"nan": float("nan"), "inf": float("inf")})
        return [torch.tensor(numbers, dtype=getattr(torch, result.dtype.removeprefix("torch.")))]
    return [entry for part in result for entry in _values(part)] if isinstance(result, list) else []


def shares_storage(T: Any, one: Any, other: Any) -> bool:
    return _identity(T, one) == _identity(T, other)


def _identity(T: Any, tensor: Any) -> int:
    storage = tensor.untyped_storage()
    return id(storage) if T is engine else storage._cdata
