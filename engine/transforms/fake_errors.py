"""The errors of calls with fake tensors. Mirrors torch/_subclasses/fake_tensor.py."""

import re
from collections.abc import Callable, Sequence
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

from .._ops import OpOverload, Tag, ops
from ..aten.structured import CPP_NAMES
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dtypes import bool_, int32, int64
from ..dtypes import device as Device
from ..strides import infer_size
from ..tensor_impl import Size, Tensor
from .nested import tensors_in


class FakeTensorDeviceMismatchError(RuntimeError):
    """Tensors of a call are on several devices."""

    def __init__(self, func: OpOverload, common_device: Device, device: Device):
        self.func, self.common_device, self.device = func, common_device, device
        super().__init__(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{common_device} and {device}!"
        )


BASES = (RuntimeError,)
UnsupportedFakeTensorException: Any = make_dataclass("UnsupportedFakeTensorException", ["reason"], bases=BASES)
DataDependentOutputException: Any = make_dataclass("DataDependentOutputException", ["func"], bases=BASES)
DynamicOutputShapeException: Any = make_dataclass("DynamicOutputShapeException", ["func"], bases=BASES)
UnsupportedOperatorException: Any = make_dataclass("UnsupportedOperatorException", ["func"], bases=BASES)


def check_call(func: OpOverload, args: Any, kwargs: Any) -> None:
    """Raise the error of PyTorch's fake kernels (fake_impls.py), where the kernels for meta tensors raise none.

    Raises:
        DataDependentOutputException, DynamicOutputShapeException: the result, or its sizes, depends on elements.
        RuntimeError: dtypes or devices don't fit.
    """
    name = func._opname
    if name == "convolution" and args[0].dtype is not args[1].dtype:
        raise RuntimeError(f"Input type ({args[0].dtype}) and weight type ({args[1].dtype}) should be the same")
    if name == "nll_loss_forward" and args[1].dtype not in (int32, int64):
        raise RuntimeError(f"gather(): Expected dtype int32/int64 for index, but got {args[1].dtype}")
    if name in ("index_put", "index_put_") and args[2].device != args[0].device and args[2].dim():
        devices = f"self ({args[0].device}) and values ({args[2].device})"
        raise RuntimeError(f"Mismatching {func} device between {devices}")
    if Tag.data_dependent_output in func.tags:
        raise DataDependentOutputException(func)
    if name == "index" and any(index.dtype is bool_ for index in tensors_in(args[1])):
        raise DynamicOutputShapeException(ops.aten.nonzero.default)
    if name != "index" and Tag.dynamic_output_shape in func.tags and kwargs.get("output_size") is None:
        raise DynamicOutputShapeException(func)


def unequal(fakes: Sequence[Tensor], common: Sequence[int] = ()) -> str:
    """Return the text of _broadcast_shapes (torch/_refs) for sizes that don't broadcast, or not to `common`."""
    sizes = [*common] or [1] * max(fake.dim() for fake in fakes)
    for number, fake in enumerate(fakes, bool(common)):
        for dim in range(-1, -1 - fake.dim(), -1):
            size = fake.shape[dim]
            if size != 1 and sizes[dim] not in (1, size):
                return (
                    f"Attempting to broadcast a dimension of length {size} at {dim}! Mismatching argument at index "
                    f"{number} had {fake.shape}; but expected shape should be broadcastable to {sizes}"
                )
            sizes[dim] = size if sizes[dim] == 1 else sizes[dim]
    raise AssertionError("they do")


def unlike(a: Sequence[int], b: Sequence[int], cat_dim: int) -> int:
    """Return the first dimension, other than `cat_dim`, in which two tensors' sizes differ."""
    return next(dim for dim, sizes in enumerate(zip(a, b, strict=True)) if dim != cat_dim and sizes[0] != sizes[1])


NAMES: dict[str, Callable[[re.Match, Any, Sequence[Tensor]], Any]] = {
    "broadcast": lambda found, args, fakes: unequal(fakes),
    "indices": lambda found, args, fakes: unequal(fakes[1:]),
    "summand": lambda found, args, fakes: unequal(fakes[:1], [int(found[1]), int(found[2])]),
    "dimension": lambda found, args, fakes: unlike(fakes[0].shape, fakes[int(found[6])].shape, int(found[2])),
    "number": lambda found, args, fakes: [fake.dim() for fake in fakes].index(int(found[2])),
    "shape and strides": lambda found, args, fakes: f"shape {fakes[0].shape} and strides {fakes[0].stride()}",
    "viewed": lambda found, args, fakes: tuple(infer_size(args[1], fakes[0].numel())),
}
"""Placeholder in fake_texts.txt -> function that fills it in: (match, arguments of the operator, their tensors)."""
DTYPES = {name: kind for names in (SCALAR_TYPE_NAMES, CPP_NAMES) for kind, name in names.items()}
KINDS = {kind.__name__: kind for kind in (AssertionError, RuntimeError, ValueError)}
ROWS = Path(__file__).with_name("fake_texts.txt").read_text(encoding="utf-8").splitlines()
TEXTS = [row.split(" => ") for row in ROWS if not row.startswith("#")]


def reworded(error: Exception, func: OpOverload, args: Any, fakes: Sequence[Tensor]) -> Exception:
    """Return an error of a kernel for meta tensors as PyTorch words it for fake tensors."""
    found: Any = None

    def spelled(braced: re.Match) -> str:
        name = braced[1]
        if name in NAMES:
            return str(NAMES[name](found, args, fakes))
        if name[0] in "[(":
            sizes = tuple(map(int, re.findall(r"\d+", name)))
            return str(Size(sizes) if name[0] == "[" else sizes)
        return str(DTYPES.get(name) or fakes[int(name)].dtype)

    for pattern, text in TEXTS:
        if found := re.match(pattern, f"{func._opname}: {error}"):
            kind, _, rest = text.partition(": ")
            text = re.sub(r"\{(.*?)\}", spelled, found.expand(rest if kind in KINDS else text))
            return KINDS.get(kind, type(error))(text)
    return error
