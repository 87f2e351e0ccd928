"""Reductions, scans, sorts and softmax on device "cuda": the same as on the CPU, in value and in geometry."""

import numpy as np
import pytest
from cuda_compare import agree, on_cuda
from tiers import fast_first

import engine

inf, nan = float("inf"), float("nan")
RANDOM = np.random.default_rng(0)
X = engine.from_numpy(RANDOM.integers(-4, 5, (3, 5, 2)).astype(np.float32))  # with equal elements
LONG = engine.from_numpy(RANDOM.standard_normal((2, 150)).astype(np.float32))  # cut in parts, by blocks of four threads
MIXED = X.clone()
MIXED[1, 2, 1], MIXED[2, :, 0], MIXED[0, 0, 0] = nan, nan, inf
INTEGERS = engine.from_numpy(RANDOM.integers(-(2**60), 2**60, (3, 7)))


def ids(functions):
    return [f.__code__.co_names[-1] for f in functions]


REDUCTIONS = (
    lambda x, dim: x.sum(dim), lambda x, dim: x.mean(dim, keepdim=True), lambda x, dim: x.amax(dim),
    lambda x, dim: x.amin(dim), lambda x, dim: x.var(dim), lambda x, dim: engine.linalg.vector_norm(x, dim=dim),
)  # fmt: skip


@pytest.mark.parametrize("reduce", fast_first(3, REDUCTIONS), ids=ids(REDUCTIONS))
def test_any_dims_of_any_geometry(reduce):
    for dim in (None, (0,), (1, 2), (2, 0)):
        agree(lambda x, dim=dim: reduce(x, dim), X)
    agree(lambda x: reduce(x.transpose(0, 2)[:, 1::2], (1,)), X)
    agree(lambda x: reduce(x[:1].expand(4, 5, 2), (0, 1)), X)


@pytest.mark.slow
@pytest.mark.parametrize(
    "reduce",
    [lambda x: x.sum(), lambda x: x.sum(1), lambda x: x.t().contiguous().sum(0), lambda x: x.amax(),
     lambda x: x.argmax(), lambda x: engine.var_mean(x, 1), lambda x: x.min(1)],
    ids=["all", "rows", "columns", "amax", "argmax", "var_mean", "min"],
)  # fmt: skip
def test_long_rows_are_cut_in_parts(reduce):
    agree(reduce, LONG)


@pytest.mark.slow
def test_integers_are_exact():
    agree(lambda x: x.sum(1), INTEGERS)
    agree(lambda x: x.prod(0), INTEGERS % 8)
    agree(lambda x: x.amax(0), INTEGERS)
    agree(lambda x: x.sum(), (INTEGERS % 2).to(engine.int32))
    assert (INTEGERS > 0).cuda().sum().item() == int((INTEGERS.numpy() > 0).sum())


def test_a_sum_in_float32_is_not_made_one_by_one():
    x = engine.full((1100,), 16777216.0)
    x[1::2] = 1.0
    exact = 550 * 16777217.0
    assert abs(x.cuda().sum().item() - exact) / exact < 1e-7
    assert abs(float(np.cumsum(x.numpy())[-1]) - exact) / exact > 1e-8  # one by one the ones are lost


def test_reductions_of_nothing():
    for size in ((0,), (3, 0)):
        x = engine.empty(size)
        for reduce in (lambda x: x.sum(-1), lambda x: x.prod(-1), lambda x: x.mean(-1), lambda x: x.all(-1)):
            agree(reduce, x)
    agree(lambda x: x.amax(0), engine.empty(3, 0))
    with pytest.raises(IndexError, match="Expected reduction dim 0 to have non-zero size"):
        engine.empty(0, 3, device="cuda").max(0)


@pytest.mark.slow
def test_truth_and_counts():
    for reduce in (lambda x: x.all(1), lambda x: x.any(), lambda x: (x > 3).any(0), lambda x: x.count_nonzero((0, 2))):
        agree(reduce, X)


@pytest.mark.parametrize("p", fast_first(1, [2, 0, 1, 3.5, inf, -inf]))
def test_norms(p):
    agree(lambda x: x.norm(p, dim=1), X)


@pytest.mark.slow
@pytest.mark.parametrize("extreme", ["max", "min", "argmax", "argmin", "cummax", "cummin"])
def test_of_equal_ones_the_first_is_found_and_nan_wins(extreme):
    for dim in (0, 1, 2):
        agree(lambda x, dim=dim: getattr(x, extreme)(dim), MIXED)


SCANS = (lambda x: x.cumsum(1), lambda x: x.cumprod(0), lambda x: x.logcumsumexp(1), lambda x: x.cummax(1))


@pytest.mark.parametrize("scan", fast_first(1, SCANS), ids=ids(SCANS))
def test_scans_over_tiles_and_parts(scan):
    agree(scan, LONG[:, :70])
    agree(lambda x: scan(x.t()[:7]), LONG)


@pytest.mark.slow
def test_scans_of_integers_nan_and_infinity():
    agree(lambda x: x.cumsum(0), INTEGERS)
    agree(lambda x: x.cumsum(1, dtype=engine.int32), INTEGERS & 255)
    agree(lambda x: x.logcumsumexp(0), engine.tensor([-inf, -inf, 1.0, 3.0, inf, 2.0, nan, 1.0]))
    agree(lambda x: x.clone().cumsum_(1), MIXED)


SORTS = (
    lambda x: x.sort(0), lambda x: x.sort(1, descending=True), lambda x: x.topk(2, 1), lambda x: x.median(1),
    lambda x: x.nanmedian(0, True), lambda x: x.transpose(0, 2).argsort(1),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("sort", fast_first(1, SORTS), ids=ids(SORTS))
def test_order_along_a_dimension_nan_last_and_equal_ones_in_theirs(sort):
    agree(sort, MIXED)


@pytest.mark.slow
def test_sorting_merges_runs_of_any_length():
    for n in (1, 4, 5, 37):
        agree(lambda x, n=n: (x[:, :n] * 2).to(engine.int64).sort(1), LONG)
    agree(lambda x: x.kthvalue(3, 1)[0], INTEGERS)
    agree(lambda x: (x > 0).sort(1, descending=True), INTEGERS)


SOFT = (lambda x: x.softmax(1), lambda x: x.log_softmax(1), lambda x: x.softmax(0), lambda x: x.log_softmax(-1))


@pytest.mark.slow
@pytest.mark.parametrize("soft", fast_first(1, SOFT), ids=[f"{name}{k}" for k, name in enumerate(ids(SOFT))])
def test_softmax_and_its_gradient(soft):
    agree(soft, X.clone().requires_grad_())
    agree(soft, (30 * LONG[:, :21]).double().requires_grad_())


def test_softmax_of_rows_with_infinity_and_nan():
    x = engine.tensor([[-inf, -inf, -inf], [1.0, -inf, 2.0], [1.0, inf, 2.0], [1.0, nan, 2.0], [3e38, -3e38, 0.0]])
    agree(lambda x: x.softmax(1), x)
    agree(lambda x: x.log_softmax(1), x)
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        engine.ones(2, dtype=engine.int64, device="cuda").softmax(0)


def test_a_result_goes_into_the_cells_of_out():
    whole = on_cuda(engine.zeros(3, 4))
    engine.sum(X.cuda(), (1, 2), out=whole[:, 2])
    assert whole[:, 2].tolist() == X.sum((1, 2)).tolist() and whole.sum().item() == X.sum().item()
