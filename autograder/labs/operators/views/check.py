"""Check of a native view operator: another geometry, and the same memory."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check, Drawing, Mistake
from autograder.examine.plain_data import equal
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
    for sizes, strides, dims in [((), (), ()), ((3,), (2,), (0,)), ((3,), (1,), (-1,)), ((2, 3), (3, 1), (0, -1))]:
        yield Case((sizes, strides, 1, dims, ()), "same order")
    for kind in ("float32", "float64", "bool", "int32"):
        yield Case(((2, 3), (3, 1), 1, (1, 0), (), kind), "geometry")
    for dims in [(0,), (0, 0), (0, 2), (-3, 0), (0, 1, 1), (1, -1), (), (2,), (0, 0, 5), (2, 2), (0, 0)]:
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


def _geometry_of(answer) -> tuple:
    """Return the geometry of the result if an answer says it, otherwise ()."""
    seen = answer["result"] if isinstance(answer, dict) else ()
    return seen[:3] if len(seen) == 4 else ()


def _differs(args: tuple, wanted, got) -> Iterator[str]:
    if isinstance(wanted, dict) and got["result"][0] == "no tensor":
        yield "no tensor"
    elif isinstance(wanted, dict):
        parts = zip(("sizes", "strides", "offset", "dtype"), wanted["result"], got["result"], strict=False)
        yield from (name for name, one, other in parts if not equal(one, other))
        yield from (name for name in ("self", "is new", "elements") if not equal(wanted[name], got[name]))
    elif len(got) != len(wanted):
        yield "no tensor" if got[0][0] == "no tensor" else "outside"
    elif got[0] != wanted[0]:
        yield "address" if got[0][:3] == wanted[0][:3] else "storage"
    else:
        step, seen = next((one, other) for one, other in zip(wanted, got, strict=True) if not equal(one, other))
        yield "versions" if equal(step[:6], seen[:6]) else "geometry"


PERMUTE = Check(
    "aten.native.tensor_transpose.permute",
    ("sizes", "strides", "storage_offset", "dims", "writes", "dtype"),
    (Aspect("ordinary", 2, _ordinary), Aspect("sharing", 2, _sharing, needs="ordinary")),
    {
        "geometry": "geometry.permute says which sizes and strides the view has",
        "refused": "geometry.permute refuses what is wrong with dims; let its error pass",
        "sizes": "geometry.permute says which sizes the view has: dimension d of the result is dims[d] of self",
        "strides": "the strides are those of self in another order, gaps and zeros included",
        "offset": "the first element stays where it is: the view begins at the offset of `self`",
        "dtype": "the view is of self's dtype, and a tensor: self._alias hands it on",
        "elements": "the elements of the result are others than those of self, in the new order",
        "self": "self itself is changed: it keeps its geometry",
        "is new": "the result is self: even where nothing moves it is a new tensor over the same memory",
        "no tensor": "return a tensor: self._alias makes it",
        "address": "the result begins at another cell: its first element is the first of self, at the same offset",
        "outside": "the result has elements outside of its storage: geometry.permute says which sizes and strides the "
        "view has, and it begins at the offset of self",
        "storage": "the result has memory of its own: a view has the storage of self, and no copy",
        "write": "a write through one is seen through the other: a view has no memory of its own",
        "versions": "both count every write, through whichever: self._alias hands on the version counter",
        "version": "a view has no versions of its own: both see, and count, a write through either",
        "same order": "even where nothing moves the result is a new tensor over the same memory",
        "returned None": "the function ends without `return`",
        "raised": "these dims name each dimension once: nothing to refuse",
    },
    mistakes=(
        Mistake(
            "the number of dims is looked at first, before any of them: RuntimeError. `geometry.permute` does so",
            lambda args, wanted, got: len(args[0]) != len(args[3]) and got.raised not in ("", wanted.raised),
        ),
    ),
    differs=_differs,
    words={
        "self": "fills all elements of the tensor with the next one of -1, -2, ...",
        "result": "fills all elements of the result",
        "row": "fills the first entry of the result's first dimension",
    },
    probe="operators.views.permute",
    drawing=Drawing(lambda args: args[:3], lambda args, answer: _geometry_of(answer)),
    program="operators.program.run",
)

CHECKS = (PERMUTE,)
