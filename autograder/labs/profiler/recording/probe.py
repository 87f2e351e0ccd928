"""The records that a recorder makes of calls and blocks, on a clock that moves only where a script says so.

A body is a tuple of steps:

    an int                  the clock goes on by this number of nanoseconds
    "node"                  a node of the backward pass is made: the next sequence number is one more
    "grad on", "grad off"   `grad_mode` of this thread
    "fail", "stop"          a ValueError is raised, or an error of another kind
    "look"                  START and END of the records so far, of this thread, are noted among what is given
    ("call", name, body)    an observed function of that name is called, and runs the body
    ("catch", name, body)   the same; an error of it is caught
    ("thread", name, body)  the same, on another thread, while this one waits
"""

import contextlib
import itertools
import threading

from autograder.examine.raised import type_name
from autograder.labs.profiler.modules import module

FIELDS = ("name", "category", "scope", "sequence", "start", "end", "inputs", "stack", "overload", "kernel")
COLUMNS = {"names": "name", "overloads": "overload", "sequence numbers": "sequence", "inputs": "inputs",
           "START": "start", "END": "end"}  # fmt: skip


class Stop(Exception):
    """An error that nobody who looks for a ValueError catches."""


class Clock:
    """A clock that stands still between the steps of a script; and the sequence numbers of nodes."""

    def __init__(self):
        self.now, self.sequence = 1000, 7

    def read(self):
        return self.now

    def peek(self):
        return self.sequence


@contextlib.contextmanager
def clocked(engine):
    """The recorder's clock and sequence numbers come from the Clock that this gives."""
    recorder = module(engine, "recorder")
    before = recorder.perf_counter_ns, recorder.peek_sequence_nr, recorder.active
    clock = Clock()
    recorder.perf_counter_ns, recorder.peek_sequence_nr = clock.read, clock.peek
    try:
        yield clock
    finally:
        recorder.perf_counter_ns, recorder.peek_sequence_nr, recorder.active = before


def columns_of(engine, recorders):
    """The fields of the records: for each a list for every thread of each recorder, in the order in which they came."""
    buffers = [
        recorder.buffers[thread]
        for recorder in recorders
        for thread in sorted(recorder.buffers, key=lambda thread: recorder.threads[thread][0])
    ]
    if any(type(record) is not list or len(record) != len(FIELDS) for buffer in buffers for record in buffer):
        return {**dict.fromkeys(COLUMNS), "names": "a record that is no list of ten fields", "other fields": None}
    fields = vars(module(engine, "recorder"))
    place = {name: fields[name.upper()] for name in FIELDS}
    columns = {
        title: [[record[place[name]] for record in buffer] for buffer in buffers] for title, name in COLUMNS.items()
    }
    others = [name for name in FIELDS if name not in COLUMNS.values()]
    shown = [[{name: record[place[name]] for name in others} for record in buffer] for buffer in buffers]
    for record in itertools.chain(*shown):
        record["scope"] = int(record["scope"])
    return {**columns, "other fields": shown}


# ---- around_call


def calls(engine, body, all_threads=False, describes=False, grad_mode=True):
    """Return the results of functions that are observed while `body` runs, and the records.

    Args:
        all_threads: other threads are looked at too.
        describes: arguments are noted, which takes 50 ns.
        grad_mode: of the thread that begins.
    Returns:
        the columns of the records; "looked": START and END that were noted; "gave": what each call returned or
        raised, in the order in which they ended; and "not to be described": how often `describe` was called though
        nothing is to be noted.
    """
    with clocked(engine) as clock:
        calling = Calling(engine, clock, all_threads, describes)
        state = engine.autograd.state.state
        before, state.grad_mode = state.grad_mode, grad_mode
        try:
            calling.steps(body)
        finally:
            state.grad_mode = before
            calling.over.set()
        columns = columns_of(engine, [calling.recorder])
        return {**columns, "looked": calling.looked, "gave": calling.gave, "not to be described": calling.unasked}


