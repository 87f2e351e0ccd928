"""Checks of meta functions: a matrix product, a division that may round, a reduction."""

import random
from collections.abc import Callable, Iterable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal
from autograder.labs.operators.modeled import is_raised
from autograder.labs.strides.geometry import Sizes, repeated, shuffled, signed, unequal

Described = tuple[Sizes, str, bool, str]
KINDS = ("float32", "float64", "int64", "int32", "bool")
DEVICES = ("cpu", "meta")


def _matrix(rng: random.Random, sizes: Sizes, kind: str = "float32") -> Described:
    return sizes, kind, rng.random() < 0.3, rng.choice(DEVICES)


def _plain(sizes: Sizes, kind: str = "float32", device: str = "cpu") -> Described:
    return sizes, kind, False, device


def _mm_ordinary(rng: random.Random) -> Iterator[Case]:
    for first, second, about in [
        ((2, 3), (3, 4), "product"), ((3, 2), (2, 5), "product"), ((1, 3), (3, 1), "product"),
        ((2, 0), (0, 3), "empty"), ((0, 2), (2, 3), "empty"), ((2, 3), (3, 0), "empty"), ((0, 0), (0, 0), "empty"),
        ((1, 1), (1, 1), "product"),
    ]:  # fmt: skip
        yield Case((_plain(first), _plain(second)), about)
    for one, other in [("meta", "meta"), ("cpu", "meta"), ("meta", "cpu")]:
        yield Case((_plain((2, 3), device=one), _plain((3, 4), device=other)), "product")
    for kind in KINDS:
        yield Case((_plain((2, 3), kind), ((3, 4), kind, True, "cpu")), "product")
        yield Case((((2, 3), kind, True, "meta"), _plain((3, 4), kind, "meta")), "product")
    for one, other in [("float32", "float64"), ("int64", "float32"), ("bool", "int32"), ("float64", "float32")]:
        yield Case((_plain((2, 3), one), _plain((3, 4), other)), "product")
    for _ in range(40):
        m, k, n = repeated(rng, 3, 1, 9)
        kind = rng.choice(KINDS)
        yield Case((_matrix(rng, (m, k), kind), _matrix(rng, (k, n), rng.choice((kind, kind, "float64")))), "product")


def _mm_refusals(rng: random.Random) -> Iterator[Case]:
    for first, second, about in [
        ((2, 3), (2, 3), "inner"), ((2, 3), (4, 3), "inner"), ((2, 3), (4, 5), "inner"), ((0, 3), (2, 0), "inner"),
        ((2, 1), (3, 4), "inner"), ((2, 3), (1, 4), "inner"), ((2, 0), (1, 4), "inner"), ((2, 1), (0, 4), "inner"),
        ((3,), (3, 4), "self"), ((2, 3), (3,), "mat2"), ((), (2, 3), "self"), ((2, 3), (), "mat2"),
        ((3,), (3,), "self"), ((2, 2, 3), (2, 3, 4), "self"), ((2, 3), (2, 3, 4), "mat2"), ((2, 2, 3), (3, 4), "self"),
        ((2, 3, 1), (4,), "self"), ((2, 3), (4, 3, 1), "mat2"), ((1, 2, 3), (4, 5), "self"),
    ]:  # fmt: skip
        yield Case((_plain(first), _plain(second)), about)
    for _ in range(25):
        m, k, rows, n = unequal(rng, 4, 1, 9)
        yield Case((_matrix(rng, (m, k)), _matrix(rng, (rows, n), rng.choice(KINDS))), "inner")
        one, other = (repeated(rng, rng.choice((0, 1, 3)), 1, 4) for _ in range(2))
        yield Case((_matrix(rng, one), _matrix(rng, rng.choice(((m, k), other)))), "self")
        yield Case((_matrix(rng, (m, k)), _matrix(rng, other)), "mat2")


FIELDS = ("index", "sizes", "strides", "dtype", "device", "by")


