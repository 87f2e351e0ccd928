"""Check of a native view operator: another geometry, and the same memory."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check, Drawing
from autograder.labs.strides.geometry import packed, shuffled, signed, strided, unequal

SCRIPTS = (("self",), ("result",), ("row",), ("self", "result"), ("row", "self"), ("result", "row", "row"))


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, offset, dims, about in [
        ((), (), 0, (), "geometry"), ((), (), 2, (), "offset"), ((3,), (1,), 0, (0,), "geometry"),
        ((2, 3), (3, 1), 0, (1, 0), "geometry"), ((2, 3), (3, 1), 1, (1, 0), "offset"),
        ((2, 3), (1, 2), 0, (1, 0), "strides"), ((2, 3), (4, 1), 0, (0, 1), "strides"),
        ((2, 3, 4), (12, 4, 1), 0, (2, 0, 1), "geometry"), ((2, 3), (0, 1), 0, (1, 0), "strides"),
        ((2, 0), (1, 1), 3, (1, 0), "offset"), ((2, 3), (3, 1), 0, (-1, 0), "geometry"),
    ]:  # fmt: skip
        yield Case((sizes, strides, offset, dims, ()), about)
    for dims in [(0,), (0, 0), (0, 2), (-3, 0), (0, 1, 1), (1, -1)]:
        yield Case(((2, 3), (3, 1), 0, dims, ()), "refused")
    for ndim in (1, 2, 3, 4) * 8:
        sizes = unequal(rng, ndim, 1, 5)
        dims = signed(rng, shuffled(rng, ndim), ndim)
        yield Case((sizes, strided(rng, sizes, gap=2), rng.randint(0, 4), dims, ()), "strides")


def _sharing(rng: random.Random) -> Iterator[Case]:
    for script in SCRIPTS:
        yield Case(((2, 3), (3, 1), 0, (1, 0), script), "version" if len(script) > 1 else "write")
        yield Case(((2, 3), (1, 2), 1, (1, 0), script), "write")
    for script in (("self",), ("result",)):
        yield Case(((3,), (1,), 0, (0,), script), "same order")
        yield Case(((2, 3), (3, 1), 0, (0, 1), script), "same order")
        yield Case(((2, 3), (4, 1), 2, (0, 1), script), "same order")
    for ndim in (1, 2, 3) * 8:
        sizes, dims = unequal(rng, ndim, 1, 4), shuffled(rng, ndim)
        strides = packed(sizes, shuffled(rng, ndim), [rng.randint(1, 2) for _ in sizes])
        script = rng.choice(SCRIPTS)
        yield Case((sizes, strides, rng.randint(0, 3), dims, script), "version" if len(script) > 1 else "write")


def _geometry_of(answer: tuple) -> tuple:
    """The geometry that an answer begins with, where it does."""
    return answer[0][:3] if answer and isinstance(answer[0], tuple) else ()


PERMUTE = Check(
    "aten.native.tensor_transpose.permute",
    ("sizes", "strides", "storage_offset", "dims", "writes"),
    (Aspect("ordinary", 2, _ordinary), Aspect("sharing", 2, _sharing, needs="ordinary")),
    {
        "geometry": "geometry.permute says which sizes and strides the view has",
        "offset": "the first element stays where it is: the view begins at the offset of `self`",
        "strides": "the strides are those of `self` in another order, gaps and zeros included; `self` keeps its own",
        "refused": "geometry.permute refuses what is wrong with dims; let its error pass",
        "write": "a view has no memory and no versions of its own: both see, and count, a write through either",
        "version": "both count every write, through whichever: self._alias hands on the version counter",
        "same order": "even where nothing moves the result is a new tensor over the same memory",
        "returned None": "the function ends without `return`",
        "raised": "these dims name each dimension once: nothing to refuse",
        "not raised": "these dims are no permutation: see Raises in the docstring",
    },
    probe="operators.views.permute",
    drawing=Drawing(lambda args: args[:3], lambda args, answer: _geometry_of(answer)),
)

CHECKS = (PERMUTE,)
