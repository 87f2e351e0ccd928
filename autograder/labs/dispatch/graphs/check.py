"""Check of the tracing kernel (engine/dispatch/tracer.py, general_trace_function): programs of calls."""

import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake

Call = tuple


def _program(rng: random.Random, length: int, names: tuple[str, ...]) -> list[Call]:
    """Draw calls on the results of earlier calls; @0 and @1 are there from the start."""
    known, calls = 2, []
    for _ in range(length):
        name, x, y = rng.choice(names), f"@{rng.randrange(known)}", f"@{rng.randrange(known)}"
        arguments: tuple = (x,)
        made = 1
        if name == "one":
            arguments = (x, rng.randint(1, 9))
        elif name == "two":
            made = 2
        elif name == "join":
            arguments = ([x, y], rng.choice((None, x)))
        elif name == "split":
            made = rng.randint(0, 3)
            arguments = (x, made)
        elif name == "write_":
            arguments, made = (x, rng.randint(1, 9) / 4), 0
        elif name == "maybe":
            arguments, made = (x, rng.random() < 0.5), 0
        elif name == "count":
            arguments, made = (x, rng.randint(0, 3)), 0
        elif name in ("none", "fails", "stops"):
            made = 0
        calls.append((name, arguments))
        known += made
    return calls


def _ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case((True, [("one", ("@0", 2))]), "one call")
    yield Case((False, [("one", ("@0", 2))]), "no graph")
    yield Case((False, [("records", ("@0",))]), "no graph")
    yield Case((True, [("one", ("@0", 2)), ("one", ("@2", 3))]), "names")
    yield Case((True, [("one", ("@1", 2)), ("one", ("@0", 3)), ("one", ("@1", 4))]), "names")
    yield Case((True, [("join", (["@0", "@1"], None)), ("join", (["@1", "@2"], "@0"))]), "names")
    yield Case((True, [("one", ("@0", 2), ["CPU", "Tracer"])]), "below")
    yield Case((False, [("deep", ("@0",), ["CPU", "Tracer"])]), "below")
    yield Case((True, [("deep", ("@0",), ["CPU", "Tracer"]), ("deep", ("@1",), ["CPU", "Tracer"])]), "below")
    yield Case((True, [("one", ("@0", 2)), ("one", ("@0", 2)), ("one", ("@2", 2)), ("one", ("@3", 2))]), "names")
    yield Case((True, [("join", (["@1"], None)), ("join", (["@0", "@0"], "@0"))]), "names")
    for length in (1, 2, 3, 4) * 6:
        yield Case((True, _program(rng, length, ("one", "join"))), "names")
    for _ in range(3):
        yield Case((False, _program(rng, 3, ("one", "join", "write_"))), "no graph")


def _results(rng: random.Random) -> Iterator[Case]:
    yield Case((True, [("none", ("@0",))]), "outputs")
    yield Case((True, [("maybe", ("@0", False))]), "not a tensor")
    yield Case((True, [("maybe", ("@0", True)), ("maybe", ("@0", False)), ("one", ("@0", 1))]), "not a tensor")
    yield Case((True, [("count", ("@0", 0))]), "not a tensor")
    yield Case((True, [("count", ("@0", 3)), ("one", ("@0", 1))]), "not a tensor")
    yield Case((True, [("half", ("@0",)), ("one", ("@2", 1))]), "not a tensor")
    yield Case((True, [("spreads", ("@0",)), ("one", ("@0", 1))]), "in place")
    yield Case((False, [("maybe", ("@0", False)), ("count", ("@0", 0)), ("half", ("@1",))]), "no graph")
    yield Case((True, [("two", ("@0",)), ("one", ("@3", 2))]), "outputs")
    yield Case((True, [("split", ("@0", 2)), ("one", ("@3", 2))]), "outputs")
    yield Case((True, [("split", ("@0", 0)), ("split", ("@0", 1))]), "outputs")
    yield Case((False, [("two", ("@0",)), ("none", ("@1",)), ("split", ("@3", 2))]), "no graph")
    yield Case((True, [("write_", ("@0", 1.5))]), "in place")
    yield Case((True, [("write_", ("@0", 1.5)), ("one", ("@0", 1)), ("write_", ("@0", 2.5))]), "in place")
    for length in (1, 2, 3, 4) * 7:
        calls = _program(rng, length, ("one", "two", "none", "split", "write_", "count", "maybe"))
        yield Case((True, calls), "in place" if any(name == "write_" for name, _ in calls) else "outputs")


