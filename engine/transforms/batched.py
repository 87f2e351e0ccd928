"""Tensors with a hidden dimension, and the layer of vmap, whose kernels work on them.

Mirrors aten/src/ATen/functorch/{BatchedTensorImpl,VmapInterpreter}.cpp.
"""

from collections.abc import Sequence
from typing import Any

from ..aten.at import at
from ..dispatch.keys import KEY_SETS
from ..tensor_impl import Tensor
from .grad_wrapper import AD_KEYS, PROPAGATED, WrapperTensor, indented, storage_of
from .interpreters import BATCHED, VMAP_MODE, Interpreter

OF_BATCHED = KEY_SETS["cpu"] & AD_KEYS | BATCHED
_new = object.__new__


class BatchedTensor(WrapperTensor):
    """A tensor one of whose dimensions, the batch dimension, is hidden from a function under vmap.

    Args:
        value: with the batch dimension.
        bdim: which of the value's dimensions that is; not negative.
        level: of the layer of vmap.
    """

    __slots__ = ("_bdim",)
    _bdim: int
    _type_name = "BatchedTensorImpl"

    def __new__(cls, value: Tensor, bdim: int, level: int) -> "BatchedTensor":
        made: Any = _new(cls)  # field by field, without the frames of constructors
        sizes, strides = value._sizes, value._strides
        made._storage = storage_of(value)
        made._sizes, made._strides = sizes[:bdim] + sizes[bdim + 1 :], strides[:bdim] + strides[bdim + 1 :]
        made._storage_offset, made._dtype = value._storage_offset, value._dtype
        made._key_set = value._key_set & PROPAGATED | OF_BATCHED
        made._elements = made._version_counter = made._autograd_meta = None
        made._wrapped_number, made._value, made._level, made._bdim = value._wrapped_number, value, level, bdim
        return made

    def _alias(self, sizes: tuple[int, ...], strides: tuple[int, ...], storage_offset: int) -> Tensor:
        """Raise the error of what would give a tensor under vmap a history of its own."""
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    def _take(self, value: Tensor, bdim: int) -> None:
        """Stand for another value, as after an operator that changes a geometry in place."""
        sizes, strides = value._sizes, value._strides
        self._sizes, self._strides = sizes[:bdim] + sizes[bdim + 1 :], strides[:bdim] + strides[bdim + 1 :]
        self._value, self._bdim, self._storage_offset = value, bdim, value._storage_offset

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"BatchedTensor(lvl={self._level}, bdim={self._bdim}, value=\n{indented(self._value)}\n)"


class VmapInterpreter(Interpreter):
    """The layer of vmap.

    Args:
        batch_size: size of the hidden dimension.
        randomness: "error", "same" or "different".
    """

    own, included = BATCHED, VMAP_MODE

    def __init__(self, batch_size: int, randomness: str = "error"):
        super().__init__()
        self.batch_size, self.randomness = batch_size, randomness


def unwrap(value: Any, level: int) -> tuple[Any, int | None]:
    """Return the value of a tensor of a level and its batch dimension; anything else, and None."""
    if type(value) is BatchedTensor and value._level == level:
        return value._value, value._bdim
    return value, None


def unwrapped(arguments: Sequence[Any], level: int) -> tuple[list[Any], list[Any]]:
    """Return the arguments of a call with the values of the batched tensors, and where each has its batch dimension.

    Args:
        arguments: all of a call; tensors may be in lists and tuples among them.
        level: tensors of other levels are left as they are.
    Returns:
        (values, batch dimensions), lists as long as `arguments`. A list with tensors in it gives a tuple in both.
        The batch dimension of what has none is None.
    """
    values: list[Any] = []
    bdims: list[Any] = []
    for argument in arguments:
        value: Any
        bdim: Any
        if type(argument) in (tuple, list) and any(isinstance(one, Tensor) for one in argument):
            value, bdim = zip(*[unwrap(one, level) for one in argument], strict=True)
        else:
            value, bdim = unwrap(argument, level)
        values.append(value)
        bdims.append(bdim)
    return values, bdims


def wrapped(result: Any, bdim: Any, level: int) -> Any:
    """Return the results of a rule with their batch dimensions hidden; `bdim` is of each, or one for all of them."""
    if isinstance(result, (tuple, list)):
        bdims = bdim if isinstance(bdim, (tuple, list)) else (bdim,) * len(result)
        return tuple([wrapped(one, dim, level) for one, dim in zip(result, bdims, strict=True)])
    return BatchedTensor(result, bdim, level) if bdim is not None and isinstance(result, Tensor) else result


# ---- values with the batch dimension first


def front(x: Tensor, bdim: int | None) -> Tensor:
    """Return a value with the batch dimension first; as it is without one."""
    return at.movedim_int(x, bdim, 0) if bdim else x


def expanded(x: Tensor, bdim: int | None, size: int) -> Tensor:
    """Return a value with the batch dimension first; without one, expanded to `size` samples."""
    return at.expand(x, (size, *x._sizes)) if bdim is None else front(x, bdim)


def padded(x: Tensor, bdim: int | None, ndim: int) -> Tensor:
    """Return a value with the batch dimension first and ones after it, so that samples have `ndim` dimensions.

    One without a batch dimension broadcasts as it is.
    """
    if bdim is None or len(x._sizes) > ndim:
        return front(x, bdim)
    sizes = front(x, bdim)._sizes
    return at.view(front(x, bdim), (sizes[0], *(1,) * (ndim + 1 - len(sizes)), *sizes[1:]))
