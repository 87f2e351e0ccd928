"""The half of replay that is Python: run a kernel once, note what it did, and make a plan of that.

A plan can be made if all that the kernel did was to call compiled kernels (`cpu.noting`) with arrays that are
memory of its operands and outputs, and with numbers that follow from the key. Each plan is run at once, into memory
with a pattern, and dropped if its results differ in a bit.
"""

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.core import datamodel
from numba.core.registry import cpu_target

from ..cpu import loops
from ..cpu.noting import noting
from ..cpu.parallel import launch
from ..dispatch.dispatcher import OperatorEntry
from ..dispatch.keys import KEY_SETS
from ..dtypes import CPU
from ..storage import UntypedStorage
from ..tensor_impl import Tensor
from . import call, plan
from .layout import common, fill, switched
from .objects import FLOATS, I32, builtin, definition_of, this_thread
from .plan import KEY_CELLS, LAUNCH_CELLS, NEW, OUTPUT_CELLS, REFUSED, VIEW, Plan

SLOTS = 256  # of an operator's table, of which half are used
MOST_MISSES = 1 << 20
UNLOCKED_FROM = 32768  # bytes of operands from which Python's lock is let go while a kernel runs
ARRAY_WORDS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")
CONVERSIONS = {
    ("float64", "float32"): plan.FLOAT_OF_DOUBLE,
    ("int64", "float32"): plan.FLOAT_OF_INT,
    ("int64", "float64"): plan.DOUBLE_OF_INT,
    ("int64", "int32"): plan.SAME_BITS,
}
_recording, _entering = threading.Lock(), threading.RLock()
_planned: list["Leaf"] = []  # those that have plans


def forget_plans() -> None:
    """Drop all plans of all operators."""
    while _planned:
        _planned.pop().forget()


class NotReplayable(Exception):
    """Why a call makes no plan."""


# ---- an operator


