"""The names of `import engine as torch` that are neither data types nor tensors."""

from typing import Any

from . import _C, _ops, dispatch, extend, functional, library, printing
from .aten import generator, legacy_constructors, python_bindings, registration, return_types
from .tensor_impl import Tensor

PUBLIC: dict[str, Any] = {
    **python_bindings.bind(registration.NATIVE_FUNCTIONS),
    **functional.FUNCTIONS,
    **legacy_constructors.TYPES,
    "Generator": generator.Generator,
    "default_generator": generator.default_generator,
    "manual_seed": generator.manual_seed,
    "seed": generator.seed,
    "initial_seed": generator.initial_seed,
    "get_rng_state": generator.get_rng_state,
    "set_rng_state": generator.set_rng_state,
    "set_printoptions": printing.set_printoptions,
    "ops": _ops.ops,
    "Tag": _ops.Tag,
    "library": library,
    "extend": extend,
    "dispatch": dispatch,
    "_C": _C,
    "return_types": return_types,
}
"""Public name -> function, class or module."""

Tensor.__repr__ = printing.tensor_repr  # type: ignore[assignment]