def _declared_differs(args: tuple, wanted, got) -> Iterable[str]:
    """Yield the names of the fields of the one output that differ, or how the whole differs."""
    if is_raised(wanted):
        yield "text"
    elif isinstance(got, list) and len(got) != 1:
        yield "several" if got else "nothing declared"
    else:
        yield from (field for field in FIELDS if not equal(wanted[0][field], got[0][field]))


def _strides(says: str, model: Callable[[Described, Described], Sizes]) -> Mistake:
    """Build a mistake in the strides that are declared; `model` is called with the descriptions of both tensors."""
    return Mistake(
        says,
        lambda args, wanted, got: (
            not equal(wanted.value[0]["strides"], got.value[0]["strides"])
            and equal(got.value[0]["strides"], model(*args))
        ),
    )


MM_META = Check(
    "aten.native.linear_algebra.mm_meta",
    ("self", "mat2"),
    (Aspect("ordinary", 3, _mm_ordinary), Aspect("refusals", 3, _mm_refusals, needs="ordinary")),
    {
        "product": "(m, k) times (k, n): one output is declared, number 0",
        "empty": "a size of 0 is a size: the product has it, and contiguous_strides counts it as 1",
        "inner": "the columns of self and the rows of mat2 must be equal, even if one is 1; the text counts",
        "self": "self must have two dimensions, and is looked at first; the text counts",
        "mat2": "mat2 must have two dimensions; the text counts",
        "type": "sizes and strides are tuples of ints",
        "text": "the text counts: compare it with the docstring's; self is looked at first, then mat2, then 3 and 4",
        "nothing declared": "nothing is declared: call op.set_output_raw_strided, which is all that mm_meta does",
        "several": "the one output is declared more than once",
        "index": "the one output is number 0",
        "sizes": "the sizes are a tuple: the rows of self, the columns of mat2",
        "strides": "the strides are a tuple: those of a fresh tensor of the product's sizes, contiguous_strides",
        "dtype": "the output is of self's dtype, whatever mat2's is: the kernel's wrapper compares them later",
        "device": "the output is on self's device: `self._storage.device`, which is a device, not its name",
        "by": "the kernel of mm copes with any strides: op.set_output_raw_strided. With set_output_strided a "
        "transposed out= would get a proxy and a copy",
    },
    mistakes=(
        Mistake(
            "the function returns something here: it declares the output by op.set_output_raw_strided, and returns "
            "nothing",
            lambda args, wanted, got: got.value[0] == "returned",
        ),
        Mistake(
            "this must be refused, with one of the docstring's texts",
            lambda args, wanted, got: is_raised(wanted.value) and isinstance(got.value, list),
        ),
        Mistake(
            "refused too late: nothing may be declared before the last refusal",
            lambda args, wanted, got: "declared before" in got.value,
        ),
        Mistake(
            "it is right to refuse this, but with a RuntimeError",
            lambda args, wanted, got: is_raised(wanted.value) and got.value[1] in ("ValueError", "TypeError"),
        ),
        Mistake(
            "the dtypes are compared later, not here: another dtype of mat2 is no fault",
            lambda args, wanted, got: (
                args[0][1] != args[1][1] and not is_raised(wanted.value) and got.value[1] == "RuntimeError"
            ),
        ),
        _strides(
            "these are the strides of columns one after the other: in a fresh tensor the last index moves fastest",
            lambda one, other: (1, max(one[0][0], 1)),
        ),
        _strides("a size of 0 counts as 1 in contiguous_strides", lambda one, other: (other[0][1], 1)),
    ),
    differs=_declared_differs,
    probe="operators.metas.mm_meta",
    program="operators.program.without_refused_products",
)


PAIRS = [
    ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (3,)), ((2, 0), (1,)), ((4,), (2, 1, 4)), ((2, 2), ()),
]  # fmt: skip
MODES = (None, "trunc", "floor")
UNKNOWN = ("", "None", "floo", "up", "TRUNC", "Floor", "none", "ceil", "round", "trunc ")


