"""Checks of the two steps by which an iterator finds its loop: the order of the dimensions, and fewer of them."""

import random
from collections.abc import Callable, Iterator, Sequence

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.operators.modeled import gives
from autograder.labs.strides.geometry import Sizes, packed, repeated, replaced, shuffled, strided, unequal


def _walked(rng: random.Random, shape: Sizes, least: int = 1) -> Sizes:
    """Draw strides over `shape` in some order, broadcast along some of its dimensions, but not all."""
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
        ((2, 3, 4), [], "nothing"), ((3, 2, 4), [(4, 1, 4), (0, 0, 1), (1, 2, 0)], "past"),
        ((2, 2, 2), [(1, 0, 2), (0, 2, 1)], "past"), ((2, 2, 2, 2), [(1, 0, 2, 0), (2, 1, 0, 4), (0, 8, 1, 2)], "past"),
        ((4, 2, 3), [(1, 1, 1)], "equal"), ((2, 4, 3), [(1, 1, 1)], "equal"), ((3, 2, 4), [(2, 2, 2)], "equal"),
        ((2, 3, 4), [(0, 1, 0), (0, 0, 1), (1, 0, 0)], "past"), ((1, 3, 2), [(5, 1, 3)], "past"),
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


def _sorted(
    shape: Sizes,
    operands: Sequence[Sizes],
    is_reduction: bool = False,
    *,
    verdict: Callable[[int], int] = int,
    stops: bool = True,
    turned: bool = False,
    follows: bool = True,
) -> Sizes:
    """Sort the dimensions by another rule.

    Args:
        verdict: what is made of the answer of `should_swap`.
        stops: whether -1 ends the search.
        turned: the two dims the other way round.
        follows: whether the entry is followed to its new place.
    """
    from engine.aten.iterator_geometry import should_swap

    perm = [*reversed(range(len(shape)))]
    for place in range(1, len(perm)):
        moving = place
        for other in reversed(range(place)):
            pair = (perm[moving], perm[other]) if turned else (perm[other], perm[moving])
            said = verdict(should_swap(shape, operands, *pair, is_reduction))
            if said < 0 and stops:
                break
            if said > 0:
                perm[other], perm[moving] = perm[moving], perm[other]
                moving = other if follows else place
    return tuple(perm)


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
    mistakes=(
        Mistake(
            "where should_swap never decides, the order stays n-1, ..., 0",
            lambda args, wanted, got: not any(map(any, args[1])) and got.value == wanted.value[::-1],
        ),
        gives(
            "this is what comes out when -1 does not end the search: then the entry has found its place",
            lambda *args: _sorted(*args, stops=False),
        ),
        gives(
            "this is what comes out when is_reduction does not reach should_swap",
            lambda shape, operands, is_reduction=False: _sorted(shape, operands),
        ),
        gives(
            "this is what comes out when 0 counts as -1: the entry stays for now, and the next one is asked",
            lambda *args: _sorted(*args, verdict=lambda said: said or -1),
        ),
        gives(
            "this is what comes out when 0 counts as 1: the two do not change places",
            lambda *args: _sorted(*args, verdict=lambda said: said or 1),
        ),
        gives(
            "this is what comes out when the entry is not followed: after a swap it is in the other's place",
            lambda *args: _sorted(*args, follows=False),
        ),
        gives(
            "this is what comes out when the two dims are passed the other way round, and the answers turned: where "
            "should_swap says 0, it may say 1 for the same pair the other way round",
            lambda *args: _sorted(*args, turned=True, verdict=lambda said: -said),
        ),
        gives(
            "this is what comes out when only the first operand is asked: pass all of them to should_swap",
            lambda shape, operands, *rest: _sorted(shape, operands[:1], *rest),
        ),
        gives(
            "this is n-1, ..., 0, as in the beginning. Here dims change places: at each place from 1 to n-1, where "
            "should_swap says 1 of perm[other] and perm[moving]; and the list stays innermost first",
            lambda shape, *rest: tuple(reversed(range(len(shape)))),
        ),
        gives(
            "this is the right order turned round: the list is innermost first, and the first dim that should_swap "
            "takes is the one further inside",
            lambda *args: _sorted(*args)[::-1],
        ),
    ),
    program="operators.program.without_broadcasting",
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
        ((2, 3, 4), [(16, 4, 1)], "not"), ((2, 3), [(7, 2)], "remainder"), ((2, 3), [(8, 2)], "remainder"),
        ((2, 3), [(5, 1)], "remainder"), ((2, 4), [(11, 3)], "remainder"), ((2, 3), [(5, 2)], "remainder"),
        ((2, 3, 4), [(25, 8, 2)], "remainder"), ((2, 3), [(6, 2), (7, 2)], "remainder"), ((2, 3), [(2, 3)], "not"),
        ((2, 3), [(3 * 2**53 + 1, 2**53)], "remainder"), ((2, 3), [(3 * 2**60 + 3, 2**60 + 1)], "merge"),
        ((2, 3), [(1, 0)], "not"), ((2, 3), [(0, 1)], "not"), ((2, 3, 4), [(12, 4, 1)] * 5, "merge"),
    ]:  # fmt: skip
        yield Case((sizes, operands), about)
    for ndim in (2, 3, 4, 5) * 10:
        sizes = unequal(rng, ndim)
        order = [*reversed(range(ndim))]
        operands = [packed(sizes, order, [rng.choice((1, 1, 1, 2)) for _ in sizes]) for _ in range(rng.randint(1, 3))]
        yield Case((sizes, operands), "all" if len(operands) > 1 else "pairs")
        yield Case((sizes, [packed(sizes), strided(rng, sizes)]), "all")
    for _ in range(12):
        size, inner = rng.randint(2, 5), rng.randint(2, 6)
        outer = inner * size + rng.choice((-1, 1)) * rng.randint(1, max(inner, size) - 1)
        yield Case(((rng.randint(2, 4), size), [(outer, inner)]), "remainder")


