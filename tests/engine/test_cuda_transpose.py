"""Copies of transposed matrices on device "cuda": a padded tile in shared memory, with the same values as any copy."""

from contextlib import contextmanager

import numpy as np
import pytest
from cuda_compare import agree, on_cuda
from tiers import fast_first

import engine
from engine.cuda import launch, record, transpose
from engine.memory_trace import divergent_barriers, races, total_bank_conflicts, total_transactions

F = np.float32


@contextmanager
def listened():
    """The names of the kernels that are launched inside the block."""
    names = []

    def listener(name, grid, block, stream, run):
        names.append(name)
        run()

    launch.watch(listener)
    try:
        yield names
    finally:
        launch.unwatch(listener)


def counted(*sizes, dtype="float32"):
    return engine.from_numpy(np.arange(np.prod(sizes)).reshape(sizes).astype(dtype))


@pytest.mark.parametrize(
    ("sizes", "order"),
    [((9, 6), (1, 0)), ((2, 5, 7), (0, 2, 1)), ((5, 3, 6), (2, 1, 0)), ((2, 3, 4, 5), (0, 2, 3, 1)),
     ((4, 2, 5, 4), (3, 1, 0, 2)), ((3, 4), (1, 0))],
)  # fmt: skip
@pytest.mark.parametrize("dtype", fast_first(1, ["float32", "int64", "bool"]))
def test_a_permuted_tensor_is_laid_out_anew(sizes, order, dtype):
    agree(lambda x: x.permute(order).contiguous(), counted(*sizes, dtype=dtype) if dtype != "bool" else
          counted(*sizes) % 3 == 0)  # fmt: skip


def test_into_and_out_of_views_with_gaps():
    side = transpose.SIDE

    def write(x):
        y = x.new_zeros(side + 3, side + 2, 2)
        y[1:, 1:, 0] = x[1:, :].t()[: side + 2]
        y[:, :, 1] = x.t()[:, : side + 2]
        return y

    agree(write, counted(side + 2, side + 3))


def test_the_gradient_goes_back():
    agree(lambda x: x.t().contiguous() * 2, counted(5, 6).requires_grad_())


def test_only_copies_of_transposed_matrices_take_the_tile():
    side = transpose.SIDE
    x = on_cuda(counted(side + 1, side + 2))
    for copy, is_transposed in (
        (lambda: x.t().contiguous(), True), (lambda: x.clone(), False), (lambda: x[:, ::2].contiguous(), False),
        (lambda: x[:, :2].t().contiguous(), False), (lambda: x.t().to(engine.int64), False),
    ):  # fmt: skip
        with listened() as names:
            copy()
        assert any(name.startswith("transpose_tiled") for name in names) == is_transposed


@pytest.mark.parametrize(
    ("kernel", "loads", "stores", "conflicts"),
    [
        (transpose.transpose_naive_kernel(32, 8), 32 * 32, 32, 0),  # each load of a warp is from 32 rows
        (transpose.transpose_tiled_kernel(F, 32, 8), 32, 32, 0),
    ],
    ids=["naive", "tiled"],
)
def test_what_a_tile_saves(kernel, loads, stores, conflicts):
    x, out = np.arange(32 * 32, dtype=F), np.zeros(32 * 32, F)
    trace = record(kernel, 1, (32, 8), (1, 32, 32), out, 0, x, 0, (32, 32), (1,), (0,), (0,))
    assert (out.reshape(32, 32) == x.reshape(32, 32).T).all()
    assert (total_transactions(trace, "load"), total_transactions(trace, "store")) == (loads, stores)
    assert total_bank_conflicts(trace) == conflicts
    assert not races(trace) and not divergent_barriers(trace)
