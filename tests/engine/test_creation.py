"""New tensors: from data, filled, uninitialized, like another."""

import numpy as np
import pytest
from compare import assert_same, needs_torch

import engine

pytestmark = needs_torch
DTYPES = ("float32", "float64", "int64", "int32", "bool")
FORMATS = (None, "contiguous_format", "channels_last", "preserve_format")

DATA = (
    3, 2.5, True, [], [[]], [[], []], [1, 2], [1, 2.0], [True, 2], [True, False], [True, 2.5], (1, (2, 3)[0]),
    [[1, 2], [3, 4]], ((1,), (2,)), [[[1.5]], [[2]]], float("nan"), [float("inf"), -0.0], 2**62, -(2**63), 2**63, 2**70,
    [1, [2]], [[1], 2], [[1, 2], [3]], [[], [1]], "text", ["text"], [None], None, {1}, {1: 2}, range(3),
    np.arange(3), np.float32(2.5), np.int32(2), np.bool_(True), np.array(5), np.zeros((0, 2)), np.arange(4)[::-1],
    np.arange(6).reshape(2, 3).T, [np.arange(2), np.arange(2)], [np.float64(1), 2], np.array([1, 2], np.float32), b"x",
)  # fmt: skip


@pytest.mark.parametrize("data", DATA, ids=repr)
def test_tensor_takes_shape_and_dtype_from_data(data):
    assert_same(lambda T: T.tensor(data))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("data", [0, 2.75, -2.75, True, [1, 0, 3], [0.5, -1.0], [], [True]], ids=repr)
def test_tensor_converts_to_a_dtype(data, dtype):
    assert_same(lambda T: T.tensor(data, dtype=getattr(T, dtype)))


@pytest.mark.parametrize(("data", "dtype"), [(2**40, "int32"), (2**70, "float32"), (1e300, "float32"),
                                             (float("nan"), "int64"), (float("inf"), "int32"), (1e20, "int64"),
                                             (float("nan"), "bool")])  # fmt: skip
def test_tensor_of_a_number_that_the_dtype_cannot_hold(data, dtype):
    assert_same(lambda T: T.tensor(data, dtype=getattr(T, dtype)))


def test_tensor_copies_another_tensor_and_keeps_the_order_of_its_dimensions():
    assert_same(lambda T: T.tensor(T.arange(6).view(2, 3).t()))


def test_tensors_without_dimensions_are_entries():
    assert_same(lambda T: T.tensor([T.tensor(1), T.tensor(2.5)]))


