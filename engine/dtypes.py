"""The plain values that describe a tensor: dtype, device, layout, memory format.

They print as PyTorch's do, because `import engine as torch` runs PyTorch programs.
Mirrors c10/core/{ScalarType,Device,Layout,MemoryFormat}.h and torch/csrc/{Dtype,Device}.cpp.
"""

from typing import Any

import numpy as np

from .backend import BACKENDS


class dtype:
    """The type of an element. The engine has five; PyTorch's others are out of scope.

    `itemsize` is in bytes, `numpy` the NumPy dtype of the same memory.
    """

    __slots__ = ("name", "numpy", "itemsize", "is_floating_point")

    def __init__(self, name: str, numpy: np.dtype):
        self.name = name
        self.numpy = numpy
        self.itemsize = numpy.itemsize
        self.is_floating_point = numpy.kind == "f"

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self is bool_ else self.name


float32 = dtype("float32", np.dtype(np.float32))
float64 = dtype("float64", np.dtype(np.float64))
int32 = dtype("int32", np.dtype(np.int32))
int64 = dtype("int64", np.dtype(np.int64))
bool_ = dtype("bool", np.dtype(np.bool_))

DTYPES = {kind.name: kind for kind in (float32, float64, int32, int64, bool_)}
OF_PYTHON = {bool: bool_, int: int64, float: float64}
ALIASES = {"float": float32, "double": float64, "int": int32, "long": int64}
OF_NUMPY = {kind.numpy: kind for kind in DTYPES.values()}

_default = float32


def get_default_dtype() -> dtype:
    """Return the default dtype, which Python floats become; float32 unless changed."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Set the default dtype, which Python floats become.

    Raises:
        TypeError: `d` is not a floating-point dtype.
    """
    global _default
    if not (isinstance(d, dtype) and d.is_floating_point):
        raise TypeError(f"only floating-point types are supported as the default type, got {d}")
    _default = d


def as_dtype(given: Any, otherwise: Any) -> Any:
    """Return the dtype that an argument names: itself, the one for `bool`, `int` or `float`, or `otherwise` if None.

    Raises:
        TypeError: the argument names no dtype.
    """
    if given is None:
        return otherwise
    if not isinstance(given, dtype):
        if given not in OF_PYTHON:
            raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(given).__name__}")
        return OF_PYTHON[given]
    return given


class device:
    """The device of a storage: "cpu", "meta" (a geometry without memory), or the name of another backend.

    Raises:
        RuntimeError: no such kind of device, or an index that is not a number.
    """

    __slots__ = ("type", "index")

    type: str
    index: int | None

    def __init__(self, type: "str | device", index: int | None = None):
        name = str(type)
        kind, _, number = name.partition(":")
        if kind not in BACKENDS:
            raise RuntimeError(f"Expected one of {', '.join(BACKENDS)} device type at start of device string: {kind}")
        if number and (index is not None or not number.isdigit()):
            raise RuntimeError(f"Invalid device string: '{name}'")
        self.type = kind
        self.index = int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"


class layout:
    """The layout of elements in memory. Only `strided` is in scope."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class memory_format:
    """The order in memory of a new tensor's dimensions."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


CPU = device("cpu")
META = device("meta")
CUDA = device("cuda", 0)
strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
channels_last = memory_format("channels_last")
preserve_format = memory_format("preserve_format")
