"""Print what modes and wrappers rely on beside the calls: schemas, tags, guards, errors, parameters."""

import copy

import numpy as np
import torch
from torch.utils._python_dispatch import (
    BaseTorchDispatchMode,
    TorchDispatchMode,
    is_traceable_wrapper_subclass,
    is_traceable_wrapper_subclass_type,
    return_and_correct_aliasing,
    transform_subclass,
)
from torch.utils._pytree import tree_map

calls = []


def unwrap(x):
    return x.elem if isinstance(x, Wrapper) else x


def wrap(x):
    return Wrapper(x) if isinstance(x, torch.Tensor) else x


class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, elem):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.shape, strides=elem.stride(), dtype=elem.dtype)
        made.elem = elem
        return made

    def __repr__(self):
        return f"Wrapper({self.elem})"

    def __tensor_flatten__(self):
        return ["elem"], None

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Wrapper(inner["elem"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        calls.append(str(func))
        return tree_map(wrap, func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {})))


class Refusing(torch.Tensor):
    """Its __torch_function__ is off, because it has a __torch_dispatch__: unrelated classes get their turns."""

    @staticmethod
    def __new__(cls):
        return torch.Tensor._make_wrapper_subclass(cls, (2,))

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        calls.append(f"{cls.__name__} of {[kind.__name__ for kind in types]}")
        return NotImplemented


class Other(Refusing):
    pass


class Third(Refusing):
    pass


class Plain(torch.Tensor):
    pass


