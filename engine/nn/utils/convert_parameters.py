"""All parameters as one vector, and back. Mirrors torch/nn/utils/convert_parameters.py."""

from collections.abc import Iterable
from typing import Any

from ...api import PUBLIC
from ...tensor_impl import Tensor
from ..modules.registration import typename

cat = PUBLIC["cat"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all parameters flattened and concatenated into one vector."""
    return cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Any]) -> None:
    """Make each parameter a view of its part of `vec`.

    Raises:
        TypeError: `vec` is not a tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    first = 0
    for parameter in parameters:
        parameter.data = vec[first : first + parameter.numel()].view_as(parameter).data
        first += parameter.numel()
