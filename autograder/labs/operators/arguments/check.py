"""Check of the argument parser: what a call gives to each parameter of a signature, or why it does not fit."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check

NEG = "neg(Tensor input, *, Tensor out=None)"
SCALE = "scale(Tensor input, Scalar factor=2, *, Tensor out=None)"
ADD = "add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)"
LERP = "lerp(Tensor input, Tensor end, Tensor weight, *, Tensor out=None)"
SUM = "sum(Tensor input, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor out=None)"
CLAMP = "clamp(Tensor input, Scalar? min=None, Scalar? max=None, *, Tensor out=None)"
SOFTMAX = "softmax(Tensor input, int dim, ScalarType? dtype=None)"
TRANSPOSE = "transpose(int dim0, int dim1)"
NORM = "norm(Tensor input, Scalar p=2, int[1] dim, bool keepdim=False)"
STACK = "stack(Tensor[] tensors, int dim=0, *, Tensor out=None)"
VIEW = "view(int[] size)"
PERMUTE = "permute(int[] dims)"
ZEROS = "zeros(int[] size, *, Tensor out=None, ScalarType? dtype=None)"
SQUEEZE = "squeeze(int[1] dim)"
TILE = "tile(int[]? dims=None)"
SIGNATURES = (NEG, SCALE, ADD, LERP, SUM, CLAMP, SOFTMAX, TRANSPOSE, NORM, STACK)
TENSOR, PAIR = {"tensor": (2, 3)}, {"tensor": (2,)}
WRONG: dict[str, tuple] = {
    "Tensor": (1, "x", [1]),
    "Scalar": ("2", None, [2]),
    "int": (1.5, "0", True),
    "bool": (1, None, "True"),
    "int[]": ("2", 1.5, ["a"]),
    "ScalarType": ("float", 1),
    "Tensor[]": (1, "ab"),
}
NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims", "input": "x", "other": "x2"}


def _parameters(signature: str) -> list[tuple[str, str, str, bool, bool]]:
    """(type, text of the type, name, has a default, by keyword only) of each parameter."""
    inside = signature.partition("(")[2].rpartition(")")[0]
    found, by_keyword = [], False
    for entry in inside.split(", "):
        if entry == "*":
            by_keyword = True
            continue
        shown, _, rest = entry.partition(" ")
        name, default, _ = rest.partition("=")
        kind = shown.rstrip("?")
        kind = "int[]" if kind.startswith("int[") else kind
        found.append((kind, shown, name, bool(default), by_keyword))
    return found


def _value(rng: random.Random, kind: str, shown: str) -> Any:
    """A value that fits."""
    if shown.endswith("?") and rng.random() < 0.25:
        return None
    return {
        "Tensor": {"tensor": (rng.randint(1, 4), rng.randint(1, 4))},
        "Scalar": rng.choice((rng.randint(2, 9), 0.5, True)),
        "int": rng.randint(-3, 3),
        "bool": rng.random() < 0.5,
        "int[]": rng.randint(0, 3)
        if shown.startswith("int[1]") and rng.random() < 0.5
        else rng.choice((list, tuple))(rng.randint(0, 4) for _ in range(rng.randint(0, 3))),
        "ScalarType": {"dtype": rng.choice(("float32", "int64"))},
        "Tensor[]": [TENSOR, PAIR],
    }[kind]


def _call(rng: random.Random, signature: str, aliases: bool = False) -> tuple[list, dict[str, Any]]:
    """A call that fits: some arguments by position, the others by keyword or left out."""
    parameters = _parameters(signature)
    positional = sum(not by_keyword for *_, by_keyword in parameters)
    given = rng.randint(0, positional)
    args, kwargs = [], {}
    for place, (kind, shown, name, has_default, _) in enumerate(parameters):
        if place < given:
            args.append(_value(rng, kind, shown))
        elif not has_default or rng.random() < 0.5:
            alias = NUMPY_NAMES.get(name, name) if aliases and rng.random() < 0.5 else name
            kwargs[alias] = None if name == "out" and rng.random() < 0.3 else _value(rng, kind, shown)
    return args, kwargs


def _shuffled(rng: random.Random, kwargs: dict[str, Any]) -> dict[str, Any]:
    return dict(rng.sample(list(kwargs.items()), len(kwargs)))


def _ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case((NEG, (TENSOR,), {}), "positional")
    yield Case((NEG, (), {"input": TENSOR}), "keyword")
    yield Case((SCALE, (TENSOR,), {}), "default")
    yield Case((SCALE, (TENSOR, 3), {}), "positional")
    yield Case((SCALE, (TENSOR,), {"factor": 3}), "keyword")
    yield Case((SCALE, (TENSOR,), {"out": PAIR}), "default")
    yield Case((SCALE, (), {"factor": 3, "input": TENSOR}), "keyword")
    yield Case((NEG, (), {"x": TENSOR}), "NumPy")
    yield Case((SUM, (TENSOR,), {"axis": 1, "keepdims": True}), "NumPy")
    yield Case((SUM, (TENSOR, None), {}), "None")
    yield Case((CLAMP, (TENSOR, None, 3), {}), "None")
    yield Case((NEG, (TENSOR,), {"out": None}), "None")
    yield Case((CLAMP, (TENSOR,), {"max": 0}), "default")
    yield Case((SCALE, (TENSOR, 0), {}), "positional")
    yield Case((SCALE, (TENSOR,), {"factor": 0}), "keyword")
    yield Case((SUM, (TENSOR, [], False), {}), "positional")
    yield Case((SUM, (TENSOR,), {"dim": (), "keepdim": False}), "keyword")
    for signature in SIGNATURES * 4:
        args, kwargs = _call(rng, signature)
        yield Case((signature, tuple(args), _shuffled(rng, kwargs)), "keyword" if kwargs else "positional")
    for signature in (NEG, SUM, ADD, SOFTMAX, NORM) * 2:
        args, kwargs = _call(rng, signature, aliases=True)
        yield Case((signature, tuple(args), _shuffled(rng, kwargs)), "NumPy")


def _spread(rng: random.Random) -> Iterator[Case]:
    for signature, args, kwargs, about in [
        (VIEW, ((2, 3),), {}, "list"), (VIEW, ([2, 3],), {}, "list"), (VIEW, (2, 3), {}, "spread"),
        (VIEW, (6,), {}, "spread"), (VIEW, ((),), {}, "list"), (VIEW, (), {}, "nothing"),
        (VIEW, (), {"size": (2,)}, "list"),
        (VIEW, ((2, 3), (4,)), {}, "too many"), (VIEW, (2, 3), {"size": (2,)}, "twice"),
        (VIEW, ("a", 2), {}, "too many"),
        (VIEW, ("a",), {}, "wrong"), (VIEW, (2, "a"), {}, "spread"), (VIEW, (None,), {}, "wrong"),
        (PERMUTE, (1, 0, 2), {}, "spread"), (PERMUTE, (-1, 0), {}, "spread"), (TRANSPOSE, (1, 0, 2), {}, "too many"),
        (TRANSPOSE, ((1, 0),), {}, "wrong"), (SQUEEZE, (1,), {}, "one number"), (SQUEEZE, (1, 2), {}, "too many"),
        (SQUEEZE, ((1, 2),), {}, "list"), (ZEROS, (2, 3), {"dtype": {"dtype": "int64"}}, "spread"),
        (ZEROS, (2,), {}, "spread"),
        (ZEROS, (2, 3), {"sizes": 4}, "twice"), (ZEROS, (2, 3, 4), {"size": (1,)}, "twice"),
        (TILE, (None,), {}, "None"),
        (TILE, (), {}, "nothing"), (TILE, (2, 2), {}, "spread"), (TILE, (None, 2), {}, "too many"),
        (TILE, ((2, 2),), {}, "list"), (VIEW, (True, 2), {}, "too many"),
        (VIEW, (2, 3), {"a": 1, "size": (2,)}, "twice"),
        (ZEROS, (2, 3, 4), {"dtype": {"dtype": "int64"}, "foo": 1}, "twice"), (VIEW, (2, (3,)), {}, "spread"),
        (VIEW, (2, [3], 4), {}, "spread"), (TILE, (2, None), {}, "spread"),
    ]:  # fmt: skip
        yield Case((signature, args, kwargs), about)
    for _ in range(24):
        signature = rng.choice((VIEW, PERMUTE, ZEROS, TILE))
        numbers = tuple(rng.randint(0, 9) for _ in range(rng.randint(1, 4)))
        kwargs = {"dtype": {"dtype": "float32"}} if signature == ZEROS and rng.random() < 0.5 else {}
        if rng.random() < 0.3:
            yield Case((signature, (numbers,), kwargs), "list")
        else:
            yield Case((signature, numbers, kwargs), "spread")


def _refusals(rng: random.Random) -> Iterator[Case]:
    for signature, args, kwargs, about in [
        (NEG, (), {}, "missing"), (NEG, (TENSOR, TENSOR), {}, "too many"), (NEG, (1,), {}, "wrong"),
        (NEG, (TENSOR,), {"bias": 1}, "left over"), (NEG, (TENSOR,), {"input": TENSOR}, "left over"),
        (NEG, (), {"out": TENSOR}, "missing"), (ADD, (), {}, "missing"), (ADD, (TENSOR,), {"alpha": 2}, "missing"),
        (ADD, (TENSOR, TENSOR, 2), {}, "too many"), (ADD, (1, TENSOR), {"foo": 1}, "first"),
        (ADD, (TENSOR, "a"), {"alpha": "b"}, "first"), (ADD, ("a",), {}, "first"),
        (ADD, ("a", 1, 2), {"foo": 1}, "first"),
        (ADD, (TENSOR,), {"other": 2}, "wrong"), (ADD, (TENSOR,), {"foo": TENSOR}, "first"),
        (ADD, (TENSOR,), {"other": {"array": [1, 2]}}, "wrong"), (NEG, ({"array": [1, 2]},), {}, "wrong"),
        (SCALE, (TENSOR, None), {}, "wrong"), (SCALE, (TENSOR,), {"factor": None}, "wrong"),
        (SOFTMAX, (TENSOR, True), {}, "wrong"), (SUM, (TENSOR,), {"dim": 1, "axis": 1}, "left over"),
        (NEG, (TENSOR,), {"x": TENSOR}, "left over"), (STACK, (TENSOR,), {}, "wrong"),
        (CLAMP, (TENSOR, 1), {"min": 2}, "left over"), (CLAMP, (TENSOR, 1), {"min": 2, "foo": 1}, "left over"),
    ]:  # fmt: skip
        yield Case((signature, args, kwargs), about)
    for signature in SIGNATURES * 5:
        given, named = _call(rng, signature)
        parameters = _parameters(signature)
        fault = rng.choice(("wrong", "missing", "left over", "too many", "twice"))
        if fault == "wrong":
            place = rng.randrange(len(parameters))
            kind, shown, name, *_ = parameters[place]
            value = rng.choice([value for value in WRONG[kind] if value is not None or not shown.endswith("?")])
            if place < len(given):
                given[place] = value
            else:
                named[name] = value
        elif fault == "missing" and named:
            del named[rng.choice(list(named))]
        elif fault == "too many":
            given = [*given, *(_value(rng, kind, shown) for kind, shown, *_ in parameters[len(given) :]), 1]
        elif fault == "twice" and given:
            named[rng.choice(parameters[: len(given)])[2]] = 1
        else:
            named["foo"] = 1
        yield Case((signature, tuple(given), _shuffled(rng, named)), "first")


MATCH = Check(
    "aten.python_arg_parser.match",
    ("signature", "args", "kwargs"),
    (
        Aspect("ordinary", 2, _ordinary),
        Aspect("spread", 2, _spread, needs="ordinary"),
        Aspect("refusals", 2, _refusals, needs="ordinary"),
    ),
    {
        "positional": "positional arguments are taken in the order of the parameters",
        "keyword": "what is not given by position may be given by keyword, in any order; the list is in the order of "
        "the parameters",
        "default": "what is not given has its default",
        "NumPy": "`keyword_value` knows NumPy's names for a parameter, axis for dim",
        "None": "None fits where the parameter allows it, whatever `accepts` says",
        "list": "one list or tuple for a list of ints is an ordinary argument, and stays what it is",
        "spread": "ints that are spread over the call are taken together, as one tuple",
        "nothing": "there is nothing to spread: an empty call is no empty list",
        "one number": "a number that fits by itself is not spread",
        "too many": "more positional arguments than the signature takes: this is said before anything else",
        "twice": "given by position and by keyword: the keyword is left over. extra_kwargs takes the args of the call",
        "wrong": "a value that does not fit: which parameter, which value, and its place counted from 1, or None",
        "missing": "a parameter without default that is given nothing: its index",
        "left over": "count the keywords that were taken; if there are others, extra_kwargs finds them",
        "first": "several faults: too many first, then parameter after parameter, keywords left over at the end. And "
        "kwargs belongs to the caller: don't change it",
        "type": "return a list, or a sentence",
        "returned None": "the function ends without `return`",
    },
    probe="operators.arguments.matched",
)

CHECKS = (MATCH,)
