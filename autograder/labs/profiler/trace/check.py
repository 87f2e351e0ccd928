"""Checks of the chrome trace: the JSON of an event, and the arrows from forward operators to their nodes."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check

Fields = dict[str, Any]
EVALUATE = "autograd::engine::evaluate_function: "
NODES = ("MulBackward0", "torch::autograd::AccumulateGrad", "Square")
FIGURES = 6  # decimals of a microsecond that count: how one divides is nobody's business


def rounded(args: tuple, observed: Any) -> Any:
    """Return what was written, with times as floats rounded to a number of decimals."""
    if type(observed) is list:
        return [rounded(args, one) for one in observed]
    if type(observed) is not dict:
        return observed
    times = {key: round(float(observed[key]), FIGURES) for key in ("ts", "dur") if type(observed.get(key)) in TIMES}
    return {**observed, **times}


TIMES = (int, float)


def columns(args: tuple, observed: Any) -> Any:
    """Of the ends of arrows each entry by itself, in the order of the ends."""
    found = rounded(args, observed)
    if type(found) is not list or any(type(one) is not dict for one in found):
        return found
    names = dict.fromkeys(name for one in found for name in sorted(one, key=ENDS.find))
    return {name: [one.get(name, "no such entry") for one in found] for name in names}


ENDS = "ph id name cat pid tid ts bp"


def _beside(rng: random.Random, count: int, threads: int = 1, **more: Any) -> Fields:
    natives = rng.sample(range(300, 990), threads)
    return {
        "fwd_threads": [0] * count,
        "threads": list(enumerate(natives, 1)),
        "pid": rng.randrange(1000, 9000),
        "zero": rng.randrange(0, 9_000_000_000, 7),
        **more,
    }


def _between(rng: random.Random, first: int = 0) -> tuple[int, int]:
    start = first + rng.randrange(1, 5_000_000)
    return start, start + rng.randrange(1, 2_000_000)


# ---- event_json


def _plain_event(rng: random.Random, thread: int = 1) -> Fields:
    start, end = _between(rng)
    name, category = rng.choice((("aten::add", "cpu_op"), ("aten::mm", "cpu_op"), ("forward", "user_annotation")))
    return {"name": name, "start": start, "end": end, "thread": thread, "category": category}


def _event_ordinary(rng: random.Random) -> Iterator[Case]:
    first = {"name": "aten::mm", "start": 2000, "end": 5000}
    yield Case(([first], 0, {**_beside(rng, 1), "zero": 0}), "times")
    yield Case(([{**first, "end": 5321}], 0, {**_beside(rng, 1), "zero": 500}), "times")
    yield Case(([first, {**first, "start": 2500, "category": "user_annotation"}], 1, _beside(rng, 2)), "number")
    yield Case(([{**first, "end": 2000}], 0, _beside(rng, 1)), "times")
    yield Case(([first, first], 1, _beside(rng, 2)), "number")
    yield Case(([first, {**first, "end": 3000}], 1, _beside(rng, 2, parents=[None, 0])), "number")
    for count in (1, 2, 3, 4) * 8:
        threads = rng.randint(1, 3)
        events = [_plain_event(rng, rng.randint(1, threads)) for _ in range(count)]
        parents = [rng.randrange(number) if number and rng.random() < 0.5 else None for number in range(count)]
        beside = _beside(rng, count, threads, parents=parents)
        yield Case((events, rng.randrange(count), beside), "threads" if threads > 1 else "number")


def _input(rng: random.Random) -> tuple:
    sizes = [rng.randint(1, 5) for _ in range(rng.randint(1, 3))]
    return rng.choice(
        [
            ("float", sizes, [rng.randint(1, 9) for _ in sizes], None),
            ("Scalar", [], [], rng.randint(2, 9)),
            ("ScalarList", [], [], [rng.randint(1, 9), 1]),
        ]
    )


def _event_details(rng: random.Random) -> Iterator[Case]:
    for _ in range(12):
        for kind in ("sequence", "stack", "inputs"):
            events = [_plain_event(rng) for _ in range(rng.randint(1, 3))]
            number = rng.randrange(len(events))
            forward = [0] * len(events)
            if kind == "sequence" or rng.random() < 0.3:
                events[number]["sequence_nr"] = rng.choice((0, 0, 1, 7, 30))
                forward[number] = rng.randint(0, 2)
            if kind == "stack" or rng.random() < 0.3:
                events[number]["stack"] = tuple(f"train.py({line}): step" for line in range(1, rng.randint(2, 4)))
            if kind == "inputs" or rng.random() < 0.3:
                events[number]["inputs"] = [_input(rng) for _ in range(rng.randint(1, 3))]
            yield Case((events, number, _beside(rng, len(events), fwd_threads=forward)), kind)


def _event_launch(rng: random.Random) -> Iterator[Case]:
    for count in (1, 2, 3, 4) * 8:
        events = [_plain_event(rng) for _ in range(count)]
        number = count - 1
        name = rng.choice(("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel"))
        events[number] = {**events[number], "name": name, "category": "cuda_runtime"}
        if rng.random() < 0.2:
            events[number]["stack"] = ("train.py(3): step",)
        parents: list[int | None] = [None] * count
        if number and rng.random() < 0.8:
            parents[number] = rng.randrange(number)
        yield Case((events, number, _beside(rng, count, parents=parents)), "launch")


TIME = (
    "a trace counts microseconds, a recording nanoseconds; `ts` counts from the trace's zero, which `context.us` "
    "knows, `dur` is a difference"
)

EVENT_JSON = Check(
    "profiler.chrome_trace.event_json",
    ("events", "number", "beside"),
    (
        Aspect("ordinary", 2, _event_ordinary, findings=rounded),
        Aspect("details", 2, _event_details, findings=rounded),
        Aspect("launch", 1, _event_launch, findings=rounded),
    ),
    {
        "times": "a plain event has three entries in 'args': 'External id', 'Record function id' and 'Ev Idx'",
        "number": "'External id' is the number and one, 'Ev Idx' the number itself, whatever the event lies in",
        "threads": "'tid' is what the system calls the thread: ask `context.tid`",
        "cat": "'cat' is the category of the event, as it is",
        "tid": "'tid' is what the system calls the thread: ask `context.tid`",
        "ts": TIME,
        "dur": TIME,
        "sequence": "0 is a sequence number too; 'Fwd thread id', `context.fwd_threads[number]` as it is, stands "
        "beside it, and only then",
        "stack": "the entries of the stack are one text, with ';' between them",
        "inputs": "`inputs_json(event.inputs)` makes the four entries; an event without inputs has none of them",
        "launch": "a launch, known by its category, carries the External id of the operator that it lies in: "
        "`context.operator(number)`; 'correlation' and 'Ev Idx' are its own",
        "type": "return a dict, with a dict under 'args'",
        "raised": "every recording here is sound: nothing to refuse",
    },
    probe="profiler.trace.event_json",
)


# ---- forward_backward_arrows


def _program(rng: random.Random, nodes: int, threads: int) -> tuple[list[Fields], list[int]]:
    """Operators that make nodes, others between them, and then the backward pass, the last node first."""
    now, events, forward = 0, [], []
    made: list[tuple[int, int]] = []
    owner = rng.randint(1, threads)

    def event(fwd_thread: int = 0, **fields: Any) -> None:
        nonlocal now
        now += rng.randrange(100, 90_000)
        events.append({"start": now, "end": now + rng.randrange(1, 90), **fields})
        forward.append(fwd_thread)

    for sequence_nr in range(nodes):
        thread = owner if threads == 1 else rng.randint(1, threads)
        if rng.random() < 0.3:
            event(name="aten::empty", thread=thread)
        event(name="aten::mul", thread=thread, sequence_nr=sequence_nr)
        if rng.random() < 0.3:  # an operator inside it that sees the same number
            event(name="aten::mul", thread=thread, sequence_nr=sequence_nr)
        made.append((sequence_nr, thread))
    for sequence_nr, thread in reversed(made):
        at = rng.randint(1, threads)
        event(thread, name=f"{EVALUATE}MulBackward0", thread=at, sequence_nr=sequence_nr)
        event(thread, name=rng.choice(NODES), thread=at, sequence_nr=sequence_nr, scope=1)
    return events, forward


def _arrows_case(rng: random.Random, program: tuple[list[Fields], list[int]], threads: int, about: str) -> Case:
    events, forward = program
    return Case((events, _beside(rng, len(events), threads, fwd_threads=forward)), about)


def _arrows_ordinary(rng: random.Random) -> Iterator[Case]:
    yield _arrows_case(rng, ([], []), 1, "none")
    yield _arrows_case(rng, ([{"name": "aten::mul", "start": 1000, "end": 2000, "sequence_nr": 0}], [0]), 1, "none")
    for nodes in (1, 1, 2, 2, 3, 4, 5) * 5:
        yield _arrows_case(rng, _program(rng, nodes, 1), 1, "pair")


def _arrows_threads(rng: random.Random) -> Iterator[Case]:
    for nodes in (1, 2, 3, 4) * 9:
        yield _arrows_case(rng, _program(rng, nodes, 3), 3, "threads")
    for first, second in ((1, 2), (2, 1), (1, 3)):  # one number on two threads
        events = [
            {"name": "aten::mul", "start": 1000, "end": 1500, "thread": first, "sequence_nr": 4},
            {"name": "aten::mul", "start": 2000, "end": 2500, "thread": second, "sequence_nr": 4},
            {"name": "MulBackward0", "start": 4000, "end": 4500, "thread": 3, "sequence_nr": 4, "scope": 1},
            {"name": "MulBackward0", "start": 5000, "end": 5500, "thread": 3, "sequence_nr": 4, "scope": 1},
        ]
        yield _arrows_case(rng, (events, [0, 0, first, second]), 3, "threads")


def _arrows_rare(rng: random.Random) -> Iterator[Case]:
    operator = {"name": "aten::mul", "start": 1000, "end": 1500, "sequence_nr": 4}
    node = {"name": "MulBackward0", "start": 4000, "end": 4500, "sequence_nr": 4, "scope": 1}
    again, later = {**operator, "start": 5000, "end": 5500}, {**node, "start": 6000, "end": 6500}
    yield _arrows_case(rng, ([node, again], [1, 0]), 1, "before")
    yield _arrows_case(rng, ([operator, node, again, later], [0, 1, 0, 1]), 1, "before")
    inner = {**operator, "start": 1100, "end": 1400}
    yield _arrows_case(rng, ([operator, inner, node, later], [0, 0, 1, 1]), 1, "one arrow")
    for _ in range(12):
        events, forward = _program(rng, rng.randint(1, 4), 1)
        twice, missing = dict(events[-1]), rng.randrange(len(events))
        twice["start"], twice["end"] = twice["start"] + 1000, twice["end"] + 1000
        yield _arrows_case(rng, ([*events, twice], [*forward, forward[-1]]), 1, "one arrow")
        kept = [number for number in range(len(events)) if number != missing]
        yield _arrows_case(rng, ([events[k] for k in kept], [forward[k] for k in kept]), 1, "no operator")
        named = {**twice, "name": f"{EVALUATE}MulBackward0", "scope": 7}  # a record_function of that name
        yield _arrows_case(rng, ([events[0], {**events[0], "sequence_nr": 90}, {**named, "sequence_nr": 90}],
                                 [0, 0, 1]), 1, "formula")  # fmt: skip
        later = {**events[0], "sequence_nr": -1}
        shown = {**later, "name": "MulBackward0", "scope": 1, "start": twice["end"] + 50, "end": twice["end"] + 90}
        yield _arrows_case(rng, ([later, *events, shown], [0, *forward, 1]), 1, "no number")


FORWARD_BACKWARD_ARROWS = Check(
    "profiler.chrome_trace.forward_backward_arrows",
    ("events", "beside"),
    (
        Aspect("ordinary", 3, _arrows_ordinary, findings=columns),
        Aspect("threads", 1, _arrows_threads, findings=columns),
        Aspect("rare", 2, _arrows_rare, findings=columns),
    ),
    {
        "none": "without a node that ran there is no arrow: an empty list",
        "pair": "'s' stands at the operator's start and 'f' at the node's: an arrow runs from forward to backward, and "
        "of several operators with the number it begins at the last one",
        "ph": "an arrow is two dicts, one behind the other: first its 's', then its 'f'",
        "id": "arrows are numbered from 1 in the order of the nodes, and both ends have the number",
        "bp": "the 'f' has a 'bp', the 's' has none",
        "threads": "sequence numbers are counted by each thread: the operator is that of the *forward* thread",
        "before": "an operator is looked for among those that began before the node",
        "one arrow": "an operator has one arrow at most: the first node takes it, and the next one finds no other",
        "formula": "of the events of the backward pass only those in the scope 1 have an arrow",
        "no operator": "the operator may have run before the profile began: then there is no arrow",
        "no number": "-1 is no sequence number: such an event has no part in this",
        "type": "return a list of dicts",
        "raised": "every recording here is sound: nothing to refuse",
    },
    probe="profiler.trace.arrows",
)

CHECKS = (EVENT_JSON, FORWARD_BACKWARD_ARROWS)