class Leaf:
    """The kernel of an operator at CPU: `native` is called instead of `function`, which is Python.

    Attributes:
        refusals: why calls made no plan, as far as the table that is in use knows.
    """

    def __init__(self, entry: OperatorEntry, function: Callable[..., Any], definition: int):
        assert entry.schema is not None
        kinds = {"Tensor": call.TENSOR, "Tensor?": call.OPTIONAL_TENSOR}
        arguments = [kinds.get(str(argument.type), call.OTHER) for argument in entry.schema.arguments]
        self.function, self.plans, self.refusals = function, list[Plan](), list[str]()
        self.epoch, self.wait, self.misses = 0, 0, 16
        self.kinds, self.slots = np.array(arguments, np.int64), np.zeros(SLOTS, np.int64)
        self.record = self._record  # one object, whose address the table has
        addresses = (common.ctypes.data, id(function), id(self.record), SLOTS - 1, self.slots.ctypes.data)
        self.table = np.array((*addresses, len(arguments), self.kinds.ctypes.data, 0, 0), np.int64)
        self.native = builtin(definition, self.table)

    @property
    def replays(self) -> int:
        """The number of calls that had a plan."""
        return int(self.table[call.REPLAYS // 8])

    def forget(self) -> None:
        """Drop all plans. A call that runs by one keeps it for so long."""
        with _entering:
            self.epoch += 1
            self.slots[:] = 0
            self.plans, self.refusals = [], []

    def _record(self, *args: Any) -> Any:
        """Call the function, and make the plan of the call."""
        missed, epoch = int(self.table[call.MISSED // 8]), self.epoch
        if self.wait or _recording.locked():
            self.wait = max(0, self.wait - 1)
            return self.function(*args)
        with _recording:  # an interrupt cannot come between its taking and this block, as before a `try`
            notes = list[tuple[Any, ...]]()
            with switched("paused"), noting(lambda *note: notes.append(note)):
                result = self.function(*args)
            self._enter(Recorded(self, args, result, notes), missed, epoch)
        return result

    def _enter(self, recorded: "Recorded", missed: int, epoch: int) -> None:
        """Make the plan of a call and keep it, or keep that there is none. The call itself has succeeded."""
        made, outputs = recorded.refusal(), REFUSED
        try:
            made = recorded.plan()
            outputs = len(recorded.outputs)
        except Exception as error:
            self.refusals.append(f"{type(error).__name__}: {error}")
        made.cells[plan.HASH // 8] = missed
        made.cells[plan.OUTPUTS // 8] = REFUSED if outputs == REFUSED else -1 - outputs
        is_kept = self._put(made, missed, epoch)
        if is_kept and outputs != REFUSED:
            is_good = recorded.is_repeated_by(self.native)
            made.cells[plan.OUTPUTS // 8] = outputs if is_good else REFUSED
            self.refusals += [] if is_good else ["a replay gives another result"]
        if not is_kept:  # start again, and later each time
            self.forget()
            self.misses = min(2 * self.misses, MOST_MISSES)
            self.wait = self.misses

    def _put(self, made: Plan, missed: int, epoch: int) -> bool:
        """Put a plan where compiled code looks for its hash; False if there is no room."""
        with _entering:
            if epoch != self.epoch:  # the kernels are others by now
                return True
            places = [(missed >> 20) + k & SLOTS - 1 for k in range(call.PROBES)]
            place = next((place for place in places if not self.slots[place]), None)
            if place is None or 2 * len(self.plans) >= SLOTS:
                return False
            if not self.plans:
                _planned.append(self)
            self.plans.append(made)
            self.slots[place] = made.cells.ctypes.data
            return True


# ---- what was done


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
    """The address of a kernel as numba's kernels call each other; numba, which takes a lock, is asked once."""
    address = _addresses.get(overload.library)
    if address is None:
        address = overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name)
        _addresses[overload.library] = address
    return address


def flattened(kind: types.Type, value: Any) -> Iterator[tuple[types.Type, Any]]:
    """The arrays and numbers of an argument, each with its type."""
    if isinstance(kind, types.BaseTuple):
        inside: Any = kind
        for inner, item in zip(inside, value, strict=True):
            yield from flattened(inner, item)
    else:
        yield kind, value


class Operand:
    """Memory of an argument or a new output.

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
        """True if the array is in this memory."""
        return self.start <= address_of_array(array) and address_of_array(array) + array.nbytes <= self.end


def address_of_array(array: np.ndarray) -> int:
    """The address of the first element."""
    return array.__array_interface__["data"][0]


class Recorded:
    """A call that ran in Python, and the plan of it."""

    def __init__(self, leaf: Leaf, args: tuple[Any, ...], result: Any, notes: list[tuple[Any, ...]]):
        self.args, self.result, self.notes = args, result, notes
        self.outputs: tuple[Any, ...] = result if type(result) is tuple else (result,)
        is_tensor = [kind != call.OTHER and arg is not None for kind, arg in zip(leaf.kinds, args, strict=True)]
        self.tensors = [arg for arg, yes in zip(args, is_tensor, strict=True) if yes]
        self.others = [arg for arg, yes in zip(args, is_tensor, strict=True) if not yes]
        self.operands = [Operand(k, x) for k, x in enumerate(self.tensors) if self._first(x) == k]

    def _first(self, x: Tensor) -> int:
        return next(k for k, tensor in enumerate(self.tensors) if tensor is x)

    def plan(self) -> Plan:
        """The plan.

        Raises:
            NotReplayable: the call did more than a plan can say.
        """
        made = self.refusal()
        if len(self.outputs) > plan.MOST_OUTPUTS or len(self.notes) > plan.MOST_LAUNCHES:
            raise NotReplayable("too many outputs, or calls of kernels")
        first = plan.FIRST_OUTPUT // 8
        for k, out in enumerate(self.outputs):
            made.cells[first + k * OUTPUT_CELLS :][:OUTPUT_CELLS] = self._output(made, k, out)
        first = plan.FIRST_LAUNCH // 8
        for k, note in enumerate(self.notes):
            made.cells[first + k * LAUNCH_CELLS :][:LAUNCH_CELLS] = Launch(self.operands, Note(*note)).cells(made)
        for operand in self.operands:
            if any(operand.tensor is out for out in self.outputs) and not operand.is_used:
                raise NotReplayable("an output that no compiled kernel wrote")
        made.cells[plan.LAUNCHES // 8] = len(self.notes)
        return made

    def refusal(self) -> Plan:
        """The plan of a call that goes to Python: its key alone."""
        made = Plan()
        key = list[int]()
        for x in self.tensors:
            kept = x._sizes, x._strides, x._dtype, x._wrapped_number
            extent = plan.SIDE_BY_SIDE if x._storage_offset else x._storage._nbytes
            key += [*map(id, kept), self._first(x), extent]
            made.kept += kept
        key += map(id, self.others)
        made.kept += self.others
        made.cells[plan.TENSORS // 8 :][:2] = len(self.tensors), len(self.others)
        made.cells[plan.KEY // 8 :][: len(key)] = key
        assert len(key) <= KEY_CELLS * plan.MOST_TENSORS + plan.MOST_OTHERS
        return made

    def _output(self, made: Plan, number: int, out: Any) -> Sequence[int]:
        """The cells of an output; a new one becomes an operand."""
        if type(out) is not Tensor and not any(out is x for x in self.tensors):
            raise NotReplayable("an output that is no plain tensor")
        made.kept += (out._sizes, out._strides)
        base = next((k for k, x in enumerate(self.tensors) if x._storage is out._storage), None)
        if base is not None and out is self.tensors[base]:
            if len(self.outputs) != 1 or len(self.notes) != 1:
                raise NotReplayable("more is done than one write to an argument")
            return (plan.ARGUMENT, 0, 0, base, 0, 0, 0, 0)
        if out._key_set is not KEY_SETS["cpu"] or out._wrapped_number or out._autograd_meta is not None:
            raise NotReplayable("an output with more than geometry and memory")
        if base is not None:
            x = self.tensors[base]
            if self.notes or out._dtype is not x._dtype or out._version_counter is not x._version_counter:
                raise NotReplayable("a view that is not just another geometry")
            further = out._storage_offset - x._storage_offset
            return (VIEW, id(out._sizes), id(out._strides), base, further, 0, 0, 0)
        return self._new_output(made, number, out)

    def _new_output(self, made: Plan, number: int, out: Tensor) -> Sequence[int]:
        storage: UntypedStorage = out._storage
        nbytes, itemsize = storage._nbytes, out._dtype.itemsize
        is_dense = out._storage_offset == 0 and storage.device is CPU and storage._resizable
        if not is_dense or out._version or storage._cells.dtype is not out._dtype.numpy:
            raise NotReplayable("an output that is not as `new_dense` makes it")
        if not nbytes or not self.notes:
            raise NotReplayable("an output that no compiled kernel wrote")
        made.kept.append(nbytes)
        self.operands.append(Operand(len(self.tensors) + number, out))
        return (NEW, id(out._sizes), id(out._strides), nbytes // itemsize, itemsize, id(nbytes),
                id(out._dtype), id(out._dtype.numpy))  # fmt: skip

    def is_repeated_by(self, native: Callable[..., Any]) -> bool:
        """True if the plan gives what Python gave. What is written to in place can't be tried twice."""
        if any(out is x for out in self.outputs for x in self.tensors):
            return True
        try:
            with switched("trial", this_thread()):
                again = native(*self.args)
        except Exception:  # such as one of no memory for a second result
            return False
        if type(again) is not type(self.result):
            return False
        pairs = zip(self.outputs, again if type(again) is tuple else (again,), strict=True)
        return all(is_same(one, other) for one, other in pairs)


def is_same(one: Tensor, other: Tensor) -> bool:
    """True if two outputs are one view, or have one geometry and equal bytes."""
    for field in ("_sizes", "_strides", "_storage_offset", "_dtype"):
        if getattr(one, field) != getattr(other, field):
            return False
    cells = (tensor._storage._cells.view(np.uint8) for tensor in (one, other))
    return one._storage is other._storage or bool(np.array_equal(*cells))


# ---- a call of a kernel


class Launch:
    """A call of a kernel as words, and the patches by which they follow from operands.

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
        """The cells of a launch, and the plan keeps what they point to."""
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
        """A copy of an operand without dimensions in another dtype, made by `cast_input`."""
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
    """Raise ValueError if numba passes arrays in another way than `Launch` does."""
    model = datamodel.default_manager.lookup(types.int64[::1])
    if model._fields != ARRAY_WORDS:
        raise ValueError(f"an array of numba is {model._fields}")


_definition = 0


def definition() -> int:
    """The definition of the built-in functions of all operators; compiled at the first call."""
    global _definition
    if not _definition:
        fill()
        _definition = definition_of("replay", call.compiled())
    return _definition
