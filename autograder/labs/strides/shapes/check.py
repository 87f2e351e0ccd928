"""Checks of the exercises that get new sizes: behind `expand`, `view` and `reshape` (engine/strides.py)."""

import math
import random
from collections.abc import Iterable, Iterator

from autograder.examine.hints import positions
from autograder.examine.model import Aspect, Case, Check, Drawing, Mistake
from autograder.examine.plain_data import equal
from autograder.examine.questions import Observation
from autograder.labs.strides.geometry import given, packed, repeated, replaced, shuffled, strided, unequal
from autograder.labs.strides.mistakes import BEYOND, EXACT, ROUNDED, gives

Sizes = tuple[int, ...]


def _expandable(rng: random.Random, ndim: int, low: int = 1) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Draw sizes of which about half are 1, and the sizes they expand to."""
    target = repeated(rng, ndim, low, 5)
    return tuple(1 if rng.random() < 0.5 else size for size in target), target


def _about_expand(sizes: tuple[int, ...], target: tuple[int, ...]) -> str:
    """Return the feature that decides the answer: a key of the hints."""
    extra = len(target) - len(sizes)
    features = {
        "minus one": -1 in target,
        "leading one": 1 in target[:extra],
        "no dimensions": not sizes,
        "size 0": 0 in sizes or 0 in target,
        "leading": extra > 0,
        "repeat": sizes != target,
    }
    return next((about for about, present in features.items() if present), "keep")


def _expand_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, target, about in [
        ((1,), (1,), (3,), "repeat"), ((3,), (1,), (3,), "keep"), ((3,), (2,), (2, 3), "leading"),
        ((3, 1), (1, 1), (3, 4), "repeat"), ((3, 1), (1, 1), (2, 3, 4), "leading"), ((1, 3), (3, 1), (2, 3), "repeat"),
        ((3, 2), (1, 3), (3, 2), "keep"), ((3, 1), (1, 7), (3, 1), "keep"), ((2,), (1,), (2, 2), "leading"),
        ((2, 1), (1, 1), (-1, 3), "minus one"), ((2, 3), (3, 1), (-1, -1), "minus one"),
        ((2,), (1,), (3, -1), "minus one"),
    ]:  # fmt: skip
        yield Case((sizes, strides, target), about)
    for ndim, extra in ((1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (4, 0)) * 10:
        sizes, target = _expandable(rng, ndim)
        leading = repeated(rng, extra, 2, 4)
        kept = tuple(-1 if size == new and rng.random() < 0.3 else new for size, new in zip(sizes, target, strict=True))
        yield Case((sizes, strided(rng, sizes), leading + kept), _about_expand(sizes, leading + kept))
    for size in (rng.randint(300, 900), rng.randint(300, 900)):
        yield Case(((size, 1), (1, 1), (2, size, 3)), "keep")
    yield Case(((3, 1), (BEYOND, 1), (3, 4)), "repeat")


def _expand_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, target, about in [
        ((), (), (), "no dimensions"), ((), (), (3,), "no dimensions"), ((), (), (1,), "leading one"),
        ((), (), (1, 1), "leading one"), ((), (), (2, 1), "leading one"), ((), (), (1, 2), "leading one"),
        ((3,), (2,), (1, 3), "leading one"), ((3,), (2,), (1, 1, 3), "leading one"),
        ((1,), (4,), (1, 1), "leading one"),
        ((1,), (4,), (1, 3), "leading one"), ((3,), (1,), (1, 2, 3), "leading one"),
        ((3,), (1,), (2, 1, 3), "leading one"),
        ((1,), (1,), (0,), "size 0"), ((0,), (1,), (0,), "size 0"), ((0,), (2,), (2, 0), "size 0"),
        ((1,), (5,), (-1,), "minus one"), ((0,), (5,), (-1,), "minus one"), ((0, 1), (3, 1), (-1, 4), "size 0"),
        ((3,), (1,), (0, 3), "size 0"), ((2,), (1,), (1, 0, 2), "size 0"), ((0,), (7,), (1, 0), "size 0"),
    ]:  # fmt: skip
        yield Case((sizes, strides, target), about)
    for ndim, extra in ((0, 1), (1, 1), (1, 2), (2, 1), (2, 2), (3, 2)) * 10:
        sizes, target = _expandable(rng, ndim, low=0)
        leading = repeated(rng, extra, 0, 2)
        yield Case((sizes, strided(rng, sizes), leading + target), _about_expand(sizes, leading + target))


def _expand_refusals(rng: random.Random) -> Iterator[Case]:
    for sizes, target, about in [
        ((1,), (), "too few"), ((2, 3), (3,), "too few"), ((1, 1), (1,), "too few"), ((3,), (2,), "differs"),
        ((3,), (1,), "differs"), ((2,), (4,), "differs"), ((0,), (1,), "differs"), ((0,), (2,), "differs"),
        ((3,), (0,), "differs"), ((2, 3), (3, 2), "differs"), ((3,), (3, 1), "differs"), ((3,), (-1, 3), "new"),
        ((3,), (-2,), "below -1"), ((1,), (-2,), "below -1"), ((3,), (-2, 3), "below -1"), ((1,), (-3, 1), "below -1"),
        ((), (-1,), "new"), ((3,), (-1, -1), "new"), ((1,), (2, -1, 1), "new"), ((1,), (-1, 1), "new"),
    ]:  # fmt: skip
        yield Case((sizes, packed(sizes), target), about)
    for ndim in (1, 2, 3, 4) * 5:
        sizes, target = _expandable(rng, ndim)
        clashing = repeated(rng, ndim, 2, 5)
        at = rng.randrange(ndim)
        wrong = clashing[:at] + (clashing[at] + rng.choice((-1, 1, clashing[at])),) + clashing[at + 1 :]
        yield Case((sizes, packed(sizes), target[1:]), "too few")
        yield Case((clashing, packed(clashing), wrong), "differs")
        yield Case((sizes, packed(sizes), (-1,) + target), "new")


def _expands(says: str, repeated: bool = False, ones: bool = False, leading: str = "right") -> Mistake:
    """Build the mistake in which some strides are wrong.

    Args:
        repeated: a repeated dimension keeps its stride.
        ones: every existing dimension of size 1 gets stride 0.
        leading: "0" gives new dimensions of size 1 stride 0, "all" gives every new one size * stride of the next.
    """

    def mistaken(sizes, strides, new_sizes):
        extra = len(new_sizes) - len(sizes)
        out_sizes, out_strides, step = [], [], 0
        for d in reversed(range(len(new_sizes))):
            size, stride = (sizes[d - extra], strides[d - extra]) if d >= extra else (1, step)
            target = size if new_sizes[d] == -1 else new_sizes[d]
            if d < extra:
                stride = stride if (target == 1 and leading == "right") or leading == "all" else 0
            elif (size != target and not repeated) or (ones and size == 1):
                stride = 0
            out_sizes.insert(0, target)
            out_strides.insert(0, stride)
            step = target * stride
        return tuple(out_sizes), tuple(out_strides)

    return gives(says, mistaken)


def _filled(values: Sizes, new_sizes: Sizes, filler: int) -> Sizes:
    """Append `filler` to the values until there are as many as new sizes."""
    return values + (filler,) * (len(new_sizes) - len(values))


def _about_expanded(args: tuple, wanted: tuple[Sizes, Sizes], got: tuple[Sizes, Sizes]) -> Iterable[str]:
    """Return the part that is wrong, as keys of the hints."""
    wrong = [new for new, right, given in zip(args[2], wanted[0], got[0], strict=False) if right != given]
    is_of_zero = len(wanted[0]) == len(got[0]) and set(wrong) == {0}
    return ("size 0",) if is_of_zero else positions("sizes", "strides")(args, wanted, got)


def _only_leading_ones(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if nothing is wrong but strides of new dimensions of size 1."""
    (right_sizes, right), (given_sizes, given) = wanted.value, got.value  # type: ignore[misc]
    extra = len(right_sizes) - len(args[0])
    wrong = [d for d, (stride, other) in enumerate(zip(right, given, strict=True)) if stride != other]
    are_new_ones = bool(wrong) and all(d < extra and right_sizes[d] == 1 for d in wrong)
    return equal(right_sizes, given_sizes) and are_new_ones


