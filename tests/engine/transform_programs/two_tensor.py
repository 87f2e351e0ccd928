"""A pair of tensors that is one tensor: each operator runs on both, as the TwoTensor of PyTorch's tests."""

import copy

import torch
from torch.utils._pytree import tree_map_only


class Pair(torch.Tensor):
    @staticmethod
    def __new__(cls, a, b):
        assert a.shape == b.shape and a.dtype == b.dtype
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype, device=a.device)

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __repr__(self):
        return f"Pair({self.a.tolist()}, {self.b.tolist()})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not all(issubclass(cls, kind) for kind in types):
            return NotImplemented
        first = func(*tree_map_only(cls, lambda x: x.a, args), **tree_map_only(cls, lambda x: x.a, kwargs))
        second = func(*tree_map_only(cls, lambda x: x.b, args), **tree_map_only(cls, lambda x: x.b, kwargs))
        if not isinstance(first, (torch.Tensor, list, tuple)):
            return first
        if isinstance(first, torch.Tensor):
            return cls(first, second)
        return type(first)(cls(one, two) for one, two in zip(first, second, strict=True))


x = Pair(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
print(x + 1, x * x, (x @ x), x.max())
print(x.view(2, 1).shape, x.view(2, 1), x.unbind())
print(type(x.clone()).__name__, isinstance(x, torch.Tensor), type(x) is Pair, x.dtype, x.device, tuple(x.shape))
print(torch.stack([x, x]).sum(0), torch.where(x > 1.5, x, torch.zeros(2)))
w = Pair(torch.ones(2), torch.full((2,), 2.0)).requires_grad_()
loss = ((w * x) ** 2).mean()
loss.backward()
print(w.grad, loss.a.item(), loss.b.item())
(gradient,) = torch.autograd.grad((w.exp() * 3).sum(), w)
print(type(gradient).__name__, [round(value, 3) for value in gradient.b.tolist()])

parameter = torch.nn.Parameter(x.clone())
print(isinstance(parameter, torch.nn.Parameter), type(parameter).__name__, parameter.requires_grad)
layer = torch.nn.Linear(2, 1, bias=False)
layer.weight = torch.nn.Parameter(Pair(torch.ones(1, 2), torch.zeros(1, 2)))
print(layer(x).detach(), [name for name, _ in layer.named_parameters()])
optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
layer(x).sum().backward()
optimizer.step()
print(layer.weight.detach())
print(copy.deepcopy(x), type(copy.copy(x)).__name__)
print(type(torch.ones(2).as_subclass(torch.Tensor)).__name__)

other = type("Other", (Pair,), {})
print(type(x + other(torch.ones(2), torch.ones(2))).__name__)
try:
    (
        Pair(torch.ones(2), torch.ones(2))
        + type(
            "Stranger",
            (torch.Tensor,),
            {
                "__new__": staticmethod(lambda cls: torch.Tensor._make_wrapper_subclass(cls, (2,))),
                "__torch_dispatch__": classmethod(lambda cls, func, types, args=(), kwargs=None: NotImplemented),
            },
        )()
    )
except TypeError as error:
    print(type(error).__name__)
