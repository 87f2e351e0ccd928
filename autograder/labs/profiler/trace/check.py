"""Checks of the chrome trace: the JSON of an event, and the arrows from forward operators to their nodes."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.profiler.findings import told_apart

Fields = dict[str, Any]
EVALUATE = "autograd::engine::evaluate_function: "
NODES = ("MulBackward0", "torch::autograd::AccumulateGrad", "Square")
FIGURES = 6  # decimals of a microsecond that count: how one divides is nobody's business


NONE = "no such entry"
TIMES = (int, float)
TOP = ("ph", "cat", "name", "pid", "tid", "ts", "dur")
INPUTS = ("Concrete Inputs", "Input type", "Input Strides", "Input Dims")
FIRST = ("External id", "Record function id", "cbid", "correlation")
DETAILS = ("Sequence number", "Fwd thread id", *INPUTS, "Call stack")
ENDS = ("ph", "id", "name", "cat", "pid", "tid", "ts", "bp")


def _number(value: Any) -> Any:
    """Return a time as a float, rounded to a number of decimals, and anything else as it is."""
    return round(float(value), FIGURES) if type(value) in TIMES else value


def entries(*names: str) -> Callable[[tuple, Any], Any]:
    """Build findings on an event's dict: the entries called `names`, also from "args", and any unknown entries."""

    def findings(args: tuple, observed: Any) -> Any:
        if type(observed) is not dict:
            return observed
        inside = observed.get("args", NONE)
        if type(inside) is not dict:
            return f"a dict whose 'args' is {'missing' if inside is NONE else type(inside).__name__}"
        found = {name: observed.get(name, NONE) for name in TOP if name in names}
        found |= {name: inside.get(name, NONE) for name in (*FIRST, *DETAILS, "Ev Idx") if name in names}
        found |= {name: _number(found[name]) for name in ("ts", "dur") if name in found}
        others = [name for name in observed if name not in (*TOP, "args")]
        others += [name for name in inside if name not in (*FIRST, *DETAILS, "Ev Idx")]
        return {**found, "other entries": others}

    return findings


def columns(args: tuple, observed: Any) -> Any:
    """Return the dicts of the arrows' ends as one list per entry, in the order of the ends."""
    if type(observed) is not list or any(type(one) is not dict for one in observed):
        kinds = sorted({type(one).__name__ for one in observed}) if type(observed) is list else ()
        return f"a list of {' and '.join(kinds)}" if kinds else observed
    found = {name: [one.get(name, NONE) for one in observed] for name in ENDS}
    found["ts"] = [_number(time) for time in found["ts"]]
    others = sorted({name for one in observed for name in one if name not in ENDS})
    return {"number of dicts": len(observed), **found, "other entries": others}


