"""log_softmax, sorting, normalizations and losses against PyTorch: values, geometry, forms, and what they refuse."""

import pytest
from compare import assert_close, assert_same, needs_torch

import engine
from engine.nn import functional


def numbers(T, *sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([(n * 7919 % 31 - 15) * 0.37 for n in range(count)]).to(getattr(T, kind)).view(sizes)


def weights(T, n=3):
    return T.tensor([0.5, -1.0, 2.0, 1.5][:n])


LAYOUTS = {
    "dense": lambda T, x: x,
    "transposed": lambda T, x: x.transpose(0, -1).contiguous().transpose(0, -1),
    "channels last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "offset": lambda T, x: T.cat([x, x], 0)[x.shape[0] :],
}


# ---- without PyTorch


def test_softmax_is_the_exponential_of_log_softmax():
    x = engine.tensor([[1.0, 2.0, 3.0], [-1000.0, 0.0, 1000.0]])
    assert engine.softmax(x, 1)[1].tolist() == [0.0, 0.0, 1.0]
    assert engine.log_softmax(x, 1)[1].tolist() == [-2000.0, -1000.0, 0.0]
    assert functional.softmin(x, 1)[1].tolist() == [1.0, 0.0, 0.0]


def test_sort_keeps_equal_elements_in_order_and_puts_nan_last():
    x = engine.tensor([2.0, float("nan"), -0.0, 2.0, 0.0, float("-inf")])
    assert engine.sort(x).indices.tolist() == [5, 2, 4, 0, 3, 1]
    assert engine.sort(x, descending=True).indices.tolist() == [1, 0, 3, 2, 4, 5]


@pytest.mark.slow
def test_a_long_row_is_sorted_as_python_sorts_it():
    row = [(n * 7919 % 1009) - 500 for n in range(3000)]
    for kind in (engine.float32, engine.float64, engine.int32, engine.int64):
        values, indices = engine.tensor(row, dtype=kind).sort()
        assert values.tolist() == sorted(row) and indices.tolist() == sorted(range(3000), key=row.__getitem__)


def test_layer_norm_of_a_row_has_mean_0_and_variance_1():
    row = engine.layer_norm(engine.arange(1000.0), (1000,))
    assert abs(row.mean().item()) < 1e-6 and abs((row * row).mean().item() - 1) < 1e-4


def test_batch_norm_lets_the_running_statistics_follow():
    x, mean, var = engine.tensor([[1.0], [3.0]]), engine.zeros(1), engine.ones(1)
    out = functional.batch_norm(x, mean, var, training=True, momentum=0.5, eps=0.0)
    assert out.tolist() == [[-1.0], [1.0]] and mean.tolist() == [1.0] and var.tolist() == [1.5]


def test_cross_entropy_of_one_score_is_its_log_softmax():
    scores, target = engine.tensor([[1.0, 2.0, 3.0]]), engine.tensor([0])
    assert functional.cross_entropy(scores, target).item() == -engine.log_softmax(scores, 1)[0, 0].item()


def test_a_target_that_is_no_class_is_refused():
    with pytest.raises(IndexError, match="Target 3 is out of bounds"):
        functional.nll_loss(engine.zeros(2, 3), engine.tensor([0, 3]))


@pytest.mark.parametrize("loss", [functional.nll_loss, functional.cross_entropy])
def test_one_row_has_one_target(loss):
    with pytest.raises(ValueError, match="For 1D input, 1D target must have size 1, but got target size: 3"):
        loss(engine.zeros(10), engine.tensor([1, 2, 3]))
    assert loss(engine.zeros(10), engine.tensor([1])).shape == ()


def test_a_number_that_is_no_reduction_is_refused():
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT FAILED"):
        engine._C._nn.mse_loss(engine.ones(2), engine.ones(2), 7)


def test_a_median_of_an_expanded_row_is_its_element():
    values, indices = engine.tensor([[3.0], [1.0]]).expand(2, 4).median(1)
    assert values.tolist() == [3.0, 1.0] and indices.tolist() == [1, 1]


# ---- against PyTorch


@needs_torch
@pytest.mark.parametrize("dim", [0, 1, -1, 3])
@pytest.mark.parametrize("kind", ["float32", "float64", "int64"])
def test_log_softmax(dim, kind):
    assert_close(lambda T: T.log_softmax(numbers(T, 3, 5, 140, kind=kind), dim))
    assert_close(lambda T: numbers(T, 3, 5, 140, kind=kind).transpose(0, 2).log_softmax(dim, dtype=T.float64))
    assert_close(lambda T: T.log_softmax(numbers(T, 3, 0, 4, kind=kind), dim))


@needs_torch
@pytest.mark.parametrize("layout", ["dense", "transposed", "offset"])
@pytest.mark.parametrize("kind", ["float32", "int64", "bool"])
def test_sort(layout, kind):
    def x(T):
        return LAYOUTS[layout](T, numbers(T, 4, 3, 40, kind=kind))

    for dim in (0, 1, -1, 3):
        assert_same(lambda T, dim=dim: T.sort(x(T), dim=dim, stable=True))
        assert_same(lambda T, dim=dim: x(T).argsort(dim=dim, stable=True, descending=True))
    assert_same(lambda T: T.msort(x(T)))
    assert_same(lambda T: T.sort(x(T), stable=True, out=(T.empty(0, dtype=x(T).dtype), T.empty(0, dtype=T.int64))))


SORTED_OVER = {
    "itself": lambda T, x, i: T.sort(x, 0, out=(x, i)),
    "every other": lambda T, x, i: T.sort(x[::2], descending=True, out=(x[::2], i)),
    "msort": lambda T, x, i: T.msort(x, out=x),
    "topk": lambda T, x, i: T.topk(x, 4, 0, out=(x, i)),
    "its indices": lambda T, x, i: T.argsort(x.long(), stable=True, out=i),
    "indices over the input": lambda T, x, i: T.sort(i.resize_(3).copy_(x[:3, 0]), out=(T.empty_like(i), i)),
    "a part": lambda T, x, i: T.sort(x[:3], out=(x[1:], i)),
    "transposed": lambda T, x, i: T.sort(x.t(), out=(x, i)),
    "expanded": lambda T, x, i: T.sort(x, out=(T.ones(4, 1).expand(4, 4), i)),
}


@needs_torch
@pytest.mark.parametrize("case", SORTED_OVER)
def test_sorting_over_the_input(case):
    def program(T):
        x = numbers(T, 4, 4)
        return SORTED_OVER[case](T, x, T.empty(0, dtype=T.int64)), x

    assert_same(program)


def test_a_row_is_sorted_into_itself():
    x, places = engine.tensor([3.0, 1.0, 2.0]), engine.empty(0, dtype=engine.int64)
    engine.sort(x, out=(x, places))
    assert x.tolist() == [1, 2, 3] and places.tolist() == [1, 2, 0]


@needs_torch
def test_topk_kthvalue_and_median():
    for kind in ("float32", "int64", "bool"):
        for dim in (0, 1, 2):  # which of equal elements topk finds is not specified
            assert_same(lambda T, dim=dim, kind=kind: T.topk(numbers(T, 3, 11, kind=kind), 3, dim).values)
            assert_same(lambda T, dim=dim, kind=kind: T.kthvalue(numbers(T, 3, 11, kind=kind), 2, dim))
            assert_same(lambda T, dim=dim, kind=kind: numbers(T, 3, 11, kind=kind).median(dim, True))
        assert_same(lambda T, kind=kind: numbers(T, 3, 11, kind=kind).median())
    assert_same(lambda T: T.tensor([1.0, float("nan"), 0.0]).median(0))
    assert_same(lambda T: T.tensor([1.0, float("nan"), 0.0]).nanmedian(0))
    assert_same(lambda T: T.topk(T.ones(3), 4))
    assert_same(lambda T: T.kthvalue(T.ones(3), 0))


@needs_torch
def test_of_equal_elements_that_of_pytorch_is_found():
    for n in (4, 5, 9, 40):
        for k in (1, n // 2, n):
            assert_same(lambda T, n=n, k=k: T.kthvalue(numbers(T, n).sign(), k))
        assert_same(lambda T, n=n: numbers(T, n).sign().median(0))
        assert_same(lambda T, n=n: T.where(numbers(T, n) > 3, float("nan"), numbers(T, n).sign()).nanmedian(0))
    x = engine.ones(3)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        engine.kthvalue(x, 1, out=(x, engine.tensor(0)))


@needs_torch
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(layout, training):
    def call(T):
        mean, var = weights(T), T.tensor([0.5, 1.0, 2.0])
        x = LAYOUTS[layout](T, numbers(T, 2, 3, 4, 5))
        return T.native_batch_norm(x, weights(T), None, mean, var, training, 0.2, 1e-5), mean, var

    assert_close(call)


@needs_torch
@pytest.mark.parametrize("layout", LAYOUTS)
def test_normalizations_of_rows_groups_and_samples(layout):
    def x(T):
        return LAYOUTS[layout](T, numbers(T, 2, 3, 4, 5))

    assert_close(lambda T: T.native_layer_norm(x(T), (5,), T.arange(5.0), None, 1e-5))
    assert_close(lambda T: T.layer_norm(x(T), (4, 5), None, T.ones(4, 5)))
    assert_close(lambda T: T.group_norm(x(T), 3, weights(T), weights(T)))
    assert_close(lambda T: T.instance_norm(x(T), weights(T), None, None, None, True, 0.1, 1e-5, True))
    assert_close(lambda T: T.rms_norm(x(T), (5,), T.arange(5.0)))


@needs_torch
@pytest.mark.parametrize(
    "call",
    [
        lambda T: T.layer_norm(T.ones(2, 3), (2,)),
        lambda T: T.layer_norm(T.ones(2, 3), ()),
        lambda T: T.layer_norm(T.ones(2, 3).long(), (3,)),
        lambda T: T.layer_norm(T.ones(2, 3), (3,), T.ones(3).double()),
        lambda T: T.layer_norm(T.ones(0, 3).long(), (3,)),
        lambda T: T.group_norm(T.ones(2, 3), 2),
        lambda T: T.group_norm(T.ones(0, 4).long(), 2),
        lambda T: T.native_group_norm(T.ones(3, 2).t(), None, None, 2, 3, 1, 3, 1e-5),
        lambda T: T.native_group_norm(T.ones(2, 3), None, None, 2, 3, 2, 3, 1e-5),
        lambda T: T.batch_norm(T.ones(2, 3), None, None, None, None, False, 0.1, 1e-5, True),
        lambda T: T.batch_norm(T.ones(2, 3), T.ones(2), None, None, None, True, 0.1, 1e-5, True),
        lambda T: T._C._nn.nll_loss(T.ones(2, 3), T.tensor([0, -1])),
        lambda T: T._C._nn.nll_loss(T.ones(2, 3), T.ones(2)),
        lambda T: T._C._nn.nll_loss(T.ones(3), T.tensor([], dtype=T.int64)),
        lambda T: T._C._nn.nll_loss(T.ones(3), T.tensor([[1]])),
        lambda T: T._C._nn.nll_loss_nd(T.ones(3), T.tensor([1, 2, 0])),
        lambda T: T._C._nn.cross_entropy_loss(T.ones(4), T.tensor([1, 2, 0])),
        lambda T: T._C._nn.smooth_l1_loss(T.ones(2), T.ones(2), 1, -1.0),
        lambda T: T._C._nn.binary_cross_entropy(T.full((2,), 2.0), T.ones(2), None, 1),
    ],
)
def test_what_is_refused(call):
    assert_same(call)


@needs_torch
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_losses_of_two_operands(reduction):
    def operands(T):
        return numbers(T, 4, 5), numbers(T, 5, 4).t()

    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        assert_close(lambda T, name=name: getattr(T._C._nn, name)(*operands(T), reduction))
    assert_close(lambda T: T._C._nn.mse_loss(*operands(T), reduction, out=T.empty(0)))
    assert_close(lambda T: T.kl_div(*operands(T), reduction, log_target=True))
    assert_close(lambda T: T._C._nn.binary_cross_entropy(*(T.softmax(x, 1) for x in operands(T)), None, reduction))


@needs_torch
@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("sizes", [(3,), (4, 3), (4, 3, 5), (2, 3, 4, 5), (2, 3, 2, 2, 2)])
def test_nll_loss_and_cross_entropy(sizes, reduction):
    def target(T):
        places = sizes[:1] + sizes[2:] if len(sizes) > 1 else ()
        count = 1
        for size in places:
            count *= size
        return T.tensor([n % 3 for n in range(count)]).view(places)

    for given in (None, weights):
        for ignored in (-100, 1):
            assert_close(
                lambda T, given=given, ignored=ignored: T._C._nn.nll_loss_nd(
                    numbers(T, *sizes), target(T), given and given(T), reduction, ignored
                )
            )
        assert_close(
            lambda T, given=given: T._C._nn.cross_entropy_loss(
                numbers(T, *sizes), numbers(T, *sizes).softmax(0), given and given(T), reduction, -100, 0.1
            )
        )
    assert_close(lambda T: T._C._nn.cross_entropy_loss(numbers(T, *sizes), target(T), None, reduction, 0, 0.1))
