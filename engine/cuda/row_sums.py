"""Sums over a row by one block, and the last step of a normalization: what normalizations and losses share.

Each thread adds up every THREADS-th element, then the threads add up their sums in shared memory: the second half is
added to the first, then the second quarter to the first, until one sum is left.
Mirrors aten/src/ATen/native/cuda/block_reduce.cuh and batch_norm_transform_input of Normalization.cuh.
"""

import functools
import threading
from collections.abc import Collection
from typing import Any, NamedTuple

from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dtypes import dtype, float32, float64
from ..tensor_impl import Tensor
from .driver import cuda, is_simulated
from .launch import SHAPES
from .libdevice import sqrt
from .loops import device_function

THREADS = SHAPES["row"].threads
FLOATS = (float32, float64)


def barrier_of_simulator() -> None:
    """Call `cuda.syncthreads` on the simulator, from a function outside of the kernel's file."""
    threading.current_thread().syncthreads()  # type: ignore[attr-defined]


barrier = barrier_of_simulator if is_simulated() else cuda.syncthreads


@device_function
def block_sum(cells, thread, value):
    """Return the sum of `value` over all threads of a block; each thread must call this.

    Args:
        cells: (THREADS,) in shared memory.
    """
    cells[thread] = value
    barrier()
    half = THREADS // 2
    while half > 0:
        if thread < half:
            cells[thread] += cells[thread + half]
        barrier()
        half //= 2
    total = cells[0]
    barrier()
    return total


class Normalization(NamedTuple):
    """The arguments of `normalize`: element i has row `i // per_mean % rows` and channel `i // size % channels`.

    Attributes:
        size, per_mean: adjacent elements of one channel, and of one row.
        rows, channels: how many there are.
        eps: a number in the dtype of the tensors; used with a variance.
        is_variance: the spread is given as a variance, of which 1 / sqrt(variance + eps) is to be made.
        is_centered: the mean is subtracted first, which is exact where elements are equal; else with the bias.
    """

    size: int
    per_mean: int
    rows: int
    channels: int
    eps: Any
    is_variance: bool
    is_centered: bool


@cuda.jit
def normalize(n, out, x, means, rstds, weight, bias, by):
    """Compute out = (x - mean) * rstd * weight + bias for contiguous tensors.

    Args:
        weight, bias: (channels,) or empty.
        by: a `Normalization`.
    """
    zero, one = x.dtype.type(0), x.dtype.type(1)
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        row, c = i // by.per_mean % by.rows, i // by.size % by.channels
        mean, factor = means[row], rstds[row]
        if by.is_variance:
            factor = one / sqrt(factor + by.eps)
        if weight.size:
            factor *= weight[c]
        shift = bias[c] if bias.size else zero
        if by.is_centered:
            out[i] = (x[i] - mean) * factor + shift
        else:
            out[i] = x[i] * factor + (shift - mean * factor)


@functools.lru_cache
def nothing(kind: dtype) -> Any:
    """Return an empty array on the device."""
    return cuda.device_array(0, kind.numpy)


def vector(tensor: Tensor | None, like: Tensor) -> Any:
    """Return a contiguous tensor as a flat array; for None, an empty array in the dtype of `like`."""
    if tensor is None:
        return nothing(like._dtype)
    flat, count = tensor._flat(), tensor.numel()
    if not count:
        return nothing(tensor._dtype)  # numba has no slices without elements on a device
    first = tensor._storage_offset
    return flat if flat.size == count else flat[first : first + count]


def number(value: Any, like: Tensor) -> Any:
    """Return `value` as a NumPy number of the dtype of `like`."""
    return like._dtype.numpy.type(value)


def require(name: str, kinds: Collection[dtype], kind: dtype) -> None:
    """Raise an error if a kernel does not support a dtype.

    Raises:
        NotImplementedError: it is not.
    """
    if kind not in kinds:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
