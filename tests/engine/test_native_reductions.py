"""prod, max, min, all, any, arg-, nan- and cumulative forms, var, std, norms against PyTorch."""

import pytest
from compare import assert_close, assert_same, needs_torch, torch
from test_native_reduce import LAYOUTS, numbers

import engine

pytestmark = needs_torch

INF, NAN = float("inf"), float("nan")
ONE_DIM = {
    "prod": lambda T, x, dim: x.prod(dim),
    "max": lambda T, x, dim: tuple(x.max(dim)),
    "min": lambda T, x, dim: tuple(x.min(dim, keepdim=True)),
    "all": lambda T, x, dim: (x != 3).all(dim),
    "any": lambda T, x, dim: x.any(dim, keepdim=True),
    "argmax": lambda T, x, dim: x.argmax(dim),
    "argmin": lambda T, x, dim: x.argmin(dim, keepdim=True),
    "aminmax": lambda T, x, dim: tuple(x.aminmax(dim=dim)),
    "count_nonzero": lambda T, x, dim: x.count_nonzero(dim),
    "cumsum": lambda T, x, dim: x.cumsum(dim),
    "cummax": lambda T, x, dim: tuple(x.cummax(dim)),
}
OF_FLOATS = {
    "nansum": lambda T, x, dim: x.nansum(dim),
    "nanmean": lambda T, x, dim: x.nanmean(dim),
    "var": lambda T, x, dim: x.var(dim, correction=0),
    "std": lambda T, x, dim: x.std(dim, unbiased=True, keepdim=True),
    "var_mean": lambda T, x, dim: T.var_mean(x, dim, correction=0),
    "logsumexp": lambda T, x, dim: x.logsumexp(dim),
    "norm": lambda T, x, dim: x.norm(3, dim),
    "cumprod": lambda T, x, dim: (x / 8).cumprod(dim),
    "logcumsumexp": lambda T, x, dim: x.logcumsumexp(dim),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ONE_DIM | OF_FLOATS)
def test_along_a_dim_of_any_layout(name, layout):
    program = (ONE_DIM | OF_FLOATS)[name]
    for sizes in ((2, 3, 4), (3, 70, 2)):
        for dim in (0, 1, -1):
            assert_close(lambda T, d=dim, s=sizes: program(T, LAYOUTS[layout](T, numbers(T, s, "float32")), d))


@pytest.mark.parametrize("name", ONE_DIM)
def test_of_integers_and_of_no_dimensions(name):
    assert_same(lambda T: ONE_DIM[name](T, numbers(T, (5, 3), "int64"), 0))
    assert_close(lambda T: ONE_DIM[name](T, T.tensor(3.0), -1))
    assert_close(lambda T: ONE_DIM[name](T, T.zeros(2, 0), 0))


@pytest.mark.parametrize(
    "name", ["max", "min", "argmax", "argmin", "prod", "all", "any", "var", "std", "nansum", "norm"]
)
def test_of_all_elements(name):
    assert_close(lambda T: getattr(numbers(T, (3, 70, 2), "float32").transpose(0, 2), name)())
    assert_close(lambda T: getattr(T.tensor([2.0, NAN, 5.0]), name)())
    assert_close(lambda T: getattr(T.tensor(4.0), name)())


@pytest.mark.parametrize("kind", ["int64", "bool"])
@pytest.mark.parametrize("name", ["nansum", "nanmean"])
def test_numbers_beside_nan_as_integers(name, kind):
    def reduced(T, **options):
        return getattr(T, name)(T.tensor([1.5, NAN, 2.5]), **options)

    assert_same(lambda T: reduced(T, dtype=getattr(T, kind)))
    assert_same(lambda T: reduced(T, out=T.zeros((), dtype=getattr(T, kind))))
    assert_same(lambda T: getattr(T, name)(T.ones(2, dtype=getattr(T, kind)), out=T.zeros(())))


def test_of_equal_elements_the_first_is_found_by_arg_and_the_last_by_cumulative_forms():
    x = engine.tensor([[1.0, 7.0, 7.0, 2.0], [NAN, 9.0, NAN, 9.0]])
    assert x.argmax(1).tolist() == x.max(1).indices.tolist() == [1, 0]
    assert x.cummax(1).indices.tolist() == [[0, 1, 2, 2], [0, 0, 2, 2]]
    assert engine.zeros(3, 4).argmin().item() == 0


@pytest.mark.parametrize("shape", [(300_000,), (3, 200_000), (200_000, 3), (70_000, 2, 2)], ids=str)
def test_many_elements_of_few_outputs_are_reduced_in_pieces(shape):
    count = torch.Size(shape).numel()
    y = torch.arange(count).mul(7919).remainder(1009).float().view(shape)
    x = engine.from_numpy(y.numpy())
    for name in ("sum", "amax", "argmax", "var"):
        for dim in (0, -1):
            ours, theirs = getattr(x, name)(dim), getattr(y.double(), name)(dim)
            torch.testing.assert_close(torch.from_numpy(ours.numpy()).double(), theirs.double(), rtol=1e-6, atol=0)
    assert x.argmax().item() == y.argmax().item() and x.max().item() == y.max().item()


def test_threads_change_no_digit():
    x, before = engine.randn(100, 7001), engine.get_num_threads()
    results = []
    for number in (1, 2, 5):
        engine.set_num_threads(number)
        results.append([x.sum().item(), x.var().item(), x.sum(0).tolist(), x.var(1).tolist(), x.cumsum(1)[3].tolist()])
    engine.set_num_threads(before)
    assert results[0] == results[1] == results[2]


