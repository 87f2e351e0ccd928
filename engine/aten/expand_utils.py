"""What broadcasting did, undone: sums over the dimensions that were expanded. Mirrors aten/src/ATen/ExpandUtils.h."""

import functools

from ..strides import Ints
from ..tensor_impl import Tensor
from .at import at


@functools.lru_cache(4096)
def is_expandable_to(sizes: Ints, expanded: Ints) -> bool:
    """Whether a tensor of `sizes` broadcasts to `expanded`.

    >>> is_expandable_to((3, 1), (2, 3, 4)), is_expandable_to((2,), (3,))
    (True, False)
    """
    return len(sizes) <= len(expanded) and all(
        size in (1, target) for size, target in zip(reversed(sizes), reversed(expanded), strict=False)
    )


def sum_to(tensor: Tensor, sizes: Ints) -> Tensor:
    """The sums over the dimensions along which a tensor of `sizes` was broadcast."""
    if not sizes:
        return at.sum(tensor)
    dims = _expanded_dims(sizes, tensor._sizes)
    if dims:
        tensor = at.sum_dim_IntList(tensor, dims, True)
    return tensor if len(tensor._sizes) == len(sizes) else at.view(tensor, sizes)


@functools.lru_cache(4096)
def _expanded_dims(sizes: Ints, expanded: Ints) -> Ints:
    leading = len(expanded) - len(sizes)
    ones = (leading + dim for dim, size in enumerate(sizes) if size == 1 and expanded[leading + dim] != 1)
    return (*range(leading), *ones)