def arrows(args: tuple, observed: Any) -> Any:
    """Return the arrows as sorted pairs of ends (tid, ts), regardless of the other entries."""
    if type(observed) is not list or any(type(one) is not dict for one in observed):
        return columns(args, observed)
    ends = [[one.get("tid", NONE), _number(one.get("ts", NONE))] for one in observed]
    pairs = [sorted(ends[at : at + 2], key=str) for at in range(0, len(ends), 2)]
    return {"number of dicts": len(observed), "arrows between (tid, ts)": sorted(pairs, key=str)}


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
    yield Case(([{**first, "start": 7, "end": 8}], 0, {**_beside(rng, 1), "zero": 0}), "times")
    yield Case(([{**first, "thread": 2}], 0, {**_beside(rng, 1, 2), "threads": [(1, 77), (2, 4711)]}), "threads")
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
    first = {"name": "aten::mm", "start": 2000, "end": 5000}
    two = {**_beside(rng, 1), "threads": [(1, 4711), (2, 77)]}
    for sequence_nr, thread in ((0, 1), (5, 2), (0, 0), (7, 0), (-1, 1), (-1, 0), (-4, 2)):
        yield Case(([{**first, "sequence_nr": sequence_nr}], 0, {**two, "fwd_threads": [thread]}), "sequence")
    for stack in (("train.py(3): step",), ("a;b", "c"), ("",)):
        yield Case(([{**first, "stack": stack}], 0, _beside(rng, 1)), "stack")
    yield Case(([{**first, "inputs": [("", [], [], None)]}], 0, _beside(rng, 1)), "inputs")
    every = {"sequence_nr": 3, "stack": ("a", "b"), "inputs": [("float", [2], [1], None), ("Scalar", [], [], 2)]}
    yield Case(([{**first, **every}], 0, {**two, "fwd_threads": [2]}), "inputs")
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
    call = {"name": "cudaLaunchKernel", "start": 2000, "end": 2900, "category": "cuda_runtime"}
    outer = {"name": "aten::mm", "start": 1000, "end": 5000}
    yield Case(([call], 0, _beside(rng, 1)), "launch")
    yield Case(([outer, call], 1, _beside(rng, 2, parents=[None, 0])), "launch")
    yield Case(([outer, {**call, "name": "a call"}], 1, _beside(rng, 2, parents=[None, 0])), "launch")
    yield Case(([outer, {**call, "category": "cpu_op"}], 1, _beside(rng, 2, parents=[None, None])), "no launch")
    yield Case(([outer, call], 0, _beside(rng, 2, parents=[None, 0])), "no launch")
    yield Case(([outer, outer, outer, call], 3, _beside(rng, 4, parents=[None, 0, 1, 2])), "launch")
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
        Aspect("ordinary", 1, _event_ordinary, findings=entries(*TOP, *FIRST, "Ev Idx")),
        Aspect("details", 1, _event_details, findings=entries(*DETAILS)),
        Aspect("launch", 1, _event_launch, findings=entries(*FIRST, "Ev Idx")),
    ),
    {
        **{
            name: f"{name!r} {is_what}"
            for name, is_what in {
                "ph": "is always 'X'",
                "cat": "is the category of the event, unchanged",
                "name": "is the name of the event",
                "pid": "is `context.pid`",
                "tid": "is the system's number of the thread: `context.tid(event.thread)`",
                "External id": "is number + 1; a launch has the number of the operator around it instead, "
                "`context.operator(number) + 1`",
                "Record function id": "is 0, and a launch has none: an event of category CUDA_RUNTIME",
                "cbid": "is 211, and only a launch has it: an event of category CUDA_RUNTIME, whatever its name",
                "correlation": "is number + 1, the launch's own, and only a launch has it",
                "Sequence number": "is there if `event.sequence_nr` is not negative; 0 is a sequence number, too",
                "Fwd thread id": "is `context.fwd_threads[number]` as it is, also 0, and is there only beside a "
                "sequence number",
                "Call stack": "is one text, the entries with ';' between them, and is there only if there are any",
                "Ev Idx": "is the number of the event itself, whatever it is in",
            }.items()
        },
        **dict.fromkeys(
            INPUTS, "`inputs_json(event.inputs)` makes four entries of 'args'; without inputs there are none"
        ),
        "other entries": "there is an entry that the docstring does not list",
        "ts": TIME,
        "dur": TIME,
        "times": "a plain event has three entries in 'args': 'External id', 'Record function id' and 'Ev Idx'",
        "number": "'External id' is the number and one, 'Ev Idx' the number itself, whatever the event is in",
        "threads": "'tid' is the system's number of the thread: `context.tid(event.thread)`",
        "sequence": "0 is a sequence number too; 'Fwd thread id', `context.fwd_threads[number]` as it is, is beside "
        "it, and only then",
        "stack": "the entries of the stack are one text, with ';' between them",
        "inputs": "`inputs_json(event.inputs)` makes the four entries; an event without inputs has none of them",
        "launch": "a launch, known by its category, carries the External id of the operator that it is in: "
        "`context.operator(number)`; 'correlation' and 'Ev Idx' are its own",
        "no launch": "only an event of category CUDA_RUNTIME is a launch, whatever its name",
        "type": "return a dict, with a dict under 'args'",
        "raised": "every recording here is sound: nothing to refuse",
    },
    probe="profiler.trace.event_json",
)


# ---- forward_backward_arrows


