"""Findings of several kernels of lab 6: why a result is wrong, who does how much, what becomes of memory."""

import re
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Mistake
from autograder.examine.questions import Observation
from engine import memory_trace

STARTS = "reads before a store"
RESULT = "result of this case"
UNLESS_RIGHT = "this counts only where the result is right: see the aspect `ordinary` first"
SOUND = {"barriers": "reached by all threads", "races": "none", STARTS: "none"}
OF_PRODUCT = {  # hints
    "loads of c": "`c` is loaded once for an element, and not at all where beta is 0: sums stay in a register",
    "stores": "one for each element, when its sum is whole, however few threads there are: t, t + T, ... of T",
    "atomic additions to c": "an element is one thread's from beginning to end: its sum stays in a register",
}


def reasons(trace: counting.Trace, result: str) -> dict[str, str]:
    """Return the findings that can explain a wrong result, listed before it, since only the first one is explained.

    Args:
        result: as `counting.judged_result` says it. Where it is right, it is another aspect that asks for races.
    """
    found = SOUND if result == "right" else {
        "barriers": counting.barriers(trace), "races": counting.races(trace),
        STARTS: counting.uninitialised_reads(trace),
    }  # fmt: skip
    return {"out of bounds": counting.out_of_bounds(trace), **found}


def most_of_a_thread(trace: counting.Trace, name: str, most: int, space: str = "global", kind: str = "load") -> str:
    """Check that no thread accesses the array `name`, or a whole memory space if "", more than `most` times."""
    return counting.within(max(memory_trace.by_thread(trace, space, kind, name).values()), 0, most)


def of_product(trace: counting.Trace, made: int, beta: int) -> dict[str, str]:
    """Check that each element of a product `c` is stored once, and loaded only if beta requires it."""
    before = made if beta else 0
    return {
        "loads of c": counting.loads(trace, "c", before, before),
        "stores": counting.stores(trace, "c", made, made),
        "atomic additions to c": counting.atomics(trace, "c", 0, 0),
    }


def shared_cells(trace: counting.Trace, dtype: str, low: int, high: int) -> str:
    """Check that a block has `low` to `high` cells of shared memory, all of one dtype."""
    arrays = [array for array in trace.arrays if array.space == "shared"]
    found = sum(array.size for array in arrays)
    kinds = sorted({array.dtype for array in arrays}) or [dtype]
    wanted = f"{low} to {high} of {dtype}" if low else f"at most {high} of {dtype}"
    return wanted if low <= found <= high and kinds == [np.dtype(dtype).name] else f"{found} of {' and '.join(kinds)}"


def first_misplaced(stores: Iterable[memory_trace.Access], owner: Mapping[int, tuple[int, ...]], wanted: str) -> str:
    """Check that each access to an array comes from the right thread, and describe the first that does not.

    Args:
        owner: cell -> (block,) or (block, thread).
        wanted: the rule in a few words, which is the finding if it is kept.
    """
    for access in stores:
        right = owner.get(access.index)
        got = (access.block, access.thread)
        if access.inside and right is not None and got[: len(right)] != right:
            names = ("block", "thread")[: len(right)]
            said, should = (
                ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=False))
                for numbers in (got, right)
            )
            return f"cell {access.index} is touched by {said}, and should be by {should}"
    return wanted


def guessed(
    trace: counting.Trace, arrays: Mapping[str, np.ndarray], name: str, result: str, right: np.ndarray,
    mistakes: Mapping[str, Callable[[], np.ndarray]],
) -> str:  # fmt: skip
    """Add to a wrong result the mistake that explains the array's contents, if exactly one of `mistakes` does.

    Args:
        result: as `counting.judged_result` says it.
        right: what the array `name` should hold; a mistake that leaves about the same explains nothing.
        mistakes: what was done -> what the array holds then.
    """
    if not result.startswith(f"{name}["):
        return result
    memory, _ = memory_trace.replay(trace, arrays)
    argument = next(one for one in trace.arguments if one.name == name)
    number = argument.array
    got = np.array([_number(memory.get((number, -1, -1, argument.first + at))) for at in range(argument.sizes[0])])
    if _are_close(got, right):
        return result
    found = []
    for said, make in mistakes.items():
        try:
            made = np.asarray(make(), np.float64)
        except (IndexError, ValueError):
            continue
        if _are_close(got, made):
            found.append(said)
    return f"{result}: {found[0]}" if len(found) == 1 else result


def _are_close(got: np.ndarray, made: np.ndarray) -> bool:
    return made.shape == got.shape and np.allclose(got, made, 1e-5, 1e-5, equal_nan=True)


NOT_STORED = "no thread stores it"
NOT_TO_LOAD = "made of what it held"


def reason_of_an_element(trace: counting.Trace, name: str, result: str, is_output_alone: bool = True) -> str:
    """Add to a wrong result why its element is wrong, if no thread stores it or a thread loads it.

    Args:
        result: as `counting.judged_result` says it.
        is_output_alone: whether no element of the array may be loaded.
    """
    found = re.match(rf"{name}\[(\d+)\] is [^:]*$", result)
    if not found:
        return result
    accesses = [one for one in memory_trace.accesses(trace, array=name) if one.index == int(found[1])]
    if all(one.kind == "load" for one in accesses):
        return f"{result}: {NOT_STORED}"
    is_loaded = is_output_alone and any(one.kind != "store" for one in accesses)
    return f"{result}: {NOT_TO_LOAD}" if is_loaded else result


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def gives(said: str, says: str) -> Mistake:
    """Build the `Mistake` for a result to which `guessed` has added `said`."""
    return Mistake(says, lambda args, wanted, got: any(
        str(got.value.get(name, "")).endswith(f": {said}") for name in ("result", "special", "result with any strides")
    ))  # fmt: skip


def first_wrong(wanted: Observation, got: Observation) -> str:
    """Return the name of the first finding that differs; a race, for example, explains the wrong result after it."""
    return next(name for name, value in wanted.value.items() if got.value[name] != value)


def is_race_for_output(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the first wrong finding is a race, and not one in shared memory."""
    return first_wrong(wanted, got) == "races" and " shared " not in got.value["races"]


def is_beside_shared(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if a kernel accesses shared memory out of bounds."""
    return "beside shared" in str(got.value.get("out of bounds", ""))


BESIDE_SHARED = Mistake(
    "shared memory is too small, or an index too large: its shape is made of what the maker is given", is_beside_shared
)
RACE_FOR_OUTPUT = Mistake(
    "each element of the output is one thread's alone, in all of the grid: this is no matter of barriers",
    is_race_for_output,
)
