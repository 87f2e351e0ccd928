"""Check of the expressions that a generated kernel passes to impl."""

import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.operators.wrappers.check import (
    KEYWORD_AND_PRECOMPUTED,
    RELU,
    SORT,
    THREE,
    WITH_KEYWORD,
    drawn_items,
    drawn_schemas,
)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for schemas in (RELU, SORT, WITH_KEYWORD, THREE, KEYWORD_AND_PRECOMPUTED):
        for schema in filter(None, schemas):
            yield Case((schema, []), "given" if ".out" in schema or ".values" in schema else "plain")
    for outputs in (1, 1, 2, 3) * 4:
        schemas = drawn_schemas(rng, outputs, rng.randint(1, 3), rng.randint(0, 2))
        yield Case((schemas[0], []), "plain")
        yield Case((schemas[2], []), "given")


def _precomputed(rng: random.Random) -> Iterator[Case]:
    for schema in (SORT[0], SORT[2]):
        for items in (
            ["dim -> int wrapped"],
            ["dim -> int dim, int valid"],
            ["int count"],
            ["dim -> int a", "int b, int c"],
        ):
            yield Case((schema, items), "replaced" if "->" in items[0] else "beside")
    for schema in KEYWORD_AND_PRECOMPUTED:
        for items in (["from -> float low, float high"], ["output -> int a", "int b"], ["from -> int from"]):
            yield Case((schema, items), "named" if "from" in items[0] else "replaced")
    for _ in range(30):
        schemas = drawn_schemas(rng, rng.choice((1, 1, 2)), rng.randint(1, 3), rng.randint(1, 2))
        items = drawn_items(rng, schemas[0])
        yield Case((rng.choice((schemas[0], schemas[2])), items), "replaced" if "->" in items[0] else "beside")


def _gives(says: str, model: Callable[[list], list]) -> Mistake:
    """Build the mistake of an answer whose values are `model(the right ones)`."""
    return Mistake(
        says,
        lambda args, wanted, got: isinstance(got.value, list) and got.value == model(wanted.value) != wanted.value,
    )


IMPL_ARGUMENTS = Check(
    "aten.codegen.impl_arguments",
    ("schema", "precomputed"),
    (Aspect("ordinary", 2, _ordinary), Aspect("precomputed", 2, _precomputed, needs="ordinary")),
    {
        "plain": "without items impl takes the variables of all arguments: `parameter(argument)`",
        "given": "the outputs of out= are not among them",
        "replaced": "the values of an item are where the argument would be, in their order",
        "beside": "the values of an item that replaces nothing come behind all arguments",
        "named": "an item calls an argument by its name in the schema, `from`; the variable is `from_`",
        "type": "return a list of texts",
        "returned None": "the function ends without `return`",
    },
    mistakes=(
        Mistake(
            "an expression stops with an error: the variable of an argument is `parameter(argument)`, `from_` for "
            '`from`, and a value of an item `precomputed["wrapped"]`, with quotes',
            lambda args, wanted, got: isinstance(got.value, list) and any(type(value) is tuple for value in got.value),
        ),
        _gives("the list is the other way round", lambda right: right[::-1]),
        _gives(
            "the values that replace nothing come first here: they come last",
            lambda right: (
                [value for value in right if value.startswith("precomputed")]
                + [value for value in right if not value.startswith("precomputed")]
            ),
        ),
    ),
    probe="operators.precomputed.run",
    program="operators.program.run",
)

CHECKS = (IMPL_ARGUMENTS,)
