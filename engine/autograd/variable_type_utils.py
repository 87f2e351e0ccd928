"""Functions that generated kernels and nodes call, besides the nodes and variables themselves."""

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from ..strides import Ints
from ..tensor_impl import Tensor
from . import variable
from .node import Edge, Gradients, Node
from .saved_variable import FREED_VARIABLE, SavedVariable
from .variable import CreationMeta


class NotImplemented(Node):
    """The backward of an operator whose derivative is not implemented: it raises an error.

    Args:
        operator: its name.
    """

    __slots__ = ("operator",)
    namespace = "torch::autograd::"

    def __init__(self, operator: str, next_edges: tuple[Edge | None, ...]):
        super().__init__(next_edges)
        self.operator = operator

    def apply(self, grads: Gradients, needs: Sequence[Any]) -> NoReturn:
        raise RuntimeError(f"derivative for aten::{self.operator} is not implemented")


def any_requires_grad(tensors: Iterable[Tensor | None] | None) -> bool:
    """Return True if any tensor of a list, or the tensor given for an optional argument, requires grad."""
    if isinstance(tensors, Tensor):
        return variable.requires_grad(tensors)
    for tensor in tensors or ():  # noqa: SIM110 (a generator would cost as much as all else here)
        if tensor is not None and tensor._autograd_meta is not None and variable.requires_grad(tensor):
            return True
    return False


def check_no_requires_grad(tensors: Any, name: str, operator: str) -> None:
    """Raise an error if an argument that an operator has no derivative for requires grad.

    Args:
        tensors: a tensor, None, or a list of them.
    Raises:
        RuntimeError: it requires grad.
    """
    if any_requires_grad(tensors):
        raise RuntimeError(
            f"The function '{operator}' is not differentiable with respect to argument '{name}'. This input cannot "
            "have requires_grad True."
        )


def refuse_out(operator: str) -> NoReturn:
    """Raise an error, since autograd does not support `out=`."""
    raise RuntimeError(
        f"{operator}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad."
    )


def save_list(tensors: Iterable[Tensor | None] | None) -> tuple[SavedVariable, ...]:
    """Return a SavedVariable for each tensor of a list."""
    return tuple(SavedVariable(tensor) for tensor in tensors or ())


def unpack_list(saved: Any, node: Node) -> list[Tensor | None] | None:
    """Return the tensors that `save_list` saved, or None if they were not needed."""
    if saved is None:
        return None
    if saved is FREED_VARIABLE:
        FREED_VARIABLE.unpack(node)
    return [one.unpack(node) for one in saved]


def sizes_of(tensors: Iterable[Tensor]) -> list[Ints]:
    """Return the sizes of each tensor of a list."""
    return [tensor._sizes for tensor in tensors]


def dtypes_of(tensors: Iterable[Tensor]) -> list[Any]:
    """Return the dtype of each tensor of a list."""
    return [tensor._dtype for tensor in tensors]


def as_views(base: Tensor, views: Iterable[Tensor]) -> None:
    """Record that one operator made all `views` of `base`, so that recorded in-place writes to them are refused.

    Source: as_view for lists (torch/csrc/autograd/VariableTypeUtils.h).
    """
    now = variable.current_creation_meta()
    creation_meta = CreationMeta.MULTI_OUTPUT_NODE if now is CreationMeta.DEFAULT else now
    for view in views:
        variable.as_view(base, view, creation_meta)


# ---- the assertions of a debug build


def metadata_of(*tensors: Any) -> list[tuple[Any, ...]]:
    """Return the storage, geometry and dtype of each tensor, with lists flattened."""
    flat = (one for tensor in tensors for one in (tensor if isinstance(tensor, (tuple, list)) else (tensor,)))
    return [
        (tensor._storage, tensor._sizes, tensor._strides, tensor._storage_offset, tensor._dtype)
        for tensor in flat
        if tensor is not None
    ]


def assert_unchanged(operator: str, before: list[Any], after: list[Any], result: Any, kind: str) -> None:
    """Check that the kernel below autograd kept the storage and geometry of its inputs, and returned no hidden alias.

    Args:
        before, after: `metadata_of` the inputs.
        kind: "view", "inplace", "inplace_view" or "".
    Raises:
        AssertionError: it does.

    Source: ENFORCE_SAME_TENSOR_STORAGE and its neighbors (tools/autograd/gen_variable_type.py).
    """
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old[0] is not new[0]:
            raise AssertionError(f"{operator}: tensor input {number} has another storage after the call")
        if kind != "inplace_view" and old[1:] != new[1:]:
            raise AssertionError(f"{operator}: tensor input {number} was {old[1:]} and is {new[1:]} after the call")
    if not kind:
        storages = {id(old[0]) for old in before}
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, Tensor) and id(tensor._storage) in storages:
                raise AssertionError(f"{operator}: the result shares memory with an input; its schema says no view")
