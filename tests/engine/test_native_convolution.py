"""conv1d and conv2d against PyTorch: parameters, layouts, dtypes, sizes without elements, and what they refuse."""

import itertools

import pytest
from compare import assert_close, assert_same, needs_torch

import engine

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")


def numbers(T, sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([n * 7919 % 31 - 15 for n in range(count)]).to(getattr(T, kind)).view(sizes)


def same(*arguments, **parameters):
    """conv2d of tensors of these sizes (a None is a None) gives PyTorch's, or is refused as there."""

    def program(T):
        tensors = [a if a is None else numbers(T, a) for a in arguments]
        return T.conv2d(*tensors, **parameters)

    assert_close(program)


PARAMETERS = [
    {},
    {"stride": 2},
    {"stride": (1, 3)},
    {"padding": 1},
    {"padding": (0, 2)},
    {"padding": 4},
    {"dilation": 2},
    {"dilation": (2, 1), "padding": (2, 1), "stride": (1, 2)},
    {"padding": "same"},
    {"padding": "same", "dilation": 2},
    {"padding": "valid", "stride": 2},
    {"stride": (3,), "padding": (1,)},
    {"stride": 7},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_conv2d_of_any_parameters_gives_pytorchs(parameters):
    same((2, 4, 7, 9), (6, 4, 3, 3), (6,), **parameters)
    same((4, 7, 9), (6, 4, 3, 2), None, **parameters)
    same((2, 4, 7, 9), (6, 2, 2, 3), (6,), groups=2, **parameters)
    same((2, 4, 7, 9), (8, 1, 3, 3), None, groups=4, **parameters)
    same((1, 1, 7, 19), (1, 1, 1, 1), None, **parameters)


@pytest.mark.parametrize(
    "sizes", [(1, 1, 8, 8), (3, 5, 9, 33), (2, 17, 12, 12), (1, 40, 5, 40), (2, 3, 1, 1), (1, 300, 6, 7)], ids=str
)
@pytest.mark.parametrize("outputs", [1, 6, 7, 16, 50])
def test_conv2d_of_sizes_that_fill_no_tile(sizes, outputs):
    same(sizes, (outputs, sizes[1], 3, 3), (outputs,), padding=1)
    same(sizes, (outputs, sizes[1], 3, 3), (outputs,), padding=1, stride=2)
    same(sizes, (outputs, sizes[1], 1, 1), (outputs,))


@pytest.mark.parametrize("kind", KINDS)
def test_dtypes_are_pytorchs(kind):
    def program(T, **parameters):
        x, w = numbers(T, (2, 4, 5, 5), kind), numbers(T, (6, 4, 3, 3), kind)
        return T.conv2d(x, w, numbers(T, (6,), kind), **parameters)

    for parameters in ({}, {"stride": 2, "padding": 1}, {"dilation": 2}):
        assert_close(lambda T, p=parameters: program(T, **p))


@pytest.mark.parametrize("kinds", list(itertools.permutations(KINDS[:3], 2)), ids="-".join)
def test_two_dtypes_are_refused(kinds):
    def program(T, bias):
        x, w = numbers(T, (2, 4, 5, 5), kinds[0]), numbers(T, (6, 4, 3, 3), kinds[1])
        return T.conv2d(x, w.to(x.dtype) if bias else w, numbers(T, (6,), kinds[1]) if bias else None)

    assert_same(lambda T: program(T, False))
    assert_same(lambda T: program(T, True))


LAYOUTS = {
    "contiguous": lambda T, x: x,
    "channels_last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "transposed": lambda T, x: x.transpose(2, 3).contiguous().transpose(2, 3),
    "gaps": lambda T, x: T.cat([x, x], 3)[..., : x.size(3)],
    "repeated": lambda T, x: x[:, :, :1].expand(x.size()),
}


@pytest.mark.parametrize("lies", list(itertools.product(LAYOUTS, LAYOUTS)), ids="-".join)
@pytest.mark.parametrize("sizes", [(2, 4, 5, 5), (1, 4, 3, 3), (2, 1, 5, 5)], ids=str)
def test_memory_formats_are_pytorchs(lies, sizes):
    def program(T, channels, kernel):
        x, w = numbers(T, sizes), numbers(T, (channels, sizes[1], *kernel))
        x, w = LAYOUTS[lies[0]](T, x), LAYOUTS[lies[1]](T, w)
        return T.conv2d(x, w), T.conv2d(x[0], w)

    assert_close(lambda T: program(T, 6, (3, 3)))
    assert_close(lambda T: program(T, 1, (3, 3)))
    if lies[1] != "channels_last":  # of a kernel of one element PyTorch's libraries disagree
        assert_close(lambda T: program(T, 6, (1, 1)))


def test_conv1d_gives_pytorchs():
    for parameters in ({}, {"stride": 2}, {"padding": 2}, {"dilation": 2}, {"padding": "same"}, {"groups": 2}):
        groups = parameters.get("groups", 1)
        assert_close(
            lambda T, p=parameters, g=groups: [
                T.conv1d(numbers(T, (2, 4, 9)), numbers(T, (6, 4 // g, 3)), numbers(T, (6,)), **p),
                T.conv1d(numbers(T, (4, 9)), numbers(T, (6, 4 // g, 2)), **p),
                T.conv1d(numbers(T, (4, 2, 9)).transpose(0, 1), numbers(T, (6, 4 // g, 2)), **p),
            ]
        )


def test_sizes_without_elements_give_pytorchs():
    same((0, 4, 5, 5), (6, 4, 3, 3), (6,), padding=2, stride=2)
    same((2, 0, 5, 5), (6, 0, 3, 3), (6,))
    same((2, 4, 0, 5), (6, 4, 3, 3))
    same((2, 4, 0, 5), (6, 4, 3, 3), padding=2)
    same((2, 4, 5, 5), (0, 4, 3, 3))
    same((2, 4, 5, 5), (6, 4, 0, 3))
    assert_close(lambda T: T.conv1d(T.ones(0, 4, 5), T.ones(3, 4, 3)))


@pytest.mark.parametrize(
    "arguments",
    [
        ((5, 5), (6, 4, 3, 3)),
        ((4, 5, 5), (4, 3, 3)),
        ((2, 4, 5, 5), (3,)),
        ((2, 4, 5, 5), (6, 4, 7, 7)),
        ((2, 4, 5, 5), (6, 4, 3, 3), (5,)),
        ((2, 4, 5, 5), (6, 4, 3, 3), (6, 1)),
        ((2, 3, 5, 5), (6, 4, 3, 3)),
    ],
    ids=str,
)
def test_wrong_shapes_are_refused_as_in_pytorch(arguments):
    same(*arguments)
    same(*arguments, padding="same")


@pytest.mark.parametrize(
    "parameters",
    [
        {"stride": 0},
        {"padding": -1},
        {"dilation": 0},
        {"dilation": -1},
        {"groups": 0},
        {"groups": 5},
        {"groups": 7},
        {"groups": 2},
        {"stride": (1, 1, 1)},
        {"stride": ()},
        {"padding": "full"},
        {"padding": "same", "stride": 2},
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_as_in_pytorch(parameters):
    same((2, 4, 5, 5), (6, 4, 3, 3), None, **parameters)


def test_messages_are_pytorchs():
    x, w = engine.ones(2, 4, 5, 5), engine.ones(6, 4, 3, 3)
    with pytest.raises(
        RuntimeError, match=r"^Given groups=2, weight of size \[6, 4, 3, 3\], expected input\[2, 4, 5, "
    ):
        engine.conv2d(x, w, groups=2)
    with pytest.raises(RuntimeError, match=r"\(5 x 5\)\. Kernel size: \(9 x 9\)\. Kernel size can't be greater than"):
        engine.conv2d(x, w, dilation=4)
    with pytest.raises(RuntimeError, match=r"^Input type \(float\) and bias type \(long int\) should be the same$"):
        engine.conv2d(x, w, engine.ones(6, dtype=engine.int64))


def test_tensors_without_memory_have_pytorchs_geometry():
    assert_same(lambda T: T.conv2d(T.ones(2, 4, 5, 5, device="meta"), T.ones(6, 4, 3, 3, device="meta"), padding=2))
    assert_same(lambda T: T.conv1d(T.ones(4, 5, device="meta"), T.ones(6, 4, 3, device="meta"), stride=2))


LAYOUTS = {
    "contiguous": lambda T, x: x,
    "channels last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "narrowed": lambda T, x: x[:, :, :, 1:],
    "some channels": lambda T, x: x[:, 1:],
    "expanded": lambda T, x: x[:1].expand(3, -1, -1, -1),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("sizes", [(1, 2, 1, 1, 2), (3, 5, 20, 5, 8), (2, 40, 3, 30, 31)], ids=str)
def test_kernels_of_one_pixel_give_pytorchs(sizes, layout):
    n, c, m, height, width = sizes
    for kind, bias, is_transposed in itertools.product(("float32", "float64"), (False, True), (False, True)):

        def program(T, kind=kind, bias=bias, is_transposed=is_transposed):
            x = LAYOUTS[layout](T, numbers(T, (n, c, height, width), kind))
            w = numbers(T, (m, x.size(1), 1, 1), kind)
            w = w.transpose(0, 1).contiguous().transpose(0, 1) if is_transposed else w
            return T.conv2d(x, w, numbers(T, (m,), kind) if bias else None)

        assert_close(program)