class Calling:
    """Functions that are observed by a recorder of their own."""

    def __init__(self, engine, clock, all_threads, describes):
        self.module, self.clock = module(engine, "recorder"), clock
        self.recorder = self.module.Recorder(self.module.Config(record_shapes=describes, all_threads=all_threads))
        self.recorder.describe = self.describe
        self.recorder.join(threading.get_ident())
        self.state = engine.autograd.state.state
        self.functions, self.gave, self.looked, self.lost, self.unasked = {}, [], [], None, 0
        self.over = threading.Event()

    def describe(self, record, arguments):
        if not self.recorder.describes:
            self.unasked += 1
            return
        record[self.module.INPUTS] = [len(arguments), record[self.module.START]]
        self.clock.now += 50

    def function(self, name):
        """The observed function of a name: "add.Tensor" has an overload, and "add" no autograd."""
        if name not in self.functions:
            short, _, overload = name.partition(".")

            def run(body, *more):
                self.steps(body)
                return [name, self.clock.now, len(more)]

            made = self.module.around_call(self.recorder, run, short, overload, bool(overload))
            self.functions[name] = made
        return self.functions[name]

    def steps(self, body):
        for step in body:
            if type(step) is int:
                self.clock.now += step
            elif step == "node":
                self.clock.sequence += 1
            elif step == "look":
                times = slice(self.module.START, self.module.END + 1)
                self.looked.append([record[times] for record in self.recorder.buffer()])
            elif step in ("grad on", "grad off"):
                self.state.grad_mode = step == "grad on"
            elif step in ("fail", "stop"):
                self.lost = ValueError("lost") if step == "fail" else Stop("lost")
                raise self.lost
            else:
                {"call": self.call, "catch": self.catch, "thread": self.thread}[step[0]](*step[1:])

    def call(self, name, body):
        try:
            got = self.function(name)(body, *range(len(body)))
        except (ValueError, Stop) as error:
            self.gave.append("the error of the body" if error is self.lost else "another error")
            raise
        self.gave.append(got)

    def catch(self, name, body):
        with contextlib.suppress(ValueError, Stop):
            self.call(name, body)

    def thread(self, name, body):
        done, lost = threading.Event(), []

        def run():
            try:
                self.catch(name, body)
            except BaseException as error:  # it belongs to the thread that waits
                lost.append(error)
            finally:
                done.set()
            self.over.wait(5)  # until then no other thread gets the number of this one

        threading.Thread(target=run, daemon=True).start()
        done.wait(5)
        if lost:
            raise lost[0]


# ---- record_function


def blocks(engine, script):
    """Return the results of the steps of `script`, by kind, and the columns of the records of all profiles.

    A step is an int, as above, or a tuple:

        ("on",), ("off",)           a profile begins, which sees this thread; it ends
        ("make", block, name)       block = record_function(name); a fourth entry: its args
        ("again", block)            what `_recreate_cm` gives: whether that is the same block, its name and args
        ("enter", block)            whether that gave the block itself
        ("exit", block), ("error", block)    its block ends, or is left by an error; whether the error is swallowed
        ("define", name)            function = record_function(name)(function); it takes 10 ns, calls itself so often
                                    as its argument says, takes 10 ns more, and gives the argument; below 0 it fails
        ("call", name, argument)    what the function gives
    """
    with clocked(engine) as clock:
        running = Blocks(engine, clock)
        gave = [(step[0], running.step(step)) for step in script if type(step) is tuple or running.wait(step)]
        kinds = dict.fromkeys(kind for kind, _ in gave if kind in SHOWN)
        told = {kind: [found for each, found in gave if each == kind] for kind in kinds}
        return {**columns_of(engine, running.recorders), **told}


SHOWN = ("again", "enter", "exit", "error", "call")


class Blocks:
    """The blocks, functions and profiles of a script."""

    def __init__(self, engine, clock):
        self.module, self.clock = module(engine, "recorder"), clock
        self.kind = module(engine, "autograd_profiler").record_function
        self.made, self.functions, self.recorders = {}, {}, []
        self.module.active = None

    def wait(self, time):
        self.clock.now += time

    def step(self, step):
        try:
            return getattr(self, step[0])(*step[1:])
        except ValueError as error:
            return ["raised", type_name(error), str(error)]

    def on(self):
        recorder = self.module.active = self.module.Recorder(self.module.Config())
        recorder.join(threading.get_ident())
        self.recorders.append(recorder)

    def off(self):
        self.module.active = None

    def make(self, block, *arguments):
        self.made[block] = self.kind(*arguments)

    def again(self, block):
        found = self.made[block]._recreate_cm()
        return ["the same" if found is self.made[block] else "another", found.name, found.args]

    def enter(self, block):
        return self.made[block].__enter__() is self.made[block]

    def exit(self, block):
        return bool(self.made[block].__exit__(None, None, None))

    def error(self, block):
        error = ValueError("lost")
        return bool(self.made[block].__exit__(ValueError, error, None))

    def define(self, name):
        def function(depth):
            self.clock.now += 10
            if depth < 0:
                raise ValueError("below 0")
            if depth:
                self.functions[name](depth - 1)
            self.clock.now += 10
            return depth

        self.functions[name] = self.kind(name)(function)

    def call(self, name, argument):
        return self.functions[name](argument)
