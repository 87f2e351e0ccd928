"""The records that a recorder makes of calls and blocks, on a clock that moves only where a script says so.

A body is a tuple of steps:

    an int                  the clock goes on by this number of nanoseconds
    "node"                  a node of the backward pass is made: the next sequence number is one more
    "grad on", "grad off"   `grad_mode` of this thread
    "fail", "stop"          a ValueError is raised, or an error that no `except Exception` catches
    "look"                  START and END of the records so far, of this thread, are noted among what is given
    "leave", "join"         this thread is not looked at any more; it is looked at (again), with a new buffer
    ("call", name, body)    an observed function of that name is called, and runs the body
    ("catch", name, body)   the same; an error of it is caught
    ("thread", name, body)  the same, on another thread, while this one waits
"""

import contextlib
import itertools
import threading

from autograder.examine.error_data import type_name
from autograder.labs.profiler.modules import module

FIELDS = ("name", "category", "scope", "sequence", "start", "end", "inputs", "stack", "overload", "kernel")
COLUMNS = {"names": "name", "overloads": "overload", "sequence numbers": "sequence", "inputs": "inputs",
           "START": "start", "END": "end"}  # fmt: skip


class Stop(BaseException):
    """An error that `except Exception` does not catch."""


class Clock:
    """A fake clock that advances only when a script says so, with a fake counter of the nodes' sequence numbers."""

    def __init__(self):
        self.now, self.sequence = 1000, 0  # 0 is a sequence number too

    def read(self):
        return self.now

    def peek(self):
        return self.sequence


@contextlib.contextmanager
def clocked(engine):
    """Yield a `Clock` that replaces the recorder's clock and sequence numbers inside the block."""
    recorder = module(engine, "recorder")
    before = recorder.perf_counter_ns, recorder.peek_sequence_nr, recorder.active
    clock = Clock()
    recorder.perf_counter_ns, recorder.peek_sequence_nr = clock.read, clock.peek
    try:
        yield clock
    finally:
        recorder.perf_counter_ns, recorder.peek_sequence_nr, recorder.active = before


def columns_of(engine, buffers):
    """Return the fields of the records by name, each with one list per buffer, in recording order."""
    made = list(itertools.chain(*buffers))
    counts = {
        "lists": "one for each call" if len(set(map(id, made))) == len(made) else "one list for several calls",
        "number of records": [len(buffer) for buffer in buffers],
    }
    if any(type(record) is not list or len(record) != len(FIELDS) for record in made):
        return {**counts, **dict.fromkeys(COLUMNS), "names": "a record that is no list of ten fields", "others": None}
    fields = vars(module(engine, "recorder"))
    place = {name: fields[name.upper()] for name in FIELDS}
    columns = {
        title: [[record[place[name]] for record in buffer] for buffer in buffers] for title, name in COLUMNS.items()
    }
    others = [name for name in FIELDS if name not in COLUMNS.values()]
    shown = [[{name: record[place[name]] for name in others} for record in buffer] for buffer in buffers]
    for record in itertools.chain(*shown):
        record["scope"] = int(record["scope"]) if isinstance(record["scope"], int) else record["scope"]
    return {**counts, **columns, "others": shown}


class Buffers:
    """All buffers that a recorder creates, in the order of their creation."""

    def __init__(self, recorder):
        self.recorder, self.made, self.joins = recorder, [], recorder.join
        recorder.join = self.join

    def join(self, thread):
        buffer = self.joins(thread)
        if not any(buffer is one for one in self.made):
            self.made.append(buffer)
        return buffer

    def leave(self, thread):
        self.recorder.buffers.pop(thread, None)


# ---- around_call


def calls(engine, body, all_threads=False, describes=False, grad_mode=True):
    """Run `body` with observed functions; return their results and the records.

    Args:
        all_threads: other threads are looked at too.
        describes: arguments are noted, which takes 50 ns; the next sequence number, too, takes 20 ns to find out.
        grad_mode: of the thread that begins.
    Returns:
        the columns of the records; "looked": START and END that were noted; "gave": what each call returned or
        raised, in the order in which they ended; and "not to be described": how often `describe` was called though
        nothing is to be noted. If `around_call` gives no function, what it gives instead.
    """
    with clocked(engine) as clock:
        calling = Calling(engine, clock, all_threads, describes)
        state = engine.autograd.state.state
        before, state.grad_mode = state.grad_mode, grad_mode
        try:
            for name in names_in(body):  # the operators are there before a thread calls them
                if not callable(made := calling.function(name)):
                    return f"{type(made).__name__}, which can't be called"
            calling.steps(body)
        finally:
            state.grad_mode = before
            calling.over.set()
        columns = columns_of(engine, calling.buffers.made)
        return {**columns, "looked": calling.looked, "gave": calling.gave, "not to be described": calling.unasked}


def names_in(body):
    """Return the distinct names of the functions that a body calls, in the order of their first calls."""
    called = [step for step in body if type(step) is tuple]
    return list(dict.fromkeys(name for step in called for name in (step[1], *names_in(step[2]))))


