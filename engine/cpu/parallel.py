"""parallel_for: a kernel's range in pieces, on several threads.

The plain loop that it replaces, `body` being a kernel over a range:

    for first in range(begin, end, piece):
        body(first, min(first + piece, end), *args)

Threads share no piece: each takes the next one by adding to a counter, until there is none. The threads of the pool
run compiled code without Python's lock; between two jobs they look out for the next one for a while, as OpenMP's do,
and then sleep. A job that finds the pool at work, as one within a job does, runs by itself. What a piece computes
must not depend on where pieces begin, so results are the same for every number of threads.
Mirrors at::parallel_for (aten/src/ATen/Parallel.h).
"""

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

from ..compiled import hold
from ..dispatch.observers import kernels_changed

GRAIN_SIZE = 32768  # elements of an elementwise operation that are worth another thread
PIECES = 4  # for each thread, so that one that comes late leaves its share to others
LOOKOUT = 200_000  # looks at the state before a thread goes to sleep: 0.1 ms
YIELD_EVERY = 2048  # looks: the system may have woken this thread on the processor of the one that opens the job
POOL = types.int64  # the form in which kernels get a pool: the address of its state, 0 for none

# The cells of a pool's state, int64 each. First those that threads write while others look at them, a cache line apart:
# there is a job; its next index; how many threads are in it; the pool has a caller; its threads are to end.
OPEN, NEXT, ACTIVE, BUSY, STOP = 0, 8, 16, 24, 32
# How many threads there are. A job: function, arguments, end, indices of a piece, 1 + the begin of one that raised.
THREADS, BODY, ARGS, END, PIECE, FAILED = 40, 41, 42, 43, 44, 45
CELLS = 48

# ---- cells that several threads write


@intrinsic
def load(typingctx, pool, cell):
    """Load a cell of the pool's state atomically."""

    def build(context, builder, signature, args):
        return builder.load_atomic(_pointer(builder, args), "seq_cst", 8)

    return types.int64(types.int64, types.int64), build


@intrinsic
def store(typingctx, pool, cell, value):
    """Store a value in a cell of the pool's state atomically."""

    def build(context, builder, signature, args):
        builder.store_atomic(args[2], _pointer(builder, args), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), build


def in_one_step(name: str, operation: str, what: str) -> Any:
    """Return an intrinsic that updates a cell of the pool's state atomically and returns the cell's former value."""

    def typed(typingctx, pool, cell, value):
        def build(context, builder, signature, args):
            return builder.atomic_rmw(operation, _pointer(builder, args), args[2], "seq_cst")

        return types.int64(types.int64, types.int64, types.int64), build

    typed.__name__, typed.__doc__ = name, what
    return intrinsic(typed)


add = in_one_step("add", "add", "Add to a cell; returns what it was.")
exchange = in_one_step("exchange", "xchg", "Set a cell; returns what it was.")


def _pointer(builder: ir.IRBuilder, args: Any) -> ir.Value:
    return builder.gep(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), [args[1]])


# ---- a kernel as one address, whatever its arguments are

ENTRY = (types.int64, types.int64, types.int64)  # the address of the arguments, begin, end


@intrinsic
def entry_of(typingctx, body, args):
    """Return the address of a function f(address of a tuple, begin, end) that calls `body(begin, end, *tuple)`."""
    called = body.get_call_type(typingctx, (types.int64, types.int64, *args.types), {})

    def build(context, builder, signature, _):
        kind = context.call_conv.get_function_type(types.none, ENTRY)
        function = ir.Function(builder.module, kind, builder.module.get_unique_name("entry"))
        function.linkage = "internal"
        context.call_conv.decorate_function(function, ("tuple", "begin", "end"), ENTRY)
        address, *range_ = context.call_conv.get_arguments(function)
        inside = ir.IRBuilder(function.append_basic_block())
        held = inside.load(inside.inttoptr(address, context.get_value_type(args).as_pointer()))
        implementation = context.get_function(body, called)
        implementation(inside, (*range_, *cgutils.unpack_tuple(inside, held, len(args))))
        context.add_linking_libs(getattr(implementation, "libs", ()))
        context.call_conv.return_value(inside, context.get_dummy_value())
        return builder.ptrtoint(function, ir.IntType(64))

    return types.int64(body, args), build


