"""The gradients of poolings, paddings and images in other sizes against PyTorch."""

import pytest
from compare import assert_close, needs_torch

pytestmark = needs_torch


def numbers(T, sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([n * 7919 % 31 - 15 for n in range(count)]).to(getattr(T, kind)).view(sizes)


LAYOUTS = {
    "contiguous": lambda T, x: x,
    "channels_last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "swapped": lambda T, x: x.transpose(2, 3).contiguous().transpose(2, 3),
    "one image": lambda T, x: x[1],
}
WINDOWS = [
    {"kernel_size": 2},
    {"kernel_size": 3, "stride": 1, "padding": 1},
    {"kernel_size": (3, 2), "stride": (2, 3), "padding": (1, 0), "ceil_mode": True},
]
SIZES = (2, 3, 7, 9)


def gradient(T, layout, pooled, backward, kind="float32"):
    """The output, and the gradient of `backward(grad, x, *what pooled(x) made besides the output)`."""
    x = LAYOUTS[layout](T, numbers(T, SIZES, kind))
    output, *more = pooled(x)
    return output, backward(numbers(T, output.shape, kind), x, *more)


@pytest.mark.parametrize("windows", WINDOWS, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_max_pool2d(layout, windows):
    def program(T, kind="float32", dilation=1):
        given = {"stride": windows["kernel_size"], "padding": 0, "ceil_mode": False, **windows}
        moves = [given[name] for name in ("kernel_size", "stride", "padding")]
        moves = [*(n if isinstance(n, tuple) else (n, n) for n in moves), (dilation, dilation), given["ceil_mode"]]
        aten = T.ops.aten
        return gradient(
            T, layout, lambda x: aten.max_pool2d_with_indices(x, *moves),
            lambda grad, x, indices: aten.max_pool2d_with_indices_backward(grad, x, *moves, indices), kind,
        )  # fmt: skip

    assert_close(program)
    assert_close(lambda T: program(T, "float64", 2))


@pytest.mark.parametrize("windows", WINDOWS, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_avg_pool2d(layout, windows):
    def program(T, counts=True, divisor=None):
        given = {"stride": windows["kernel_size"], "padding": 0, "ceil_mode": False, **windows}
        moves = [given[name] for name in ("kernel_size", "stride", "padding")]
        moves = [*(n if isinstance(n, tuple) else (n, n) for n in moves), given["ceil_mode"], counts, divisor]
        aten = T.ops.aten
        return gradient(
            T, layout, lambda x: (aten.avg_pool2d(x, *moves),),
            lambda grad, x: aten.avg_pool2d_backward(grad, x, *moves),
        )  # fmt: skip

    assert_close(program)
    assert_close(lambda T: program(T, False))
    assert_close(lambda T: program(T, True, 5))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_adaptive_pools(layout):
    def program(T, output_size):
        aten = T.ops.aten
        return (
            gradient(T, layout, lambda x: (aten._adaptive_avg_pool2d(x, output_size),),
                     lambda grad, x: aten._adaptive_avg_pool2d_backward(grad, x)),
            gradient(T, layout, lambda x: aten.adaptive_max_pool2d(x, output_size),
                     lambda grad, x, indices: aten.adaptive_max_pool2d_backward(grad, x, indices)),
        )  # fmt: skip

    for output_size in ((3, 4), (2, 2), (9, 9)):
        assert_close(lambda T, output_size=output_size: program(T, output_size))


def test_what_poolings_refuse():
    def program(T, backward, *given):
        x, indices = numbers(T, SIZES), T.zeros(2, 3, 3, 4, dtype=T.int64)
        grads = {"other": x[..., :3, :4].double(), "short": x[:, :1, :3, :4], "one": x[0, :, :3, :4]}
        more = {"indices": indices}
        return backward(T.ops.aten)(grads[given[0]], x, *(more.get(name, name) for name in given[1:]))

    for grad in ("other", "short", "one"):
        moves = ((2, 2), (2, 2), (0, 0), (1, 1), False, "indices")
        for backward, more in (
            (lambda aten: aten.max_pool2d_with_indices_backward, moves),
            (lambda aten: aten.avg_pool2d_backward, (*moves[:3], False, True, None)),
            (lambda aten: aten.adaptive_max_pool2d_backward, ("indices",)),
        ):
            assert_close(lambda T, b=backward, g=grad, m=more: program(T, b, g, *m))


PADS = {1: ((2, 1), (0, 3), (-1, 2)), 2: ((1, 2, 3, 0), (0, -2, 2, 2)), 3: ((1, 1, 2, 0, 1, 1),)}


@pytest.mark.parametrize("name", ["reflection_pad", "replication_pad"])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_borders(name, ndim):
    def program(T, padding, lies, kind):
        x = numbers(T, (2, 3, *(5, 4, 6)[:ndim]), kind)
        x = x.transpose(1, 2).contiguous().transpose(1, 2) if lies else x
        forward, backward = (getattr(T.ops.aten, f"{name}{ndim}d{end}") for end in ("", "_backward"))
        return [(y := forward(of, padding), backward(numbers(T, y.shape, kind), of, padding)) for of in (x, x[0])]

    for padding in PADS[ndim]:
        for lies, kind in ((False, "float32"), (True, "float64")):
            assert_close(lambda T, *given, p=padding, s=lies, k=kind: program(T, p, s, k))


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_images_in_other_sizes(ndim):
    def program(T, made, *scales, lies=False):
        sizes = (2, 3, *(5, 4, 6)[:ndim])
        made = made * ndim
        grad = numbers(T, (*sizes[:2], *made))
        grad = grad.contiguous(memory_format=T.channels_last) if lies else grad
        backward = getattr(T.ops.aten, f"upsample_nearest{ndim}d_backward")
        return backward(grad, made, sizes, *(scales * ndim))

    for made, *scales in (((7,),), ((10,),), ((3,),), ((9,), 1.9)):
        assert_close(lambda T, m=made, s=scales: program(T, m, *s))
    if ndim == 2:
        assert_close(lambda T: program(T, (8,), lies=True))


def test_columns_become_images():
    def program(T, kernel_size, *moves, kind="float32", image=(7, 6)):
        x = (numbers(T, (2, 3, *image)) > 0).to(getattr(T, kind))
        columns = T.ops.aten.im2col(x, kernel_size, *moves)
        return T.ops.aten.col2im(columns, image, kernel_size, *moves), T.ops.aten.col2im(
            columns[0], image, kernel_size, *moves
        )

    for moves in (((2, 3), (1, 1), (0, 0), (1, 1)), ((3, 3), (2, 1), (1, 2), (2, 3)), ((1, 2), (1, 1), (0, 1), (3, 1))):
        for kind in ("float32", "float64", "bool"):
            assert_close(lambda T, m=moves, k=kind: program(T, *m, kind=k))
