"""The accessor reads and writes what `x[i, j, ...]` names, and checks every index."""

import itertools

import numpy as np
import pytest

import engine
from engine.accessor import TensorAccessor

VIEWS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, 2),
    "stepped": lambda x: x[1:, ::2, 1:],
    "expanded": lambda x: x[:, :1].expand(2, 5, 4),
    "one dimension": lambda x: x[1, 2],
    "size 1": lambda x: x[None, 0],
}


def matrix():
    return TensorAccessor([0, 1, 2, 3, 4, 5], (3, 2), (1, 3), 0)


@pytest.mark.parametrize("view", VIEWS)
def test_every_element_is_read_where_the_tensor_has_it(view):
    x = VIEWS[view](engine.arange(24).view(2, 3, 4))
    accessor, wanted = x.accessor(), x.tolist()
    for index in itertools.product(*(range(-size, size) for size in x.shape)):
        got, expected = accessor, wanted
        for i in index:
            got, expected = got[i], expected[i]
        assert got == expected


@pytest.mark.parametrize("view", VIEWS)
def test_a_write_reaches_the_tensor(view):
    x = VIEWS[view](engine.arange(24).view(2, 3, 4))
    inner = x.accessor()
    for _ in range(x.dim() - 1):
        inner = inner[-1]
    inner[-1] = 99
    assert x.numpy()[(-1,) * x.dim()] == 99


def test_a_write_changes_no_other_cell():
    data = list(range(6))
    TensorAccessor(data, (3, 2), (1, 3), 0)[1][1] = 40
    assert data == [0, 1, 2, 3, 40, 5]


def test_indexing_consumes_the_first_dimension():
    row = matrix()[2]
    assert (row.sizes, row.strides, row.storage_offset) == ((2,), (3,), 2)


@pytest.mark.parametrize("index", [3, -4, 100])
def test_an_index_outside_is_refused(index):
    with pytest.raises(IndexError, match=f"^index {index} is out of bounds for a dimension of size 3$"):
        matrix()[index]


@pytest.mark.parametrize("index", [True, 1.0, "0", None, slice(None), (0, 0), np.int64(0)], ids=repr)
@pytest.mark.parametrize("write", [False, True])
def test_only_ints_are_indices(index, write):
    with pytest.raises(TypeError, match="^an accessor is indexed with one int at a time, not with "):
        matrix()[0].__setitem__(index, 1) if write else matrix()[index]


def test_without_dimensions_there_is_nothing_to_index():
    with pytest.raises(IndexError, match="^a 0-dimensional accessor can't be indexed$"):
        TensorAccessor([1], (), (), 0)[0]


def test_a_row_is_no_place_to_write_to():
    with pytest.raises(TypeError, match="^can't assign to a 2-dimensional accessor"):
        matrix()[0] = 1


def test_a_size_of_zero_has_no_index():
    with pytest.raises(IndexError, match="dimension of size 0$"):
        TensorAccessor([], (0,), (1,), 0)[0]


def test_the_length_is_the_first_size():
    assert len(matrix()) == 3
    with pytest.raises(TypeError, match="0-dimensional"):
        len(TensorAccessor([1], (), (), 0))
