"""Each function of `engine/strides.py` against PyTorch, or against NumPy where PyTorch does not show the number.

PyTorch's side runs on its meta device: geometry without memory.
"""

import math

import numpy as np
import pytest
from compare import needs_torch, torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import strides as geometry

SIZES = st.lists(st.sampled_from((1, 2, 3, 4, 5, 0)), max_size=5).map(tuple)
DIMS = st.integers(-6, 6)
settings.register_profile("strides", max_examples=100, deadline=None)
settings.load_profile("strides")


@st.composite
def geometries(draw, sizes=SIZES):
    """(sizes, strides) of a dense layout in some order of the dimensions, or of any layout."""
    sizes = draw(sizes)
    if draw(st.booleans()):
        return sizes, tuple(draw(st.sampled_from((0, 1, 2, 3, 4, 6, 12, 24))) for _ in sizes)
    strides, step = [0] * len(sizes), 1
    for d in draw(st.permutations(range(len(sizes)))):
        strides[d] = step
        step *= max(sizes[d], 1)
    return sizes, tuple(strides)


def meta(sizes, strides, offset=0):
    """PyTorch's tensor of a geometry."""
    room = geometry.compute_storage_nbytes(sizes, strides, 1, offset)
    return torch.empty(room, device="meta").as_strided(sizes, strides, offset)


def shown(tensor):
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


def outcome(compute, messages=True):
    """A result, or the type and the first line of what is raised."""
    try:
        return compute()
    except (IndexError, RuntimeError, ValueError) as error:
        return type(error).__name__, str(error).splitlines()[0] if messages else ""


@needs_torch
@given(SIZES)
def test_contiguous_strides_are_those_of_a_new_tensor(sizes):
    assert geometry.contiguous_strides(sizes) == torch.empty(sizes, device="meta").stride()


@needs_torch
@given(geometries(), st.sampled_from(("float32", "float64", "bool")))
def test_a_storage_is_as_large_as_pytorch_makes_it(g, dtype):
    made = torch.empty_strided(*g, dtype=getattr(torch, dtype), device="meta")
    assert geometry.compute_storage_nbytes(*g, made.element_size()) == made.untyped_storage().nbytes()


@needs_torch
@given(geometries(), st.integers(0, 5))
def test_a_storage_one_element_smaller_is_too_small(g, offset):
    room = geometry.compute_storage_nbytes(*g, 1, offset)
    assume(room)
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        torch.empty(room - 1, dtype=torch.bool).as_strided(*g, offset)


@needs_torch
@given(geometries())
def test_contiguity_is_judged_as_pytorch_judges_it(g):
    assert geometry.is_contiguous(*g) == meta(*g).is_contiguous()


@needs_torch
@given(geometries())
def test_channels_last_is_judged_as_pytorch_judges_it(g):
    assert geometry.is_channels_last(*g) == meta(*g).is_contiguous(memory_format=torch.channels_last)


@needs_torch
@given(st.tuples(*[st.integers(0, 5)] * 4))
def test_channels_last_strides_are_those_of_a_new_tensor(sizes):
    made = torch.empty(sizes, device="meta", memory_format=torch.channels_last)
    assert geometry.channels_last_strides(sizes) == made.stride()


@needs_torch
@given(geometries(), st.lists(DIMS, max_size=5))
def test_permute_answers_as_pytorch_does(g, dims):
    assume(len(set(dims)) == len(dims) or all(-len(g[0]) <= dim < len(g[0]) for dim in dims))  # one fault at a time
    expected = outcome(lambda: shown(meta(*g).permute(dims))[:2])
    assert outcome(lambda: geometry.permute(*g, tuple(dims))) == expected


@needs_torch
@given(geometries(), st.data())
def test_permute_by_an_order_of_the_dimensions_is_pytorchs(g, data):
    dims = data.draw(st.permutations(range(len(g[0]))))
    assert geometry.permute(*g, tuple(dims)) == shown(meta(*g).permute(dims))[:2]


@needs_torch
@given(geometries(), st.integers(0, 3), DIMS, DIMS)
def test_select_answers_as_pytorch_does(g, offset, dim, index):
    expected = outcome(lambda: shown(meta(*g, offset).select(dim, index)))
    assert outcome(lambda: geometry.select(*g, offset, dim, index)) == expected


@needs_torch
@given(geometries(), st.integers(0, 3), DIMS, st.none() | DIMS, st.none() | DIMS, st.integers(-1, 4))
def test_slices_are_pytorchs(g, offset, dim, start, end, step):
    expected = outcome(lambda: shown(torch.ops.aten.slice(meta(*g, offset), dim, start, end, step)))
    assert outcome(lambda: geometry.slice_dim(*g, offset, dim, start, end, step)) == expected


@needs_torch
@given(SIZES, SIZES)
def test_two_shapes_broadcast_to_pytorchs_or_not_at_all(a, b):
    expected = outcome(lambda: tuple((torch.zeros(a) + torch.zeros(b)).shape))
    assert outcome(lambda: geometry.broadcast_shapes(a, b)) == expected