def _coalesce_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, operands, about in [
        ((), [()], "nothing"), ((), [], "no operands"), ((), [(), ()], "nothing"), ((1,), [(1,)], "ones"),
        ((1, 1), [(7, 3), (0, 2)], "ones"), ((2, 1), [(1, 5)], "ones"), ((1, 2), [(5, 1)], "ones"),
        ((2, 1, 3), [(3, 7, 1)], "ones"), ((2, 1, 3), [(3, 3, 1), (3, 9, 1)], "ones"), ((2, 1, 3), [(1, 7, 2)], "ones"),
        ((2, 1, 3), [(4, 7, 1)], "ones"), ((2, 3), [], "no operands"), ((2, 1, 3), [], "no operands"),
        ((0,), [(1,)], "empty"), ((0, 3), [(3, 1)], "empty"), ((3, 0), [(1, 1)], "empty"), ((3, 0), [(0, 1)], "empty"),
        ((2, 0, 3), [(3, 3, 1)], "empty"), ((2, 3), [(0, 0)], "merge"), ((0, 0), [(0, 0)], "empty"),
        ((0, 3), [(4, 1)], "empty"), ((1, 0), [(5, 1)], "empty"), ((2, 3), [(0, 0), (0, 0)], "merge"),
        ((1, 1), [], "no operands"), ((0, 3), [], "no operands"), ((2, 3, 4), [], "no operands"),
    ]:  # fmt: skip
        yield Case((sizes, operands), about)
    for ndim in (1, 2, 3, 4, 5) * 8:
        sizes = replaced(rng, repeated(rng, ndim, 1, 3), 1, rng.randint(0, 1))
        steps = packed(sizes)
        noisy = tuple(rng.randint(0, 9) if size == 1 else step for size, step in zip(sizes, steps, strict=True))
        operands = [steps, noisy, replaced(rng, steps, 0)][: rng.randint(1, 3)]
        rng.shuffle(operands)
        yield Case((sizes, operands), "ones" if 1 in sizes else "all" if len(operands) > 1 else "pairs")


Steps = list[int]


