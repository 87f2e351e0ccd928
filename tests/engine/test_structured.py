"""The fate of a declared output: made, checked, resized, stood in for. Errors and warnings are PyTorch's."""

import warnings

import pytest
from compare import needs_torch, torch
from tiers import fast_first

import engine
from engine import dtypes
from engine import strides as geometry
from engine.aten import structured
from engine.aten.at import at
from engine.aten.empty_tensor import new_tensor
from engine.aten.iterator import TensorIterator, TensorIteratorBase
from engine.aten.iterator_plan import PLAN_MEMOS
from engine.aten.structured import Functional, Inplace, Out, resize_impl, resize_output
from engine.dtypes import CPU, META, float32, float64, int32, int64


class Add(Functional, TensorIteratorBase):
    __slots__ = ()


class AddInplace(Inplace, TensorIteratorBase):
    __slots__ = ()


class AddOut(Out, TensorIteratorBase):
    __slots__ = ()


def tensor(sizes, kind=float32, strides=None, device=CPU):
    return new_tensor(sizes, strides or geometry.contiguous_strides(sizes), kind, device)


def geometry_of(x):
    return x._sizes, x._strides, x._dtype


def outcome(compute):
    """The result, or the error's first line, and the warnings without PyTorch's place in C++."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = compute()
        except RuntimeError as error:
            result = str(error).splitlines()[0]
    return result, [(w.category, str(w.message).split(" (Triggered")[0]) for w in caught]


def shown(x):
    return tuple(x.shape), tuple(x.stride()), repr(x.dtype)


def test_a_functional_call_makes_each_output_as_declared():
    op = Functional()
    assert op.maybe_get_output(0) is None
    op.set_output_strided(0, (2, 3), (1, 2), float32, CPU)
    op.set_output_raw_strided(1, (4,), (1,), int64, META)
    assert [geometry_of(x) for x in op.outputs] == [((2, 3), (1, 2), float32), ((4,), (1,), int64)]
    assert [x.device for x in op.outputs] == [CPU, META]
    assert op.maybe_get_output(1) is op.outputs[1]


@pytest.mark.parametrize("cls", (Inplace, Out))
def test_a_given_output_with_the_strides_asked_for_is_written_directly(cls):
    given = tensor((2, 3))
    op = cls(given)
    op.set_output_strided(0, (2, 3), (3, 1), float32, CPU)
    assert op.maybe_get_output(0) is given
    assert not op.proxy_outputs


@pytest.mark.parametrize("cls", (Inplace, Out))
def test_other_strides_than_asked_for_are_stood_in_for_by_a_proxy_that_is_copied_back(cls, monkeypatch):
    copied = []
    monkeypatch.setattr(at, "copy_", lambda *tensors: copied.append(tensors), raising=False)
    given = tensor((2, 3), strides=(1, 2))
    op = cls(given)
    op.set_output_strided(0, (2, 3), (3, 1), float32, CPU)
    proxy = op.maybe_get_output(0)
    assert geometry_of(proxy) == ((2, 3), (3, 1), float32)
    op.copy_back()
    assert copied == [(given, proxy)]
    assert geometry_of(given) == ((2, 3), (1, 2), float32)


@pytest.mark.parametrize("cls", (Inplace, Out))
def test_strides_that_are_only_advice_leave_a_given_output_alone(cls):
    given = tensor((2, 3), strides=(1, 2))
    op = cls(given)
    op.set_output_raw_strided(0, (2, 3), (3, 1), float32, CPU)
    assert op.maybe_get_output(0) is given
    assert given._strides == (1, 2)


@pytest.mark.parametrize("asked, message", [
    (((3,), (1,), float64, CPU), "Bad in-place call: input tensor dtype float and output tensor dtype double should "
                                 "match"),
    (((3,), (1,), float32, META), "Bad in-place call: input tensor device cpu and output tensor device meta should "
                                  "match"),
    (((4,), (1,), float32, CPU), r"Bad in-place call: input tensor size \[3\] and output tensor size \[4\] should "
                                 "match"),
])  # fmt: skip
def test_an_in_place_output_must_be_what_the_operation_makes(asked, message):
    with pytest.raises(RuntimeError, match=message):
        Inplace(tensor((3,))).set_output_raw_strided(0, *asked)


@needs_torch
@pytest.mark.parametrize("kind", (int32, int64, float64, dtypes.bool_), ids=str)
def test_an_out_tensor_of_another_dtype_is_refused_as_in_pytorch(kind):
    out = torch.empty(0, dtype=getattr(torch, kind.name))
    got = outcome(lambda: Out(tensor((0,), kind)).set_output_strided(0, (2, 2), (2, 1), float32, CPU))
    assert got == outcome(lambda: torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=out))


def test_an_out_tensor_on_another_device_is_refused():
    with pytest.raises(RuntimeError, match="Expected out tensor to have device cpu, but got meta instead"):
        Out(tensor((2,), device=META)).set_output_strided(0, (2,), (1,), float32, CPU)


@needs_torch
@pytest.mark.parametrize("sizes", ((), (0,), (4,), (2, 3), (3, 2), (0, 7)))
def test_an_out_tensor_of_other_sizes_is_resized_with_pytorchs_warning(sizes):
    given, theirs = tensor(sizes), torch.empty(sizes)
    x = torch.empty(3, 2).t()

    def resize():
        resize_output(given, (2, 3), (1, 2))
        return shown(given)

    assert outcome(resize) == outcome(lambda: shown(torch.add(x, x, out=theirs)))
    assert given._storage.nbytes() >= theirs.untyped_storage().nbytes()


@needs_torch
def test_resizing_keeps_the_bytes_and_grows_the_storage_only_when_it_must():
    x, theirs = tensor((2, 3)), torch.arange(6.0).view(2, 3)
    x._flat()[:] = range(6)
    for sizes in ((2, 2), (5,), (3, 4), (0,), (2, 1, 3)):
        resize_impl(x, sizes)
        theirs.resize_(sizes)
        assert shown(x) == shown(theirs)
        assert x._storage.nbytes() == theirs.untyped_storage().nbytes()
        assert x._flat()[:6].tolist() == [0, 1, 2, 3, 4, 5]


def test_resizing_a_view_counts_its_offset():
    x = tensor((6,))._alias((2,), (1,), 4)
    resize_impl(x, (2, 2))
    assert (x._sizes, x._strides, x._storage_offset) == ((2, 2), (2, 1), 4)
    assert x._storage.nbytes() == 8 * 4


def test_negative_sizes_are_refused_and_leave_the_tensor_alone():
    x = tensor((2, 3))
    with pytest.raises(RuntimeError, match="negative"):
        resize_impl(x, (2, -1))
    assert x._sizes == (2, 3)


def test_no_warning_where_the_sizes_are_right():
    given = tensor((2, 3), strides=(1, 2))
    assert outcome(lambda: resize_output(given, (2, 3))) == (False, [])
    assert given._strides == (1, 2)


# ---- the three forms of an elementwise operator


def wrapped(number):
    x = tensor((), dtypes.OF_PYTHON[type(number)])
    x._flat()[0] = number
    x._wrapped_number = True
    return x


def test_the_hot_path_builds_what_the_general_one_does():
    for a, b in ((tensor((2, 3)), tensor((3,))), (tensor((2, 3), strides=(1, 2)), wrapped(2))):
        hot, general = Add(), TensorIterator.binary_op(None, a, b)
        hot.build_borrowing_binary_op(a, b)
        assert hot.plan is general.plan
        assert geometry_of(hot.outputs[0]) == geometry_of(general.output())
        assert [geometry_of(x) for x in hot.operands] == [geometry_of(x) for x in general.operands]


def test_a_python_number_is_cast_to_the_common_dtype():
    op = Add()
    op.build_borrowing_binary_op(tensor((3,)), wrapped(2))
    cell = op.operands[2]
    assert (cell._dtype, cell._flat()[0], op.plan.cell) == (float32, 2.0, 2)


@pytest.mark.parametrize("number", (1e300, -1e300, float("inf"), float("nan"), 0.1, True, 2**53 + 1))
def test_a_python_number_is_cast_as_in_c_and_without_a_warning(number):
    op = Add()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        op.build_borrowing_binary_op(tensor((3,)), wrapped(number))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = wrapped(number)._flat().astype("float32")
    assert op.operands[2]._flat().tobytes() == expected.tobytes()


def test_in_place_writes_to_the_input_itself():
    a, b = tensor((2, 3), strides=(1, 2)), tensor((3,))
    op = AddInplace(a)
    op.build_borrowing_binary_op(a, b)
    assert op.operands == (a, a, b)
    assert op.plan.loop_strides == ((2, 1), (2, 1), (1, 0))


def test_an_output_of_another_dtype_is_written_through_a_proxy(monkeypatch):
    copied = []
    monkeypatch.setattr(at, "copy_", lambda *tensors: copied.append(tensors), raising=False)
    a, b, out = tensor((2, 3)), tensor((2, 3)), tensor((2, 3), float64)
    op = AddOut(out)
    op.build_borrowing_binary_op(a, b)
    assert geometry_of(op.operands[0]) == ((2, 3), (3, 1), float32)
    op.copy_back()
    assert copied == [(out, op.operands[0])]


def overlapping(T, empty):
    """Programs that write to memory twice, or to memory that they read."""
    x = empty((4,))
    whole, head, tail = x, x[:3], x[1:]
    return {
        "expanded": lambda add: add(empty((1,)).expand(3), whole[:3]),
        "shifted": lambda add: add(head, tail),
        "the same": lambda add: add(head, head),
        "reversed roles": lambda add: add(tail, head),
        "apart": lambda add: add(whole[:2], whole[2:]),
        "transposed": lambda add: (lambda y: add(y, y.t()))(empty((3, 3))),
    }


@needs_torch
@pytest.mark.parametrize("name", ("expanded", "shifted", "the same", "reversed roles", "apart", "transposed"))
def test_overlapping_memory_is_refused_as_in_pytorch(name):
    import engine

    def add(out, x):
        TensorIterator.binary_op(out, x, x)

    def add_theirs(out, x):
        torch.add(x, x, out=out)

    mine = overlapping(engine, lambda sizes: tensor(sizes))[name]
    theirs = overlapping(torch, torch.ones)[name]
    assert outcome(lambda: mine(add)) == outcome(lambda: theirs(add_theirs))


def test_on_meta_an_operation_finds_its_output_and_casts_nothing():
    op = Add()
    op.build_borrowing_binary_op(tensor((2, 3), int64, device=META), tensor((3,), float64, device=META))
    assert geometry_of(op.outputs[0]) == ((2, 3), (3, 1), float64)
    assert op.outputs[0].device == META
    assert [x._dtype for x in op.operands] == [float64, int64, float64]


def test_one_input_without_dimensions_may_stay_on_the_cpu():
    op = Add()
    op.build_borrowing_binary_op(tensor((3,), device=META), wrapped(2))
    assert op.outputs[0].device == META


@pytest.mark.parametrize("inputs", [((3,), (3,)), ((), (1,))])
def test_two_devices_are_refused(inputs):
    a, b = tensor(inputs[0], device=META), tensor(inputs[1])
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device, but found at least two"):
        TensorIterator.binary_op(None, a, b)


def test_a_copy_casts_nothing_and_must_fit():
    out, source = tensor((2, 3)), tensor((3,), int64)
    assert TensorIterator.copy_op(out, source).operands == (out, source)
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]"):
        TensorIterator.copy_op(source, out)


def test_an_operation_without_inputs_walks_its_output_as_it_lies():
    out = tensor((2, 3), strides=(1, 2))
    iter = TensorIterator.nullary_op(out)
    assert (iter.operands, iter.plan.is_contiguous, iter.plan.numel) == ((out,), True, 6)


def test_the_names_of_dtypes_cover_all():
    assert set(structured.CPP_NAMES) == set(dtypes.DTYPES.values())


REMEMBERED = {
    "sum": lambda x: x.sum(1), "sum, keepdim": lambda x: x.sum(1, keepdim=True), "mean": lambda x: x.mean(),
    "softmax": lambda x: x.softmax(0), "log_softmax": lambda x: x.log_softmax(1), "amax": lambda x: x.amax((0, 1)),
    "argmin": lambda x: x.argmin(0), "any": lambda x: x.any(1), "mm": lambda x: x.mm(x),
    "addmm": lambda x: engine.addmm(x[0], x, x), "bmm": lambda x: x[None].bmm(x[None]),
    "cat": lambda x: engine.cat((x, x.t()), 1), "cat of two dtypes": lambda x: engine.cat((x, x > 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", fast_first(6, REMEMBERED))
def test_a_call_that_goes_on_without_meta_makes_what_meta_declares(name):
    values = engine.arange(16.0).reshape(4, 4)
    for x in (values, values.double(), values.t(), values + 1):  # the last has the geometry of the first
        remembered = [REMEMBERED[name](x) for _ in range(2)][1]
        PLAN_MEMOS.cache_clear()
        declared = REMEMBERED[name](x)
        first, second = ((y.tolist(), y.shape, y.stride(), y.dtype, y._version) for y in (declared, remembered))
        assert first == second


def test_what_was_remembered_on_the_cpu_is_not_taken_elsewhere_and_errors_stay():
    x = engine.ones(2, 3)
    assert [engine.cat((x, x)).shape, x.sum(0).device.type] == [(4, 3), "cpu"]
    assert engine.ones(2, 3, device="meta").sum(0).device.type == "meta"
    with pytest.raises(RuntimeError, match="device"):
        engine.cat((x, engine.ones(2, 3, device="meta")))
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
        engine.cat((x, engine.ones(3, 2)))
    with pytest.raises(IndexError):
        x.sum(2)
