"""Make numba compile students' kernels faster in the sandbox, without changing what they compute.

A kernel runs only a few small calls there: optimizing it would cost a third of what a submission costs.
"""

import os
from typing import Any


def before_numba() -> None:
    """Turn off optimization. Call this before numba is imported, because numba reads the setting then.

    Nothing compiled in the sandbox is kept; the kernels in its cache were optimized.
    """
    os.environ["NUMBA_OPT"] = "0"


def begin() -> None:
    """Disable the compiler passes of numba that no kernel needs. Call this before the first kernel is compiled."""
    _without_passes_of_functions()
    _without_announcements()
    _without_shapes_in_an_error()


def _without_passes_of_functions() -> None:
    """Skip the passes over single functions: without optimization they do nothing (numba/core/codegen.py)."""
    from numba.core import config
    from numba.core.codegen import CPUCodeLibrary

    optimize = CPUCodeLibrary._optimize_functions

    def optimize_functions(library: Any, module: Any) -> None:
        if config.OPT:  # type: ignore[attr-defined]  # a check has asked for it
            optimize(library, module)
        else:
            module.data_layout = library._codegen._data_layout

    CPUCodeLibrary._optimize_functions = optimize_functions  # type: ignore[method-assign]


def _without_announcements() -> None:
    """Stop numba from sending an event for every call of LLVM: nothing in the sandbox listens (numba/core/base.py)."""
    from llvmlite.binding import ffi

    for announced in list(ffi.lib._lock._cblist):
        ffi.unregister_lock_callback(*announced)


def _without_shapes_in_an_error() -> None:
    """Give the error of a slice assignment, `x[:] = 1, 2`, numba's message without the shapes (numba/np/arrayobj.py).

    The ValueError is the same. Compiling code that formats both shapes takes about a second.
    """
    from numba.core.typing.templates import builtin_registry
    from numba.np import arrayobj

    for template in builtin_registry.functions:
        if template.key is arrayobj.raise_with_shape_context:
            template._overload_func = staticmethod(arrayobj.ol_raise_with_shape_context_generic)