LEADING_ONE = (
    "a new leading dimension of size 1 is not repeated: it gets size * stride of the result's dimension to its right, "
    "or 0 if there is none"
)
EXPAND = Check(
    "strides.expand",
    ("sizes", "strides", "new_sizes"),
    (
        Aspect("ordinary", 4, _expand_ordinary),
        Aspect("edge", 3, _expand_edge, needs="ordinary"),
        Aspect("refusals", 2, _expand_refusals, needs="ordinary"),
    ),
    {
        "repeat": "a repeated dimension always reads the same cell again: what step is that?",
        "keep": "a dimension whose size stays keeps its stride, also if that size is 1",
        "leading": "sizes are aligned at the last dimension; what is left over on the left is new",
        "leading one": LEADING_ONE,
        "minus one": "-1 keeps the size of an existing dimension",
        "no dimensions": "a tensor without dimensions can be repeated too: every dimension is new",
        "size 0": "1 may become 0, and 0 stays 0; a size of 0 is not -1",
        "sizes": "the sizes are `new_sizes`, where each -1 means the old size; they are aligned at the last one",
        "strides": "the sizes are right. A dimension whose size stays keeps its stride, and a repeated one gets 0; for "
        "a new one see the docstring",
        "too few": "fewer sizes than dimensions must be refused",
        "differs": "only a size of 1 can be repeated: any other size stays as it is",
        "below -1": "only -1 has a meaning; any other negative size must be refused",
        "new": "-1 keeps a size, but a new dimension has none to keep",
        "type": "return two tuples: (sizes, strides)",
        "returned None": "the function ends without `return`",
        "raised": "these sizes are possible: nothing to refuse",
        "not raised": "these sizes need a copy: see Raises in the docstring",
    },
    drawing=Drawing(given, lambda args, answer: (*answer, 0)),
    mistakes=(
        Mistake(LEADING_ONE, _only_leading_ones),
        _expands("a repeated dimension reads the same cell again: its stride is 0", repeated=True),
        _expands("a dimension whose size stays keeps its stride, also if that size is 1", ones=True),
        _expands("a dimension whose size stays keeps its stride, also if that size is 1", ones=True, leading="0"),
        _expands("only a new dimension of size 1 gets a stride; one that is repeated reads the same cell again: 0",
                 leading="all"),
        Mistake(
            "a -1 in `new_sizes` keeps the old size: the answer has that size, not -1",
            lambda args, wanted, got: not wanted.raised and -1 in got.value[0],
        ),
        gives(
            "your answer aligns the sizes at the first dimension; they are aligned at the last",
            lambda sizes, strides, new_sizes: (
                tuple(
                    size if new == -1 else new
                    for size, new in zip(_filled(sizes, new_sizes, 1), new_sizes, strict=True)
                ),
                tuple(
                    0 if size != new else stride
                    for size, stride, new in zip(
                        _filled(sizes, new_sizes, 1), _filled(strides, new_sizes, 0), new_sizes, strict=True
                    )
                ),
            ),
        ),
        gives(
            "these are the strides of a fresh tensor of the new sizes; but no element moves, and none is copied",
            lambda sizes, strides, new_sizes: None if -1 in new_sizes else (new_sizes, packed(new_sizes)),
        ),
    ),
    differs=_about_expanded,
)  # fmt: skip


