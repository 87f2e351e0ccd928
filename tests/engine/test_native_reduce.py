"""sum, mean, amax, amin and softmax against PyTorch: dims, dtypes, layouts, forms, and what they refuse."""

import itertools

import pytest
from compare import assert_close, assert_same, engine, needs_torch, torch

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")
REDUCTIONS = ("sum", "mean", "amax", "amin")
DIMS = [(), 0, 1, -1, (0, 1), (0, 2), (2, 0), (-1, -3), (0, 1, 2), 3, -4, (0, 0), (0, -3)]


def numbers(T, sizes, kind):
    count = 1
    for size in sizes:
        count *= size
    values = T.tensor([n * 7919 % 31 - 15 for n in range(count)])
    return values.to(getattr(T, kind)).view(sizes)


LAYOUTS = {
    "dense": lambda T, x: x,
    "permuted": lambda T, x: x.permute(2, 0, 1),
    "transposed": lambda T, x: x.transpose(0, 2),
    "gaps": lambda T, x: x[:, ::2, 1:],
    "repeated": lambda T, x: x[:, :1].expand(x.size(0), 3, x.size(2)),
    "no elements": lambda T, x: x[:, :0],
}


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", DIMS, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_any_dims_give_pytorchs(name, kind, dim, keepdim):
    assert_close(lambda T: getattr(T, name)(numbers(T, (2, 3, 4), kind), dim, keepdim))


@pytest.mark.parametrize("sizes", [(2, 3, 4), (70, 2, 3), (3, 70, 2), (2, 3, 70), (2, 1, 600), (600, 1, 5)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_any_layout_gives_pytorchs(name, layout, sizes, kind):
    for dim in (0, 1, 2, (0, 1), (0, 2), (1, 2), ()):
        assert_close(lambda T, dim=dim: getattr(T, name)(LAYOUTS[layout](T, numbers(T, sizes, kind)), dim))


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)), ids="-".join)
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_a_dtype_gives_pytorchs(name, kinds):
    assert_close(lambda T: getattr(T, name)(numbers(T, (3, 5), kinds[0]), dtype=getattr(T, kinds[1])))
    assert_close(lambda T: getattr(T, name)(numbers(T, (3, 5), kinds[0]), 1, dtype=getattr(T, kinds[1])))
    assert_close(lambda T: getattr(numbers(T, (3, 5), kinds[0]), name)())


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)), ids="-".join)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_out_gives_pytorchs(name, kinds):
    for sizes in ((3,), (1, 3), (2, 2)):

        def program(T, sizes=sizes):
            out = T.zeros(sizes, dtype=getattr(T, kinds[1]))
            return getattr(T, name)(numbers(T, (2, 3), kinds[0]), 0, out=out)

        assert_close(program)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_no_dimensions_and_no_elements_give_pytorchs(name):
    for dim in ((), 0, -1, 1, (0, -1)):
        assert_close(lambda T, dim=dim: getattr(T, name)(T.tensor(3.0), dim))
    for sizes, dim in itertools.product([(0,), (2, 0), (0, 2), (0, 0)], [(), 0, 1, -1, (0, 1)]):
        assert_close(lambda T, sizes=sizes, dim=dim: getattr(T, name)(T.zeros(sizes), dim))


@pytest.mark.parametrize("place", [0, 5, 63, 64, 99])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_not_a_number_stays(name, place):
    def program(T):
        x = T.arange(200, dtype=T.float32).view(2, 100)
        x[1, place] = float("nan")
        return getattr(T, name)(x, 1), getattr(T, name)(x, 0), getattr(T, name)(x.t(), 0)

    assert_close(program)


def test_the_extremes_of_a_dtype_are_found():
    assert_same(lambda T: (T.full((70,), -float("inf")).amax(), T.full((3,), float("inf")).amin()))
    assert_same(lambda T: (T.full((70,), -(2**63)).amax(), T.full((3,), 2**63 - 1).amin()))


@pytest.mark.parametrize("count", [1, 63, 64, 65, 1023, 100_000])
def test_a_long_sum_of_floats_stays_exact_to_a_few_roundings(count):
    import numpy as np

    import engine as T

    x = np.random.default_rng(count).random(count, np.float32)
    exact = x.astype(np.float64).sum()
    rows = T.from_numpy(np.stack([x, x], 1))
    for total in (T.from_numpy(x).sum().item(), rows.sum(0)[1].item(), rows[:, 1].sum().item()):
        assert abs(total - exact) <= 1e-6 * exact


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [0, 1, -1, 2])
def test_softmax_gives_pytorchs(dim, kind):
    assert_close(lambda T: T.softmax(numbers(T, (3, 4), kind), dim))
    assert_close(lambda T: numbers(T, (3, 4), kind).t().softmax(dim, dtype=T.float64))
    assert_close(lambda T: T.softmax(numbers(T, (3, 4, 2), kind).permute(1, 2, 0), dim, dtype=T.float32))


@pytest.mark.parametrize(
    "values", [[1000.0, 1001.0], [float("inf"), 1.0], [-float("inf")] * 2, [float("nan"), 1.0], []]
)
def test_softmax_of_extremes_gives_pytorchs(values):
    assert_close(lambda T: T.softmax(T.tensor(values), 0))
    assert_close(lambda T: T.softmax(T.tensor(2.0), 0))
    assert_close(lambda T: T.softmax(T.tensor(values), 0, out=T.empty(2)))


MESSAGES = (
    lambda T: T.zeros(2).sum(5),
    lambda T: T.zeros(2).sum((0, 0)),
    lambda T: T.tensor([1]).mean(),
    lambda T: T.zeros(2).mean(dtype=T.int64),
    lambda T: T.mean(T.zeros(2), 0, out=T.zeros((), dtype=T.int64)),
    lambda T: T.sum(T.zeros(2), 0, dtype=T.float32, out=T.zeros((), dtype=T.float64)),
    lambda T: T.zeros(0).amax(),
    lambda T: T.zeros(2, 0).amax(1),
    lambda T: T.amax(T.zeros(2), 0, out=T.zeros((), dtype=T.float64)),
    lambda T: T.tensor([1]).softmax(0),
    lambda T: T.zeros(2).softmax(1),
)


@pytest.mark.parametrize("program", MESSAGES)
def test_errors_read_as_pytorchs(program):
    with pytest.raises(Exception) as got:
        program(engine)
    with pytest.raises(Exception) as expected:
        program(torch)
    assert type(got.value) is type(expected.value)
    assert str(got.value).splitlines()[0] == str(expected.value).splitlines()[0]