def _merged(
    sizes: Sizes,
    operands: Sequence[Sizes],
    *,
    allows: Callable[[list[bool]], bool] = all,
    drops: str = "before",
    keeps: str = "inner",
    most: int = 1000,
) -> tuple[Sizes, ...]:
    """Merge the dimensions of the walk by another rule.

    Args:
        allows: of the operands' answers.
        drops: when dimensions of size 1 go: "before", "after" or "never".
        keeps: the strides of which of two, "inner" or "outer".
        most: how many pairs are merged at most.
    """
    merged: list[Steps] = []
    for size, *steps in zip(sizes, *operands, strict=True):
        if size == 1 and drops == "before":
            continue
        if merged and most and allows([a == b * size for a, b in zip(merged[-1][1:], steps, strict=True)]):
            merged[-1] = [merged[-1][0] * size, *(steps if keeps == "inner" else merged[-1][1:])]
            most -= 1
        else:
            merged.append([size, *steps])
    merged = [entry for entry in merged if entry[0] != 1 or drops != "after"]
    return tuple(zip(*merged, strict=True)) if merged else ((),) * (1 + len(operands))


def _coalesce_differs(args: tuple, wanted, got) -> Iterator[str]:
    lengths = {len(row) for row in got}
    if len(got) != len(wanted) or len(lengths) != 1:
        yield "rows"
    elif len(got[0]) != len(wanted[0]):
        yield "too few" if len(got[0]) < len(wanted[0]) else "too many"
    else:
        yield "sizes" if got[0] != wanted[0] else "strides"


COALESCE_DIMS = Check(
    "strides.coalesce_dims",
    ("sizes", "operands"),
    (Aspect("ordinary", 4, _coalesce_ordinary), Aspect("edge", 3, _coalesce_edge, needs="ordinary")),
    {
        "one dimension": "nothing to merge: sizes, then the strides of each operand, as tuples",
        "merge": "two neighbours that one stride walks become one: sizes multiplied, strides of the inner one",
        "not": "the outer stride is not inner stride * inner size: these two stay two",
        "all": "all operands must allow it: one that does not keeps the two apart for all",
        "pairs": "ask for each pair of neighbours, a merged one and what follows it included",
        "ones": "a dimension of size 1 goes, whatever its strides; its neighbours may be merged across it",
        "nothing": "no dimension is left: one empty tuple for sizes and one for each operand",
        "no operands": "without operands nothing keeps dimensions apart; the result is (sizes,)",
        "rows": "the result has the sizes and then the strides of each operand, all equally long",
        "too few": "dimensions are merged that must stay apart: for every operand the outer stride must be exactly "
        "inner stride * inner size, also where a size is 0",
        "too many": "dimensions are left that can go: of size 1, or one of a pair with outer stride == inner stride * "
        "inner size for every operand",
        "sizes": "the right number of dimensions, but other sizes: of a merged one the product, from the outermost in",
        "strides": "the right sizes, but other strides: of a merged dimension those of the inner one",
        "remainder": "the outer stride must be exactly inner stride * inner size",
        "empty": "0 is a size like any other, and the rule is asked of it too",
        "type": "return a tuple of tuples",
        "returned None": "the function ends without `return`",
        "raised": "there is nothing to refuse here",
    },
    mistakes=(
        gives(
            "this is what comes out when one operand that allows it is enough: all of them must",
            lambda sizes, operands: _merged(sizes, operands, allows=any),
        ),
        gives(
            "this is what comes out when only the first operand is asked: all of them must allow it",
            lambda sizes, operands: _merged(sizes, operands, allows=lambda fits: fits[0]),
        ),
        gives(
            "this is what comes out when dimensions of size 1 stay: they go, whatever their strides",
            lambda sizes, operands: _merged(sizes, operands, drops="never"),
        ),
        gives(
            "this is what comes out when dimensions of size 1 go afterwards: they go first, so that their neighbours "
            "meet",
            lambda sizes, operands: _merged(sizes, operands, drops="after"),
        ),
        gives(
            "this is what comes out when the strides of the outer one are kept: the merged one has the inner one's",
            lambda sizes, operands: _merged(sizes, operands, keeps="outer"),
        ),
        gives(
            "this is what comes out when at most one pair is merged: the merged one may merge with what follows it",
            lambda sizes, operands: _merged(sizes, operands, most=1),
        ),
        Mistake(
            "where no dimension is left, the result still has one empty tuple for sizes and one for each operand",
            lambda args, wanted, got: wanted.value[0] == () and got.value == (),
        ),
    ),
    differs=_coalesce_differs,
    probe="operators.shapes.coalesce_dims",
    program="operators.program.without_single_elements",
)

CHECKS = (REORDER_DIMENSIONS, COALESCE_DIMS)
