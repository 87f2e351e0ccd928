"""Check of type promotion (engine/aten/type_promotion.py)."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.operators.modeled import gives

DTYPES = ("bool", "int32", "int64", "float32", "float64")
CATEGORY = {"bool": 0, "int32": 1, "int64": 1, "float32": 2, "float64": 2}
BETWEEN = {("uint8", "int8"): "int16", ("float16", "bfloat16"): "float32"}
"""Pairs that no order of dtypes has right -> what they promote to."""
NUMBERS = ("bool", "int64", "float64")  # what Python's bool, int and float come as
Operand = tuple[str, int, bool]


def _case(operands: Sequence[Operand], about: str, default: str | None = None, current: str = "float32") -> Case:
    return Case((list(operands), default, current), about)


def _tensors(rng: random.Random, count: int) -> list[Operand]:
    return [(rng.choice(DTYPES), rng.randint(1, 4), False) for _ in range(count)]


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for kind in DTYPES:
        yield _case([(kind, 1, False)], "one")
        yield _case([(kind, 0, False)], "one")
    for a, b in product(DTYPES, DTYPES):
        yield _case([(a, 2, False), (b, 1, False)], "one rank")
    for a, b in rng.sample(list(product(DTYPES, DTYPES)), 8):
        yield _case([(a, 0, False), (b, 0, False)], "one rank")
    for count in (2, 3, 4) * 8:
        yield _case(_tensors(rng, count), "one rank")
    for pair, ndim in product(BETWEEN, (0, 2)):
        yield _case([(kind, ndim, False) for kind in rng.sample(pair, 2)], "no order")


def _ranks(rng: random.Random) -> Iterator[Case]:
    for a, b in product(DTYPES, DTYPES):
        about = "category" if CATEGORY[b] > CATEGORY[a] else "rank"
        yield _case([(a, rng.randint(1, 3), False), (b, 0, False)], about)
        yield _case([(b, 0, False), (a, rng.randint(1, 3), False)], about)
    for count in (3, 4, 5) * 10:
        operands = [*_tensors(rng, count - 2), *((rng.choice(DTYPES), 0, False) for _ in range(2))]
        rng.shuffle(operands)
        yield _case(operands, "rank")


def _numbers(rng: random.Random) -> Iterator[Case]:
    for number in NUMBERS:
        yield _case([(number, 0, True)], "default" if number == "float64" else "one")
        for kind in DTYPES:
            for ndim in (0, 2):
                operands = [(kind, ndim, False), (number, 0, True)]
                about = "float" if number == "float64" and CATEGORY[kind] < 2 else "number"
                rng.shuffle(operands)
                yield _case(operands, about)
    for kind, default in product(DTYPES, ("float32", "float64")):
        yield _case([(kind, 1, False), ("float64", 0, True)], "default", default, rng.choice(DTYPES[3:]))
        yield _case([(kind, 1, False), ("float64", 0, True)], "default", None, default)
    for dimensioned, cell, number in product(DTYPES, DTYPES, NUMBERS):
        yield _with_numbers(rng, [(dimensioned, rng.randint(1, 4), False), (cell, 0, False), (number, 0, True)])
    for _ in range(20):
        tensors = _tensors(rng, rng.randint(0, 2))
        cells = [(rng.choice(DTYPES), 0, False) for _ in range(rng.randint(0, 2))]
        yield _with_numbers(rng, tensors + cells + [(rng.choice(NUMBERS), 0, True) for _ in range(rng.randint(1, 2))])


def _with_numbers(rng: random.Random, operands: list[Operand]) -> Case:
    rng.shuffle(operands)
    highest = max((CATEGORY[kind] for kind, _, is_number in operands if not is_number), default=0)
    about = "default" if ("float64", 0, True) in operands and highest < 2 else "number"
    return _case(operands, about, rng.choice((None, None, "float32", "float64")), rng.choice(DTYPES[3:]))


def _greatest(kinds: Sequence[str]) -> str:
    between = [both for pair, both in BETWEEN.items() if set(pair) == set(kinds)]
    return between[0] if between else max(kinds, key=DTYPES.index)


def _rank(ndim: int, is_number: bool) -> int:
    return 2 if is_number else 1 if ndim == 0 else 0


def _result(
    operands: Sequence[Operand],
    floats: str = "float64",
    rank: Callable[[int, bool], int] = _rank,
    hears: bool = True,
    rises: int = 1,
    only_numbers: bool = True,
) -> str:
    """Compute the result type by these rules.

    Args:
        floats: what a Python float counts as.
        rank: of an operand, from its number of dimensions and whether it is a Python number.
        hears: whether a lower rank may decide at all.
        rises: by how much its category must be above the highest rank's.
        only_numbers: whether only a Python float counts as `floats`, and not also a tensor of float64.
    """
    by_rank: dict[int, list[str]] = {}
    for kind, ndim, is_number in operands:
        is_float = kind == "float64" and (is_number or not only_numbers)
        by_rank.setdefault(rank(ndim, is_number), []).append(floats if is_float else kind)
    result = ""
    for place in sorted(by_rank):
        kind = _greatest(by_rank[place])
        if not result or (hears and CATEGORY[kind] >= CATEGORY[result] + rises):
            result = kind
    return result


def _in_one_rank(operands: Sequence[Operand], default: str | None, current: str) -> str:
    """Compute the result type if Python numbers and tensors without dimensions are one rank."""
    return _result(operands, default or current, lambda ndim, is_number: int(not ndim))


def _as_great(operands: Sequence[Operand], default: str | None, current: str) -> str:
    """Compute the result type if a lower rank decides as soon as its category equals the highest rank's."""
    return _result(operands, default or current, rises=0)


