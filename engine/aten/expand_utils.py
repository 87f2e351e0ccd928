"""What broadcasting did, undone: sums over the dimensions that were expanded. Mirrors aten/src/ATen/ExpandUtils.h."""

from collections.abc import Sequence

from ..tensor_impl import Tensor
from .at import at


def is_expandable_to(sizes: Sequence[int], expanded: Sequence[int]) -> bool:
    """Whether a tensor of `sizes` broadcasts to `expanded`.

    >>> is_expandable_to((3, 1), (2, 3, 4)), is_expandable_to((2,), (3,))
    (True, False)
    """
    return len(sizes) <= len(expanded) and all(
        size in (1, target) for size, target in zip(reversed(sizes), reversed(expanded), strict=False)
    )


def sum_to(tensor: Tensor, sizes: Sequence[int]) -> Tensor:
    """The sums over the dimensions along which a tensor of `sizes` was broadcast."""
    given = tensor._sizes
    if not sizes:
        return at.sum(tensor)
    leading = len(given) - len(sizes)
    dims = tuple(range(leading))
    dims += tuple(leading + dim for dim, size in enumerate(sizes) if size == 1 and given[leading + dim] != 1)
    if dims:
        tensor = at.sum_dim_IntList(tensor, dims, True)
    return at.view(tensor, tuple(sizes)) if leading else tensor
