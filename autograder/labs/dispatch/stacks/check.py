"""Check of boxing: the stack of a call (engine/dispatch/boxing.py, stack_of)."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

ADD = "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
SUM = "sum(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
POOL = "pool(Tensor self, int[2] size, int[2] stride=[3, 4], int padding=0) -> Tensor"
EMPTY = "empty(int[] size, *, Device? device=None, bool? pin_memory=None) -> Tensor"
CAT = "cat(Tensor[] tensors, int dim=0) -> Tensor"
NONE = "none() -> int"

# type -> (given value, default in the schema)
TYPES = {
    "int": ((7, 0, -3), ("5", "-1", "0")),
    "float": ((0.5, 2, 0), ("1.5", "0", "2")),
    "bool": ((True, False, 1), ("True", "False")),
    "str": (("mean", "sum"), ('"none"', '"mean"')),
    "int[2]": ((3, (4, 5), [6, 7]), ("1", "[2, 3]")),
    "int[]": (([], [1, 2, 3], (4,)), ("[]", "[1, 2]")),
    "int?": ((None, 8), ("None", "6")),
    "Tensor": (("@0", "@1"), ()),
    "Tensor?": (("@2", None), ("None",)),
    "Tensor[]": ((["@0", "@1"], []), ()),
}


def _drawn(rng: random.Random) -> tuple[str, list[tuple[str, str, bool, bool]]]:
    """A schema, and of its arguments (name, type, is keyword-only, has a default)."""
    positional, named = rng.randint(0, 4), rng.randint(0, 3)
    first_default = rng.randint(0, positional)
    names = rng.sample("abcdefghijklmn", positional + named)
    arguments, texts = [], []
    for place, name in enumerate(names):
        only, type = place >= positional, rng.choice(list(TYPES))
        wants_default = rng.random() < 0.6 if only else place >= first_default
        if wants_default and not TYPES[type][1]:
            type = "int"
        if place == positional:
            texts.append("*")
        texts.append(f"{type} {name}" + (f"={rng.choice(TYPES[type][1])}" if wants_default else ""))
        arguments.append((name, type, only, wants_default))
    return f"op({', '.join(texts)}) -> ()", arguments


def _call(rng: random.Random, arguments: list[tuple[str, str, bool, bool]]) -> tuple[tuple, dict]:
    """A call that the schema accepts."""
    by_position = rng.randint(0, sum(not only for _, _, only, _ in arguments))
    args, kwargs = [], {}
    for place, (name, type, _, has_default) in enumerate(arguments):
        value = rng.choice(TYPES[type][0])
        if place < by_position:
            args.append(value)
        elif not has_default or rng.random() < 0.5:
            kwargs[name] = value
    return tuple(args), dict(rng.sample(list(kwargs.items()), len(kwargs)))


def _ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case((NONE, (), {}), "position")
    yield Case((ADD, ("@0", "@1"), {}), "default")
    yield Case((ADD, ("@0", "@1"), {"alpha": 2}), "by name")
    yield Case((ADD, ("@0",), {"other": "@1"}), "by name")
    yield Case((ADD, (), {"other": "@1", "alpha": 3, "self": "@0"}), "by name")
    yield Case((SUM, ("@0", [0, 1], True), {}), "position")
    yield Case((SUM, ("@0",), {"keepdim": True, "dim": None}), "by name")
    yield Case((CAT, (["@0", "@1"],), {}), "default")
    yield Case((CAT, (["@0"], 1), {}), "position")
    for _ in range(35):
        schema, arguments = _drawn(rng)
        yield Case((schema, *_call(rng, arguments)), "by name")


def _conversions(rng: random.Random) -> Iterator[Case]:
    yield Case((POOL, ("@0", 2), {}), "converted")
    yield Case((POOL, ("@0", 2, 5), {}), "converted")
    yield Case((POOL, ("@0",), {"size": [2, 3]}), "converted")
    yield Case((POOL, ("@0", (2, 3)), {"padding": True, "stride": 1}), "converted")
    yield Case((EMPTY, ([2],), {"device": "meta"}), "converted")
    yield Case((EMPTY, (), {"device": "cpu", "size": (2, 3)}), "converted")
    yield Case(("op(float x, *, float y=3) -> ()", (2,), {"y": 1}), "converted")
    yield Case(("op(int[2] x=1, *, float y=3) -> ()", (), {}), "converted")
    for _ in range(26):
        place = rng.randint(0, 2)
        names = rng.sample("abcd", 3)
        texts = [f"float {name}" if at != place else f"int[2] {name}=0" for at, name in enumerate(names)]
        kwargs = {name: rng.randint(1, 9) for name in names}
        yield Case((f"op(*, {', '.join(texts)}) -> ()", (), kwargs), "converted")


def _refusals(rng: random.Random) -> Iterator[Case]:
    yield Case((NONE, (1,), {}), "too many")
    yield Case((NONE, (), {"a": 1}), "unknown")
    yield Case((ADD, ("@0", "@1", 2), {}), "too many")
    yield Case((ADD, ("@0", "@1", 2), {"alpha": 2}), "too many")
    yield Case((ADD, ("@0", "@1"), {"self": "@0"}), "twice")
    yield Case((ADD, ("@0", "@1"), {"other": "@1"}), "twice")
    yield Case((ADD, ("@0",), {}), "missing")
    yield Case((ADD, (), {"alpha": 2, "other": "@1"}), "missing")
    yield Case((ADD, ("@0", "@1"), {"beta": 2}), "unknown")
    yield Case((ADD, ("@0", "@1"), {"alpha": 2, "out": "@2"}), "unknown")
    yield Case((ADD, ("@0", 2), {}), "refused type")
    yield Case((POOL, ("@0", 0.5), {}), "refused type")
    yield Case((POOL, ("@0", 2), {"padding": None}), "refused type")
    yield Case((SUM, ("@0",), {}), "missing")
    while True:
        schema, arguments = _drawn(rng)
        if len(arguments) > 3 and sum(only for _, _, only, _ in arguments) in (1, 2):
            break
    for _ in range(12):
        args, kwargs = _call(rng, arguments)
        yield Case((schema, args, kwargs | {"zz": 1}), "unknown")
        if args:
            yield Case((schema, args, kwargs | {arguments[len(args) - 1][0]: args[-1]}), "twice")
        needed = [name for name in kwargs for known, _, _, has in arguments if known == name and not has]
        for name in needed:
            yield Case((schema, args, {other: value for other, value in kwargs.items() if other != name}), "missing")
        everything = tuple(rng.choice(TYPES[type][0]) for _, type, _, _ in arguments)
        yield Case((schema, everything, {}), "too many")


STACK_OF = Check(
    "dispatch.boxing.stack_of",
    ("schema", "args", "kwargs"),
    (
        Aspect("ordinary", 3, _ordinary),
        Aspect("conversions", 1, _conversions),
        Aspect("refusals", 3, _refusals, needs="ordinary"),
    ),
    {
        "position": "arguments given by position are the first ones of the schema, in its order",
        "default": "what is not given has its default's value, in its place",
        "by name": "the stack has the order of the schema, whatever the order of the names; kwargs stay as they are",
        "converted": "each value that is given goes through `converted`, with its position in the schema; a default "
        "does not",
        "too many": "a keyword-only argument can't be given by position",
        "twice": "an argument is given by position and by name",
        "missing": "an argument without a default is not given",
        "unknown": "the schema has no argument of that name",
        "refused type": "`converted` refuses the value: let its error pass",
        "type": "each value that is given goes through `converted`: here one has kept its own type",
        "returned None": "the function ends without `return`",
        "raised": "this call fits the schema: nothing to refuse",
        "not raised": "this must be refused: see Raises in the docstring",
    },
    probe="dispatch.stacks.stack",
)

CHECKS = (STACK_OF,)
