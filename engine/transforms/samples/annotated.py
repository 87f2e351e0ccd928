"""Tensors with something beside their elements: what was called with them, or which of them count."""

import functools
import math
from typing import Any

import engine as torch
from engine.transforms.nested import mapped, tensors_in
from engine.utils._python_dispatch import return_and_correct_aliasing
from engine.utils._pytree import tree_map_only

from .wrapper import Rule, Sample


class Logged(Sample):
    """A tensor with a list of the operators that it, and what comes of it, took part in: to see what a program calls.

    It keeps all its elements and saves nothing. In-place operators write to the tensor inside. Gradients are logged.

    >>> log = []
    >>> x = Logged(torch.ones(2, 3), log)
    >>> _ = (x @ x.T).relu_()
    >>> log
    ['aten.permute.default', 'aten.mm.default', 'aten.relu_.default']
    """

    fields = ("value", "calls")
    sizes = lambda value, calls: value.shape
    dense = lambda s: s.value

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        calls = next(one.calls for one in tensors_in((args, kwargs)) if isinstance(one, cls))
        calls.append(str(func))
        inner_args, inner_kwargs = tree_map_only(cls, lambda one: one.value, (args, kwargs))
        result = mapped(lambda one: cls.of([one, calls]), func(*inner_args, **inner_kwargs))
        return return_and_correct_aliasing(func, args, kwargs, result)


FILLS = {"amax": -math.inf, "amin": math.inf, "max": -math.inf, "min": math.inf, "prod": 1, "sum": 0}
ELEMENTWISE = ("abs", "add", "div", "exp", "log", "mul", "neg", "relu", "sqrt", "sub")
GEOMETRIC = ("permute", "select", "slice", "t", "transpose", "unsqueeze", "view")


def reduction(name: str, fill: float) -> Rule:
    """Return the rule for a reduction: masked elements are replaced by a number that does not change its result."""
    return lambda s, *where: getattr(torch, name)(torch.where(s.mask, s.elements, fill), *where)


def elementwise(name: str) -> Rule:
    """Return the rule for an elementwise operator: of two masked operands, elements count that count in both."""

    def rule(*operands: Any) -> Any:
        made = getattr(torch, name)(*mapped(lambda one: getattr(one, "elements", one), operands))
        masks = [one.mask for one in operands if isinstance(one, Masked)]
        return Masked(made, functools.reduce(torch.logical_and, masks).expand(made.shape))

    return rule


def geometric(name: str) -> Rule:
    """Return the rule for an operator that moves elements."""
    return lambda s, *where: s.with_fields(lambda one: getattr(torch.ops.aten, name)(one, *where))


class Masked(Sample):
    """Elements that count where a mask is True: for data with gaps. Reductions pass the others by.

    Dense, the others are 0. A formula of autograd knows nothing of masks, so gradients are refused. It saves nothing:
    the mask is a byte per element more. A reduction of nothing is what it is of an empty tensor, or an infinity.
    Source: torch/masked/_ops.py.

    >>> x = Masked(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[True, False], [True, True]]))
    >>> x, x.mean(1), (x + 1).amax()
    (Masked((2, 2), 20 of 16 bytes), tensor([1.0000, 3.5000]), tensor(5.))
    """

    fields = ("elements", "mask")
    sizes = lambda elements, mask: elements.shape
    dense = lambda s: torch.where(s.mask, s.elements, 0)
    rules = {
        **{name: elementwise(name) for name in ELEMENTWISE},
        **{name: geometric(name) for name in GEOMETRIC},
        **{name: reduction(name, fill) for name, fill in FILLS.items()},
        "_softmax": lambda s, dim, _: Masked(torch.where(s.mask, s.elements, -math.inf).softmax(dim), s.mask),
        "mean": lambda s, *where: s.sum(*where) / s.mask.sum(*where),
    }

    def __new__(cls, elements: Any, mask: Any) -> Any:
        return super().__new__(cls, elements, mask).requires_grad_(elements.requires_grad)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Refuse to record, with a RuntimeError."""
        if requires_grad:
            raise RuntimeError("Masked has no gradients: the formulas of reductions would count what is masked")
        return self
