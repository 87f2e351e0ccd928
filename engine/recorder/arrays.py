"""Arrays as a kernel under the recorder sees them: each element read or written is told to the recorder.

They have what numba's arrays have in a kernel: subscripts, slices, shape, size, ndim, strides, dtype, T, reshape, len.
What would read all elements at once is refused, since a thread of a GPU can't do it.
"""

import math
import operator
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple, Protocol

import numpy as np

LIKE = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)  # arrays as large as another one


class Memory(NamedTuple):
    """A run of memory: its number in the trace, its elements, and how the trace writes a value down."""

    number: int
    space: str
    cells: np.ndarray
    writable: bool
    garbage: Any
    plain: Callable[[Any], Any]


class Recorder(Protocol):
    """What is told of each access."""

    def note(self, frame: FrameType, kind: str, memory: Memory, index: int, value: Any, inside: bool) -> None: ...


def memory_of(number: int, space: str, cells: np.ndarray, writable: bool = True) -> Memory:
    """The memory over a flat array of NumPy."""
    plain = _complex_as_pair if cells.dtype.kind == "c" else np.generic.item
    return Memory(number, space, cells, writable, garbage(cells.dtype, 1)[0], plain)


def garbage(dtype: np.dtype, size: int) -> np.ndarray:
    """What uninitialised memory holds here: NaN or -1, so that a result that uses it is seen to be wrong."""
    if dtype.kind == "b":
        return np.ones(size, dtype)
    return np.full(size * dtype.itemsize, 0xFF, np.uint8).view(dtype)


def _complex_as_pair(value: Any) -> tuple[float, float]:
    return float(value.real), float(value.imag)


class RecordedArray:
    """A strided view of a memory; `first` and `strides` are in elements, `strides` as NumPy has it in bytes."""

    __slots__ = ("_recorder", "_memory", "_first", "_steps", "_inside", "shape")
    __array_ufunc__ = None  # arithmetic of NumPy with a whole array is an error

    def __init__(
        self, recorder: Recorder, memory: Memory, first: int, shape: tuple[int, ...], steps: tuple[int, ...],
        inside: bool = True,
    ):  # fmt: skip
        self._recorder = recorder
        self._memory = memory
        self._first = first
        self._steps = steps
        self._inside = inside
        self.shape = shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype:
        return self._memory.cells.dtype

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
        """The same elements in another shape.

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
        """The elements, or the views one dimension smaller, each read when the loop comes to it."""
        for index in range(self.shape[0]):
            yield self.load(index, sys._getframe(1))

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
        return RecordedArray(self._recorder, self._memory, first, shape, steps, self._inside and inside)

    def _place(self, key: Any) -> tuple[int, bool] | None:
        """(flat index, whether it is inside) of a single element; None where `key` is not that of one."""
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
        """The view that a subscript with slices, or with fewer ints than dimensions, gives."""
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

    def load(self, key: Any, frame: FrameType) -> Any:
        """An element, read by the instruction of `frame`; or a view."""
        place = self._place(key)
        if place is None:
            return self._view(key)
        index, inside = place
        memory = self._memory
        value = memory.cells[index] if inside else memory.garbage
        self._recorder.note(frame, "load", memory, index, memory.plain(value), inside)
        return value

    def store(self, key: Any, value: Any, frame: FrameType) -> None:
        """Write an element, or each of a view, from a scalar, or from an array or a tuple of as many."""
        place = self._place(key)
        if place is None:
            return self._fill(self._view(key), value, frame)
        index, inside = place
        memory = self._writable()
        if inside:
            memory.cells[index] = value
            value = memory.cells[index]
        else:
            value = np.asarray(value).astype(memory.cells.dtype)[()]
        self._recorder.note(frame, "store", memory, index, memory.plain(value), inside)

    def _fill(self, view: "RecordedArray", value: Any, frame: FrameType) -> None:
        of = value if isinstance(value, RecordedArray) else np.broadcast_to(value, view.shape)
        for index in np.ndindex(view.shape):
            if isinstance(of, RecordedArray):
                at = tuple(i if size > 1 else 0 for i, size in zip(index[-of.ndim :], of.shape, strict=False))
                view.store(index, of.load(at, frame), frame)
            else:
                view.store(index, of[index], frame)

    def update(self, key: Any, change: Callable[[Any], Any], frame: FrameType) -> Any:
        """What the element was before `change`, which nobody interrupts: an atomic operation."""
        place = self._place(key)
        if place is None:
            raise TypeError(f"expected the index of one element of shape {self.shape}, got {key!r}")
        index, inside = place
        memory = self._writable()
        old = new = memory.cells[index] if inside else memory.garbage
        if inside:
            memory.cells[index] = change(old)
            new = memory.cells[index]
        self._recorder.note(frame, "atomic", memory, index, (memory.plain(old), memory.plain(new)), inside)
        return old

    def _writable(self) -> Memory:
        if not self._memory.writable:
            raise ValueError("the kernel writes to an array that is read-only")
        return self._memory

    def __getitem__(self, key: Any) -> Any:
        return self.load(key, sys._getframe(1))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.store(key, value, sys._getframe(1))


def contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Strides, in elements, of an array of these sizes whose rows follow each other."""
    return tuple(math.prod(sizes[dimension + 1 :]) for dimension in range(len(sizes)))


def _expanded(key: tuple, ndim: int) -> tuple:
    """`key` with a slice for each dimension that it leaves out."""
    taken = sum(subscript is not None and subscript is not Ellipsis for subscript in key)
    if taken > ndim:
        raise IndexError(f"too many subscripts: {taken} for an array of {ndim} dimensions")
    rest = (slice(None),) * (ndim - taken)
    at = next((position for position, subscript in enumerate(key) if subscript is Ellipsis), len(key))
    return (*key[:at], *rest, *key[at + 1 :])
