"""A tensor prints as PyTorch prints it, to the character."""

import math
import warnings

import numpy as np
import pytest
from compare import assert_same, needs_torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

import engine
from engine import printing

pytestmark = needs_torch

TENSORS = {
    "no dimensions": lambda T: T.tensor(3.5),
    "no dimensions, int": lambda T: T.tensor(-7),
    "no dimensions, bool": lambda T: T.tensor(True),
    "bools": lambda T: T.tensor([[True, False], [False, False]]),
    "ints of several widths": lambda T: T.tensor([[1, -20], [300, 4]]),
    "whole floats": lambda T: T.tensor([1.0, -2.0, 30.0]),
    "floats": lambda T: T.tensor([0.5, -12.25, 3.0]),
    "a wide range": lambda T: T.tensor([1e-6, 1.0, 123.0]),
    "large": lambda T: T.tensor([1e9, 2.5]),
    "large whole": lambda T: T.tensor([1e8, 2e8]),
    "tiny": lambda T: T.tensor([1e-5, 2e-5]),
    "inf and nan among whole": lambda T: T.tensor([1.0, math.inf, -math.inf, math.nan]),
    "inf and nan among fractions": lambda T: T.tensor([1.5, math.inf, math.nan]),
    "only nan": lambda T: T.tensor([math.nan, math.nan]),
    "negative zero": lambda T: T.tensor([-0.0, 0.0]),
    "other dtypes": lambda T: T.arange(3, dtype=T.float64),
    "int32": lambda T: T.arange(3, dtype=T.int32),
    "empty": lambda T: T.tensor([]),
    "empty, int": lambda T: T.zeros(0, dtype=T.int64),
    "empty, two dimensions": lambda T: T.zeros(0, 3),
    "empty, two dimensions, int": lambda T: T.zeros(2, 0, dtype=T.int64),
    "a long row": lambda T: T.arange(40),
    "a long row of floats": lambda T: T.arange(40, dtype=T.float32).view(1, 40),
    "three dimensions": lambda T: T.arange(24).view(2, 3, 4),
    "four dimensions": lambda T: T.arange(24).view(2, 1, 3, 4),
    "exactly 1000": lambda T: T.arange(1000),
    "1001": lambda T: T.arange(1001),
    "summarised matrix": lambda T: T.zeros(100, 100),
    "summarised, one long dimension": lambda T: T.arange(2400).view(2, 600, 2),
    "summarised, int32": lambda T: T.zeros(2000, dtype=T.int32),
    "summarised, none of the dimensions long": lambda T: T.arange(4096).view(4, 4, 4, 4, 4, 4),
    "a view with gaps": lambda T: T.arange(24).view(4, 6)[::2, 1::2].t(),
    "expanded": lambda T: T.tensor([[1.5], [2.0]]).expand(2, 3),
    "a suffix that does not fit the line": lambda T: T.arange(19, dtype=T.float64),
}
VALUES = st.sampled_from((0.0, -0.0, 1.0, -3.0, 20.0, 1e5, 1e8, 1e9, 0.5, 1e-4, 9.9e-5, 1234.5, math.inf, math.nan))


@pytest.mark.parametrize("make", TENSORS.values(), ids=TENSORS.keys())
def test_the_text_of_a_tensor_is_pytorchs(make):
    assert_same(lambda T: repr(make(T)))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from((1, 2, 3, 7, 13)), max_size=3),
    st.lists(VALUES | st.floats(-1e4, 1e4), min_size=1, max_size=4),
    st.sampled_from(("float32", "float64", "int64", "int32", "bool")),
)
@example([7, 13, 13], [1.0, 1e-4], "float32")
def test_the_text_of_any_numbers_is_pytorchs(sizes, values, dtype):
    if "int" in dtype:
        values = [value if math.isfinite(value) else 0.0 for value in values]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = np.resize(values, math.prod(sizes)).astype(dtype).reshape(sizes)
    assert_same(lambda T: repr(T.from_numpy(array)))


@pytest.mark.parametrize("text", ["{}", "{:.3f}", "{:>8}"])
def test_a_tensor_without_dimensions_formats_as_its_number(text):
    assert_same(lambda T: text.format(T.tensor(2.5)))


def test_a_parameter_without_dimensions_formats_as_it_prints():
    parameter = engine.nn.Parameter(engine.tensor(2.5))
    assert f"{parameter}" == "Parameter containing:\ntensor(2.5000, requires_grad=True)"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{parameter:.2f}"


def test_a_tensor_with_dimensions_formats_as_it_prints():
    assert_same(lambda T: f"{T.tensor([1, 2])}")


@pytest.mark.parametrize("default", ["float32", "float64"])
def test_only_a_dtype_other_than_the_default_is_named(default):
    def show(T):
        before = T.get_default_dtype()
        T.set_default_dtype(getattr(T, default))
        try:
            return [repr(T.tensor([1.5], dtype=dtype)) for dtype in (T.float32, T.float64)]
        finally:
            T.set_default_dtype(before)

    assert_same(show)


@pytest.mark.parametrize(
    "show",
    [
        lambda T: T.zeros(2, 3).shape,
        lambda T: T.zeros(()).shape,
        lambda T: T.zeros(2, 3, 4).shape[1:],
        lambda T: T.zeros(1).dtype,
        lambda T: T.bool,
        lambda T: T.zeros(1).device,
        lambda T: T.device("cpu", 0),
        lambda T: T.strided,
        lambda T: T.channels_last,
    ],
)
def test_what_describes_a_tensor_prints_as_in_pytorch(show):
    assert_same(lambda T: (repr(show(T)), str(show(T))))


OPTIONS = (
    {"precision": 2}, {"threshold": 5}, {"edgeitems": 1, "threshold": 10}, {"linewidth": 40}, {"sci_mode": True},
    {"sci_mode": False}, {"profile": "short"}, {"profile": "full"}, {"edgeitems": 0, "threshold": 10},
)  # fmt: skip


SHOWN = ("floats", "a wide range", "1001", "summarised matrix", "three dimensions", "large whole")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_change_the_text_as_pytorchs_do(options):
    def program(T):
        T.set_printoptions(**options)
        try:
            return [repr(TENSORS[name](T)) for name in SHOWN]
        finally:
            T.set_printoptions(profile="default")

    assert_same(program)


def test_options_within_a_block_end_with_it():
    before = printing.get_printoptions()
    with printing.printoptions(precision=1, profile="full"):
        assert repr(engine.tensor([0.25])) == "tensor([0.2])" and printing.PRINT_OPTS.threshold == math.inf
    assert printing.get_printoptions() == before
