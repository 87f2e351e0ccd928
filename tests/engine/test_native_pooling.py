"""Poolings against PyTorch: parameters, layouts, dtypes, NaN, windows at the border, and what is refused."""

import itertools

import pytest
from compare import assert_close, assert_same, needs_torch

import engine
import engine.nn.functional as F

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")


def numbers(T, sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([n * 7919 % 31 - 15 for n in range(count)]).to(getattr(T, kind)).view(sizes)


def pooled(name, x, *arguments, **parameters):
    """The program that calls a function of nn.functional with `x(T)`."""
    return lambda T: getattr(T.nn.functional, name)(x(T), *arguments, **parameters)


PARAMETERS = [
    {"kernel_size": 1},
    {"kernel_size": 2},
    {"kernel_size": 3, "stride": 1},
    {"kernel_size": 3, "stride": 2, "padding": 1},
    {"kernel_size": (2, 3), "stride": (1, 3), "padding": (1, 0)},
    {"kernel_size": 2, "stride": 5},
    {"kernel_size": 3, "stride": 2, "ceil_mode": True},
    {"kernel_size": (3, 2), "stride": (2, 3), "padding": 1, "ceil_mode": True},
    {"kernel_size": 6, "stride": 1, "padding": 3},
    {"kernel_size": (2,), "stride": (), "padding": (1,)},
]
OF_MAX = [{"dilation": 2}, {"dilation": (1, 3), "ceil_mode": True}, {"return_indices": True}]
OF_MEAN = [{"count_include_pad": False}, {"divisor_override": 3}, {"divisor_override": -2}]
REFUSED = [
    {"kernel_size": 0},
    {"kernel_size": (1, 2, 3)},
    {"kernel_size": ()},
    {"kernel_size": 9},
    {"kernel_size": -2},
    {"kernel_size": 2, "stride": 0},
    {"kernel_size": 2, "stride": -1},
    {"kernel_size": 2, "stride": (1, 2, 3)},
    {"kernel_size": 2, "padding": -1},
    {"kernel_size": 2, "padding": 2},
    {"kernel_size": 2, "padding": (1, 1, 1)},
]
LAYOUTS = {
    "contiguous": lambda T, x: x,
    "channels_last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "transposed": lambda T, x: x.transpose(2, 3),
    "gaps": lambda T, x: x[:, :, :, ::2],
    "repeated": lambda T, x: x[:, :, :1].expand(x.size()),
    "offset": lambda T, x: x[1:],
}


@pytest.mark.parametrize("lies", LAYOUTS)
@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_windows_of_any_kind_give_pytorchs(parameters, lies):
    def x(T):
        return LAYOUTS[lies](T, numbers(T, (2, 3, 7, 9)))

    assert_close(pooled("max_pool2d", x, **parameters))
    assert_close(pooled("avg_pool2d", x, **parameters))
    for more in OF_MAX:
        assert_close(pooled("max_pool2d", x, **{**parameters, **more}))
    for more in OF_MEAN:
        assert_close(pooled("avg_pool2d", x, **{**parameters, **more}))


@pytest.mark.parametrize("kind", KINDS)
def test_channels_that_fill_vectors_give_pytorchs(kind):
    def x(T):
        return numbers(T, (2, 37, 5, 6), kind).contiguous(memory_format=T.channels_last)

    assert_close(pooled("max_pool2d", x, 3, 2, 1, return_indices=True))
    assert_close(pooled("avg_pool2d", x, 3, 2, 1, count_include_pad=False))
    assert_close(pooled("adaptive_avg_pool2d", x, (2, 4)))
    assert_close(pooled("adaptive_max_pool2d", x, (2, 4), return_indices=True))


@pytest.mark.parametrize("parameters", [*PARAMETERS, *REFUSED], ids=str)
def test_lines_give_pytorchs(parameters):
    for sizes in ((2, 3, 9), (3, 9)):
        for name in ("max_pool1d", "avg_pool1d"):
            assert_close(pooled(name, lambda T, sizes=sizes: numbers(T, sizes), **parameters))
    assert_close(pooled("max_pool1d", lambda T: numbers(T, (2, 3, 9)), return_indices=True, **parameters))


@pytest.mark.parametrize("parameters", REFUSED, ids=str)
def test_wrong_parameters_are_refused_as_in_pytorch(parameters):
    for name in ("max_pool2d", "avg_pool2d"):
        assert_same(pooled(name, lambda T: T.ones(2, 3, 6, 7), **parameters))
    assert_same(pooled("max_pool2d", lambda T: T.ones(2, 3, 6, 7), kernel_size=3, dilation=0))
    assert_same(pooled("max_pool2d", lambda T: T.ones(2, 3, 6, 7), kernel_size=3, dilation=(1, 1, 1)))
    assert_same(pooled("avg_pool2d", lambda T: T.ones(2, 3, 6, 7), kernel_size=3, divisor_override=0))


NAMES = [
    f"{name}{ndim}d" for name in ("max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool") for ndim in (1, 2)
]


@pytest.mark.parametrize("name", NAMES)
def test_sizes_and_dtypes_are_pytorchs(name):
    shapes = [(5,), (4, 5), (3, 4, 5), (2, 3, 4, 5), (2, 2, 3, 4, 5), (0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5)]
    for sizes in [*shapes, (2, 3, 4, 0), (0, 3, 4), (2, 0, 4), (2, 3, 0)]:
        assert_close(pooled(name, lambda T, sizes=sizes: numbers(T, sizes), 2))
    for kind, sizes in itertools.product(KINDS, ((2, 3, 4), (2, 3, 4, 5))):
        assert_close(pooled(name, lambda T, kind=kind, sizes=sizes: numbers(T, sizes, kind), 2))


@pytest.mark.parametrize("lies", LAYOUTS)
@pytest.mark.parametrize("name", ["adaptive_avg_pool2d", "adaptive_max_pool2d"])
def test_so_many_windows_give_pytorchs(name, lies):
    def x(T):
        return LAYOUTS[lies](T, numbers(T, (2, 3, 7, 9)))

    for size in (2, 4, 7, 9, 11, 0, -1, (1, 3), (3, 1), (2, None), (None, None), (1,), (1, 2, 3)):
        assert_close(pooled(name, x, size))
        if "max" in name:
            assert_close(pooled(name, x, size, return_indices=True))


@pytest.mark.parametrize("lies", LAYOUTS)
def test_one_window_is_a_mean(lies):
    def program(T):
        made = T.nn.functional.adaptive_avg_pool2d(LAYOUTS[lies](T, numbers(T, (2, 3, 7, 9))), 1)
        return made.stride(), made.clone()  # of channels_last images PyTorch counts a version, as if it were written

    assert_close(program)


@pytest.mark.parametrize("lies", ["contiguous", "channels_last"])
def test_nan_is_the_largest_and_infinity_an_element(lies):
    nan, inf = float("nan"), float("inf")

    def x(T):
        line = [1.0, nan, 2.0, -inf, -inf, -inf, nan, nan, 3.0]
        return LAYOUTS[lies](T, T.tensor([[[line] * 4, [line[::-1]] * 4]]))

    for parameters in ({"kernel_size": 2}, {"kernel_size": 3, "stride": 1, "padding": 1}):
        assert_same(pooled("max_pool2d", x, return_indices=True, **parameters))
        assert_same(pooled("avg_pool2d", x, **parameters))
    assert_same(pooled("adaptive_max_pool2d", x, 3, return_indices=True))


def test_what_is_given_is_written():
    def program(T, name, kinds, permuted, *arguments):
        outs = tuple(T.ones(3, 2, 2, 2, dtype=getattr(T, kind)) for kind in kinds)
        outs = tuple(out.transpose(0, 1) for out in outs) if permuted else outs
        return getattr(T._C._nn, name)(numbers(T, (2, 3, 4, 4)), *arguments, out=outs if len(outs) > 1 else outs[0])

    pairs = ("max_pool2d_with_indices", "adaptive_max_pool2d"), ("avg_pool2d", "adaptive_avg_pool2d")
    for permuted in (True, False):
        for name in pairs[0]:
            assert_same(lambda T, name=name, p=permuted: program(T, name, ("float32", "int64"), p, (2, 2)))
            assert_same(lambda T, name=name, p=permuted: program(T, name, ("float32", "float32"), p, (2, 2)))
        for name in pairs[1]:
            assert_same(lambda T, name=name, p=permuted: program(T, name, ("float32",), p, (2, 2)))
            assert_same(lambda T, name=name, p=permuted: program(T, name, ("float64",), p, (2, 2)))


@pytest.mark.parametrize("name", [name for name in NAMES if "2d" in name])
def test_tensors_without_memory_have_pytorchs_geometry(name):
    for lies in ("contiguous", "channels_last"):
        assert_same(pooled(name, lambda T, lies=lies: LAYOUTS[lies](T, T.ones(2, 3, 4, 5, device="meta")), 2))


def test_messages_are_pytorchs():
    with pytest.raises(
        RuntimeError, match=r"^Given input size: \(3x6x7\)\. Calculated output size: \(3x0x0\)\. Output"
    ):
        F.max_pool2d(engine.ones(2, 3, 6, 7), 9)
    with pytest.raises(NotImplementedError, match="^\"avg_pool2d\" not implemented for 'Int'$"):
        F.avg_pool2d(engine.ones(2, 3, 6, 7, dtype=engine.int32), 2)
