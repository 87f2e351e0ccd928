"""Check that the submitted code can have left a trace: a walk through its bytecode, in the recorder's order.

A trace is recorded beside the student's code. What is held against it here was compiled on the trusted side, from the
text that was handed in: each instruction exists, and is of a kind that reads, writes or waits; a thread
counts its executions without a gap and is only left at a barrier; from each event the code leads to the next one
without another access between the two. Which element an instruction touched is not known here.
"""

import functools
from types import CodeType
from typing import Any, NamedTuple

from autograder.examine.bytecode import ENTRY, EXIT, Program, Site, reaches
from autograder.examine.plain_text import require_plain, submitted_cell
from engine.memory_trace import Barrier, Trace, from_columns

# Kinds of instructions, by the beginnings of their names: Python has several calls and subscripts.
READS = ("BINARY_SUBSCR", "BINARY_SLICE", "BINARY_OP", "STORE_SUBSCR", "STORE_SLICE", "FOR_ITER", "UNPACK", "CALL",
         "LIST_EXTEND", "CONTAINS_OP")  # fmt: skip
WRITES = ("STORE_SUBSCR", "STORE_SLICE", "CALL")
CALLS = ("CALL",)
OPERATIONS = {"load": READS, "store": WRITES, "atomic": CALLS, "barrier": CALLS}
ONCE = ("BINARY_SUBSCR", "BINARY_OP")  # an execution of these is one load at most


_last: list[Any] = [None, None, None]  # columns, the cell, and their trace: findings of a case read it several times


def possible_trace(columns: Any) -> Trace:
    """Return the trace that `recorder.to_columns` wrote, if the submitted code can have left it.

    Raises:
        ValueError: the columns are not a trace, the submitted code can't have left it, or may not be counted.
    """
    cell = submitted_cell.get()
    if _last[0] is not columns or _last[1] is not cell:
        require_plain()
        trace = from_columns(columns)
        require_walk(trace)
        _last[:] = columns, cell, trace
    return _last[2]


def require_walk(trace: Trace) -> None:
    """Raise ValueError for a trace that the submitted code can't have produced."""
    cell = submitted_cell.get()
    if cell is not None:
        _Walk(trace, _program(*cell)).require()


@functools.lru_cache(maxsize=1)
def _program(exercise: str, source: str) -> Program:
    """Return the code of the cell that is judged now, compiled when its first trace is read."""
    return Program(exercise, source)


Thread = tuple[int, int]  # block, thread
Called = tuple[int, CodeType]  # the instruction that calls a code, and this


class _Frame(NamedTuple):
    """A step of the chain of calls that led to an event."""

    number: int  # of the instruction in the trace
    site: Site | None  # None: code that is not the student's, which is believed


