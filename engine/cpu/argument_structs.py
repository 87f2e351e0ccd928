"""Records: arguments of a kernel that belong together, each read by its name.

A record is a NamedTuple. numba passes its fields one by one, so it costs a kernel nothing; `type_of` derives numba's
types from the annotations, and so the order in which fields are passed is written down once, in the class. Where
Python calls a compiled kernel, a plain tuple in the order of the fields does as well, and is made faster.
Mirrors at::native's parameter structs, such as ConvParams (aten/src/ATen/native/ConvUtils.h).
"""

from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numba import types

from ..dtypes import dtype
from .loops import GEOMETRY, INDEX, NUMBA

Elements = Annotated[np.ndarray, "flat, of the kernel's dtype"]
Scalar = Annotated[float, "of the kernel's dtype"]
Int64s = Annotated[np.ndarray, "one-dimensional, int64"]
Int64Table = Annotated[np.ndarray, "two-dimensional, int64"]

_TYPES = {
    int: INDEX, bool: types.boolean, float: types.float64, Int64s: types.int64[::1], Int64Table: GEOMETRY,
}  # fmt: skip


class Matrix(NamedTuple):
    """A matrix in a flat array: element (i, j) is elements[start + i * row_stride + j * column_stride]."""

    elements: Elements
    start: int
    row_stride: int
    column_stride: int


class MatrixBatch(NamedTuple):
    """Matrices in a flat array: the first begins at `start`, the next `batch_stride` elements further."""

    elements: Elements
    start: int
    batch_stride: int
    row_stride: int
    column_stride: int


class VectorBatch(NamedTuple):
    """Vectors in a flat array: the first begins at `start`, the next `batch_stride` elements further."""

    elements: Elements
    start: int
    batch_stride: int
    stride: int


def type_of(field: Any, kind: dtype) -> types.Type:
    """Return numba's type of a record class, or of a field's annotation, for the kernel of a dtype.

    >>> from engine.dtypes import float32
    >>> type_of(VectorBatch, float32)
    VectorBatch(array(float32, 1d, C), int64, int64, int64)
    """
    if field is Elements:
        return NUMBA[kind][::1]
    if field is Scalar:
        return NUMBA[kind]
    if field in _TYPES:
        return _TYPES[field]
    hints = get_type_hints(field, include_extras=True)
    return types.BaseTuple.from_types([type_of(hint, kind) for hint in hints.values()], field)
