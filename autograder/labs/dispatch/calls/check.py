"""Check of the dispatcher that a student writes (engine/dispatch/dispatcher.py)."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.examine.hints import SLIPS
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.dispatch.calls.probe import ERRORS, OTHER_KEYS

STOPS, LOOKS, ON, BOXED, FALLS, RAISES = "stops", "looks", "goes on", "goes on boxed", "falls through", "raises"
RUN = "callBoxed"  # the label under which a case begins with `run`
LADDER = [("AutogradCPU", ON), ("CPU", STOPS)]


def _case(
    about: str,
    kernels: Sequence[tuple[str, str]],
    arguments: Sequence[Any] = ("cpu",),
    start: Any = "call",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    later: Sequence[tuple[str, str]] = (),
) -> Case:
    return Case((start, [*kernels], [*arguments], [*include], [*exclude], [*later]), about)


def _call(rng: random.Random) -> Iterator[Case]:
    yield _case("highest", [("CPU", STOPS)])
    yield _case("highest", [("AutogradCPU", STOPS), ("CPU", STOPS)])
    yield _case("all arguments", [("CPU", STOPS), ("Meta", STOPS)], [3, "cpu", "meta", None])
    yield _case("all arguments", [("CPU", STOPS), ("Meta", STOPS)], [["cpu", None, "meta"], "x"])
    yield _case("thread", [("Tracer", STOPS), ("CPU", STOPS)], include=["Tracer"])
    yield _case("thread", LADDER, exclude=["AutogradCPU"])
    yield _case("thread", [("BackendSelect", STOPS)], [2.5, True])
    yield _case("thread", [("Tracer", STOPS), ("CPU", STOPS)], include=["Tracer"], exclude=["Tracer"])
    yield _case("now", [("CPU", STOPS)], later=[("AutogradCPU", STOPS)])
    yield _case("now", [("CompositeImplicitAutograd", STOPS)], later=[("CPU", RAISES)])
    for _ in range(20):
        arguments = [rng.choice(("cpu", "meta", 1, None, ["cpu", "cpu"], ["meta"])) for _ in range(rng.randint(1, 3))]
        alias = rng.choice(("CompositeExplicitAutograd", "CompositeImplicitAutograd"))
        yield _case("all arguments", [(alias, STOPS), ("BackendSelect", STOPS)], arguments)


def _redispatch(rng: random.Random) -> Iterator[Case]:
    yield _case("set alone", [("CPU", STOPS)], ["cpu"], ["CPU"])
    yield _case("set alone", [("CPU", STOPS), ("Meta", STOPS)], ["meta"], ["CPU"])
    yield _case("set alone", LADDER, ["cpu"], ["CPU"])
    yield _case("set alone", [("Tracer", STOPS), ("CPU", STOPS)], ["cpu"], ["CPU"], include=["Tracer"])
    yield _case("set alone", LADDER, ["cpu"], ["CPU", "AutogradCPU"], exclude=["AutogradCPU"])
    yield _case("label", LADDER, ["cpu"], ["callBoxed", "CPU", "AutogradCPU"])
    yield _case("goes on", LADDER)
    yield _case("goes on", [("AutogradCPU", BOXED), ("CPU", STOPS)])
    yield _case("goes on", [("Tracer", ON), ("AutogradCPU", ON), ("ADInplaceOrView", ON), ("CPU", STOPS)],
                include=["Tracer"])  # fmt: skip
    for _ in range(20):
        ladder = [(key, rng.choice((ON, BOXED))) for key in rng.sample(("Tracer", "AutogradCPU", "ADInplaceOrView"), 2)]
        keys = ["CPU", *(key for key, _ in ladder)]
        yield _case("goes on", [*ladder, ("CPU", STOPS)], [rng.choice(("cpu", "meta", 1))], keys)


def _fallthrough(rng: random.Random) -> Iterator[Case]:
    yield _case("falls through", [("AutogradCPU", FALLS), ("CPU", STOPS)])
    yield _case("falls through", [("Tracer", LOOKS), ("AutogradCPU", FALLS), ("CPU", STOPS)], include=["Tracer"])
    yield _case("kept", [("AutogradCPU", LOOKS), ("ADInplaceOrView", FALLS), ("CPU", STOPS)])
    yield _case("kept", [("AutogradCPU", LOOKS), ("CPU", STOPS)])
    yield _case("falls through", [("AutogradCPU", FALLS), ("CPU", STOPS)], ["cpu"], [RUN, "CPU", "AutogradCPU"])
    for _ in range(25):
        keys = rng.sample(("Tracer", "AutogradCPU", "ADInplaceOrView", "Functionalize"), 3)
        kernels = [(key, rng.choice((FALLS, LOOKS))) for key in keys]
        yield _case("kept", [*kernels, ("CPU", LOOKS)], ["cpu", 1], [RUN, "CPU", *keys])


def _kernels(rng: random.Random) -> Iterator[Case]:
    """Yield cases about what kernels return and raise, and about the caller's list."""
    for error in ("", *ERRORS):
        raises = f"{RAISES} {error}".strip()
        yield _case("raises", [("CPU", raises)])
        yield _case("raises", [("AutogradCPU", raises), ("CPU", STOPS)])
        yield _case("raises", [("AutogradCPU", FALLS), ("CPU", raises)])
    for value in ("None", "False", "()", "(1,)", "[2]"):
        yield _case("gives", [("CPU", f"gives {value}")], ["cpu", 1])
        yield _case("gives", [("AutogradCPU", FALLS), ("CPU", f"gives {value}")], ["cpu"])
    for key in rng.sample(("Meta", "CUDA", "PrivateUse1"), 2):
        yield _case("raises", [(key, RAISES), ("CPU", STOPS)], ["cpu", rng.randint(1, 9)], [RUN, key, "CPU"])


