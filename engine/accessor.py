"""Access to single elements by sizes and strides alone; every index is checked.

Mirrors at::TensorAccessor (aten/src/ATen/core/TensorAccessor.h), which checks nothing.
"""

from .strides import Ints


class TensorAccessor:
    """Access to the single elements of a strided tensor, one dimension at a time.

    Element (i0, ..., in-1) is `data[storage_offset + sum(i_d * strides[d])]`. An index uses up the first dimension:
    `a[i]` is an accessor for the rest, or the element itself if only one dimension was left.

    Args:
        data: flat list or 1-D array, the cells of the storage.
        sizes, strides: geometry, in elements.
        storage_offset: cell of the first element.

    >>> a = TensorAccessor([0, 1, 2, 3, 4, 5], (3, 2), (1, 3), 0)
    >>> a[2][1], a[-1][0]
    (5, 2)

    Source: at::TensorAccessor (aten/src/ATen/core/TensorAccessor.h).
    """

    __slots__ = ("data", "sizes", "strides", "storage_offset")

    def __init__(self, data, sizes: Ints, strides: Ints, storage_offset: int):
        self.data = data
        self.sizes = sizes
        self.strides = strides
        self.storage_offset = storage_offset

    def offset_of(self, index: int) -> int:
        """Return the index in `data` where `a[index]` starts; a negative `index` counts from the end.

        Raises:
            TypeError: `index` is not an int. A bool and a NumPy number are refused; any other subclass of int may be
                refused or accepted.
            IndexError: no dimension is left, or `index` is outside [-size, size - 1].
        """
        if type(index) is not int:
            raise TypeError(f"an accessor is indexed with one int at a time, not with {type(index).__name__}")
        if not self.sizes:
            raise IndexError("a 0-dimensional accessor can't be indexed")
        size = self.sizes[0]
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for a dimension of size {size}")
        return self.storage_offset + index % size * self.strides[0]

    def __getitem__(self, index: int):
        """Return the accessor of `a[index]` if dimensions are left after the first, else the element.

        Raises:
            TypeError, IndexError: as `offset_of`.
        """
        offset = self.offset_of(index)
        if len(self.sizes) == 1:
            return self.data[offset]
        return TensorAccessor(self.data, self.sizes[1:], self.strides[1:], offset)

    def __setitem__(self, index: int, value) -> None:
        """Write one element, `value` as it is; exactly one dimension must be left.

        Raises:
            TypeError: more than one dimension is left.
            TypeError, IndexError: as `offset_of`; so IndexError if no dimension is left. With two faults, either error
                is right.
        """
        offset = self.offset_of(index)
        if len(self.sizes) > 1:
            raise TypeError(f"can't assign to a {len(self.sizes)}-dimensional accessor: index it down to one element")
        self.data[offset] = value

    def __len__(self) -> int:
        if not self.sizes:
            raise TypeError("len() of a 0-dimensional accessor")
        return self.sizes[0]
