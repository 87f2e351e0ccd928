"""The start of CUDA: at the first CUDA tensor, not at `import engine`. Mirrors torch.cuda._lazy_init.

What a program without CUDA never needs is not imported: numba.cuda, its simulator, and the kernels.
"""

import ctypes
import functools
import importlib
import os
import sys
import threading
from typing import Any

from .. import layers
from ..backend import BACKENDS

_lock = threading.RLock()
_state = {"initialized": False}


def is_initialized() -> bool:
    """Return True if the kernels are loaded."""
    return _state["initialized"]


def initialize() -> None:
    """Choose the driver or the simulator, and register all kernels, once per process."""
    with _lock:
        if _state["initialized"]:
            return
        _state["initialized"] = True
        try:
            for module in layers.at_first_use("cuda"):
                importlib.import_module(f"{layers.__package__}.{module}")
            if half_kernels := sys.modules.get(f"{layers.__package__}.cpu.half_kernels"):
                half_kernels.load_half_kernels()
        except BaseException:
            _state["initialized"] = False
            raise


def is_available() -> bool:
    """Return True if there is a GPU with a driver. Without one, "cuda" works on the simulator, which is slow."""
    return found_devices() > 0 and os.environ.get("NUMBA_ENABLE_CUDASIM", "0") != "1"


@functools.cache
def found_devices() -> int:
    """Return the number of GPUs that the CUDA driver reports; 0 without it. Calls the driver's library, not numba."""
    name = {"win32": "nvcuda.dll", "darwin": "libcuda.dylib"}.get(sys.platform, "libcuda.so.1")
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return 0
    return count.value


def address_of(cells: Any) -> int:
    """Return the address of the first byte of a device array, which the simulator keeps in host memory."""
    pointer = getattr(cells, "device_ctypes_pointer", None)
    return pointer.value if pointer is not None else cells.ctypes.data


def allocate(nbytes: int) -> Any:
    """Initialize CUDA, then return uninitialized device memory from `memory.allocate`."""
    initialize()
    return importlib.import_module(f"{__package__}.memory").allocate(nbytes)


_row = BACKENDS["cuda"]
_row.allocate, _row.address, _row.load_kernels = allocate, address_of, initialize
PUBLIC = {"cuda": importlib.import_module(__package__)}
