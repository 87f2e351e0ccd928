"""Programs on fake tensors, for the engine and PyTorch: `(T, mode, x)`, where x is a fake of ones(3, 4)."""

import copy
import importlib

import numpy


def modules(T):
    """The module of fake tensors of the engine or of PyTorch."""
    return importlib.import_module(f"{T.__name__}._subclasses.fake_tensor")


def described(T, value):
    """A result as plain data, without elements."""
    if isinstance(value, T.Tensor):
        geometry = tuple(value.shape), value.stride(), value.storage_offset()
        return type(value).__name__, *geometry, str(value.dtype), str(value.device), value.requires_grad
    if isinstance(value, (list, tuple)):
        return [described(T, one) for one in value]
    return value


def outcome(T, case):
    """The result of a case under a mode of its own; of an error, its type and the first line."""
    module = modules(T)
    mode = module.FakeTensorMode()
    x = mode.from_tensor(T.ones(3, 4))
    try:
        with mode:
            result = case(T, x)
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    return described(T, result)


def cuda(T, *sizes):
    return T.zeros(sizes, device="cuda")


def gradients(T, x):
    weight = T.randn(4, 5, requires_grad=True)
    (x @ weight).relu().sum().backward()
    return weight.grad, weight


def trained(T, x):
    net = T.nn.Sequential(
        T.nn.Conv2d(3, 4, 3), T.nn.GroupNorm(2, 4), T.nn.ReLU(), T.nn.MaxPool2d(2), T.nn.Flatten(), T.nn.Linear(36, 5)
    )
    optimizer = T.optim.SGD(net.parameters(), lr=0.1)
    T.nn.functional.cross_entropy(net(T.zeros(2, 3, 8, 8)), T.zeros(2, dtype=T.int64)).backward()
    optimizer.step()
    return [(parameter, parameter.grad) for parameter in net.parameters()]


def written(T, x):
    view = x[1:]
    same = view.add_(1) is view
    return same, x._version, view._version, x.t_() is x, x, view._base is x


def into_out(T, x):
    out = T.zeros(0)
    return T.add(x, x, out=out) is out, out


def parameters(T, x):
    parameter = T.nn.Parameter(x.clone())
    return isinstance(parameter, T.nn.Parameter), repr(parameter), parameter, parameter * 2, T.nn.Linear(4, 2)(x)


def modes_of(T, x):
    module, wrong = modules(T), "not fake"
    with module.unset_fake_temporarily() as mode:
        known = type(T.ones(2)).__name__, module.is_fake(T.ones(2)), module.maybe_get_fake_mode(wrong)
    return known, mode is x.fake_mode is module.maybe_get_fake_mode(x), mode.static_shapes


def copied(T, x):
    with modules(T).unset_fake_temporarily(), modules(T).FakeCopyMode(x.fake_mode):
        net = copy.deepcopy(LEFT_OUT[T.__name__][2])
    return net.weight, net(T.ones(2, 3)), type(copy.deepcopy(x)).__name__, copy.deepcopy(x).fake_mode is x.fake_mode


def viewed(T, x):
    view = LEFT_OUT[T.__name__][3]
    fake = x.fake_mode.from_tensor(view, static_shapes=True)
    return fake, fake._base is x.fake_mode.from_tensor(view._base), fake.is_leaf, x.untyped_storage().device.type