def _infer_ordinary(rng: random.Random) -> Iterator[Case]:
    for shape, numel, about in [
        ((2,), 2, "given"), ((-1,), 3, "inferred"), ((-1,), 1, "inferred"), ((2, -1), 6, "inferred"),
        ((-1, 2), 6, "inferred"), ((2, 3), 6, "given"), ((2, -1, 3), 6, "inferred"), ((1, -1), 1, "inferred"),
    ]:  # fmt: skip
        yield Case((shape, numel), about)
    for ndim in (1, 2, 3, 4) * 10:
        shape = repeated(rng, ndim, 1, 6)
        yield Case((shape, math.prod(shape)), "given")
        yield Case((replaced(rng, shape, -1), math.prod(shape)), "inferred")
    for size in (rng.randint(300, 900), rng.randint(300, 900)):
        yield Case(((size, 3), 3 * size), "given")
        yield Case(((size, -1), 3 * size), "inferred")


def _infer_edge(rng: random.Random) -> Iterator[Case]:
    for shape, numel in [((), 1), ((0,), 0), ((-1,), 0), ((-1, 2), 0), ((3, -1, 2), 0), ((2, 0), 0), ((0, 0), 0)]:
        yield Case((shape, numel), "no dimensions" if not shape else "no elements")
    yield Case(((3, -1), 3 * (2**53 + 1)), "large")
    yield Case(((-1,), 2**53 + 1), "large")
    yield Case(((2**53 + 1, 3), 3 * (2**53 + 1)), "large")
    for ndim in (1, 2, 3, 4) * 10:
        shape = repeated(rng, ndim, 1, 6)
        yield Case((replaced(rng, shape, 0), 0), "no elements")
        yield Case((replaced(rng, shape, -1), 0), "no elements")


