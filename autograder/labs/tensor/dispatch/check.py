"""Checks of the table and of the call in solutions/00-tensor/tiny_tensor.py."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

TWO = ["Autograd", "CPU"]
THREE = ["Trace", "Autograd", "CPU"]
RECORDED = ["CPU", "Autograd"]


def _found(rng: random.Random) -> Iterator[Case]:
    both = [("register", "add", "CPU", "a"), ("register", "add", "Autograd", "b")]
    yield Case((TWO, [both[0], ("find", "add", ["CPU"])]), "found")
    for asked in (["CPU"], ["Autograd"], ["CPU", "Autograd"]):
        yield Case((TWO, [*both, ("find", "add", asked)]), "highest")
        yield Case((TWO, [*both[::-1], ("find", "add", asked)]), "highest")
    yield Case((TWO, [both[0], ("find", "add", ["Autograd", "CPU"])]), "next")
    yield Case(
        (TWO, [both[0], ("register", "mul", "CPU", "c"), ("find", "add", ["CPU"]), ("find", "mul", ["CPU"])]), "op"
    )
    yield Case((TWO, [both[0], ("register", "mul", "Autograd", "c"), ("find", "add", ["Autograd", "CPU"])]), "op")
    yield Case((THREE, [*both, ("register", "add", "Trace", "c"), ("find", "add", ["CPU", "Trace"])]), "highest")
    yield Case((THREE, [*both, ("find", "add", ["CPU", "Trace"])]), "next")
    for _ in range(24):
        keys = rng.sample(["Trace", "Batched", "Autograd", "CPU"], 4)
        registered = [("register", "op", key, key.lower()) for key in rng.sample(keys, 3)]
        yield Case((keys, [*registered, ("find", "op", rng.sample(keys, 2))]), "highest")


def _later(rng: random.Random) -> Iterator[Case]:
    both = [("register", "add", "CPU", "a"), ("register", "add", "Autograd", "b")]
    find = ("find", "add", ["CPU", "Autograd"])
    yield Case((TWO, [both[0], find, both[1], find]), "now")
    yield Case((TWO, [both[0], ("find", "mul", ["CPU"]), ("register", "mul", "CPU", "c"), ("find", "mul", ["CPU"])]),
               "now")  # fmt: skip
    yield Case((TWO, [both[0], ("find", "add", ["CPU"]), ("find", "add", ["CPU"]), find]), "now")
    trace = [("insert key", "Trace"), ("register", "add", "Trace", "c")]
    yield Case((TWO, [both[0], *trace, ("find", "add", ["CPU", "Trace"])]), "KEYS now")
    yield Case((TWO, [both[0], find, *trace, ("find", "add", ["CPU", "Trace"]), find]), "KEYS now")
    yield Case((TWO, [both[0], ("new table",), both[1], find]), "new table")
    yield Case((TWO, [both[0], ("new table",), ("register", "add", "CPU", "c"), ("find", "add", ["CPU"])]), "new table")
    for number in range(24):
        key, other = rng.sample(("Trace", "Autograd", "CPU"), 2)
        op = rng.choice(("add", "mul"))
        first, second, find = ("register", op, key, "a"), ("register", op, other, "b"), ("find", op, [key, other])
        yield (
            Case((THREE, [first, find, second, find]), "now"),
            Case((THREE, [first, ("new table",), second, find]), "new table"),
            Case(([key, other], [first, find, ("insert key", "New"), ("register", op, "New", "c"),
                                 ("find", op, ["New", key])]), "KEYS now"),
        )[number % 3]  # fmt: skip


def _refused(rng: random.Random) -> Iterator[Case]:
    add = ("register", "add", "CPU", "a")
    yield Case((TWO, [add, ("register", "add", "CPU", "b")]), "taken")
    yield Case((TWO, [add, ("register", "add", "CPU", "a")]), "taken")
    yield Case((TWO, [add, ("register", "add", "CPU", "b"), ("find", "add", ["CPU"])]), "taken")
    yield Case((TWO, [add, ("register", "add", "Autograd", "b"), ("register", "mul", "CPU", "c")]), "not taken")
    yield Case((TWO, [("find", "add", ["CPU"])]), "none")
    yield Case((TWO, [add, ("find", "mul", ["CPU"])]), "none")
    yield Case((TWO, [add, ("find", "add", ["Autograd"])]), "none")
    yield Case((TWO, [add, ("find", "add", [])]), "none")
    for _ in range(24):
        op, other = rng.sample(("add", "mul", "tanh", "total"), 2)
        key, another = rng.sample(THREE, 2)
        first = ("register", op, key, "first")
        yield rng.choice((
            Case((THREE, [first, ("register", op, key, "second"), ("find", op, [key])]), "taken"),
            Case((THREE, [first, ("find", other, THREE)]), "none"),
            Case((THREE, [first, ("find", op, [another])]), "none"),
        ))  # fmt: skip


TABLE = Check(
    "tiny_tensor.Table",
    ("KEYS", "program"),
    (
        Aspect("finds", 6, _found),
        Aspect("later", 2, _later, needs="finds"),
        Aspect("refusals", 4, _refused, needs="finds"),
    ),
    {
        "found": "`find` gives the very function that was registered",
        "highest": "KEYS has the keys from the highest to the lowest: the first of KEYS that is asked for and has a "
        "kernel counts, in whatever order they were registered",
        "next": "the highest key has no kernel here: go on to the next one that is asked for",
        "op": "a kernel is for one operator and one key: both together are its place in the table",
        "now": "each `find` looks at the kernels that are registered at that moment",
        "KEYS now": "KEYS can get another key later: look at it in each `find`",
        "new table": "each table has kernels of its own: make the dict in `__init__`",
        "taken": "the place has a kernel: raise RuntimeError, and keep the first one",
        "not taken": "this place is free",
        "none": "no kernel fits: raise NotImplementedError",
        "raised another": "it is right to refuse this: `register` with a RuntimeError, `find` with a "
        "NotImplementedError",
    },
    probe="tensor.dispatch.fill",
    mistakes=(
        Mistake(
            "the set `keys` is the caller's: nothing is added or taken away",
            lambda args, wanted, got: any("keys are now" in str(found) for found in got.value.values()),  # type: ignore[union-attr]
        ),
    ),
    words={
        "program": "the steps on a new table: register operator, key, kernel; find operator, keys",
        "insert key": "KEYS gets this key as its first one",
        "new table": "the steps after it are done on another table",
    },
)


def _chosen(rng: random.Random) -> Iterator[Case]:
    yield Case((TWO, ["CPU"], [["CPU"]], ""), "runs")
    yield Case((TWO, ["CPU", "Autograd"], [["CPU"]], ""), "keys")
    yield Case((TWO, ["CPU", "Autograd"], [["CPU", "Autograd"]], ""), "keys")
    for arguments in ([["CPU"], ["CPU", "Autograd"]], [["CPU", "Autograd"], ["CPU"]], [["CPU"], ["CPU"]]):
        yield Case((TWO, ["CPU", "Autograd"], arguments, ""), "union")
    yield Case((TWO, ["CPU"], [["CPU"], ["CPU", "Autograd"]], ""), "next")
    yield Case((TWO, TWO, [["CPU"]] * 5 + [RECORDED], ""), "union")
    for _ in range(24):
        arguments = [rng.sample(THREE, rng.randint(1, 2)) for _ in range(rng.randint(1, 3))]
        yield Case((THREE, THREE, arguments, ""), "union")


def _below(rng: random.Random) -> Iterator[Case]:
    everything = [["CPU", "Autograd"], ["CPU"]]
    yield Case((TWO, TWO, everything, "Autograd"), "below")
    yield Case((THREE, THREE, [THREE], "Trace"), "below")
    yield Case((THREE, THREE, [THREE], "Autograd"), "below")
    yield Case((THREE, THREE, [["CPU", "Autograd"]], "Trace"), "below")
    yield Case((THREE, THREE, [["CPU"]], "Trace"), "only theirs")
    yield Case((TWO, ["Autograd"], everything, "Autograd"), "none")
    yield Case((TWO, TWO, [["CPU"]], "CPU"), "none")
    yield Case((TWO, [], everything, ""), "none")
    for _ in range(24):
        arguments = [rng.sample(THREE, rng.randint(1, 2)) for _ in range(rng.randint(1, 3))]
        registered = rng.sample(THREE, rng.randint(2, 3))
        yield Case((THREE, registered, arguments, rng.choice(THREE[:2])), "below")


def _through(rng: random.Random) -> Iterator[Case]:
    yield Case((TWO, TWO, [["CPU"], ["CPU", "Autograd"]], "", "register between"), "now")
    yield Case((TWO, ["CPU"], [["CPU", "Autograd"]], "", "register between"), "now")
    yield Case((TWO, TWO, [["CPU"]], "", "insert between"), "KEYS now")
    yield Case((TWO, TWO, [["CPU"], RECORDED], "", "goes on"), "goes on")
    yield Case((THREE, THREE, [["CPU"], THREE], "", "goes on"), "goes on")
    yield Case((THREE, THREE, [["CPU", "Trace"]], "", "goes on"), "goes on")
    for error in ("NotImplementedError", "RuntimeError", "KeyError", "TypeError"):
        yield Case((TWO, ["CPU"], [["CPU"]], "", error), "raises")
        yield Case((TWO, TWO, [RECORDED, ["CPU"]], "", error), "raises")
    yield Case((TWO, TWO, [RECORDED], "Autograd", "NotImplementedError"), "raises")
    yield Case((THREE, THREE, [THREE], "Trace", "goes on"), "goes on")
    for arguments in ([["CPU"], RECORDED], [RECORDED, ["CPU"]], [["CPU"], ["CPU"], RECORDED]):
        yield Case((TWO, TWO, arguments, "", "keys are kept"), "keys are kept")
        yield Case((TWO, TWO, arguments, "Autograd", "keys are kept"), "keys are kept")
    for _ in range(14):
        arguments = [rng.sample(THREE, rng.randint(1, 2)) for _ in range(rng.randint(1, 3))]
        kind = rng.choice(("goes on", "register between", "keys are kept", "insert between"))
        yield Case((THREE, THREE, arguments, "", kind), ABOUT.get(kind, kind))


ABOUT = {"register between": "now", "insert between": "KEYS now"}


def _runs_twice(args: tuple, wanted: Observation, got: Observation) -> bool:
    return len(got.value["ran"]) > max(1, len(wanted.value["ran"]))  # type: ignore[index]


def _is_not_below(args: tuple, wanted: Observation, got: Observation) -> bool:
    keys, _, _, below, *_ = args
    return bool(below) and any(keys.index(key) <= keys.index(below) for key, _ in got.value["ran"])  # type: ignore[index]


def _first_alone(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the kernel that ran is the one that the keys of the first argument alone choose."""
    keys, registered, arguments, below, *_ = args
    allowed = keys[keys.index(below) + 1 :] if below else keys
    chosen = next((key for key in allowed if key in arguments[0] and key in registered), None)
    ran = [key for key, _ in got.value["ran"]]  # type: ignore[index]
    return ran == [chosen] != [key for key, _ in wanted.value["ran"]]  # type: ignore[index]