def _refusals(rng: random.Random) -> Iterator[Case]:
    yield _case("no kernel", [("Meta", STOPS)])
    yield _case("no kernel", [("CPU", STOPS)], [1, 2])
    yield _case("no kernel", [], ["cpu"], [RUN, "CPU"])
    yield _case("stays", [("CPU", STOPS)], ["cpu"], [RUN, "CPU", "CUDA"])
    yield _case("stays", [("CPU", STOPS)], ["cpu"], [RUN, "CPU", "AutogradCPU", "Python"])
    yield _case("only falls through", [("CPU", FALLS), ("Undefined", FALLS)], ["cpu"], [RUN, "CPU"])
    yield _case("only falls through", [("Undefined", FALLS)], [1], [RUN])
    yield _case(
        "ambiguous", [("CompositeImplicitAutograd", STOPS), ("QuantizedCPU", STOPS)], [1], [RUN, "AutogradOther"]
    )
    for key in rng.sample(("CUDA", "Meta", "PrivateUse1", "QuantizedCPU"), 4):
        number = rng.randint(1, 99)
        yield _case("no kernel", [("CPU", STOPS)], ["cpu"], [RUN, key])
        yield _case("no kernel", [("AutogradCPU", STOPS)], [["cpu"], None], [RUN, key])
        yield _case("no kernel", [("Tracer", FALLS), ("CPU", STOPS)], [number], [RUN, key, "Tracer"])
        yield _case(
            "no kernel", [("Functionalize", FALLS), ("CPU", STOPS)], ["cpu", number], [RUN, key, "Functionalize"]
        )
        yield _case("only falls through", [(key, FALLS), ("Undefined", FALLS)], ["cpu"], [RUN, key])
        yield _case("ambiguous", [("CompositeImplicitAutograd", STOPS), ("QuantizedCPU", STOPS), (key, STOPS)],
                    ["cpu"], [RUN, "AutogradOther"])  # fmt: skip


def _of_kernels(args: tuple, calls: list) -> list:
    """Return calls without labels and the caller's list, which other aspects compare."""
    return [{"ran": _without_labels(call), "end": call["end"]} for call in calls]


def _of_results(args: tuple, calls: list) -> list:
    return [call | {"ran": _without_labels(call)} for call in calls]


def _without_labels(call: dict) -> list:
    return [("kernel", *step[1:]) for step in call["ran"]]


def _of_labels(args: tuple, calls: list) -> list:
    return [{"ran": call["ran"], "end": call["end"]} for call in calls]


def _labels(result: dict) -> list:
    return [step[0] for step in result["ran"]]


def _steps(what: Callable[[dict], Any]) -> Callable:
    """Build a `Mistake.shows`: the right kernels ran, and `what` of the first call that differs is wrong."""
    return _calls(lambda right, given: _ran(right) == _ran(given) and what(right) != what(given))


