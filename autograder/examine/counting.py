"""Findings from the raw trace of a kernel that a student can read, for `Aspect.findings` of labs 5 and 6.

All of it runs on the trusted side. A trace was recorded beside the student's code, so it may be forged: `read` takes it
only if it fits the case, `judged_result` replays it from the case's own inputs, and counts are made here and bounded
from both sides. A finding is the text of what was asked ("at most 96") if it holds, and else says what was found.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from autograder.examine.questions import INPUT_WRITTEN
from autograder.examine.trace_reachability import possible_trace
from engine import memory_trace
from engine.memory_trace.arguments import View, address, extents_of, root
from engine.memory_trace.provenance import cells_of, missing_flows
from engine.memory_trace.trace import Access, Array, Trace

MOST_EVENTS = 100_000
MOST_BARRIERS = 20_000
MOST_ARRAYS = 64
MOST_INSTRUCTIONS = 5_000
LONGEST_NAME = 300
Needed = Callable[..., Mapping[str, Iterable[Any]]]
Sizes = tuple[int, ...]


# ---- a trace that fits the case


def read(
    data: Any, arrays: Mapping[str, np.ndarray], grid: Sizes = (1,), block: Sizes = (1,), most: int = MOST_EVENTS,
) -> Trace:  # fmt: skip
    """Return the trace that `recorder.to_columns` wrote, after checking that it belongs to the requested kernel.

    Args:
        data: what came back from the sandbox.
        arrays: our name -> an array laid out in memory as the probe's, in the order of the kernel's array arguments.
            The trace's own names, which the student's parameters have, are replaced by ours.
        grid, block: what the probe launched, x first.
        most: events; a trace of more is not looked at.
    Raises:
        ValueError: not a trace, too large, made with another grid, block or other arguments, or not a possible trace
            of the code that was submitted.
    """
    _require_size(data, most)
    trace = possible_trace(data)
    wanted = _three(grid), _three(block)
    if (trace.grid, trace.block) != wanted:
        raise ValueError(f"a trace of grid {trace.grid} and block {trace.block}, expected {wanted[0]} and {wanted[1]}")
    arguments, memories = _described(arrays)
    if len(trace.arguments) != len(arguments):
        raise ValueError(f"a kernel with {len(trace.arguments)} arrays as arguments, expected {', '.join(arrays)}")
    for found, expected in zip(trace.arguments, arguments, strict=True):
        if found[1:] != expected[1:]:
            raise ValueError(f"an argument {found}, expected {expected}")
    ours, others = trace.arrays[: len(memories)], trace.arrays[len(memories) :]
    if [array[1:] for array in ours] != [array[1:] for array in memories]:
        raise ValueError(f"the arrays {ours}, expected {tuple(memories)}")
    for array in others:
        _require_own_memory(array)
    renamed = tuple(array._replace(name=f"{array.space} {array.name}"[:LONGEST_NAME]) for array in others)
    return trace._replace(arguments=tuple(arguments), arrays=(*memories, *renamed))


def _require_size(data: Any, most: int) -> None:
    """Raise ValueError for what would take long to read or to judge."""
    events, rest = data["events"], data["rest"]
    if type(events) is not np.ndarray or events.ndim != 2:
        raise ValueError("expected the columns of a trace")
    if len(events) > most:
        raise ValueError(f"a trace of {len(events):,} accesses, and at most {most:,} are looked at")
    if events.shape[1] > 4 and int((events[:, 4] < 0).sum()) > MOST_BARRIERS:
        raise ValueError(f"a trace of more than {MOST_BARRIERS:,} arrivals at barriers")
    arguments, arrays, instructions = map(len, rest)
    if max(arguments, arrays) > MOST_ARRAYS or instructions > MOST_INSTRUCTIONS:
        raise ValueError(f"a trace with {arguments} arguments, {arrays} arrays and {instructions} instructions")
    names = [data["kernel"], *(item for part in rest for row in part for item in row if not isinstance(item, int))]
    if any(isinstance(name, str) and len(name) > LONGEST_NAME for name in names):
        raise ValueError(f"a trace with a name of more than {LONGEST_NAME} characters")


def _require_own_memory(array: Array) -> None:
    """Raise ValueError for a memory of the kernel's own that no GPU would give it."""
    if array.space not in ("shared", "local", "constant") or array.itemsize not in (1, 2, 4, 8, 16):
        raise ValueError(f"a memory {array}, expected shared, local or constant memory of numbers")
    if array.offset or not 0 <= array.size * array.itemsize <= 48 * 1024:
        raise ValueError(f"a memory {array}, expected at most 48 KiB")


