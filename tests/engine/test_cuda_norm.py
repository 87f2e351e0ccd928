"""layer_norm, batch_norm, group_norm on device "cuda" against the CPU."""

import numpy as np
import pytest
from cuda_compare import agree, on_cuda
from tiers import fast_first

import engine
import engine.nn.functional as F
from engine.aten.native import layer_norm as native


def numbers(*sizes, seed=0, requires_grad=True, dtype="float32", shift=0.0):
    values = np.random.default_rng(seed).standard_normal(sizes) + shift
    return engine.from_numpy(np.array(values)).to(getattr(engine, dtype)).requires_grad_(requires_grad)


def parameters(n, dtype="float32"):
    return numbers(n, seed=1, dtype=dtype), numbers(n, seed=2, dtype=dtype)


def running(n, dtype="float32"):
    return numbers(n, seed=3, requires_grad=False, dtype=dtype), engine.ones(n, dtype=getattr(engine, dtype)) * 2


# ---- layer_norm


@pytest.mark.parametrize("dtype", fast_first(1, ["float32", "float64"]))
def test_layer_norm_with_more_rows_and_columns_than_threads(dtype):
    agree(lambda x, w, b: F.layer_norm(x, (7,), w, b), numbers(2, 3, 7, dtype=dtype), *parameters(7, dtype))


@pytest.mark.parametrize("present", [(True, False), (False, True), (False, False)], ids=["weight", "bias", "neither"])
def test_layer_norm_without_a_parameter(present):
    given = [parameter for parameter, is_present in zip(parameters(5), present, strict=True) if is_present]

    def norm(x, *given):
        rest = iter(given)
        return F.layer_norm(x, (5,), *(next(rest) if is_present else None for is_present in present))

    agree(norm, numbers(3, 5), *given)


def test_layer_norm_over_several_dimensions_of_a_view():
    agree(lambda x: F.layer_norm(x[1:, :, ::2], (3, 2)), numbers(3, 3, 4))
    agree(lambda x: F.layer_norm(x.transpose(0, 1), (2,)), numbers(2, 5))


def test_layer_norm_keeps_mean_and_spread():
    agree(lambda x: engine.native_layer_norm(x, (6,), None, None, 1e-3), numbers(3, 6))


@pytest.mark.slow
def test_layer_norm_of_numbers_far_from_zero():
    out = agree(lambda x: F.layer_norm(x, (9,)), numbers(2, 9, shift=3000.0, dtype="float64"))
    assert abs(out.detach().cpu().numpy().std(-1) - 1).max() < 1e-3


def test_layer_norm_of_no_rows():
    agree(lambda x, w, b: F.layer_norm(x, (4,), w, b), numbers(0, 4), *parameters(4))


def test_the_weight_gradient_adds_up_chunks_of_rows(monkeypatch):
    monkeypatch.setattr(native, "CHUNK", 8)  # elements of a chunk, so 4 chunks of 4 rows, the last of 2
    agree(lambda x, w, b: F.layer_norm(x, (2,), w, b), numbers(14, 2), *parameters(2))


def test_layer_norm_refuses_integers_as_the_cpu_does():
    with pytest.raises(NotImplementedError, match="\"LayerNormKernelImpl\" not implemented for 'Long'"):
        F.layer_norm(engine.ones(2, 3, dtype=engine.int64, device="cuda"), (3,))


# ---- batch_norm


@pytest.mark.slow
@pytest.mark.parametrize("dtype", fast_first(1, ["float32", "float64"]))
@pytest.mark.parametrize("sizes", [(3, 5, 2, 3), (6, 5), (2, 5, 3)], ids=str)
def test_batch_norm_in_training(sizes, dtype):
    def norm(x, weight, bias, mean, variance):
        return F.batch_norm(x, mean, variance, weight, bias, True, 0.3), mean, variance

    agree(norm, numbers(*sizes, dtype=dtype), *parameters(5, dtype), *running(5, dtype))


@pytest.mark.slow
def test_batch_norm_of_channels_last():
    x = numbers(2, 3, 2, 3).detach().contiguous(memory_format=engine.channels_last).requires_grad_()
    agree(lambda x, w, b: F.batch_norm(x, None, None, w, b, True), x, *parameters(3))


@pytest.mark.slow
def test_channels_of_many_elements_are_the_work_of_several_blocks():
    agree(lambda x, w, b: F.batch_norm(x, None, None, w, b, True), numbers(4, 2, 4, 9), *parameters(2))
    agree(
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
        numbers(150, 3, dtype="float64", shift=100.0),
        *parameters(3, "float64"),
    )
    agree(lambda x, w, b: F.group_norm(x, 1, w, b), numbers(1, 2, 150, dtype="float64"), *parameters(2, "float64"))


def test_batch_norm_in_evaluation():
    agree(lambda x, *rest: F.batch_norm(x, *rest[2:], *rest[:2]), numbers(2, 3, 4), *parameters(3), *running(3))


def test_batch_norm_of_a_view_and_without_statistics():
    agree(lambda x: F.batch_norm(x[:, 1:, ::2], None, None, training=True), numbers(2, 3, 5))


def test_a_channel_of_equal_numbers_becomes_its_bias():
    x = engine.full((4, 2, 3), 1e6, device="cuda").transpose(0, 1).contiguous().transpose(0, 1)
    bias = engine.tensor([1.5, -2.0], device="cuda")
    out = F.batch_norm(x, None, None, None, bias, True)
    assert out.cpu().tolist() == bias.cpu().view(1, 2, 1).expand(4, 2, 3).tolist()


def test_batch_norm_writes_running_statistics_with_gaps():
    mean, variance = on_cuda(engine.zeros(3, 2))[:, 0], on_cuda(engine.ones(3, 2))[:, 1]
    F.batch_norm(numbers(4, 3, shift=5.0).to("cuda"), mean, variance, training=True, momentum=1.0)
    x = numbers(4, 3, shift=5.0).detach().numpy()
    np.testing.assert_allclose(mean.cpu().numpy(), x.mean(0), 1e-5)
    np.testing.assert_allclose(variance.cpu().numpy(), x.var(0, ddof=1), 1e-5)


# ---- group_norm and others


@pytest.mark.slow
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_group_norm(groups):
    agree(lambda x, w, b: F.group_norm(x, groups, w, b), numbers(2, 6, 3), *parameters(6))


@pytest.mark.slow
def test_group_norm_without_parameters_and_of_single_numbers():
    agree(lambda x: F.group_norm(x, 2), numbers(2, 4, 1, dtype="float64"))
    agree(lambda x: F.group_norm(x.transpose(2, 3), 2), numbers(1, 4, 2, 3))


def test_instance_norm_and_rms_norm():
    agree(F.instance_norm, numbers(2, 3, 5))
    agree(lambda x, w: F.rms_norm(x, (5,), w), numbers(3, 5), parameters(5)[0])