def _program(
    rng: random.Random, nodes: int, threads: int, has_inner: bool = False, has_outer: bool = False
) -> tuple[list[Fields], list[int]]:
    """Draw operators that make nodes, others between them, and then the backward pass, the last node first.

    Args:
        has_inner: some operators have another one inside that sees the same number.
        has_outer: around the formula of each node is the event of the engine that evaluates it.
    """
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
        if has_inner and rng.random() < 0.5:
            event(name="aten::mul", thread=thread, sequence_nr=sequence_nr)
        made.append((sequence_nr, thread))
    for sequence_nr, thread in reversed(made):
        at = rng.randint(1, threads)
        if has_outer:
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
        yield _arrows_case(rng, _program(rng, nodes, 1, has_outer=nodes > 1), 1, "formula" if nodes > 1 else "pair")
    for _ in range(4):
        operator, outer = {"name": "aten::mul", "start": 1000, "end": 1500, "sequence_nr": 4}, EVALUATE + "MulBackward0"
        named = {"name": outer, "start": 2000, "end": 2500, "sequence_nr": 4, "scope": rng.choice((0, 7))}
        node = {"name": rng.choice(NODES), "start": 2100, "end": 2400, "sequence_nr": 4, "scope": 1}
        yield _arrows_case(rng, ([operator, named], [0, 1]), 1, "formula")
        yield _arrows_case(rng, ([operator, named, node], [0, 1, 1]), 1, "formula")


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

    def later(one: Fields, by: int) -> Fields:
        return {**one, "start": one["start"] + by, "end": one["end"] + by}

    def case(about: str, *events: Fields) -> Case:
        return _arrows_case(rng, (list(events), [one.get("scope", 0) for one in events]), 1, about)

    again, next_node = later(operator, 4000), later(node, 2000)
    yield case("before", node, again)
    yield case("before", operator, node, again, next_node)
    yield case("before", node, again, next_node)
    inner, third = later(operator, 100), later(operator, 200)
    yield case("last operator", operator, inner, node)
    yield case("last operator", operator, inner, third, node)
    yield case("one arrow", operator, inner, node, next_node)
    yield case("one arrow", operator, inner, third, node, next_node)
    yield case("one arrow", operator, inner, third, node, next_node, later(node, 3000))
    yield case("one arrow", operator, node, next_node, later(node, 3000))
    yield case("one arrow", operator, node, next_node, later(operator, 6000), later(node, 7000))
    for number in (-1, -2, -7):
        yield case("no number", {**operator, "sequence_nr": number}, {**node, "sequence_nr": number})
    yield case("before", {**operator, "sequence_nr": 0}, {**node, "sequence_nr": 0})
    yield case("no operator", {**operator, "sequence_nr": 5}, node)
    for _ in range(9):
        events, forward = _program(rng, rng.randint(1, 4), 1, has_inner=True)
        yield _arrows_case(rng, (events, forward), 1, "last operator")
        twice, missing = dict(events[-1]), rng.randrange(len(events))
        twice["start"], twice["end"] = twice["start"] + 1000, twice["end"] + 1000
        yield _arrows_case(rng, ([*events, twice], [*forward, forward[-1]]), 1, "one arrow")
        kept = [number for number in range(len(events)) if number != missing]
        yield _arrows_case(rng, ([events[k] for k in kept], [forward[k] for k in kept]), 1, "no operator")
        first = {**events[0], "sequence_nr": -1}
        shown = {**first, "name": "MulBackward0", "scope": 1, "start": twice["end"] + 50, "end": twice["end"] + 90}
        yield _arrows_case(rng, ([first, *events, shown], [0, *forward, 1]), 1, "no number")


def _led(
    args: tuple,
    thread_of: Callable = lambda thread, fwd_thread: (thread, fwd_thread),
    replaces: bool = True,
    pops: bool = True,
    all_before: bool = True,
    scopes: tuple[int, ...] = (1,),
    numbers: Callable = lambda number: number >= 0,
    keeps_earlier: bool = False,
    is_node: Callable = lambda event: event.get("scope", 0) == 1 or event["name"].startswith(EVALUATE),
) -> list[tuple[float, float]]:
    """Compute the `ts` of the ends of the arrows by the rule, of which a part may be changed, in the nodes' order.

    Args:
        thread_of: (the thread of an event, the thread of its forward pass) -> the one under which an operator is kept,
            and the one under which it is sought.
        keeps_earlier: when an operator is taken, the one before it with its number may be found.
    """
    events, beside = args
    pairs = list(zip(events, beside["fwd_threads"], strict=True))
    waiting: dict[tuple, list[Fields]] = {}
    found: list[tuple[Fields, Fields]] = []

    def keep(event: Fields) -> None:
        kept = waiting.setdefault((thread_of(event.get("thread", 1), 0)[0], event.get("sequence_nr", -1)), [])
        if not keeps_earlier and kept:
            kept[:] = [event] if replaces else kept
        else:
            kept.append(event)

    if not all_before:
        for event in events:
            if numbers(event.get("sequence_nr", -1)) and not is_node(event):
                keep(event)
    for event, fwd_thread in pairs:
        if not numbers(event.get("sequence_nr", -1)):
            continue
        if not is_node(event):
            if all_before:
                keep(event)
        elif event.get("scope", 0) in scopes:
            key = thread_of(event.get("thread", 1), fwd_thread)[1], event.get("sequence_nr", -1)
            if waiting.get(key):
                found.append(((waiting[key].pop if pops else waiting[key].__getitem__)(-1), event))
    return [tuple(round((end["start"] + beside["zero"]) / 1000, FIGURES) for end in pair) for pair in found]


