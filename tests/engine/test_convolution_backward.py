"""convolution_backward, its double backward and transposed convolutions against PyTorch."""

import pytest
from compare import assert_close, needs_torch

import engine

CASES = [  # input, weight, then what differs from the defaults
    ((2, 4, 7, 9), (6, 4, 3, 3), {}),
    ((2, 4, 7, 9), (6, 4, 3, 2), {"stride": (2, 3), "padding": (1, 0)}),
    ((2, 4, 7, 9), (6, 2, 2, 3), {"padding": (4, 5), "dilation": (2, 1), "groups": 2}),
    ((2, 4, 9, 9), (8, 1, 3, 3), {"stride": (3, 2), "dilation": (2, 2), "groups": 4}),
    ((1, 40, 5, 40), (35, 40, 1, 1), {"stride": (2, 2)}),
    ((3, 1, 8, 8), (16, 1, 3, 3), {"padding": (1, 1)}),
    ((9, 24, 5, 4), (20, 24, 3, 3), {"padding": (1, 1)}),  # several images at a time
    ((17, 80, 2, 2), (40, 40, 4, 3), {"padding": (2, 1), "groups": 2}),  # cuts of the channels
    ((4, 72, 6, 4), (12, 72, 1, 1), {}),
    ((7, 6, 3, 3), (40, 6, 3, 3), {"padding": (1, 1)}),  # patches of several images are gathered
    ((7, 24, 3, 5), (24, 8, 2, 3), {"transposed": True, "stride": (2, 2), "groups": 3}),
    ((2, 4, 9), (6, 4, 3), {"stride": (2,), "padding": (1,)}),
    ((0, 4, 7, 9), (6, 4, 3, 3), {}),
    ((2, 0, 9), (6, 0, 3), {"stride": (2,)}),
    ((2, 0, 7, 9), (6, 0, 3, 3), {}),
    ((2, 6, 7, 9), (6, 4, 3, 3), {"transposed": True}),
    ((2, 6, 4, 5), (6, 2, 3, 2), {"transposed": True, "stride": (2, 3), "padding": (1, 0), "output_padding": (1, 2)}),
    ((2, 6, 4, 5), (6, 2, 3, 3), {"transposed": True, "groups": 3, "dilation": (2, 3), "stride": (3, 1)}),
    ((2, 4, 9), (4, 1, 3), {"transposed": True, "groups": 4, "stride": (4,), "output_padding": (1,)}),
]
KINDS = ("float32", "float64")


def numbers(T, sizes, kind):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([n * 7919 % 31 - 15 for n in range(count)]).to(getattr(T, kind)).view(sizes)


def parameters(given, ndim):
    """The arguments of `convolution` after input, weight and bias."""
    defaults = {"stride": (1,), "padding": (0,), "dilation": (1,), "transposed": False, "output_padding": (0,)}
    of_each = {name: value * ndim if isinstance(value, tuple) else value for name, value in defaults.items()}
    return tuple({**of_each, "groups": 1, **given}.values())


def setting(T, case, kind):
    """input, weight, bias, the gradient of an output, and the other arguments."""
    x, w, given = case
    more = parameters(given, len(x) - 2)
    channels = w[1] * more[-1] if more[3] else w[0]
    tensors = [numbers(T, sizes, kind) for sizes in (x, w, (channels,))]
    return (*tensors, numbers(T, T.convolution(*tensors, *more).shape, kind), more)


@needs_torch
@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients_are_pytorchs(case):
    def program(T, kind="float32", mask=(True, True, True)):
        x, w, b, grad, more = setting(T, case, kind)
        backward = T.ops.aten.convolution_backward
        return T.convolution(x, w, b, *more), backward(grad, x, w, b.shape, *more, mask)

    assert_close(program)
    assert_close(lambda T: program(T, "float64"))
    assert_close(lambda T: program(T, "float64", (False, True, False)))
    assert_close(lambda T: program(T, "float64", (True, False, True)))