class Raises(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise TypeError("mine")


class Returns(TorchDispatchMode):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.value


class Log(BaseTorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        calls.append(str(func))
        return super().__torch_dispatch__(func, types, args, kwargs)


def attempt(function):
    try:
        result = function()
    except Exception as error:
        print(type(error).__name__, str(error).replace("__main__.", "").splitlines()[0])
    else:
        print("ok", type(result).__name__ if isinstance(result, torch.Tensor) else result)


def within(mode, function):
    def call():
        with mode:
            return function()

    return call


def flush(title):
    print(f"{title}: {' '.join(calls)}")
    calls.clear()


aten = torch.ops.aten
for func in (aten.add_.Tensor, aten.t.default, aten.sort.default, aten.add.out, aten.cat.default, aten.sum.dim_IntList):
    schema = func._schema
    print(schema.name, schema.overload_name, schema.is_mutable, func.is_view, func.__qualname__, func)
    for one in schema.arguments:
        alias = one.alias_info and (one.alias_info.is_write, sorted(one.alias_info.before_set))
        default = one.default_value if one.has_default_value() else "none"
        print("   ", one.name, one.type, default, one.kwarg_only, one.is_out, alias)
    print("    ->", [(str(one.type), one.alias_info is not None) for one in schema.returns])
print(aten.add._qualified_op_name, copy.deepcopy(aten.add.Tensor) is aten.add.Tensor)
for func in (aten.add.Tensor, aten.t_.default, aten.nonzero.default):
    print(torch.Tag.core in func.tags, torch.Tag.pointwise in func.tags, torch.Tag.inplace_view in func.tags)
print(aten.t_.default.tags, torch.Tag.core)

w, plain = Wrapper(torch.arange(3.0)), torch.ones(2)
print(is_traceable_wrapper_subclass(w), is_traceable_wrapper_subclass(plain), is_traceable_wrapper_subclass(3))
print(transform_subclass(w, lambda name, inner: inner * 2))
attempt(lambda: transform_subclass(w, lambda name, inner: inner[:2]))
attempt(lambda: return_and_correct_aliasing(aten.view.default, (w, [3]), {}, plain))

guard = torch._C._DisableTorchDispatch()
print(len(calls), type(torch.empty_like(torch.ones(1))).__name__)
del guard
with Log():
    with torch._C._DisableTorchDispatch():
        torch.ones(1)
    torch.zeros(1)
flush("guards")
python = torch._C.DispatchKey.Python
print(torch._C._dispatch_tls_is_dispatch_key_included(python), torch._C._len_torch_dispatch_stack())
with Log() as mode:
    print(torch._C._dispatch_tls_is_dispatch_key_included(python), torch._C._len_torch_dispatch_stack())
    print(torch._C._get_dispatch_stack_at(0) is mode)

first, other, third = Refusing(), Other(), Third()
attempt(lambda: torch.where(first, other, third))
attempt(lambda: other + third)
attempt(lambda: other @ third)
attempt(lambda: other == 1)
attempt(lambda: other.add(1))
flush("types")
for function in (lambda: plain + 1, lambda: 1 - plain, lambda: plain == 1, lambda: plain.add(1), lambda: plain**2):
    attempt(within(Raises(), function))
for value in ("a", (1, 2)):
    attempt(within(Returns(value), lambda: plain.sort()))
    attempt(within(Returns(value), lambda: plain.split(1)))

make = torch.Tensor._make_wrapper_subclass
print(make(Wrapper, (2, 3, 4, 5), memory_format=torch.channels_last).stride())
attempt(lambda: make(Wrapper, (2,), dtype=torch.int64, requires_grad=True))
attempt(lambda: make(Wrapper, "ab"))
attempt(lambda: make(Wrapper, 2))
attempt(lambda: make(Wrapper, (2,), strides=(1, 1)))
attempt(lambda: make(Wrapper, (2,), dtype="f"))
attempt(lambda: make(Wrapper, (2,), dispatch_sizes_strides_policy="what"))
attempt(lambda: torch.Tensor._make_subclass(Plain, w))
attempt(lambda: w.as_subclass(Plain))
attempt(lambda: torch.Tensor.__repr__(w))
with torch.inference_mode():
    made = Wrapper(torch.ones(2))
    print(made.is_inference(), (made + 1).is_inference())
attempt(lambda: made.add_(1))
calls.clear()

parameter = torch.nn.Parameter(plain.as_subclass(Plain))
print(type(parameter).__name__, isinstance(parameter, torch.nn.Parameter), parameter)


class Special(torch.nn.Parameter):
    pass


print(Special(torch.ones(2)))
print(torch.ones(2).is_cpu, w.untyped_storage()._cdata == w.untyped_storage()._cdata)
with Log():
    torch.from_numpy(np.ones(2)), torch.as_tensor(np.ones(2)), torch.tensor(np.ones(2, np.float32))
    plain.numpy()
    torch.where(plain > 0, plain, 0.0)
flush("data")

# errors of makers and of what comes back; printing
attempt(lambda: make(Wrapper))
attempt(lambda: make(Wrapper, (2,), foo=1))
attempt(lambda: make(Wrapper, (2, 0.5)))
attempt(lambda: make(Wrapper, (2, -1)))
attempt(lambda: make(Wrapper, (2,), requires_grad=1))
attempt(lambda: make(Wrapper, (2,), storage_offset="a"))
attempt(lambda: torch.Tensor._make_subclass(Plain))
attempt(lambda: plain.as_subclass())
print(make(Wrapper, (2,), storage_size=20).untyped_storage().nbytes())
print([is_traceable_wrapper_subclass_type(kind) for kind in (Wrapper, Refusing, torch.Tensor, torch.nn.Parameter)])
attempt(within(Returns(plain), lambda: plain.view(2)))
attempt(within(Returns([plain]), lambda: plain.unbind()))
attempt(within(Returns((plain, plain)), lambda: plain.view(2)))
attempt(within(Returns(None), lambda: torch.equal(plain, plain)))
attempt(within(Returns({"a": 1}), lambda: plain.unbind()))
attempt(within(Returns(3), lambda: plain.sort()))
attempt(lambda: return_and_correct_aliasing(aten.view.default, [w, [3]], {}, w))
attempt(lambda: return_and_correct_aliasing(aten.view.default, (w, [3]), {}, 3))
attempt(lambda: torch.Tensor.__repr__(Wrapper(torch.tensor([1, 2]))))
attempt(lambda: torch.Tensor.__repr__(Wrapper(torch.ones(0))))
attempt(lambda: torch.Tensor.__repr__(make(Wrapper, (2,), device="meta")))


class Aliasing(Wrapper):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        out = func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {}))
        out = tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, out)
        return return_and_correct_aliasing(func, args, kwargs, out)

    @staticmethod
    def __new__(cls, elem):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.shape, strides=elem.stride(), dtype=elem.dtype)
        made.elem = elem
        return made


# geometry, nesting, modules and optimizers
x = Aliasing(torch.arange(6.0).reshape(2, 3))
print(x.resize_(3) is x, x.shape, x.unsqueeze_(0).shape, x.squeeze_(0).stride())
outer = Aliasing(Aliasing(torch.ones(2))).requires_grad_()
(outer * outer).sum().backward()
print(outer.grad, type(outer.grad.elem).__name__)
layer = torch.nn.Linear(2, 2, bias=False)
layer.weight = torch.nn.Parameter(Aliasing(torch.ones(2, 2)))
optimizer = torch.optim.Adam(layer.parameters(), lr=0.5)
layer(plain).sum().backward()
optimizer.step()
print(layer.double().weight.elem.dtype, type(layer.weight).__name__, isinstance(layer.weight, torch.nn.Parameter))
print([round(value, 3) for value in layer.weight.elem.flatten().tolist()], type(layer.weight.grad).__name__)
