"""The table that all compiled functions here read: objects by their addresses, and where fields are.

Offsets in objects are found by looking (`probed`), so no layout of any version of Python or NumPy is written down; a
probe that fails leaves replay off. A compiled function has its offsets as constants, so its name in numba's disk cache
holds a digest of them.
"""

import contextlib
import hashlib
import platform
import sys
import sysconfig
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import dtypes
from ..aten import empty_tensor
from ..cpu.parallel import pool
from ..dispatch.keys import KEY_SETS
from ..dtypes import CPU
from ..nn.parameter import Parameter
from ..storage import UntypedStorage
from ..tensor_impl import Tensor, VersionCounter
from .objects import numpy_function, offsets_of_slots, words_of

ARCHITECTURES = ("x86_64", "aarch64")  # whose ABI `kernel_call` relies on
NEW_FROM_DESCR, SET_BASE_OBJECT = 94, 282  # PyArray_NewFromDescr, PyArray_SetBaseObject
TYPE = 8  # the offset of an object's class, behind its reference count


class LayoutError(Exception):
    """Raised if the memory layout of Python or NumPy is not as expected."""


def woken_pool() -> int:
    """Return the thread pool for a job of any size; 0 if kernels use one thread."""
    return pool(1 << 60)


def require(is_so: bool, what: str) -> None:
    """Raise LayoutError unless `is_so`."""
    if not is_so:
        raise LayoutError(what)


def probed() -> dict[str, dict[str, int]]:
    """Return the byte offsets of fields, found by probing: class -> field -> offset.

    Raises:
        LayoutError: a field was not found, or the platform is not known.
    """
    require(platform.machine() in ARCHITECTURES and sys.platform == "linux", f"on {platform.machine()}, {sys.platform}")
    require(sys.implementation.name == "cpython", "not CPython")
    require(not sysconfig.get_config_var("Py_GIL_DISABLED"), "a free-threaded Python")
    array = np.arange(3.0)
    for value in (array, Tensor, CPU, (1, 2), 1.5):
        require(words_of(value, 2)[1] == id(type(value)), "the class of an object")
    try:
        found = {cls.__name__: offsets_of_slots(cls) for cls in (Tensor, Parameter, UntypedStorage, VersionCounter)}
        data = words_of(array, np.ndarray.__basicsize__ // 8).index(array.ctypes.data)
    except ValueError as error:
        raise LayoutError(f"a field of an object: {error}") from error
    require(found[Tensor.__name__].items() <= found[Parameter.__name__].items(), "the slots of a subclass")
    require({*found[Tensor.__name__], "__weakref__"} == {*Tensor.__slots__}, "the slots of a tensor")
    return {**found, "ndarray": {"data": 8 * data}}


try:
    OFFSETS, UNKNOWN = probed(), ""
except LayoutError as _error:  # the files that compile need numbers all the same, and are never run
    OFFSETS, UNKNOWN = {}, str(_error)


def _offset(cls: str, field: str) -> int:
    return OFFSETS.get(cls, {}).get(field, 0)


STORAGE, SIZES, STRIDES, OFFSET, DTYPE, KEYS, ELEMENTS, VERSION, NUMBER, META = (
    _offset("Tensor", field)
    for field in ("_storage", "_sizes", "_strides", "_storage_offset", "_dtype", "_key_set", "_elements",
                  "_version_counter", "_wrapped_number", "_autograd_meta")
)  # fmt: skip
CELLS, NBYTES, DEVICE, RESIZABLE = (
    _offset("UntypedStorage", field) for field in ("_cells", "_nbytes", "device", "_resizable")
)
COUNT = _offset("VersionCounter", "value")
DATA = _offset("ndarray", "data")
DIGEST = hashlib.sha256(repr(sorted(OFFSETS.items())).encode()).hexdigest()[:16]

# ---- the table

_GLOBALS = (vars(empty_tensor), "inference_modes", vars(dtypes), "_default")
_OBJECTS: dict[str, Any] = {
    "tensor": Tensor, "parameter": Parameter, "storage": UntypedStorage, "counter": VersionCounter, "array": np.ndarray,
    "cpu_keys": KEY_SETS["cpu"], "cpu": CPU, "pool": woken_pool, "none": None, "false": False, "true": True, "zero": 0,
    "int": int, "float": float, "bool": bool, "tuple": tuple, "str": str, "float32": dtypes.float32,
    "kind": dtypes.dtype, "layout": dtypes.layout, "memory_format": dtypes.memory_format,
    **dict(zip(("of_modes", "modes", "of_default", "default"), _GLOBALS, strict=True)),
}  # fmt: skip
_NAMES = (*_OBJECTS, "new_array", "set_base", "paused", "trial", "pattern")
AT: Any = namedtuple("At", _NAMES)(*range(0, 8 * len(_NAMES), 8))  # type: ignore[misc]
"""The offsets in `common`, by name: of an object's address, of two functions of NumPy, of three switches."""

common = np.zeros(len(AT), np.int64)
common[: len(_OBJECTS)] = [id(value) for value in _OBJECTS.values()]


def fill() -> None:
    """Fill in the addresses that may be looked up only after the probes have succeeded."""
    common[AT.new_array // 8] = numpy_function(NEW_FROM_DESCR)
    common[AT.set_base // 8] = numpy_function(SET_BASE_OBJECT)


@contextlib.contextmanager
def switched(name: str, value: int = 1) -> Iterator[None]:
    """Turn a switch on inside the block. One thread at a time may do this.

    Args:
        name: "paused", and every call of every thread goes to Python; or "trial", with a thread's `thread_state`: it
            may use plans that are on trial, and each byte of new tensors is the "pattern".
    """
    place = getattr(AT, name) // 8
    try:
        common[place] = value
        yield
    finally:
        common[place] = 0