@needs_torch
@pytest.mark.parametrize("case", [case for case in CASES if 0 not in case[0]], ids=str)
def test_gradients_of_gradients_are_pytorchs(case):
    def program(T, given=(True, True, True)):
        x, w, b, grad, more = setting(T, case, "float64")
        seeds = [tensor if asked else None for tensor, asked in zip((x, w, b), given, strict=True)]
        grads = T.ops.aten._convolution_double_backward(*seeds, grad, w, x, *more, (True, True, True))
        return [grad.reshape(-1) for grad in grads]  # PyTorch leaves dimensions swapped

    assert_close(program)


@needs_torch
def test_images_and_gradients_lie_in_any_strides():
    def program(T):
        x, w, b, grad, more = setting(T, CASES[1], "float32")
        backward = T.ops.aten.convolution_backward
        every = (True, True, True)
        lies = {"memory_format": T.channels_last}
        swapped = x.transpose(2, 3).contiguous().transpose(2, 3)
        one = T.ones(()).expand(grad.shape)
        return (
            backward(grad, x.contiguous(**lies), w, b.shape, *more, every),
            backward(grad.contiguous(**lies), swapped, w.contiguous(**lies), b.shape, *more, every),
            backward(one, x, w.transpose(2, 3).contiguous().transpose(2, 3), b.shape, *more, every),
        )

    assert_close(program)


@needs_torch
def test_transposed_convolutions_have_names():
    def program(T):
        x, w, b = (numbers(T, sizes, "float32") for sizes in ((2, 4, 5, 6), (4, 3, 3, 3), (3,)))
        line, k = numbers(T, (4, 9), "float32"), numbers(T, (4, 3, 3), "float32")
        return T.conv_transpose2d(x, w, b, 2, 1, 1), T.conv_transpose2d(x[0], w), T.conv_transpose1d(line, k, b, 2)

    assert_close(program)


@needs_torch
@pytest.mark.parametrize(
    "sizes, parameters",
    [
        (((2, 3, 4, 4), (3, 4, 3, 3)), {"output_padding": 1}),
        (((2, 3, 4, 4), (3, 4, 3, 3)), {"stride": 2, "output_padding": (0, 2)}),
        (((2, 3, 4, 4), (4, 4, 3, 3)), {}),
        (((2, 3, 4, 4), (3, 4, 3, 3), (3,)), {}),
        (((3, 4), (4, 4, 3, 3)), {}),
        (((2, 3, 4, 4), (3, 4, 3, 3)), {"padding": 9}),
    ],
)
def test_what_transposed_convolutions_refuse(sizes, parameters):
    assert_close(lambda T: T.conv_transpose2d(*(numbers(T, s, "float32") for s in sizes), **parameters))


@needs_torch
@pytest.mark.parametrize("kind", ["int64", "int32", "bool"])
def test_transposed_convolutions_of_integers(kind):
    tensors = (2, 3, 4, 4), (3, 4, 3, 3)
    assert_close(lambda T: T.conv_transpose2d(*(numbers(T, s, kind) for s in tensors), stride=2))


@pytest.mark.slow
def test_many_images_are_added_up_in_parts_and_blocks():
    """The gradient of a sum of products is the sum of the gradients of each image."""
    x, w = numbers(engine, (9, 20, 60, 70), "float64"), numbers(engine, (40, 20, 3, 3), "float64")
    more = parameters({"padding": (1, 1)}, 2)
    grad = numbers(engine, (9, 40, 60, 70), "float64")
    backward = engine.ops.aten.convolution_backward
    by_input, by_weight, by_bias = backward(grad, x, w, (40,), *more, (True, True, True))
    each = [backward(grad[i : i + 1], x[i : i + 1], w, (40,), *more, (True, True, True)) for i in range(9)]
    assert by_input.equal(engine.cat([one[0] for one in each]))
    assert by_weight.equal(engine.stack([one[1] for one in each]).sum(0))
    assert by_bias.equal(engine.stack([one[2] for one in each]).sum(0))


@pytest.mark.slow
def test_a_gradient_of_other_sizes_is_refused():
    x, w, b, grad, more = setting(engine, CASES[0], "float32")
    for wrong in (grad[:1], grad[:, :, :3], grad[0]):
        with pytest.raises(RuntimeError, match="grad_output"):
            engine.ops.aten.convolution_backward(wrong, x, w, b.shape, *more, (True, True, True))