@intrinsic
def address_of(typingctx, args):
    """Return the address of a tuple, valid until the calling function returns."""

    def build(context, builder, signature, values):
        return builder.ptrtoint(cgutils.alloca_once_value(builder, values[0]), ir.IntType(64))

    return types.int64(args), build


@intrinsic
def fails(typingctx, entry, args, begin, end):
    """Call the function at an address that `entry_of` returned; return True if it raised."""

    def build(context, builder, signature, values):
        kind = context.call_conv.get_function_type(types.none, ENTRY)
        function = builder.inttoptr(values[0], kind.as_pointer())
        status, _ = context.call_conv.call_function(builder, function, types.none, ENTRY, values[1:])
        return status.is_error

    return types.boolean(types.int64, *ENTRY), build


has_yield = hasattr(os, "sched_yield")  # of the C library
sched_yield = types.ExternalFunction("sched_yield", types.int32()) if has_yield else register_jitable(lambda: 0)

# ---- jobs


@register_jitable
def parallel_for(pool, body, begin, end, grain_size, args):
    """Call body(first, last, *args) on pieces that together cover begin..end, on the threads of the pool.

    Args:
        pool: what `pool()` returned; 0 for no other threads.
        body: a compiled or `register_jitable` function that returns nothing.
        grain_size: minimum number of indices of a piece.
        args: a tuple.
    """
    if pool and end - begin > grain_size and not exchange(pool, BUSY, 1):
        begin, end = run_job(pool, entry_of(body, args), address_of(args), begin, end, grain_size)
    if begin < end:
        body(begin, end, *args)


@njit(cache=True, nogil=True)
def run_job(pool, entry, args, begin, end, grain_size):
    """Run a job in pieces, on the pool's threads and on this one, until the whole range is done.

    Returns:
        begin, end of a piece that raised, for the caller to meet the exception itself; else of nothing.
    """
    piece = max(grain_size, -(-(end - begin) // (PIECES * load(pool, THREADS))))
    store(pool, BODY, entry)
    store(pool, ARGS, args)
    store(pool, END, end)
    store(pool, PIECE, piece)
    store(pool, FAILED, 0)
    store(pool, NEXT, begin)
    store(pool, OPEN, 1)
    take_pieces(pool)
    store(pool, OPEN, 0)
    looks = 0
    while load(pool, ACTIVE):
        looks += 1
        if looks % (16 * YIELD_EVERY) == 0:  # the last piece may be waiting for this processor
            sched_yield()
    failed = load(pool, FAILED)
    store(pool, BUSY, 0)
    return (failed - 1, min(failed - 1 + piece, end)) if failed else (end, end)


@register_jitable
def take_pieces(pool):
    """Run pieces of the pool's current job until none is left; every thread that works on the job calls this.

    The pool's cells say what the job is: BODY and ARGS the function and its arguments, END the first index after the
    range, PIECE how many indices a piece has, NEXT the first index that no thread has taken yet. The last piece may be
    shorter. Other threads write NEXT at any moment: a piece is one's own only if it was taken in one step.
    `fails(function, arguments, first, last)` runs the piece from `first` on, without `last`, and returns whether it
    raised. If so, store 1 + `first` in FAILED; the pieces that are left run all the same. If several raise, FAILED
    holds any one of them. No other cell is written, and nothing is returned.

    Args:
        pool: the address of the pool's state, for `load(pool, cell)`, `store(pool, cell, value)`
            and `add(pool, cell, value)`, which returns what the cell was.

    Source: invoke_parallel (aten/src/ATen/ParallelOpenMP.h), whose threads compute their pieces beforehand.
    """
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while True:
        first = add(pool, NEXT, piece)
        if first >= end:
            return
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, first + 1)


@intrinsic
def call_kernel(typingctx, address, begin, end, args):
    """Call the compiled function f(begin, end, *args) at an address, and propagate its exception."""
    kinds = (types.int64, types.int64, *args.types)

    def build(context, builder, signature, values):
        kind = context.call_conv.get_function_type(types.none, kinds)
        function = builder.inttoptr(values[0], kind.as_pointer())
        given = (*values[1:3], *cgutils.unpack_tuple(builder, values[3], len(args)))
        status, _ = context.call_conv.call_function(builder, function, types.none, kinds, given)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, args), build


