"""Checks of the two steps by which an iterator finds its loop: the order of the dimensions, and fewer of them."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import Sizes, packed, repeated, replaced, shuffled, strided, unequal


def _walked(rng: random.Random, shape: Sizes, least: int = 1) -> Sizes:
    """Strides over `shape` in some order; broadcast along some of its dimensions, but not all."""
    strides = packed(shape, shuffled(rng, len(shape)), [rng.randint(1, 2) for _ in shape])
    return replaced(rng, strides, 0, rng.randint(least, max(len(shape) - 1, least))) if shape else strides


def _reorder_ordinary(rng: random.Random) -> Iterator[Case]:
    for shape, operands, about in [
        ((), [()], "few"), ((3,), [(1,)], "few"), ((2, 3), [(3, 1)], "order"), ((2, 3), [(1, 2)], "order"),
        ((2, 3, 4), [(12, 4, 1)], "order"), ((2, 3, 4), [(1, 8, 2)], "order"), ((2, 3, 4), [(4, 8, 1)], "order"),
        ((2, 3, 4), [(1, 2, 6)], "order"), ((2, 3), [(3, 1), (1, 2)], "first"), ((2, 3), [(1, 2), (3, 1)], "first"),
    ]:  # fmt: skip
        yield Case((shape, operands), about)
    for ndim in (2, 3, 3, 4, 5, 6) * 6:
        shape = unequal(rng, ndim, 2, 9)
        yield Case((shape, [packed(shape, shuffled(rng, ndim))]), "order")
        operands = [packed(shape, shuffled(rng, ndim), [rng.randint(1, 3) for _ in shape]) for _ in range(2)]
        yield Case((shape, operands), "first")


def _reorder_undecided(rng: random.Random) -> Iterator[Case]:
    for shape, operands, about in [
        ((2, 3), [(0, 0)], "nothing"), ((2, 3), [(0, 1)], "nothing"), ((2, 3), [(0, 1), (1, 2)], "second"),
        ((2, 3), [(1, 0), (1, 2)], "second"), ((2, 3, 4), [(1, 0, 2)], "past"), ((4, 3, 2), [(1, 0, 8)], "past"),
        ((2, 3, 4), [(2, 0, 1)], "past"), ((2, 3, 4, 5), [(1, 0, 0, 2)], "past"), ((3, 2), [(1, 1)], "equal"),
        ((2, 3), [(1, 1)], "equal"), ((3, 3), [(1, 1)], "equal"), ((2, 3, 4), [(0, 4, 1), (1, 0, 2)], "past"),
        ((2, 3, 4), [], "nothing"),
    ]:  # fmt: skip
        yield Case((shape, operands), about)
    for shape, operands in [
        ((2, 3), [(0, 1), (3, 1)]), ((2, 3), [(1, 0), (3, 1)]), ((2, 3), [(0, 0), (3, 1)]), ((2, 3), [(0, 0), (1, 2)]),
        ((2, 3, 4), [(0, 1, 0), (12, 4, 1)]), ((2, 3, 4), [(3, 0, 1), (1, 2, 6)]), ((2, 3, 4), [(1, 0, 0), (1, 2, 6)]),
    ]:  # fmt: skip
        yield Case((shape, operands, True), "reduction")
        yield Case((shape, operands, False), "second")
    for ndim in (2, 3, 3, 4, 4, 5) * 8:
        shape = repeated(rng, ndim, 1, 4)
        operands = [_walked(rng, shape) for _ in range(rng.randint(1, 3))]
        yield Case((shape, operands), "past")
        yield Case((shape, [_walked(rng, shape), strided(rng, shape)], True), "reduction")


REORDER_DIMENSIONS = Check(
    "aten.iterator_geometry.reorder_dimensions",
    ("shape", "operands", "is_reduction"),
    (Aspect("ordinary", 3, _reorder_ordinary), Aspect("undecided", 3, _reorder_undecided, needs="ordinary")),
    {
        "few": "no dimensions, or one, are in order already",
        "order": "the smallest stride comes first: the result is innermost first",
        "first": "should_swap asks the operands in turn: pass it all of them",
        "nothing": "where should_swap never decides, the order stays n-1, ..., 0",
        "second": "the first operand has no opinion on a stride of 0; pass all of them to should_swap",
        "past": "0 from should_swap is no -1: the entry stays where it is for now, and the next one inside is asked",
        "equal": "dim0 is the entry further inside, dim1 the one that you place: in this order",
        "reduction": "is_reduction must reach should_swap: dimensions along which the output stands still go inside",
        "type": "return a tuple of dims",
        "returned None": "the function ends without `return`",
        "raised": "there is nothing to refuse here",
    },
)


def _coalesce_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, operands, about in [
        ((3,), [(1,)], "one dimension"), ((3,), [(2,), (0,)], "one dimension"), ((2, 3), [(3, 1)], "merge"),
        ((2, 3), [(1, 2)], "not"), ((2, 3), [(6, 2)], "merge"), ((2, 3), [(4, 1)], "not"),
        ((2, 3), [(3, 1), (3, 1)], "merge"), ((2, 3), [(3, 1), (1, 2)], "all"), ((2, 3), [(1, 2), (3, 1)], "all"),
        ((2, 3), [(3, 1), (0, 1)], "all"), ((2, 3), [(3, 1), (0, 0)], "merge"), ((2, 3, 4), [(12, 4, 1)], "merge"),
        ((2, 3, 4), [(12, 4, 1), (3, 1, 6)], "all"), ((2, 3, 4), [(12, 4, 1), (0, 4, 1)], "all"),
        ((2, 3, 4), [(24, 8, 2), (12, 4, 1), (0, 0, 0)], "merge"),
        ((2, 3, 4), [(12, 4, 1), (12, 4, 1), (0, 0, 1)], "all"),
        ((2, 3, 4), [(16, 4, 1)], "not"),
    ]:  # fmt: skip
        yield Case((sizes, operands), about)
    for ndim in (2, 3, 4, 5) * 10:
        sizes = unequal(rng, ndim)
        order = [*reversed(range(ndim))]
        operands = [packed(sizes, order, [rng.choice((1, 1, 1, 2)) for _ in sizes]) for _ in range(rng.randint(1, 3))]
        yield Case((sizes, operands), "all" if len(operands) > 1 else "pairs")
        yield Case((sizes, [packed(sizes), strided(rng, sizes)]), "all")


def _coalesce_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, operands, about in [
        ((), [()], "nothing"), ((), [], "no operands"), ((), [(), ()], "nothing"), ((1,), [(1,)], "ones"),
        ((1, 1), [(7, 3), (0, 2)], "ones"), ((2, 1), [(1, 5)], "ones"), ((1, 2), [(5, 1)], "ones"),
        ((2, 1, 3), [(3, 7, 1)], "ones"), ((2, 1, 3), [(3, 3, 1), (3, 9, 1)], "ones"), ((2, 1, 3), [(1, 7, 2)], "ones"),
        ((2, 1, 3), [(4, 7, 1)], "ones"), ((2, 3), [], "no operands"), ((2, 1, 3), [], "no operands"),
        ((0,), [(1,)], "empty"), ((0, 3), [(3, 1)], "empty"), ((3, 0), [(1, 1)], "empty"), ((3, 0), [(0, 1)], "empty"),
        ((2, 0, 3), [(3, 3, 1)], "empty"), ((2, 3), [(0, 0)], "merge"),
    ]:  # fmt: skip
        yield Case((sizes, operands), about)
    for ndim in (1, 2, 3, 4, 5) * 8:
        sizes = replaced(rng, repeated(rng, ndim, 1, 3), 1, rng.randint(0, 1))
        steps = packed(sizes)
        noisy = tuple(rng.randint(0, 9) if size == 1 else step for size, step in zip(sizes, steps, strict=True))
        operands = [steps, noisy, replaced(rng, steps, 0)][: rng.randint(1, 3)]
        rng.shuffle(operands)
        yield Case((sizes, operands), "ones" if 1 in sizes else "all" if len(operands) > 1 else "pairs")


COALESCE_DIMS = Check(
    "strides.coalesce_dims",
    ("sizes", "operands"),
    (Aspect("ordinary", 3, _coalesce_ordinary), Aspect("edge", 2, _coalesce_edge, needs="ordinary")),
    {
        "one dimension": "nothing to merge: sizes, then the strides of each operand, as tuples",
        "merge": "two neighbours that one stride walks become one: sizes multiplied, strides of the inner one",
        "not": "the outer stride is not inner stride * inner size: these two stay two",
        "all": "all operands must allow it: one that does not keeps the two apart for all",
        "pairs": "ask for each pair of neighbours, a merged one and what follows it included",
        "ones": "a dimension of size 1 goes, whatever its strides; its neighbours may be merged across it",
        "nothing": "no dimension is left: one empty tuple for sizes and one for each operand",
        "no operands": "without operands nothing keeps dimensions apart; the result is (sizes,)",
        "empty": "0 is a size like any other, and the rule is asked of it too",
        "type": "return a tuple of tuples",
        "returned None": "the function ends without `return`",
        "raised": "there is nothing to refuse here",
    },
    probe="operators.shapes.coalesce_dims",
)

CHECKS = (REORDER_DIMENSIONS, COALESCE_DIMS)
