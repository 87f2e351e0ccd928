"""Compiled kernels that are made again when the code of a function in them is replaced.

    kernel_invalidation.py   which functions are in a kernel, and which kernels go when one of them is replaced
    numba_cache.py           where compiled kernels are kept, so that none is found under another's name

The engine decorates its kernels with `njit`, keeps them in a `memo` or a holder (`hold`), and by `follow` compiles
another form of a kernel while a function is replaced. Code that replaces a function calls `changed`.
"""

from .kernel_invalidation import KernelError, changed, follow, hold, memo, njit, replaced
from .numba_cache import choose as choose_cache
from .numba_cache import is_dispatcher

__all__ = [
    "KernelError", "changed", "choose_cache", "follow", "hold", "is_dispatcher", "memo", "njit", "replaced",
]  # fmt: skip