def _div_ordinary(rng: random.Random) -> Iterator[Case]:
    for mode in MODES:
        about = "exact" if mode is None else "rounded"
        for kind in KINDS:
            yield Case((_plain((2, 3), kind), _plain((3,), kind), mode, ""), about)
            yield Case((_plain((2,), kind, "meta"), _plain((2,), kind, "meta"), mode, ""), about)
        for number in (2, 2.5, True):
            yield Case((_plain((2, 3), "int64"), number, mode, ""), about)
            yield Case((_plain((2, 3), "float32"), number, mode, ""), about)
        for kind in ("float32", "float64"):
            yield Case((_plain((2, 3), "float32"), _plain((2, 3), "float32"), mode, kind), "given")
        for one, other in PAIRS:
            pair = _matrix(rng, one, rng.choice(KINDS)), _plain(other, rng.choice(KINDS))
            yield Case((_plain(*pair[0][:2]), pair[1], mode, ""), about)
    for _ in range(20):
        one, other = rng.choice(PAIRS)
        mode = rng.choice(MODES)
        operands = (_plain(one, rng.choice(KINDS)), _plain(other, rng.choice(KINDS)))[:: rng.choice((1, -1))]
        yield Case((*operands, mode, ""), "exact" if mode is None else "rounded")


def _div_refusals(rng: random.Random) -> Iterator[Case]:
    for other in UNKNOWN:
        kind = rng.choice(KINDS)
        yield Case((_plain((2, 3), kind), _plain((3,), kind), other, ""), "unknown mode")
        yield Case((_plain((2,), kind), _plain((3,), kind), other, ""), "unknown mode first")
    for mode in MODES:
        for one, two in [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,)), ((4, 1, 2), (3,))]:
            yield Case((_plain(one), _plain(two), mode, ""), "does not broadcast")
    yield Case((_plain((2,), "int64"), _plain((2,), "int64"), None, "int64"), "does not fit the output")
    for mode in MODES[1:]:
        yield Case((_plain((2,), "float32"), _plain((2,), "int64"), mode, "int64"), "does not fit the output")


BUILT = ("built", "computes in", "dtype", "sizes")


def _div_differs(args: tuple, wanted, got) -> Iterable[str]:
    if is_raised(wanted):
        text = "text" if "rounding_mode" in wanted[2] else "text of the iterator"
        yield "declared" if not is_raised(got) else text if len(got) == len(wanted) else "built before"
    elif isinstance(got, dict):
        yield from (field for field in BUILT if not equal(wanted[field], got[field]))


def _unknown(wanted) -> bool:
    """Return True if a rounding mode is refused, not sizes or dtypes."""
    return is_raised(wanted.value) and "rounding_mode" in wanted.value[2]