def _infer_refusals(rng: random.Random) -> Iterator[Case]:
    for shape, numel, about in [
        ((), 0, "product"), ((), 2, "product"), ((2,), 3, "product"), ((3,), 2, "product"), ((0,), 1, "product"),
        ((1,), 0, "product"), ((2, -1), 3, "product"), ((4, -1), 2, "product"), ((0, -1), 2, "zero beside"),
        ((-1, 0), 0, "ambiguous"), ((0, -1), 0, "ambiguous"), ((-1, 3, 0), 0, "ambiguous"), ((-1, -1), 1, "two"),
        ((-1, -1), 4, "two"), ((-1, 2, -1), 2, "two"), ((-2,), 2, "negative"), ((-2, -2), 4, "negative"),
        ((-2, 3), -6, "negative"), ((-3, -1), 3, "negative"), ((-1, -1), 0, "two"), ((0, -2), 0, "negative"),
    ]:  # fmt: skip
        yield Case((shape, numel), about)
    for shape, numel in [((2, -1), 2**60 + 1), ((2**53 + 1, -1), 3 * (2**53 + 1) + 1), ((2**53,), 2**53 + 1)]:
        yield Case((shape, numel), "remainder")
    for ndim in (2, 3, 4) * 7:
        shape = repeated(rng, ndim, 2, 6)
        numel = math.prod(shape)
        yield Case((shape, numel + rng.choice((-1, 1, numel))), "product")
        yield Case((replaced(rng, shape, -1) + (numel + 1,), numel), "product")
        yield Case((replaced(rng, shape, -1, 2), numel), "two")
        yield Case((replaced(rng, shape, -rng.randint(2, 4)), numel), "negative")
        yield Case((replaced(rng, shape, -1) + (0,), rng.choice((0, numel))), "ambiguous")