MISTAKES = (
    gives(
        "this is what comes out when Python floats stay float64: they count as the default dtype",
        lambda operands, default, current: _result(operands),
    ),
    gives(
        "this is what comes out when a Python float counts as get_default_dtype() in spite of default_dtype",
        lambda operands, default, current: _result(operands, current),
    ),
    gives(
        "this is what comes out when a Python float always counts as float32: without default_dtype it counts as what "
        "get_default_dtype() answers at the time of the call",
        lambda operands, default, current: _result(operands, default or "float32"),
    ),
    gives(
        "this is what comes out when a tensor of float64 counts as the default dtype: only a Python float does",
        lambda operands, default, current: _result(operands, default or current, only_numbers=False),
    ),
    gives(
        "this is what comes out when a lower rank decides as soon as its category is as great (it must be greater), or "
        "when Python numbers and tensors without dimensions are one rank (the numbers are below them)",
        lambda *args: _as_great(*args) if _as_great(*args) == _in_one_rank(*args) else None,
    ),
    gives(
        "this is what comes out when Python numbers and tensors without dimensions are one rank: the numbers are "
        "below them",
        _in_one_rank,
    ),
    gives(
        "this is what comes out when all operands are of one rank: a tensor without dimensions is of a lower rank than "
        "one with dimensions, and a Python number of the lowest",
        lambda operands, default, current: _result(operands, default or current, lambda ndim, is_number: 0),
    ),
    gives(
        "this is what comes out when only the highest rank is heard: a lower one decides if it is of a greater "
        "category",
        lambda operands, default, current: _result(operands, default or current, hears=False),
    ),
    gives(
        "this is what comes out when a lower rank decides as soon as its category is as great: it must be greater",
        _as_great,
    ),
    gives(
        "this is what comes out when the tensors with the most dimensions decide: all that have dimensions are of one "
        "rank",
        lambda operands, default, current: _result(operands, default or current, lambda ndim, is_number: -ndim),
    ),
)

RESULT_TYPE = Check(
    "aten.type_promotion.result_type",
    ("operands", "default_dtype", "current_default"),
    (
        Aspect("ordinary", 4, _ordinary),
        Aspect("ranks", 2, _ranks, needs="ordinary"),
        Aspect("numbers", 2, _numbers, needs="ordinary"),
    ),
    {
        "one": "a single operand decides alone, whatever its rank; only a Python float takes the default dtype",
        "one rank": "operands of one rank promote with each other: promote_types, two at a time; the number of "
        "dimensions does not matter once there is one",
        "no order": "neither dtype holds all numbers of the other, so the result is a third: promote_types knows it",
        "rank": "the tensor without dimensions is of no greater category: the tensors with dimensions decide alone",
        "category": "the tensor without dimensions is of a greater category than all with dimensions: it decides",
        "number": "Python numbers are a rank of their own, below tensors without dimensions",
        "float": "a Python float is of a greater category here: the result is the default dtype, not float64",
        "default": "a Python float counts as default_dtype; without one, ask get_default_dtype() when you are called",
        "type": "return a dtype",
        "returned None": "the function ends without `return`",
        "raised": "every list of operands has a result",
    },
    mistakes=MISTAKES,
    probe="operators.promotion.result_type",
    program="operators.program.without_promotion",
)

CHECKS = (RESULT_TYPE,)
