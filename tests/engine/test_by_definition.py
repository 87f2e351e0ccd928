"""Results that follow from a definition, by a plain loop or by NumPy: `make test` knows them wrong without PyTorch."""

import itertools
import math
import random

import numpy as np
import pytest
from fresh import Fresh

import engine
from engine import printing
from engine import strides as geometry
from engine.cpu.row_sums import RUN
from engine.nn import functional, init
from engine.profiler.chrome_trace import Context, forward_backward_arrows
from engine.profiler.events import Event, Recording


def randn(*sizes, seed=7):
    return np.random.default_rng(seed).standard_normal(sizes).astype(np.float32)


def tensor(array, requires_grad=False):
    return engine.tensor(array.tolist(), requires_grad=requires_grad)


def assert_close(got, expected, atol=1e-5):
    np.testing.assert_allclose(np.array(got.tolist()), expected, atol=atol)


# ---- geometry and dtypes


def test_a_view_reads_the_same_cells_in_the_same_order():
    """Of all geometries of three small dimensions and of all that they may be viewed as."""
    chance, viewed = random.Random(1), 0
    shapes = [sizes for sizes in itertools.product((1, 2, 3, 4, 6), repeat=3) if math.prod(sizes) == 12]
    for sizes, new_sizes in itertools.product(shapes, repeat=2):
        for strides in (geometry.contiguous_strides(sizes), *(chance.choices(range(13), k=3) for _ in range(20))):
            new_strides = geometry.view_strides(sizes, tuple(strides), new_sizes)
            if new_strides is not None:
                viewed += 1
                read = geometry.strided_offsets(new_sizes, new_strides)
                assert read == geometry.strided_offsets(sizes, tuple(strides)), (sizes, strides, new_sizes)
    assert viewed > len(shapes) ** 2


def test_views_that_only_touch_do_not_overlap():
    for (a, b), (c, d) in itertools.product(itertools.combinations(range(5), 2), repeat=2):
        shared = set(range(a, b)) & set(range(c, d))
        is_partial = bool(shared) and (a, b) != (c, d)
        assert geometry.has_partial_overlap(((b - a,), (1,), a), ((d - c,), (1,), c)) is is_partial


def test_a_python_float_has_the_default_dtype():
    engine.set_default_dtype(engine.float64)
    try:
        assert engine.arange(2).mul(0.5).dtype is engine.result_type(engine.arange(2), 0.5) is engine.float64
        assert (engine.ones(2, dtype=engine.float32) * 0.5).dtype is engine.float32
    finally:
        engine.set_default_dtype(engine.float32)
    assert engine.arange(2).mul(0.5).dtype is engine.float32


@pytest.mark.parametrize("values", [[1.0, 1000.0], [1.0, 1001.0], [0.5, 2.0], [2e-4, 4e-4], [9e-5, 2e-4]])
def test_a_tensor_is_scientific_if_its_largest_is_more_than_a_thousand_times_its_smallest(values):
    scientific = values[1] / values[0] > 1000 or values[0] < 1e-4
    assert ("e" in printing.tensor_repr(engine.tensor(values)).removeprefix("tensor")) is scientific


# ---- dispatch


def test_destroying_a_kernel_takes_away_that_one_and_the_next_call_knows():
    with Fresh(engine) as fresh:
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda x: x + 1, "CPU")
        second = fresh.impl("op", lambda x: x + 2, "CPU")
        third = fresh.impl("op", lambda x: x + 3, "CPU")
        second._destroy()
        assert fresh.ops.op(engine.zeros(1)).item() == 3
        third._destroy()
        assert fresh.ops.op(engine.zeros(1)).item() == 1


def test_a_fallback_that_was_destroyed_is_not_called_again():
    with Fresh(engine) as fresh:
        fresh.define("op(Tensor x) -> Tensor")
        fallback = fresh.fallback(lambda op, x: x + 5, "CPU")
        assert fresh.ops.op(engine.zeros(1)).item() == 5
        fallback._destroy()
        with pytest.raises(NotImplementedError, match="Could not run"):
            fresh.ops.op(engine.zeros(1))


# ---- autograd


def test_backward_refuses_a_saved_tensor_that_was_overwritten():
    x = engine.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_gradient_that_a_hook_has_kept_stays_as_it_was():
    x, kept = engine.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 1
    once, again = y * 3, y.clone()
    again.register_hook(kept.append)
    (again * 2 + once).sum().backward()
    assert kept[0].tolist() == [2.0, 2.0] and x.grad.tolist() == [5.0, 5.0]


def test_a_retained_gradient_adds_up_over_passes():
    y = engine.tensor([1.0, 2.0], requires_grad=True) * 1
    y.retain_grad()
    for _ in range(2):
        (y * 3).sum().backward(retain_graph=True)
    assert y.grad.tolist() == [6.0, 6.0]


@pytest.mark.parametrize("correction", [0, 1, 2])
def test_the_gradient_of_a_variance(correction):
    x = engine.tensor([1.0, 2.0, 4.0, 5.0], requires_grad=True)
    engine.var(x, 0, correction=correction).backward()
    assert_close(x.grad, 2 * (np.array([1, 2, 4, 5]) - 3) / (4 - correction))


