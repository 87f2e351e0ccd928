"""Run a student's functions instead of the reference's while the engine runs: the face of this folder.

    overlay.py               which functions are the student's, and putting them there (`graft`) and back (`restore`)
    grafting.py              what of a function or class changes
    cell_compiler.py         the text of a notebook cell, compiled under names of its own
    lazy_imports.py          functions of modules that are imported when they are first used; modules that have moved
    regenerate.py            what the engine made while it was imported is made again
    kernel_invalidation.py   kernels that have a student's code in them are dropped and compiled again
    numba_cache.py           where compiled kernels are kept, so that none is found under another's name

The engine itself calls seven functions: `begin`, `choose_cache` and `boot` while it is imported, and for its kernels
`njit`, `memo`, `hold` and `active`. The rest is for notebooks, the grader and tests.
"""

from collections.abc import Iterable

from . import lazy_imports
from .grafting import PartError
from .kernel_invalidation import KernelError, hold, memo, njit
from .numba_cache import choose as choose_cache
from .numba_cache import is_dispatcher
from .overlay import (
    active,
    blank,
    boot,
    forget_memos,
    graft,
    rebuilt,
    register_text,
    restore,
    source_of,
    swapped,
    use_parts,
)

__all__ = [
    "KernelError", "PartError", "active", "begin", "blank", "boot", "choose_cache", "forget_memos", "graft",
    "hold", "is_dispatcher", "memo", "njit", "rebuilt", "register_text", "restore", "source_of", "swapped", "use_parts",
]  # fmt: skip


def begin(later: Iterable[str]) -> None:
    """Note, before the engine's modules are imported, which of them are imported later.

    Args:
        later: full names of the modules that importing the engine leaves out.
    """
    lazy_imports.LATER.update(later)
