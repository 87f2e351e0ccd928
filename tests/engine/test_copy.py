"""Elements in and out: copy_, fill_, clone, contiguous, to, item, and the versions that count the writes."""

import pickle

import numpy as np
import pytest
from compare import assert_same, needs_torch

pytestmark = needs_torch
DTYPES = ("bool", "int32", "int64", "float32", "float64")
FORMATS = ("contiguous_format", "channels_last", "preserve_format")
NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.75, -2.75, 255.5, 16777217.0, 1e9)


def numbers(T, dtype):
    return T.tensor(NUMBERS, dtype=T.float64).to(getattr(T, dtype))


def block(T):
    return T.arange(120).view(2, 3, 4, 5)


VIEWS = {
    "contiguous": lambda x: x,
    "permuted": lambda x: x.permute(3, 1, 0, 2),
    "transposed inside": lambda x: x.transpose(1, 3),
    "gaps": lambda x: x[:, 1:, ::2, ::3],
    "offset": lambda x: x[1, 2],
    "expanded": lambda x: x[:, :1, :1].expand(2, 3, 4, 5),
    "expanded in front": lambda x: x[0, 0].expand(2, 3, 4, 5),
    "windows": lambda x: x.unfold(3, 3, 1),
    "no elements": lambda x: x[:, :0],
    "no dimensions": lambda x: x[1, 1, 1, 1],
    "size 1": lambda x: x[:, 1:2].permute(3, 1, 2, 0),
    "diagonal": lambda x: x.diagonal(0, 1, 3),
    "channels side by side": lambda x: x.permute(0, 2, 3, 1),
}


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("of", DTYPES)
def test_conversion_of_a_dtype(of, to):
    assert_same(lambda T: numbers(T, of).to(getattr(T, to)))


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("of", DTYPES)
def test_copy_converts_into_a_view(of, to):
    def program(T):
        target = T.zeros(len(NUMBERS), 2, dtype=getattr(T, to))
        return target[:, 1].copy_(numbers(T, of)), target

    assert_same(program)


@pytest.mark.parametrize("to", ["bool", "float32", "float64"])
def test_conversion_of_what_is_not_finite(to):
    assert_same(
        lambda T: T.tensor([float("nan"), float("inf"), -float("inf"), 1e300], dtype=T.float64).to(getattr(T, to))
    )


@pytest.mark.parametrize("view", VIEWS)
def test_a_clone_keeps_the_order_of_the_dimensions(view):
    assert_same(lambda T: VIEWS[view](block(T)).clone())


@pytest.mark.parametrize("memory_format", FORMATS)
@pytest.mark.parametrize("view", VIEWS)
def test_a_clone_in_a_memory_format(view, memory_format):
    assert_same(lambda T: VIEWS[view](block(T)).clone(memory_format=getattr(T, memory_format)))


@pytest.mark.parametrize("memory_format", FORMATS)
@pytest.mark.parametrize("view", VIEWS)
def test_contiguous_copies_only_what_is_not(view, memory_format):
    def program(T):
        x = VIEWS[view](block(T))
        made = x.contiguous(memory_format=getattr(T, memory_format))
        return made is x, x, made

    assert_same(program)


@pytest.mark.parametrize("source", VIEWS)
@pytest.mark.parametrize("target", VIEWS)
def test_copy_from_any_view_into_any_view(source, target):
    def program(T):
        base = T.zeros(2, 3, 4, 5, dtype=T.float32)
        return VIEWS[target](base).copy_(VIEWS[source](block(T))), base

    assert_same(program)


