"""A tensor that writes down its operators, as in PyTorch's notes on __torch_dispatch__."""

import torch
from torch.utils._python_dispatch import return_and_correct_aliasing
from torch.utils._pytree import tree_map

calls = []


class LoggingTensor(torch.Tensor):
    @staticmethod
    def __new__(cls, elem):
        made = torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(), dtype=elem.dtype,
            layout=elem.layout, device=elem.device, requires_grad=elem.requires_grad,
        )  # fmt: skip
        made.elem = elem.detach() if elem.requires_grad else elem
        return made

    def __repr__(self):
        return f"LoggingTensor({self.elem})"

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        def unwrap(x):
            return x.elem if isinstance(x, cls) else x

        def wrap(x):
            return cls(x) if isinstance(x, torch.Tensor) else x

        calls.append(f"{func}({', '.join(kind.__name__ for kind in types)})")
        out = tree_map(wrap, func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {})))
        return return_and_correct_aliasing(func, args, kwargs, out)


def flush(title):
    print(f"{title}: {' '.join(calls)}")
    calls.clear()


x = LoggingTensor(torch.arange(6.0).reshape(2, 3))
print((x + 1).elem.tolist())
flush("add")
print(type(x @ torch.ones(3, 2)).__name__, (x @ x.t()).elem.tolist())
flush("products")
print(round(torch.nn.functional.softmax(x, dim=1).elem.sum().item(), 5))
flush("softmax")

view = x[0]
view.mul_(10)
print(x.elem.tolist(), view._is_view(), view._base is x, x._version, view._version)
flush("a write through a view")
print(view.untyped_storage() is x.untyped_storage())
x.t_()
print(tuple(x.shape), x.stride(), x.elem.tolist())
flush("transposed in place")

w = LoggingTensor(torch.tensor([1.0, 2.0, 3.0], requires_grad=True))
y = (w * w).sum()
flush("recorded")
y.backward()
print(type(w.grad).__name__, w.grad.elem.tolist(), w.is_leaf, y.requires_grad)
flush("backward")
(w * 3).exp().sum().backward()
print([round(value, 2) for value in w.grad.elem.tolist()])
flush("backward again")

first, second = LoggingTensor(torch.arange(4.0)).split(2)
print(type(first).__name__, second.elem.tolist())
values, places = LoggingTensor(torch.tensor([3.0, 1.0, 2.0])).sort()
print(values.elem.tolist(), places.elem.tolist())
joined = torch.cat([LoggingTensor(torch.ones(2)), torch.zeros(1)])
print(joined.elem.tolist(), bool((joined > 0).any()), joined[0].item())
flush("lists")
out = LoggingTensor(torch.zeros(2))
print(torch.add(LoggingTensor(torch.ones(2)), 1, out=out) is out, out.elem.tolist())
flush("out=")


class Louder(LoggingTensor):
    pass


print(type(Louder(torch.ones(1)) + LoggingTensor(torch.ones(1))).__name__)
flush("a derived class answers first")


class Refuses(LoggingTensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


for attempt in (
    lambda: torch.exp(Refuses(torch.ones(2))),
    lambda: Refuses(torch.ones(2)).sum(),
    lambda: x.numpy(),
    lambda: x.tolist(),
    lambda: x.untyped_storage().data_ptr(),
    lambda: torch.Tensor._make_wrapper_subclass(torch.Tensor, (2,)),
):
    try:
        attempt()
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error).replace("__main__.", "").splitlines()[0])

model = torch.nn.Linear(3, 2)
with torch.no_grad():
    model.weight.fill_(0.5)
    model.bias.fill_(1.0)
calls.clear()
output = model(LoggingTensor(torch.ones(1, 3)))
output.sum().backward()
print(output.elem.tolist(), type(model.weight.grad).__name__, model.weight.grad.elem.tolist())
flush("a module")
