"""One number into every element of any geometry. Mirrors aten/src/ATen/native/cpu/FillKernel.cpp."""

import functools
import math

import numpy as np

from ..aten.halves import element_of
from ..aten.native.fill import fill_stub
from ..aten.scalar_ops import checked_convert
from ..dtypes import HALVES
from ..strides import Ints
from ..tensor_impl import Tensor
from .copy import LONG, MEMORY, fill_run, plan_walk, strided_copy
from .loops import noters


def fill_kernel(self: Tensor, value: bool | int | float) -> None:
    """Fill every element of `self` with `value`.

    Raises:
        RuntimeError: the number does not fit the dtype.
    """
    if type(value) is not int or value:  # an int of 0 fits every dtype
        value = element_of_fill(value, self)
    sizes, strides, first = self._sizes, self._strides, self._storage_offset
    cells, run = self._elements, run_of(sizes, strides)
    if cells is None:  # `_flat` is a call
        cells = self._flat()
    if run == cells.size and 0 < run <= LONG and not noters:
        cells.fill(value)
    elif run:
        fill_run(self._dtype, cells, first, run, value)
    elif 0 not in sizes:
        strided_copy(sizes, cells, first, strides, np.array([value], self._dtype.numpy), 0, (0,) * len(sizes))


def element_of_fill(value: bool | int | float, self: Tensor) -> bool | int | float:
    """Return a number as an element of `self`. A single half takes any, others only one that they can hold."""
    kind = self._dtype
    if kind not in HALVES:
        return checked_convert(value, kind)
    return element_of(value if math.prod(self._sizes) == 1 else checked_convert(value, kind), kind)


@functools.lru_cache(MEMORY)
def run_of(sizes: Ints, strides: Ints) -> int:
    """Return the number of elements if they are contiguous in storage, in any order, else 0."""
    return 0 if 0 in sizes else plan_walk(sizes, strides, (0,) * len(sizes)).run


fill_stub.register("cpu", fill_kernel)
