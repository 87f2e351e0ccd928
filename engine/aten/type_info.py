"""torch.finfo and torch.iinfo: the numbers that a dtype can hold. Mirrors torch/csrc/TypeInfo.cpp."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import dtypes


def limits_of_half(half: dtypes.dtype, resolution: float, tiny: float) -> SimpleNamespace:
    """Return what NumPy's finfo would say of a half: it has no bfloat16, and rounds the numbers of float16 to it."""
    limits = {"resolution": resolution, "tiny": tiny, "smallest_normal": tiny, "eps": 2.0 ** (1 - half.digits)}
    return SimpleNamespace(min=-half.largest, max=half.largest, **limits)


OF_HALVES = {
    dtypes.float16: limits_of_half(dtypes.float16, 0.001, 2.0**-14),
    dtypes.bfloat16: limits_of_half(dtypes.bfloat16, 0.01, 2.0**-126),
}


class _TypeInfo:
    __slots__ = ("dtype", "bits", "_numpy")

    SHOWN: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._numpy, name)
        return value if isinstance(value, int) else float(value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.dtype == other.dtype  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name):g}" for name in self.SHOWN)
        return f"{type(self).__name__}({shown}, dtype={self.dtype})"


class finfo(_TypeInfo):
    """The limits of a floating-point dtype: `eps`, `max`, `min`, `tiny`, `smallest_normal`, `resolution`, `bits`.

    Raises:
        TypeError: `type` is another dtype, or none.
    """

    __slots__ = ()

    SHOWN = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    def __init__(self, type: Any = None):
        scalar_type = _as_dtype("finfo", dtypes.get_default_dtype() if type is None else type)
        if not scalar_type.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        limits = OF_HALVES.get(scalar_type) or np.finfo(scalar_type.storage)
        self.dtype, self.bits, self._numpy = scalar_type.name, scalar_type.itemsize * 8, limits


class iinfo(_TypeInfo):
    """The limits of an integer dtype: `max`, `min`, `bits`.

    Raises:
        TypeError: `type` is another dtype, or none.
    """

    __slots__ = ()

    SHOWN = ("min", "max")

    def __init__(self, type: Any):
        scalar_type = _as_dtype("iinfo", type)
        if scalar_type.is_floating_point:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if scalar_type is dtypes.bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        self.dtype, self.bits, self._numpy = scalar_type.name, scalar_type.itemsize * 8, np.iinfo(scalar_type.storage)


def _as_dtype(name: str, given: Any) -> dtypes.dtype:
    if not isinstance(given, dtypes.dtype):
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {type(given).__name__}")
    return given
