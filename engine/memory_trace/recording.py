"""`record`: run a kernel, thread by thread in Python, and give the raw trace of what it did to memory.

The threads see the real arrays, so the results are there afterwards as after a launch. Nothing of numba's driver is
used: where there is a GPU the same happens on the host, with copies of what is on the device.
"""

import math
import os
from collections.abc import Sequence
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from . import arguments as call
from .arrays import Memory, RecordedArray, contiguous, garbage, memory_of, register_memory, release_memories, view
from .block import CudaThread, Dim3, KernelFailed, Scheduler, innermost_frame, threads_of
from .compilable import not_constant, require_compilable
from .functions import Rebinder, instruction_start, python_function, variable_at
from .kernel_cuda import kernel_cuda
from .trace import Access, Argument, Array, Barrier, Instruction, Trace

MOST_THREADS = 1024  # of a block
LARGEST_BLOCK = (1024, 1024, 64)
LARGEST_GRID = (2**31 - 1, 65535, 65535)


def record(
    kernel: Any, grid: Any, block: Any, *args: Any,
    shared_bytes: int = 0, most_events: int = 2_000_000, seconds: float = 60.0,
) -> Trace:  # fmt: skip
    """Run a kernel as `kernel[grid, block](*args)` does, and return the trace of its accesses and barriers.

    The threads of a block run one after another, each up to its next barrier, block after block; so the same call gives
    the same trace. Results are written to `args`. Device functions, shared and local memory, atomics and barriers are
    recorded; a barrier that some threads don't reach lets the others go on, as numba's simulator does.

    Not recorded: what numba's simulator does not have (warp shuffles and votes, syncwarp), arrays of records,
    threads that wait for each other in a loop, and accesses past the recorder, to arrays that plain Python functions
    hold.

    Args:
        kernel: a function under `@cuda.jit`, on the simulator or for a GPU.
        grid, block: how many blocks, how many threads of each: an int or up to three.
        args: NumPy arrays, device arrays, tensors, numbers, tuples and named tuples of these.
        shared_bytes: dynamic shared memory of a block, as the fourth number in `kernel[grid, block, 0, n]`.
        most_events, seconds: when the kernel is taken to be one that never ends.
    Raises:
        TypeError: no kernel, or an argument that cannot be recorded.
        ValueError: sizes of a grid or block that no GPU has.
        RuntimeError: the kernel raised or did not end; with block, thread and line. Or it has what no GPU can
            compile: lists, dicts, sets, strings, exceptions, shared memory of a shape that is an argument.
    """
    function = python_function(kernel)
    recording = Recording(function, _dim3("grid", grid), _dim3("block", block), shared_bytes, most_events)
    return recording.run(args, seconds)


def record_call(
    function: Any, *args: Any,
    instead: Sequence[tuple[Any, Any]] = (), is_device: bool = False,
    most_events: int = 2_000_000, seconds: float = 60.0,
) -> Trace:  # fmt: skip
    """Run a plain or numba function in Python on one thread, and return the trace of its accesses to arrays.

    What it calls that numba would compile runs in Python too. Not recorded: what it does to arrays that it makes
    itself.

    Args:
        function: plain, under `@njit`, or `register_jitable`.
        instead: pairs of something that only compiled code can call, such as an `@intrinsic`, and a function in
            Python that replaces it.
        is_device: whether kernels call it, so that it must be what a GPU can compile.
        args, most_events, seconds: as of `record`.
    Raises:
        TypeError, RuntimeError: as `record`; NotImplementedError as it is.
    """
    python = getattr(function, "py_func", function)
    if not isinstance(python, FunctionType):
        raise TypeError(f"expected a function, got {function!r}")
    one = Dim3(1, 1, 1)
    return Recording(python, one, one, 0, most_events, instead, is_device, is_call=True).run(args, seconds)


def _dim3(name: str, sizes: Any) -> Dim3:
    given = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    largest = LARGEST_GRID if name == "grid" else LARGEST_BLOCK
    if not 1 <= len(given) <= 3 or any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) for n in given):
        raise TypeError(f"expected {name} as an int or a tuple of up to three ints, got {sizes!r}")
    if any(not 1 <= size <= most for size, most in zip(given, largest, strict=False)):
        raise ValueError(f"expected sizes of a {name} from 1 to {largest[: len(given)]}, got {sizes!r}")
    if name == "block" and math.prod(given) > MOST_THREADS:
        raise ValueError(f"expected at most {MOST_THREADS} threads of a block, got {math.prod(given)}: {sizes!r}")
    return Dim3(*map(int, given), *(1,) * (3 - len(given)))


