"""Checks of what a recorder writes down: calls of operators, and blocks with a name."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.profiler.findings import without

Body = tuple
NAMES = ("add", "mul.Tensor", "sum.dim", "view", "exp.out")


def _body(rng: random.Random, depth: int, kinds: tuple[str, ...] = ("call",)) -> Body:
    """A body whose calls lie up to `depth` in each other."""
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
    yield Case(((("catch", "add", (4, ("call", "sum.dim", (3, "fail")), 9)), 2),), "through")
    yield Case(((("call", "add", (4, ("catch", "sum.dim", (3, "fail")), 9)), 2),), "error")
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


SEQUENCE = (
    "SEQUENCE is what `peek_sequence_nr()` says before the function runs, if the call has autograd and "
    "`autograd_state.grad_mode` is on at that time; otherwise -1"
)
DESCRIBE = (
    "`recorder.describe(record, arguments)` is called, if `recorder.describes`, before START is read: noting takes "
    "time too, and it is not the function's"
)
NOTES = "sequence numbers", "not to be described"
STILL_RUNS = "while a call runs, END of its record is 0: nobody knows yet when it ends"

AROUND_CALL = Check(
    "profiler.recorder.around_call",
    ("body", "all_threads", "describes", "grad_mode"),
    (
        Aspect("ordinary", 2, _calls_ordinary, findings=without(*NOTES)),
        Aspect("notes", 1, _calls_notes, needs="ordinary"),
        Aspect("errors", 2, _calls_errors, needs="ordinary", findings=without(*NOTES)),
        Aspect("threads", 1, _calls_threads, needs="ordinary", findings=without(*NOTES)),
    ),
    {
        "one": "each call leaves a record in the buffer, a list of ten fields; an empty buffer is a buffer too",
        "overloads": "the record has the name and the overload that `around_call` got, each in its field",
        "other fields": "the record begins as the docstring has it, with `CPU_OP` and `RecordScope.FUNCTION`",
        "again": "each call has a record of its own, made when it is called",
        "nested": "the record of a call comes before the records of the calls inside it",
        "recursion": "a function may be called while it runs: each of these calls has a record of its own",
        "sequence": SEQUENCE,
        "sequence numbers": SEQUENCE,
        "describe": DESCRIBE,
        "inputs": DESCRIBE,
        "not to be described": "`recorder.describe` is called only if `recorder.describes`",
        "START": "START is read when all else is noted, just before `function` begins",
        "END": "END is read just after `function` has ended, however it ends, also by an error of any kind",
        "still runs": STILL_RUNS,
        "looked": STILL_RUNS,
        "gave": "a call returns what `function(*arguments)` returns, and raises the very error that it raises",
        "error": "a call that ends by an error ends too: END is read in any case, and the error goes on to the caller",
        "through": "an error passes through all calls that lie around it: each of them ends, none swallows it",
        "not looked at": "`recorder.buffer()` gives None on a thread that is not looked at: the function just runs",
        "all threads": "ask `recorder.buffer()` at each call: another thread has another buffer",
        "type": "return the function that is called in place of `function`",
        "returned None": "return the function that is called in place of `function`",
        "raised": "nothing is refused here, and an error of `function` goes on to the caller as it is",
    },
    probe="profiler.recording.calls",
)


# ---- record_function


def _blocks_ordinary(rng: random.Random) -> Iterator[Case]:
    def block(number: int, *inside, name: str = "forward") -> tuple:
        key = f"{name} {number}"
        return ("make", key, name), ("enter", key), *inside, ("exit", key)

    yield Case(([("on",), *block(0), ("off",)],), "one")
    yield Case(([("on",), *block(0, 5), ("off",)],), "one")
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
    yield Case(([("on",), ("make", "a", "b"), 9, ("enter", "a"), 6, ("error", "a"), 3, ("off",)],), "error")
    for _ in range(30):
        times = [rng.randint(1, 60) for _ in range(6)]
        names = rng.choices(("forward", "loss", "backward", "step"), k=3)
        inner = block(2, times[0], name=names[2])
        outer = block(0, times[1], *inner, times[2], *block(1, times[3], name=names[1]), name=names[0])
        if rng.random() < 0.3:
            outer = (*outer[:-1], ("error", outer[-1][1]))
        yield Case(([("on",), times[4], *outer, times[5], ("off",)],), "error" if outer[-1][0] == "error" else "nested")


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
    yield Case(([("on",), make, enter, 2, leave, ("off",), enter, 4, leave],), "again")
    yield Case(([make, enter, 2, leave, ("on",), enter, 4, leave],), "again")
    for _ in range(26):
        steps = [make, enter, leave]
        if rng.random() < 0.4:
            steps += [enter, ("error", "a")]
        about = "again" if len(steps) > 3 else "begun before"
        place = rng.randint(0, len(steps))
        steps.insert(place, ("on",))
        if rng.random() < 0.6:
            steps.insert(rng.randint(place + 1, len(steps)), ("off",))
        yield Case(([part for step in steps for part in (rng.randint(1, 60), step)],), about)


RECORD_FUNCTION = Check(
    "profiler.autograd_profiler.record_function",
    ("script",),
    (
        Aspect("ordinary", 2, _blocks_ordinary),
        Aspect("decorator", 1, _blocks_decorator, needs="ordinary"),
        Aspect("off", 1, _blocks_off, needs="ordinary"),
    ),
    {
        "one": "`__enter__` begins an event of the recorder that is on, with the block's name; `__exit__` ends it; a "
        "block gives itself to `as`",
        "nested": "each block ends the event that it began itself",
        "overlap": "each block ends the event that it began itself, though another one began later",
        "made before": "the event begins when the block is entered, not when it is made",
        "args": "`args` are kept and not shown: the event has the name of the block",
        "error": "a block that is left by an error ends too, and the error goes on",
        "other fields": "the record is the one that `annotate(name)` of the recorder gives",
        "enter": "`__enter__` gives the block itself, for `as`",
        "exit": "`__exit__` returns nothing: what it returns says whether an error is swallowed",
        "call": "a function that is decorated gives what it gives without, and raises what it raises",
        "decorator": "around a function, each call is a block: an event of its own, that ends also by an error",
        "recursion": "a function that calls itself is in several blocks at once: `_recreate_cm` gives a new one, of "
        "the same kind, for each call",
        "as given": "the new block that `_recreate_cm` gives has the same name and args",
        "off": "without a recorder that is on there is no event, and nothing fails",
        "begun before": "a block that was entered before the profile began has no event to end",
        "ended after": "a block ends the event that it began, even if that profile is over by then",
        "again": "a block may be entered again; what counts is whether a recorder is on each time",
        "raised": "a block raises nothing itself, also without a recorder; an error that leaves it goes on as it is",
    },
    probe="profiler.recording.blocks",
)

CHECKS = (AROUND_CALL, RECORD_FUNCTION)
