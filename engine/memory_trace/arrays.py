"""Arrays as a kernel under the recorder sees them: each element read or written is reported to the recorder.

They have what numba's arrays have in a kernel: subscripts, slices, shape, size, ndim, strides, dtype, T, reshape, len.
What would read all elements at once is refused, since a thread of a GPU can't do it.
An array holds numbers and nothing else: memory and recorder are in a closure that no attribute of it leads to.
"""

import itertools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from .frozen import Frozen, set_once

LIKE = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)  # arrays as large as another one


class Memory(NamedTuple):
    """A range of memory: its number in the trace, its elements, and how the trace records a value."""

    number: int
    space: str
    cells: np.ndarray
    writable: bool
    garbage: Any
    plain: Callable[[Any], Any]


Note = Callable[[FrameType, str, Memory, int, Any, bool], None]  # called for each access


def memory_of(number: int, space: str, cells: np.ndarray, writable: bool = True) -> Memory:
    """Return the memory over a flat NumPy array."""
    plain = _complex_as_pair if cells.dtype.kind == "c" else np.generic.item
    return Memory(number, space, cells, writable, garbage(cells.dtype, 1)[0], plain)


def garbage(dtype: np.dtype, size: int) -> np.ndarray:
    """Return contents for uninitialized memory: NaN or -1, so that a result computed from it is visibly wrong."""
    if dtype.kind == "b":
        return np.ones(size, dtype)
    return np.full(size * dtype.itemsize, 0xFF, np.uint8).view(dtype)


def _complex_as_pair(value: Any) -> tuple[float, float]:
    return float(value.real), float(value.imag)


class RecordedArray(metaclass=Frozen):
    """A strided view of a memory, which it refers to by number; `first` and `steps` are in elements.

    Only `view` makes them. `strides` are in bytes, as NumPy has them.
    """

    __slots__ = ("_number", "_first", "_steps", "_inside", "shape", "dtype")
    __array_ufunc__ = None  # arithmetic of NumPy with a whole array is an error

    def __init__(self, *_: Any):
        raise TypeError("arrays in a kernel come from its arguments, cuda.shared.array and cuda.local.array")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"an array in a kernel keeps its {name!r}")

    def __reduce__(self) -> Any:
        raise TypeError("an array in a kernel can't be copied as a whole")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(step * self.itemsize for step in self._steps)

    @property
    def T(self) -> "RecordedArray":
        return self._with(self._first, self.shape[::-1], self._steps[::-1])

    def reshape(self, *shape: Any) -> "RecordedArray":
        """Return the same elements in another shape.

        Raises:
            ValueError: the array is not contiguous, or the sizes don't fit.
        """
        sizes = tuple(shape[0]) if isinstance(shape[0], tuple) else shape
        missing = -self.size // math.prod(sizes) if -1 in sizes and math.prod(sizes) else -1
        sizes = tuple(missing if size == -1 else size for size in sizes)
        if math.prod(sizes) != self.size or self._steps != contiguous(self.shape):
            raise ValueError(f"cannot reshape an array of shape {self.shape} and strides {self.strides} to {sizes}")
        return self._with(self._first, sizes, contiguous(sizes))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Yield the elements, or the views one dimension smaller, each read when the loop comes to it."""
        for index in range(self.shape[0]):
            yield load(self, index, sys._getframe(1))

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a kernel takes the elements of an array by index: NumPy can't have it as a whole")

    def __array_function__(self, function: Any, kinds: Any, given: tuple, named: dict[str, Any]) -> Any:
        if function in LIKE:  # these read no element
            return function(np.empty(self.shape, self.dtype), *given[1:], **named)
        return self.__array__()

    def __reduce_ex__(self, protocol: Any) -> Any:  # of copy, deepcopy and pickle
        raise TypeError("a kernel takes the elements of an array by index: it can't copy the array as a whole")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"an array in a kernel has no {name!r} here: the recorder knows elements and shapes")

    def _with(self, first: int, shape: tuple[int, ...], steps: tuple[int, ...], inside: bool = True) -> "RecordedArray":
        return view(self._number, first, shape, steps, self.dtype, self._inside and inside)

    def _place(self, key: Any) -> tuple[int, bool] | None:
        """Return (flat index, whether it is inside) of a single element; None if `key` is not a single element's."""
        if type(key) is not tuple:
            key = (key,)
        if len(key) != len(self.shape):
            return None
        index, inside = self._first, self._inside
        for subscript, size, step in zip(key, self.shape, self._steps, strict=True):
            if type(subscript) is not int:
                if not hasattr(subscript, "__index__"):
                    return None
                subscript = operator.index(subscript)
            if not 0 <= subscript < size:
                inside = False
            index += subscript * step
        return index, inside

    def _view(self, key: Any) -> "RecordedArray":
        """Return the view that a subscript with slices, or with fewer ints than dimensions, gives."""
        first, inside, shape, steps, dimension = self._first, True, [], [], 0
        for subscript in _expanded(key if type(key) is tuple else (key,), self.ndim):
            if subscript is None:
                shape.append(1)
                steps.append(0)
                continue
            size, step = self.shape[dimension], self._steps[dimension]
            dimension += 1
            if isinstance(subscript, slice):
                start, stop, stride = subscript.indices(size)
                shape.append(len(range(start, stop, stride)))
                steps.append(step * stride)
                first += start * step
            elif hasattr(subscript, "__index__"):
                inside = inside and 0 <= operator.index(subscript) < size
                first += operator.index(subscript) * step
            else:
                raise TypeError(f"expected an int or a slice as a subscript, got {subscript!r}")
        return self._with(first, tuple(shape), tuple(steps), inside)

    def __getitem__(self, key: Any) -> Any:
        return load(self, key, sys._getframe(1))

    def __setitem__(self, key: Any, value: Any) -> None:
        store(self, key, value, sys._getframe(1))


