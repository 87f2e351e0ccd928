"""Tensors on device "cuda": how they come there and back, and how they look."""

import copy
import pickle

import numpy as np
import pytest
from cuda_compare import agree, on_cuda
from tiers import fast_first

import engine

X = np.arange(30, dtype=np.float32).reshape(2, 3, 5)


@pytest.mark.parametrize("dtype", fast_first(2, ["float32", "float64", "int64", "int32", "bool"]))
def test_there_and_back(dtype):
    x = engine.from_numpy(X).to(getattr(engine, dtype))
    assert x.to("cuda").cpu().tolist() == x.tolist()
    assert x.cuda().device == engine.device("cuda", 0) and x.cuda().is_cuda and x.cuda().get_device() == 0


@pytest.mark.parametrize(
    "view",
    [lambda x: x.transpose(0, 2), lambda x: x[1:, ::2, 1:4], lambda x: x[0, 0, 0], lambda x: x[:, :0],
     lambda x: x[:, :1].expand(2, 4, 5)],
    ids=["transposed", "gaps", "one cell", "no element", "expanded"],
)  # fmt: skip
def test_a_view_goes_both_ways(view):
    x = engine.from_numpy(X)
    assert view(x).to("cuda").cpu().tolist() == view(x).tolist()
    assert view(x.to("cuda")).cpu().tolist() == view(x).tolist()
    agree(lambda x: view(x).contiguous(), x)
    agree(lambda x: view(x).clone(), x)


def test_a_copy_into_a_view_leaves_the_gaps():
    x = engine.from_numpy(X).to("cuda")
    x[:, ::2] = engine.from_numpy(-X[:, ::2].copy())
    expected = X.copy()
    expected[:, ::2] *= -1
    assert np.array_equal(x.cpu().numpy(), expected)


def test_dtypes_convert_on_the_device():
    x = engine.tensor([-1.5, 0.0, 2.7, 300.0])
    for dtype in (engine.int32, engine.bool, engine.float64):
        agree(lambda x, dtype=dtype: x.to(dtype), x)


def test_it_prints_with_its_device_and_has_no_numpy_array():
    x = engine.tensor([1.0, 2.0], device="cuda")
    assert repr(x) == "tensor([1., 2.], device='cuda:0')"
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()"):
        x.numpy()
    assert x[1].item() == 2.0 and x.tolist() == [1.0, 2.0]


def test_devices_do_not_mix_but_for_numbers():
    x = engine.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device, but found at least two"):
        x + engine.ones(2)
    assert (x + engine.tensor(2.0)).tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        engine.ones(2, device="cuda:1")


def test_a_storage_grows_and_keeps_its_bytes():
    x = engine.tensor([1.0, 2.0], device="cuda")
    x.resize_(4)
    assert x[:2].tolist() == [1.0, 2.0] and x.untyped_storage().nbytes() == 16


def test_the_comparison_itself_sees_a_difference():
    with pytest.raises(AssertionError):
        agree(lambda x: x + 1 if x.is_cuda else x, engine.ones(2))
    strided = engine.from_numpy(X)[:, 1:, ::2]
    assert on_cuda(strided).stride() == strided.stride() and on_cuda(strided).tolist() == strided.tolist()


def test_copies_and_pickles_stay_on_the_device():
    x = engine.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda")
    copied, (y, z) = copy.deepcopy(x), pickle.loads(pickle.dumps((x, x.t())))
    assert copied.device == y.device == x.device and copied.tolist() == y.tolist() == x.tolist()
    assert y.untyped_storage() is z.untyped_storage() and z.tolist() == x.t().tolist()
    copied[0, 0] = 9.0
    assert x[0, 0].item() == 1.0


def test_names_and_conversions():
    x = engine.ones(2, device="cuda")
    assert x.type() == "torch.cuda.FloatTensor" and engine.ones(2).type() == "torch.FloatTensor"
    assert x.type("torch.DoubleTensor").type() == "torch.DoubleTensor"
    assert x.numpy(force=True).tolist() == [1.0, 1.0]
    assert engine.as_tensor([1, 2], device="cuda").device == x.new_zeros(3).device == x.device
    assert x.cuda() is x and x.to("cuda") is x and x.to("cuda:0") is x


def test_the_device_is_the_first():
    with engine.cuda.device(0):
        assert engine.cuda.current_device() == 0 and engine.cuda.device_count() >= 1
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        engine.cuda.set_device(3)
    properties = engine.cuda.get_device_properties(0)
    assert properties.total_memory > 0 and engine.cuda.get_device_capability() == (properties.major, properties.minor)