DIV_META = Check(
    "aten.native.binary_ops.div_Tensor_mode_meta",
    ("self", "other", "rounding_mode", "given_output"),
    (Aspect("ordinary", 3, _div_ordinary), Aspect("refusals", 3, _div_refusals, needs="ordinary")),
    {
        "exact": "without a rounding mode 7 / 2 is 3.5: integers become floating-point",
        "rounded": "the result of a rounded quotient has the dtype that both promote to: integers stay integers",
        "given": "the iterator casts to the dtype of a given output if it may: build it as for a new output",
        "unknown mode": "only None, 'trunc' and 'floor' are modes, letter by letter: RuntimeError, and the text counts",
        "unknown mode first": "an unknown mode is refused before anything is built, so before the sizes are compared",
        "does not broadcast": "the iterator refuses sizes that do not broadcast: let its error pass",
        "does not fit the output": "the iterator refuses a result that the given output can't take: let its error pass",
        "declared": "this must be refused",
        "text": "the text counts: compare it with the docstring's, letter by letter",
        "text of the iterator": "the iterator refuses this, and its own error passes: it is built of self and other, "
        "in this order",
        "built before": "refused too late: nothing may be built before an unknown mode is refused",
        "built": "the iterator is built once, by one of the two methods of the docstring",
        "computes in": "the mode decides if integers become floating-point: with None they do, else they stay",
        "dtype": "the mode decides if integers become floating-point: with None they do, else they stay",
        "sizes": "the output has the sizes that both broadcast to; the iterator finds them",
    },
    mistakes=(
        Mistake(
            "this mode is unknown and not refused: any mode but None, 'trunc' and 'floor' is a RuntimeError with the "
            "docstring's text",
            lambda args, wanted, got: _unknown(wanted) and isinstance(got.value, dict),
        ),
        Mistake(
            "this mode is unknown, but the iterator was built, and this is its error about the sizes: refuse an "
            "unknown mode, also the empty text, before anything is built",
            lambda args, wanted, got: _unknown(wanted) and got.value[2].startswith("The size of tensor a"),
        ),
        Mistake(
            "it is right to refuse this, but with a RuntimeError",
            lambda args, wanted, got: is_raised(wanted.value) and got.value[1] in ("ValueError", "TypeError"),
        ),
        Mistake(
            "the function returns something here: building the iterator declares the output, and nothing is returned",
            lambda args, wanted, got: got.value[0] == "returned",
        ),
    ),
    differs=_div_differs,
    probe="operators.metas.div_meta",
    program="operators.program.run",
)


def _reduction(rng: random.Random, sizes: Sizes, dims: Sizes | None, keepdim: bool, about: str) -> Case:
    described = sizes, rng.choice(KINDS), rng.random() < 0.3, rng.choice(DEVICES)
    return Case((described, dims, keepdim, rng.choice(KINDS), rng.choice((0, 0, 1))), about)


def _reduction_ordinary(rng: random.Random) -> Iterator[Case]:
    for keepdim, about in ((False, "removed"), (True, "kept")):
        for sizes, dims in [((2, 3), (0,)), ((2, 3), (1,)), ((2, 3), (0, 1)), ((2, 3, 4), (1,)), ((2, 3, 4), (2, 0))]:
            yield Case((_plain(sizes), dims, keepdim, "float32", 0), about)
            yield _reduction(rng, sizes, dims, keepdim, about)
        yield Case((_plain((2, 3), "int32"), (0,), keepdim, "int64", 0), "dtype")
        yield Case((_plain((2, 3)), (0,), keepdim, "int64", 1), "index")
        yield Case((_plain((2, 3), device="meta"), (0,), keepdim, "float32", 0), "device")
        for ndim in (1, 2, 3, 4, 5) * 3:
            named = signed(rng, shuffled(rng, ndim)[: rng.randint(1, ndim)], ndim)
            yield _reduction(rng, unequal(rng, ndim), named, keepdim, about)


def _reduction_edge(rng: random.Random) -> Iterator[Case]:
    sizes: Sizes
    dims: Sizes | None
    for keepdim in (False, True):
        for dims in (None, ()):
            for sizes in ((), (3,), (2, 3), (2, 0), (1, 1), (2, 3, 4)):
                yield _reduction(rng, sizes, dims, keepdim, "all")
        for sizes, dims in [((2, 0), (0,)), ((2, 0), (1,)), ((0, 3, 2), (1,)), ((0, 0), (-1,)), ((3, 2, 0), (0,))]:
            yield _reduction(rng, sizes, dims, keepdim, "empty")
        for dims in ((0,), (-1,)):
            yield _reduction(rng, (), dims, keepdim, "no dimensions")
        for sizes in ((1, 3), (3, 1), (1, 1, 2), (2, 1, 3)):
            yield _reduction(rng, sizes, (rng.randrange(len(sizes)),), keepdim, "ones")


