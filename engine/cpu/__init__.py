"""Kernels for the CPU: jitted loops over flat arrays, which know offsets and strides and nothing of tensors."""

from ..utils.lazy_names import lazy_names
from ..utils.module_aliases import names_in

__getattr__, __dir__ = lazy_names(__name__, names_in("cpu"))
