"""The copy kernel against the plain loop that it replaces."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiers import fast_first

import engine
from engine.cpu.copy import COLUMNS, LONG, ROWS, strided_copy
from engine.strides import compute_storage_nbytes, contiguous_strides, permute, strided_offsets

KINDS = ("float32", "float64", "int32", "int64", "bool")
VALUES = (0, 1, 2, -3, 2.5, -7.75, 100)


def cells(sizes, strides, offset, kind):
    """A flat array with room for a geometry, and one cell to spare."""
    count = compute_storage_nbytes(sizes, strides, 1, offset) + 1
    return np.resize(VALUES, count).astype(kind)


def plain_copy(sizes, dst, to, dst_strides, src, of, src_strides):
    targets, origins = strided_offsets(sizes, dst_strides, to), strided_offsets(sizes, src_strides, of)
    for target, origin in zip(targets, origins, strict=True):
        dst[target] = src[origin]


def assert_copies_as_the_plain_loop(sizes, to, dst_strides, of, src_strides, dst_kind="int32", src_kind="int32"):
    src = cells(sizes, src_strides, of, src_kind)
    expected = np.full_like(cells(sizes, dst_strides, to, dst_kind), 1)
    got = expected.copy()
    plain_copy(sizes, expected, to, dst_strides, src, of, src_strides)
    strided_copy(sizes, got, to, dst_strides, src, of, src_strides)
    assert got.tobytes() == expected.tobytes()


@st.composite
def layouts(draw, sizes):
    """Strides of a layout in which no two elements meet: some order of the dimensions, with gaps."""
    strides, step = [0] * len(sizes), 1
    for d in draw(st.permutations(range(len(sizes)))):
        step *= draw(st.sampled_from((1, 1, 2, 3)))
        strides[d] = step
        step *= max(sizes[d], 1)
    return tuple(strides)


@st.composite
def copies(draw):
    sizes = tuple(draw(st.lists(st.sampled_from((1, 2, 3, 4, 9, 0)), max_size=5)))
    while math.prod(sizes) > 600:
        sizes = sizes[1:]
    repeated = draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    source = tuple(0 if again else stride for stride, again in zip(draw(layouts(sizes)), repeated, strict=True))
    return sizes, draw(st.integers(0, 3)), draw(layouts(sizes)), draw(st.integers(0, 3)), source


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(copies(), st.sampled_from(("int32", "float64")))
@example(((), 2, (), 1, ()), "int32")
@example(((2, 3), 0, (3, 1), 0, (0, 0)), "int32")
def test_any_geometry_is_copied_to_any_other(copy, kind):
    assert_copies_as_the_plain_loop(*copy, dst_kind=kind)


@pytest.mark.parametrize("columns", [1, COLUMNS - 1, COLUMNS, COLUMNS + 1])
@pytest.mark.parametrize("rows", [1, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS + 3])
def test_a_transpose_is_copied_whole_at_every_edge_of_a_tile(rows, columns):
    strides = contiguous_strides((columns, rows))
    sizes, source = permute((columns, rows), strides, (1, 0))
    assert_copies_as_the_plain_loop(sizes, 0, contiguous_strides(sizes), 0, source)


@pytest.mark.parametrize("src_kind", fast_first(1, KINDS))
@pytest.mark.parametrize("dst_kind", fast_first(2, KINDS))
@pytest.mark.parametrize("src_strides", [(4, 1), (1, 3), (0, 2)])
def test_numbers_are_converted_as_the_plain_loop_converts_them(dst_kind, src_kind, src_strides):
    assert_copies_as_the_plain_loop((3, 4), 1, (4, 1), 0, src_strides, dst_kind, src_kind)


@pytest.mark.parametrize("strides", [(4, 1), (1, 3), (8, 2)])
def test_bits_that_are_no_number_survive(strides):
    src = cells((3, 4), strides, 0, "float32")
    src.view(np.uint32)[:] = 0x7FA00001  # a signalling NaN
    dst = np.zeros(12, np.float32)
    strided_copy((3, 4), dst, 0, (4, 1), src, 0, strides)
    assert (dst.view(np.uint32) == 0x7FA00001).all()


def test_nothing_is_written_when_there_are_no_elements():
    dst = np.zeros(3)
    strided_copy((2, 0), dst, 0, (1, 1), np.ones(3), 0, (1, 1))
    assert not dst.any()


LONG_COPIES = {
    "copy_": lambda x: engine.empty_like(x).copy_(x),
    "clone": lambda x: x.clone(),
    "double": lambda x: x.double(),
    "fill_": lambda x: x.clone().fill_(3),
    "zero_": lambda x: x.clone().zero_(),
    "cat": lambda x: engine.cat((x, x[:1], x)),
    "cat of columns": lambda x: engine.cat((x, x[:, :1], x), 1),
    "a transpose": lambda x: x.t().contiguous(),
    "channels last": lambda x: x.view(4, -1, 7, 50).permute(0, 2, 3, 1).contiguous(),
    "a row to all": lambda x: engine.empty_like(x).copy_(x[0]),
}


@pytest.mark.parametrize("name", LONG_COPIES)
def test_threads_do_not_change_a_long_copy(name):
    x = engine.arange(700 * 400).view(700, 400)
    assert x.numel() > 2 * LONG
    before, results = engine.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            engine.set_num_threads(threads)
            results.append(LONG_COPIES[name](x).numpy())
    finally:
        engine.set_num_threads(before)
    assert all(np.array_equal(results[0], other) for other in results[1:])
    if name in ("copy_", "clone", "double"):
        assert np.array_equal(results[1], x.numpy())
    if name == "cat":
        assert np.array_equal(results[1], np.concatenate((x.numpy(), x.numpy()[:1], x.numpy())))
