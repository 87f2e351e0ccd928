"""A call of a compiled kernel as words of a plan, and which of them follow from the operands.

A call can be done again if its arguments are arrays in the memory of operands and outputs, and numbers that follow
from the key of the operator's call.
"""

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.core import datamodel
from numba.core.registry import cpu_target

from ..cpu import loops
from ..cpu.parallel import launch
from ..tensor_impl import Tensor
from . import call, plan
from .objects import FLOATS, I32
from .plan import Plan

UNLOCKED_FROM = 32768  # bytes of operands from which Python's lock is let go while a kernel runs
ARRAY_WORDS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")
CONVERSIONS = {
    ("float64", "float32"): plan.FLOAT_OF_DOUBLE,
    ("int64", "float32"): plan.FLOAT_OF_INT,
    ("int64", "float64"): plan.DOUBLE_OF_INT,
    ("int64", "int32"): plan.SAME_BITS,
}


class NotReplayable(Exception):
    """Raised for a call that can't be replayed; the message says why."""


class Note:
    """A call of a compiled kernel: an overload of numba, its arguments and their types, and what it returned."""

    def __init__(self, kernels: loops.Compiled, kind: Any, args: Sequence[Any], returned: Any, is_on_threads: bool):
        (self.overload,) = kernels.dispatchers[kind].overloads.values()
        signature = self.overload.signature.args  # a type of numba that is made and goes may swallow an interrupt
        self.kinds, self.args, self.returned, self.is_on_threads = signature, args, returned, is_on_threads
        self.kernel = self.overload
        if is_on_threads:  # the function that shares the work gets the kernel by its address
            count, grain_size, given = args
            self.args = (0, address_of(self.overload), count, grain_size, given)
            overloads: dict[Any, Any] = launch.overloads
            self.kinds, self.overload = next(
                (kinds, made) for kinds, made in overloads.items() if tuple(kinds[-1]) == signature[2:]
            )


_addresses: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()


def address_of(overload: Any) -> int:
    """Return the address by which numba's kernels call a kernel; cached, since asking numba takes a lock."""
    address = _addresses.get(overload.library)
    if address is None:
        address = overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name)
        _addresses[overload.library] = address
    return address


def flattened(kind: types.Type, value: Any) -> Iterator[tuple[types.Type, Any]]:
    """Yield the arrays and numbers of an argument, each with its type."""
    if isinstance(kind, types.BaseTuple):
        inside: Any = kind
        for inner, item in zip(inside, value, strict=True):
            yield from flattened(inner, item)
    else:
        yield kind, value


class Operand:
    """The memory of an argument or of a new output.

    Attributes:
        number: among the operands and outputs.
        begins: it is the beginning of its storage, whose size is in the key.
        start, end: addresses of the storage.
    """

    def __init__(self, number: int, tensor: Tensor):
        self.number, self.tensor, self.offset = number, tensor, tensor._storage_offset
        self.begins = self.offset == 0
        self.start = address_of_array(tensor._storage._cells)
        self.end = self.start + tensor._storage._nbytes
        self.is_used = False

    def holds(self, array: np.ndarray) -> bool:
        """Return True if this memory contains the array."""
        return self.start <= address_of_array(array) and address_of_array(array) + array.nbytes <= self.end


def address_of_array(array: np.ndarray) -> int:
    """Return the address of an array's first element."""
    return array.__array_interface__["data"][0]