INFER_SIZE = Check(
    "strides.infer_size",
    ("shape", "numel"),
    (
        Aspect("ordinary", 2, _infer_ordinary),
        Aspect("edge", 1, _infer_edge, needs="ordinary"),
        Aspect("refusals", 2, _infer_refusals, needs="ordinary"),
    ),
    {
        "given": "without a -1 the shape is the answer, if its product fits",
        "inferred": "the size that is missing is numel over the product of all the others",
        "no dimensions": "the product of no sizes is 1: a tensor without dimensions has one element",
        "no elements": "0 elements are fine: 0 is a multiple of every size, and (0, 2) has 0 elements",
        "product": "do the elements fill this shape exactly? A remainder, or a product that differs, must be refused",
        "zero beside": "0 times anything is 0: no size can make these elements fit",
        "remainder": "the product is off by 1, or a remainder of 1 is left: a float can't hold numbers that large",
        "large": ROUNDED.says,
        "ambiguous": "with a size of 0 beside it, the -1 could be any value: refuse, as the docstring says",
        "two": "two unknown sizes have more than one answer: refuse",
        "negative": "only -1 has a meaning; any other negative size must be refused, even if the products agree",
        "type": "return a tuple of ints (`//`, not `/`)",
        "returned None": "the function ends without `return`",
        "raised": "this shape can be filled exactly: nothing to refuse",
        "not raised": "this shape must be refused with RuntimeError: see Raises in the docstring",
    },
    mistakes=(
        gives("the -1 is replaced by the size that is missing", lambda shape, numel: shape),
        gives(
            "the missing size is numel over the product of all the other sizes, not numel itself",
            lambda shape, numel: tuple(numel if size == -1 else size for size in shape),
        ),
        ROUNDED,
    ),
    differs=lambda args, wanted, got: ["inferred" if -1 in args[0] else "given"],
)


def _factored(rng: random.Random, numel: int) -> tuple[int, ...]:
    """Cut `numel` at random into sizes of at least 2 whose product it is."""
    sizes = []
    while numel > 1:
        size = rng.choice([k for k in range(2, numel + 1) if numel % k == 0])
        sizes.append(size)
        numel //= size
    return tuple(sizes)


