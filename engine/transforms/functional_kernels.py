"""The kernels at the key Functionalize: one for each kind of operator, found by its schema.

    pure        call the operator on the values, and wrap the results
    viewed      the same, and note how the view was made
    view_in_place, written, resized    replace the value of what is written to by the result of an operator without a
                                       write: `add` for `add_` and `add.out`, `transpose.int` for `transpose_`

Views that are made of others are decomposed first. An operator none of whose tensors is functional is just called.
Mirrors torchgen/gen_functionalization_type.py and aten/src/ATen/FunctionalizeFallbackKernel.cpp.
"""

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .. import dtypes, slots
from ..aten.empty_tensor import contiguous_strides, new_tensor
from ..dispatch import registry
from ..dispatch.keys import DispatchKey, bits
from ..dispatch.local import DEFAULT_EXCLUDED, DEFAULT_INCLUDED, DispatchKeyGuard, local, state_of
from ..dispatch.registry import OperatorEntry
from ..strides import broadcast_shapes
from ..tensor_impl import Tensor
from .functional_tensor import FunctionalizeInterpreter, FunctionalTensor, ViewMeta
from .interpreters import FUNCTIONALIZE, layers, map_arguments, map_results
from .view_inverses import INVERSES, INVERSES_OF_PARTS, call_copy, call_view
from .wrapper_subclass import nbytes_of

K = DispatchKey
ALIASES = (
    "Found a custom (non-ATen) operator whose output has alias annotations: {}. We only support functionalizing "
    "operators whose outputs do not have alias annotations (e.g. 'Tensor(a)' is a Tensor with an alias annotation "
    "whereas 'Tensor' is a Tensor without. The '(a)' is the alias annotation). The alias annotation specifies that the "
    "output Tensor shares storage with an input that has the same annotation. Please check if (1) the output needs to "
    "be an output (if not, don't return it), (2) if the output doesn't share storage with any inputs, then delete the "
    "alias annotation. (3) if the output indeed shares storage with an input, then add a .clone() before returning it "
    "to prevent storage sharing and then delete the alias annotation. Otherwise, please file an issue on GitHub."
)
NOT_FUNCTIONAL = (
    "mutating a non-functional tensor with a functional tensor is not allowed. Please ensure that all of your inputs "
    "are wrapped inside of a functionalize() call."
)
RESIZED_VIEW = "Attempted to resize a view tensor to a larger size. This is not allowed in the functionalization pass"
OPTIONS = ("dtype", "layout", "device", "pin_memory")
META = dtypes.device("meta")


def call_of_views() -> Callable[..., Any]:
    """Return what the innermost layer calls views by; copies for a tensor that has left its function."""
    innermost = layers.stack[-1] if layers.stack else None
    return innermost.call if isinstance(innermost, FunctionalizeInterpreter) else call_copy


def below() -> DispatchKeyGuard:
    """Return a guard whose calls go past the key Functionalize."""
    return DispatchKeyGuard(excluded=FUNCTIONALIZE)


def wrap(value: Tensor) -> Tensor:
    """Return a tensor as a functional one, unless it is one or stands for a number."""
    return value if value._wrapped_number or type(value) is FunctionalTensor else FunctionalTensor(value)


def unwrap(tensor: Tensor) -> Tensor:
    """Return the value of a functional tensor, brought up to date; any other tensor as it is."""
    if type(tensor) is FunctionalTensor:
        tensor._sync()
        return tensor._value
    return tensor


def functional(arguments: Sequence[Any]) -> list[bool]:
    """Return for each tensor among the arguments of a call, and in the lists among them, whether it is functional."""
    flat = [one for value in arguments for one in (value if isinstance(value, (tuple, list)) else (value,))]
    return [type(one) is FunctionalTensor for one in flat if isinstance(one, Tensor)]


# ---- operators without a write


def pure(entry: OperatorEntry, *arguments: Any) -> Any:
    """Call an operator on the values, and wrap the results if it has a functional tensor, or no tensor at all.

    Source: functionalizeFallback (aten/src/ATen/FunctionalizeFallbackKernel.cpp).
    """
    schema = entry.schema
    assert schema is not None
    if any(returned.annotation for returned in schema.returns):
        raise RuntimeError(ALIASES.format(schema))
    found = functional(arguments)
    with below():
        made = entry.call(*map_arguments(schema, unwrap, arguments))
    return map_results(wrap, made) if any(found) or not found else made


