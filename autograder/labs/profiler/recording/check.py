"""Checks of what a recorder writes down: calls of operators, and blocks with a name."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.profiler.findings import without

Body = tuple
NAMES = ("add", "mul.Tensor", "sum.dim", "view", "exp.out")


def _body(rng: random.Random, depth: int, kinds: tuple[str, ...] = ("call",)) -> Body:
    """Draw a body whose calls are nested up to `depth`."""
    steps: list = []
    for _ in range(rng.randint(1, 3)):
        steps.append(rng.randint(1, 90))
        if depth and rng.random() < 0.8:
            steps.append((rng.choice(kinds), rng.choice(NAMES), _body(rng, depth - 1, kinds)))
    return (*steps, rng.randint(1, 90))


# ---- around_call


def _calls_ordinary(rng: random.Random) -> Iterator[Case]:
    add, leaf = ("call", "add", ()), ("call", "add", (7,))
    yield Case(((add,),), "one")
    yield Case(((leaf,),), "one")
    yield Case(((3, leaf, 5),), "one")
    yield Case(((leaf, 2, leaf),), "again")
    yield Case(((("call", "add", (1, ("call", "mul.Tensor", (2,)), 4)),),), "nested")
    yield Case(((("call", "add", (1, ("call", "add", (2,)), 4)),),), "recursion")
    yield Case(((("call", "add", (1, ("call", "add", (2, ("call", "add", (8,)), 16)), 4)),),), "recursion")
    for _ in range(24):
        yield Case(((("call", rng.choice(NAMES), _body(rng, 2)),),), "nested")
    for _ in range(8):
        body = (rng.randint(1, 40), ("call", "view", (rng.randint(1, 9),)), rng.randint(1, 40))
        yield Case(((("call", "view", body), ("call", "view", body)),), "recursion")


def _calls_notes(rng: random.Random) -> Iterator[Case]:
    for describes in (False, True):
        for grad_mode in (True, False):
            for name in ("add", "mul.Tensor"):
                about = "describe" if describes else "sequence"
                yield Case(((("call", name, (5,)),), False, describes, grad_mode), about)
                yield Case(((("call", name, ("node", 5)), ("call", name, (6,))), False, describes, grad_mode), about)
    call = ("call", "mul.Tensor", (4,))
    for before, after in (("grad off", "grad on"), ("grad on", "grad off")):
        yield Case(((before, call, after, call),), "sequence")
        yield Case(((call, ("call", "mul.Tensor", (before, 2, call, after)), call),), "sequence")
    for grad_mode in (True, False):  # finding out and noting take time, and none of it is the function's
        yield Case(((call, 3, call), False, True, grad_mode), "describe")
    yield Case((("node", call, "node", call),), "sequence")
    yield Case(((("call", "add", (3, "look", 5)),),), "still runs")
    yield Case(((("call", "add", (3, ("call", "add", (2, "look")), "look", 5)),),), "still runs")
    for _ in range(20):
        name = rng.choice(NAMES)
        body = ("node", rng.randint(1, 50), ("call", rng.choice(NAMES), (rng.randint(1, 50), "node")))
        first = ("node",) * rng.randint(0, 2)
        describes = rng.random() < 0.5
        case = (*first, ("call", name, body)), False, describes, rng.random() < 0.7
        yield Case(case, "describe" if describes else "sequence")


def _calls_errors(rng: random.Random) -> Iterator[Case]:
    yield Case(((("catch", "add", ("fail",)),),), "error")
    yield Case(((("catch", "add", (4, "fail")),),), "error")
    yield Case(((("catch", "add", (4, "stop")),),), "error")
    yield Case(((("catch", "mul.Tensor", ("stop",)), 5, ("call", "add", (2,))),), "error")
    yield Case(((("catch", "add", (4, ("call", "sum.dim", (3, "stop")), 9)), 2),), "through")
    yield Case(((("catch", "add", (4, ("call", "sum.dim", (3, "fail")), 9)), 2),), "through")
    yield Case(((("call", "add", (4, ("catch", "sum.dim", (3, "fail")), 9)), 2),), "error")
    for error in ("fail", "stop"):  # where nobody looks
        yield Case(((("thread", "add", (2, ("catch", "view", (1, error)), 3)),),), "error")
    for _ in range(14):
        times = [rng.randint(1, 60) for _ in range(6)]
        inner = ("catch", rng.choice(NAMES), (times[0], rng.choice(("fail", "stop"))))
        yield Case(
            ((("call", rng.choice(NAMES), (times[1], inner, times[2])), times[3], ("call", "add", (5,))),), "error"
        )
    for _ in range(14):
        times = [rng.randint(1, 60) for _ in range(6)]
        inner = ("call", rng.choice(NAMES), (times[0], "fail"))
        middle = ("call", rng.choice(NAMES), (times[1], inner, times[2]))
        yield Case(((("catch", rng.choice(NAMES), (times[3], middle)), times[4], ("call", "add", (5,))),), "through")


def _calls_threads(rng: random.Random) -> Iterator[Case]:
    for all_threads in (False, True):
        about = "all threads" if all_threads else "not looked at"
        yield Case(((("thread", "add", ()),), all_threads), about)
        yield Case(((("thread", "add", (3,)),), all_threads), about)
        yield Case(((("call", "add", (3, ("thread", "add", (4,)), 5)),), all_threads), about)
        yield Case(((("call", "add", (3, ("thread", "view", (4, ("call", "add", (1,)))), 5)),), all_threads), about)
        yield Case(((("thread", "add", (2,)), ("thread", "add", (3,)), ("call", "add", (9,))), all_threads), about)
        yield Case(((("thread", "add", (2, "node")), ("call", "add", (9,))), all_threads), about)
        for _ in range(10):
            body = (rng.randint(1, 9), ("thread", rng.choice(NAMES), _body(rng, 1)), rng.randint(1, 9))
            yield Case(((("call", rng.choice(NAMES), body), *_body(rng, 1, ("call", "thread"))), all_threads), about)
    call, within = ("call", "add", (4,)), ("call", "add", (3, "leave", ("call", "view", (2,)), 1))
    yield Case(((call, "leave", call, 3, call),), "leaves")
    yield Case((("leave", call, "join", call),), "leaves")
    yield Case(((call, "leave", "join", call, call),), "leaves")
    yield Case(((within, call),), "leaves")
    yield Case(((("thread", "add", (2, "join", call, "leave", call)), call),), "leaves")


SEQUENCE = (
    "SEQUENCE is what `peek_sequence_nr()` says before the function runs, if the call has autograd and "
    "`autograd_state.grad_mode` is on at that time; otherwise -1"
)
DESCRIBE = (
    "`recorder.describe(record, arguments)` is called, if `recorder.describes`, before START is read: noting takes "
    "time too, and it is not the function's"
)
NOTES = "sequence numbers", "not to be described"
STILL_RUNS = "while a call runs, its record is in the buffer, with END 0: nobody knows yet when it ends"
ENDS = (
    "END is read just after `function` has ended, however it ends: also by an error, and by one that "
    "`except Exception` does not catch"
)
OWN_LIST = "a call may begin while another runs, so each makes a list of its own: make it in the inner function"
TEXT_OF_CALLS = {
    "call": "an observed function of that name is called, and runs the steps in the brackets",
    "catch": "the same, and its error is caught",
    "thread": "the same as catch, on another thread, while this one waits",
    "fail": "a ValueError is raised",
    "stop": "an error is raised that `except Exception` does not catch, as KeyboardInterrupt",
    "node": "the next sequence number is one more",
    "grad on": "`autograd_state.grad_mode` becomes True",
    "grad off": "`autograd_state.grad_mode` becomes False",
    "look": 'START and END of this thread\'s records so far are noted: "looked"',
    "leave": "this thread is no longer observed: `recorder.buffer()` is None",
    "join": "this thread is observed again, with a new buffer",
}


def _of_errors(args: tuple, observed: Any) -> Any:
    """Leave out what other aspects ask for: of a thread that is not looked at, all but what its calls gave."""
    if type(observed) is dict and args[0][0][0] == "thread":
        return {"gave": observed["gave"]}
    return without(*NOTES)(args, observed)


def _rows(value: dict) -> list[list[tuple]]:
    """Return the records of each buffer, with what is comparable in them."""
    columns = [value[name] for name in ("names", "overloads", "START", "END")]
    return [sorted(zip(*buffers, strict=True)) for buffers in zip(*columns, strict=True)]


def _is_in_another_order(args: tuple, wanted, got) -> bool:
    one, other = wanted.value, got.value
    return one["names"] + one["START"] != other["names"] + other["START"] and _rows(one) == _rows(other)


def _ends_only_without_error(args: tuple, wanted, got) -> bool:
    if not any(error in repr(args[0]) for error in ("'fail'", "'stop'")):
        return False
    ends = [(right, end) for each in zip(wanted.value["END"], got.value["END"], strict=True)
            for right, end in zip(*each, strict=True)]  # fmt: skip
    return any(end == 0 for _, end in ends) and all(end in (0, right) for right, end in ends)


AROUND_CALL = Check(
    "profiler.recorder.around_call",
    ("body", "all_threads", "describes", "grad_mode"),
    (
        Aspect("ordinary", 3, _calls_ordinary, findings=without(*NOTES)),
        Aspect("notes", 2, _calls_notes, needs="ordinary"),
        Aspect("errors", 2, _calls_errors, needs="ordinary", findings=_of_errors),
        Aspect("threads", 2, _calls_threads, needs="ordinary", findings=without(*NOTES)),
    ),
    {
        "lists": OWN_LIST,
        "number of records": "each call on an observed thread leaves one record in the buffer that "
        "`recorder.buffer()` returns at that moment; an empty buffer is a buffer too; None: the call leaves none",
        "names": "the record is a list of ten fields, and the first is the name that `around_call` got",
        "overloads": "the overload that `around_call` got has a field of its own, the last but one",
        "others": "the record begins as the docstring has it, with `CPU_OP` and `RecordScope.FUNCTION`",
        "one": "each call leaves a record in the buffer, a list of ten fields; an empty buffer is a buffer too",
        "again": "each call has a record of its own, made when it is called",
        "nested": "the record of a call comes before the records of the calls inside it",
        "recursion": "a function may be called while it runs: each of these calls has a record of its own",
        "sequence": SEQUENCE,
        "sequence numbers": SEQUENCE,
        "describe": DESCRIBE,
        "inputs": DESCRIBE,
        "not to be described": "`recorder.describe` is called only if `recorder.describes`",
        "START": "read START from `perf_counter_ns()` last, when everything else is noted, just before "
        "`function` begins",
        "END": f"END is noted in the record of the call that ended: {ENDS}",
        "still runs": STILL_RUNS,
        "looked": STILL_RUNS,
        "gave": "a call returns what `function(*arguments)` returns, and raises the very error that it raises",
        "error": ENDS,
        "through": "an error passes through all calls around it: each of them ends, none swallows it",
        "not looked at": "`recorder.buffer()` is None on a thread that is not observed: the function just runs",
        "all threads": "call `recorder.buffer()` at each call: another thread has another buffer",
        "leaves": "call `recorder.buffer()` at each call, on each thread: its result may change between two calls",
        "type": "return the function to call instead of `function`",
        "returned None": "return the function to call instead of `function`",
        "raised": "nothing is refused here, and the caller gets the error of `function` unchanged",
    },
    probe="profiler.recording.calls",
    program="profiler.program.run",
    mistakes=(
        Mistake(
            "the record of a call comes before the records of the calls inside it: append it before `function` runs",
            _is_in_another_order,
        ),
        Mistake(f"END is missing where a call ends with an error: {ENDS}", _ends_only_without_error),
    ),
    words=TEXT_OF_CALLS,
)


# ---- record_function


def _blocks_ordinary(rng: random.Random) -> Iterator[Case]:
    def block(number: int, *inside, name: str = "forward") -> tuple:
        key = f"{name} {number}"
        return ("make", key, name), ("enter", key), *inside, ("exit", key)

    yield Case(([("on",), *block(0), ("off",)],), "one")
    yield Case(([("on",), *block(0, 5), ("off",)],), "one")
    yield Case(([("on",), ("make", "a", ""), ("enter", "a"), 5, ("exit", "a"), ("off",)],), "one")
    yield Case(([("make", "a", "loss"), ("given", "a"), ("make", "b", "step", "of batch 3"), ("given", "b")],), "args")
    yield Case(([("on",), *block(0, 5), 3, *block(1, 4), ("off",)],), "one")
    yield Case(([("on",), *block(0, 5, *block(1, 2, name="loss"), 6), ("off",)],), "nested")
    yield Case(([("on",), *block(0, 5, *block(1, 2), 6), ("off",)],), "nested")
    yield Case(([("make", "a", "step"), 4, ("on",), 5, ("enter", "a"), 6, ("exit", "a"), ("off",)],), "made before")
    yield Case(([("on",), ("make", "a", "step"), 9, ("enter", "a"), 6, ("exit", "a"), ("off",)],), "made before")
    noted = ("make", "a", "step", "of batch 3")
    yield Case(([("on",), noted, ("enter", "a"), 6, ("exit", "a"), ("off",)],), "args")
    both = [("make", "a", "one"), ("make", "b", "two"), ("enter", "a"), 1, ("enter", "b"), 2]
    yield Case(([("on",), *both, ("exit", "a"), 4, ("exit", "b"), ("off",)],), "overlap")
    yield Case(([("on",), *both, ("error", "a"), 4, ("error", "b"), ("off",)],), "overlap")
    for leaves in ("error", "interrupt"):
        yield Case(([("on",), ("make", "a", "b"), 9, ("enter", "a"), 6, (leaves, "a"), 3, ("off",)],), "error")
    for _ in range(30):
        times = [rng.randint(1, 60) for _ in range(6)]
        names = rng.choices(("forward", "loss", "backward", "step"), k=3)
        inner = block(2, times[0], name=names[2])
        outer = block(0, times[1], *inner, times[2], *block(1, times[3], name=names[1]), name=names[0])
        if rng.random() < 0.3:
            outer = (*outer[:-1], (rng.choice(("error", "interrupt")), outer[-1][1]))
        yield Case(([("on",), times[4], *outer, times[5], ("off",)],), "nested" if outer[-1][0] == "exit" else "error")


def _blocks_decorator(rng: random.Random) -> Iterator[Case]:
    on, define = ("on",), ("define", "f")
    yield Case(([define, on, ("call", "f", 0), ("off",)],), "decorator")
    yield Case(([on, define, ("call", "f", 0), 4, ("call", "f", 0)],), "decorator")
    yield Case(([define, on, ("call", "f", 1)],), "recursion")
    yield Case(([define, on, ("call", "f", 2), 5, ("call", "f", 0)],), "recursion")
    yield Case(([define, on, ("call", "f", -1), 5, ("call", "f", 0)],), "decorator")
    yield Case(([("make", "a", "loss"), ("again", "a")],), "as given")
    yield Case(([("make", "a", "loss", "of batch 3"), ("again", "a")],), "as given")
    yield Case(([define, ("call", "f", 0)],), "off")
    yield Case(([define, ("call", "f", 1), on, ("call", "f", 1), ("off",), ("call", "f", 0)],), "off")
    for _ in range(26):
        calls = [("call", "f", rng.randint(-1, 3)) for _ in range(rng.randint(1, 3))]
        about = "recursion" if any(call[2] > 0 for call in calls) else "decorator"
        yield Case(([define, rng.randint(1, 60), on, *calls, rng.randint(1, 9), ("off",)],), about)


def _blocks_off(rng: random.Random) -> Iterator[Case]:
    make, enter, leave = ("make", "a", "loss"), ("enter", "a"), ("exit", "a")
    yield Case(([make, enter, leave],), "off")
    yield Case(([make, enter, 3, ("error", "a")],), "off")
    yield Case(([make, enter, 3, ("on",), 4, leave, ("off",)],), "begun before")
    yield Case(([("on",), make, enter, 3, ("off",), 4, leave],), "ended after")
    yield Case(([("on",), make, enter, 3, ("off",), 4, ("on",), 5, leave, ("off",)],), "ended after")
    yield Case(([("on",), make, ("off",), enter, 4, leave],), "off")
    yield Case(([("on",), make, enter, 2, leave, ("off",), enter, 4, leave],), "entered again")
    yield Case(([make, enter, 2, leave, ("on",), enter, 4, leave],), "entered again")
    yield Case(([("on",), make, enter, 2, leave, 3, enter, 4, leave, ("off",)],), "entered again")
    for leaves in ("exit", "error", "interrupt"):
        yield Case(([("on elsewhere",), make, enter, 3, (leaves, "a"), ("off",)],), "elsewhere")
    yield Case(([("on",), make, enter, 2, leave, ("off",), ("on elsewhere",), enter, 4, leave],), "elsewhere")
    for _ in range(26):
        steps = [make, enter, leave]
        if rng.random() < 0.4:
            steps += [enter, ("error", "a")]
        about = "entered again" if len(steps) > 3 else "begun before"
        place = rng.randint(0, len(steps))
        steps.insert(place, ("on",))
        if rng.random() < 0.6:
            steps.insert(rng.randint(place + 1, len(steps)), ("off",))
        yield Case(([part for step in steps for part in (rng.randint(1, 60), step)],), about)


def _calls_itself(args: tuple, wanted, got) -> bool:
    """Return True if, in a function that calls itself and never fails, inner events end and outer ones do not."""
    calls = [step[2] for step in args[0] if type(step) is tuple and step[0] == "call"]
    ends = list(itertools.chain(*got.value["END"]))
    same = all(wanted.value[name] == got.value[name] for name in ("names", "START"))
    return same and max(calls) > 0 and min(calls) >= 0 and 0 in ends and any(ends)


def _swallows(args: tuple, wanted, got) -> bool:
    return any(True in got.value.get(kind, ()) for kind in ("exit", "error", "interrupt"))


TEXT_OF_BLOCKS = {
    "on": "a profile begins that looks at this thread: `recorder.active`",
    "off": "the profile ends: `recorder.active` is None",
    "on elsewhere": "a profile begins that does not look at this thread: its `annotate` gives None",
    "make": "the block is made: record_function(name), or record_function(name, args)",
    "given": "its name and args are noted",
    "enter": "its `__enter__` runs; the answer says whether it gave the block itself",
    "exit": "its `__exit__` runs, without an error; the answer says whether the result is true",
    "error": "its `__exit__` runs with a ValueError; the answer says whether that is swallowed",
    "interrupt": "its `__exit__` runs with a KeyboardInterrupt; the answer says whether that is swallowed",
    "again": "its `_recreate_cm` runs; the answer: the same block or another, its name and args",
    "define": "a function is decorated; it calls itself as often as its argument says, and fails below 0",
    "call": "the function is called with this argument",
}

RECORD_FUNCTION = Check(
    "profiler.autograd_profiler.record_function",
    ("script",),
    (
        Aspect("ordinary", 3, _blocks_ordinary),
        Aspect("decorator", 2, _blocks_decorator, needs="ordinary"),
        Aspect("off", 1, _blocks_off, needs="ordinary"),
    ),
    {
        "number of records": "one event begins each time a block is entered while `recorder.active` is not None, and "
        "none otherwise",
        "names": "an event has the name of its block: `annotate(self.name)`",
        "START": "an event begins when its block is entered: not when the block is made, and not later",
        "END": "`__exit__` ends the event that this block began when it was last entered, and no other, however the "
        "block is left",
        "others": "the record is the one that the recorder's `annotate(name)` returns",
        "given": "a block keeps its name and args: `self.name`, `self.args`",
        "again": "`_recreate_cm` returns another block, with the same name and args",
        "enter": "`__enter__` returns the block itself, for `as`",
        "exit": "`__exit__` returns nothing: a true result would swallow the error",
        "call": "a decorated function returns and raises the same as without the decorator",
        "one": "`__enter__` begins an event of the recorder that is on, with the block's name; `__exit__` ends it; "
        "`__enter__` returns the block",
        "nested": "each block ends the event that it began itself",
        "overlap": "each block ends the event that it began itself, though another one began later",
        "made before": "the event begins when the block is entered, not when it is made",
        "args": "`args` are kept and not shown: the event has the name of the block",
        "error": "a block that is left by an error ends too, and the error is raised on",
        "decorator": "with the decorator each call is a block: an event of its own, which also ends when the "
        "call raises an error",
        "recursion": "a function that calls itself is in several blocks at once: `_recreate_cm` gives a new one for "
        "each call",
        "as given": "the new block that `_recreate_cm` returns has the same name and args",
        "off": "if no recorder is on there is no event, and nothing fails",
        "begun before": "a block that was entered before the profile began has no event to end",
        "ended after": "a block ends the event that it began, even if that profile is over by then",
        "entered again": "a block may be entered again; look each time if a recorder is on",
        "elsewhere": "a profile may not observe this thread: then `annotate` returns None, and "
        "`Recorder.end(None)` does "
        "nothing",
        "raised": "a block raises nothing itself, even without a recorder; an error that leaves it is raised "
        "on unchanged",
    },
    probe="profiler.recording.blocks",
    program="profiler.program.run",
    mistakes=(
        Mistake(
            "the event of a call that calls itself never ends: its block was entered a second time and holds one "
            "record only. `_recreate_cm` has to give a new block for each call",
            _calls_itself,
        ),
        Mistake("`__exit__` returned something true, which swallows the error: it returns nothing", _swallows),
    ),
    words=TEXT_OF_BLOCKS,
)

CHECKS = (AROUND_CALL, RECORD_FUNCTION)