VALUES = {
    "modes": modes_of, "copies": copied, "a view": viewed,
    "chosen": lambda T, x: (
        T.where(x > 0, 1, 2.5), T.where(x > 0, x.int(), 2.5), T.where(x > 0, x.int(), T.zeros(4, dtype=T.float64))
    ),
    "numbers": lambda T, x: ((LEFT_OUT[T.__name__][1] * 3).item(), T.add(LEFT_OUT[T.__name__][1], 1)),
    "arithmetic": lambda T, x: (x + 1, x + x, x * 2.5, x > 0, x.double() + x, x @ x.t(), x.sum(0, keepdim=True)),
    "views": lambda T, x: (x[1:, ::2], x.t(), x.expand(2, 3, 4), x.unsqueeze(0), x.chunk(2), x.unbind()),
    "functions": lambda T, x: (
        x.softmax(1), x.max(1), x.sort(), x.argmax(), x.var(0), x.cumsum(0), x.norm(), x.tril(), x.bernoulli(),
        T.cat([x, x]), T.stack([x, x]), T.where(x > 0, x, T.zeros(())), T.einsum("ij,kj->ik", x, x),
    ),
    "factories": lambda T, x: (
        T.zeros(2, 3), T.ones(2, dtype=T.int64), T.full((2,), 3.0), T.arange(5), T.eye(3), T.linspace(0, 1, 5),
        T.randn(2, 3), T.randint(5, (2,)), T.randperm(4), T.empty_strided((2, 3), (1, 2)), T.zeros_like(x),
        T.empty_like(x.t()), x.new_zeros(3), x.new_full((2,), 1), T.rand_like(x), T.zeros(3, requires_grad=True),
    ),
    "on cuda": lambda T, x: (
        cuda(T, 2, 3), T.zeros(2, device="cuda:1"), cuda(T, 2) + 1, cuda(T, 2).is_cuda, cuda(T, 2).cpu(),
        x.new_zeros(2, device="cuda"), T.zeros_like(x, device="cuda"), cuda(T, 3, 4) @ cuda(T, 4, 2),
    ),
    "numbers on the CPU give way": lambda T, x: (
        cuda(T, 3) + T.zeros(()), T.zeros(()) + cuda(T, 3), cuda(T, 3).mul_(T.zeros(())),
        cuda(T, 3, 4).index_select(0, cuda(T, 2).long()), x.copy_(cuda(T, 3, 4)), x.to("meta"),
    ),
    "printed": lambda T, x: (
        repr(x), str(x > 0), repr(cuda(T, 2)), f"{x.sum()}", repr(T.zeros(2, requires_grad=True)),
        repr(T.zeros(2, requires_grad=True).sum()), repr(T.zeros(2, dtype=T.int64)),
    ),
    "gradients": gradients, "training": trained, "writes": written, "out": into_out, "parameters": parameters,
    "data": lambda T, x: (T.tensor([1.0], device="cuda"), T.tensor(1, device="cuda"), T.from_numpy(numpy.ones(2))),
    "another dtype": lambda T, x: x.view(T.int32),
    "a mask writes": lambda T, x: (x.masked_fill(x > 0, 2), x.masked_fill_(x > 0, 2) is x),
    "repeated": lambda T, x: T.repeat_interleave(x, 2),
    "sizes and storages": lambda T, x: (len(x), x.untyped_storage().nbytes(), x[1:].storage_offset()),
}  # fmt: skip