def _nested(rng: random.Random) -> Iterator[Case]:
    yield Case((True, [("outer", ("@0",))]), "inside")
    yield Case((True, [("deep", ("@0",), ["CPU", "AutogradCPU", "Tracer"])]), "inside")
    yield Case((True, [("deep", ("@0",)), ("one", ("@2", 1))]), "inside")
    yield Case((True, [("deep", ("@0",)), ("outer", ("@2",)), ("one", ("@2", 1))]), "inside")
    yield Case((True, [("fails", ("@0",))]), "raises")
    yield Case((True, [("fails", ("@1",)), ("one", ("@0", 2)), ("one", ("@1", 3))]), "raises")
    yield Case((True, [("stops", ("@0",))]), "interrupted")
    yield Case((True, [("stops", ("@0",)), ("one", ("@0", 1)), ("outer", ("@0",))]), "interrupted")
    yield Case((False, [("stops", ("@0",)), ("one", ("@0", 1))]), "no graph")
    yield Case((True, [("fails", ("@0",)), ("one", ("@0", 1)), ("fails", ("@2",)), ("outer", ("@2",))]), "raises")
    yield Case((False, [("outer", ("@0",)), ("fails", ("@0",)), ("deep", ("@0",))]), "no graph")
    for length in (1, 2, 3, 4) * 7:
        calls = _program(rng, length, ("one", "outer", "deep", "fails"))
        yield Case((True, calls), "raises" if any(name == "fails" for name, _ in calls) else "inside")
    for length in (1, 2, 3):
        calls = _program(rng, length, ("one", "outer", "deep"))
        yield Case((True, [*calls, ("stops", ("@0",)), ("one", ("@1", 1))]), "interrupted")


def _graphs(says: Callable[[list, list], bool]) -> Callable:
    """Build a `Mistake.shows`: nothing but the graph differs, and `says(expected, what there is)`."""
    return lambda args, wanted, got: (
        not got.raised
        and wanted.value["graph"] != got.value["graph"]
        and {**wanted.value, "graph": None} == {**got.value, "graph": None}
        and says(wanted.value["graph"], got.value["graph"])
    )


def _first(says: Callable[[tuple, tuple], bool]) -> Callable:
    """Build a `Mistake.shows` as `_graphs` does, of the first lines that differ, if there are equally many lines."""
    return _graphs(
        lambda wanted, got: (
            len(wanted) == len(got)
            and says(*next((one, other) for one, other in zip(wanted, got, strict=True) if one != other))
        )
    )


def _is_in(lines: list, more: list) -> bool:
    """Return True if all lines are among `more`, by their operators and in this order."""
    rest = iter([line[0] for line in more])
    return all(line[0] in rest for line in lines)


