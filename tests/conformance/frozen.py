"""Arguments of a call as plain data: made from PyTorch's values, turned into values of any `T` with the same geometry.

A tensor keeps its whole storage, gaps included, and tensors of one sample that share a storage share it on both sides.
`LAYOUTS` lay the same sample out anew: with gaps, transposed in memory, one row expanded.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

WIDE = {torch.float32: "float32", torch.float64: "float64", torch.int64: "int64", torch.int32: "int32",
        torch.bool: "bool"}  # fmt: skip
SMALL = {torch.bfloat16: "bfloat16", torch.float16: "float16", torch.uint8: "uint8", torch.int8: "int8",
         torch.int16: "int16"}  # fmt: skip
DTYPES = WIDE | SMALL
HALVES = ("bfloat16", "float16")  # whose cells are frozen as float32
FORMATS = (torch.contiguous_format, torch.channels_last, torch.preserve_format, torch.strided)
PLAIN = (bool, int, float, str, type(None), type(Ellipsis), np.ndarray, np.generic)
GARBAGE = 77  # fills the gaps
SEED = 4321


class OutOfScope(Exception):
    """A value that the engine does not have; the text says which."""


@dataclass(frozen=True)
class FrozenTensor:
    """`cells` is the whole storage as a flat array; tensors with the same `storage` number share theirs."""

    dtype: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    storage_offset: int
    cells: np.ndarray = field(repr=False, compare=False)
    storage: int
    device: str = "cpu"
    requires_grad: bool = False

    @property
    def values(self) -> np.ndarray:
        steps = [stride * self.cells.itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(self.cells[self.storage_offset :], self.sizes, steps)


@dataclass(frozen=True)
class Named:
    """An attribute of T, such as a dtype."""

    name: str


@dataclass(frozen=True)
class Device:
    name: str


@dataclass(frozen=True)
class Generator:
    seed: int


@dataclass(frozen=True)
class Sample:
    """One call: `input` first, then `args`, then `kwargs`, all frozen."""

    input: Any
    args: tuple
    kwargs: dict[str, Any]
    layout: str = "given"

    @property
    def all(self) -> tuple:
        return (self.input, self.args, self.kwargs)


# ---- from PyTorch


def freeze_sample(sample: Any) -> Sample:
    """A SampleInput of PyTorch's as plain data.

    Raises:
        OutOfScope: it holds a value that the engine does not have.
    """
    storages: list[int] = []
    return Sample(
        _freeze(sample.input, storages), _freeze(tuple(sample.args), storages), _freeze(dict(sample.kwargs), storages)
    )


def _freeze(value: Any, storages: list[int]) -> Any:
    if isinstance(value, torch.Tensor):
        return _freeze_tensor(value, storages)
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(_freeze(entry, storages) for entry in value)
    if isinstance(value, dict):
        return {key: _freeze(entry, storages) for key, entry in value.items()}
    if isinstance(value, slice):
        return slice(*(_freeze(part, storages) for part in (value.start, value.stop, value.step)))
    if isinstance(value, torch.dtype):
        if value not in DTYPES:
            raise OutOfScope(f"dtype {value}")
        return Named(DTYPES[value])
    if isinstance(value, (torch.memory_format, torch.layout)):
        if value not in FORMATS:
            raise OutOfScope(f"{type(value).__name__} {value}")
        return Named(str(value).removeprefix("torch."))
    if isinstance(value, torch.device):
        return Device(str(value))
    if isinstance(value, torch.Generator):
        return Generator(SEED)
    if value in (bool, int, float):
        return value
    raise OutOfScope(f"an argument of type {type(value).__name__}")


def as_array(tensor: Any) -> np.ndarray:
    """A copy of the elements of a tensor of either side, of halves as float32.

    A NaN of a half is one NaN: which bits PyTorch's conversion gives it depends on its place in a vector.
    """
    if str(tensor.dtype).removeprefix("torch.") not in HALVES:
        return tensor.numpy().copy()
    values = tensor.float().numpy()
    values[np.isnan(values)] = np.nan
    return values


def _freeze_tensor(tensor: torch.Tensor, storages: list[int]) -> FrozenTensor:
    requires_grad, tensor = tensor.requires_grad, tensor.detach()
    if type(tensor) is not torch.Tensor:
        raise OutOfScope(f"subclass {type(tensor).__name__}")
    if tensor.dtype not in DTYPES:
        raise OutOfScope(f"dtype {tensor.dtype}")
    if tensor.layout is not torch.strided:
        raise OutOfScope(f"layout {tensor.layout}")
    if tensor.device.type not in ("cpu", "meta"):
        raise OutOfScope(f"device {tensor.device}")
    if tensor.is_neg() or tensor.is_quantized:
        raise OutOfScope("negated or quantized tensors")
    memory = tensor.untyped_storage()
    if memory._cdata not in storages:
        storages.append(memory._cdata)
    count = memory.nbytes() // tensor.element_size()
    cells = (
        np.zeros(count, "float32" if DTYPES[tensor.dtype] in HALVES else DTYPES[tensor.dtype])
        if tensor.is_meta
        else as_array(torch.empty(0, dtype=tensor.dtype).set_(memory, 0, (count,), (1,)))
    )
    if cells.dtype == bool:  # uninitialized gaps have bytes that are neither 0 nor 1
        cells = cells.view(np.uint8) != 0
    return FrozenTensor(DTYPES[tensor.dtype], tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), cells,
                        storages.index(memory._cdata), tensor.device.type, requires_grad)  # fmt: skip


# ---- to T


class Thawed:
    """The values of a sample on one side, and the tensors among them in order.

    `leaves` are those that require grad; there are none unless they are asked for.
    """

    def __init__(self, T: Any, with_leaves: bool = False):
        self.T = T
        self.with_leaves = with_leaves
        self.tensors: list[Any] = []
        self.leaves: list[Any] = []
        self.storages: dict[int, Any] = {}

    def thaw(self, value: Any) -> Any:
        T = self.T
        if isinstance(value, FrozenTensor):
            tensor = self._tensor(value)
            self.tensors.append(tensor)
            if self.with_leaves and value.requires_grad:
                self.leaves.append(tensor.requires_grad_())
            return tensor
        if isinstance(value, (list, tuple)):
            return type(value)(self.thaw(entry) for entry in value)
        if isinstance(value, dict):
            return {key: self.thaw(entry) for key, entry in value.items()}
        if isinstance(value, slice):
            return slice(*(self.thaw(part) for part in (value.start, value.stop, value.step)))
        if isinstance(value, Named):
            return getattr(T, value.name)
        if isinstance(value, Device):
            return T.device(value.name)
        if isinstance(value, Generator):
            generator = T.Generator()
            generator.manual_seed(value.seed)
            return generator
        return value

    def _tensor(self, frozen: FrozenTensor) -> Any:
        T = self.T
        flat = self.storages.get(frozen.storage)
        if flat is None:
            flat = T.empty(frozen.cells.size, dtype=getattr(T, frozen.dtype), device=frozen.device)
            if frozen.device == "cpu":  # copied in, since from_numpy's and numpy()'s storages can't be resized
                flat.copy_(T.from_numpy(frozen.cells.copy()))
            self.storages[frozen.storage] = flat
        return T.as_strided(flat, frozen.sizes, frozen.strides, frozen.storage_offset)


# ---- laid out anew


def overlaps(sample: Sample) -> bool:
    """Return whether two elements of the input share a place in memory."""
    frozen = sample.input
    if not isinstance(frozen, FrozenTensor):
        return False
    reach = 0  # if each stride steps over all that the smaller ones reach, there is no need to look
    for stride, size in sorted(zip(frozen.strides, frozen.sizes, strict=True)):
        if size > 1 and stride <= reach:
            break
        reach += (size - 1) * stride
    else:
        return False
    places = np.zeros(frozen.sizes, np.int64)
    for dim, (size, stride) in enumerate(zip(frozen.sizes, frozen.strides, strict=True)):
        places += (np.arange(size) * stride).reshape([-1 if d == dim else 1 for d in range(len(frozen.sizes))])
    return len(np.unique(places)) < places.size


def tensors(value: Any) -> Iterator[FrozenTensor]:
    """The tensors of a frozen value, in order."""
    if isinstance(value, FrozenTensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from tensors(entry)
    elif isinstance(value, dict):
        yield from tensors(tuple(value.values()))
    elif isinstance(value, slice):
        yield from tensors((value.start, value.stop, value.step))


def _laid(frozen: FrozenTensor, strides: tuple[int, ...], offset: int, storage: int) -> FrozenTensor:
    """The same values at other strides, in a storage of garbage with a little room at the end."""
    reach = 1 + sum((size - 1) * stride for size, stride in zip(frozen.sizes, strides, strict=True))
    cells = np.full(offset + max(reach, 0) + 5, GARBAGE, frozen.cells.dtype)
    moved = replace(frozen, strides=strides, storage_offset=offset, cells=cells, storage=storage)
    if 0 not in frozen.sizes:
        moved.values[...] = frozen.values
    return moved


def _dense(sizes: tuple[int, ...], order: list[int], unit: int) -> tuple[int, ...]:
    strides = [0] * len(sizes)
    for dim in order:
        strides[dim] = unit
        unit *= max(sizes[dim], 1)
    return tuple(strides)


def with_gaps(frozen: FrozenTensor, storage: int) -> FrozenTensor:
    """Every second element of a larger storage, from the third on; the order of the dimensions stays."""
    order = sorted(range(len(frozen.sizes)), key=lambda dim: (frozen.strides[dim], -dim))
    return _laid(frozen, _dense(frozen.sizes, order, 2), 3, storage)


def transposed(frozen: FrozenTensor, storage: int) -> FrozenTensor:
    """The first dimension innermost in memory."""
    return _laid(frozen, _dense(frozen.sizes, list(range(len(frozen.sizes))), 1), 1, storage)


def expanded(frozen: FrozenTensor, storage: int) -> FrozenTensor:
    """The first row of the first dimension that has several, repeated by a stride of 0."""
    dim = next((d for d, size in enumerate(frozen.sizes) if size > 1), None)
    if dim is None or 0 in frozen.sizes:
        return with_gaps(frozen, storage)
    row = replace(frozen, sizes=tuple(1 if d == dim else size for d, size in enumerate(frozen.sizes)))
    laid = _laid(row, _dense(row.sizes, list(range(len(row.sizes)))[::-1], 1), 2, storage)
    return replace(laid, sizes=frozen.sizes, strides=tuple(0 if d == dim else s for d, s in enumerate(laid.strides)))


def _relaid(sample: Sample, name: str, ways: tuple[Callable, ...]) -> Sample:
    """Each tensor laid out by the next of `ways`, the last one for all that follow; None leaves it as it is."""

    def lay(value: FrozenTensor, number: int) -> FrozenTensor:
        way = ways[min(number, len(ways)) - 1]
        return way(value, -number) if way and value.device == "cpu" else value

    return _changed(sample, name, lay)


def all_require_grad(sample: Sample) -> Sample:
    """The sample with each floating point tensor of it to be differentiated."""
    floats = ("float32", "float64")
    return _changed(sample, "all differentiated", lambda value, _: replace(value, requires_grad=value.dtype in floats))


def on_meta(sample: Sample) -> Sample:
    """The sample with each tensor, and each device that it names, on device "meta"."""
    named = {key: "meta" if key == "device" else value for key, value in sample.kwargs.items()}
    return _changed(replace(sample, kwargs=named), "meta", lambda value, _: replace(value, device="meta"))


def _changed(sample: Sample, name: str, change: Callable[[FrozenTensor, int], FrozenTensor]) -> Sample:
    """Each tensor replaced by `change(tensor, its number from 1 on)`."""
    numbers = itertools.count(1)

    def walk(value: Any) -> Any:
        if isinstance(value, FrozenTensor):
            return change(value, next(numbers))
        if isinstance(value, (list, tuple)):
            return type(value)(walk(entry) for entry in value)
        if isinstance(value, dict):
            return {key: walk(entry) for key, entry in value.items()}
        return value

    return replace(sample, input=walk(sample.input), args=walk(sample.args), kwargs=walk(sample.kwargs), layout=name)


LAYOUTS = {
    "gaps": (with_gaps,),
    "transposed": (transposed,),
    "expanded": (expanded, with_gaps),
    "second transposed": (None, transposed),
}


def relaid(sample: Sample, name: str) -> Sample | None:
    """The sample in one of `LAYOUTS`; None where that would change nothing."""
    count = sum(1 for _ in tensors(sample.all))
    if not count or (name == "second transposed" and count < 2):
        return None
    return _relaid(sample, name, LAYOUTS[name])


def elements(sample: Sample) -> int:
    """Number of elements of all its tensors."""
    return sum(math.prod(tensor.sizes) for tensor in tensors(sample.all))
