"""Kernels over a range of rows: written as a serial loop, run in pieces on several threads.

The plain loop that `Ranged` replaces:

    body(0, count, *args)

`body(begin, end, *args)` is what numba compiles for a dtype; what it computes must not depend on where pieces begin.
Mirrors the lambdas that kernels of PyTorch give to at::parallel_for.
"""

from collections.abc import Callable, Collection
from typing import Any

from .. import dtypes
from .loops import INDEX, Compiled
from .parallel import GRAIN_SIZE


def is_shared(count: int, cost: int) -> bool:
    """Return True if `count` indices of `cost` simple operations each are worth running on several threads."""
    return count > 1 and count * (cost or 1) > GRAIN_SIZE


class Ranged:
    """A dict of dtype -> kernel over a range, each compiled on first access.

    Args:
        name: of the kernel, in messages.
        kinds: the dtypes that are supported.
        body: dtype -> the function (begin, end, *args).
        arguments: dtype -> numba's types of `args`.
        fastmath: as of `Compiled`.
    """

    def __init__(
        self,
        name: str,
        kinds: Collection[dtypes.dtype],
        body: Callable[[dtypes.dtype], Callable],
        arguments: Callable[[dtypes.dtype], tuple],
        fastmath: Collection[str] = (),
    ):
        def signature(kind: dtypes.dtype) -> tuple:
            return (INDEX, INDEX, *arguments(kind))

        self.compiled = Compiled(name, kinds, body, signature, fastmath)

    def __call__(self, kind: dtypes.dtype, count: int, cost: int, *args: Any) -> None:
        """Call body(begin, end, *args) for pieces that make up 0..count.

        Args:
            cost: of one index, in elements of a simple operation.
        Raises:
            NotImplementedError: a dtype that is not supported.
        """
        cost = cost or 1
        if count > 1 and count * cost > GRAIN_SIZE:  # `is_shared`, without its frame
            self.compiled.on_threads(kind, count, max(1, GRAIN_SIZE // cost), args)
        else:
            self.compiled[kind](0, count, *args)
