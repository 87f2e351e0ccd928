"""Convolutions on device "cuda", which are products of matrices of patches: values and gradients as on the CPU."""

import numpy as np
import pytest
from cuda_compare import agree, on_cuda

import engine
from engine.cuda import convolution
from engine.nn import functional as F

random = np.random.default_rng(5)


def numbers(*sizes, dtype=engine.float64, requires_grad=True):
    values = engine.from_numpy(random.standard_normal(sizes)).to(dtype)
    return values.requires_grad_(requires_grad)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("image", "weight", "options"),
    [
        ((2, 3, 6, 7), (4, 3, 3, 2), {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)}),
        ((2, 4, 5, 4), (6, 2, 3, 3), {"groups": 2, "padding": 1}),
        ((1, 3, 4, 5), (3, 1, 2, 3), {"groups": 3}),
        ((3, 5, 4), (2, 3, 3, 3), {"padding": "same"}),
        ((2, 3, 3, 3), (2, 3, 1, 1), {}),
    ],
    ids=["each parameter", "groups", "a group a channel", "one image", "1 x 1"],
)
def test_convolutions_of_images(image, weight, options):
    bias = numbers(weight[0])
    agree(lambda x, w, b: F.conv2d(x, w, b, **options), numbers(*image), numbers(*weight), bias)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolutions(groups):
    options = {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 2), "dilation": (2, 1), "groups": groups}
    x, w, b = numbers(2, 4, 3, 2), numbers(4, 3, 3, 2), numbers(3 * groups)
    agree(lambda x, w, b: F.conv_transpose2d(x, w, b, **options), x, w, b)


@pytest.mark.slow
def test_lines_are_images_of_height_1():
    agree(lambda x, w, b: F.conv1d(x, w, b, stride=2), numbers(2, 3, 9), numbers(2, 3, 3), numbers(2))
    agree(lambda x, w: F.conv_transpose1d(x, w, stride=2), numbers(2, 3, 4), numbers(3, 2, 3))


@pytest.mark.slow
def test_images_that_lie_otherwise():
    """channels_last in, channels_last out; images with gaps; a transposed weight."""
    x, w = numbers(2, 3, 4, 5), numbers(2, 3, 2, 2)
    agree(lambda x, w: F.conv2d(x.contiguous(memory_format=engine.channels_last), w), x, w)
    agree(lambda x, w: F.conv2d(x[:, :, ::2, 1:].mT, w.mT), x, w)


@pytest.mark.slow
def test_many_images_go_in_parts(monkeypatch):
    x, w, b = numbers(5, 2, 4, 4), numbers(2, 2, 2, 2), numbers(2)
    monkeypatch.setattr(convolution, "ROOM", 2 * 8 * 9)  # the columns of two images
    agree(lambda x, w, b: F.conv2d(x, w, b, padding=0), x, w, b)
    agree(lambda x, w, b: F.conv_transpose2d(x, w, b), x, w, b)
    assert list(convolution.chunks(5, 8 * 9)) == [(0, 2), (2, 2), (4, 1)]


def test_no_images():
    x = numbers(0, 2, 4, 4)
    agree(lambda x, w: F.conv2d(x, w), x, numbers(3, 2, 2, 2))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [engine.float32, engine.int64], ids=str)
def test_other_dtypes(dtype):
    x, w = (numbers(*sizes, requires_grad=False) * 4 for sizes in ((1, 2, 4, 3), (3, 2, 2, 2)))
    agree(F.conv2d, x.to(dtype), w.to(dtype))


def test_what_has_no_kernel_is_refused():
    x, w = (on_cuda(engine.ones(1, 1, 3, 3, dtype=engine.int32)) for _ in range(2))
    for convolve in (lambda: F.conv_transpose2d(x, w), lambda: F.conv2d(x, w[:, :, :2, :2], dilation=2)):
        with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
            convolve()
    with pytest.raises(RuntimeError, match="Input type|expected scalar type"):
        F.conv2d(x.to(engine.float32), w)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"stride": 2}, {"padding": 1, "dilation": 2, "stride": (1, 2)}])
def test_patches_and_back(options):
    x = numbers(2, 3, 5, 6)
    agree(lambda x: F.unfold(x, (2, 3), **options), x)
    agree(lambda x: F.fold(F.unfold(x, (2, 3), **options), (5, 6), (2, 3), **options), x)
    agree(lambda x: F.unfold(x[0].transpose(1, 2), 2), x)