class Recording:
    """The state of one recorded run of a kernel."""

    def __init__(
        self, function: Any, grid: Dim3, block: Dim3, shared_bytes: int, most_events: int,
        instead: Sequence[tuple[Any, Any]] = (), is_device: bool = True, is_call: bool = False,
    ):  # fmt: skip
        self._is_device = is_device
        self._is_call = is_call  # of a plain function, with no blocks and threads to speak of
        self.grid = grid
        self.block = block
        self._function = function
        self._shared_bytes = shared_bytes
        self._most_events = most_events
        self._instead = instead
        self._arrays: list[Array] = []
        self._instructions: list[Instruction] = []
        self._instruction_of: dict[tuple, int] = {}
        self._events: list[Access | Barrier] = []
        self._allocated: dict[tuple[int, int], Memory] = {}  # (block, instruction) -> shared memory
        self._number_of: dict[tuple[str, int], int] = {}  # (space, instruction) -> array
        self._registered: list[int] = []  # numbers of memories that arrays have
        self._entry: Any = None  # the code of the frame that calls the kernel
        self._scheduler: Scheduler

    @property
    def current(self) -> CudaThread:
        return self._scheduler.current

    def run(self, args: tuple[Any, ...], seconds: float) -> Trace:
        views = call.views_of(self._function, args)
        given, described = self._recorded(views, args)
        from numba.cuda.simulator.kernelapi import FakeCUDAModule  # numba.cuda is slow to import

        of_kernel = kernel_cuda(self, FakeCUDAModule(self.grid, self.block, 0))
        require = require_compilable if self._is_device else None
        function = Rebinder(of_kernel, self.constant, self._instead, require).function(self._function)

        def body() -> None:
            function(*given)

        self._entry = body.__code__
        self._scheduler = Scheduler(body, of_kernel, seconds)
        try:
            self._run_blocks()
        except KernelFailed as failure:
            if type(failure.error) is NotImplementedError:  # an exercise that is not written yet
                raise failure.error from None
            raise RuntimeError(self._reason(failure, seconds)) from failure.error
        finally:
            self._scheduler.close()
            release_memories(self._registered)
        for one in views:
            if one.write_back:
                one.write_back()
        return Trace(
            self._function.__qualname__, tuple(self.grid), tuple(self.block), tuple(described), tuple(self._arrays),
            tuple(self._instructions), tuple(self._events),
        )  # fmt: skip

    def _run_blocks(self) -> None:
        for number in range(math.prod(self.grid)):
            at, x = divmod(number, self.grid.x)
            z, y = divmod(at, self.grid.y)
            self._scheduler.run_block(threads_of(number, Dim3(x, y, z), self.block))
            self._allocated.clear()

    def _reason(self, failure: KernelFailed, seconds: float) -> str:
        thread, error = failure.thread, failure.error
        file, line = failure.place if error is None else innermost_frame(error, self._function.__code__.co_filename)
        at = f"{file}:{line}" if os.path.exists(file) else f"line {line}"  # replaced code has no file
        where = self._function.__qualname__.rpartition(".")[2]
        if not self._is_call:
            where = f"{self._function.__qualname__}: block {tuple(thread.blockIdx)}, thread {tuple(thread.threadIdx)}"
        said = f"did not end within {seconds:g} s" if error is None else f"{type(error).__name__}: {error}"
        return f"{where}, {at}: {said}"

    # ---- memory

    def _recorded(self, views: list[call.View], args: tuple[Any, ...]) -> tuple[list[Any], list[Argument]]:
        """Return the arguments with recorded arrays in them, and what the trace says of these."""
        made: dict[tuple[int, ...], RecordedArray] = {}
        described = []
        for extent in call.extents_of(views):
            names = ", ".join(view.name for view in extent.members)
            offset = min((extent.low - view.base) % 256 for view in extent.members)
            cells = call.elements_of(extent)
            number = self._describe(names, "global", cells, offset)
            for member in extent.members:
                memory = memory_of(number, "global", cells, member.values.flags.writeable)
                first = (call.address(member.values) - extent.low) // cells.itemsize
                steps = tuple(stride // cells.itemsize for stride in member.values.strides)
                made[member.path] = self._array(memory, first, member.values.shape, steps)
                described.append((member.path, Argument(member.name, number, first, member.values.shape, steps)))
        given = [_replaced(argument, (at,), made) for at, argument in enumerate(args)]
        return given, [argument for _, argument in sorted(described)]

    def _array(self, memory: Memory, first: int, shape: tuple[int, ...], steps: tuple[int, ...]) -> RecordedArray:
        self._registered.append(register_memory(memory, self.note))
        return view(self._registered[-1], first, shape, steps, memory.cells.dtype)

    def _describe(self, name: str, space: str, cells: np.ndarray, offset: int = 0) -> int:
        self._arrays.append(Array(name, space, cells.dtype.name, cells.itemsize, cells.size, offset))
        return len(self._arrays) - 1

    def constant(self, values: np.ndarray) -> RecordedArray:
        """Return a recorded array of values that numba compiles into the kernel as constants."""
        if isinstance(values, RecordedArray):
            return values
        cells = np.ascontiguousarray(values).reshape(-1)
        memory = memory_of(self._describe("constant", "constant", cells), "constant", cells, writable=False)
        return self._array(memory, 0, values.shape, contiguous(values.shape))

    def new_array(self, space: str, shape: Any, dtype: Any, frame: FrameType) -> RecordedArray:
        """Return a local array, or a shared one, which all threads of a block that execute the same call share."""
        sizes = tuple(int(size) for size in (shape if isinstance(shape, tuple) else (shape,)))
        kind = _numpy_dtype(dtype)
        dynamic = space == "shared" and sizes == (0,)
        if dynamic:
            sizes = (self._shared_bytes // kind.itemsize,)
        site = -1 if dynamic else self._instruction(frame)
        key = (self.current.block, site)
        memory = self._allocated.get(key) if space == "shared" else None
        if memory is None:
            if name := not_constant(frame.f_code, frame.f_lasti):
                raise RuntimeError(f"the shape of {space} memory must be known before the launch, {name!r} is not")
            cells = garbage(kind, math.prod(sizes))
            number = self._number_of.get((space, site))
            if number is None:
                name = variable_at(frame.f_code, frame.f_lasti) or f"{space} of line {frame.f_lineno}"
                number = self._number_of[space, site] = self._describe(name, space, cells)
            memory = memory_of(number, space, cells)
            self._allocated[key] = memory
        if memory.cells.dtype != kind or memory.cells.size != math.prod(sizes):
            known = f"{memory.cells.size} of {memory.cells.dtype}"
            raise TypeError(f"{space} memory cannot be recorded as {sizes} of {kind} and, elsewhere, as {known}")
        return self._array(memory, 0, sizes, contiguous(sizes))

    # ---- events

    def _instruction(self, frame: FrameType) -> int:
        """Return the number of what the frame does now; it depends on the calls that led there."""
        code, below = frame.f_code, frame.f_back
        caller = -1 if below is None or below.f_code is self._entry else self._instruction(below)
        key = (id(code), frame.f_lasti, caller)
        number = self._instruction_of.get(key)
        if number is None:
            offset = instruction_start(code, frame.f_lasti)
            number = self._instruction_of.setdefault((id(code), offset, caller), len(self._instructions))
            self._instruction_of[key] = number
            if number == len(self._instructions):
                self._instructions.append(Instruction(code.co_filename, frame.f_lineno, offset, code.co_name, caller))
        return number

    def _executed(self, frame: FrameType) -> tuple[CudaThread, int, int]:
        """Return (thread, instruction, k) of what the frame does now."""
        if len(self._events) >= self._most_events:
            if self._is_call:
                raise RuntimeError(f"more than {self._most_events:,} accesses: does it ever end?")
            raise RuntimeError(
                f"more than {self._most_events:,} accesses and barriers: a kernel that never ends? If it does end, "
                "record a smaller one or raise most_events"
            )
        thread = self._scheduler.current
        instruction = self._instruction(frame)
        k = thread.executed.get(instruction, 0)
        thread.executed[instruction] = k + 1
        return thread, instruction, k

    def note(self, frame: FrameType, kind: str, memory: Memory, index: int, value: Any, inside: bool) -> None:
        """Record one access to a memory."""
        thread, instruction, k = self._executed(frame)
        self._events.append(
            Access(thread.block, thread.number, instruction, k, kind, memory.space, memory.number, index, value, inside)
        )

    def barrier(self, frame: FrameType, vote: Any = None) -> list[Any]:
        """Record that a thread arrives at a barrier, and block it until all threads have arrived."""
        thread, instruction, k = self._executed(frame)
        self._events.append(Barrier(thread.block, thread.number, instruction, k))
        return self._scheduler.wait(vote)


def _replaced(argument: Any, path: tuple[int, ...], made: dict[tuple[int, ...], RecordedArray]) -> Any:
    if isinstance(argument, tuple):
        items = [_replaced(item, (*path, at), made) for at, item in enumerate(argument)]
        return argument._make(items) if hasattr(argument, "_make") else tuple(items)
    return made.get(path, argument)


def _numpy_dtype(dtype: Any) -> np.dtype:
    """Return NumPy's dtype of a dtype of NumPy or of numba."""
    try:
        return np.dtype(dtype)
    except TypeError:
        return np.dtype(str(dtype))
