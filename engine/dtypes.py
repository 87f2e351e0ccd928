"""The plain values that describe a tensor: dtype, device, layout, memory format.

They print as PyTorch's do, because `import engine as torch` runs PyTorch programs.
Mirrors c10/core/{ScalarType,Device,Layout,MemoryFormat}.h and torch/csrc/{Dtype,Device}.cpp.
"""

from typing import Any

import numpy as np

from . import slots
from .backend import BACKENDS

BOOLEAN, INTEGRAL, FLOATING, COMPLEX = range(4)
"""Categories of dtypes: an operand of a lower rank lifts a result to its category only."""


class dtype:
    """The type of an element: a row of the table below. PyTorch's other dtypes are out of scope.

    `itemsize` is in bytes, `numpy` the NumPy dtype of the same memory, `category` one of the above. A half is in memory
    as uint16, because compiled code has no such numbers; `storage` is `numpy`, but asking for it loads nothing.
    Errors name a dtype by `scalar_type`, "Long", as constructors do (c10::toString), by `cpp_name`, the C++ type of an
    element (caffe2::TypeMeta), or, if a number overflows, by `macro_name` (AT_FORALL_SCALAR_TYPES). A floating dtype
    has `digits` bits in its significand, and `largest` is its largest finite number, almost 2**most.
    """

    __slots__ = (
        "name", "storage", "numpy", "itemsize", "category", "scalar_type", "cpp_name", "macro_name", "digits",
        "largest", "is_floating_point", "is_complex", "is_signed",
    )  # fmt: skip

    def __init__(
        self, name: str, storage: Any, category: int, scalar_type: str, cpp_name: str, macro_name: str,
        digits: int = 0, most: int = 0,
    ):  # fmt: skip
        self.name, self.storage, self.category = name, np.dtype(storage), category
        self.scalar_type, self.cpp_name, self.macro_name = scalar_type, cpp_name, macro_name
        self.digits, self.largest = digits, float(2**most - 2 ** (most - digits))
        self.is_floating_point, self.is_complex = category == FLOATING, category == COMPLEX
        self.is_signed = name not in ("bool", "uint8")
        if category != COMPLEX:
            self.itemsize = self.storage.itemsize
            if self.is_floating_point == (self.storage.kind == "f"):  # not a half
                self.numpy = self.storage

    def __getattr__(self, attribute: str) -> Any:
        """Return `numpy` of a half, which is asked for first here: that loads the kernels for halves.

        Raises:
            NotImplementedError: `numpy` or `itemsize` of a complex dtype.
        """
        if attribute not in ("numpy", "itemsize"):
            raise AttributeError(f"'torch.dtype' object has no attribute '{attribute}'")
        if self.is_complex:
            raise NotImplementedError(f"{self} is not implemented: the engine has no complex numbers")
        slots.load_half_kernels()  # first: another thread that finds `numpy` may call a kernel
        self.numpy = self.storage
        return self.storage

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self is bool_ else self.name


# fmt: off
_ROWS = (  # in the order of promotion, but for the pairs that `type_promotion` names
    dtype("bool",     np.bool_,   BOOLEAN,  "Bool",     "bool",          "bool"),
    dtype("uint8",    np.uint8,   INTEGRAL, "Byte",     "unsigned char", "uint8_t"),
    dtype("int8",     np.int8,    INTEGRAL, "Char",     "signed char",   "int8_t"),
    dtype("int16",    np.int16,   INTEGRAL, "Short",    "short int",     "int16_t"),
    dtype("int32",    np.int32,   INTEGRAL, "Int",      "int",           "int"),
    dtype("int64",    np.int64,   INTEGRAL, "Long",     "long int",      "int64_t"),
    dtype("float16",  np.uint16,  FLOATING, "Half",     "c10::Half",     "c10::Half",     11, 16),
    dtype("bfloat16", np.uint16,  FLOATING, "BFloat16", "c10::BFloat16", "c10::BFloat16", 8, 128),
    dtype("float32",  np.float32, FLOATING, "Float",    "float",         "float",         24, 128),
    dtype("float64",  np.float64, FLOATING, "Double",   "double",        "double",        53, 1024),
)
complex64 =  dtype("complex64",  np.complex64,  COMPLEX, "ComplexFloat",  "c10::complex<float>",  "")
complex128 = dtype("complex128", np.complex128, COMPLEX, "ComplexDouble", "c10::complex<double>", "")
# fmt: on
bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64 = _ROWS
HALVES = (float16, bfloat16)
BESIDE = {kind: dtype("float32", np.float32, FLOATING, kind.scalar_type, kind.cpp_name, "") for kind in HALVES}
"""Half -> the dtype of a number that is the second input of its kernels and not rounded yet; programs don't see it."""
COMPLEXES = {"complex64": complex64, "complex128": complex128, "cfloat": complex64, "cdouble": complex128}
"""The names that programs compare dtypes with; a call that is given one is refused."""

DTYPES = {kind.name: kind for kind in _ROWS}
OF_SCALAR_TYPE = {kind.scalar_type: kind for kind in _ROWS}
OF_PYTHON = {bool: bool_, int: int64, float: float64}
ALIASES = {name.lower(): OF_SCALAR_TYPE[name] for name in ("Half", "Float", "Double", "Short", "Int", "Long")}
OF_NUMPY = {np.dtype(name): kind for name, kind in DTYPES.items() if kind is not bfloat16}

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
        NotImplementedError: it names a complex one.
    """
    if given is None:
        return otherwise
    if not isinstance(given, dtype):
        if given not in OF_PYTHON:
            raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(given).__name__}")
        return OF_PYTHON[given]
    return given if given.itemsize else otherwise  # a complex one refuses to have a size


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
