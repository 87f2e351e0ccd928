"""The backends: kinds of devices, one row each. Dispatch keys, devices, storages and generated kernels come from here.

    Backend("CUDA", 1, "cuda")      the keys CUDA and AutogradCUDA, bit 1 of a key set, T.device("cuda")

A row says what a backend is; the layer that implements it fills in what it does: `BACKENDS["cuda"].allocate = ...`.
docs/adding-a-backend-or-a-key.md adds one.
Mirrors c10/core/DeviceType.h and BackendComponent in c10/core/DispatchKey.h.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Backend:
    """A kind of device, such as CPU or CUDA, with its dispatch key and its memory.

    Attributes:
        name: as dispatch keys have it: `CPU` is the key of its kernels, `AutogradCPU` of the autograd kernels above.
        bit: of a key set, PyTorch's number.
        device_type: as `T.device(...)` has it.
        allocate: f(nbytes) -> uninitialized memory as a 1-D uint8 array of the backend's own kind. None: it has no
            memory of this engine; such tensors are made from outside, or are a geometry alone.
        address: f(memory) -> address of its first byte.
        load_kernels: f() that registers its kernels at the stubs, for a backend that begins when it is first used.
    """

    name: str
    bit: int
    device_type: str
    allocate: Callable[[int], Any] | None = None
    address: Callable[[Any], int] | None = None
    load_kernels: Callable[[], None] | None = None


ROWS = (
    Backend("CPU", 0, "cpu"),
    Backend("CUDA", 1, "cuda"),
    Backend("PrivateUse1", 12, "privateuseone"),  # of whoever registers kernels there
    Backend("Meta", 15, "meta"),  # sizes, strides and a dtype, no memory
)
BACKENDS = {row.device_type: row for row in ROWS}
"""Device type -> row."""