def _described(arrays: Mapping[str, np.ndarray]) -> tuple[list[memory_trace.Argument], list[Array]]:
    """Return the arguments and the memories as the recorder describes them."""
    views = [View((at,), name, values, address(root(values)), None) for at, (name, values) in enumerate(arrays.items())]
    found: dict[str, memory_trace.Argument] = {}
    memories = []
    for number, extent in enumerate(extents_of(views)):
        values = extent.members[0].values
        names = ", ".join(view.name for view in extent.members)
        offset = min((extent.low - view.base) % 256 for view in extent.members)
        size = (extent.high - extent.low) // values.itemsize
        memories.append(Array(names, "global", values.dtype.name, values.itemsize, size, offset))
        for view in extent.members:
            steps = tuple(stride // values.itemsize for stride in view.values.strides)
            first = (address(view.values) - extent.low) // values.itemsize
            found[view.name] = memory_trace.Argument(view.name, number, first, view.values.shape, steps)
    return [found[name] for name in arrays], memories


def _three(sizes: Sizes) -> Sizes:
    return (*sizes, 1, 1)[:3]


# ---- the result


def judged_result(
    trace: Trace, inputs: Mapping[str, Any], right: Mapping[str, Any],
    bound: float | Mapping[str, Any] = 0.0, needed: Mapping[str, Needed] | None = None, also: Iterable[str] = (),
) -> str:  # fmt: skip
    """Return "right" if the stores left the right answer, which follows from the inputs, and these are unchanged.

    Otherwise return the first thing that is wrong.

    Args:
        inputs: name of an argument -> what it held before; also of an output, if what it held matters.
        right: name of an output -> its right contents, worked out on the trusted side.
        bound: how far an element may be off, absolute; by name of the output, or one for all. 0: exactly.
        needed: name of an output -> a function of an element's index, as separate ints, that gives what must have
            flowed into it: name of an input -> indices.
        also: names of further arguments that may be written, as memory of the kernel's own.
    """
    memory, wrong = memory_trace.replay(trace, inputs)
    if wrong:
        return f"a load of {wrong[0].array} at {wrong[0].index[0]}: {wrong[0].about}"
    for argument in trace.arguments:
        if argument.name not in right:
            continue
        near = bound.get(argument.name, 0.0) if isinstance(bound, Mapping) else bound
        if said := _first_wrong(argument, np.asarray(right[argument.name]), near, memory):
            return said
        if needed and argument.name in needed:
            missing = missing_flows(trace, argument, needed[argument.name])
            if missing:
                return f"{argument.name}{list(missing[0].index)}: {missing[0].about}"
    return _written_input(trace, {*right, *also}) or "right"


def _written_input(trace: Trace, outputs: set[str]) -> str:
    """Return the first access that changes an argument which shares no memory with an output, or ""."""
    inputs = {argument.array for argument in trace.arguments}
    inputs -= {argument.array for argument in trace.arguments if argument.name in outputs}
    written = (one for one in memory_trace.accesses(trace) if one.kind != "load" and one.array in inputs)
    return next((f"{_element(trace, one)} {INPUT_WRITTEN}" for one in written), "")


def _first_wrong(argument: memory_trace.Argument, right: np.ndarray, bound: Any, memory: Mapping[Any, Any]) -> str:
    """Return the first element that is not what it should be, or ""."""
    if right.shape != argument.sizes:
        raise ValueError(f"expected {argument.name} of shape {argument.sizes}, got {right.shape}")
    bounds = np.broadcast_to(bound, right.shape)
    for index, cell in cells_of(argument):
        where = f"{argument.name}{list(index)}"
        if cell not in memory:
            return f"{where} was never stored, and should be {_number(right[index])}"
        if not _near(memory[cell], right[index], float(bounds[index])):
            return f"{where} is {_numbers(memory[cell], right[index])}"
    return ""


def _near(got: Any, right: Any, bound: float) -> bool:
    if isinstance(got, tuple):
        return False
    same = got == right or (got != got and right != right)
    return bool(same or (np.isfinite(right) and abs(float(got) - float(right)) <= bound))


def _numbers(got: Any, right: Any) -> str:
    """Show both, with as many digits as it takes to tell them apart."""
    said, should = _number(got), _number(right)
    apart = f", off by {float(got) - float(right):.3g}" if said == should and not isinstance(got, tuple) else ""
    return f"{said}, and should be {should}{apart}"


def _number(value: Any) -> str:
    return f"{float(value):.7g}" if not isinstance(value, tuple) else str(value)


# ---- counts


def within(count: int, low: int, high: int | None = None) -> str:
    """Return the bounds if a count is within them, else the count and the bounds; `high` None means no upper bound.

    >>> within(90, 0, 96), within(512, 0, 96), within(0, 64, 96), within(64, 64, 64)
    ('at most 96', '512, and at most 96 are allowed', '0, and at least 64 are needed', '64')
    """
    wanted = f"at least {low}" if high is None else str(low) if low == high else f"{low} to {high}"
    if high is not None and not low:
        wanted = f"at most {high}" if high else "none"
    if high is not None and count > high:
        return f"{count}, and {'none is' if not high else f'at most {high} are'} allowed"
    return wanted if count >= low else f"{count}, and at least {low} are needed"


def loads(trace: Trace, name: str, low: int, high: int | None) -> str:
    """Count the elements of an array that all threads load; name as in `read`, or "shared tile", "local sums"."""
    return within(memory_trace.count(trace, "", "load", name), low, high)


def stores(trace: Trace, name: str, low: int, high: int | None) -> str:
    """Count the elements of an array that all threads store."""
    return within(memory_trace.count(trace, "", "store", name), low, high)


def atomics(trace: Trace, name: str, low: int, high: int | None) -> str:
    """Count the atomic operations on an array."""
    return within(memory_trace.count(trace, "", "atomic", name), low, high)


def of_space(trace: Trace, space: str, kind: str, low: int, high: int | None) -> str:
    """Count the accesses of one kind ("load", "store", "atomic") to all memory of one space, such as "shared"."""
    return within(memory_trace.count(trace, space, kind), low, high)


def transactions(trace: Trace, name: str, kind: str, low: int, high: int | None) -> str:
    """Count the 128-byte transactions of all warps for one array; `kind` is "load", "store" or "" for both."""
    return within(memory_trace.total_transactions(trace, kind, name), low, high)


def bank_conflicts(trace: Trace, most: int = 0) -> str:
    """Count the extra passes caused by bank conflicts in all shared memory."""
    return within(memory_trace.total_bank_conflicts(trace), 0, most)


# ---- faults


def out_of_bounds(trace: Trace) -> str:
    """Return "none", or the first out-of-bounds access."""
    return next((_beside(trace, access) for access in memory_trace.accesses(trace) if not access.inside), "none")


def races(trace: Trace) -> str:
    """Return "none", or the first data race."""
    return next((race_of(trace, race) for race in memory_trace.races(trace)), "none")


def race_of(trace: Trace, race: memory_trace.Race) -> str:
    """Describe a race: the two accesses, and why they are unordered."""
    one, other = race
    first, second = (f"{_thread(trace, access)} {_does(access)}" for access in (one, other))
    missing = "no barrier is between them" if one.block == other.block else "nothing orders two blocks"
    return f"{first} and {second} {_element(trace, one)}, and {missing}"


def barriers(trace: Trace) -> str:
    """Return "reached by all threads", or the first barrier that some thread does not reach."""
    found = memory_trace.divergent_barriers(trace)
    if not found:
        return "reached by all threads"
    wrong, threads = found[0], int(np.prod(trace.block))
    if wrong.missing:
        arrived = threads - len(wrong.missing)
        return f"barrier {wrong.number} of block {wrong.block} is reached by {arrived} of {threads} threads"
    lines = sorted(trace.instructions[number].line for number in wrong.arrived)
    return f"threads of block {wrong.block} wait at different barriers, {len(lines)} of them"


def arrivals(trace: Trace) -> int:
    """Count how often the first thread of each block arrives at a barrier, summed over all blocks."""
    return sum(isinstance(event, memory_trace.Barrier) and event.thread == 0 for event in trace.events)


def uninitialised_reads(trace: Trace, outputs: Iterable[str] = ()) -> str:
    """Return "none", or the first load of an element that no thread stored; `outputs` are uninitialized arguments."""
    found = memory_trace.uninitialised_reads(trace, tuple(outputs))
    return "none" if not found else f"{_thread(trace, found[0])} reads {_element(trace, found[0])} before it is stored"


def faults(trace: Trace) -> dict[str, str]:
    """Return the out-of-bounds accesses, races and divergent barriers of a trace, the checks of most kernels."""
    return {"out of bounds": out_of_bounds(trace), "races": races(trace), "barriers": barriers(trace)}


def _beside(trace: Trace, access: Access) -> str:
    array = trace.arrays[access.array]
    return f"{_thread(trace, access)} {_does(access)} beside {array.name}, which has {array.size} elements"


def _thread(trace: Trace, access: Access) -> str:
    """Return the thread of an access; of a launch of one thread, which is a loop on a CPU, "your loop"."""
    if int(np.prod(trace.grid)) * int(np.prod(trace.block)) == 1:
        return "your loop"
    return f"thread {access.thread} of block {access.block}"


def _does(access: Access) -> str:
    return {"load": "reads", "store": "writes", "atomic": "updates"}[access.kind]


def _element(trace: Trace, access: Access) -> str:
    return f"{trace.arrays[access.array].name}[{access.index}]"


def _argument(trace: Trace, name: str) -> memory_trace.Argument:
    return next(argument for argument in trace.arguments if argument.name == name)
