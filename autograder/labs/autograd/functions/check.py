"""Check of record: one call of a Function, from its arguments to its results with history."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check
from autograder.examine.plain_data import equal
from autograder.labs.autograd.script.cases import numbers

X = ((2,), [2, 3], True)
Y = ((2,), [5, 7], True)
FIXED = ((2,), [5, 7], False)


def _input(rng: random.Random, size: int, requires_grad: bool = True) -> tuple:
    return ((size,), numbers(rng, size), requires_grad)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for name in ("square", "cube", "exp", "one", "same"):
        yield Case(([X], [(name, "0")], [1, 10]), "chain")
        yield Case(([FIXED], [(name, "0")], None), "nothing requires grad")
        yield Case(([X], [("no_grad",), (name, "0")], None), "unrecorded")
    yield Case(([X], [("scale", 3.0, "0")], [1, 10]), "a number")
    yield Case(([X], [("lists", "0")], None), "list")
    yield Case(([X], [("empty", "0")], None), "tuple")
    yield Case(([X], [("square", "0"), ("lists", "a")], None), "list")
    for name in ("square", "same"):
        yield Case(([((2,), [2, 3], "view")], [(name, "0")], None), "view")
    yield Case(([X, Y], [("both", "0", "1")], [1, 10]), "tuple")
    for _ in range(34):
        size = rng.randint(1, 3)
        inputs = [_input(rng, size), _input(rng, size, rng.random() < 0.6)]
        names, calls, about = ["0", "1"], [], "chain"
        for at in range(rng.randint(1, 3)):
            name = rng.choice(("square", "cube", "scale", "both", "one", "same"))
            first = names[-1] if at else rng.choice(("0", "0", "1"))
            calls.append({"scale": ("scale", float(rng.randint(2, 5)), first),
                          "both": ("both", first, rng.choice(names))}
                         .get(name, (name, first)))  # fmt: skip
            about = {"scale": "a number", "both": "tuple", "one": "tuple"}.get(name, about)
            names.append("abcdefgh"[at])
        yield Case((inputs, calls, numbers(rng, size)), about)


def _saved(rng: random.Random) -> Iterator[Case]:
    yield Case(([X], [("exp", "0"), ("drop", "a")], None), "cycle")
    yield Case(([X], [("square", "0"), ("write", "0")], None), "written")
    yield Case(([X], [("square", "0"), ("scale", 1.0, "a"), ("write", "0")], [1, 1]), "written")
    yield Case(([X], [("square", "0"), ("scale", 1.0, "a"), ("write", "a")], None), "written")
    yield Case(([X], [("keeps", "0")], [1, 10]), "returned as it is")
    yield Case(([X], [("cube", "0"), ("keeps", "a")], [1, 10]), "returned as it is")
    yield Case(([X, Y], [("both", "0", "1"), ("keeps", "a"), ("drop", "b")], None), "cycle")
    yield Case(([X], [("number", "0")], None), "not a tensor")
    yield Case(([FIXED], [("number", "0")], None), "nothing requires grad")
    yield Case(([X], [("no_grad",), ("number", "0")], None), "nothing requires grad")
    for _ in range(38):
        size = rng.randint(1, 3)
        name = rng.choice(("square", "cube", "exp", "both", "scale"))
        extra = {"both": ("0", "1"), "scale": (float(rng.randint(2, 5)), "0", rng.choice(("1", None)))}.get(
            name, ("0",)
        )
        inputs = [_input(rng, size), _input(rng, size)]
        kind = rng.choice(("cycle", "written", "unrecorded", "twice"))
        calls = [(name, *extra)]
        if kind == "cycle":
            yield Case((inputs, [*calls, ("drop", "a")], None), "cycle")
        elif kind == "written":
            yield Case((inputs, [("write", rng.choice("01")), *calls, ("square", "a"), ("write", rng.choice("01a")),
                                 ("scale", 1.0, "b")], numbers(rng, size)), "written")  # fmt: skip
        elif kind == "unrecorded":
            yield Case((inputs, [("no_grad",), *calls, ("grad",), ("square", "a")], None), "unrecorded")
        else:
            yield Case((inputs, [*calls, (name, *extra), ("both", "a", "b")], numbers(rng, size)), "saved")


def _modes(rng: random.Random) -> Iterator[Case]:
    for name in ("fails", "fails later", "interrupted"):
        yield Case(([X], [(name, "0"), ("square", "0")], [1, 10]), "raises")
        yield Case(([X], [("no_grad",), (name, "0"), ("square", "0")], None), "raises")
        yield Case(([FIXED], [(name, "0"), ("square", "0")], None), "raises")
    for _ in range(8):
        size = rng.randint(1, 3)
        inputs = [_input(rng, size, rng.random() < 0.7)]
        yield Case((inputs, [("fails", "0"), ("square", "0")], None), "raises")
        yield Case((inputs, [("no_grad",), ("fails", "0"), ("square", "0")], None), "raises")
        yield Case((inputs, [("cube", "0"), ("no_grad",), ("cube", "0")], None), "no_grad inside")
        yield Case((inputs, [("scale", 2.0, "0"), ("square", "a")], None), "no_grad inside")


def _differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    inputs, calls, _ = args
    keys = [*wanted, *(key for key in got if key not in wanted)]
    key = next(key for key in keys if not equal(wanted.get(key), got.get(key)))
    right: Any = wanted.get(key)
    given: Any = got.get(key)
    call, _, field = key.partition(" / ")
    function = calls[int(call.partition(":")[0]) - 1][0] if call[:1].isdigit() else ""
    is_error = type(right) is tuple and right[:1] == ("raised",)
    if is_error and type(given) is tuple and right[:2] == given[:2]:
        yield "raises"
    elif is_error:
        yield "not a tensor" if function == "number" else "written"
    elif field == "type" or (function == "lists" and field == "values"):
        yield "list" if function == "lists" else "tuple"
    elif function == "lists" and field in ("requires_grad", "nodes"):
        yield "no history of a list"
    elif field in ("requires_grad", "nodes"):
        yield _of_history(inputs, call, field, right, given)
    elif key == "noted":
        yield _of_notes(right, given)
    else:
        by_key = {"drop": "cycle", "ctx.saved": "saved", "grad mode afterwards": "raises", "output_nr": "chain",
                  "is input": "chain", "backward": "written", "values": "values"}  # fmt: skip
        yield by_key.get(function) or by_key.get(field or key, "chain")


def _of_history(inputs: list, call: str, field: str, right: Any, given: Any) -> str:
    """Return why a result has a history and should not, or the other way round."""
    if (
        given
        and right
        and len(given) == len(right)
        and (field == "nodes" and given[0] is not None and right[0] is None)
    ):
        return "unrecorded" if any(requires for _, _, requires in inputs) else "nothing requires grad"
    if any(requires == "view" for _, _, requires in inputs):
        return "view"
    if any(one and not other for one, other in zip(right or (), given or (), strict=False)):
        return "recorded"
    return "unrecorded" if given == [True] and right == [False] else "chain"


def _of_notes(right: list, given: list) -> str:
    """Return what is wrong in the first note of forward or backward that differs: the grad mode, or a saved tensor."""
    nothing: tuple = (), ()
    one, other = next(
        ((one, other) for one, other in zip(right, given, strict=False) if not equal(one, other)), nothing
    )
    if not one:
        return "once"
    if type(one[0]) is not tuple or one[0][0] != "back":
        is_edges = one[1] == other[1] and one[0][0] == other[0][0] == "square"
        return "edges" if is_edges else "no_grad inside"
    return "returned as it is" if len(one[0]) == 4 and one[0][2] != other[0][2] else "saved"


RECORD = Check(
    "autograd.function.record",
    ("inputs", "calls", "cotangents"),
    (
        Aspect("ordinary", 2, _ordinary),
        Aspect("saved", 1, _saved, needs="ordinary"),
        Aspect("modes", 1, _modes, needs="ordinary"),
    ),
    {
        "chain": "the results are those that wrap_outputs returned: only they have the node",
        "values": "what comes back are the results of `forward`, as wrap_outputs has returned them",
        "recorded": "a history is missing: where the grad mode is on, one input that requires grad is enough for the "
        "call to be recorded, and the results that wrap_outputs returned have the node. Inside of `with no_grad():` "
        "the mode is always off",
        "edges": "`is_executable` is False where the call is not recorded: the node gets no edges then",
        "a number": "an argument may be anything: ask for requires_grad of tensors only",
        "tuple": "a tuple comes back as a tuple, also with one element or none; a single value as it is",
        "list": "only a tuple is several results: a list is a single value, which wrap_outputs passes on without "
        "history",
        "no history of a list": "a list is a single value that wrap_outputs passes on: what is in it has no "
        "history, since "
        "`forward` runs unrecorded, in `with no_grad():`",
        "view": "`variable.requires_grad` says whether an input requires grad, also of a view that nothing recorded; "
        "and `state.grad_mode` is asked before `with no_grad():`, inside of which it is always off",
        "nothing requires grad": "nothing requires grad: nothing is recorded or saved",
        "unrecorded": "where the grad mode is off nothing is recorded, and nothing saved",
        "cycle": "a result that is saved is an output of the node: SavedVariable must know, or both stay alive",
        "written": "what was saved is compared with its version: save after wrap_outputs, by SavedVariable",
        "saved": "ctx.saved is a tuple with a SavedVariable for each of tensors_to_save, where the call is recorded",
        "returned as it is": "`is_output` is asked of the wrapped results, by `is`: an input that `forward` returns "
        "as it is "
        "becomes another object there",
        "not a tensor": "tensors_to_save refuses what is no tensor, where the call is recorded",
        "raises": "an error in `forward` goes on its way, of whatever kind, and the grad mode is as it was",
        "once": "`forward` runs once for each call, and `backward` once for each pass",
        "no_grad inside": "`forward` runs unrecorded, in `with no_grad():`",
    },
    probe="autograd.functions.trace",
    differs=_differs,
    words={
        "square": "('square', '0'): x * x of input 0, which is saved; results are called 'a', 'b', ...",
        "cube": "('cube', '0'): x * x * x, with a setup_context that saves x",
        "exp": "('exp', '0'): saves its result",
        "scale": "('scale', 3.0, '0'): 3 * x; saves None, x, and a third argument",
        "both": "('both', '0', '1'): returns (x + y, 'a word', x * y); saves x, y and the sum",
        "one": "('one', '0'): returns a tuple of one",
        "same": "('same', '0'): returns x as it is",
        "keeps": "('keeps', '0'): saves x and returns it as it is",
        "lists": "('lists', '0'): returns a list",
        "empty": "('empty', '0'): returns ()",
        "number": "('number', '0'): saves 2.0, which is no tensor",
        "fails": "('fails', '0'): forward raises ValueError",
        "fails later": "('fails later', '0'): setup_context raises ValueError",
        "interrupted": "('interrupted', '0'): forward raises an error outside of Exception, as KeyboardInterrupt is",
        "no_grad": "('no_grad',) switches the grad mode off, ('grad',) on",
        "write": "('write', '0') multiplies input 0 by 2 in place, in no_grad",
        "drop": "('drop', 'a') is del a; True: its node is gone, too",
        "view": "an input that is a view, made in no_grad, of a leaf that requires grad",
    },
    program="autograd.program.without_own_operators",
)

CHECKS = (RECORD,)