class _Walk:
    """A trace and what is known of its instructions."""

    def __init__(self, trace: Trace, program: Program):
        self._trace, self._program = trace, program
        self._sites = [program.site(one.file, one.function, one.line, one.offset) for one in trace.instructions]
        for number, one in enumerate(trace.instructions):
            if not -1 <= one.caller < number:
                raise ValueError(f"instruction {number} is called by {one.caller}, which comes later")
        self._chains = [self._chain(number) for number in range(len(trace.instructions))]
        self._accesses = self._sites_with_accesses()
        self._pairs: dict[tuple[int, int], bool] = {}

    def require(self) -> None:
        self._require_operations()
        last: dict[Thread, tuple[int, bool]] = {}  # thread -> its last instruction, and whether it waits
        counts: dict[tuple[Thread, int], int] = {}
        before = (-1, -1)
        for event in self._trace.events:
            thread, number = (event.block, event.thread), event.instruction
            times = counts.get((thread, number), 0)
            if event.k != times:
                raise ValueError(f"thread {thread} was {times} times at {self._place(number)}, and says {event.k}")
            counts[thread, number] = times + 1
            if thread != before:
                self._require_turn(thread, before, last)
            if thread in last:
                self._require_step(last[thread][0], number)
            elif not self._enters(self._chains[number], 0):
                raise ValueError(f"no thread comes to {self._place(number)} without another access")
            last[thread] = number, isinstance(event, Barrier)
            before = thread
        for number in {number for number, _ in last.values()}:
            if not self._leaves(self._chains[number], 0):
                raise ValueError(f"no thread ends behind {self._place(number)} without another access")

    def _require_operations(self) -> None:
        for event in self._trace.events:
            kind = "barrier" if isinstance(event, Barrier) else event.kind
            site = self._sites[event.instruction]
            if site is not None and not site.name.startswith(OPERATIONS[kind]):
                raise ValueError(f"a {kind} at {self._place(event.instruction)}, where the code has none")

    @staticmethod
    def _require_turn(thread: Thread, before: Thread, last: dict[Thread, tuple[int, bool]]) -> None:
        """Require blocks and threads in order; a thread that has had a turn comes again only after a barrier."""
        is_in_order = last[thread][1] if thread in last else thread > before
        if not is_in_order or thread[0] < before[0]:
            raise ValueError(f"thread {thread} goes on after {before}, which is not the order of the recorder")

    def _require_step(self, one: int, other: int) -> None:
        known = self._pairs.get((one, other))
        if known is None:
            known = self._pairs[one, other] = self._leads(self._chains[one], self._chains[other], 0)
        if not known:
            way = f"from {self._place(one)} to {self._place(other)}"
            raise ValueError(f"the code does not lead {way} without another access")

    # ---- paths

    def _chain(self, number: int) -> list[_Frame]:
        """Return the frames from the kernel's on to the one of the instruction."""
        found: list[_Frame] = []
        while number >= 0:
            found.append(_Frame(number, self._sites[number]))
            number = self._trace.instructions[number].caller
        return found[::-1]

    def _sites_with_accesses(self) -> dict[Called, frozenset[int]]:
        """Return the offsets in each code, by who calls it, where no execution goes by without an event."""
        found: dict[Called, set[int]] = {}
        flat = {argument.array for argument in self._trace.arguments if len(argument.sizes) == 1}
        flat -= {argument.array for argument in self._trace.arguments if len(argument.sizes) != 1}
        seen = {(one.instruction, -1 if isinstance(one, Barrier) else one.array) for one in self._trace.events}
        for number, array in seen:
            site = self._sites[number]
            if site is None or not site.steady:
                continue
            offsets = found.setdefault((self._trace.instructions[number].caller, site.code), set())
            offsets.update((site.offset, *(self._program.alike(site) if array in flat else ())))
        return {called: frozenset(offsets) for called, offsets in found.items()}

    def _goes(self, frame: _Frame, start: int, goal: int) -> bool:
        site = frame.site
        if site is None or site.is_generator:
            return True
        caller = self._trace.instructions[frame.number].caller
        return reaches(site.code, start, goal, self._accesses.get((caller, site.code), frozenset()))

    def _leads(self, one: list[_Frame], other: list[_Frame], level: int) -> bool:
        """Return True if the code leads from one event to the other, in the frames from this level on."""
        before, after = one[level], other[level]
        is_last = level + 1 == len(one), level + 1 == len(other)
        again = self._enters(other, level + 1) and self._leaves(one, level + 1)
        start = before.site.offset if before.site else ENTRY
        if before.number != after.number:
            is_same = before.site is None or after.site is None or before.site.code is after.site.code
            return is_same and again and self._goes(before, start, after.site.offset if after.site else ENTRY)
        if all(is_last):
            return before.site is None or not before.site.name.startswith(ONCE) or self._goes(before, start, start)
        if any(is_last):
            return True
        return self._leads(one, other, level + 1) or (again and self._goes(before, start, start))

    def _enters(self, chain: list[_Frame], level: int) -> bool:
        return all(self._goes(frame, ENTRY, frame.site.offset) for frame in chain[level:] if frame.site)

    def _leaves(self, chain: list[_Frame], level: int) -> bool:
        return all(self._goes(frame, frame.site.offset, EXIT) for frame in chain[level:] if frame.site)

    def _place(self, number: int) -> str:
        one = self._trace.instructions[number]
        return f"line {one.line} in {one.function}"
