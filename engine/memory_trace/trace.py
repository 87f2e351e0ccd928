"""The raw trace of a kernel: who touched which element, in which order. Plain tuples of ints, floats and words.

Nothing here is computed from the accesses: counts and verdicts are functions of the trace, in the files beside this
one. So a trace can be recorded by a process that nobody trusts, packed with msgpack, and judged elsewhere.
PyTorch has no counterpart; on a GPU, Nsight Compute counts and compute-sanitizer looks for faults.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

KINDS = ("load", "store", "atomic")
WARP = 32  # threads that a GPU runs in step

Index = tuple[int, ...]


class Access(NamedTuple):
    """One element read or written by one thread.

    Attributes:
        block, thread: linear numbers, x fastest: `x + size_x * (y + size_y * z)`; the thread's is within its block.
        instruction: number in `Trace.instructions`.
        k: how often this thread had executed this instruction before.
        kind: "load", "store", or "atomic", which does both at once.
        space: "global", "shared" (one for each block), "local" (one for each thread) or "constant".
        array: number in `Trace.arrays`.
        index: the element, counted in elements from the array's first one in memory.
        value: what was read, or what the memory holds after a store: int, float, bool, or (real, imaginary). Of an
            atomic, the pair (what was read, what the memory holds after it).
        inside: whether each subscript was in 0 <= i < size. If not, nothing was touched: a load gave NaN or -1.
    """

    block: int
    thread: int
    instruction: int
    k: int
    kind: str
    space: str
    array: int
    index: int  # type: ignore[assignment]  # the field's name, over tuple's method
    value: Any
    inside: bool


class Barrier(NamedTuple):
    """The arrival of one thread at `cuda.syncthreads()`; the other attributes are as in `Access`."""

    block: int
    thread: int
    instruction: int
    k: int


class Instruction(NamedTuple):
    """An instruction of a kernel's code; `offset` is its offset in the function's bytecode.

    A device function that is called at two places has its instructions twice; `caller` is the instruction that
    called it, -1 for the kernel's own instructions.
    """

    file: str
    line: int
    offset: int
    function: str
    caller: int


class Array(NamedTuple):
    """A range of memory. Arguments that overlap are views of one.

    Attributes:
        name: of the argument or of the variable; of several arguments "x, y".
        size: elements.
        itemsize: bytes of an element.
        offset: bytes from a boundary of 256, where an allocation begins, to the first element.
    """

    name: str
    space: str
    dtype: str
    itemsize: int
    size: int
    offset: int


class Argument(NamedTuple):
    """An argument of the kernel as a view of an array: element (i0, ...) is at `first + sum(i_d * strides[d])`."""

    name: str
    array: int
    first: int
    sizes: Index
    strides: Index


class Trace(NamedTuple):
    """The accesses and barriers of a kernel; `grid` and `block` are sizes (x, y, z), `events` are in time order."""

    kernel: str
    grid: Index
    block: Index
    arguments: tuple[Argument, ...]
    arrays: tuple[Array, ...]
    instructions: tuple[Instruction, ...]
    events: tuple[Access | Barrier, ...]


Cell = tuple[int, int, int, int]


def accesses(trace: Trace, space: str = "", kind: str = "", array: str = "") -> Iterator[Access]:
    """Yield the accesses in time order, all or only those to one space, of one kind, or to one array (by name)."""
    wanted = {number for number, one in enumerate(trace.arrays) if array in ("", one.name) and space in ("", one.space)}
    for event in trace.events:
        if not isinstance(event, Barrier) and event.array in wanted and (not kind or event.kind == kind):
            yield event


def cell_of(access: Access) -> Cell:
    """Return the memory cell of an access, as (array, block, thread, index); -1 means any block or thread."""
    block = access.block if access.space in ("shared", "local") else -1
    return access.array, block, access.thread if access.space == "local" else -1, access.index


def address_of(trace: Trace, access: Access) -> int:
    """Return the byte offset of the accessed element from the 256-byte boundary where its allocation begins."""
    array = trace.arrays[access.array]
    return array.offset + access.index * array.itemsize


def place_of(trace: Trace, instruction: int) -> str:
    """Return the location of an instruction in readable form: "matmul.py:12 in tiled"."""
    file, line, _, function, caller = trace.instructions[instruction]
    called = f", called from line {trace.instructions[caller].line}" if caller >= 0 else ""
    return f"{file.replace(chr(92), '/').rpartition('/')[2]}:{line} in {function}{called}"


def from_plain(data: Sequence[Any]) -> Trace:
    """Return a trace from the result of `msgpack.unpackb(msgpack.packb(trace))`.

    Raises:
        ValueError: it has not the form of a trace, or means threads, elements or instructions that do not exist.
    """
    try:
        kernel, grid, block, arguments, arrays, instructions, events = data
        return _checked(Trace(
            str(kernel), _ints(grid), _ints(block),
            tuple(Argument(str(name), _int(array), _int(first), _ints(sizes), _ints(strides))
                  for name, array, first, sizes, strides in arguments),
            tuple(Array(str(name), str(space), str(dtype), *_ints(sizes)) for name, space, dtype, *sizes in arrays),
            tuple(Instruction(str(file), _int(line), _int(offset), str(function), _int(caller))
                  for file, line, offset, function, caller in instructions),
            tuple(Barrier(*event) if len(event) == 4 else _access(*event) for event in events),
        ))  # fmt: skip
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected the plain data of a trace: {error}") from None


def _int(number: Any) -> int:
    if type(number) is not int:
        raise ValueError(f"expected an int, got {number!r}")
    return number


def _ints(data: Sequence[Any]) -> Index:
    return tuple(map(_int, data))


def _access(*fields: Any) -> Access:
    access = Access(*fields)
    if type(access.value) is not list:
        return access
    return access._replace(value=tuple(tuple(item) if type(item) is list else item for item in access.value))


def _checked(trace: Trace) -> Trace:
    for argument in trace.arguments:
        if not 0 <= argument.array < len(trace.arrays) or len(argument.sizes) != len(argument.strides):
            raise ValueError(f"expected a view of one of {len(trace.arrays)} arrays, got {argument}")
    blocks, threads, instructions = math.prod(trace.grid), math.prod(trace.block), len(trace.instructions)
    for event in trace.events:
        block, thread, instruction, k = event[:4]
        numbers = type(block) is type(thread) is type(instruction) is type(k) is int
        known = numbers and 0 <= block < blocks and 0 <= thread < threads and 0 <= instruction < instructions
        if not (known and k >= 0 and (isinstance(event, Barrier) or _is_access(event, trace.arrays))):
            raise ValueError(
                f"expected an event of grid {trace.grid}, block {trace.block}, {instructions} instructions and "
                f"{len(trace.arrays)} arrays, got {event}"
            )
    return trace


def _is_access(access: Access, arrays: Sequence[Array]) -> bool:
    _, _, _, _, kind, space, array, index, value, inside = access
    numbers = type(array) is type(index) is int and type(inside) is bool
    known = numbers and kind in KINDS and 0 <= array < len(arrays) and space == arrays[array].space
    pair = kind != "atomic" or (type(value) is tuple and len(value) == 2)
    return known and pair and (0 <= index < arrays[array].size or not inside)
