"""Check of boxing: the stack of a call (engine/dispatch/boxing.py, stack_of)."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import engine
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal
from autograder.labs.dispatch.stacks.probe import stack

ADD = "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
SUM = "sum(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
POOL = "pool(Tensor self, int[2] size, int[2] stride=[3, 4], int padding=0) -> Tensor"
EMPTY = "empty(int[] size, *, Device? device=None, bool? pin_memory=None) -> Tensor"
CAT = "cat(Tensor[] tensors, int dim=0) -> Tensor"
NONE = "none() -> int"
OPTIONAL = "op(int? n=6, bool? b=True, *, Tensor? t=None, float f=1.5, int[] sizes=[1, 2], str s='mean') -> ()"
NAMES = "op(int self=0, int args=0, int value=0, *, int kwargs=0, int schema=0, int position=0) -> ()"

# type -> (given values, which no conversion changes; defaults in the schema)
TYPES = {
    "int": ((7, 0, -3), ("5", "-1", "0")),
    "float": ((0.5, 2.0, 0.0), ("1.5", "0", "2")),
    "bool": ((True, False), ("True", "False")),
    "str": (("mean", "sum"), ('"none"', '"mean"')),
    "int[2]": (((3, 3), (4, 5)), ("1", "[2, 3]")),
    "int[]": (((), (1, 2, 3), (4,)), ("[]", "[1, 2]")),
    "int?": ((None, 8), ("None", "6")),
    "Tensor": (("@0", "@1"), ()),
    "Tensor?": (("@2", None), ("None",)),
    "Tensor[]": ((("@0", "@1"), ()), ()),
}


def _drawn(rng: random.Random) -> tuple[str, list[tuple[str, str, bool, bool]]]:
    """Draw a schema, and for each of its arguments (name, type, is keyword-only, has a default)."""
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
    """Draw a call that the schema accepts."""
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
    yield Case((SUM, ("@0", (0, 1), True), {}), "position")
    yield Case((SUM, ("@0",), {"keepdim": True, "dim": None}), "by name")
    yield Case((CAT, (("@0", "@1"),), {}), "default")
    yield Case((CAT, (("@0",), 1), {}), "position")
    yield Case((EMPTY, ((2, 3),), {}), "default")
    yield Case((OPTIONAL, (), {}), "default")
    yield Case(("f(Tensor a=None) -> ()", (), {}), "default")
    yield Case(("f(Device a='cpu') -> ()", (), {}), "default")
    yield Case((OPTIONAL, (None, None), {"t": None}), "falsy")
    yield Case((OPTIONAL, (), {"n": None, "b": False, "t": None}), "falsy")
    yield Case((OPTIONAL, (0, False), {"f": 0.0, "sizes": (), "s": ""}), "falsy")
    yield Case((NAMES, (1,), {"kwargs": 5, "value": 3, "args": 2, "position": 4}), "by name")
    yield Case((NAMES, (), {"value": 1, "schema": 2, "self": 3}), "by name")
    for _ in range(35):
        schema, arguments = _drawn(rng)
        yield Case((schema, *_call(rng, arguments)), "by name")


def _conversions(rng: random.Random) -> Iterator[Case]:
    yield Case((CAT, (["@0", "@1"],), {}), "converted")
    yield Case((SUM, ("@0", [0, 1], 1), {}), "converted")
    yield Case(("op(bool b, *, float[] x) -> ()", (1,), {"x": [1, 2]}), "converted")
    for schema, args, kwargs in [
        (ADD, ("@0", 2), {}), (POOL, ("@0", 0.5), {}), (EMPTY, ([2],), {"device": 3}),
        (CAT, ("@0",), {}), (OPTIONAL, ("1",), {}),
    ]:  # fmt: skip
        yield Case((schema, args, kwargs), "refused type")
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
    for schema, args, kwargs in [
        (ADD, ("@0", "@1"), {"alpha": 2}), (ADD, (), {"other": "@1", "alpha": 3, "self": "@0"}), (NAMES, (), {}),
        (ADD, ("@0", "@1"), {"beta": 2}), (ADD, ("@0",), {"alpha": 2}), (ADD, ("@0", "@1"), {"alpha": 2, "self": "@0"}),
        (ADD, ("@0", "@1", 1), {"alpha": 2}),
    ]:  # fmt: skip
        yield Case((schema, args, kwargs), "names", "dispatch.stacks.kept_names")
    yield Case((ADD, ("@0", "@1", 2), {}), "too many")
    yield Case((CAT, (["@0"], 0, 1), {}), "too many")
    yield Case((OPTIONAL, (), {"n": 1, "zz": 2}), "unknown")
    yield Case((OPTIONAL, (None,), {"n": None}), "twice")
    yield Case((SUM, ("@0", None), {"dim": None}), "twice")
    yield Case((EMPTY, (), {"device": None}), "missing")
    yield Case((ADD, ("@0", "@1", 2), {"alpha": 2}), "too many")
    yield Case((ADD, ("@0", "@1"), {"self": "@0"}), "twice")
    yield Case((ADD, ("@0", "@1"), {"other": "@1"}), "twice")
    yield Case((ADD, ("@0",), {}), "missing")
    yield Case((ADD, (), {"alpha": 2, "other": "@1"}), "missing")
    yield Case((ADD, ("@0", "@1"), {"beta": 2}), "unknown")
    yield Case((ADD, ("@0", "@1"), {"alpha": 2, "out": "@2"}), "unknown")
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


def _converted(schema: Any, position: int, value: Any) -> Any:
    return engine.dispatch.convert.converted(schema, position, value)


def _variant(convert: Callable = _converted, given: Callable = lambda value: True) -> Callable:
    """Build a mistaken function: it converts differently, or takes some values for not given."""

    def stack_of(schema: Any, args: tuple, kwargs: dict) -> list:
        found = []
        for position, argument in enumerate(schema.arguments):
            values = [*args[position : position + 1], *[kwargs[argument.name]] * (argument.name in kwargs)]
            if values and (given(values[0]) or not argument.has_default):
                found.append(convert(schema, position, values[0]))
            else:
                found.append(argument.default)
        return found

    return stack_of


def _gives(of: Callable) -> Callable:
    """Build a `Mistake.shows`: the answer is the stack that this function makes."""
    return lambda args, wanted, got: (
        not wanted.raised and not got.raised and equal(got.value, stack(engine, *args, of=of))
    )


def _in_order_of_call(schema: Any, args: tuple, kwargs: dict) -> list:
    names = [argument.name for argument in schema.arguments]
    by_name = [_converted(schema, names.index(name), value) for name, value in kwargs.items()]
    first = [_converted(schema, place, value) for place, value in enumerate(args)]
    rest = [one.default for one in schema.arguments[len(args) :] if one.name not in kwargs]
    return [*first, *by_name, *rest]


MISTAKES = (
    Mistake(
        "a default is taken as it is: only values that are given go through `converted`",
        lambda args, wanted, got: got.raised == "RuntimeError" and not (wanted.raised or args[1] or args[2]),
    ),
    Mistake("a list comes back, and a new one", lambda args, wanted, got: got.value[0] == "not a list"),
    Mistake(
        "names are missing from `kwargs`: it is the caller's, who tries another schema with it. Take them from a copy",
        lambda args, wanted, got: len(got.value["kwargs"]) < len(wanted.value["kwargs"]),
    ),
    Mistake(
        "nothing has gone through `converted(schema, position, value)`, which every value that is given does",
        _gives(_variant(lambda schema, position, value: value)),
    ),
    Mistake(
        "arguments given by name come in the order of the schema, whatever their order in the call",
        _gives(_in_order_of_call),
    ),
    Mistake(
        "a value that is given counts, None too: only what is not given has its default's value",
        _gives(_variant(given=lambda value: value is not None)),
    ),
    Mistake(
        "a value that is given counts, though it be 0, False or empty: only what is not given has its default's value",
        _gives(_variant(given=bool)),
    ),
    Mistake(
        "the stack has too few or too many values: it has one for each argument of the schema",
        lambda args, wanted, got: type(got.value) is list is type(wanted.value) and len(got.value) != len(wanted.value),
    ),
)

STACK_OF = Check(
    "dispatch.boxing.stack_of",
    ("schema", "args", "kwargs"),
    (
        Aspect("ordinary", 3, _ordinary),
        Aspect("conversions", 2, _conversions),
        Aspect("refusals", 3, _refusals, needs="ordinary"),
    ),
    {
        "position": "arguments given by position are the first ones of the schema, in its order",
        "default": "what is not given has its default's value, in its place",
        "by name": "the stack has the order of the schema, whatever the order of the names",
        "falsy": "a value that is given counts, though it be None, 0, False or empty",
        "names": "compared here are the stack, or that the call is refused, and the names that are left in `kwargs`",
        "kwargs": "`kwargs` is the caller's: its names stay as they are, even if the call is refused",
        "list": "the list must be a new one for each call: a kernel may still hold the one of the call before",
        "converted": "each value that is given goes through `converted`, with its position in the schema; a default "
        "does not",
        "too many": "more arguments are given by position than `schema.positional` has; those that are keyword-only "
        "don't count",
        "twice": "an argument is given by position and by name",
        "missing": "an argument without a default is not given",
        "unknown": "the schema has no argument of that name",
        "refused type": "`converted` refuses the value: let its error pass",
        "type": "a value has another type than expected; `converted` gives each that is given the right one",
        "returned None": "the function ends without `return`",
        "raised": "this call fits the schema: nothing to refuse",
        "raised another": "it is right to refuse this call, but the error is a RuntimeError",
    },
    probe="dispatch.stacks.stack",
    mistakes=MISTAKES,
    program="dispatch.program.on_the_cpu",
)

CHECKS = (STACK_OF,)