def _calls(are: Callable[[dict, dict], bool]) -> Callable:
    """Build a `Mistake.shows` about the first call that differs, as it should be and as it is."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        return are(*next((a, b) for a, b in zip(wanted.value, got.value, strict=True) if a != b))

    return shows


def _ran(call: dict) -> list:
    return [step[1] for step in call["ran"]]


def _is_refused(right: dict) -> bool:
    return right["end"] in (("raised", "NotImplementedError"), ("raised", "RuntimeError"))


def _both_return(right: dict, given: dict) -> bool:
    return right["end"][0] == given["end"][0] == "returned"


def _refusal(ends: Callable[[tuple, tuple], bool]) -> Callable:
    """Build a `Mistake.shows`: a call that should be refused after the same kernels ends as `ends` tells."""
    return _calls(
        lambda right, given: _is_refused(right) and _ran(right) == _ran(given) and ends(right["end"], given["end"])
    )


_meets_none = _calls(lambda right, given: _is_refused(right))

MISTAKES = (
    Mistake(
        "an error of the kernel goes through as it is: `run` neither catches it nor makes another one of it",
        _calls(lambda right, given: right["end"][-1].endswith("of the kernel") and right["end"] != given["end"]
               and _ran(right)[:1] == _ran(given)[:1]),
    ),
    Mistake(
        "`refusal(entry, key, origin)` returns the error: it has to be raised, or the kernel that is None is called",
        lambda args, wanted, got: "NoneType" in got.message and _meets_none(args, wanted, got),
    ),
    Mistake(
        "`redispatch` runs the keys that it is given and no others: neither the arguments nor the thread add a key or "
        "take one away",
        lambda args, wanted, got: got.message == OTHER_KEYS,
    ),
    Mistake(
        "the kernel is not given the call's arguments: hand over each by position, in their order: "
        "`runnable(...)(*arguments)`",
        _calls(lambda right, given: any(step[-1:] == ("other arguments",) for step in given["ran"])),
    ),
    Mistake(
        "there is no kernel to run at this key: `refusal(entry, key, origin)` returns the error, `run` has to raise it",
        _refusal(lambda right, given: given[0] == "returned"),
    ),
    Mistake(
        "it is right to refuse this, but not with this error: `refusal(entry, key, origin)`, with the key and the "
        "origin of the table's entry, returns the right one",
        _refusal(lambda right, given: given != right and given[1] not in SLIPS),
    ),
    Mistake(
        "this is refused, but there is a kernel to run: the highest key of `kept` has it, in the table of this moment",
        _calls(
            lambda right, given: (
                right["end"][0] == "returned"
                and given["end"] in (("raised", "NotImplementedError"), ("raised", "RuntimeError"))
            )
        ),
    ),
    Mistake(
        "the right kernels ran, but under another label: a call is \"call\", what goes on is \"redispatch\"",
        _steps(_labels),
    ),
    Mistake("the right kernels ran; what they return is not what comes back",
            _calls(lambda right, given: _ran(right) == _ran(given) and _both_return(right, given)
                   and right["end"] != given["end"])),
    Mistake("`arguments` was changed; other kernels of the call still need it",
            _steps(lambda result: result["arguments"])),
    Mistake(
        "a kernel that wants the key set is given `kept`, the set without what falls through: `runnable` hands it over",
        _steps(lambda result: [step[2:] for step in result["ran"]]),
    ),
)  # fmt: skip

DISPATCHER = Check(
    "dispatch.dispatcher.Dispatcher",
    ("start", "kernels", "arguments", "include", "exclude", "later"),
    (
        Aspect("call", 4, _call, findings=_of_kernels),
        Aspect("redispatch", 4, _redispatch, findings=_of_labels),
        Aspect("fallthrough", 3, _fallthrough, findings=_of_kernels),
        Aspect("kernels", 2, _kernels, findings=_of_results),
        Aspect("refusals", 3, _refusals, needs="kernels", findings=_of_kernels),
    ),
    {
        "highest": "the call goes to the kernel at the highest key of its set",
        "all arguments": "the keys of a call are the union over all its arguments, lists included",
        "thread": "the thread adds keys to a call, and takes keys away",
        "now": "the table is looked up at each call: a kernel that was registered meanwhile counts",
        "raises": "an error of the kernel goes through as it is, of whatever type, and no other kernel runs",
        "gives": "what the kernel returns comes back as it is, None and an empty tuple too",
        "stays": "a key without a kernel is refused, even if a lower key of the set has one",
        "set alone": "redispatch takes its key set as it is: neither arguments nor thread count",
        "label": "`run` takes its key set and its label as they are",
        "goes on": "what a kernel passes on runs at the highest key of the set that it passes",
        "falls through": "a functionality that falls through is left out before the highest key is looked for",
        "kept": "the kernel is given the set without what falls through, below it too",
        "no kernel": "the table has None for this key: raise what `refusal` returns",
        "only falls through": "what is left at the end is a fallthrough: raise what `refusal` returns, don't run it",
        "ambiguous": "the table has None for this key, and says why: `refusal` wants the origin",
        "returned None": "the function ends without `return`",
    },
    probe="dispatch.calls.visits",
    mistakes=MISTAKES,
    program="dispatch.calls.program_on_it",
    words={
        "raises": "this kernel raises an error of this kind, or a ZeroDivisionError",
        "looks": "this kernel is given the key set, and returns",
        "goes on": "this kernel is given the key set, and redispatches to the keys below its own",
        "goes on boxed": "the same, for a kernel that is given the operator too",
    },
)

CHECKS = (DISPATCHER,)
