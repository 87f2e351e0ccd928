"""Reductions: the sizes and strides of results against PyTorch, the loop of a plan against NumPy."""

import numpy as np
import pytest
from compare import needs_torch, torch
from hypothesis import given, settings
from hypothesis import strategies as st
from test_iterator import cells_of, layouts, odometer, theirs

from engine import dtypes
from engine import strides as geometry
from engine.aten import reduction
from engine.aten.iterator_plan import Operand

settings.register_profile("reduction", max_examples=200, deadline=None)
settings.load_profile("reduction")


@st.composite
def reductions(draw):
    """(operand, dims, keepdim)"""
    sizes = tuple(draw(st.lists(st.sampled_from((1, 2, 3, 4, 0)), max_size=4)))
    operand = Operand(sizes, draw(layouts(sizes)), dtypes.int64)
    dims = draw(st.lists(st.integers(-len(sizes) - 1, max(len(sizes), 1)), max_size=3))
    return operand, tuple(dims), draw(st.booleans())


def outcome(compute):
    try:
        return compute()
    except (IndexError, RuntimeError) as error:
        return type(error).__name__, str(error).splitlines()[0]


def reduced_sizes(sizes, mask, keepdim):
    """The sizes without the dimensions that the mask names, or with 1 there."""
    return tuple(
        1 if is_reduced else size for size, is_reduced in zip(sizes, mask, strict=True) if keepdim or not is_reduced
    )


@needs_torch
@given(reductions())
def test_a_reduction_has_pytorchs_sizes_or_its_error(case):
    operand, dims, keepdim = case

    def compute():
        return reduction.reduction_geometry(operand.sizes, tuple(dims), keepdim)

    def compute_theirs():
        result = torch.sum(theirs(operand), dims, keepdim)
        return tuple(result.shape), result.stride()

    assert outcome(compute) == outcome(compute_theirs)


@given(reductions(), st.integers(0, 2**32))
def test_a_plan_run_by_an_odometer_sums_as_numpy_does(case, seed):
    operand, dims, keepdim = case
    ndim = len(operand.sizes)
    mask = tuple(d in {dim % max(ndim, 1) for dim in dims} for d in range(ndim))
    sizes = reduced_sizes(operand.sizes, mask, keepdim)
    result = Operand(sizes, geometry.contiguous_strides(sizes), dtypes.int64)
    plan = reduction.plan_reduction(operand, mask, result, keepdim)
    flat, view = cells_of(operand, np.random.default_rng(seed))
    expected = view.sum(axis=tuple(d for d in range(ndim) if mask[d]), keepdims=keepdim)
    out = np.zeros(max(expected.size, 1), np.int64)
    for at_out, at_self in odometer(plan):
        out[at_out] += flat[at_self]
    assert np.array_equal(out[: expected.size].reshape(sizes), expected)


@given(reductions())
def test_reduced_loop_dimensions_are_innermost_and_hold_the_output_still(case):
    operand, dims, keepdim = case
    ndim = len(operand.sizes)
    mask = tuple(d in {dim % max(ndim, 1) for dim in dims} for d in range(ndim))
    sizes = reduced_sizes(operand.sizes, mask, keepdim)
    result = Operand(sizes, geometry.contiguous_strides(sizes), dtypes.int64)
    plan = reduction.plan_reduction(operand, mask, result, keepdim)
    assert plan.reduced == tuple(sorted(plan.reduced))
    assert len(plan.reduced) == len(plan.loop_sizes)
    for is_reduced, size, step in zip(plan.reduced, plan.loop_sizes, plan.loop_strides[0], strict=True):
        assert is_reduced == (step == 0 and size != 1)


@pytest.mark.parametrize("sizes, strides, mask, loop", [
    ((4, 6), (6, 1), (True, True), ((24,), (0,), (1,), (True,))),
    ((4, 6), (6, 1), (False, True), ((4, 6), (1, 0), (6, 1), (False, True))),
    ((4, 6), (6, 1), (True, False), ((6, 4), (1, 0), (1, 6), (False, True))),
    ((4, 6), (1, 4), (True, True), ((24,), (0,), (1,), (True,))),
    ((2, 3, 4), (12, 4, 1), (False, True, True), ((2, 12), (1, 0), (12, 1), (False, True))),
    ((2, 3, 4), (12, 4, 1), (True, False, True), ((3, 2, 4), (1, 0, 0), (4, 12, 1), (False, True, True))),
    ((4,), (1,), (False,), ((4,), (1,), (1,), (False,))),
    ((), (), (), ((1,), (0,), (0,), (False,))),
])  # fmt: skip
def test_the_loop_of_a_reduction_has_as_few_dimensions_as_it_can(sizes, strides, mask, loop):
    kept = reduced_sizes(sizes, mask, keepdim=False)
    result = Operand(kept, geometry.contiguous_strides(kept), dtypes.float32)
    plan = reduction.plan_reduction(Operand(sizes, strides, dtypes.float32), mask, result, False)
    assert (plan.loop_sizes, *plan.loop_strides, plan.reduced) == loop