def _leads(**changed: Any) -> Callable:
    """Build a `Mistake.shows`: the arrows of the answer follow a changed rule."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        if "ts" in got.value:
            ends = list(zip(got.value["ts"][::2], got.value["ts"][1::2], strict=True))
            return got.value["ts"] != wanted.value["ts"] and ends == _led(args, **changed)
        return _ends(got) != _ends(wanted) and _ends(got) == sorted(map(sorted, _led(args, **changed)))

    return shows


def _ends(one: Any, entry: int = 1) -> list[list]:
    """Return for each arrow the `ts` of its ends, or their "tid"."""
    return sorted(sorted(end[entry] for end in pair) for pair in one.value["arrows between (tid, ts)"])


def _turned(args: tuple, wanted: Any, got: Any) -> bool:
    right, mine = wanted.value["ts"], got.value["ts"]
    return mine != right and (mine[::2], mine[1::2]) == (right[1::2], right[::2])


ARROW_MISTAKES = (
    ("sequence numbers are counted by each thread: look for an operator with the number *and* the thread",
     {"thread_of": lambda thread, fwd_thread: (0, 0)}),
    ("the operator ran on the thread of the forward pass, `context.fwd_threads` of the node's event, which need not be "
     "the node's own", {"thread_of": lambda thread, fwd_thread: (thread, thread)}),
    ("if several operators have the number, the arrow begins at the last one before the node", {"replaces": False}),
    ("an operator has at most one arrow: once a node has taken it, it is gone", {"pops": False}),
    ("when the last operator with the number is taken, an earlier one with the number gets no arrow: it made no node",
     {"keeps_earlier": True}),
    ("look for the operator among the events before the node", {"all_before": False}),
    ("of the events of the backward pass only those whose scope is 1 have an arrow, not the event around the formula",
     {"scopes": (0, 1, 7)}),
    ("the event around the formula is no operator: an arrow begins at none of the backward pass, `is_backward(event)`",
     {"is_node": lambda event: event.get("scope", 0) == 1}),
    ("a negative sequence number is none: such an event has no part in this", {"numbers": lambda number: True}),
    ("0 is a sequence number, too", {"numbers": lambda number: number > 0}),
)  # fmt: skip

FORWARD_BACKWARD_ARROWS = Check(
    "profiler.chrome_trace.forward_backward_arrows",
    ("events", "beside"),
    (
        Aspect("ordinary", 3, _arrows_ordinary, findings=columns),
        Aspect("threads", 1, _arrows_threads, findings=arrows),
        Aspect("rare", 2, _arrows_rare, findings=arrows),
    ),
    {
        "number of dicts": "an arrow is two dicts; there is one for each node of scope 1 whose operator is found",
        "none": "if no node ran there is no arrow: an empty list",
        "pair": "'s' is at the operator's start and 'f' at the node's: an arrow runs from forward to backward",
        "ph": "an arrow is two dicts in a row: first its 's', then its 'f'",
        "id": "arrows are numbered from 1 in the order of the nodes, and both ends have the number",
        "name": "'name' and 'cat' are 'fwdbwd'",
        "cat": "'name' and 'cat' are 'fwdbwd'",
        "pid": "'pid' is `context.pid`, at both ends",
        "tid": "'tid' is `context.tid` of the thread of the event at that end",
        "ts": "'ts' is `context.us` of a start: at the 's' of the operator, at the 'f' of the node's event of scope 1",
        "bp": "the 'f' has a 'bp', which is 'e', the 's' has none",
        "other entries": "there is an entry that the docstring does not list",
        "arrows between (tid, ts)": "an arrow leads from the operator that made the node to the event of the node",
        "threads": "each thread counts its own sequence numbers, from 0: look for the operator on the *forward* thread",
        "before": "look for the operator among the events before the node",
        "last operator": "if several operators have the number, the arrow begins at the last one before the node",
        "one arrow": "an operator has at most one arrow: the first node takes it, and the next one finds no other",
        "formula": "only backward events in scope 1 have an arrow: test `event.scope == 1`",
        "no operator": "the operator may have run before the profile began: then there is no arrow",
        "no number": "a negative number is not a sequence number: skip such an event",
        "type": "return a list of dicts",
        "raised": "every recording here is sound: nothing to refuse",
    },
    probe="profiler.trace.arrows",
    mistakes=(
        Mistake("the arrow leads the wrong way: 's' is at the operator's start, 'f' at the node's", _turned),
        *told_apart(*(Mistake(says, _leads(**changed)) for says, changed in ARROW_MISTAKES)),
        Mistake(
            "'tid' is `context.tid` of the thread of the event at that end",
            lambda args, wanted, got: _ends(got) == _ends(wanted) and _ends(got, 0) != _ends(wanted, 0),
        ),
    ),
)

CHECKS = (EVENT_JSON, FORWARD_BACKWARD_ARROWS)