def _takes_an_error(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the kernel's own error was not propagated unchanged."""
    return wanted.value["raised"] != "nothing" and got.value["raised"] != wanted.value["raised"]  # type: ignore[index]


def _loses_keys(args: tuple, wanted: Observation, got: Observation) -> bool:
    return got.value.get("keys afterwards") != wanted.value.get("keys afterwards")  # type: ignore[index]


CALL = Check(
    "tiny_tensor.call",
    ("KEYS", "registered", "arguments", "below", "kernel"),
    (
        Aspect("chooses", 5, _chosen),
        Aspect("below", 4, _below, needs="chooses"),
        Aspect("through", 3, _through, needs="chooses"),
    ),
    {
        "runs": "the kernel runs once, with the arguments as they are, and what it returns is returned",
        "keys": "the keys of the arguments choose: `TABLE.find(op, keys)`",
        "union": "the keys of all arguments count together, whichever argument has them",
        "next": "the highest key has no kernel here: `TABLE.find` goes on to the next one",
        "below": "with `below`, only the keys after it in KEYS count: neither itself nor those before it",
        "only theirs": "with `below`, of the keys that the arguments have, those after it count; the others do not",
        "none": "no kernel is left: let the NotImplementedError of `TABLE.find` pass",
        "ran": "another kernel ran than expected, or with other arguments: hand them over one by one, `(*args)`",
        "raises": "an error of the kernel itself goes through, a NotImplementedError too, and no other kernel runs",
        "now": "the table is asked at each call: a kernel that was registered meanwhile counts",
        "KEYS now": "KEYS can get another key later: look at it in each call",
        "keys are kept": "a call must not change the keys of its arguments: `|=` on a set of theirs does",
        "goes on": "a kernel that passes the call on, with `below`, gets the answer of the next one",
        "returned": "return what the kernel returns",
    },
    probe="tensor.dispatch.choose",
    mistakes=(
        Mistake(
            "an error of the kernel itself goes through, a NotImplementedError too, and no other kernel runs",
            lambda args, wanted, got: args[-1].endswith("Error") and _takes_an_error(args, wanted, got),
        ),
        Mistake(
            "hand the arguments over one by one: `(*args)`, with the star",
            lambda args, wanted, got: any(given == "one list" for _, given in got.value["ran"]),  # type: ignore[index]
        ),
        Mistake(
            "with `below`, only the keys after it in KEYS count: neither itself nor those before it", _is_not_below
        ),
        Mistake("a kernel ran more often than once", _runs_twice),
        Mistake("only the keys of the first argument count here: take those of all", _first_alone),
        Mistake("a call must not change the keys of its arguments: `|=` on a set of theirs does", _loses_keys),
    ),
    words={
        "registered": "the keys for which the operator has a kernel",
        "arguments": "the keys of each tensor in the call",
        "below": "the argument `below` of the call; empty: it is left out",
        "register between": "the call is made twice; before the second one each key gets a kernel that has none",
        "insert between": "the call is made twice; before the second one KEYS gets the key 'New', with a kernel, and "
        "the first argument gets it too",
        "goes on": "each kernel but the last one's passes the call on below its key",
    },
)

CHECKS = (TABLE, CALL)
