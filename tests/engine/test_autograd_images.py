"""Gradients, and gradients of gradients, of what networks of images are made of, against PyTorch."""

import pytest
from compare import assert_close, needs_torch

pytestmark = needs_torch


def numbers(T, sizes, salt=0):
    """Different numbers, so that no two elements of a window are equally large."""
    count = 1
    for size in sizes:
        count *= size
    return (T.tensor([(n + salt) * 7919 % 10007 for n in range(count)]).double() / 5000 - 1).view(sizes)


PROGRAMS = {
    "conv2d": (lambda T, x, w, b: T.conv2d(x, w, b, (2, 1), (1, 0), (1, 2), 2), (2, 4, 7, 8), (6, 2, 3, 2), (6,)),
    "conv2d without bias": (lambda T, x, w: T.conv2d(x[0], w, None, 1, "same"), (2, 3, 5, 6), (4, 3, 3, 3)),
    "conv1d": (lambda T, x, w, b: T.conv1d(x, w, b, 2, 1), (2, 4, 9), (6, 4, 3), (6,)),
    "conv_transpose2d": (
        lambda T, x, w, b: T.conv_transpose2d(x, w, b, (2, 3), 1, (1, 0), 2, (1, 2)),
        (2, 4, 4, 5), (4, 3, 3, 2), (6,),
    ),
    "max_pool2d": (lambda T, x: T.max_pool2d(x, 3, 2, 1), (2, 3, 7, 8)),
    "max_pool1d": (lambda T, x: T.max_pool1d(x, 3, 1), (2, 3, 9)),
    "avg_pool2d": (lambda T, x: T.nn.functional.avg_pool2d(x, (3, 2), 2, 1, True, False), (2, 3, 7, 8)),
    "adaptive_avg_pool2d": (lambda T, x: T.nn.functional.adaptive_avg_pool2d(x, (3, 4)), (2, 3, 7, 8)),
    "adaptive_avg_pool2d to 1": (lambda T, x: T.nn.functional.adaptive_avg_pool2d(x, 1), (2, 3, 7, 8)),
    "adaptive_max_pool2d": (lambda T, x: T.nn.functional.adaptive_max_pool2d(x, (3, 4)), (2, 3, 7, 8)),
    "constant": (lambda T, x: T.nn.functional.pad(x, (1, -2, 2, 0), value=3.0), (2, 3, 4, 5)),
    "reflect": (lambda T, x: T.nn.functional.pad(x, (1, 2, 3, 0), "reflect"), (2, 3, 4, 5)),
    "replicate": (lambda T, x: T.nn.functional.pad(x, (1, 2, 3, 0), "replicate"), (2, 3, 4, 5)),
    "circular": (lambda T, x: T.nn.functional.pad(x, (1, 2, 3, 0), "circular"), (2, 3, 4, 5)),
    "interpolate": (lambda T, x: T.nn.functional.interpolate(x, scale_factor=1.7), (2, 3, 4, 5)),
    "unfold": (lambda T, x: T.nn.functional.unfold(x, (2, 3), padding=1, stride=2), (2, 3, 4, 5)),
    "fold": (lambda T, x: T.nn.functional.fold(x, (4, 5), 2), (2, 12, 12)),
    "pixel_shuffle": (lambda T, x: T.nn.functional.pixel_shuffle(x, 2), (2, 8, 3, 2)),
    "pixel_unshuffle": (lambda T, x: T.nn.functional.pixel_unshuffle(x, 2), (2, 2, 4, 6)),
    "channel_shuffle": (lambda T, x: T.channel_shuffle(x, 3), (2, 6, 2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_derivatives_are_pytorchs(name):
    of, *shapes = PROGRAMS[name]

    def program(T):
        inputs = [numbers(T, sizes, i).requires_grad_() for i, sizes in enumerate(shapes)]
        output = of(T, *inputs)
        output = output[0] if isinstance(output, tuple) else output
        seed = numbers(T, output.shape, 5).requires_grad_()
        grads = T.autograd.grad(output, inputs, seed, create_graph=True)
        squares = sum((grad * grad * numbers(T, grad.shape, 9)).sum() for grad in grads)
        seconds = T.autograd.grad(squares, [seed, *inputs], allow_unused=True)
        flat = [None if grad is None else grad.reshape(-1).clone() for grad in seconds]
        return type(output.grad_fn).__name__, output.detach(), *(grad.detach() for grad in grads), flat

    assert_close(program)


def test_what_a_convolution_saved_must_not_change():
    """Of input and weight, one learns and the other is changed after the convolution."""

    def program(T, changed):
        x, w = numbers(T, (1, 2, 4, 4)), numbers(T, (3, 2, 3, 3))
        other, learns = (x, w) if changed == "input" else (w, x)
        learns.requires_grad_()
        output = T.conv2d(x, w)
        other.fill_(0)
        output.sum().backward()
        return learns.grad

    for changed in ("input", "weight"):
        assert_close(lambda T, changed=changed: program(T, changed))
