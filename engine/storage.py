"""Bytes on a device: what a tensor is a view of.

A storage knows nothing of sizes, strides or dtypes. Mirrors c10/core/StorageImpl.h and torch/storage.py.
"""

import numpy as np

from .dtypes import CPU, device

ALIGNMENT = 64  # bytes, as c10/core/alignment.h: a cache line


class UntypedStorage:
    """A run of bytes. Two tensors share memory exactly when they hold the same storage.

    Args:
        nbytes: size in bytes of a new, uninitialised storage.
    """

    __slots__ = ("_bytes", "__weakref__")

    def __init__(self, nbytes: int = 0):
        raw = np.empty(nbytes + ALIGNMENT, np.uint8)
        first = -raw.ctypes.data % ALIGNMENT
        self._bytes = raw[first : first + nbytes]

    @classmethod
    def wrap(cls, memory: np.ndarray) -> "UntypedStorage":
        """The storage whose bytes are those of a 1-D uint8 array; nothing is copied."""
        storage = cls.__new__(cls)
        storage._bytes = memory
        return storage

    @property
    def device(self) -> device:
        return CPU

    def nbytes(self) -> int:
        """Size in bytes."""
        return self._bytes.size

    size = nbytes
    __len__ = nbytes

    def data_ptr(self) -> int:
        """Address of the first byte."""
        return self._bytes.ctypes.data

    def elements(self, kind: np.dtype) -> np.ndarray:
        """The bytes read as one flat array of a dtype; what is left at the end is not seen. Shares memory."""
        whole = self._bytes.size // kind.itemsize * kind.itemsize
        return self._bytes[:whole].view(kind)

    def tolist(self) -> list[int]:
        return self._bytes.tolist()

    def __getitem__(self, index: int) -> int:
        return int(self._bytes[index])

    def __repr__(self) -> str:
        return f"UntypedStorage({self.nbytes()} bytes on {self.device})"
