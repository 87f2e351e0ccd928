"""One call on one side, all that can be seen of it, and what differs between two sides.

Seen: the result (values, dtype, sizes, strides, offset, which input's storage it shares, which input it is), what
became of the inputs (bytes of their whole storages, geometry, version) or the error, and the warnings.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import scope
from .forms import Form
from .frozen import SEED, Sample, Thawed, as_array

TOLERANCE = {
    "bfloat16": (1.6e-2, 1e-5), "float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
}  # fmt: skip
"""Of torch.testing.assert_close: relative, absolute; the coarsest dtype first."""


@dataclass
class Seen:
    """A tensor of a result. `storage` is an input's number, or -1, -2... for new ones in order of appearance."""

    dtype: str
    sizes: tuple
    strides: tuple
    storage_offset: int
    storage: int
    is_input: int | None
    device: str
    values: np.ndarray | None = field(repr=False)


@dataclass
class Outcome:
    """A call's outcome. `inputs`: dtype, sizes, strides, offset and version of each; `storages`: all their bytes."""

    error: str | None = None
    message: str = ""
    result: Any = None
    inputs: list = field(default_factory=list)
    storages: dict[int, np.ndarray] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def outcome(T: Any, form: Form, sample: Sample, kind: str) -> Outcome:
    """Call `form` on the sample's values on the side of T."""
    thawed, seen = Thawed(T), Outcome()
    values = thawed.thaw(sample.input), thawed.thaw(sample.args), thawed.thaw(sample.kwargs)
    versions = [tensor._version for tensor in thawed.tensors]
    if kind == scope.RANDOM:
        T.manual_seed(SEED)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = form(T, *values)
            seen.result = _seen(T, result, thawed, [])
        except Exception as error:
            seen.error, seen.message = type(error).__name__, str(error).partition("\n")[0]
    seen.warnings = [entry.category.__name__ for entry in warned if entry.category is not DeprecationWarning]
    seen.inputs = [
        (*_geometry(tensor), tensor._version - before) for tensor, before in zip(thawed.tensors, versions, strict=True)
    ]
    seen.storages = {at: as_array(flat) for at, flat in thawed.storages.items() if flat.device.type == "cpu"}
    return seen


def _geometry(tensor: Any) -> tuple:
    return str(tensor.dtype), tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()


def _identity(tensor: Any) -> int:
    storage = tensor.untyped_storage()
    return getattr(storage, "_cdata", None) or id(storage)


def _seen(T: Any, result: Any, thawed: Thawed, new: list[int]) -> Any:
    if isinstance(result, T.Tensor):
        identity = _identity(result)
        storage = next((at for at, flat in thawed.storages.items() if _identity(flat) == identity), None)
        if storage is None:
            if identity not in new:
                new.append(identity)
            storage = -1000 - new.index(identity)
        is_input = next((at for at, tensor in enumerate(thawed.tensors) if tensor is result), None)
        device = result.device.type
        values = as_array(result.detach()) if device == "cpu" else None
        return Seen(*_geometry(result), storage, is_input, device, values)
    if isinstance(result, (list, tuple)):
        return [type(result).__name__, *(_seen(T, entry, thawed, new) for entry in result)]
    return (type(result).__name__, repr(result))


# ---- what differs

Difference = tuple[str, str]  # kind, detail


def differences(ours: Outcome, theirs: Outcome, kind: str) -> list[Difference]:
    """Return the differences that fail a sample."""
    if ours.error or theirs.error:
        if ours.error == theirs.error:
            return []
        if not theirs.error:
            return [("raises", f"engine raises {ours.error}: {ours.message}")]
        if not ours.error:
            return [("does not raise", f"PyTorch raises {theirs.error}: {theirs.message}")]
        text = f"engine {ours.error}: {ours.message} | PyTorch {theirs.error}: {theirs.message}"
        return [("other error", text)]
    dtypes = {seen[0] for seen in theirs.inputs} | {seen.dtype for seen in _tensors(theirs.result)}
    coarse = next((name for name in TOLERANCE if f"torch.{name}" in dtypes), "")
    return [*of_results(ours.result, theirs.result, kind, coarse), *_of_inputs(ours, theirs, kind, coarse)]


def _tensors(result: Any) -> list[Seen]:
    if isinstance(result, list):
        return [seen for entry in result for seen in _tensors(entry)]
    return [result] if isinstance(result, Seen) else []


