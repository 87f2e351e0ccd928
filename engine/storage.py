"""Bytes on a device: what a tensor is a view of.

A storage knows nothing of sizes, strides or dtypes. Mirrors c10/core/StorageImpl.h and torch/storage.py.
"""

import ctypes
import gc
from typing import Any

import numpy as np

from .backend import BACKENDS
from .dtypes import CPU, device

ALIGNMENT = 64  # bytes, as c10/core/alignment.h: a cache line
ALIGNED_FROM = 32768  # bytes; below that finding the cache line costs more than it gives, and malloc aligns to 16


class UntypedStorage:
    """A block of bytes. Two tensors share memory exactly when they hold the same storage.

    Args:
        nbytes: size in bytes of a new, uninitialized storage.
        device: of the bytes; on "meta" there are no bytes, only their number.
        cells: the memory, if it exists already: a 1-D contiguous array of any dtype, of NumPy or of the device's own
            kind; nothing is copied.
        resizable: whether it may grow; memory of someone else's, or that an array of NumPy shares, may not.
    """

    __slots__ = ("_cells", "_nbytes", "device", "_resizable", "__weakref__")

    def __init__(self, nbytes: int = 0, device: device = CPU, cells: Any = None, resizable: bool = True):
        if cells is None and device.type != "meta":
            cells = allocate_on(device, nbytes)
        self._cells = cells
        self._nbytes = nbytes
        self.device = device
        self._resizable = resizable

    @classmethod
    def wrap(cls, memory: np.ndarray) -> "UntypedStorage":
        """Return a storage over the bytes of a 1-D array, without copying."""
        return cls(memory.nbytes, cells=memory, resizable=False)

    def nbytes(self) -> int:
        """Return the size in bytes."""
        return self._nbytes

    size = nbytes
    __len__ = nbytes

    def resize_(self, nbytes: int, is_shared: bool = True) -> None:
        """Resize the storage in place; the bytes that fit are kept.

        Tensors over it cache an array over the old memory. They are found, which takes milliseconds, and their arrays
        are dropped.

        Args:
            nbytes: the new size, bytes.
            is_shared: whether there may be tensors over it beside the caller's, which sees to itself.
        Raises:
            RuntimeError: the memory is not the storage's own.
        """
        if not self._resizable:
            raise RuntimeError("Trying to resize storage that is not resizable")
        if self._cells is not None:
            kept = min(nbytes, self._nbytes)
            grown = allocate_on(self.device, nbytes)
            if kept:
                grown[:kept] = self._memory()[:kept]
            self._cells = grown
            for holder in gc.get_referrers(self) if is_shared else ():
                if hasattr(type(holder), "_elements"):
                    holder._elements = None
        self._nbytes = nbytes

    def resizable(self) -> bool:
        """Return True if the storage owns its memory and has not exposed it."""
        return self._resizable

    @property
    def _cdata(self) -> int:
        """The storage's identity, by which programs tell whether two tensors share it."""
        return id(self)

    def data_ptr(self) -> int:
        """Return the address of the first byte; 0 if there are none."""
        if self._cells is None or not self._nbytes:
            return 0
        return (BACKENDS[self.device.type].address or host_address)(self._cells)

    def elements(self, kind: np.dtype) -> Any:
        """Return the bytes as a flat array of a dtype, sharing memory; bytes left over at the end are ignored.

        On the CPU it is an array of NumPy, elsewhere one of the device.

        Raises:
            NotImplementedError: the storage is on "meta".
        """
        if self._cells is not None and self._cells.dtype is kind:
            return self._cells
        memory = self._memory()
        return memory[: memory.size // kind.itemsize * kind.itemsize].view(kind)

    def _memory(self) -> Any:
        if self._cells is None:
            raise NotImplementedError("Cannot access data pointer of Tensor that doesn't have storage")
        return self._cells.view(np.uint8)

    def _on_host(self) -> np.ndarray:
        memory = self._memory()
        return memory if isinstance(memory, np.ndarray) else memory.copy_to_host()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Take memory of another device through the host's, for pickle and copy."""
        if self._cells is None or isinstance(self._cells, np.ndarray):
            return UntypedStorage, (self._nbytes, self.device, self._cells)
        return on_device, (self.device, self._on_host())

    def tolist(self) -> list[int]:
        return self._on_host().tolist()

    def __getitem__(self, index: int) -> int:
        return int(self._on_host()[index])

    def __repr__(self) -> str:
        return f"UntypedStorage({self.nbytes()} bytes on {self.device})"


def allocate(nbytes: int) -> np.ndarray:
    """Return uninitialized memory: a 1-D uint8 array, aligned to a cache line if it spans many.

    Raises:
        RuntimeError: there is not enough memory.
    """
    if nbytes < ALIGNED_FROM:
        return np.empty(nbytes, np.uint8)
    try:
        raw = np.empty(nbytes + ALIGNMENT, np.uint8)
    except (MemoryError, ValueError):  # the second of more bytes than 63 bits can count
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
            f"allocate {nbytes} bytes. Error code 12 (Cannot allocate memory)"
        ) from None
    first = -ctypes.addressof(ctypes.c_char.from_buffer(raw.data)) % ALIGNMENT
    return raw[first : first + nbytes]


def on_device(device: device, cells: np.ndarray) -> UntypedStorage:
    """Return a new storage on a device with the bytes of a uint8 array."""
    made = UntypedStorage(cells.size, device)
    made._memory().copy_to_device(cells)
    return made


def allocate_on(device: device, nbytes: int) -> Any:
    """Return uninitialized memory of a device, as a 1-D uint8 array of the kind that its backend allocates.

    Raises:
        NotImplementedError: a device without memory in this engine.
    """
    if allocate := BACKENDS[device.type].allocate:
        return allocate(nbytes)
    if nbytes == 0:
        return np.empty(0, np.uint8)  # a device added from outside keeps its bytes itself
    having = ", ".join(name for name, backend in BACKENDS.items() if backend.allocate)
    raise NotImplementedError(f"there is no memory on {device}: tensors live on {having} or meta")


def host_address(cells: np.ndarray) -> int:
    """Return the address of the first byte of a NumPy array."""
    return cells.ctypes.data


BACKENDS["cpu"].allocate, BACKENDS["cpu"].address = allocate, host_address
