"""Check of the argument parser: what a call gives to each parameter of a signature, or why it does not fit."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

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
POWER = "power(Tensor input, Scalar? p=2)"  # None is not its default
FILL = "fill(Tensor input, *, Scalar value)"
FULL = "full(int[] size, Scalar factor=2)"  # two may be given by position: nothing is spread
CAT = "cat(Tensor[] tensors)"
SIGNATURES = (NEG, SCALE, ADD, LERP, SUM, CLAMP, SOFTMAX, TRANSPOSE, NORM, STACK, POWER, FILL)
TENSOR, PAIR = {"tensor": (2, 3)}, {"tensor": (2,)}
ARRAY = {"array": [1, 2]}
IS_SPREAD, LEFT_OVER_PROBE = "operators.arguments.is_spread", "operators.arguments.left_over"
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
    """Return (type, text of the type, name, has a default, by keyword only) for each parameter."""
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


def _value(rng: random.Random, kind: str, shown: str, nones: bool = True) -> Any:
    """Draw a value that fits; None only if `nones`."""
    if nones and shown.endswith("?") and rng.random() < 0.25:
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


def _call(rng: random.Random, signature: str, aliases: bool = False, nones: bool = True) -> tuple[list, dict[str, Any]]:
    """Draw a call that fits: some arguments by position, the others by keyword or left out."""
    parameters = _parameters(signature)
    positional = sum(not by_keyword for *_, by_keyword in parameters)
    given = rng.randint(0, positional)
    args, kwargs = [], {}
    for place, (kind, shown, name, has_default, _) in enumerate(parameters):
        if place < given:
            args.append(_value(rng, kind, shown, nones))
        elif not has_default or rng.random() < 0.5:
            alias = NUMPY_NAMES.get(name, name) if aliases and rng.random() < 0.5 else name
            kwargs[alias] = None if nones and name == "out" and rng.random() < 0.3 else _value(rng, kind, shown, nones)
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
    yield Case((NEG, (), {"a": TENSOR}), "NumPy")
    yield Case((NEG, (), {"x1": PAIR}), "NumPy")
    yield Case((ADD, (TENSOR,), {"x2": PAIR}), "NumPy")
    yield Case((POWER, (TENSOR, None), {}), "None")
    yield Case((POWER, (TENSOR,), {"p": None}), "None")
    yield Case((POWER, (TENSOR,), {}), "default")
    yield Case((SUM, (TENSOR,), {"dim": None, "dtype": None}), "None")
    yield Case((FILL, (TENSOR,), {"value": 0}), "keyword")
    yield Case((FILL, (), {"value": 3, "input": PAIR}), "keyword")
    yield Case((SCALE, (TENSOR, 2.0), {}), "positional")
    yield Case((ADD, (TENSOR, PAIR), {"alpha": True}), "keyword")
    yield Case((STACK, ([TENSOR, PAIR],), {"dim": 1}), "positional")
    for signature in SIGNATURES * 3:
        args, kwargs = _call(rng, signature)
        yield Case((signature, tuple(args), _shuffled(rng, kwargs)), "keyword" if kwargs else "positional")
    for signature in (NEG, SUM, ADD, SOFTMAX, NORM) * 2:
        args, kwargs = _call(rng, signature, aliases=True)
        yield Case((signature, tuple(args), _shuffled(rng, kwargs)), "NumPy")


# Calls that are refused, with one positional list or what looks like one
UNSPREAD: tuple[tuple[str, tuple, dict[str, Any], str], ...] = (
    (VIEW, (), {}, "nothing"), (VIEW, ((2, 3), (4,)), {}, "fits"), (VIEW, ("a", 2), {}, "not accepted"),
    (VIEW, ("a",), {}, "not accepted"), (VIEW, (1.5, 2), {}, "not accepted"), (VIEW, (True, 2), {}, "not accepted"),
    (TRANSPOSE, (1, 0, 2), {}, "several"), (TRANSPOSE, ((1, 0),), {}, "several"), (SQUEEZE, (1, 2), {}, "one number"),
    (TILE, (None, 2), {}, "not accepted"), (FULL, (2, 3), {}, "several"), (FULL, (2,), {}, "several"),
    (CAT, (TENSOR, PAIR), {}, "several"), (STACK, (TENSOR,), {}, "several"),
    (VIEW, (), {"size": 3}, "by keyword"), (VIEW, (None,), {}, "not accepted"),
)  # fmt: skip


def _spread(rng: random.Random) -> Iterator[Case]:
    """Yield calls that fit, and others that ask only if something is spread: refusals ask about their sentences."""
    for signature, args, kwargs, about in [
        (VIEW, ((2, 3),), {}, "list"), (VIEW, ([2, 3],), {}, "list"), (VIEW, (2, 3), {}, "spread"),
        (VIEW, (6,), {}, "spread"), (VIEW, ((),), {}, "list"), (VIEW, (), {"size": (2,)}, "list"),
        (PERMUTE, (1, 0, 2), {}, "spread"), (PERMUTE, (-1, 0), {}, "spread"), (SQUEEZE, (1,), {}, "one number"),
        (SQUEEZE, ((1, 2),), {}, "list"), (ZEROS, (2, 3), {"dtype": {"dtype": "int64"}}, "spread"),
        (ZEROS, (2,), {}, "spread"), (ZEROS, (2, 3, 4), {"out": None}, "spread"), (TILE, (None,), {}, "None"),
        (TILE, (), {}, "nothing"), (TILE, (2, 2), {}, "spread"), (TILE, ((2, 2),), {}, "list"),
        (FULL, ([2, 3], 5), {}, "list"), (FULL, ((2,),), {}, "list"), (VIEW, (2, "a"), {}, "spread"),
        (VIEW, (2, (3,)), {}, "spread"), (VIEW, (2, [3], 4), {}, "spread"), (TILE, (2, None), {}, "spread"),
    ]:  # fmt: skip
        yield Case((signature, args, kwargs), about)
    for signature, args, kwargs, about in UNSPREAD:
        yield Case((signature, args, kwargs), about, IS_SPREAD)
    for signature, args, kwargs in [
        (VIEW, (2, 3), {"size": (2,)}), (ZEROS, (2, 3), {"sizes": 4}), (ZEROS, (2, 3, 4), {"size": (1,)}),
        (VIEW, (2, 3), {"a": 1, "size": (2,)}), (ZEROS, (2, 3, 4), {"dtype": {"dtype": "int64"}, "foo": 1}),
        (ZEROS, (2, 3), {"out": None, "foo": 1}),
    ]:  # fmt: skip
        yield Case((signature, args, kwargs), "twice", LEFT_OVER_PROBE)
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
        (NEG, (TENSOR,), {"x": TENSOR}, "left over"), (STACK, (), {"tensors": 1}, "wrong"),
        (CLAMP, (TENSOR, 1), {"min": 2}, "left over"), (CLAMP, (TENSOR, 1), {"min": 2, "foo": 1}, "left over"),
        (NEG, (), {"input": None}, "wrong"), (NEG, (TENSOR,), {"foo": None}, "left over"),
        (NEG, (None,), {}, "wrong"), (SUM, (TENSOR, 1, 0), {}, "wrong"), (SUM, (TENSOR, 1), {"keepdim": 0}, "wrong"),
        (SUM, (TENSOR,), {}, "missing"), (FILL, (TENSOR,), {}, "missing"), (FILL, (TENSOR, 3), {}, "too many"),
        (FILL, (TENSOR,), {"value": None}, "wrong"), (FILL, (), {"value": 3}, "missing"),
        (CLAMP, (TENSOR, ARRAY), {}, "wrong"), (CLAMP, (TENSOR,), {"max": ARRAY}, "wrong"),
        (ADD, (TENSOR,), {"alpha": "b"}, "first"), (ADD, (), {"other": "b"}, "first"),
        (NEG, (TENSOR, TENSOR), {"foo": 1}, "first"), (NEG, (1, 2), {}, "first"), (NEG, (), {"foo": 1}, "first"),
        (SUM, (TENSOR, 1), {"axis": 1}, "left over"),
        (TRANSPOSE, (1, 0, 2), {}, "too many"), (TRANSPOSE, ((1, 0), 1), {}, "wrong"), (VIEW, (), {"size": 3}, "wrong"),
    ]:  # fmt: skip
        yield Case((signature, args, kwargs), about)
    for signature in SIGNATURES * 5:
        given, named = _call(rng, signature, nones=False)
        parameters = _parameters(signature)
        fault = rng.choice(("wrong", "missing", "left over", "too many", "twice"))
        if fault == "wrong":
            place = rng.randrange(len(parameters))
            kind, shown, name, *_ = parameters[place]
            value = rng.choice([value for value in WRONG[kind] if value is not None or not shown.endswith("?")])
            if place < len(given) and kind != "Tensor[]":  # where it is a question of spreading
                given[place] = value
            else:
                named[name] = value
        elif fault == "missing" and (required := [entry[2] for entry in parameters[len(given) :] if not entry[3]]):
            del named[rng.choice(required)]
        elif fault == "too many":
            given = [*given, *(_value(rng, kind, shown) for kind, shown, *_ in parameters[len(given) :]), 1]
        elif fault == "twice" and given:
            named[rng.choice(parameters[: len(given)])[2]] = 1
        else:
            named["foo"] = 1
        yield Case((signature, tuple(given), _shuffled(rng, named)), "first")


COPIED = "a copy of"  # as the probe says it
NO_LIST = "return a list, or a sentence"
TOO_MANY = "more positional arguments than `signature.max_pos_args`: this is said before anything else"
MISSING = (
    "nothing is given to this parameter, and its default is `ABSENT`: it is missing, also where None would be allowed"
)
WRONG_TYPE = "a value is given that does not fit: an explicit None, or one equal to the default, is a value like others"
LEFT_OVER = "a keyword is left over. Count the keywords that were taken: with fewer than `kwargs` has, others are left"
SAID = (("positional arguments but", "too many"), ("was given", "too many"), ("were given", "too many"),
        ("missing", "missing"), ("must be", "wrong"), ("keyword argument", "left over"),
        ("multiple values", "left over"))  # fmt: skip


def _reason(found: Any) -> str:
    """Return the reason that a sentence gives, or "" for no sentence."""
    return next((kind for words, kind in SAID if words in found), "") if type(found) is str else ""


def _accepts(kind: str, says: str) -> Mistake:
    """Build the mistake of returning a list where a sentence of this kind is wanted."""
    return Mistake(says, lambda args, wanted, got: type(got.value[0]) is list and _reason(wanted.value[0]) == kind)


def _refuses(kind: str, says: str) -> Mistake:
    """Build the mistake of returning a sentence of this kind where a list is wanted."""
    return Mistake(says, lambda args, wanted, got: type(wanted.value[0]) is list and _reason(got.value[0]) == kind)


def _loses_none(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if something else is in the place of a None."""
    pairs = zip(wanted.value[0], got.value[0], strict=True)
    return type(got.value[0]) is list and any(right is None and mine is not None for right, mine in pairs)


