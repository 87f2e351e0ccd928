"""Check of the tracing kernel (engine/dispatch/tracer.py, general_trace_function): programs of calls."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

Call = tuple


def _program(rng: random.Random, length: int, names: tuple[str, ...]) -> list[Call]:
    """Calls on what the ones before have given: @0 and @1 are there from the start."""
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
        elif name in ("none", "fails"):
            made = 0
        calls.append((name, arguments))
        known += made
    return calls


def _ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case((True, [("one", ("@0", 2))]), "one call")
    yield Case((False, [("one", ("@0", 2))]), "no graph")
    yield Case((True, [("one", ("@0", 2)), ("one", ("@2", 3))]), "names")
    yield Case((True, [("one", ("@1", 2)), ("one", ("@0", 3)), ("one", ("@1", 4))]), "names")
    yield Case((True, [("join", (["@0", "@1"], None)), ("join", (["@1", "@2"], "@0"))]), "names")
    yield Case((True, [("deep", ("@0",), ["CPU", "Tracer"])]), "below")
    yield Case((False, [("deep", ("@0",), ["CPU", "Tracer"])]), "below")
    for length in (1, 2, 3, 4) * 6:
        yield Case((True, _program(rng, length, ("one", "join"))), "names")
    for _ in range(3):
        yield Case((False, _program(rng, 3, ("one", "join", "write_"))), "no graph")


def _results(rng: random.Random) -> Iterator[Case]:
    yield Case((True, [("none", ("@0",))]), "outputs")
    yield Case((True, [("two", ("@0",)), ("one", ("@3", 2))]), "outputs")
    yield Case((True, [("split", ("@0", 2)), ("one", ("@3", 2))]), "outputs")
    yield Case((True, [("split", ("@0", 0)), ("split", ("@0", 1))]), "outputs")
    yield Case((False, [("two", ("@0",)), ("none", ("@1",)), ("split", ("@3", 2))]), "no graph")
    yield Case((True, [("write_", ("@0", 1.5))]), "in place")
    yield Case((True, [("write_", ("@0", 1.5)), ("one", ("@0", 1)), ("write_", ("@0", 2.5))]), "in place")
    for length in (1, 2, 3, 4) * 7:
        calls = _program(rng, length, ("one", "two", "none", "split", "write_"))
        yield Case((True, calls), "in place" if any(name == "write_" for name, _ in calls) else "outputs")


def _nested(rng: random.Random) -> Iterator[Case]:
    yield Case((True, [("outer", ("@0",))]), "inside")
    yield Case((True, [("deep", ("@0",), ["CPU", "AutogradCPU", "Tracer"])]), "inside")
    yield Case((True, [("deep", ("@0",)), ("one", ("@2", 1))]), "inside")
    yield Case((True, [("fails", ("@0",))]), "raises")
    yield Case((True, [("fails", ("@0",)), ("one", ("@0", 1)), ("fails", ("@2",)), ("outer", ("@2",))]), "raises")
    yield Case((False, [("outer", ("@0",)), ("fails", ("@0",)), ("deep", ("@0",))]), "no graph")
    for length in (1, 2, 3, 4) * 7:
        calls = _program(rng, length, ("one", "outer", "deep", "fails"))
        yield Case((True, calls), "raises" if any(name == "fails" for name, _ in calls) else "inside")


TRACE = Check(
    "dispatch.tracer.general_trace_function",
    ("is_recording", "calls"),
    (Aspect("ordinary", 2, _ordinary), Aspect("results", 2, _results), Aspect("nested", 2, _nested)),
    {
        "one call": "a line of the graph is the operator's name, the names of its inputs, the names of its results",
        "no graph": "without a graph the kernel does nothing but go on below Tracer",
        "names": "inputs keep the name that they have (`name_of`), results get a new one (`new_name`)",
        "below": "go on with the key set that was given, without Tracer and what stands above it; not with that of the "
        "arguments",
        "outputs": "`entry.schema.returns` says how many outputs there are: none, one (a list is one), or several",
        "in place": "an operator that writes returns its argument: name the inputs before it runs, and give the "
        "result a new name",
        "inside": "calls that the operator makes inside are not recorded: exclude Tracer while it runs",
        "raises": "a call that raises is not recorded, and the thread is afterwards as it was before",
        "returned None": "the function ends without `return`",
    },
    probe="dispatch.graphs.record",
)

CHECKS = (TRACE,)