@pytest.mark.parametrize("arguments", [
    (5,), (0,), (2, 6), (5, 2, -1), (0, 5, 2), (1.0,), (2.5,), (0, 1, 0.1), (1, 0, -0.3), (True,), (-3,), (5, 0),
    (0, 5, -1), (0, 5, 0), (3, 3), (float("nan"),), (0, float("inf")), ("3",), (), (None,), (0, 10, 2.5),
    (2**62, 2**62 + 2), (0, 5, 1e-1), (0.1, 3.1, 1), (2**70,), (1, 2, 3, 4),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [None, *DTYPES])
def test_arange_counts_as_pytorch_does(arguments, dtype):
    assert_same(lambda T: T.arange(*arguments, dtype=dtype and getattr(T, dtype)).to(T.float32).shape)


@pytest.mark.parametrize("arguments", [(5,), (2, 9, 3), (5, -3, -2), (1.0,), (-2.5, 4, 1.5), (0.5, 4), (0.25, 3, 0.25)])
@pytest.mark.parametrize("dtype", [None, *DTYPES[:-1]])
def test_arange_of_numbers_that_need_no_rounding(arguments, dtype):
    assert_same(lambda T: T.arange(*arguments, dtype=dtype and getattr(T, dtype)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arange_rounds_each_number_once(dtype):
    got = engine.arange(0, 5, 0.1, dtype=getattr(engine, dtype)).numpy()
    assert np.array_equal(got, (np.arange(50) * 0.1).astype(dtype))


@pytest.mark.parametrize(
    "size", [(), (0,), (3,), (2, 0), (2, 3), (True,), (2.0,), (-1,), "2", 2, [2, 3], (2, -3)], ids=repr
)
@pytest.mark.parametrize("make", ["zeros", "ones"])
def test_a_filled_tensor_of_a_size(make, size):
    assert_same(lambda T: getattr(T, make)(size))


@pytest.mark.parametrize("python_type", [bool, int, float, str, "float32"])
def test_a_python_type_names_a_dtype(python_type):
    assert_same(lambda T: T.zeros(2, dtype=python_type))


@pytest.mark.parametrize("value", [1, 2.5, True, "a", None, 2**63, -(2**63), 1e300, [1]], ids=repr)
@pytest.mark.parametrize("dtype", [None, *DTYPES])
def test_full_takes_its_dtype_from_the_value(value, dtype):
    assert_same(lambda T: T.full((2,), value, dtype=dtype and getattr(T, dtype)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_default_dtype_is_that_of_floats(dtype):
    def program(T):
        before = T.get_default_dtype()
        try:
            T.set_default_dtype(getattr(T, dtype))
            return T.tensor(1.5), T.zeros(1), T.arange(2.0), T.tensor(1), T.get_default_dtype()
        finally:
            T.set_default_dtype(before)

    assert_same(program)


ROWS = [
    "T.arange(0, 3, out=T.zeros(3))", "T.arange(3, out=T.zeros(3, dtype=T.int64))", "T.arange(3, out=T.zeros(6)[::2])",
    "T.arange(3, out=T.zeros(3, 1))", "T.arange(3, out=T.zeros(5))", "T.arange(3, out=T.zeros(0))",
    "T.eye(3)", "T.eye(2, 3)", "T.eye(3, 2, dtype=T.int64)", "T.eye(0)", "T.eye(2, dtype=T.bool)", "T.eye(-1)",
    "T.eye(2, -1)",
    "T.eye(2, out=T.ones(3))", "T.eye(n=2, m=1)", "T.eye(2.0)",
    "T.linspace(0, 1, 5)", "T.linspace(-3, 5, 5, dtype=T.int32)", "T.linspace(0, 10, 4, dtype=T.int64)",
    "T.linspace(3, 3, 2)",
    "T.linspace(0, 1, 1)", "T.linspace(0, 1, 0)", "T.linspace(0, 1, -1)", "T.linspace(0, 1, 3, dtype=T.bool)",
    "T.linspace(0, 8, 5, out=T.zeros(5))", "T.linspace(0, 8, 5, out=T.zeros(10)[::2])",
    "T.linspace(0, 8, 5, out=T.zeros(2))",
    "T.linspace(T.tensor(1), T.tensor(3), 3)", "T.linspace(T.tensor(1.5), 3, 2)", "T.linspace(1, T.tensor(2), 2)",
    "T.linspace(T.tensor([1]), T.tensor(3), 3)", "T.linspace(1, T.tensor([2]), 2)",
    "T.full((2,), 3, out=T.zeros(2))", "T.zeros(2, out=T.ones(2))", "T.ones((2, 2), out=T.zeros(0))",
    "T.empty(3, out=T.ones(3))",
    "T.full((2,), True)", "T.full((2,), T.tensor(3))", "T.full((), 2.5)", "T.fill(T.zeros(2), 3)",
    "T.fill(T.zeros(2), T.tensor(3))",
    "T.scalar_tensor(3)", "T.zeros(2).type_as(T.zeros(1, dtype=T.int64))",
    "T.zeros(2).new_empty_strided((2, 3), (1, 2)).stride()",
]  # fmt: skip


@pytest.mark.parametrize("call", ROWS)
def test_numbers_in_a_row_and_outputs_that_are_given(call):
    assert_same(lambda T: eval(call, {"T": T}))


SOURCES = {
    "contiguous": lambda T: T.arange(24).view(2, 3, 2, 2),
    "permuted": lambda T: T.arange(24).view(2, 3, 2, 2).permute(3, 1, 0, 2),
    "gaps": lambda T: T.arange(48).view(2, 3, 2, 4)[..., ::2],
    "expanded": lambda T: T.arange(6).view(2, 3, 1, 1).expand(2, 3, 2, 2),
    "no elements": lambda T: T.arange(0).view(2, 0, 2, 2),
    "size 1": lambda T: T.arange(4).view(2, 1, 2, 1).permute(3, 2, 1, 0),
    "three dimensions": lambda T: T.arange(6).view(3, 2, 1).permute(2, 0, 1),
    "no dimensions": lambda T: T.tensor(5),
    "windows": lambda T: T.arange(8).unfold(0, 4, 2).unfold(1, 2, 1),
    "channels_last": lambda T: T.zeros(2, 3, 2, 2).contiguous(memory_format=T.channels_last),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("memory_format", FORMATS)
@pytest.mark.parametrize("make", ["zeros_like", "ones_like"])
def test_a_tensor_like_another_has_its_layout(make, memory_format, source):
    assert_same(
        lambda T: getattr(T, make)(SOURCES[source](T), memory_format=memory_format and getattr(T, memory_format))
    )


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("memory_format", FORMATS)
def test_an_uninitialised_tensor_like_another_has_its_strides(memory_format, source):
    assert_same(
        lambda T: T.empty_like(SOURCES[source](T), memory_format=memory_format and getattr(T, memory_format)).stride()
    )


@pytest.mark.parametrize("make", [
    lambda x: x.new_zeros(2, 3), lambda x: x.new_ones((2,)), lambda x: x.new_full((2,), 7),
    lambda x: x.new_full((2,), 2.5),
    lambda x: x.new_zeros(()), lambda x: x.new_zeros(-1), lambda x: x.new_full(2, 1), lambda x: x.new_empty(0),
])  # fmt: skip
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_new_tensor_has_the_dtype_of_the_old_one(make, dtype):
    assert_same(lambda T: make(T.zeros(1, dtype=getattr(T, dtype))))


@pytest.mark.parametrize(("size", "memory_format"), [((2, 3, 4, 5), "channels_last"), ((2, 3), "channels_last"),
                                                     ((2, 3), "preserve_format"), ((2, 3), "contiguous_format"),
                                                     ((0, 3, 4, 5), "channels_last")])  # fmt: skip
def test_empty_in_a_memory_format(size, memory_format):
    assert_same(lambda T: T.empty(size, memory_format=getattr(T, memory_format)).stride())


@pytest.mark.parametrize(("size", "stride"), [((2, 3), (1, 2)), ((2, 3), (0, 7)), ((0,), (5,)), ((), ()),
                                              ((2,), (1, 1)), ((2,), (-1,)), ((-2,), (1,))])  # fmt: skip
def test_empty_strided_makes_a_storage_just_large_enough(size, stride):
    def program(T):
        made = T.empty_strided(size, stride)
        return made.size(), made.stride(), made.untyped_storage().nbytes()

    assert_same(program)


# ---- NumPy's memory

ARRAYS = {
    "contiguous": np.arange(6.0),
    "transposed": np.arange(6).reshape(2, 3).T,
    "stepped": np.arange(10, dtype=np.int32)[1::3],
    "negative stride": np.arange(3)[::-1],
    "no multiple of the itemsize": np.zeros(4, [("a", "i4"), ("b", "i2")])["a"],
    "expanded": np.broadcast_to(np.float32(3), (2, 2)),
    "no dimensions": np.array(5),
    "no elements": np.zeros((0, 3)),
    "bool": np.array([True, False]),
    "complex128": np.zeros(2, complex),
    "object": np.array([None]),
    "text": np.array(["a"]),
    "big-endian": np.arange(3, dtype=">i4"),
    "no array": [1, 2],
    "scalar": np.float64(1),
}


@pytest.mark.parametrize("name", [name for name in ARRAYS if name not in ("complex128",)])
def test_from_numpy(name):
    assert_same(lambda T: T.from_numpy(ARRAYS[name]))


def test_a_dtype_out_of_scope_is_refused():
    with pytest.raises(TypeError, match="The only supported types are: float64, float32, .*, uint8, and bool"):
        engine.from_numpy(ARRAYS["complex128"])


@pytest.mark.parametrize("make", ["from_numpy", "as_tensor"])
def test_an_array_and_its_tensor_see_each_others_writes(make):
    array = np.arange(6).reshape(2, 3)
    made = getattr(engine, make)(array.T)
    array[0, 2] = 50
    made[0, 0] = 40
    assert made[2, 0].item() == 50 and array[0, 0] == 40


def test_numpy_gives_a_view_of_the_storage():
    def program(T):
        base = T.arange(12).view(3, 4)
        array = base.t()[1:].numpy()
        array[0, 0] = 99
        return base, array

    assert_same(program)


def test_as_tensor_returns_a_tensor_that_fits_as_it_is():
    x = engine.zeros(2)
    assert engine.as_tensor(x) is x and engine.as_tensor(x, dtype=engine.int64) is not x


@pytest.mark.parametrize("options", [{"layout": "strided"}, {"requires_grad": False}, {"device": "cpu"},
                                     {"colour": 1}, {"device": "gpu"}], ids=repr)  # fmt: skip
def test_keyword_arguments_of_factories(options):
    def program(T):
        return T.zeros(2, **{name: getattr(T, value) if name == "layout" else value for name, value in options.items()})

    assert_same(program)


def test_a_new_tensor_of_many_cache_lines_starts_on_one():
    assert all(engine.zeros(size).data_ptr() % 64 == 0 for size in (8192, 30_001, 100_000))


# ---- more than there is

TOO_LARGE = [
    "T.empty([2, 4, 2**29, 2**29])", "T.zeros([2, 4, 2**29, 2**29])", "T.empty(2**61, device='meta')", "T.empty(2**60)",
    "T.empty_strided((2,), (2**62,))", "T.arange(2**62)", "T.ones(2).resize_(2**62)", "T.ones(1).expand(2**62) + 1",
    "T.ones(2, 2).resize_(2**60)", "T.empty(2**62, 0).shape", "T.empty(2**60, device='meta').shape",
]  # fmt: skip


@pytest.mark.parametrize("text", TOO_LARGE)
def test_a_tensor_that_is_too_large_is_refused_in_pytorchs_words(text):
    def program(T):
        try:
            return eval(text, {"T": T})
        except RuntimeError as error:
            return str(error)

    assert_same(program)


def test_a_tensor_that_cannot_grow_stays_as_it_is():
    x = engine.arange(6.0).view(2, 3)
    for size in (2**62, 2**60):
        with pytest.raises(RuntimeError):
            x.resize_(size)
    assert x.shape == (2, 3) and x.tolist() == [[0, 1, 2], [3, 4, 5]]
