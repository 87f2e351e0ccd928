"""The subject of a storage's picture: the cells that a view's elements use, as plain data.

Nothing here calls the engine's own algorithms: a picture shows what the strides say, also while the code
that should compute it is replaced by a wrong one.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

MOST_ELEMENTS = 4096  # looked at per view


class Geometry(NamedTuple):
    """The geometry of a view, with the values of all cells of its storage, but without a tensor.

    sizes, strides, offset: in elements.
    """

    values: Sequence[Any]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def cell(self, index: Sequence[int]) -> int:
        return self.offset + sum(i * stride for i, stride in zip(index, self.strides, strict=True))

    def numel(self) -> int:
        return math.prod(self.sizes)

    def as_slices(self) -> "Geometry":
        """Return the same view with at least two dimensions: a 1-D view is one row, a 0-D view one cell."""
        missing = max(2 - len(self.sizes), 0)
        return self._replace(sizes=(1,) * missing + self.sizes, strides=(0,) * missing + self.strides)

    def row_of_cells(self) -> dict[int, list[int]]:
        """Return, for each used cell, the distinct rows that use it, numbered across all slices."""
        view = self.as_slices()
        rows: dict[int, list[int]] = {}
        for index in indices(view.sizes):
            row = sum(i * math.prod(view.sizes[d + 1 : -1]) for d, i in enumerate(index[:-1]))
            users = rows.setdefault(view.cell(index), [])
            if row not in users:
                users.append(row)
        return rows

    def uses(self) -> Counter[int]:
        """Return, for each cell, the number of elements stored in it."""
        return Counter(self.walk())

    def walk(self) -> list[int]:
        """Return the cells in the order of the elements, last index fastest."""
        return [self.cell(index) for index in indices(self.sizes)]


def geometry_of(view: Any) -> Geometry:
    """Return the geometry of a tensor; a Geometry is returned unchanged.

    Raises:
        TypeError: `view` is neither.
        ValueError: sizes and strides differ in length, or an element is outside the storage.
    """
    if isinstance(view, Geometry):
        geometry = view._replace(sizes=tuple(view.sizes), strides=tuple(view.strides))
    elif hasattr(view, "untyped_storage") and hasattr(view, "storage_offset"):
        values = view.untyped_storage().elements(view.dtype.numpy)
        geometry = Geometry(values, tuple(view.shape), tuple(view.stride()), view.storage_offset())
    else:
        raise TypeError(
            f"expected a tensor or draw.Geometry(values, sizes, strides, offset), got {type(view).__name__}"
        )
    if len(geometry.sizes) != len(geometry.strides):
        raise ValueError(f"sizes {geometry.sizes} and strides {geometry.strides} differ in length")
    if geometry.numel():
        spans = [(size - 1) * stride for size, stride in zip(geometry.sizes, geometry.strides, strict=True)]
        first = geometry.offset + sum(min(span, 0) for span in spans)
        last = geometry.offset + sum(max(span, 0) for span in spans)
        if first < 0 or last >= len(geometry.values):
            raise ValueError(
                f"sizes {geometry.sizes}, strides {geometry.strides} and offset {geometry.offset} reach from "
                f"cell {first} to {last}, but the storage has {len(geometry.values)} cells"
            )
    return geometry


def shown_cells(length: int, used: Iterable[int], most: int, edge: int = 1) -> list[int | None]:
    """Return the cells to draw, with None for each gap: all of a short storage, else those near used cells."""
    if length <= most:
        return list(range(length))
    near = {0, length - 1} | {cell + step for cell in used for step in range(-edge, edge + 1)}
    kept = sorted(cell for cell in near if 0 <= cell < length)
    if len(kept) > most:
        kept = kept[: most - 2] + kept[-1:]
    shown: list[int | None] = []
    for cell in kept:
        last = shown[-1] if shown else -1
        if last is not None and cell - last == 2:
            shown.append(cell - 1)  # a run of one takes no more room than the sign for it
        elif last is not None and cell - last > 2:
            shown.append(None)
        shown.append(cell)
    return shown


def as_text(value: Any) -> str:
    """Return a value as text that is short enough for a cell."""
    value = value.item() if hasattr(value, "item") else value
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:9]


def indices(sizes: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """Return the first MOST_ELEMENTS indices of an array of these sizes, last index fastest."""
    return itertools.islice(itertools.product(*map(range, sizes)), MOST_ELEMENTS)
