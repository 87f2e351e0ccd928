"""`Tensor(2, 3)`, `Tensor([1.5, 2])`, `LongTensor([1, 2])`: the constructors that came before `tensor` and `empty`.

Mirrors legacy_tensor_ctor (torch/csrc/utils/tensor_new.cpp) and torch/csrc/tensor/python_tensor.cpp.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes, slots
from ..dispatch.keys import KEY_SETS
from ..storage import UntypedStorage
from ..tensor_impl import Size, Tensor
from . import tensor_new
from .at import at
from .empty_tensor import as_inference
from .python_arg_parser import PythonArgParser

SIGNATURES = (
    "new(*, Device? device=None)",
    "new(Tensor other)",
    "new(SymInt[] size, *, Device? device=None)",
    "new(PyObject data, *, Device? device=None)",
)
parser, data_parser = PythonArgParser(*SIGNATURES), PythonArgParser(SIGNATURES[3])


def construct(kind: dtypes.dtype | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Return the tensor that a legacy constructor makes from nothing, a tensor, sizes, a sequence or a storage.

    Args:
        kind: the dtype that the constructor's name says; None: the default one, or the dtype of a tensor.
    Raises:
        TypeError: other arguments, or a tensor of another dtype.
        RuntimeError: another device than the CPU; a number does not fit the dtype.
    """
    scalar_type = kind or dtypes.get_default_dtype()
    if len(args) == 1 and isinstance(args[0], UntypedStorage):
        count = args[0].nbytes() // scalar_type.itemsize
        return as_inference(Tensor(args[0], (count,), (1,), 0, scalar_type, KEY_SETS[args[0].device.type]))
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], Size):
        which, values = 3, data_parser.parse(args, kwargs)[1]
    else:
        which, values = parser.parse(args, kwargs)
    device = values[-1] if which != 1 else None
    if device is not None and device.type != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {device.type} was passed")
    if which == 0:
        return at.empty_memory_format((0,), scalar_type)
    data = args[0] if args else values[0]
    if which == 1:
        if kind and data._dtype is not kind:
            raise TypeError(f"expected a tensor of dtype {kind} (got one of {data._dtype})")
        return at.alias(data)
    if which == 2 and (not args or isinstance(data, Size) or not isinstance(data, (list, tuple))):
        return at.empty_memory_format(values[0], scalar_type)
    return tensor_new.below_autograd(_of_sequence, data, scalar_type)


def _of_sequence(data: Any, scalar_type: dtypes.dtype) -> Tensor:
    if isinstance(data, str):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not isinstance(data, (Sequence, np.ndarray)):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    return tensor_new.as_tensor(data, dtype=scalar_type)


class tensortype(type):
    """The metaclass of `FloatTensor` and similar constructors, whose instances are the CPU tensors of one dtype."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        return construct(cls.dtype, args, kwargs)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance._dtype is cls.dtype and instance._storage.device.type == "cpu"


def _tensortype(name: str, kind: dtypes.dtype) -> tensortype:
    about = f"Construct a tensor of {kind} from sizes, a sequence, an array or a tensor of that dtype."
    return tensortype(name, (), {"dtype": kind, "__module__": __name__, "__doc__": about})


TYPES = {name: _tensortype(name, kind) for kind in dtypes.DTYPES.values() for name in (f"{kind.scalar_type}Tensor",)}
"""Public name -> constructor."""

(
    BoolTensor, ByteTensor, CharTensor, ShortTensor, IntTensor, LongTensor, HalfTensor, BFloat16Tensor, FloatTensor,
    DoubleTensor,
) = TYPES.values()  # fmt: skip


def fill(self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Initialize an instance of Tensor or of a subclass with the tensor that `construct` returns."""
    self._become(construct(None, args, kwargs))
    if type(self).__torch_dispatch__ is not Tensor.__torch_dispatch__:  # type: ignore[attr-defined]
        slots.add_keys(self)


slots.legacy_constructor.fill(fill)