def _refuses_none(args: tuple, wanted: Observation, got: Observation) -> bool:
    given = (*args[1], *args[2].values())
    return type(wanted.value[0]) is list and None in given and "not NoneType" in got.value[0]


def _places(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if two sentences differ in nothing but the place."""
    right, mine = wanted.value[0], got.value[0]
    is_wrong = _reason(right) == _reason(mine) == "wrong"
    return is_wrong and right != mine and _without_place(right) == _without_place(mine)


def _without_place(sentence: str) -> str:
    before, _, after = sentence.partition(" (position ")
    return before + after.partition(")")[2] if after else before


def _is_unspread(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the right answer takes all positional arguments together, but this one takes them one by one."""
    right, mine = wanted.value[0], got.value[0]
    is_spread = type(right) is list and right[:1] == [args[1]] and bool(args[1])
    return is_spread and (mine[:1] != right[:1] if type(mine) is list else _reason(mine) in ("too many", "wrong"))


MISTAKES = (
    Mistake(NO_LIST, lambda args, wanted, got: type(got.value) is tuple and type(got.value[0]) not in (list, str)),
    Mistake(
        "`kwargs` belongs to the caller: do not change it",
        lambda args, wanted, got: type(got.value) is tuple and got.value[1] != wanted.value[1],
    ),
    Mistake(
        "an argument goes into the list as it came, not as a copy",
        lambda args, wanted, got: any(type(value) is tuple and value[:1] == (COPIED,) for value in got.value[0]),
    ),
    Mistake("None is given here, and None fits: it is not replaced by the default", _loses_none),
    Mistake("None fits where `parameter.allow_none`, whatever `accepts` says", _refuses_none),
    Mistake(
        "ints that are spread over the call are taken together, as one tuple",
        _is_unspread,
    ),
    Mistake(
        "nothing is to be spread here: only if `signature.spreads`, the first argument does not fit by itself, and "
        "`accepts` takes the tuple of all of them",
        lambda args, wanted, got: (wanted.value, got.value) == ("not spread", "spread"),
    ),
    Mistake(
        "this call is refused, also where `signature.spreads`: the rules that follow are the same for what is spread",
        lambda args, wanted, got: got.value == "not refused",
    ),
    Mistake(
        "the sentences get `args` as they came, not after spreading",
        lambda args, wanted, got: got.value == "args after spreading",
    ),
    Mistake(
        "one list or tuple for a list of ints is an ordinary argument: it fits by itself, and nothing is spread",
        lambda args, wanted, got: wanted.value[0][:1] == [args[1][0]] and "found element" in got.value[0],
    ),
    _refuses("left over", "each keyword here is taken by a parameter: one of NumPy's is, and one whose value is None"),
    _refuses("missing", "nothing is missing here: a None that is given is a value, and the others have defaults"),
    _accepts("too many", TOO_MANY),
    _accepts("missing", MISSING),
    _accepts("wrong", WRONG_TYPE),
    _accepts("left over", LEFT_OVER),
    Mistake("the position is counted from 1, and None for a keyword argument", _places),
    Mistake(
        "`extra_kwargs` gets `args` as they came, and `kwargs` as they came",
        lambda args, wanted, got: _reason(wanted.value[0]) == _reason(got.value[0]) == "left over",
    ),
    Mistake(
        "there is more than one fault, or another one: too many positional arguments come first, then each parameter "
        "in turn (missing or wrong), and keywords that are left over at the end",
        lambda args, wanted, got: "" not in (a := _reason(wanted.value[0]), b := _reason(got.value[0])) and a != b,
    ),
)


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
        "fits": "the first argument fits by itself: nothing is spread",
        "not accepted": "all arguments together are spread only if `accepts` takes the tuple of them",
        "several": "nothing is spread unless `signature.spreads`",
        "by keyword": "only positional arguments are spread",
        "too many": TOO_MANY,
        "twice": "given by position and by keyword: the keyword is left over. `extra_kwargs` gets `args` as they came",
        "wrong": WRONG_TYPE,
        "missing": MISSING,
        "left over": LEFT_OVER,
        "first": "several faults: too many first, then parameter after parameter, keywords left over at the end",
        "raised": "a call that does not fit is no error here: return the sentence, do not raise it",
    },
    probe="operators.arguments.matched",
    mistakes=MISTAKES,
)

CHECKS = (MATCH,)
