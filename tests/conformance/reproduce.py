"""A failing call as one line of Python that runs with `T = engine` and with `T = torch`."""

import math
from typing import Any

from .frozen import Device, FrozenTensor, Generator, Named, Sample

COPIED = "in-place on a copy"  # the form of a write to a tensor that requires grad
MOST_CELLS = 24  # shown; a larger storage is written as a ramp


def line(name: str, form: str, sample: Sample) -> str:
    """The call, for a reader to paste; `name` is the OpInfo's."""
    plain = name.partition(".")[0] if not name.startswith("nn.") else name
    arguments = [text(argument) for argument in sample.args]
    arguments += [f"{key}={text(value)}" for key, value in sample.kwargs.items()]
    first, rest = text(sample.input), ", ".join(arguments)
    if form == "method":
        call = f"{first}.{plain}({rest})"
    elif form == "property":
        call = f"{first}.{plain}"
    elif name == "einsum" or name.endswith("embedding"):
        call = f"T.{plain}({', '.join((*arguments[: len(sample.args)], first, *arguments[len(sample.args) :]))})"
    elif form in ("in-place", COPIED) and not name.startswith("nn."):
        copy = ".clone()" if form == COPIED else ""
        call = f"{first}{copy}.{plain.rstrip('_')}_({rest})"
    elif "operator" in form:
        call = f"{first} <{plain}{' in place' if 'place' in form else ''}> {rest}"
    else:
        arguments += ["inplace=True"] if "in-place" in form else []
        call = f"T.{plain}({', '.join((first, *arguments))})"
    return f"{call}  # {form}, {sample.layout}"


def text(value: Any) -> str:
    """A frozen value as Python."""
    if isinstance(value, FrozenTensor):
        return f"{_tensor(value)}.requires_grad_()" if value.requires_grad else _tensor(value)
    if isinstance(value, Named):
        return f"T.{value.name}"
    if isinstance(value, Device):
        return f"T.device({value.name!r})"
    if isinstance(value, Generator):
        return f"T.Generator().manual_seed({value.seed})"
    if isinstance(value, list):
        return f"[{', '.join(map(text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _tensor(frozen: FrozenTensor) -> str:
    dtype, count = f"dtype=T.{frozen.dtype}", frozen.cells.size
    if frozen.device != "cpu":
        return f"T.empty_strided({frozen.sizes}, {frozen.strides}, {dtype}, device={frozen.device!r})"
    packed = tuple(math.prod(max(size, 1) for size in frozen.sizes[dim + 1 :]) for dim in range(len(frozen.sizes)))
    plain = frozen.strides == packed and frozen.storage_offset == 0 and math.prod(frozen.sizes) == count
    if count > MOST_CELLS:
        flat = f"T.arange({count}).to(T.{frozen.dtype})"
        if plain:
            return f"{flat}.view({frozen.sizes})"
    elif plain and count and len(frozen.sizes) <= 64:  # the most dimensions that NumPy has
        return f"T.tensor({_numbers(frozen.values.tolist())}, {dtype})"
    elif plain:
        return f"T.empty({frozen.sizes}, {dtype})"
    else:
        flat = f"T.tensor({_numbers(frozen.cells.tolist())}, {dtype})"
    return f"{flat}.as_strided({frozen.sizes}, {frozen.strides}, {frozen.storage_offset})"


def _numbers(value: Any) -> str:
    return repr(value).replace("nan", 'float("nan")').replace("inf", 'float("inf")')
