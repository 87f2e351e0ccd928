"""The arguments of a kernel as memories and views: NumPy's arrays, device arrays of numba, tensors of the engine.

Arguments that share memory become views of one array, so that an access through either is known to be to the same cell.
"""

import ctypes
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class View(NamedTuple):
    """An array argument on the host: its position (`path` within tuples), name, elements, and allocation.

    `base` is the address where the allocation begins, as far as it is known; `write_back` brings results to a device.
    """

    path: tuple[int, ...]
    name: str
    values: np.ndarray
    base: int
    write_back: Callable[[], None] | None


class Extent(NamedTuple):
    """A range of bytes, `low` up to `high`, that contains all views in `members`."""

    low: int
    high: int
    members: tuple[View, ...]


def views_of(function: Any, arguments: tuple[Any, ...]) -> list[View]:
    """Return the array arguments of a call as views.

    Raises:
        TypeError: the number of arguments is wrong, or one cannot be recorded.
    """
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*arguments).arguments
    except TypeError as error:
        raise TypeError(f"{function.__qualname__}() {error}") from None
    names = []
    for name, value in bound.items():
        starred = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        names += [f"{name}[{at}]" for at in range(len(value))] if starred else [name]
    host = _Host()
    found: list[View] = []
    for number, (name, argument) in enumerate(zip(names, arguments, strict=True)):
        host.collect(found, (number,), name, argument)
    return found


class _Host:
    """Arrays on the host for arguments; memory of a device is copied once, whoever views it."""

    def __init__(self) -> None:
        self._copies: dict[int, np.ndarray] = {}

    def collect(self, found: list[View], path: tuple[int, ...], name: str, argument: Any) -> None:
        if isinstance(argument, tuple):
            fields = getattr(argument, "_fields", None)
            for at, item in enumerate(argument):
                self.collect(found, (*path, at), f"{name}.{fields[at]}" if fields else f"{name}[{at}]", item)
            return
        if hasattr(argument, "to_device") and hasattr(argument, "value"):  # cuda.In, cuda.Out, cuda.InOut
            return self.collect(found, path, name, argument.value)
        if hasattr(argument, "untyped_storage"):
            values, base, write_back = self._tensor(argument)
        elif isinstance(argument, np.ndarray):
            values, base, write_back = argument, address(root(argument)), None
        elif hasattr(argument, "copy_to_host"):
            values, base, write_back = self._device_array(argument)
        elif isinstance(argument, (int, float, complex, np.generic, type(None))) or callable(argument):
            return
        else:
            raise TypeError(f"argument {name} cannot be recorded: expected an array, a tensor, a number or a tuple of "
                            f"these, got {type(argument).__name__}")  # fmt: skip
        _check(name, values)
        found.append(View(path, name, values, base, write_back))

    def _tensor(self, tensor: Any) -> tuple[np.ndarray, int, Callable[[], None] | None]:
        flat, base, write_back = self._flat(tensor.untyped_storage().elements(tensor.dtype.numpy))
        itemsize = flat.itemsize
        steps = tuple(step * itemsize for step in tensor.stride())
        begins = flat[tensor.storage_offset() :]
        return np.lib.stride_tricks.as_strided(begins, tuple(tensor.shape), steps), base, write_back

    def _device_array(self, array: Any) -> tuple[np.ndarray, int, Callable[[], None] | None]:
        flat, base, write_back = self._flat(array)
        return flat, base, write_back

    def _flat(self, array: Any) -> tuple[np.ndarray, int, Callable[[], None] | None]:
        """Return the array on the host, its base, what copies it back; the simulator's arrays are there already."""
        if isinstance(array, np.ndarray) or isinstance(getattr(array, "_ary", None), np.ndarray):
            values = getattr(array, "_ary", array)
            return values, address(root(values)), None
        pointer = array.__cuda_array_interface__["data"][0]
        values = self._copies.get(pointer)
        if values is None or values.shape != array.shape or values.dtype != array.dtype:
            values = array.copy_to_host()
            if any(at < pointer + values.nbytes and pointer < at + of.nbytes for at, of in self._copies.items()):
                raise ValueError("two arguments overlap in the memory of the device, which cannot be recorded")
            self._copies[pointer] = values
        return values, address(values) - pointer % 256, lambda: array.copy_to_device(values)


def address(array: np.ndarray) -> int:
    """Return the address of the first element."""
    return array.__array_interface__["data"][0]


def root(array: np.ndarray) -> np.ndarray:
    """Return the array that owns the memory, or the outermost base that is a NumPy array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _check(name: str, values: np.ndarray) -> None:
    if values.dtype.kind not in "biufc" or values.dtype.itemsize > 16:
        raise TypeError(f"argument {name} cannot be recorded: its dtype is {values.dtype}, expected bool, int, float "
                        "or complex")  # fmt: skip
    if any(stride % values.itemsize for stride in values.strides):
        raise ValueError(f"argument {name} cannot be recorded: its strides {values.strides} are no multiples of "
                         f"{values.itemsize} bytes")  # fmt: skip


def bounds(values: np.ndarray) -> tuple[int, int]:
    """Return the addresses of the first byte, and of the byte after the last, that an array's elements occupy."""
    if not values.size:
        return address(values), address(values)
    reach = [(size - 1) * stride for size, stride in zip(values.shape, values.strides, strict=True)]
    low = address(values) + sum(step for step in reach if step < 0)
    return low, address(values) + sum(step for step in reach if step > 0) + values.itemsize


def extents_of(views: list[View]) -> list[Extent]:
    """Return the memory ranges of the views, in the order of their first view; overlapping ranges are merged.

    Raises:
        ValueError: two views of the same bytes read them as different dtypes.
    """
    extents: list[Extent] = []
    for view in views:
        low, high = bounds(view.values)
        touching = [extent for extent in extents if low < extent.high and extent.low < high]
        members = (*(member for extent in touching for member in extent.members), view)
        if len({member.values.dtype for member in members}) > 1:
            raise ValueError(f"{' and '.join(member.name for member in members)} cannot be recorded: they are the same "
                             "memory as different dtypes")  # fmt: skip
        merged = Extent(
            min(low, *(extent.low for extent in touching)) if touching else low,
            max(high, *(extent.high for extent in touching)) if touching else high,
            members,
        )
        at = extents.index(touching[0]) if touching else len(extents)
        extents = [extent for extent in extents if extent not in touching]
        extents.insert(at, merged)
    return extents


def elements_of(extent: Extent) -> np.ndarray:
    """Return all elements of a memory range as a flat array that shares the memory. The members keep it alive."""
    dtype = extent.members[0].values.dtype
    if extent.high == extent.low:
        return np.empty(0, dtype)
    memory = (ctypes.c_byte * (extent.high - extent.low)).from_address(extent.low)
    return np.ctypeslib.as_array(memory).view(dtype)