def of_results(ours: Any, theirs: Any, kind: str, coarse: str) -> list[Difference]:
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        return [
            found for one, other in zip(ours, theirs, strict=True) for found in of_results(one, other, kind, coarse)
        ]
    if not (isinstance(ours, Seen) and isinstance(theirs, Seen)):
        return [] if ours == theirs else [("result", f"engine {ours} | PyTorch {theirs}")]
    found = [
        (name, f"engine {getattr(ours, name)} | PyTorch {getattr(theirs, name)}")
        for name in ("dtype", "sizes", "device", "is_input")
        if getattr(ours, name) != getattr(theirs, name)
    ]
    if ours.storage != theirs.storage:
        found.append(
            ("sharing", f"engine shares {ours.storage} | PyTorch {theirs.storage} (an input's, or < -999: new)")
        )
    if theirs.storage > -1000 or kind == scope.VIEW:
        found += [
            (name, f"engine {getattr(ours, name)} | PyTorch {getattr(theirs, name)}")
            for name in ("strides", "storage_offset")
            if getattr(ours, name) != getattr(theirs, name)
        ]
    if not found and kind != scope.EMPTY and theirs.values is not None:
        found += _of_values(ours.values, theirs.values, kind, "values", coarse)
    return found


def _of_values(ours: np.ndarray, theirs: np.ndarray, kind: str, name: str, coarse: str) -> list[Difference]:
    if same(ours, theirs, kind in (scope.VIEW, scope.EXACT), coarse):
        return []
    unlike = ~np.isclose(ours, theirs, *_tolerance(theirs, coarse), equal_nan=True)
    if not unlike.any():
        return [(name, f"{name} are close, not the same bytes")]
    at = tuple(int(index[0]) for index in np.nonzero(unlike)) if theirs.ndim else ()
    return [(name, f"{unlike.sum()} of {theirs.size} differ, first at {at}: engine {ours[at]} | PyTorch {theirs[at]}")]


def _tolerance(theirs: np.ndarray, coarse: str) -> tuple[float, float]:
    """Relative and absolute, of the coarsest dtype of the call: a float64 result may have been computed in float32."""
    if theirs.dtype.kind != "f":
        return 0.0, 0.0
    return TOLERANCE[coarse or theirs.dtype.name]


def same(ours: np.ndarray, theirs: np.ndarray, exact: bool, coarse: str) -> bool:
    """Return whether two arrays of one dtype and shape agree, floats bit for bit or within assert_close's bounds."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    if np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(theirs).tobytes():
        return True
    if exact or theirs.dtype.kind != "f":
        return False
    relative, absolute = _tolerance(theirs, coarse)
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.allclose(ours, theirs, rtol=relative, atol=absolute, equal_nan=True))


def _of_inputs(ours: Outcome, theirs: Outcome, kind: str, coarse: str) -> list[Difference]:
    found: list[Difference] = []
    for at, (one, other) in enumerate(zip(ours.inputs, theirs.inputs, strict=True)):
        if one[:4] != other[:4]:
            found.append(("input's geometry", f"input {at} is left as {one[:4]} | PyTorch {other[:4]}"))
        if one[4] != other[4]:
            found.append(("_version", f"input {at}: _version grows by {one[4]} | PyTorch {other[4]}"))
    if kind != scope.EMPTY and not found:
        for at, cells in theirs.storages.items():
            if at in ours.storages:
                found += _of_values(ours.storages[at], cells, kind, "input's bytes", coarse)
    return found


def softer(ours: Outcome, theirs: Outcome) -> list[Difference]:
    """Return what is reported without failing a sample: strides of new results, warnings, first lines of messages."""
    if ours.error or theirs.error:
        if ours.error == theirs.error and ours.message != theirs.message:
            return [("message", f"engine: {ours.message} | PyTorch: {theirs.message}")]
        return []
    found = []
    one, other = ours.result, theirs.result
    if isinstance(one, Seen) and isinstance(other, Seen) and other.storage <= -1000:
        for name in ("strides", "storage_offset"):
            if getattr(one, name) != getattr(other, name):
                found.append((f"new {name}", f"engine {getattr(one, name)} | PyTorch {getattr(other, name)}"))
    if ours.warnings != theirs.warnings:
        found.append(("warnings", f"engine {ours.warnings} | PyTorch {theirs.warnings}"))
    return found