def wrapped(entry: OperatorEntry, tensor: Tensor, *arguments: Any) -> Any:
    """Call an operator whose result is functional whatever its argument is: `lift_fresh` and `_to_copy`."""
    with below():
        return wrap(entry.call(unwrap(tensor), *arguments))


def viewed(entry: OperatorEntry, base: Tensor, *arguments: Any) -> Any:
    """Call a view, and note how it was made. The base is not brought up to date: whoever reads the view does that."""
    with below():
        if type(base) is not FunctionalTensor:
            return entry.call(base, *arguments)
        meta = ViewMeta(short_name(entry), arguments, call_view if entry.name in UNCOPIED else call_of_views())
        made = meta.forward(base._value)
    if isinstance(made, (tuple, list)):
        metas = [(*base._metas, meta._replace(part=number)) for number in range(len(made))]
        return tuple([FunctionalTensor(one, base._storage, path) for one, path in zip(made, metas, strict=True)])
    return FunctionalTensor(made, base._storage, (*base._metas, meta))


def decomposed(entry: OperatorEntry, *arguments: Any) -> Any:
    """Run the kernel of a view that is made of other operators."""
    return entry.redispatch(bits(K.CPU), *arguments)


# ---- operators that write


def view_in_place(entry: OperatorEntry, self: Tensor, *arguments: Any) -> Tensor:
    """Make a tensor a view of what it was, as `t_` does."""
    with below():
        if type(self) is not FunctionalTensor:
            return entry.call(self, *arguments)
        self._view(ViewMeta(short_name(functional_of(entry)), arguments, call_of_views()))
    return self


def written(entry: OperatorEntry, *arguments: Any) -> Any:
    """Call the operator without a write, and replace the values of the tensors that were to be written to.

    Raises:
        RuntimeError: one of them is not functional, though another argument is.
    """
    schema = entry.schema
    assert schema is not None
    pairs = [*zip(schema.arguments, arguments, strict=True)]
    targets = [value for argument, value in pairs if argument.is_write]
    if not all(functional(targets)):
        if any(functional([value for argument, value in pairs if not argument.is_write])):
            raise RuntimeError(NOT_FUNCTIONAL)
        with below():
            return entry.call(*arguments)
    if schema.is_inplace:
        check_in_place(entry, arguments)
    with below():
        made = call_functional(entry, map_arguments(schema, unwrap, arguments), targets[0])
        results = list(made) if isinstance(made, tuple) else [made]
        fresh = [results.pop(0) for returned in schema.returns if not returned.annotation]
        for target, value in zip(targets, results, strict=True):
            target._write(value)
    returned = [*targets[: len(schema.returns) - len(fresh)], *map_results(wrap, fresh)]
    return returned[0] if len(schema.returns) == 1 else tuple(returned) or None


def check_in_place(entry: OperatorEntry, arguments: Sequence[Any]) -> None:
    """Raise the error for sizes and dtypes that an operator in place does not take, as its meta kernel raises it."""
    assert entry.schema is not None
    if "pointwise" in entry.tags:
        sizes = broadcast_shapes(*[value._sizes for value in arguments if isinstance(value, Tensor)])
        if sizes != arguments[0]._sizes:
            given = f"torch.Size({list(arguments[0]._sizes)})"
            raise RuntimeError(f"output with shape {given} doesn't match the broadcast shape {sizes}")
    before, local.state = local.state, BELOW_AUTOGRAD
    try:
        entry.call(*map_arguments(entry.schema, as_meta, arguments))
    finally:
        local.state = before


BELOW_AUTOGRAD = state_of(DEFAULT_INCLUDED, DEFAULT_EXCLUDED).below


def as_meta(tensor: Tensor) -> Tensor:
    """Return a contiguous meta tensor with a tensor's sizes and dtype: how it is laid out refuses no write."""
    return new_tensor(tensor._sizes, contiguous_strides(tensor._sizes), tensor._dtype, META)


