"""The base class of the samples: a tensor that keeps its fields, and makes its dense tensor only where it must."""

import functools
import inspect
import itertools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import engine as torch
from engine.transforms.nested import mapped, tensors_in
from engine.utils._python_dispatch import TorchDispatchMode
from engine.utils.flop_counter import flop_registry

Rule = Callable[..., Any]
ELEMENTWISE = ("add", "cumsum", "div", "mul", "neg", "sub", "sum")


def densified(value: Any) -> Any:
    """Return a value with the dense tensor for each sample in it."""
    return mapped(lambda one: one.dense() if isinstance(one, Sample) else one, value)


class Sample(torch.Tensor):
    """A tensor that has no memory, and is determined by its fields.

    A class derived from it is a table:
        fields: the names of its values: tensors, samples, lists and tuples of them, or anything else.
        sizes(*values): the sizes of the dense tensor.
        dense(sample): the dense tensor, without history; by default the product with the identity.
        rules: operator -> function of the sample and the other arguments, for the calls that fit its parameters. It may
            return NotImplemented. "rmm" is `mm` with the sample as second argument, "rraddmm" `addmm` with it as third.

    Where there is no rule, the dense tensor takes the sample's place, with a warning for the first time per class and
    operator. What is a view then is a view of a copy; operators that would write to a sample raise a RuntimeError.

    Autograd is above: a call with a sample is differentiated by the operator's formula, which calls operators with the
    sample again, and the gradient of a sample is dense. A sample that is made of fields that require grad is not a
    leaf: the fields get their gradients by the derivative of `dense`.
    """

    fields: tuple[str, ...] = ()
    rules: dict[str, Rule] = {}
    sizes: Rule
    dense: Rule = lambda s: s.rules["mm"](s, torch.eye(s.shape[1], dtype=s.dtype, device=s.device))
    warned: set[tuple[str, Any]] = set()
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]
    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Find a field."""

    def __new__(cls, *values: Any) -> Any:
        tensors = tensors_in(values)
        is_recorded = torch.is_grad_enabled() and any(one.requires_grad for one in tensors)
        return Made.apply(cls, values, *tensors) if is_recorded else cls.of(values)

    @classmethod
    def of(cls, values: Any) -> Any:
        """Return the sample whose fields have these values, without history."""
        like = tensors_in(values)[0]
        sizes, make = cls.sizes(*values), torch.Tensor._make_wrapper_subclass  # type: ignore[attr-defined]
        made = make(cls, sizes, dtype=like.dtype, device=like.device)
        vars(made).update(zip(cls.fields, values, strict=True))
        return made

    @classmethod
    def table(cls) -> dict[str, Rule]:
        """Return all rules of the class: its own, of all samples, and of matrices if it has one for `mm`."""
        return {**SHARED, **(MATRIX if "mm" in cls.rules else {}), **cls.rules}

    def with_fields(self, *functions: Rule) -> Any:
        """Return the sample with each function applied to one tensor in its fields, the last one also to the rest."""
        turns = itertools.chain(functions, itertools.repeat(functions[-1]))
        return self.of(mapped(lambda one: next(turns)(one), [getattr(self, name) for name in self.fields]))

    def nbytes_kept(self) -> int:
        """Return the number of bytes of the fields, where `nbytes` is what the dense tensor has."""
        found = tensors_in([getattr(self, name) for name in self.fields])
        return sum(one.nbytes_kept() if isinstance(one, Sample) else one.nbytes for one in found)

    def dense_for(self, func: Any) -> Any:
        """Return the dense tensor for an operator that has no rule, and warn, once per class and operator."""
        name = type(self).__name__
        if (name, func) not in self.warned:
            self.warned.add((name, func))
            text = f"{name} has no rule for {func}, which gets its dense tensor of {self.nbytes:,} bytes"
            warnings.warn(text, stacklevel=2)
        return self.dense()

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"{type(self).__name__}({tuple(self.shape)}, {self.nbytes_kept():,} of {self.nbytes:,} bytes)"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        written = (args[:1] if func._opname.endswith("_") else kwargs.values()) if func._schema.is_mutable else ()
        for one in written:
            if isinstance(one, Sample):
                kept = ", ".join(one.fields)
                raise RuntimeError(f"{func} can't write to the elements of {type(one).__name__}, which keeps {kept}")
        for place, one in enumerate(args):
            rule = one.table().get("r" * place + func._opname) if isinstance(one, Sample) else None
            if rule and accepts(rule, len(args), *kwargs):
                result = rule(one, *args[:place], *args[place + 1 :], **kwargs)
                if result is not NotImplemented:
                    return result
        result = func.decompose(*args, **kwargs)  # where autograd, which does that, is passed by: in a rule
        if result is not NotImplemented:
            return result
        dense = functools.cache(lambda one: one.dense_for(func) if isinstance(one, Sample) else one)  # each made once
        args, kwargs = mapped(dense, (args, kwargs))
        return func(*args, **kwargs)


# What a class has without saying so; what MATRIX has needs `mm` and `t`.
SHARED: dict[str, Rule] = {
    "alias": lambda s: s.with_fields(torch.detach),
    "clone": lambda s, memory_format=None: s.with_fields(torch.clone),
    "detach": lambda s: s.with_fields(torch.detach),
}
MATRIX: dict[str, Rule] = {
    "mv": lambda s, vector: torch.mm(s, vector[:, None])[:, 0],
    "permute": lambda s, dims: torch.t(s) if [dim % 2 for dim in dims] == [1, 0] else s.detach(),
    "raddmm": lambda a, bias, b: torch.mm(a, b) + bias,
    "rmm": lambda s, a: torch.mm(torch.t(s), a.t()).t(),
    "rraddmm": lambda b, bias, a: torch.mm(a, b) + bias,
    "transpose": lambda s, one, other: torch.t(s) if (one - other) % 2 else s.detach(),
}


@functools.cache
def accepts(rule: Rule, number: int, *names: str) -> bool:
    """Return True if a function can be called with a number of positional arguments and with keyword arguments."""
    try:
        return bool(inspect.signature(rule).bind(*range(number), **dict.fromkeys(names)))
    except TypeError:
        return False


class Made(torch.autograd.Function):
    """The step from fields that require grad to a sample; its derivative is the one of `dense`."""

    @staticmethod
    def forward(ctx: Any, cls: Any, values: Any, *tensors: Any) -> Any:
        ctx.save_for_backward(*tensors)
        ctx.cls, ctx.values = cls, mapped(torch.detach, values)
        return cls.of(ctx.values)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Make the dense tensor once more, of fields that record, and differentiate it."""
        leaves = [densified(one).detach().requires_grad_(one.requires_grad) for one in ctx.saved_tensors]
        rest = iter(leaves)
        with torch.enable_grad():
            ctx.cls.of(mapped(lambda _: next(rest), ctx.values)).dense().backward(densified(grad))
        return None, None, *[one.grad for one in leaves]


class Flops(TorchDispatchMode):
    """A mode that counts the FLOPs of products as `FlopCounterMode` does, and one for each element of `ELEMENTWISE`.

    Samples answer their calls first: what is counted is what their rules do.
    """

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(kind, Sample) for kind in types):
            return NotImplemented
        with self:
            result = func.decompose(*args, **(kwargs or {}))
        if result is NotImplemented:
            result = func(*args, **(kwargs or {}))
            if func.overloadpacket in flop_registry:
                self.count += flop_registry[func.overloadpacket](*args, **(kwargs or {}), out_val=result)
            elif func._opname in ELEMENTWISE:
                self.count += max(one.numel() for one in tensors_in([args, result]))
        return result


def flops(function: Rule, *arguments: Any) -> tuple[int, int]:
    """Return the FLOPs of a function of samples, counted while it runs: with the samples, and with dense tensors.

    >>> flops(torch.mm, torch.ones(2, 3), torch.ones(3, 5))
    (60, 60)
    """
    counts = []
    for given in (arguments, densified(arguments)):
        with Flops() as mode:
            function(*given)
        counts.append(mode.count)
    return counts[0], counts[1]
