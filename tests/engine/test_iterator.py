"""The plans of elementwise operations against PyTorch: sizes, strides and dtype of what comes out, and the loop.

A loop is run by a plain odometer over flat arrays, and its result compared with NumPy's.
"""

import math

import numpy as np
import pytest
from compare import needs_torch, torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import dtypes
from engine import strides as geometry
from engine.aten import iterator, iterator_plan
from engine.aten.iterator_plan import Operand, cast_operand, plan_iteration

settings.register_profile("iterator", max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("iterator")

KINDS = tuple(dtypes.DTYPES.values())
OF_NUMBER = {True: dtypes.bool_, 2: dtypes.int64, 0.5: dtypes.float64}


@st.composite
def layouts(draw, sizes):
    """Strides for `sizes`: dense in some order, channels_last where that can be, with gaps, or expanded."""
    order = draw(st.sampled_from(("usual", "any", "any", "channels_last")))
    perm = tuple(reversed(range(len(sizes))))
    if order == "any":
        perm = draw(st.permutations(perm))
    elif order == "channels_last" and len(sizes) == 4:
        perm = (1, 3, 2, 0)
    gap = draw(st.sampled_from((1, 1, 1, 2)))
    expanded = draw(st.sampled_from((False, False, False, True)))
    strides, step = [0] * len(sizes), gap
    for d in perm:
        strides[d] = step
        step *= max(sizes[d], 1)
        if expanded and draw(st.booleans()):
            strides[d] = 0
    return tuple(strides)


@st.composite
def operand_lists(draw, count, numbers=True):
    """`count` operands whose sizes broadcast; Python numbers may stand among them, not alone."""
    shape = tuple(draw(st.lists(st.sampled_from((1, 2, 3, 4, 0)), max_size=4)))
    operands = []
    for index in range(count):
        if numbers and operands and index < 2 and draw(st.integers(0, 5)) == 0:
            number = draw(st.sampled_from(tuple(OF_NUMBER)))
            operands.append(Operand((), (), OF_NUMBER[number], True))
            continue
        sizes = shape[draw(st.sampled_from((0, 0, 0, 1, len(shape)))) :]
        sizes = tuple(draw(st.sampled_from((size, size, size, 1))) for size in sizes)
        operands.append(Operand(sizes, draw(layouts(sizes)), draw(st.sampled_from(KINDS))))
    return operands


def theirs(operand):
    """PyTorch's tensor of an operand, or the Python number that it was."""
    if operand.is_wrapped_number:
        return next(number for number, kind in OF_NUMBER.items() if kind is operand.dtype)
    kind = getattr(torch, operand.dtype.name)
    room = geometry.compute_storage_nbytes(operand.sizes, operand.strides, 1)
    return torch.zeros(room, dtype=kind).as_strided(operand.sizes, operand.strides)


def shown(tensor):
    return tuple(tensor.shape), tensor.stride(), repr(tensor.dtype)


def planned(config, output, inputs, is_read_write=False, is_meta=False):
    plan = plan_iteration(config, dtypes.get_default_dtype(), is_meta, output, is_read_write, *inputs)
    return plan.sizes, plan.strides, repr(plan.dtype)


def outcome(compute):
    try:
        return compute()
    except RuntimeError as error:
        return str(error).splitlines()[0]


OPERATIONS = {
    "add": (iterator.BINARY_OP, 2),
    "true_divide": (iterator.BINARY_FLOAT_OP, 2),
    "lt": (iterator.COMPARISON_OP, 2),
    "exp": (iterator.UNARY_FLOAT_OP, 1),
    "square": (iterator.UNARY_OP, 1),
    "addcmul": (iterator.TERNARY_OP, 3),
}


@needs_torch
@pytest.mark.parametrize("name", OPERATIONS)
@given(data=st.data())
def test_a_new_output_has_pytorchs_sizes_strides_and_dtype(name, data):
    config, count = OPERATIONS[name]
    inputs = data.draw(operand_lists(count, numbers=count == 2))
    if name in ("square", "addcmul") and all(operand.dtype is dtypes.bool_ for operand in inputs):
        return  # PyTorch computes no such thing
    if name == "square":  # which is pow, in PyTorch
        inputs = [operand._replace(strides=geometry.contiguous_strides(operand.sizes)) for operand in inputs]
    assert planned(config, None, inputs) == shown(getattr(torch, name)(*map(theirs, inputs)))


@needs_torch
@given(operand_lists(2))
def test_without_memory_sizes_and_dtype_are_those_of_the_meta_device(inputs):
    on_meta = [op.to("meta") if isinstance(op, torch.Tensor) else op for op in map(theirs, inputs)]
    sizes, _, kind = planned(iterator.BINARY_OP, None, inputs, is_meta=True)
    their_sizes, _, their_kind = shown(torch.add(*on_meta))  # in Python, there, with strides of its own
    assert (sizes, kind) == (their_sizes, their_kind)


@needs_torch
@given(operand_lists(2, numbers=False))
def test_where_promotes_all_but_the_condition(inputs):
    condition = inputs[0]._replace(dtype=dtypes.bool_)
    operands = (condition, *inputs)
    assert planned(iterator.WHERE_OP, None, operands) == shown(torch.where(*map(theirs, operands)))


@needs_torch
@pytest.mark.parametrize("name", ("add", "true_divide", "lt", "exp"))
@pytest.mark.filterwarnings("ignore:An output with one or more")
@given(data=st.data())
def test_a_given_output_is_kept_resized_or_refused_as_in_pytorch(name, data):
    config, count = OPERATIONS[name]
    *inputs, other = data.draw(operand_lists(count + 1, numbers=False))
    output = other._replace(sizes=inputs[0].sizes, strides=inputs[0].strides) if data.draw(st.booleans()) else other

    def compute_theirs():
        result = theirs(output)
        getattr(torch, name)(*map(theirs, inputs), out=result)
        return shown(result)

    def compute():
        sizes, strides, _ = planned(config, output, inputs)
        return sizes, output.strides if output.sizes == sizes else strides, repr(output.dtype)

    assert outcome(compute) == outcome(compute_theirs)


@needs_torch
@given(operand_lists(2))
def test_an_input_written_in_place_keeps_its_geometry_or_is_refused(inputs):
    def compute_theirs():
        return shown(theirs(inputs[0]).add_(theirs(inputs[1])))

    def compute():
        sizes, _, _ = planned(iterator.BINARY_OP, inputs[0], inputs, is_read_write=True)
        return sizes, inputs[0].strides, repr(inputs[0].dtype)

    assert outcome(compute) == outcome(compute_theirs)


@needs_torch
def test_operands_of_an_operation_that_promotes_nothing_have_one_dtype():
    inputs = (Operand((2,), (1,), dtypes.float32),)
    output = Operand((2,), (1,), dtypes.int64)
    got = outcome(lambda: planned(iterator.UNARY_OP, output, inputs))
    assert got == outcome(lambda: torch.neg(theirs(inputs[0]), out=theirs(output)))


def cells_of(operand, random):
    """A flat array that holds the operand, and NumPy's view of its elements."""
    room = geometry.compute_storage_nbytes(operand.sizes, operand.strides, 1)
    flat = random.integers(0, 50, max(room, 1)).astype(operand.dtype.numpy)
    steps = [step * flat.itemsize for step in operand.strides]
    return flat, np.lib.stride_tricks.as_strided(flat, operand.sizes, steps)


def odometer(plan):
    """Cells of all operands, in the order in which the plan visits them."""
    rows = [geometry.strided_offsets(plan.loop_sizes, steps) for steps in plan.loop_strides]
    return list(zip(*rows, strict=True))


def add_as_planned(plan, flats):
    """Return the flat output that a kernel of `a + b` writes."""
    room = geometry.compute_storage_nbytes(plan.sizes, plan.strides, 1)
    out = np.zeros(max(room, 1), plan.dtype.numpy)
    a, b = flats
    for at_out, at_a, at_b in odometer(plan):
        out[at_out] = a[at_a] + b[at_b]
    return np.lib.stride_tricks.as_strided(out, plan.sizes, [step * out.itemsize for step in plan.strides])


@given(operand_lists(2), st.integers(0, 2**32))
def test_a_plan_run_by_an_odometer_adds_as_numpy_does(inputs, seed):
    random = np.random.default_rng(seed)
    plan = plan_iteration(iterator.BINARY_OP, dtypes.float32, False, None, False, *inputs)
    flats, views = [], []
    for operand, cast in zip(inputs, plan.casts, strict=True):
        _, view = cells_of(operand, random)
        read = cast_operand(operand, plan.common_dtype) if cast else operand
        flat, dense = cells_of(read, random)
        if cast:
            dense[...] = view
        flats.append(flat)
        views.append(dense)
    assert np.array_equal(add_as_planned(plan, flats), views[0] + views[1])


@given(operand_lists(3, numbers=False))
def test_the_loop_is_told_in_every_form_alike(inputs):
    plan = plan_iteration(iterator.TERNARY_OP, dtypes.float32, False, None, False, *inputs)
    assert plan.geometry.tolist() == [list(row) for row in (plan.loop_sizes, *plan.loop_strides)]
    assert plan.numel == math.prod(plan.sizes)
    visited = odometer(plan)
    count = range(plan.numel)
    if plan.is_contiguous:
        assert sorted(visited) == [(i,) * 4 for i in count]
    if plan.cell:
        assert not plan.is_contiguous
        assert visited == [tuple(0 if index == plan.cell else i for index in range(4)) for i in count]


@pytest.mark.parametrize("a, b, is_contiguous, cell", [
    (Operand((2, 3), (3, 1), dtypes.float32), Operand((2, 3), (3, 1), dtypes.float32), True, 0),
    (Operand((2, 3), (1, 2), dtypes.float32), Operand((2, 3), (1, 2), dtypes.float32), True, 0),
    (Operand((2, 3), (1, 2), dtypes.float32), Operand((), (), dtypes.int64, True), False, 2),
    (Operand((), (), dtypes.int64), Operand((2, 3), (3, 1), dtypes.float32), False, 1),
    (Operand((2, 3), (3, 1), dtypes.float32), Operand((1, 1), (1, 1), dtypes.float32), False, 2),
    (Operand((2, 3), (3, 1), dtypes.float32), Operand((3,), (1,), dtypes.float32), False, 0),
    (Operand((), (), dtypes.float32), Operand((), (), dtypes.float32), True, 0),
    (Operand((0,), (1,), dtypes.float32), Operand((), (), dtypes.float32), True, 0),
])  # fmt: skip
def test_flat_loops_and_single_cells_are_recognised(a, b, is_contiguous, cell):
    plan = plan_iteration(iterator.BINARY_OP, dtypes.float32, False, None, False, a, b)
    assert (plan.is_contiguous, plan.cell) == (is_contiguous, cell)


def test_a_geometry_is_planned_once():
    fields = ((2, 3), (3, 1), dtypes.float32, False)
    plan = iterator_plan.memoized_plan(iterator.BINARY_OP, dtypes.float32, False, False, False, *fields, *fields)
    again = iterator_plan.memoized_plan(iterator.BINARY_OP, dtypes.float32, False, False, False, *fields, *fields)
    assert plan is again