def view(
    number: int, first: int, shape: tuple[int, ...], steps: tuple[int, ...], dtype: np.dtype, inside: bool = True
) -> RecordedArray:
    """Return an array over the memory with this number."""
    made = object.__new__(RecordedArray)
    values = number, first, steps, inside, shape, dtype
    for set_value, value in zip(_SETTERS, values, strict=True):
        set_value(made, value)
    return made


_SETTERS = set_once(RecordedArray)


class Accesses(NamedTuple):
    """The functions that access the recorded memories."""

    register_memory: Callable[[Memory, Note], int]
    release_memories: Callable[[Iterable[int]], None]
    load: Callable[[RecordedArray, Any, FrameType], Any]
    store: Callable[[RecordedArray, Any, Any, FrameType], None]
    update: Callable[[RecordedArray, Any, Callable[[Any], Any], FrameType], Any]


def _accesses() -> Accesses:
    known: dict[int, tuple[Memory, Note]] = {}
    numbers = itertools.count()

    def register_memory(memory: Memory, note: Note) -> int:
        """Return the number that arrays over a memory have; `note` is called for each access to it."""
        number = next(numbers)
        known[number] = memory, note
        return number

    def release_memories(left: Iterable[int]) -> None:
        """Forget memories: arrays that somebody has kept lead nowhere."""
        for number in left:
            del known[number]

    def load(array: RecordedArray, key: Any, frame: FrameType) -> Any:
        """Return an element, read by the instruction of `frame`; or a view."""
        place = array._place(key)
        if place is None:
            return array._view(key)
        index, inside = place
        memory, note = known[array._number]
        value = memory.cells[index] if inside else memory.garbage
        note(frame, "load", memory, index, memory.plain(value), inside)
        return value

    def store(array: RecordedArray, key: Any, value: Any, frame: FrameType) -> None:
        """Write an element, or each of a view, from a scalar, or from an array or a tuple of as many."""
        place = array._place(key)
        if place is None:
            return _fill(array._view(key), value, frame)
        index, inside = place
        memory, note = writable(array)
        if inside:
            memory.cells[index] = value
            value = memory.cells[index]
        else:
            value = np.asarray(value).astype(memory.cells.dtype)[()]
        note(frame, "store", memory, index, memory.plain(value), inside)

    def update(array: RecordedArray, key: Any, change: Callable[[Any], Any], frame: FrameType) -> Any:
        """Apply `change` to an element and return its old value, as an atomic operation."""
        place = array._place(key)
        if place is None:
            raise TypeError(f"expected the index of one element of shape {array.shape}, got {key!r}")
        index, inside = place
        memory, note = writable(array)
        old = new = memory.cells[index] if inside else memory.garbage
        if inside:
            memory.cells[index] = change(old)
            new = memory.cells[index]
        note(frame, "atomic", memory, index, (memory.plain(old), memory.plain(new)), inside)
        return old

    def writable(array: RecordedArray) -> tuple[Memory, Note]:
        memory, note = known[array._number]
        if not memory.writable:
            raise ValueError("the kernel writes to an array that is read-only")
        return memory, note

    return Accesses(register_memory, release_memories, load, store, update)


register_memory, release_memories, load, store, update = _accesses()


def _fill(target: RecordedArray, value: Any, frame: FrameType) -> None:
    of = value if isinstance(value, RecordedArray) else np.broadcast_to(value, target.shape)
    for index in np.ndindex(target.shape):
        if isinstance(of, RecordedArray):
            at = tuple(i if size > 1 else 0 for i, size in zip(index[-of.ndim :], of.shape, strict=False))
            store(target, index, load(of, at, frame), frame)
        else:
            store(target, index, of[index], frame)


def contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of a contiguous array of these sizes."""
    return tuple(math.prod(sizes[dimension + 1 :]) for dimension in range(len(sizes)))


def _expanded(key: tuple, ndim: int) -> tuple:
    """Return `key` with a slice for each dimension that it leaves out."""
    taken = sum(subscript is not None and subscript is not Ellipsis for subscript in key)
    if taken > ndim:
        raise IndexError(f"too many subscripts: {taken} for an array of {ndim} dimensions")
    rest = (slice(None),) * (ndim - taken)
    at = next((position for position, subscript in enumerate(key) if subscript is Ellipsis), len(key))
    return (*key[:at], *rest, *key[at + 1 :])
