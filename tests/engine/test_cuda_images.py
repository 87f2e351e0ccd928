"""Poolings, borders and images in other sizes on device "cuda" against the CPU."""

import numpy as np
import pytest
from cuda_compare import agree
from tiers import fast_first

import engine
import engine.nn.functional as F


def image(*sizes, dtype="float32", requires_grad=True):
    """Small whole numbers, so that windows have several largest elements."""
    values = np.random.default_rng(0).integers(-4, 5, sizes)
    made = engine.from_numpy(values).to(getattr(engine, dtype))
    return made.requires_grad_(requires_grad and made.is_floating_point())


def channels_last(x):
    return x.detach().contiguous(memory_format=engine.channels_last).requires_grad_()


# ---- poolings

WINDOWS = [
    {"kernel_size": 2},
    {"kernel_size": 3, "stride": 1, "padding": 1},
    {"kernel_size": (2, 3), "stride": (3, 2), "padding": (1, 0), "ceil_mode": True},
]


@pytest.mark.parametrize("windows", [*WINDOWS, {"kernel_size": 2, "stride": 1, "dilation": (2, 3)}], ids=str)
def test_max_pool2d_and_where_the_largest_are(windows):
    agree(lambda x: F.max_pool2d(x, **windows, return_indices=True), image(2, 2, 5, 7))


@pytest.mark.slow
@pytest.mark.parametrize(
    "windows", [*WINDOWS, {"kernel_size": 3, "padding": 1, "count_include_pad": False},
                {"kernel_size": 2, "divisor_override": 3}], ids=str,
)  # fmt: skip
def test_avg_pool2d(windows):
    agree(lambda x: F.avg_pool2d(x, **windows), image(2, 2, 5, 7, dtype="float64"))


@pytest.mark.parametrize(
    "pool", fast_first(1, [F.max_pool2d, F.avg_pool2d, F.adaptive_avg_pool2d, F.adaptive_max_pool2d])
)
def test_a_pooled_image_lies_as_the_image_does(pool):
    agree(lambda x: pool(x, 2), channels_last(image(2, 3, 4, 5)))
    agree(lambda x: pool(x[:, ::2, 1:], 2), image(2, 4, 4))
    agree(lambda x: pool(x.transpose(1, 2), 2), image(2, 4, 4))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(3, 2), (1, 1), (5, None), (7, 3)], ids=str)
def test_adaptive_pooling(sizes):
    agree(lambda x: F.adaptive_avg_pool2d(x, sizes), image(1, 2, 5, 4))
    agree(lambda x: F.adaptive_max_pool2d(x, sizes, True), image(1, 2, 5, 4))


def test_along_lines():
    agree(lambda x: F.max_pool1d(x, 3, 2, 1), image(2, 3, 7))
    agree(lambda x: F.avg_pool1d(x, 3, 2, 1), image(2, 3, 7))
    agree(lambda x: F.adaptive_avg_pool1d(x, 3), image(2, 3, 7))


def test_nan_is_the_largest_and_the_last_one_counts():
    x = engine.tensor([[[1.0, np.nan, 7.0, np.nan], [-np.inf, -np.inf, -np.inf, -np.inf]]])
    values, indices = agree(lambda x: F.max_pool2d(x, (1, 4), return_indices=True), x)
    assert indices.cpu().tolist() == [[[3], [4]]]


@pytest.mark.slow
def test_integers():
    agree(lambda x: F.max_pool2d(x, 2), image(1, 2, 5, 4, dtype="int32"))
    agree(lambda x: F.avg_pool2d(x, 2), image(1, 2, 5, 4, dtype="int64"))
    with pytest.raises(NotImplementedError, match="\"avg_pool2d\" not implemented for 'Int'"):
        F.avg_pool2d(image(1, 2, 2, dtype="int32").to("cuda"), 2)


def test_a_batch_of_no_images():
    agree(lambda x: F.max_pool2d(x, 2), image(0, 2, 4, 4))
    agree(lambda x: F.avg_pool2d(x, 2), image(0, 2, 4, 4))


# ---- borders


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize(
    ("sizes", "pad"), [((2, 2, 5), (3, 1)), ((1, 3, 4), (2, -1)), ((2, 2, 3, 4), (1, 2, 2, 0))], ids=str
)
def test_borders(mode, sizes, pad):
    agree(lambda x: F.pad(x, pad, mode), image(*sizes))


@pytest.mark.slow
def test_borders_in_three_dimensions():
    agree(lambda x: F.pad(x, (1, 0, 1, 1, 0, 2), "replicate"), image(1, 2, 2, 2, 3))
    agree(lambda x: F.pad(x, (1, 0, 1, 1, 0, 1), "reflect"), image(1, 2, 2, 2, 3, dtype="float64"))


def test_a_padded_image_lies_as_the_image_does():
    agree(lambda x: F.pad(x, (1, 2, 0, 1), "reflect"), channels_last(image(1, 3, 3, 4)))
    agree(lambda x: F.pad(x.transpose(1, 2), (1, 1), "replicate"), image(2, 4, 3))
    agree(lambda x: F.pad(x, (1, 2), value=2.5), image(3, 4))


# ---- other sizes


def test_upsampling_to_the_nearest():
    agree(lambda x: F.interpolate(x, (5, 3)), image(1, 2, 3, 4))
    agree(lambda x: F.interpolate(x, scale_factor=2), image(2, 2, 3))
    agree(lambda x: F.interpolate(x, scale_factor=1.7), channels_last(image(1, 2, 3, 3)))
    agree(lambda x: F.interpolate(x, scale_factor=(2, 1, 1.5)), image(1, 1, 2, 2, 2, dtype="float64"))


def test_channels_become_pixels_and_back():
    agree(lambda x: F.pixel_shuffle(x, 2), image(1, 8, 2, 3))
    agree(lambda x: F.pixel_unshuffle(x, 3), image(2, 3, 6))
    agree(lambda x: F.channel_shuffle(x, 2), image(1, 6, 2))
