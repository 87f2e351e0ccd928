"""Check of given outputs (engine/aten/structured.py): declared, filled by a kernel, copied back."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal
from autograder.labs.strides.geometry import packed, repeated, shuffled, unequal

Sizes = tuple[int, ...]
Given = tuple[Sizes, Sizes, str, str]
KERNEL, COPY_BACK = ("kernel",), ("copy back",)
TABLE: Given = ((2, 3), (3, 1), "float32", "cpu")
COLUMNS: Given = ((2, 3), (1, 2), "float32", "cpu")
GAPS: Given = ((2, 3), (6, 2), "float32", "cpu")
ON_META: Given = ((2, 3), (1, 2), "float64", "meta")
KINDS = ("float32", "float64", "int64")


def _declared(how: str, index: int, sizes: Sizes, strides: Sizes, dtype: str = "float32", device: str = "cpu") -> tuple:
    return (how, index, sizes, strides, dtype, device)


def _any_strides(rng: random.Random, sizes: Sizes) -> Sizes:
    return packed(sizes, shuffled(rng, len(sizes)), [rng.randint(1, 2) for _ in sizes])


def _inplace(rng: random.Random) -> Iterator[Case]:
    for given in (TABLE, COLUMNS, GAPS):
        yield Case((False, [given], [_declared("raw", 0, (2, 3), (3, 1))]), "strides kept")
    for sizes, dtype, device, about in [
        ((3, 2), "float32", "cpu", "sizes"), ((6,), "float32", "cpu", "sizes"), ((2, 3, 1), "float32", "cpu", "sizes"),
        ((2, 3), "float64", "cpu", "dtype"), ((2, 3), "int64", "cpu", "dtype"), ((2, 3), "float32", "meta", "device"),
        ((), "float32", "cpu", "sizes"), ((0, 3), "float32", "cpu", "sizes"),
    ]:  # fmt: skip
        for how in ("raw", "strided"):
            steps = [_declared(how, 0, sizes, packed(sizes), dtype, device)]
            yield Case((False, [TABLE], steps), about)
    yield Case((False, [ON_META], [_declared("raw", 0, (2, 3), (3, 1), "float64", "meta")]), "strides kept")
    for how in ("raw", "strided"):
        yield Case((False, [ON_META], [_declared(how, 0, (2, 3), (1, 2), "float64", "cpu")]), "device")
        second = [_declared("raw", 0, (2, 3), (3, 1)), _declared(how, 1, (3, 2), (2, 1))]
        yield Case((False, [TABLE, COLUMNS], second), "sizes")
    for _ in range(24):
        sizes = unequal(rng, rng.randint(1, 3), 1, 4)
        kind = rng.choice(KINDS)
        other = rng.random() < 0.4
        wanted = sizes[:-1] + (sizes[-1] + rng.randint(1, 2),) if other else sizes
        declared = _declared("raw", 0, wanted, _any_strides(rng, wanted), kind)
        given = (sizes, _any_strides(rng, sizes), kind, "cpu")
        yield Case((False, [given], [declared]), "sizes" if other else "strides kept")


def _out(rng: random.Random) -> Iterator[Case]:
    for given in (TABLE, COLUMNS, GAPS):
        yield Case((True, [given], [_declared("raw", 0, (2, 3), (3, 1))]), "strides kept")
    for sizes, strides in [
        ((3, 2), (2, 1)),
        ((3, 2), (1, 3)),
        ((6,), (1,)),
        ((), ()),
        ((0, 3), (3, 1)),
        ((4, 5), (1, 4)),
    ]:
        for given in (TABLE, ((0,), (1,), "float32", "cpu")):
            yield Case((True, [given], [_declared("raw", 0, sizes, strides)]), "resized")
    for sizes, dtype, device, about in [
        ((2, 3), "float64", "cpu", "dtype"), ((4, 3), "int64", "cpu", "dtype"), ((2, 3), "float32", "meta", "device"),
        ((4, 3), "float32", "meta", "device"), ((0,), "float64", "cpu", "dtype"), ((2, 3), "int64", "meta", "dtype"),
        ((5, 5), "bool", "cpu", "dtype"),
    ]:  # fmt: skip
        for how in ("raw", "strided"):
            yield Case((True, [TABLE], [_declared(how, 0, sizes, packed(sizes), dtype, device)]), about)
            yield Case((True, [((0,), (1,), "float32", "cpu")],
                        [_declared(how, 0, sizes, packed(sizes), dtype, device)]), about)  # fmt: skip
    for _ in range(24):
        sizes, kind = repeated(rng, rng.randint(1, 3), 0, 3), rng.choice(KINDS)
        wanted = repeated(rng, rng.randint(1, 3), 0, 3) if rng.random() < 0.6 else sizes
        declared = _declared("raw", 0, wanted, _any_strides(rng, wanted), kind)
        given = (sizes, _any_strides(rng, sizes), kind, "cpu")
        about = "strides kept" if wanted == sizes else "resized"
        yield Case((True, [given], [declared]), about)


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
        for given, declared, declared_strides in [
            (((2, 1, 3), (3, 9, 1), "float32", "cpu"), (2, 1, 3), (3, 3, 1)),
            (((1,), (1,), "float32", "cpu"), (1,), (2,)),
            (((1, 3), (1, 1), "float32", "cpu"), (1, 3), (3, 1)),
            (((0,), (2,), "float32", "cpu"), (0,), (1,)),
            (((2, 0), (1, 2), "float32", "cpu"), (2, 0), (1, 1)),
            (((), (), "float32", "cpu"), (), ()),
        ]:
            about = "no proxy" if given[1] == declared_strides else "no step"
            yield Case(
                (resizes, [given], [_declared("strided", 0, declared, declared_strides), KERNEL, COPY_BACK]), about
            )
        meta = _declared("strided", 0, (2, 3), (3, 1), "float64", "meta")
        yield Case((resizes, [ON_META], [meta, KERNEL]), "proxy")
        yield Case((resizes, [TABLE, ON_META], [_declared("strided", 1, *meta[2:]), KERNEL, COPY_BACK]), "several")
        for given in (COLUMNS, GAPS):
            yield Case((resizes, [given], [_declared("raw", 0, (2, 3), (3, 1)), KERNEL, COPY_BACK]), "no proxy")
        for kind in KINDS:
            given = ((2, 3), (1, 2), kind, "cpu")
            yield Case((resizes, [given], [_declared("strided", 0, (2, 3), (3, 1), kind), KERNEL, COPY_BACK]), "proxy")
    for new_sizes, new_strides in [((3, 2), (2, 1)), ((3, 2), (1, 3)), ((4,), (1,))]:
        yield Case((True, [COLUMNS], [_declared("strided", 0, new_sizes, new_strides), KERNEL, COPY_BACK]), "no proxy")
    for _ in range(36):
        count, resizes = rng.randint(1, 3), rng.random() < 0.5
        outputs: list[tuple] = []
        steps: list[tuple] = []
        for index in range(count):
            sizes, kind = unequal(rng, rng.randint(1, 3), 1, 4), rng.choice(KINDS)
            outputs.append((sizes, _any_strides(rng, sizes), kind, "cpu"))
            wanted = unequal(rng, rng.randint(1, 3), 1, 4) if resizes and rng.random() < 0.3 else sizes
            asked = outputs[-1][1] if wanted == sizes and rng.random() < 0.3 else _any_strides(rng, wanted)
            steps.append(_declared(rng.choice(("strided", "strided", "raw")), index, wanted, asked, kind))
        yield Case((resizes, outputs, [*steps, KERNEL, COPY_BACK]), "several" if count > 1 else "proxy")


def _step(wanted: list, got: list) -> tuple[str, dict, dict]:
    """Return the first step that differs: its word, what it should show, and what it shows."""
    return next((one[0], one[1], other[1]) for one, other in zip(wanted, got, strict=False) if not equal(one, other))


def _refuses_needlessly(args: tuple, wanted, got) -> bool:
    kind, one, other = _step(wanted.value, got.value)
    return kind in ("raw", "strided") and "raised" not in one and other["raised"] == "RuntimeError"


def _is_not_resized(args: tuple, wanted, got) -> bool:
    kind, one, other = _step(wanted.value, got.value)
    if kind != "strided" or one["fills"] != "given":
        return False
    return other["fills"] == "proxy" and other["given"][0] != one["sizes"]


def _differs(args: tuple, wanted, got) -> Iterator[str]:
    kind, one, other = _step(wanted, got)
    if "raised" in one and "raised" in other:
        yield "changed in spite of the error"
    elif "raised" in one:
        yield "not refused when strided" if kind == "strided" else "not refused"
    elif "beyond" in other:
        yield "beyond"
    elif other.get("fills") == "None":
        yield "nobody"
    elif "given" in other and len(one) == 1:
        yield "sizes of the given" if one["given"][0] != other["given"][0] else "strides of the given"
    elif kind == "copy back":
        yield "copied back"
    elif kind == "kernel":
        yield "lost proxy" if {*one.get("proxies", ())} - {*other.get("proxies", ())} else "filled"
    elif one["fills"] != other["fills"]:
        missing = "a set proxy is missing" if kind == "proxy" else "a proxy is missing"
        yield missing if one["fills"] == "proxy" else "needless proxy"
    else:
        whom = "proxy" if one["fills"] == "proxy" else "given"
        yield from (f"{key} of the {whom}" for key in one if not equal(one[key], other[key]))


GIVEN_OUTPUTS = Check(
    "aten.structured.GivenOutputs",
    ("resizes", "given", "steps"),
    (Aspect("inplace", 3, _inplace), Aspect("out", 3, _out), Aspect("proxy", 3, _proxy)),
    {
        "strides kept": "the sizes are right, and a raw declaration asks for no strides: the tensor stays as it is",
        "sizes": "in place, the tensor must have the sizes that are declared: RuntimeError",
        "dtype": "another dtype is refused, in place and for out=",
        "device": "another device is refused, in place and for out=",
        "resized": "out= takes the declared sizes; a tensor that is resized takes the declared strides as well",
        "proxy": "strides that the kernel relies on and the tensor has not: the kernel fills a tensor that has them, "
        "and its elements are copied to the given one",
        "no proxy": "the tensor has the right strides (perhaps only now, after it was resized): no proxy",
        "no step": "strides are compared as tuples: those of dimensions of size 1 and of empty tensors count, too",
        "several": "each output has its own entry: the proxy of one is no proxy of another, and none gets lost",
        "changed in spite of the error": "refused, but the tensor was changed before: first look at its dtype and "
        "device (in place also at its sizes), then resize",
        "not refused": "this must be refused: another dtype or device, or, in place, other sizes",
        "not refused when strided": "this must be refused: another dtype or device, or, in place, other sizes. "
        "set_output_strided begins with a call of set_output_raw_strided, which refuses and resizes",
        "beyond": "with this geometry the tensor has elements outside of its storage, which is as large as it was: "
        "`resize_output` sets the geometry and has the storage grow",
        "copied back": "after copy_back the given tensors hold what the kernel wrote to their proxies; those without a "
        "proxy stay as they are",
        "filled": "the kernel fills what maybe_get_output(index) says, 0 where no index is given: the proxy of this "
        "output if it has one, else the given tensor",
        "lost proxy": "an entry of proxy_outputs is missing: it has one for each output that was given a proxy, and "
        "neither the proxy nor the declaration of another output removes it",
        "a set proxy is missing": "after set_proxy_output(index, proxy) the kernel fills this proxy, also if another "
        "output has one: is it entered in proxy_outputs, and does maybe_get_output(index) look there?",
        "nobody": "maybe_get_output returns None here: it returns the proxy of this output if it has one, else the "
        "given tensor",
        "a proxy is missing": "the kernel needs a proxy here: the given tensor has other strides (all of them count, "
        "whatever the sizes), or a proxy was set",
        "needless proxy": "the given tensor can be filled itself: only set_output_strided asks for a proxy, where the "
        "strides differ after the tensor was resized",
        "sizes of the given": "for out= a tensor of other sizes takes the declared ones (`resize_output`)",
        "strides of the given": "a tensor that has the sizes already keeps its strides, one that is resized takes the "
        "declared ones",
        "sizes of the proxy": "the proxy is a new_tensor of the declared sizes",
        "strides of the proxy": "the proxy is a new_tensor with the declared strides",
        "dtype of the proxy": "the proxy is a new_tensor of the declared dtype",
        "device of the proxy": "the proxy is a new_tensor on the declared device",
        "given of the proxy": "beside the proxy, the given tensor has another geometry than expected: it is resized "
        "for out= if its sizes are others, else as it was",
    },
    mistakes=(
        Mistake(
            "the given tensor still has its own sizes: set_output_strided begins with a call of "
            "set_output_raw_strided, which resizes for out=, and compares the strides after it",
            _is_not_resized,
        ),
        Mistake(
            "nothing is to be refused here: dtype and device are right, and so are the sizes in place; for out= the "
            "tensor takes them",
            _refuses_needlessly,
        ),
        Mistake(
            "it is right to refuse this, but with a RuntimeError",
            lambda args, wanted, got: (
                wanted.value[-1][1]["raised"] == "RuntimeError" and got.value[-1][1]["raised"] == "ValueError"
            ),
        ),
    ),
    differs=_differs,
    words={
        "raw": "set_output_raw_strided(index, sizes, strides, dtype, device)",
        "strided": "set_output_strided(index, sizes, strides, dtype, device)",
        "proxy": "set_proxy_output(index, a new tensor of these sizes)",
        "kernel": "fills what maybe_get_output names: 10 for output 0, 11 for output 1",
        "copy back": "copy_back()",
    },
    probe="operators.outputs.declare",
    program="operators.program.without_given_outputs",
    on_memory=True,
)

CHECKS = (GIVEN_OUTPUTS,)
