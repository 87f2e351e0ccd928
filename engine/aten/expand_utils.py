"""The reverse of broadcasting: sums over the dimensions that were expanded. Mirrors aten/src/ATen/ExpandUtils.h."""

import functools

from ..strides import Ints
from ..tensor_impl import Tensor
from .at import at


@functools.lru_cache(4096)
def is_expandable_to(sizes: Ints, expanded: Ints) -> bool:
    """Return True if a tensor of `sizes` broadcasts to `expanded`.

    >>> is_expandable_to((3, 1), (2, 3, 4)), is_expandable_to((2,), (3,))
    (True, False)
    """
    return len(sizes) <= len(expanded) and all(
        size in (1, target) for size, target in zip(reversed(sizes), reversed(expanded), strict=False)
    )


def sum_to(tensor: Tensor, sizes: Ints) -> Tensor:
    """Sum `tensor` to `sizes`, over the dimensions that broadcasting added or expanded.

    Args:
        tensor: of floating point, with any strides. Its sizes are what a tensor of `sizes` broadcasts to (they are
            aligned at the last dimension; a dimension of size 1 may have become any size, 0 included; new dimensions
            are on the left).
        sizes: tuple of ints.
    Returns:
        A tensor of `sizes`: each element is the sum of those elements of `tensor` that are copies of it after the
        broadcast. It has the dtype of `tensor`, and is recorded where operators are: a gradient that is summed may be
        differentiated again. The very same tensor, if it has these sizes. If only dimensions of size 1 go, the result
        may share memory with `tensor` or not.

    >>> from engine import ones
    >>> sum_to(ones(2, 3, 4), (3, 1)).tolist()
    [[8.0], [8.0], [8.0]]

    Source: sum_to (aten/src/ATen/ExpandUtils.h).
    """
    leading = len(tensor.shape) - len(sizes)
    if leading and not sizes:
        return tensor.sum()
    dims = list(range(leading))
    for dim, size in enumerate(sizes, leading):
        if size == 1 and tensor.shape[dim] != 1:
            dims.append(dim)
    if dims:
        tensor = tensor.sum(dims, True)
    return at.view(tensor, sizes) if leading else tensor
