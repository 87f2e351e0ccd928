"""Check of given outputs (engine/aten/structured.py): declared, filled by a kernel, copied back."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import packed, repeated, shuffled, unequal

Sizes = tuple[int, ...]
Given = tuple[Sizes, Sizes, str]
KERNEL, COPY_BACK = ("kernel",), ("copy back",)
TABLE: Given = ((2, 3), (3, 1), "float32")
COLUMNS: Given = ((2, 3), (1, 2), "float32")
GAPS: Given = ((2, 3), (6, 2), "float32")
KINDS = ("float32", "float64", "int64")


def _declared(how: str, index: int, sizes: Sizes, strides: Sizes, dtype: str = "float32", device: str = "cpu") -> tuple:
    return (how, index, sizes, strides, dtype, device)


def _any_strides(rng: random.Random, sizes: Sizes) -> Sizes:
    return packed(sizes, shuffled(rng, len(sizes)), [rng.randint(1, 2) for _ in sizes])


def _inplace(rng: random.Random) -> Iterator[Case]:
    for given in (TABLE, COLUMNS, GAPS):
        yield Case((False, [given], [_declared("raw", 0, (2, 3), (3, 1)), KERNEL, COPY_BACK]), "strides kept")
    for sizes, dtype, device, about in [
        ((3, 2), "float32", "cpu", "sizes"), ((6,), "float32", "cpu", "sizes"), ((2, 3, 1), "float32", "cpu", "sizes"),
        ((2, 3), "float64", "cpu", "dtype"), ((2, 3), "int64", "cpu", "dtype"), ((2, 3), "float32", "meta", "device"),
        ((), "float32", "cpu", "sizes"), ((0, 3), "float32", "cpu", "sizes"),
    ]:  # fmt: skip
        for how in ("raw", "strided"):
            steps = [_declared(how, 0, sizes, packed(sizes), dtype, device), KERNEL, COPY_BACK]
            yield Case((False, [TABLE], steps), about)
    for _ in range(24):
        sizes = unequal(rng, rng.randint(1, 3), 1, 4)
        kind = rng.choice(KINDS)
        other = rng.random() < 0.4
        wanted = sizes[:-1] + (sizes[-1] + rng.randint(1, 2),) if other else sizes
        declared = _declared("raw", 0, wanted, _any_strides(rng, wanted), kind)
        given = (sizes, _any_strides(rng, sizes), kind)
        yield Case((False, [given], [declared, KERNEL, COPY_BACK]), "sizes" if other else "strides kept")


def _out(rng: random.Random) -> Iterator[Case]:
    for given in (TABLE, COLUMNS, GAPS):
        yield Case((True, [given], [_declared("raw", 0, (2, 3), (3, 1)), KERNEL, COPY_BACK]), "strides kept")
    for sizes, strides in [
        ((3, 2), (2, 1)),
        ((3, 2), (1, 3)),
        ((6,), (1,)),
        ((), ()),
        ((0, 3), (3, 1)),
        ((4, 5), (1, 4)),
    ]:
        for given in (TABLE, ((0,), (1,), "float32")):
            yield Case((True, [given], [_declared("raw", 0, sizes, strides), KERNEL, COPY_BACK]), "resized")
    for sizes, dtype, device, about in [
        ((2, 3), "float64", "cpu", "dtype"), ((4, 3), "int64", "cpu", "dtype"), ((2, 3), "float32", "meta", "device"),
        ((4, 3), "float32", "meta", "device"), ((0,), "float64", "cpu", "dtype"),
    ]:  # fmt: skip
        for how in ("raw", "strided"):
            yield Case((True, [TABLE], [_declared(how, 0, sizes, packed(sizes), dtype, device), KERNEL]), about)
    for _ in range(24):
        sizes, kind = repeated(rng, rng.randint(1, 3), 0, 3), rng.choice(KINDS)
        wanted = repeated(rng, rng.randint(1, 3), 0, 3) if rng.random() < 0.6 else sizes
        declared = _declared("raw", 0, wanted, _any_strides(rng, wanted), kind)
        given = (sizes, _any_strides(rng, sizes), kind)
        about = "strides kept" if wanted == sizes else "resized"
        yield Case((True, [given], [declared, KERNEL, COPY_BACK]), about)


def _proxy(rng: random.Random) -> Iterator[Case]:
    for resizes in (False, True):
        for given, strides in [(TABLE, (3, 1)), (COLUMNS, (3, 1)), (GAPS, (3, 1)), (TABLE, (1, 2)), (COLUMNS, (1, 2))]:
            about = "no proxy" if given[1] == strides else "proxy"
            yield Case((resizes, [given], [_declared("strided", 0, (2, 3), strides), KERNEL, COPY_BACK]), about)
        yield Case((resizes, [TABLE], [KERNEL, COPY_BACK]), "no proxy")
        yield Case((resizes, [COLUMNS], [("proxy", 0, (2, 3)), KERNEL, COPY_BACK]), "proxy")
        yield Case((resizes, [TABLE, COLUMNS], [("proxy", 1, (2, 3)), KERNEL, COPY_BACK]), "several")
        two = [("proxy", 1, (2, 3)), ("proxy", 0, (2, 3)), KERNEL, COPY_BACK, KERNEL]
        yield Case((resizes, [TABLE, COLUMNS], two), "several")
    for new_sizes, new_strides in [((3, 2), (2, 1)), ((3, 2), (1, 3)), ((4,), (1,))]:
        yield Case((True, [COLUMNS], [_declared("strided", 0, new_sizes, new_strides), KERNEL, COPY_BACK]), "no proxy")
    for _ in range(36):
        count, resizes = rng.randint(1, 3), rng.random() < 0.5
        outputs: list[tuple] = []
        steps: list[tuple] = []
        for index in range(count):
            sizes, kind = unequal(rng, rng.randint(1, 3), 1, 4), rng.choice(KINDS)
            outputs.append((sizes, _any_strides(rng, sizes), kind))
            wanted = unequal(rng, rng.randint(1, 3), 1, 4) if resizes and rng.random() < 0.3 else sizes
            asked = outputs[-1][1] if wanted == sizes and rng.random() < 0.3 else _any_strides(rng, wanted)
            steps.append(_declared(rng.choice(("strided", "strided", "raw")), index, wanted, asked, kind))
        yield Case((resizes, outputs, [*steps, KERNEL, COPY_BACK]), "several" if count > 1 else "proxy")


GIVEN_OUTPUTS = Check(
    "aten.structured.GivenOutputs",
    ("resizes", "given", "steps"),
    (Aspect("inplace", 2, _inplace), Aspect("out", 2, _out), Aspect("proxy", 3, _proxy)),
    {
        "strides kept": "the sizes are right, and a raw declaration asks for no strides: the tensor stays as it is",
        "sizes": "in place, the tensor must have the sizes that are declared: RuntimeError",
        "dtype": "another dtype is refused, in place and for out=",
        "device": "another device is refused, in place and for out=",
        "resized": "out= takes the declared sizes; a tensor that is resized takes the declared strides as well",
        "proxy": "strides that the kernel relies on and the tensor has not: the kernel fills a tensor that has them, "
        "and its elements are copied to the given one",
        "no proxy": "the tensor has the right strides (perhaps only now, after it was resized): no proxy",
        "several": "each output has its own entry: the proxy of one is no proxy of another, and none gets lost",
    },
    probe="operators.outputs.declare",
)

CHECKS = (GIVEN_OUTPUTS,)