def test_a_stepping_convolution_has_the_gradient_of_the_plain_loop():
    x, weight = randn(1, 1, 5, 7), tensor(randn(1, 1, 3, 3), requires_grad=True)
    out = functional.conv2d(tensor(x), weight, stride=2, padding=1)
    grad = randn(*out.shape, seed=8)
    out.backward(tensor(grad))
    padded, expected = np.pad(x[0, 0], 1), np.zeros((3, 3))
    for h, v in np.ndindex(*out.shape[2:]):
        expected += grad[0, 0, h, v] * padded[2 * h : 2 * h + 3, 2 * v : 2 * v + 3]
    assert_close(weight.grad[0, 0], expected)


def test_layer_norm_has_its_gradient_also_in_rows_of_several_runs():
    n = 2 * RUN + 3
    x, gamma, g = randn(1, n), randn(n, seed=8), randn(1, n, seed=9)
    leaf = tensor(x, requires_grad=True)
    functional.layer_norm(leaf, (n,), tensor(gamma)).backward(tensor(g))
    rstd = 1 / np.sqrt(x.var(dtype=np.float64) + 1e-5)
    hat, slope = (x - x.mean(dtype=np.float64)) * rstd, (g * gamma).astype(np.float64)
    assert_close(leaf.grad, rstd * (slope - slope.mean() - hat * (slope * hat).mean()))


# ---- kernels


@pytest.mark.parametrize("n", range(1, 10))
def test_sums_along_the_first_dimension_have_every_row(n):
    x = np.arange(n * 40, dtype=np.float32).reshape(n, 40)
    assert tensor(x).sum(0).tolist() == x.sum(0).tolist()


@pytest.mark.parametrize("sizes", [(13, 5, 90), (70, 67, 300), (71, 259, 130), (75, 66, 257)])
def test_products_have_every_step_at_their_edges(sizes):
    m, k, n = sizes
    a, b = randn(m, k), randn(k, n, seed=8)
    assert_close(tensor(a) @ tensor(b), a.astype(np.float64) @ b, atol=1e-3)


@pytest.mark.parametrize("dim", [0, 1])
def test_a_masked_element_leaves_the_others_their_logarithms(dim):
    x = np.array([[0.0, -np.inf, 1.0], [-np.inf, 2.0, 1.0], [3.0, 2.0, -np.inf]], np.float32)
    expected = x - np.log(np.exp(x).sum(dim, keepdims=True))
    assert_close(engine.log_softmax(tensor(x), dim), expected)


def test_an_index_counts_from_the_end_as_far_as_the_beginning():
    x = engine.arange(12).view(3, 4)
    assert x[[-3, 2, -1]].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11], [8, 9, 10, 11]]
    for position in (-4, 3):
        with pytest.raises(IndexError, match=f"index {position} is out of bounds for dimension 0 with size 3"):
            x[[position]]


@pytest.mark.parametrize("count", [16, 17, 40, 47])
def test_normal_numbers_are_made_of_the_generator_s_words_sixteen_at_a_time(count):
    """Of each 16 words, j and j + 8 give numbers j and j + 8; the last 16 are made anew of 16 more words."""
    words = np.random.RandomState(3).randint(0, 2**32, count + 16, dtype=np.uint32)
    units = (words & (2**24 - 1)) / 2**24
    starts = [(first, first) for first in range(0, count - 15, 16)] + [(count, count - 16)] * (count % 16 > 0)
    expected = np.empty(count)
    for first, to in starts:
        radius = np.sqrt(-2 * np.log(1 - units[first : first + 8]))
        angle = 2 * np.pi * units[first + 8 : first + 16]
        expected[to : to + 8], expected[to + 8 : to + 16] = radius * np.cos(angle), radius * np.sin(angle)
    assert_close(engine.randn(count, generator=engine.Generator().manual_seed(3)), expected)


# ---- networks


def test_a_step_of_adamw():
    weight = engine.tensor([2.0], requires_grad=True)
    optimizer = engine.optim.AdamW([weight], lr=0.1, weight_decay=0.5)
    (weight * 3).sum().backward()
    optimizer.step()
    assert_close(weight, [2.0 * (1 - 0.1 * 0.5) - 0.1])  # the first step of Adam is lr, whatever the gradient


def test_a_weight_decay_of_sgd_is_a_part_of_the_gradient():
    weight = engine.tensor([2.0], requires_grad=True)
    optimizer = engine.optim.SGD([weight], lr=0.1, momentum=0.9, weight_decay=0.5)
    average = expected = None
    for _ in range(3):
        before = weight.item()
        optimizer.zero_grad()
        (weight * 3).sum().backward()
        optimizer.step()
        average = 3 + 0.5 * before + (0.9 * average if average is not None else 0)
        expected = before - 0.1 * average
        assert_close(weight, [expected])


def test_the_fans_of_a_convolution_count_its_kernel():
    assert init.calculate_fan_in_and_fan_out(engine.empty(4, 3, 5, 7)) == (3 * 35, 4 * 35)


# ---- what is shown


def test_an_operator_has_one_arrow_though_two_nodes_have_its_number():
    node = {"sequence_nr": 4, "scope": 1}
    events = [Event("mul", 0, 1, sequence_nr=4), Event("MulBackward0", 2, 3, **node), Event("Again", 4, 5, **node)]
    context = Context(Recording(events), [None] * 3, [0, events[0].thread, events[0].thread], 1, 0)
    assert [(arrow["ph"], arrow["ts"]) for arrow in forward_backward_arrows(context)] == [("s", 0.0), ("f", 0.002)]