REFUSALS = {
    "item": (lambda T, x: x.sum().item(), "DataDependentOutputException: aten._local_scalar_dense.default"),
    "bool": (lambda T, x: bool(x.sum() > 0), "DataDependentOutputException: aten._local_scalar_dense.default"),
    "float": (lambda T, x: float(x.sum()), "DataDependentOutputException: aten._local_scalar_dense.default"),
    "tolist": (lambda T, x: x.tolist(), "DataDependentOutputException: aten._local_scalar_dense.default"),
    "equal": (lambda T, x: T.equal(x, x), "DataDependentOutputException: aten.equal.default"),
    "allclose": (lambda T, x: T.allclose(x, x), "DataDependentOutputException: aten.allclose.default"),
    "nonzero": (lambda T, x: x.nonzero(), "DynamicOutputShapeException: aten.nonzero.default"),
    "where": (lambda T, x: T.where(x > 0), "DynamicOutputShapeException: aten.nonzero.default"),
    "mask": (lambda T, x: x[x > 0], "DynamicOutputShapeException: aten.nonzero.default"),
    "masked_select": (
        lambda T, x: T.masked_select(x, x > 0), "DynamicOutputShapeException: aten.masked_select.default"
    ),
    "bincount": (
        lambda T, x: T.bincount(T.zeros(3, dtype=T.int64)), "DynamicOutputShapeException: aten.bincount.default"
    ),
    "repeats": (
        lambda T, x: T.repeat_interleave(x, T.zeros(3, dtype=T.int64), dim=0),
        "DynamicOutputShapeException: aten.repeat_interleave.Tensor",
    ),
    "numpy": (lambda T, x: x.numpy(), "RuntimeError: .numpy() is not supported for tensor subclasses."),
    "view": (lambda T, x: x.view(7), "RuntimeError: shape '[7]' is invalid for input of size 12"),
    "broadcast": (
        lambda T, x: x * T.zeros(2, 1, 5),
        "RuntimeError: Attempting to broadcast a dimension of length 5 at -1! Mismatching argument at index 1 had "
        "torch.Size([2, 1, 5]); but expected shape should be broadcastable to [1, 3, 4]",
    ),
    "broadcast in place": (
        lambda T, x: T.zeros(4).add_(x),
        "RuntimeError: output with shape torch.Size([4]) doesn't match the broadcast shape (3, 4)",
    ),
    "product": (
        lambda T, x: T.nn.Linear(3, 2)(x),
        "RuntimeError: a and b must have same reduction dim, but got [3, 4] X [3, 2].",
    ),
    "a copy": (
        lambda T, x: x.copy_(T.zeros(5)),
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 1",
    ),
    "a bias": (
        lambda T, x: T.addmm(T.zeros(7), x, x.t()),
        "RuntimeError: Attempting to broadcast a dimension of length 7 at -1! Mismatching argument at index 1 had "
        "torch.Size([7]); but expected shape should be broadcastable to [3, 3]",
    ),
    "a condition": (lambda T, x: T.where(x, x, x), "RuntimeError: expected predicate to be bool, got torch.float32"),
    "a mean": (
        lambda T, x: x.int().mean(),
        "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
        "dtype. Got: torch.int32",
    ),
    "out": (
        lambda T, x: T.add(x, x, out=x.int()),
        "RuntimeError: Attempting to cast from torch.float32 to out tensor with dtype torch.int32, but this can't be "
        "cast because it is not safe!",
    ),
    "a convolution": (
        lambda T, x: T.nn.functional.conv2d(x[None], T.zeros(1, 1, 2, 2, dtype=T.float64)),
        "RuntimeError: Input type (torch.float32) and weight type (torch.float64) should be the same",
    ),
    "a size": (lambda T, x: T.zeros(x.sum().long()), "DataDependentOutputException: aten._local_scalar_dense.default"),
    "values on another device": (
        lambda T, x: cuda(T, 3).index_put_((T.tensor([0, 1]),), x[0, :2]),
        "RuntimeError: Mismatching aten.index_put_.default device between self (cuda:0) and values (cpu)",
    ),
    "no device": (
        lambda T, x: modules(T).FakeTensor(x.fake_mode, T.empty(2, device="meta")),
        "TypeError: FakeTensor.__new__() missing required argument: 'device' (or 'fake_device')",
    ),
    "a deep copy": (
        lambda T, x: x + copy.deepcopy(x),
        "AssertionError: Mixing fake modes NYI x.fake_mode=",
    ),
    "no matrix": (lambda T, x: T.mm(x[0], x), "RuntimeError: a must be 2D"),
    "no matrix either": (lambda T, x: T.mm(x, x[0]), "RuntimeError: b must be 2D"),
    "cat": (
        lambda T, x: T.cat([x, x, x[:, 1:]]),
        "RuntimeError: Sizes of tensors must match except in dimension 0. Expected 4 in dimension 1 but got 3 for "
        "tensor number 2 in the list",
    ),
    "cat of other dimensions": (
        lambda T, x: T.cat([x, x, x.sum()[None]]),
        "RuntimeError: Number of dimensions of tensors must match.  Expected 2-D tensors, but got 1-D for tensor "
        "number 2 in the list",
    ),
    "stack": (
        lambda T, x: T.stack([x, x.t()]),
        "RuntimeError: stack expects each tensor to be equal size, but got torch.Size([3, 4]) at entry 0 ",
    ),
    "view of a transposed tensor": (
        lambda T, x: x.t().view(2, -1),
        "ValueError: Cannot view a tensor with shape torch.Size([4, 3]) and strides (1, 4) as a tensor with shape "
        "(2, 6)!",
    ),
    "norm": (
        lambda T, x: T.nn.LayerNorm(3)(x),
        "RuntimeError: Given normalized_shape=[3], expected input with shape [3], but got input of size "
        "torch.Size([3, 4])",
    ),
    "gather": (
        lambda T, x: x.gather(1, x),
        "RuntimeError: gather(): Expected dtype int32/int64 for index, but got torch.float32",
    ),
    "embedding": (
        lambda T, x: T.nn.functional.embedding(x, x),
        "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
        "but got torch.float32 instead",
    ),
    "two devices": (
        lambda T, x: cuda(T, 3, 4) + x,
        "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at least two devices, "
        "cuda:0 and cpu!",
    ),
    "two devices in place": (
        lambda T, x: x.add_(cuda(T, 3, 4)),
        "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at least two devices, "
        "cpu and cuda:0!",
    ),
    "two devices, one number": (
        lambda T, x: x + cuda(T),
        "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at least two devices, "
        "cpu and cuda:0!",
    ),
    "two modes": (
        lambda T, x: type(modules(T).FakeTensorMode().from_tensor(x) + x),
        "AssertionError: Mixing fake modes NYI x.fake_mode=",
    ),
    "a tensor": (
        lambda T, x: x * LEFT_OUT[T.__name__][0],
        "AssertionError: Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
        "'allow_non_fake_inputs'. Found in aten.mul.Tensor(FakeTensor(..., size=(3, 4)), tensor([...], size=(4,)))",
    ),
    "a number": (
        lambda T, x: x * LEFT_OUT[T.__name__][1],
        "AssertionError: Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
        "'allow_non_fake_inputs'. Found in aten.mul.Tensor(FakeTensor(..., size=(3, 4)), tensor(2., size=()))",
    ),
    "a tensor in place": (
        lambda T, x: LEFT_OUT[T.__name__][0].unsqueeze_(0),
        "AssertionError: Can't call metadata mutating ops on non-Fake Tensor inputs. Found in "
        "aten.unsqueeze_.default(tensor([...], size=(4,)), 0)",
    ),
}  # fmt: skip
"""Name -> program, and the error that PyTorch 2.13 raises."""
LEFT_OUT = {}
"""Name of the engine or of PyTorch -> what is not fake: tensors with a dimension and without, a network, a view."""
