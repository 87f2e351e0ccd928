"""numba's `cuda` module: with a driver the real one, without one numba's simulator. Kernel files import it from here.

    from .driver import cuda

    @cuda.jit
    def kernel(out, x): ...

Inside a kernel the simulator knows a name bound to that module, such as `cuda`, and no other way to it.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple
from weakref import WeakSet

import numba

from .. import dtypes
from ..aten.empty_tensor import cuda_device
from .lazy import found_devices

config: Any = numba.config

SIMULATED = (
    "no GPU with a CUDA driver was found: device 'cuda' runs on numba's simulator, which shows what kernels do and is "
    "slow"
)


def choose_driver() -> bool:
    """Turn on numba's simulator if no GPU is found. NUMBA_ENABLE_CUDASIM, if it is set, decides instead.

    Where another program has imported numba.cuda before, it is imported anew: without a driver that one can do nothing.

    Returns:
        Whether kernels run on the simulator.
    """
    asked = os.environ.get("NUMBA_ENABLE_CUDASIM")
    if asked is not None or found_devices():
        return bool(config.ENABLE_CUDASIM)
    if not config.ENABLE_CUDASIM:
        for name in [name for name in sys.modules if name == "numba.cuda" or name.startswith("numba.cuda.")]:
            del sys.modules[name]
        if "cuda" in vars(numba):
            del numba.cuda
        os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # numba reads it again when it reloads its settings
        config.ENABLE_CUDASIM = 1
        warnings.warn(SIMULATED, stacklevel=2)
    return True


_simulated = choose_driver()
# numba warns of each grid of few blocks, which is what a small tensor has.
config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
from numba import cuda  # noqa: E402

if _simulated:
    from ..memory_trace.simulator import install

    install()  # a block's threads one after another, which takes a tenth of the time


def is_simulated() -> bool:
    """Return True if kernels run on numba's simulator."""
    return _simulated


# ---- what the simulator calls, and what a GPU would

_device_functions: WeakSet[FunctionType] = WeakSet()
_for_gpu: dict[int, tuple[Any, Callable[[], Any]]] = {}  # by id of what the simulator calls


def simulated_device_function(function: Any) -> Any:
    """Return a copy of a Python function, recorded as a device function of the simulator."""
    if not isinstance(function, FunctionType) or is_device_function(function):
        return function
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    for name in ("__kwdefaults__", "__module__", "__qualname__", "__doc__"):
        setattr(made, name, getattr(function, name))
    _device_functions.add(made)
    return made


def is_device_function(function: FunctionType) -> bool:
    """Return True for a Python function that is a device function or an intrinsic of the simulator."""
    return function in _device_functions or id(function) in _for_gpu


def simulates(python: Any, make: Callable[[], Any]) -> Any:
    """Return `python`, which the simulator calls, and register `make`, which makes the intrinsic for a GPU."""
    _for_gpu[id(python)] = python, make
    return python


def intrinsics() -> dict[int, Any]:
    """Return a GPU's intrinsics by the id of the simulator's function; `numba.cuda` must be the module for GPUs."""
    return {key: make() for key, (_, make) in _for_gpu.items()}


def device_count() -> int:
    """Return the number of devices; the simulator counts as one."""
    return 1 if _simulated else found_devices()


class DeviceProperties(NamedTuple):
    """Properties of a GPU: `total_memory` in bytes, and its compute capability `major`.`minor`."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Return the properties of a device; the simulator has the host's memory and one multiprocessor."""
    if _simulated:
        import psutil  # here, since most programs need no properties

        return DeviceProperties(get_device_name(), 5, 0, psutil.virtual_memory().total, 1)
    gpu, (major, minor) = cuda.get_current_device(), cuda.get_current_device().compute_capability
    total = cuda.current_context().get_memory_info().total
    return DeviceProperties(get_device_name(), major, minor, total, gpu.MULTIPROCESSOR_COUNT)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability of a device, (9, 0) for an H100."""
    return get_device_properties()[1:3]


def set_device(device: Any) -> None:
    """Set the device on which tensors are created, of which there is only one.

    Raises:
        RuntimeError: another than the first.
    """
    cuda_device(dtypes.device("cuda", device) if isinstance(device, int) else dtypes.device(device))


@contextmanager
def device(device: Any) -> Iterator[None]:
    """Set the device inside a `with` block."""
    set_device(device)
    yield


def current_device() -> int:
    """Return the index of the device on which tensors are created; the engine uses the first."""
    return 0


def get_device_name(device: object = None) -> str:
    """Return the name of a device, as the driver reports it."""
    if _simulated:
        return "numba's CUDA simulator"
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)