class Calling:
    """A recorder and the functions that it observes."""

    def __init__(self, engine, clock, all_threads, describes):
        self.module, self.clock = module(engine, "recorder"), clock
        self.recorder = self.module.Recorder(self.module.Config(record_shapes=describes, all_threads=all_threads))
        self.recorder.describe = self.describe
        self.buffers = Buffers(self.recorder)
        self.recorder.join(threading.get_ident())
        self.module.peek_sequence_nr, self.is_due = self.peek, False
        self.state = engine.autograd.state.state
        self.functions, self.gave, self.looked, self.lost, self.unasked = {}, [], [], None, 0
        self.over = threading.Event()

    def describe(self, record, arguments):
        if not self.recorder.describes:
            self.unasked += 1
            return
        body, *more = arguments
        is_right = type(body) is tuple and more == list(range(len(body)))
        given = len(arguments) if is_right else "other arguments than those of the call"
        record[self.module.INPUTS] = [given, record[self.module.START]]
        self.clock.now += 50

    def peek(self):
        """Return the next sequence number; advance the clock by 20 ns once per call that records the number."""
        if self.is_due:
            self.is_due, self.clock.now = False, self.clock.now + 20
        return self.clock.sequence

    def function(self, name):
        """Return the observed function called `name`: "add.Tensor" has an overload, and "add" no autograd."""
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
                self.looked.append([self.times(record) for record in self.recorder.buffer() or ()])
            elif step == "leave":
                self.buffers.leave(threading.get_ident())
            elif step == "join":
                self.recorder.join(threading.get_ident())
            elif step in ("grad on", "grad off"):
                self.state.grad_mode = step == "grad on"
            elif step in ("fail", "stop"):
                self.lost = ValueError("lost") if step == "fail" else Stop("lost")
                raise self.lost
            else:
                {"call": self.call, "catch": self.catch, "thread": self.thread}[step[0]](*step[1:])

    def times(self, record):
        whole = type(record) is list and len(record) == len(FIELDS)
        return record[self.module.START : self.module.END + 1] if whole else "a record that is no list of ten fields"

    def call(self, name, body):
        function = self.function(name)
        self.is_due = self.recorder.describes and "." in name and self.state.grad_mode
        try:
            got = function(body, *range(len(body)))
        except (ValueError, Stop) as error:
            self.gave.append("the error of the body" if error is self.lost else ["raised", type_name(error)])
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
    """Run the steps of `script`; return their results by kind, and the columns of the records of all profiles.

    A step is an int, as above, or a tuple:

        ("on",), ("off",)           a profile begins, which sees this thread; it ends
        ("on elsewhere",)           a profile begins that does not look at this thread
        ("make", block, name)       block = record_function(name); a fourth entry: its args
        ("given", block)            its name and args
        ("again", block)            what `_recreate_cm` gives: whether that is the same block, its name and args
        ("enter", block)            whether that gave the block itself
        ("exit", block), ("error", block)    its block ends, or is left by an error; whether the error is swallowed
        ("interrupt", block)        the same, by a KeyboardInterrupt
        ("define", name)            function = record_function(name)(function); it takes 10 ns, calls itself so often
                                    as its argument says, takes 10 ns more, and gives the argument; below 0 it fails
        ("call", name, argument)    what the function gives
    """
    with clocked(engine) as clock:
        running = Blocks(engine, clock)
        gave = [(step[0], running.step(step)) for step in script if type(step) is tuple or running.wait(step)]
        kinds = dict.fromkeys(kind for kind, _ in gave if kind in SHOWN)
        told = {kind: [found for each, found in gave if each == kind] for kind in kinds}
        return {**columns_of(engine, running.buffers), **told}


SHOWN = ("given", "again", "enter", "exit", "error", "interrupt", "call")


class Blocks:
    """The blocks, functions and profiles of a script."""

    def __init__(self, engine, clock):
        self.module, self.clock = module(engine, "recorder"), clock
        self.kind = module(engine, "autograd_profiler").record_function
        self.made, self.functions, self.buffers = {}, {}, []
        self.module.active = None

    def wait(self, time):
        self.clock.now += time

    def step(self, step):
        try:
            return getattr(self, step[0].replace(" ", "_"))(*step[1:])
        except ValueError as error:
            return ["raised", type_name(error), str(error)]

    def on(self):
        recorder = self.module.active = self.module.Recorder(self.module.Config())
        self.buffers.append(recorder.join(threading.get_ident()))

    def on_elsewhere(self):
        self.module.active = self.module.Recorder(self.module.Config())

    def off(self):
        self.module.active = None

    def make(self, block, *arguments):
        self.made[block] = self.kind(*arguments)

    def given(self, block):
        return [self.made[block].name, self.made[block].args]

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

    def interrupt(self, block):
        return bool(self.made[block].__exit__(KeyboardInterrupt, KeyboardInterrupt(), None))

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
