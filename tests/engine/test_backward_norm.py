"""The backward operators of softmax, the normalizations, choices and scans against PyTorch's: values and geometry."""

import pytest
from compare import assert_close, needs_torch

import engine


def numbers(T, *sizes, kind="float64"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([(n * 7919 % 31 - 15) * 0.37 for n in range(count)], dtype=getattr(T, kind)).view(sizes)


FORMATS = ("contiguous_format", "channels_last")

# ---- without PyTorch


def test_gradient_of_softmax_sums_to_nothing():
    y = engine.softmax(numbers(engine, 3, 50, kind="float32"), 1)
    grad = engine.ops.aten._softmax_backward_data(numbers(engine, 3, 50, kind="float32"), y, 1, engine.float32)
    assert grad.sum(1).abs().max().item() < 1e-5


@pytest.mark.slow
def test_gradient_of_layer_norm_is_the_same_in_chunks():
    x, g, w = numbers(engine, 1000, 40), numbers(engine, 1000, 40) + 1, numbers(engine, 40)
    _, mean, rstd = engine.ops.aten.native_layer_norm(x, (40,), w, w, 1e-5)
    backward = engine.ops.aten.native_layer_norm_backward
    whole = backward(g, x, (40,), mean, rstd, w, w, (True, True, True))
    parts = [backward(*(t[i : i + 10] for t in (g, x)), (40,), mean[i : i + 10], rstd[i : i + 10], w, w, (True,) * 3)
             for i in range(0, 1000, 10)]  # fmt: skip
    assert engine.cat([dx for dx, _, _ in parts]).equal(whole[0])
    for k in (1, 2):
        assert engine.allclose(sum(part[k] for part in parts), whole[k])


@pytest.mark.slow
def test_cumprod_with_zeros_gives_the_products_of_the_others():
    x = engine.tensor([2.0, 0.0, 3.0, 0.0])
    grad = engine.ops.aten.cumprod_backward(engine.ones(4), x, 0, x.cumprod(0))
    assert grad.tolist() == [1.0, 8.0, 0.0, 0.0]


# ---- against PyTorch


@needs_torch
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("sizes, dim", [((5, 7), 1), ((5, 7), 0), ((3, 4, 150), 1), ((), 0), ((2, 0), 1)])
def test_softmax(sizes, dim, kind):
    def both(T):
        g, x = numbers(T, *sizes, kind=kind), numbers(T, *sizes[::-1], kind=kind)
        x = x.transpose(0, -1) if sizes else x
        x = x if x.shape == g.shape else x.transpose(0, -1).reshape(g.shape)
        aten, dtype = T.ops.aten, getattr(T, kind)
        return (
            aten._softmax_backward_data(g, x.softmax(dim), dim, dtype),
            aten._log_softmax_backward_data(g, x.log_softmax(dim), dim, dtype),
        )

    assert_close(both)


@needs_torch
def test_refusals_of_softmax():
    for program in (
        lambda T: T.ops.aten._softmax_backward_data(T.ones(3, 4), T.ones(3, 5), 1, T.float32),
        lambda T: T.ops.aten._softmax_backward_data(T.ones(3, 4), T.ones(3, 4), 2, T.float32),
        lambda T: T.ops.aten._softmax_backward_data(T.ones(3).long(), T.ones(3).long(), 0, T.int64),
    ):
        assert_close(program)


@needs_torch
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("sizes, n", [((5, 7), 1), ((3, 4, 5), 2), ((2000, 16), 1), ((0, 5), 1)])
def test_layer_norm(sizes, n, kind):
    def program(T):
        g, x = numbers(T, *sizes, kind=kind) + 1, numbers(T, *sizes, kind=kind)
        w = numbers(T, *sizes[-n:], kind=kind)
        _, mean, rstd = T.ops.aten.native_layer_norm(x, sizes[-n:], w, w, 1e-5)
        backward = T.ops.aten.native_layer_norm_backward
        return [
            *backward(g, x, sizes[-n:], mean, rstd, w, w, (True, True, True)),
            backward(g, x, sizes[-n:], mean, rstd, None, None, (True, False, False))[0],
            *backward(g, x, sizes[-n:], mean, rstd, w, w, (False, True, True))[1:],
        ]

    assert_close(program)


@needs_torch
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("sizes", [(4, 6), (3, 5, 4, 4), (16, 70, 1, 1)])
def test_batch_norm(sizes, format):
    def program(T):
        g, x = numbers(T, *sizes) + 1, numbers(T, *sizes)
        if len(sizes) == 4:
            x = x.contiguous(memory_format=getattr(T, format))
        w, v = numbers(T, sizes[1]), numbers(T, sizes[1]).abs()
        _, mean, invstd = T.ops.aten.native_batch_norm(x, w, w, None, None, True, 0.1, 1e-5)
        backward = T.ops.aten.native_batch_norm_backward
        return [
            *backward(g, x, w, None, None, mean, invstd, True, 1e-5, (True, True, True)),
            backward(g, x, None, None, None, mean, invstd, True, 1e-5, (True, False, False))[0],
            *backward(g, x, w, w, v, mean[:0], invstd[:0], False, 1e-5, (True, True, True)),
        ]

    assert_close(program)


@needs_torch
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("sizes, groups", [((4, 6), 3), ((3, 6, 4, 4), 2), ((2, 4, 3, 3), 4)])
def test_group_norm(sizes, groups, format):
    def program(T):
        g, x = numbers(T, *sizes) + 1, numbers(T, *sizes)
        if len(sizes) == 4:
            g, x = (y.contiguous(memory_format=getattr(T, format)) for y in (g, x))
        N, C, w = *sizes[:2], numbers(T, sizes[1])
        HxW = x.numel() // (N * C)
        _, mean, rstd = T.ops.aten.native_group_norm(x, w, w, N, C, HxW, groups, 1e-5)
        backward = T.ops.aten.native_group_norm_backward
        return [
            *backward(g, x, mean, rstd, w, N, C, HxW, groups, (True, True, True)),
            backward(g, x, mean, rstd, None, N, C, HxW, groups, (True, False, False))[0],
        ]

    assert_close(program)


@needs_torch
@pytest.mark.parametrize(
    "program",
    [
        lambda T: T.ops.aten.value_selecting_reduction_backward(T.ones(4), 1, T.tensor([2, 0, 1, 2]), (4, 3), False),
        lambda T: T.ops.aten.value_selecting_reduction_backward(T.ones(1, 3), 0, T.tensor([[2, 0, 1]]), (4, 3), True),
        lambda T: T.ops.aten.value_selecting_reduction_backward(T.tensor(2.0), 0, T.tensor(0), (), False),
        lambda T: T.ops.aten.cummaxmin_backward(T.ones(4), T.ones(4), T.tensor([0, 0, 2, 2]), 0),
        lambda T: T.ops.aten.trace_backward(T.tensor(2.0), (5, 3)),
        lambda T: T.ops.aten.trace_backward(T.tensor(2.0), (2, 3)),
        lambda T: T.ops.aten._safe_softmax(T.tensor([[-float("inf")] * 2, [1.0, 2.0]]), 1),
        lambda T: T.ops.aten.cumprod_backward(numbers(T, 4, 5), numbers(T, 4, 5), 1, numbers(T, 4, 5).cumprod(1)),
    ],
)
def test_choices_and_scans(program):
    assert_close(lambda T: program(T) * 1)  # the versions of results that were filled in place are not the point