def _grouped(rng: random.Random, groups: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Draw sizes, strides and the elements of each group: dimensions packed within a group, a gap between groups."""
    sizes: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    numels = tuple(rng.choice((2, 3, 4, 6, 8, 12)) for _ in range(groups))
    bases = packed(numels, shuffled(rng, groups), [rng.randint(1, 3) for _ in numels])
    for numel, base in zip(numels, bases, strict=True):
        cut = _factored(rng, numel)
        sizes += cut
        strides += tuple(base * stride for stride in packed(cut))
    return sizes, strides, numels


def _view_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, new_sizes, about in [
        ((2,), (1,), (2,), "merge"), ((2,), (3,), (2,), "merge"), ((4,), (1,), (2, 2), "split"),
        ((4,), (3,), (2, 2), "split"), ((2, 2), (2, 1), (4,), "merge"), ((2, 3), (3, 1), (6,), "merge"),
        ((3, 2), (1, 3), (6,), "copy"), ((2, 2), (1, 2), (2, 2), "apart"), ((2, 3), (3, 1), (3, 2), "both"),
        ((3, 2), (1, 3), (2, 3), "copy"), ((2, 3), (4, 1), (6,), "copy"), ((2, 3), (0, 1), (6,), "copy"),
        ((2, 3), (0, 0), (6,), "merge"), ((2, 3), (6, 2), (6,), "merge"), ((2, 4), (8, 1), (2, 2, 2), "split"),
        ((2, 4), (8, 1), (4, 2), "copy"), ((2, 4), (1, 2), (4, 2), "copy"), ((2, 2, 3), (1, 6, 2), (2, 6), "merge"),
        ((2, 3, 4), (12, 4, 1), (4, 6), "both"), ((2, 3), (1, 0), (6,), "copy"), ((2, 2), (5, 2), (4,), "copy"),
        ((2, 3), (4, 1), (3, 2), "copy"), ((3, 4), (8, 1), (4, 3), "copy"), ((3, 4), (8, 1), (6, 2), "copy"),
        ((3, 4), (8, 1), (2, 6), "copy"), ((2, 2, 3), (7, 3, 1), (4, 3), "copy"), ((4, 2), (3, 1), (2, 4), "copy"),
        ((4, 3), (4, 1), (2, 3, 2), "copy"), ((4, 6), (10, 1), (2, 3, 4), "copy"), ((3, 4), (8, 1), (2, 3, 2), "copy"),
        ((2, 3), (3 * EXACT + 4, EXACT + 1), (6,), "copy"), ((2, 3), (3 * EXACT + 3, EXACT + 1), (6,), "merge"),
    ]:  # fmt: skip
        yield Case((sizes, strides, new_sizes), about)
    for groups in (1, 2, 3) * 16:
        sizes, strides, numels = _grouped(rng, groups)
        fitting = tuple(size for numel in numels for size in _factored(rng, numel))
        yield Case((sizes, strides, fitting), "both")
        yield Case((sizes, strides, _factored(rng, math.prod(sizes))), "copy" if groups > 1 else "both")
    for sizes in (unequal(rng, 3, 20, 40), unequal(rng, 3, 20, 40)):
        yield Case((sizes, packed(sizes), (math.prod(sizes),)), "large")
        yield Case((sizes, packed(sizes), sizes), "large")
    yield Case(((2, 3), (3 * BEYOND, BEYOND), (6,)), "merge")


def _view_ones(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, new_sizes in [
        ((1,), (1,), ()), ((1,), (5,), (1,)), ((1, 3), (7, 1), (3, 1)), ((3, 1), (1, 7), (3,)),
        ((3, 1), (1, 7), (3, 1)), ((3,), (2,), (1, 3)), ((3,), (2,), (3, 1)), ((2, 1, 3), (3, 9, 1), (6,)),
        ((2, 1, 3), (1, 9, 2), (6,)), ((2, 1, 3), (5, 9, 1), (2, 3)), ((2, 3), (1, 2), (2, 1, 3)),
        ((1, 1), (4, 9), (1,)), ((1, 1), (4, 9), (1, 1, 1)), ((2, 1), (1, 2), (1, 2)), ((1, 2), (0, 0), (2, 1)),
        ((1, 3), (7, 1), (1, 3)), ((2, 1, 3), (4, 9, 1), (2, 1, 3)),
    ]:  # fmt: skip
        yield Case((sizes, strides, new_sizes), "size 1")
    for groups in (0, 1, 1, 2, 2, 3) * 10:
        sizes, strides, numels = _grouped(rng, groups)
        target = tuple(size for numel in numels for size in _factored(rng, numel))
        if rng.random() < 0.3:
            target = _factored(rng, math.prod(sizes))
        for _ in range(rng.randint(0 if sizes else 1, 2)):
            at = rng.randint(0, len(sizes))
            sizes, strides = sizes[:at] + (1,) + sizes[at:], strides[:at] + (rng.randint(0, 9),) + strides[at:]
        for _ in range(rng.randint(0, 3)):
            at = rng.randint(0, len(target))
            target = target[:at] + (1,) + target[at:]
        yield Case((sizes, strides, target), "size 1")


def _view_empty(rng: random.Random) -> Iterator[Case]:
    for target in [(), (1,), (1, 1), (1, 1, 1)]:
        yield Case(((), (), target), "no dimensions")
    for sizes, strides, target, about in [
        ((0,), (1,), (0,), "no elements, same"), ((0,), (3,), (0,), "no elements, same"),
        ((0,), (3,), (2, 0), "no elements"), ((0,), (1,), (0, 2), "no elements"), ((0, 2), (5, 7), (0,), "no elements"),
        ((2, 0), (1, 2), (2, 0), "no elements, same"), ((2, 0), (1, 2), (0, 2), "no elements"),
    ]:  # fmt: skip
        yield Case((sizes, strides, target), about)
    for ndim in (1, 2, 3, 4) * 10:
        sizes = replaced(rng, repeated(rng, ndim, 1, 4), 0)
        target = replaced(rng, repeated(rng, rng.randint(1, 4), 0, 5), 0)
        strides = strided(rng, sizes)
        yield Case((sizes, strides, target), "no elements, same" if target == sizes else "no elements")
        yield Case((sizes, strides, sizes), "no elements, same")


def _about_view(args: tuple, wanted: Sizes | None, got: Sizes) -> Iterable[str]:
    """Return why the right answer is right, as keys of the hints."""
    sizes, _, new_sizes = args
    if wanted is None:
        return ("copy" if type(got) is tuple else "type",)
    if not sizes or 0 in sizes:
        return ("no dimensions" if not sizes else "no elements, same" if sizes == new_sizes else "no elements",)
    if len(wanted) != len(got):
        return ("length",)
    ones = [new for new, right, given in zip(new_sizes, wanted, got, strict=True) if right != given]
    return ("new one",) if set(ones) == {1} else () if 1 in sizes else ("both",)


VIEW_STRIDES = Check(
    "strides.view_strides",
    ("sizes", "strides", "new_sizes"),
    (
        Aspect("ordinary", 5, _view_ordinary),
        Aspect("ones", 2, _view_ones, needs="ordinary"),
        Aspect("empty", 2, _view_empty, needs="ordinary"),
    ),
    {
        "merge": "two neighbors merge when the outer stride is the inner stride times the inner size",
        "split": "one dimension can always be cut: its stride belongs to the innermost piece",
        "large": "compare numbers with == and !=, never with `is`",
        "apart": "dimensions that don't merge can still stay as they are",
        "both": "first find the groups that merge, then cut each group into new dimensions",
        "copy": "walk off the end of the inner dimension: does the outer one step exactly there? If not, "
        "no new dimension may reach across",
        "size 1": "a dimension of size 1 has no second element: its old stride can't matter, and it ends no group. "
        "The docstring says which stride a new one gets",
        "new one": "only strides of new dimensions of size 1 are wrong: each is size * stride of the new dimension to "
        "its right; see the docstring for the last one",
        "length": "there is one stride for each new size",
        "no dimensions": "a tensor without dimensions has one element: each new size is 1, each stride 1",
        "no elements": "without elements there is no order to keep: contiguous strides of the new sizes",
        "no elements, same": "without elements and with the same sizes, nothing changes: the old strides",
        "type": "return a tuple of ints, or None",
        "returned None": "these sizes can be a view: which old dimensions merge into one group? "
        "Dimensions of size 1 never prevent a view",
        "raised": "an impossible view is not an error here: return None",
    },
    drawing=Drawing(given, lambda args, answer: (args[2], answer, 0)),
    mistakes=(
        Mistake(ROUNDED.says, lambda args, wanted, got: not got.raised and max(args[1]) > EXACT),
        Mistake(
            "without elements no view is impossible: see Returns in the docstring",
            lambda args, wanted, got: 0 in args[0] and got.value is None and not got.raised,
        ),
        Mistake(
            "a tensor without dimensions has one element, which any sizes of 1 can view",
            lambda args, wanted, got: not args[0] and got.value is None and not got.raised,
        ),
        gives(
            "these are the strides of a fresh tensor of the new sizes; here the elements are in other cells",
            lambda sizes, strides, new_sizes: None if 0 in sizes or 1 in new_sizes else packed(new_sizes),
        ),
        gives(
            "this walks all elements with the stride of the last dimension; it holds only for those that merge with it",
            lambda sizes, strides, new_sizes: tuple(strides[-1] * stride for stride in packed(new_sizes)),
        ),
    ),
    differs=_about_view,
)

CHECKS = (EXPAND, INFER_SIZE, VIEW_STRIDES)