@register_jitable
def kernel_piece(begin, end, address, args):
    """Run a piece of a kernel, given the kernel's address."""
    call_kernel(address, begin, end, args)


@njit(cache=True, nogil=True)
def launch(pool, address, count, grain_size, args):
    """Run the kernel at an address over 0..count; compiled once for each tuple of argument types, for all kernels."""
    parallel_for(pool, kernel_piece, 0, count, grain_size, (address, args))


@njit(cache=True, nogil=True)
def look_out(pool, looks):
    """Take part in jobs as they open; return after a number of looks in a row found none, or if the pool is closed."""
    idle = 0
    while idle < looks and not load(pool, STOP):
        idle += 1
        if load(pool, OPEN):
            add(pool, ACTIVE, 1)
            if load(pool, OPEN):  # else its arguments may be gone already
                take_pieces(pool)
            add(pool, ACTIVE, -1)
            idle = 0
        elif idle % YIELD_EVERY == 0:
            sched_yield()


# ---- threads


class Pool:
    """Worker threads, besides the calling thread, and the state that they share.

    Args:
        threads: how many run a job, the caller's included.
    """

    def __init__(self, threads: int):
        self.state = np.zeros(CELLS, np.int64)
        self.state[THREADS] = threads
        self.address = self.state.ctypes.data
        self.sleepers: list[threading.Lock] = []
        # Compiled here and now: a thread that compiled by itself might end after code was replaced meanwhile.
        self.look_out = look_out.compile((POOL, types.int64))
        hold(self)
        for number in range(1, threads):
            threading.Thread(target=self._run, name=f"kernel-{number}", daemon=True).start()

    def _run(self) -> None:
        rest = threading.Lock()
        rest.acquire()
        while not self.state[STOP]:
            self.look_out(self.address, LOOKOUT)
            self.sleepers.append(rest)
            if self.state[OPEN]:  # opened after the last look, when there was no sleeper to wake
                self.wake()
            rest.acquire()

    def wake(self) -> int:
        """Wake all sleeping threads, and return the address of the state."""
        while self.sleepers:
            self.sleepers.pop().release()
        return self.address

    def close(self) -> None:
        """Stop the threads."""
        self.state[STOP] = 1
        self.wake()

    def forget(self, is_concerned: Callable[..., bool]) -> None:
        """Drop this pool if `is_concerned` is true for the code that its threads run; the next job starts another."""
        if self is _pool and is_concerned(look_out):
            forget()


ALONE = 0  # the pool without threads
_number = 0
_pool: Pool | None = None
_former: list[Pool] = []  # kept, since a caller may still be in one


def get_num_threads() -> int:
    """Return the number of threads of a kernel: by default OMP_NUM_THREADS, else the number of usable processors."""
    global _number
    if not _number:
        given = os.environ.get("OMP_NUM_THREADS", "")
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        _number = (int(given) if given.isdecimal() else 0) or usable or 1
    return _number


def set_num_threads(number: int) -> None:
    """Set the number of threads that kernels use.

    Raises:
        TypeError: not an int.
        RuntimeError: not positive.
    """
    global _number
    if type(number) is not int:
        raise TypeError(f"set_num_threads expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError("expected positive number of threads")
    if number != _number:
        _number = number
        forget()
        kernels_changed()


def forget() -> None:
    """Drop the pool; the next job creates another."""
    global _pool
    if _pool:
        _pool.close()
        _former.append(_pool)
    _pool = None


def pool(work: int, grain_size: int = GRAIN_SIZE) -> int:
    """Return the pool's address for a kernel over `work` indices, or 0 if one thread is enough.

    Returns:
        what `parallel_for` takes.
    """
    global _pool
    if work <= grain_size or get_num_threads() == 1:
        return ALONE
    if _pool is None:
        _pool = Pool(get_num_threads())
    return _pool.wake() if _pool.sleepers else _pool.address


def _after_fork() -> None:
    global _pool
    _pool = None  # its threads stayed in the parent


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

PUBLIC: dict[str, Any] = {"get_num_threads": get_num_threads, "set_num_threads": set_num_threads}
