"""Probe of a job that threads share: several of them in turns, which a seed draws; or compiled code.

Each look at a cell of the pool is a point where another thread may go on. So an update made of a look and a write can
be interrupted between the two, as on several processors; the operations of one step can't.
"""

import random
import threading
import types

from autograder.labs.cpu.looped import in_numba, of_reference

MOST_STEPS = 5_000
CELLS, POOL = 48, 33


class Stop(BaseException):
    """An exception that ends a thread of a failed job."""


class Turns:
    """Threads that run one at a time; at each `step` a seeded random generator picks the next one.

    Args:
        count: of threads.
        entered: they come one by one: thread k begins after that number of steps.
    """

    def __init__(self, count, seed, entered):
        self.rng, self.entered, self.steps = random.Random(seed), entered, 0
        self.batons = [threading.Semaphore(0) for _ in range(count)]
        self.waiting, self.error, self.done = set(range(count)), None, threading.Semaphore(0)
        self.local = threading.local()

    def run(self, body):
        """Call `body` on every thread, and re-raise the first error that a thread raises."""
        threads = [threading.Thread(target=self._whole, args=(body, k), daemon=True) for k in range(len(self.batons))]
        for thread in threads:
            thread.start()
        self._pass_on()
        for thread in threads:
            thread.join()
        if self.error is not None:
            raise self.error

    def step(self):
        """Pass the turn to a thread drawn at random, possibly the current one."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            self.error = self.error or RuntimeError(f"the job has not ended after {MOST_STEPS} steps")
        self._pass_on()
        self._wait()

    def number(self):
        return self.local.number

    def _whole(self, body, number):
        self.local.number = number
        try:
            self._wait()
            body()
        except Stop:
            pass
        except BaseException as error:
            self.error = self.error or error
        self.waiting.discard(number)
        if self.waiting:
            self._pass_on()

    def _wait(self):
        self.batons[self.local.number].acquire()
        if self.error is not None:
            raise Stop

    def _pass_on(self):
        there = [number for number in sorted(self.waiting) if self.entered[number] <= self.steps]
        self.batons[self.rng.choice(there or sorted(self.waiting))].release()


def pieces(engine, observed, threads, seed, begin, end, piece, raising, entered):
    """Call `take_pieces` from several threads and return what they do.

    Args:
        observed: "threads" or "compiled".
        threads, seed: how many, and who has which turn.
        begin, end, piece: of the job.
        raising: pieces that raise, by the index they begin with.
        entered: for each thread the step at which it comes.
    Returns:
        (thread, first, last) of each piece in the order in which they began, the cells FAILED and NEXT at the end,
        the cells that were written besides, without those, and each addition to NEXT: (thread, what it was, number).
    """
    if observed == "compiled":
        return _compiled(engine, begin, end, piece)
    parallel = engine.cpu.parallel
    cells = [0] * CELLS
    turns, ran, written, added = Turns(threads, seed, entered), [], set(), []
    job = {parallel.THREADS: threads, parallel.OPEN: 1, parallel.NEXT: begin, parallel.END: end, parallel.PIECE: piece}
    for cell, value in {**job, parallel.BODY: 11, parallel.ARGS: 22}.items():
        cells[cell] = value

    def step(pool):
        if pool != POOL:
            raise ValueError(f"the pool is {POOL}, and {pool!r} was given in its place")
        turns.step()

    def load(pool, cell):
        step(pool)
        return cells[cell]

    def store(pool, cell, value):
        step(pool)
        written.add(int(cell))
        cells[cell] = value

    def add(pool, cell, value):
        step(pool)
        written.add(int(cell))
        cells[cell], before = cells[cell] + value, cells[cell]
        if cell == parallel.NEXT:
            added.append((turns.number(), int(before), int(value)))
        return before

    def exchange(pool, cell, value):
        step(pool)
        written.add(int(cell))
        cells[cell], before = value, cells[cell]
        return before

    def fails(entry, args, first, last):
        if (entry, args) != (11, 22):
            raise ValueError(f"fails({entry}, {args}, ...), and the job's function and arguments are 11 and 22")
        ran.append((turns.number(), int(first), int(last)))
        turns.step()
        return first in raising

    stand_ins = {"load": load, "store": store, "add": add, "exchange": exchange, "fails": fails}
    take = _with(parallel, stand_ins)
    turns.run(lambda: take(POOL))
    others = sorted(written - {parallel.NEXT, parallel.FAILED})
    return ran, int(cells[parallel.FAILED]), int(cells[parallel.NEXT]), others, added


def _with(parallel, stand_ins):
    """Make a copy of `take_pieces` in which some names of its module refer to other functions."""
    taken = getattr(parallel.take_pieces, "py_func", parallel.take_pieces)
    instead = {id(getattr(parallel, name)): stand_in for name, stand_in in stand_ins.items()}
    scope = {name: instead.get(id(found), found) for name, found in vars(parallel).items()}  # by any name
    helpers = {name: found for name, found in scope.items() if "@" in name}
    for name, found in helpers.items():  # a cell's own functions see the module's names, too
        found = getattr(found, "py_func", found)
        if isinstance(found, types.FunctionType):
            scope[name] = types.FunctionType(
                found.__code__, scope, found.__name__, found.__defaults__, found.__closure__
            )
    return types.FunctionType(taken.__code__, scope, taken.__name__, taken.__defaults__)


def _compiled(engine, begin, end, piece):
    """Run a job of one thread in compiled code, and return the cells that it counts up, and FAILED."""
    import numpy as np

    state, out = np.zeros(CELLS, np.int64), np.zeros(end + 3, np.int64)
    job = of_reference(lambda: _job(engine), "job")
    job(state.ctypes.data, out, begin, end, piece)
    return out.tolist(), state[engine.cpu.parallel.FAILED].item()


def _job(engine):
    """Compile a function that describes a job in the cells at an address, and has one thread do it."""
    from numba import njit

    parallel = engine.cpu.parallel
    take = in_numba(engine, "job", getattr(parallel.take_pieces, "py_func", parallel.take_pieces))
    entry_of, address_of, store = parallel.entry_of, parallel.address_of, parallel.store
    BODY, ARGS, END, PIECE, NEXT = parallel.BODY, parallel.ARGS, parallel.END, parallel.PIECE, parallel.NEXT

    @njit
    def body(first, last, out):
        for i in range(first, last):
            out[i] += 1

    @njit
    def job(pool, out, begin, end, piece):
        args = (out,)
        store(pool, BODY, entry_of(body, args))
        store(pool, ARGS, address_of(args))
        store(pool, END, end)
        store(pool, PIECE, piece)
        store(pool, NEXT, begin)
        take(pool)

    return job
