"""unfold, interpolate, pixel_shuffle and channel_shuffle against PyTorch."""

import itertools

import pytest
from compare import assert_same, needs_torch

import engine
import engine.nn.functional as F

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")


def numbers(T, sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return T.arange(count).to(getattr(T, kind)).view(sizes)


LAYOUTS = {
    "contiguous": lambda T, x: x,
    "channels_last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "transposed": lambda T, x: x.transpose(2, 3),
    "gaps": lambda T, x: x[:, :, :, ::2],
}


def called(name, x, *arguments, **parameters):
    return lambda T: getattr(T.nn.functional, name)(x(T), *arguments, **parameters)


@pytest.mark.parametrize("lies", LAYOUTS)
def test_patches_are_pytorchs(lies):
    def x(T):
        return LAYOUTS[lies](T, numbers(T, (2, 3, 6, 8)))

    for parameters in ({}, {"stride": 2}, {"padding": 1}, {"dilation": (1, 2)}, {"padding": (2, 1), "stride": 3}):
        for kernel in (1, 2, (3, 2), 4):
            assert_same(called("unfold", x, kernel, **parameters))
            assert_same(called("unfold", lambda T: x(T)[0], kernel, **parameters))


def test_patches_that_are_none_are_refused():
    for parameters in ({"stride": 0}, {"padding": -1}, {"dilation": 0}, {"stride": (1, 1, 1)}):
        assert_same(called("unfold", lambda T: T.ones(2, 3, 4, 5), 2, **parameters))
    for sizes, kernel in itertools.product(
        [(4,), (4, 5), (0, 3, 4, 5), (2, 0, 4, 5), (0, 4, 5), (1, 2, 3, 4, 5)], (1, 9)
    ):
        assert_same(called("unfold", lambda T, sizes=sizes: T.ones(sizes), kernel))
    for kind in KINDS:
        assert_same(called("unfold", lambda T, kind=kind: numbers(T, (3, 4, 5), kind), 2))


@pytest.mark.parametrize("lies", LAYOUTS)
def test_images_in_other_sizes_are_pytorchs(lies):
    def x(T):
        return LAYOUTS[lies](T, numbers(T, (2, 3, 6, 8)))

    for size in (1, 3, 6, 7, 13, (12, 3), (6, 8)):
        assert_same(called("interpolate", x, size))
    for scale, recompute in itertools.product((0.5, 0.3, 1, 1.7, 2, (2, 0.4)), (None, True)):
        assert_same(called("interpolate", x, scale_factor=scale, recompute_scale_factor=recompute))


def test_images_of_other_dimensions_are_pytorchs():
    shapes = [(4,), (3, 4), (2, 3, 7), (2, 3, 4, 5), (1, 2, 3, 4, 5), (0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5)]
    for sizes, kind in itertools.product(shapes, ("float32", "float64")):
        for given in ({"size": 5}, {"scale_factor": 1.6}):
            assert_same(called("interpolate", lambda T, s=sizes, k=kind: numbers(T, s, k), **given))
    for given in (
        {},
        {"size": 2, "scale_factor": 2},
        {"size": (1, 2, 3)},
        {"size": 2, "align_corners": True},
        {"size": 0},
    ):
        assert_same(called("interpolate", lambda T: numbers(T, (2, 3, 4, 5)), **given))
    assert_same(called("interpolate", lambda T: numbers(T, (2, 3, 4, 5), "int64"), 2))
    assert_same(called("interpolate", lambda T: T.ones(2, 3, 4, 5, device="meta"), 2))


@pytest.mark.parametrize("lies", LAYOUTS)
def test_pixels_and_channels_are_moved_as_in_pytorch(lies):
    def x(T):
        return LAYOUTS[lies](T, numbers(T, (2, 8, 6, 8)))

    for factor in (1, 2, 3, 0, -1):
        assert_same(called("pixel_shuffle", x, factor))
        assert_same(called("pixel_unshuffle", x, factor))
    for groups in (1, 2, 4, 3, 0, -1):
        assert_same(lambda T, groups=groups: T.channel_shuffle(x(T), groups))
        assert_same(lambda T, groups=groups: T.native_channel_shuffle(x(T), groups))


def test_pixels_of_any_sizes_and_dtypes_are_moved():
    for sizes in ((4,), (4, 4), (4, 4, 4), (2, 3, 4, 2, 2), (0, 4, 2, 2), (2, 4, 0, 2)):
        for name in ("pixel_shuffle", "pixel_unshuffle"):
            assert_same(called(name, lambda T, sizes=sizes: numbers(T, sizes), 2))
        assert_same(lambda T, sizes=sizes: T.channel_shuffle(numbers(T, sizes), 2))
        assert_same(lambda T, sizes=sizes: T.native_channel_shuffle(numbers(T, sizes), 2))
    for kind in KINDS:
        assert_same(called("pixel_shuffle", lambda T, kind=kind: numbers(T, (1, 4, 2, 3), kind), 2))


def test_a_square_of_pixels_is_made_of_channels():
    assert F.pixel_shuffle(engine.arange(4).view(1, 4, 1, 1), 2).tolist() == [[[[0, 1], [2, 3]]]]