@pytest.mark.parametrize(("target", "source"), [
    ((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((3,), (1, 3)), ((2,), (3,)), ((0, 3), (1,)), ((0,), (2,)),
    ((), (1,)), ((2, 1, 3), (4, 1)),
])  # fmt: skip
def test_copy_broadcasts_the_source_only(target, source):
    assert_same(lambda T: T.zeros(target).copy_(T.ones(source)))


OVERLAPS = {
    "a part, shifted": lambda x: (x[1:], x[:-1]),
    "itself": lambda x: (x, x),
    "itself again": lambda x: (x[:], x[:]),
    "itself transposed": lambda x: (x.view(3, 3), x.view(3, 3).t()),
    "gaps between": lambda x: (x[::2], x[:5]),
    "disjoint": lambda x: (x[:4], x[4:8]),
    "no elements": lambda x: (x[:0], x[:0]),
    "a cell twice": lambda x: (x[:1].expand(3), x[:3]),
    "a cell of no elements twice": lambda x: (x[:1].expand(0, 1).expand(0, 2), x[:2]),
    "windows": lambda x: (x.unfold(0, 3, 1)[:3], x.new_ones(3, 3)),
}


@pytest.mark.parametrize("overlap", OVERLAPS)
def test_copy_within_one_storage(overlap):
    def program(T):
        x = T.arange(9)
        target, source = OVERLAPS[overlap](x)
        return target.copy_(source), x

    assert_same(program)


@pytest.mark.parametrize(
    "value", [0, 1, -1.5, 2.5, True, 2**31, 2**40, 2**70, float("nan"), 1e300, "a", None, [1]], ids=repr
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_fill_with_a_number(dtype, value):
    assert_same(lambda T: T.zeros(2, dtype=getattr(T, dtype)).fill_(value))


@pytest.mark.parametrize("view", VIEWS)
def test_fill_writes_the_elements_of_a_view_only(view):
    def program(T):
        base = block(T)
        return VIEWS[view](base).fill_(-1), base

    assert_same(program)


@pytest.mark.parametrize("size", [(), (1,), (0,)])
def test_fill_with_a_tensor(size):
    assert_same(lambda T: T.zeros(2, 2).fill_(T.ones(size, dtype=T.int64)))


@pytest.mark.parametrize("arguments", [
    "T.int64", "dtype=T.bool", "'cpu'", "'cpu', T.int64", "T.zeros(1, dtype=T.int32)", "T.float32, copy=True",
    "T.float32",
    "device='cpu'", "T.int64, False, True",
    "T.float32, False, True", "copy=True", "'float32'", "", "int", "float", "None",
    "T.float32, memory_format=T.channels_last", "'cpu', T.int64, False, True", "T.zeros(1), False, True",
    "dtype=T.int64, non_blocking=True", "T.device('cpu')", "device=T.device('cpu'), dtype=T.int32",
])  # fmt: skip
def test_to(arguments):
    def program(T):
        x = T.arange(24, dtype=T.float32).view(2, 3, 2, 2).permute(1, 0, 3, 2)
        made = eval(f"x.to({arguments})", {"T": T, "x": x})
        return made is x, made

    assert_same(program)


@pytest.mark.parametrize("name", ["float", "double", "int", "long", "bool"])
def test_conversion_by_name(name):
    assert_same(lambda T: getattr(T.arange(4, dtype=T.float32), name)())


# ---- versions


def test_all_views_of_a_base_count_its_writes():
    def program(T):
        base = T.zeros(2, 3)
        row, column = base[0], base.t()[1:]
        row.fill_(1)
        column.copy_(T.ones(1))
        base[1, 1] = 5
        base.detach().zero_()
        return base, row, column, row.clone(), base.contiguous(), base.reshape(3, 2), base.t().reshape(6)

    assert_same(program)


def test_a_refused_write_is_not_counted():
    def program(T):
        x = T.zeros(1, 2).expand(2, 2)
        try:
            x.copy_(T.ones(2, 2))
        except RuntimeError:
            return x

    assert_same(program)


def test_a_write_of_nothing_is_counted():
    assert_same(lambda T: T.zeros(0).fill_(1))


# ---- out


@pytest.mark.parametrize("view", VIEWS)
def test_numpy_has_the_geometry_of_the_tensor(view):
    assert_same(lambda T: VIEWS[view](block(T)).numpy())


@pytest.mark.parametrize("text", [
    "T.tensor(2.5).item()", "T.ones(1, 1).item()", "T.zeros(2).item()", "T.zeros(0).item()", "T.tensor(True).item()",
    "T.arange(6).view(2, 3)[1, 2].item()", "T.tensor(3).tolist()", "T.zeros(2, 0).tolist()", "T.zeros(0, 2).tolist()",
    "block(T)[:, 1:, ::2, 3].tolist()", "bool(T.tensor([2]))", "bool(T.zeros(2))", "bool(T.zeros(0))",
    "int(T.tensor(2.9))", "float(T.tensor(2))", "len(T.zeros(3, 2))", "len(T.tensor(1))", "list(T.arange(3))",
    "list(T.tensor(1))", "[10, 20, 30][T.tensor(1)]", "[10, 20][T.tensor(1.0)]", "int(T.zeros(2))",
    "[10, 20][T.tensor(True)]", "range(3)[T.ones(1, 1, dtype=T.int32)]", "np.asarray(T.arange(3))",
    "np.array(T.arange(3), dtype=np.float32)", "iter(T.tensor(1))", "hash(T.zeros(1)) is not None",
    "T.zeros(2, 3).size()", "T.zeros(2, 3).size(-1)", "T.zeros(2).size(1)", "T.zeros(2, 3).stride(-3)",
    "T.tensor(1).size(0)", "T.zeros(2, 3).shape + (1,)", "T.zeros(2, 3, 4).shape[1:]", "T.zeros(2, 3).shape.numel()",
    "(T.zeros(2, 3).numel(), T.zeros(2, 0).numel(), T.tensor(1).numel(), T.zeros(2, 3).dim(), T.zeros(2, 3).nbytes)",
    "(T.zeros(2, 3).element_size(), T.zeros(2, dtype=T.float64).itemsize, T.zeros(1, dtype=T.bool).itemsize)",
    "(T.zeros(1).device, T.zeros(1).layout, T.zeros(1).dtype, T.zeros(1).is_floating_point(), T.zeros(1).is_leaf)",
    "(T.is_tensor(T.zeros(1)), T.is_tensor(1))", "T.zeros(2, 3)[1:].untyped_storage().nbytes()",
    "(T.zeros(4)[2:].data_ptr() - T.zeros(0).data_ptr()) > 0", "T.zeros(0).data_ptr()", "T.zeros(3)[1:1].data_ptr()",
])  # fmt: skip
def test_what_a_tensor_tells_of_itself(text):
    assert_same(lambda T: eval(text, {"T": T, "np": np, "block": block}))


# ---- pickle

PICKLED = [
    "T.ones(2, requires_grad=True)", "T.arange(6).view(2, 3).t()[1:]", "T.nn.Parameter(T.ones(2))", "T.strided",
    "T.device('cpu')", "T.device('cuda', 0)", "T.Size([2, 3])", "T.float64", "T.sort(T.tensor([2.0, 1.0]))",
]  # fmt: skip


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("text", PICKLED)
def test_a_tensor_comes_out_of_a_pickle(text, protocol):
    assert_same(lambda T: pickle.loads(pickle.dumps(eval(text, {"T": T}), protocol)))


def test_a_layout_comes_out_of_a_pickle_as_itself():
    assert_same(lambda T: pickle.loads(pickle.dumps(T.strided)) is T.strided)
