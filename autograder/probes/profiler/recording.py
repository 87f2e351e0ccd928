"""What a recorder writes down of calls and blocks, on a clock that moves only where a script says so.

A body is a tuple of steps:

    an int                  the clock goes on by so many nanoseconds
    "node"                  a node of the backward pass is made: the next sequence number is one more
    "fail"                  a ValueError is raised
    "look"                  START and END of the records so far, of this thread, are noted among what is given
    ("call", name, body)    an observed function of that name is called, and runs the body
    ("catch", name, body)   the same; an error of it is caught
    ("thread", name, body)  the same, on another thread, while this one waits
"""

import contextlib
import threading

from ..raised import type_name
from .modules import module

FIELDS = ("name", "category", "scope", "sequence", "start", "end", "inputs", "stack", "overload", "kernel")


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
    """The recorder's clock and sequence numbers are those of the Clock that this gives."""
    recorder = module(engine, "recorder")
    before = recorder.perf_counter_ns, recorder.peek_sequence_nr, recorder.active
    clock = Clock()
    recorder.perf_counter_ns, recorder.peek_sequence_nr = clock.read, clock.peek
    try:
        yield clock
    finally:
        recorder.perf_counter_ns, recorder.peek_sequence_nr, recorder.active = before


def records_of(engine, recorder):
    """For each thread, in the order in which they came, its records with their fields by name."""
    fields = vars(module(engine, "recorder"))
    places = [fields[name.upper()] for name in FIELDS]
    order = sorted(recorder.buffers, key=lambda thread: recorder.threads[thread][0])
    return [[_shown(record, places) for record in recorder.buffers[thread]] for thread in order]


def _shown(record, places):
    if type(record) is not list or len(record) != len(places):
        return "no list of ten fields"
    shown = {name: record[place] for name, place in zip(FIELDS, places, strict=True)}
    shown["scope"] = int(shown["scope"])
    return {name: value for name, value in shown.items() if value is not None}


# ---- around_call


def calls(engine, body, all_threads=False, describes=False, grad_mode=True):
    """What functions give that are observed while `body` runs, and the records.

    Args:
        all_threads: other threads are looked at too.
        describes: arguments are noted, which takes 50 ns.
        grad_mode: of the thread that begins.
    Returns:
        {"gave": what each call returned or raised, in the order in which they ended, "records": ...}
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
        return {"gave": calling.gave, "records": records_of(engine, calling.recorder)}


class Calling:
    """Functions that are observed by a recorder of their own."""

    def __init__(self, engine, clock, all_threads, describes):
        self.module, self.clock = module(engine, "recorder"), clock
        self.recorder = self.module.Recorder(self.module.Config(record_shapes=describes, all_threads=all_threads))
        self.recorder.describe = self.describe
        self.recorder.join(threading.get_ident())
        self.functions, self.gave, self.over = {}, [], threading.Event()

    def describe(self, record, arguments):
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
                self.gave.append([record[self.module.START : self.module.END + 1] for record in self.recorder.buffer()])
            elif step == "fail":
                raise ValueError("lost")
            else:
                {"call": self.call, "catch": self.catch, "thread": self.thread}[step[0]](*step[1:])

    def call(self, name, body):
        try:
            got = self.function(name)(body, *range(len(body)))
        except ValueError as error:
            self.gave.append(["raised", type_name(error), str(error)])
            raise
        self.gave.append(got)

    def catch(self, name, body):
        with contextlib.suppress(ValueError):
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
    """What each step of `script` gave, and the records of each profile.

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
        gave = [running.step(step) for step in script]
        return {"gave": gave, "records": [records_of(engine, recorder) for recorder in running.recorders]}


class Blocks:
    """The blocks, functions and profiles of a script."""

    def __init__(self, engine, clock):
        self.module, self.clock = module(engine, "recorder"), clock
        self.kind = module(engine, "autograd_profiler").record_function
        self.made, self.functions, self.recorders = {}, {}, []
        self.module.active = None

    def step(self, step):
        if type(step) is int:
            self.clock.now += step
            return None
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
