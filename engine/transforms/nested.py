"""The tensors in the arguments of a call, in containers of any depth."""

import functools
from typing import Any

from ..tensor_impl import Tensor
from .pytree import tree_leaves, tree_map_only

mapped = functools.partial(tree_map_only, Tensor)
"""mapped(function, value): a value with `function(tensor)` for each tensor."""


def tensors_in(value: Any) -> list[Tensor]:
    """Return the tensors in a value."""
    return [one for one in tree_leaves(value) if isinstance(one, Tensor)]
