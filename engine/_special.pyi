# Written by `python -m engine.utils.pyi`; do not edit.
# mypy: disable-error-code="misc, overload-overlap"
from builtins import bool as _bool, float as _float, int as _int, str as _str
from collections.abc import Sequence
from typing import Any, Literal, overload

from . import _return_types
from ._tensor_base import DeviceLike, Number
from .dtypes import device as _device, dtype as _dtype, layout as _layout, memory_format as _memory_format
from .aten.generator import Generator
from .tensor_impl import Tensor

def special_logsumexp(input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