@needs_torch
@given(geometries(), st.lists(st.integers(-1, 5), max_size=6).map(tuple))
def test_expand_answers_as_pytorch_does(g, sizes):
    new = sizes[: max(len(sizes) - len(g[0]), 0)]
    assume(0 not in sizes or -1 not in new)  # beside a 0, PyTorch lets a new dimension have the size -1
    expected = outcome(lambda: shown(meta(*g).expand(sizes))[:2], messages=False)
    assert outcome(lambda: geometry.expand(*g, sizes), messages=False) == expected


@needs_torch
@given(geometries(), st.data())
def test_what_can_be_expanded_is_expanded_as_pytorch_does(g, data):
    kept = [data.draw(st.integers(0, 4)) if size == 1 else data.draw(st.sampled_from((size, -1))) for size in g[0]]
    sizes = (*data.draw(st.lists(st.integers(0, 4), max_size=2)), *kept)
    assert geometry.expand(*g, sizes) == shown(meta(*g).expand(sizes))[:2]


@needs_torch
@given(st.lists(st.sampled_from((1, 2, 3, 4, 0, -1, -2)), max_size=4).map(tuple), st.integers(0, 24))
def test_a_size_left_open_is_inferred_as_pytorch_does(shape, numel):
    expected = outcome(lambda: tuple(torch.empty(numel, device="meta").reshape(shape).shape))
    assert outcome(lambda: geometry.infer_size(shape, numel)) == expected


@needs_torch
@given(geometries(), st.data())
def test_view_strides_are_pytorchs_or_none(g, data):
    numel = math.prod(g[0])
    cuts = data.draw(st.lists(st.sampled_from((1, 2, 3, 4, 5, 6)), max_size=4))
    sizes = (*cuts, numel // math.prod(cuts))
    assume(math.prod(sizes) == numel)
    sizes = tuple(data.draw(st.permutations(sizes)))
    expected = outcome(lambda: meta(*g).view(sizes).stride())
    assert geometry.view_strides(*g, sizes) == (None if expected[:1] == ("RuntimeError",) else expected)


@needs_torch
@given(geometries(), DIMS, st.integers(-1, 6), st.integers(-1, 4))
def test_unfold_answers_as_pytorch_does(g, dimension, size, step):
    expected = outcome(lambda: shown(meta(*g).unfold(dimension, size, step))[:2])
    assert outcome(lambda: geometry.unfold(*g, dimension, size, step)) == expected


@needs_torch
@given(geometries(SIZES.filter(all)))
def test_internal_overlap_of_elements_is_judged_as_pytorch_judges_it(g):
    tensor = torch.empty_strided(*g)
    assert geometry.has_internal_overlap(*g).value == torch._debug_has_internal_overlap(tensor)


@needs_torch
@given(SIZES, st.data(), st.integers(0, 6), st.integers(0, 6))
def test_partial_overlap_is_what_pytorch_refuses_to_copy(sizes, data, a_first, b_first):
    a, b = data.draw(geometries(st.just(sizes))), data.draw(geometries(st.just(sizes)))
    assume(geometry.has_internal_overlap(*a) is not geometry.MemOverlap.YES)
    room = max(geometry.compute_storage_nbytes(*g, 1, first) for g, first in ((a, a_first), (b, b_first)))
    cells = torch.zeros(room)
    refused = outcome(lambda: cells.as_strided(*a, a_first).copy_(cells.as_strided(*b, b_first)) is None)
    assert geometry.has_partial_overlap((*a, a_first), (*b, b_first)) == (refused is not False)


@needs_torch
@given(geometries())
def test_a_dense_copy_keeps_the_order_that_pytorch_keeps(g):
    if geometry.is_non_overlapping_and_dense(*g):  # most are: leave gaps
        g = g[0], tuple(2 * stride for stride in g[1])
    assume(not geometry.is_non_overlapping_and_dense(*g))
    assert geometry.infer_dense_strides(*g) == torch.empty_like(meta(*g)).stride()


@given(geometries(), st.integers(0, 4))
def test_offsets_are_where_numpy_finds_the_elements(g, first):
    room = geometry.compute_storage_nbytes(*g, 1, first)
    cells = np.arange(max(room, first), dtype=np.int64)[first:]
    seen = np.lib.stride_tricks.as_strided(cells, g[0], [8 * stride for stride in g[1]])
    assert geometry.strided_offsets(*g, first) == seen.ravel().tolist()


@given(SIZES, st.data())
def test_coalesced_dimensions_walk_the_same_cells_in_the_same_order(sizes, data):
    operands = [data.draw(geometries(st.just(sizes)))[1] for _ in range(2)]
    merged, *steps = geometry.coalesce_dims(sizes, *operands)
    walks = zip([(sizes, strides) for strides in operands], [(merged, strides) for strides in steps], strict=True)
    assert all(geometry.strided_offsets(*whole) == geometry.strided_offsets(*short) for whole, short in walks)


@given(SIZES)
def test_one_contiguous_tensor_coalesces_to_at_most_one_dimension(sizes):
    assume(0 not in sizes)
    merged, steps = geometry.coalesce_dims(sizes, geometry.contiguous_strides(sizes))
    assert (merged, steps) == (((math.prod(sizes),), (1,)) if math.prod(sizes) > 1 else ((), ()))