class Launch:
    """A kernel call as machine words, and the patches that fill in the words that depend on operands.

    Args:
        operands: memory of the arguments and outputs of the operator.
    """

    def __init__(self, operands: list[Operand], note: Note):
        self.operands, self.note = operands, note
        self.words: list[int] = [0, 0]  # of the result and the exception
        self.floats: list[np.floating] = []
        self.patches: list[tuple[int, int, int, int]] = []
        self.constants: list[np.ndarray] = []
        self.numbers = 0
        self.offset: Operand | None = None  # whose offset the next number must be
        for kind, given in zip(note.kinds, note.args, strict=True):
            for inner, value in flattened(kind, given):
                self._append(inner, value)
        if self.offset:
            raise NotReplayable("an array without the offset of its tensor")
        self._require_signature()

    def cells(self, made: Plan) -> Sequence[int]:
        """Return the cells of a launch, and have the plan keep alive what they point to."""
        size = next((size for size in call.SIZES_OF_CALLS if size >= len(self.words)), 0)
        if not size or len(self.floats) > FLOATS:
            raise NotReplayable("a kernel with too many arguments")
        words = np.zeros(call.MOST + FLOATS, np.int64)
        words[: len(self.words)] = self.words
        words[call.MOST :][: len(self.floats)] = [int(np.array(x).view(f"i{x.itemsize}")) for x in self.floats]
        patches = np.array([len(self.patches), *(word for patch in self.patches for word in patch)], np.int64)
        note, returned = self.note, self.note.returned
        made.kept += (words, patches, note.kernel, note.overload, *self.constants)
        is_checked = note.overload.signature.return_type != types.none
        is_large = sum(operand.tensor.nbytes for operand in self.operands) > UNLOCKED_FROM
        lock = call.ON_THREADS if note.is_on_threads else call.UNLOCKED if is_large else call.LOCKED
        return (address_of(note.overload), returned if is_checked else 0, is_checked, lock, size,
                words.ctypes.data, patches.ctypes.data, 0)  # fmt: skip

    def _append(self, kind: types.Type, value: Any) -> None:
        if isinstance(kind, types.Array):
            self._append_array(value)
        elif isinstance(kind, types.Float):
            self.floats.append(np.dtype(kind.name).type(value))
        elif isinstance(kind, types.Integer | types.Boolean):
            if self.offset:
                if value != self.offset.offset:
                    raise NotReplayable("an array without the offset of its tensor")
                self._patch(plan.PLACE, len(self.words), self.offset)
                self.offset = None
            self.words.append(int(value))
        else:
            raise NotReplayable(f"an argument of numba's type {kind}")

    def _append_array(self, array: np.ndarray) -> None:
        if self.offset:
            raise NotReplayable("an array without the offset of its tensor")
        place, address = len(self.words), address_of_array(array)
        self.words += [0, 0, array.size, array.itemsize, address, *array.shape, *array.strides]
        holders = [operand for operand in self.operands if array.size and operand.holds(array)]
        if len(holders) > 1:
            raise NotReplayable("memory of several storages")
        if not holders:
            if array.size == array.ndim == 1:
                self._append_number(array, place + 4)
            elif array.size and array.ndim != 2:  # a table of sizes and strides follows from the key
                raise NotReplayable("a temporary array")
            self.constants.append(array)
            return
        operand = holders[0]
        operand.is_used = True
        numel, itemsize = operand.tensor.numel(), operand.tensor._dtype.itemsize
        further = address - operand.start
        if operand.begins:
            self._patch(plan.DATA_OF, place + 4, operand, further)
        elif further == 0 and array.size == (operand.end - operand.start) // array.itemsize:
            self._patch(plan.FLAT, place, operand, array.itemsize)
            self.offset = operand
        elif further == operand.offset * itemsize and array.size == numel:
            self._patch(plan.PART, place + 4, operand, itemsize)
        else:
            raise NotReplayable("an array of some of the elements")

    def _append_number(self, array: np.ndarray, word: int) -> None:
        """Append a copy of an operand without dimensions in another dtype, made by `cast_input`."""
        kind = str(array.dtype)
        found = [x for x in self.operands if x.tensor.numel() == 1 and x.tensor._dtype.name != kind]
        if len(found) != 1 or found[0].tensor._sizes or self.numbers == call.MOST_NUMBERS:  # else it may be another's
            raise NotReplayable("a temporary array")
        x = found[0].tensor
        is_copy = x._flat()[x._storage_offset :][:1].astype(array.dtype).tobytes() == array.tobytes()
        if not is_copy or (x._dtype.name, kind) not in CONVERSIONS:
            raise NotReplayable("a temporary array")
        self._patch(CONVERSIONS[x._dtype.name, kind], word, found[0], self.numbers)
        self.numbers += 1

    def _patch(self, what: int, word: int, operand: Operand, number: int = 0) -> None:
        self.patches.append((what, word, operand.number, number))

    def _require_signature(self) -> None:
        """Raise NotReplayable unless numba passes the arguments as they are here, and the result can be checked."""
        returns = self.note.overload.signature.return_type
        if returns not in (types.none, types.int64):
            raise NotReplayable(f"a kernel that returns {returns}")
        function = cpu_target.target_context.call_conv.get_function_type(returns, self.note.kinds)
        wanted = function.args
        floats = [str(kind) for kind in wanted if str(kind) in ("float", "double")]
        given = ["float" if x.itemsize == 4 else "double" for x in self.floats]
        if function.return_type != I32 or len(wanted) != len(self.words) + len(self.floats) or floats != given:
            raise NotReplayable("a signature that numba passes otherwise")


def require_numba() -> None:
    """Raise ValueError if numba passes arrays with a layout other than the one that `Launch` assumes."""
    model = datamodel.default_manager.lookup(types.int64[::1])
    if model._fields != ARRAY_WORDS:
        raise ValueError(f"an array of numba is {model._fields}")