def _reduction_refusals(rng: random.Random) -> Iterator[Case]:
    for keepdim in (False, True):
        for sizes, dims in [((2,), (1,)), ((2, 3), (2,)), ((2, 3), (-3,)), ((), (1,)), ((2, 3), (0, 2))]:
            yield _reduction(rng, sizes, dims, keepdim, "out of range")
        for sizes, dims in [((2,), (0, 0)), ((2, 3), (0, -2)), ((2, 3, 4), (1, 0, 1)), ((), (0, -1))]:
            yield _reduction(rng, sizes, dims, keepdim, "twice")
        for ndim in (1, 2, 3, 4):
            sizes = unequal(rng, ndim)
            yield _reduction(rng, sizes, (0, rng.choice((ndim, -ndim - 1))), keepdim, "out of range")
            yield _reduction(rng, sizes, (ndim - 1, -1), keepdim, "twice")


def _reduction_differs(args: tuple, wanted, got) -> Iterable[str]:
    if not is_raised(wanted):
        yield from _declared_differs(args, wanted, got)


RESIZE_REDUCTION = Check(
    "aten.reduction.resize_reduction",
    ("self", "dims", "keepdim", "dtype", "index"),
    (
        Aspect("ordinary", 3, _reduction_ordinary),
        Aspect("edge", 2, _reduction_edge, needs="ordinary"),
        Aspect("refusals", 2, _reduction_refusals, needs="ordinary"),
    ),
    {
        "removed": "without keepdim the dimensions that `dims` names are gone",
        "kept": "with keepdim they have size 1, and the number of dimensions stays",
        "all": "no dims, None or (), mean all dimensions, as `make_dim_mask` has it",
        "empty": "a size of 0 is a size: it stays if it is not named; contiguous_strides counts it as 1",
        "no dimensions": "a tensor without dimensions takes 0 and -1, and the output has none either",
        "ones": "a dimension of size 1 that is not named stays, whatever keepdim is",
        "out of range": "make_dim_mask refuses this: let its error pass",
        "twice": "make_dim_mask refuses this: let its error pass",
        "nothing declared": "nothing is declared: call op.set_output_raw_strided, which is all that the function does",
        "several": "the one output is declared more than once",
        "index": "the output is number `index`, the argument",
        "sizes": "the sizes are a tuple: those of self, without what the mask names, or with 1 there",
        "strides": "the strides are a tuple: contiguous_strides of the sizes of the output",
        "dtype": "the output is of the dtype that the function is given, not of self's",
        "device": "the output is on self's device: `self._storage.device`, which is a device, not its name",
        "by": "the kernel copes with any strides: op.set_output_raw_strided. With set_output_strided a transposed out= "
        "would get a proxy and a copy",
    },
    mistakes=(
        Mistake(
            "make_dim_mask refuses these dims: let its error pass",
            lambda args, wanted, got: is_raised(wanted.value) and isinstance(got.value, list),
        ),
        Mistake(
            "with keepdim reduced dimensions stay, with size 1; without it they are gone",
            lambda args, wanted, got: (
                isinstance(got.value, list)
                and len(got.value) == 1
                and wanted.value[0]["sizes"] != got.value[0]["sizes"]
                and [size for size in got.value[0]["sizes"] if size != 1]
                == [size for size in wanted.value[0]["sizes"] if size != 1]
                and (len(got.value[0]["sizes"]) == len(args[0][0])) != args[2]
            ),
        ),
        Mistake(
            "the function returns something here: it declares the output, and returns nothing",
            lambda args, wanted, got: got.value[0] == "returned",
        ),
        Mistake(
            "refused too late: nothing may be declared before the dims are looked at",
            lambda args, wanted, got: "declared before" in got.value,
        ),
    ),
    differs=_reduction_differs,
    probe="operators.metas.resize_reduction",
    program="operators.program.without_totals",
)

CHECKS = (MM_META, DIV_META, RESIZE_REDUCTION)
