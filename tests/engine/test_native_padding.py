"""pad in its four modes against PyTorch: sizes, layouts, dtypes, negative pads, and what is refused."""

import itertools

import pytest
from compare import assert_same, needs_torch

import engine
import engine.nn.functional as F

pytestmark = needs_torch

MODES = ("constant", "reflect", "replicate", "circular")
PADS = [
    (),
    (0, 0),
    (1, 2),
    (3, 3),
    (4, 4),
    (6, 6),
    (-1, 2),
    (-2, -3),
    (-3, -3),
    (0, 0, 1, 2),
    (2, 1, 0, 3),
    (-2, 3, -2, 0),
    (-5, 0, 0, 0),
    (0, 0, -2, -2),
    (0, 0, -5, 1),
    (0, 0, 1, -5),
    (1, 1, 2, 0, 1, 0),
    (1, 1, 2, 0, 0, 1, 1, 1),
    (1,) * 12,
    (1, 1, 1),
]
SIZES = [(5,), (4, 5), (3, 4, 5), (2, 3, 4, 5), (2, 2, 3, 4, 5), (0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 4, 0), ()]


def numbers(T, sizes):
    count = 1
    for size in sizes:
        count *= size
    return T.arange(count, dtype=T.float32).view(sizes)


def padded(T, *arguments):
    return T.nn.functional.pad(*arguments)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pads", PADS, ids=str)
def test_any_pads_of_any_sizes_give_pytorchs(mode, pads):
    for sizes in SIZES:
        assert_same(lambda T, sizes=sizes: padded(T, numbers(T, sizes), pads, mode))


LAYOUTS = {
    "channels_last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "transposed": lambda T, x: x.transpose(2, 3).contiguous().transpose(2, 3),
    "gaps": lambda T, x: T.cat([x, x], 3)[..., : x.size(3)],
    "repeated": lambda T, x: x[:, :, :1].expand(x.size()),
    "offset": lambda T, x: x[1:],
}


@pytest.mark.parametrize("lies", LAYOUTS)
@pytest.mark.parametrize("mode", MODES)
def test_memory_formats_are_pytorchs(mode, lies):
    for pads in ((1, 2, 2, 1), (1, 1), (-1, 1, 2, -1), (1, 0, 1, 0, 1, 0)):
        assert_same(lambda T, pads=pads: padded(T, LAYOUTS[lies](T, numbers(T, (2, 3, 4, 5))), pads, mode))


@pytest.mark.parametrize("mode", MODES)
def test_dtypes_and_values_are_pytorchs(mode):
    for kind, value in itertools.product(("float64", "int64", "int32", "bool"), (None, 0, 1.5, 2)):
        for pads in ((1, 1), (1, 1, 1, 1)):
            assert_same(
                lambda T, kind=kind, value=value, pads=pads: padded(
                    T, numbers(T, (2, 3, 4)).to(getattr(T, kind)), pads, mode, value
                )
            )


def test_what_no_mode_has_is_refused():
    assert_same(lambda T: padded(T, T.ones(2, 3), (1, 1), "mirror"))
    assert_same(lambda T: T.constant_pad_nd(T.ones(2, 3), (1, 1, 1)))
    assert_same(lambda T: T.constant_pad_nd(T.ones(2, 3), (1,) * 6))
    assert_same(lambda T: T._C._nn.reflection_pad2d(T.ones(2, 3, 4), (1, 1, 1, 1), out=T.ones(3).double()))
    with pytest.raises(RuntimeError, match=r"got: padding \(5, 1\) at dimension 2 of input \[3, 4, 5\]"):
        F.pad(engine.ones(3, 4, 5), (5, 1), "reflect")


def test_what_is_given_is_written():
    for name, out in itertools.product(("reflection_pad2d", "replication_pad2d"), ((0,), (4, 4, 3), (3, 4, 4))):
        assert_same(
            lambda T, name=name, out=out: getattr(T._C._nn, name)(
                numbers(T, (3, 2, 2)), (1, 1, 1, 1), out=T.ones(out).permute(*range(len(out))[::-1])
            )
        )
    for lies in LAYOUTS:
        assert_same(
            lambda T, lies=lies: T._C._nn.reflection_pad2d(
                numbers(T, (2, 3, 2, 2)), (1, 1, 1, 1), out=LAYOUTS[lies](T, numbers(T, (2, 3, 4, 4)))
            )
        )


@pytest.mark.parametrize("mode", MODES)
def test_tensors_without_memory_have_pytorchs_geometry(mode):
    assert_same(lambda T: padded(T, T.ones(2, 3, 4, 5, device="meta"), (1, 2, 2, 1), mode))