MISTAKES = (
    Mistake(
        "a call whose keys still have Tracer comes back to this function, without end: go on with "
        "`key_set & below(K.Tracer)`",
        lambda args, wanted, got: got.raised == "RecursionError" and not wanted.raised,
    ),
    Mistake(
        "after a call the thread is not as it was before: whatever is switched off while the operator runs must be on "
        "again afterwards, also if it raises, and a KeyboardInterrupt is no Exception",
        lambda args, wanted, got: got.value["thread"] != wanted.value["thread"],
    ),
    Mistake(
        "a call that raised is in the graph: it is written down only after it has run",
        _graphs(
            lambda wanted, got: (
                len(got) > len(wanted)
                and {line[0] for line in got} - {line[0] for line in wanted} <= {"probe::fails", "probe::stops"}
            )
        ),
    ),
    Mistake(
        "calls that an operator made inside are in the graph: exclude Tracer while it runs",
        _graphs(lambda wanted, got: len(got) > len(wanted) and _is_in(wanted, got)),
    ),
    Mistake(
        "calls are missing in the graph",
        _graphs(lambda wanted, got: len(got) < len(wanted) and _is_in(got, wanted)),
    ),
    Mistake(
        "other kernels have run below than should have: go on with the key set that was given, without Tracer; not "
        "with the keys of the arguments",
        lambda args, wanted, got: any(len(call) > 2 for call in args[1]) and got.value["ran"] != wanted.value["ran"],
    ),
    Mistake(
        "kernels are missing among those that have run: while the operator runs, no other key than Tracer is excluded",
        lambda args, wanted, got: len(got.value["ran"]) < len(wanted.value["ran"]),
    ),
    Mistake(
        "a line begins with the operator's name, which is `entry.name`",
        _first(lambda one, other: one[1:] == other[1:] and not other[0].startswith("probe::")),
    ),
    Mistake(
        "the number of outputs is wrong: `entry.schema.returns` says how many there are. A list, a number or None may "
        "be one output",
        _first(lambda one, other: one[1] == other[1] and len(one[2]) != len(other[2])),
    ),
    Mistake(
        "the inputs are what `name_of` gives for each argument before the operator runs, a list for a list; `new_name` "
        "comes after",
        _first(lambda one, other: one[1] != other[1]),
    ),
    Mistake(
        "an output is what `new_name` gives for a result after the operator ran: a new name, even if it has one",
        _first(lambda one, other: one[1] == other[1] and one[2] != other[2] and len(one[2]) == len(other[2])),
    ),
    Mistake(
        "without a graph no key is excluded: an operator may begin a recording of its own",
        lambda args, wanted, got: got.value["results"].get("1. records") == 0 != wanted.value["results"]["1. records"],
    ),
    Mistake(
        "what the operator returned has not come back as it was",
        lambda args, wanted, got: not got.raised and got.value["results"] != wanted.value["results"],
    ),
)

TRACE = Check(
    "dispatch.tracer.general_trace_function",
    ("is_recording", "calls"),
    (Aspect("ordinary", 2, _ordinary), Aspect("results", 2, _results), Aspect("nested", 2, _nested)),
    {
        "one call": "a line of the graph is the operator's name, the names of its inputs, the names of its results",
        "no graph": "without a graph the kernel does nothing but go on below Tracer",
        "names": "inputs keep the name that they have (`name_of`), results get a new one (`new_name`)",
        "below": "go on with the key set that was given, without Tracer; not with that of the arguments",
        "outputs": "`entry.schema.returns` says how many outputs there are: none, one (a list is one), or several",
        "not a tensor": "an output may be a number or None: it is written down as it is",
        "interrupted": "a KeyboardInterrupt is no Exception: the thread is afterwards as it was before all the same",
        "in place": "an operator that writes returns its argument: name the inputs before it runs, and give the "
        "result a new name",
        "inside": "calls that the operator makes inside are not recorded: exclude Tracer while it runs",
        "raises": "a call that raises is not recorded, and the thread is afterwards as it was before",
        "returned None": "the function ends without `return`",
    },
    probe="dispatch.graphs.record",
    mistakes=MISTAKES,
    words={
        "@0": "a tensor that is there from the start, as @1 is; @2 is the first new tensor that a call returns",
        "one": "(Tensor x, int n) -> Tensor",
        "two": "(Tensor x) -> (Tensor, Tensor)",
        "none": "(Tensor x) -> ()",
        "join": "(Tensor[] xs, Tensor? y) -> Tensor",
        "split": "(Tensor x, int n) -> Tensor[]: n new tensors",
        "spreads": "(Tensor x) -> Tensor[]: x itself and a new tensor",
        "write_": "(Tensor(a!) x, float y) -> Tensor(a!): writes into x and returns it",
        "maybe": "(Tensor x, bool b) -> Tensor?: x or None",
        "half": "(Tensor x) -> (Tensor, Tensor): a new tensor and None",
        "count": "(Tensor x, int n) -> int: n",
        "outer": "(Tensor x) -> Tensor: calls two, deep and one inside",
        "deep": "(Tensor x) -> Tensor: its kernel at AutogradCPU calls one, and goes on to the one at CPU",
        "records": "(Tensor x) -> int: calls one inside `tracing()`, and returns the number of lines of that graph",
        "fails": "(Tensor x) -> Tensor: raises a ValueError",
        "stops": "(Tensor x) -> Tensor: raises a KeyboardInterrupt",
    },
    program="dispatch.program.run",
)

CHECKS = (TRACE,)
