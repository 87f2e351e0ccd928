"""functionalize: a function without writes, and without views if one likes, that computes the same.

Mirrors functionalize in torch/_functorch/eager_transforms.py.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

from ..aten.at import at
from ..tensor_impl import Tensor
from .functional_kernels import unwrap
from .functional_tensor import FunctionalizeInterpreter, FunctionalTensor
from .pytree import tree_leaves, tree_map
from .view_inverses import call_copy, call_view

__all__ = ["functionalize"]
CALLS: dict[str, Callable[..., Any]] = {"mutations": call_view, "mutations_and_views": call_copy}
UNKNOWN = (
    "functionalize(f, remove='mutations'): received invalid argument for remove={}. Valid options are:\n"
    "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their "
    "out-of-place equivalents.\n"
    "     remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} will be replaced "
    "with their non-aliasing counterparts, {{view}}_copy.\n"
)
NESTED = "functionalize() was called inside a functionalized function with one of its tensors, which is not supported"


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return a function that computes the same, and calls no operator that writes to a tensor.

    What the function would have written to its arguments is copied to them when it is done. Writes to tensors from
    around the function stay as they are.

    Args:
        func: of tensors and trees of them; each tensor among its results is one of the caller's tensors again.
        remove: "mutations", or "mutations_and_views" to call `{view}_copy` instead of each view, too.
    Raises:
        RuntimeError: another `remove`; and as the kernels of `functional_kernels`, where the function is called.
    """
    if remove not in CALLS:
        raise RuntimeError(UNKNOWN.format(remove))

    @functools.wraps(func)
    def functionalized(*args: Any, **kwargs: Any) -> Any:
        with FunctionalizeInterpreter(CALLS[remove]) as layer:
            inner_args, inner_kwargs = tree_map(wrap_argument, (args, kwargs))
            outputs = func(*inner_args, **inner_kwargs)
            with layer.lowered():
                results = tree_map(lambda value: unwrap(value) if isinstance(value, Tensor) else value, outputs)
                inner = [unwrap(leaf) for leaf in tree_leaves((inner_args, inner_kwargs)) if isinstance(leaf, Tensor)]
                given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
                for tensor, value in zip(given, inner, strict=True):
                    write_back(tensor, value)
        return results

    return functionalized


def wrap_argument(value: Any) -> Any:
    """Return an argument as the function gets it: a tensor as a functional one."""
    if type(value) is FunctionalTensor:
        raise RuntimeError(NESTED)
    return FunctionalTensor(value) if isinstance(value, Tensor) else value


def write_back(tensor: Tensor, value: Tensor) -> None:
    """Make an argument what the function made of it, unless it left it alone.

    Source: _propagate_functional_input_mutation (torch/csrc/functorch/init.cpp).
    """
    if value is tensor:
        return
    if math.prod(value._sizes) != math.prod(tensor._sizes):
        at.resize_(tensor, value._sizes)
    if value._sizes != tensor._sizes:
        at.as_strided_(tensor, value._sizes, value._strides)
    at.copy_(tensor, value)