def resized(entry: OperatorEntry, self: Tensor, size: Sequence[int], memory_format: Any = None) -> Tensor:
    """Resize a tensor: to a part of its storage, which is a view, or with a new storage.

    Raises:
        RuntimeError: a view, or a tensor with views, would need a new storage.

    Source: resize__functionalization (aten/src/ATen/FunctionalizeFallbackKernel.cpp).
    """
    with below():
        if type(self) is not FunctionalTensor:
            return entry.call(self, size, memory_format)
        made = functional_of(entry).call(unwrap(self), size, memory_format)
        strides = contiguous_strides(tuple(size))
        needed = nbytes_of(tuple(size), strides, self._dtype.itemsize, self._storage_offset)
        if needed <= self._storage.nbytes():
            self._view(ViewMeta("as_strided", (tuple(size), strides, None), call_of_views()))
        elif self._metas or sys.getrefcount(self._storage) > 2:  # the tensor and the call have it, too
            raise RuntimeError(RESIZED_VIEW)
        else:
            self._become_base(made)
    return self


# ---- which kernel and which operator


@functools.cache
def functional_of(entry: OperatorEntry) -> OperatorEntry:
    """Return the operator that returns what another one writes: `add.Tensor` for `add_.Tensor` and for `add.out`.

    It has the same arguments, and perhaps tensor options besides.

    Raises:
        RuntimeError: there is none.
    """
    schema = entry.schema
    assert schema is not None
    given = {argument.name: argument.type for argument in schema.arguments if not argument.is_out}
    base = schema.name.functional
    for name, other in registry.operators.items():
        if name.startswith(f"aten::{base}") and other.schema and not other.schema.is_mutable:
            taken = {argument.name: argument.type for argument in other.schema.arguments}
            same = {argument: type for argument, type in taken.items() if argument in given or argument not in OPTIONS}
            if other.schema.name.base in (base, f"{base}_functional") and same == given:
                return other
    raise RuntimeError(f"{entry.name} writes to its argument, and there is no operator that returns the same instead")


def call_functional(entry: OperatorEntry, arguments: Sequence[Any], target: Tensor) -> Any:
    """Call the operator that returns what another one writes.

    Args:
        entry, arguments: of the other one.
        target: the tensor to be written to, which a factory's result is to be like.
    """
    other = functional_of(entry)
    assert entry.schema is not None and other.schema is not None
    given = {argument.name: value for argument, value in zip(entry.schema.arguments, arguments, strict=True)}
    options = {"dtype": target._dtype, "layout": dtypes.strided, "device": target._storage.device, "pin_memory": None}
    if entry.name in ("aten::cumsum.out", "aten::cumprod.out") and given["dtype"] is None:
        given["dtype"] = target._dtype  # in which they compute
    return other.call(*[{**options, **given}[argument.name] for argument in other.schema.arguments])


def short_name(entry: OperatorEntry) -> str:
    """Return the name of an operator of aten without the namespace."""
    return entry.name.removeprefix("aten::")


UNCOPIED = ("aten::_unsafe_view",)
"""Operators that do as if they were no views, and have no copies."""
BY_NAME: dict[str, Callable[..., Any]] = {
    "aten::_to_copy": wrapped,
    "aten::lift_fresh": wrapped,
    "aten::resize_": resized,
    **dict.fromkeys(UNCOPIED, viewed),
}


@functools.cache
def kernel_of(entry: OperatorEntry) -> Callable[..., Any]:
    """Return the kernel of an operator: f(entry, *arguments)."""
    schema = entry.schema
    assert schema is not None
    is_composite = K.CompositeImplicitAutograd in entry.registered
    if entry.name in BY_NAME:
        return BY_NAME[entry.name]
    if schema.is_mutable and not is_composite and entry.name.startswith("aten::"):
        is_view = "inplace_view" in entry.tags and functional_of(entry).schema.is_view  # type: ignore[union-attr]
        return view_in_place if is_view else written
    if schema.is_view and not schema.is_mutable:
        if is_composite:
            return decomposed
        if short_name(entry) in INVERSES or short_name(entry) in INVERSES_OF_PARTS:
            return viewed
    return pure


def functionalize_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Call an operator by its kernel at the key Functionalize."""
    return kernel_of(entry)(entry, *arguments)


slots.functionalize_fallback.fill(functionalize_fallback)
registry.replace_fallback(K.Functionalize, functionalize_fallback)