def test_var_of_large_numbers_keeps_its_digits():
    x = engine.arange(100_000, dtype=engine.float32).remainder(10) + 100_000
    assert x.var(correction=0).item() == pytest.approx(8.25, rel=1e-6)
    assert x.view(1000, 100).var((0, 1), correction=0).item() == pytest.approx(8.25, rel=1e-6)


@pytest.mark.parametrize("correction", [None, 0, 1, 0.5, 4, 9])
def test_a_correction(correction):
    assert_close(lambda T: numbers(T, (2, 4), "float32").var(1, correction=correction))
    assert_close(lambda T: T.std_mean(numbers(T, (2, 4), "float32"), correction=correction))


@pytest.mark.parametrize("p", [0, 1, 2, 3, 0.5, -1, INF, -INF, "fro", None])
def test_norms(p):
    assert_close(lambda T: (T.norm(numbers(T, (3, 4), "float32"), p), numbers(T, (3, 4), "float32").norm(p, 1, True)))
    if not isinstance(p, (str, type(None))):
        assert_close(lambda T: T.linalg.vector_norm(numbers(T, (3, 4), "float32"), p, (0, 1), dtype=T.float64))


def test_out_and_in_place():
    assert_same(lambda T: T.max(numbers(T, (3, 4), "float32"), 1, out=(T.zeros(0), T.zeros(0, dtype=T.int64))))
    assert_same(lambda T: T.cummin(numbers(T, (3, 4), "float32"), 1, out=(T.zeros(0), T.zeros(0, dtype=T.int64))))
    assert_same(lambda T: T.aminmax(numbers(T, (3, 4), "float32"), dim=0, out=(T.zeros(4), T.zeros(4))))
    assert_same(lambda T: T.any(numbers(T, (3, 4), "float32"), (0, 1), out=T.ones(3, dtype=T.bool)))
    assert_same(lambda T: T.var(numbers(T, (3, 4), "float32"), 0, out=T.zeros(4, 2).t()[0]))
    assert_same(lambda T: T.cumsum(numbers(T, (3, 4), "int64"), 0, out=T.zeros(3, 4)))
    assert_same(lambda T: numbers(T, (3, 4), "int32").t().cumsum_(0))
    assert_same(lambda T: numbers(T, (3, 4), "bool").cumsum(1))


MESSAGES = (
    lambda T: T.zeros(0).max(),
    lambda T: T.zeros(0).argmax(),
    lambda T: T.zeros(0, 2).max(0),
    lambda T: T.zeros(0, 2).argmin(0),
    lambda T: T.zeros(0).aminmax(),
    lambda T: T.tensor([True]).argmax(),
    lambda T: T.max(T.zeros(2), out=T.zeros((), dtype=T.int64)),
    lambda T: T.max(T.zeros(2), 0, out=(T.zeros(()), T.zeros(()))),
    lambda T: T.all(T.zeros(2), out=T.zeros(())),
    lambda T: T.zeros(2, 3).any((0, 0)),
    lambda T: T.tensor([1]).var(),
    lambda T: T.var_mean(T.tensor([1])),
    lambda T: T.var(T.zeros(2), 0, out=T.zeros((), dtype=T.int64)),
    lambda T: T.logsumexp(T.zeros(2), 0, out=T.zeros((), dtype=T.int64)),
    lambda T: T.tensor([1]).nanmean(),
    lambda T: T.nansum(T.zeros(2), 0, dtype=T.float32, out=T.zeros((), dtype=T.float64)),
    lambda T: T.linalg.vector_norm(T.tensor([1])),
    lambda T: T.linalg.vector_norm(T.zeros(0), -1),
    lambda T: T.linalg.vector_norm(T.zeros(0, 2), INF, 0),
    lambda T: T.linalg.vector_norm(T.zeros(2, dtype=T.float64), dtype=T.float32),
    lambda T: T.norm(T.zeros(2, 2), "abc"),
    lambda T: T.ops.aten.norm.Scalar(T.tensor([1, 2]), 2),
    lambda T: T.tensor([True]).cumsum(0, dtype=T.bool),
    lambda T: T.tensor([1]).cumsum_(0, dtype=T.float32),
    lambda T: T.tensor(2).cumsum(1),
    lambda T: T.tensor([1]).logcumsumexp(0),
    lambda T: T.cummax(T.zeros(2), 0, out=(T.zeros(2), T.zeros(2))),
)


@pytest.mark.parametrize("program", MESSAGES)
def test_errors_read_as_pytorchs(program):
    with pytest.raises(Exception) as got:
        program(engine)
    with pytest.raises(Exception) as expected:
        program(torch)
    assert type(got.value) is type(expected.value)
    assert str(got.value).splitlines()[0] == str(expected.value).splitlines()[0]


def test_the_meta_device_knows_the_sizes():
    assert_same(lambda T: T.zeros(2, 3, device="meta").var(0))
    assert_same(lambda T: tuple(T.zeros(2, 3, device="meta").max(1)))
    assert_same(lambda T: T.zeros(2, 3, device="meta").count_nonzero())
    assert_same(lambda T: tuple(T.zeros(2, 3, device="meta").cummax(0)))
    assert_same(lambda T: T.var_mean(T.zeros(2, 3, device="meta"), 1, keepdim=True))
