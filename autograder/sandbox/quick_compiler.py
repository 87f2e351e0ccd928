"""Let numba leave out what costs a student's kernel time and changes nothing that it computes.

Inside, a kernel is compiled for a few small calls: optimizing it would cost a third of what a submission costs.
"""

import os
from typing import Any


def before_numba() -> None:
    """Ask for no optimization; to be called before numba is imported, which reads it then.

    What is compiled here is kept nowhere; the kernels that are kept were optimized.
    """
    os.environ["NUMBA_OPT"] = "0"


def begin() -> None:
    """Leave out what numba can do without; to be called before the first kernel is compiled."""
    _without_passes_of_functions()
    _without_announcements()
    _without_shapes_in_an_error()


def _without_passes_of_functions() -> None:
    """They do nothing where nothing is optimized, but numba builds them for each function (numba/core/codegen.py)."""
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
    """Numba announces each of some 60,000 calls of LLVM, which nobody hears."""
    from llvmlite.binding import ffi

    for announced in list(ffi.lib._lock._cblist):
        ffi.unregister_lock_callback(*announced)


def _without_shapes_in_an_error() -> None:
    """`x[:] = 1, 2` compiles a text with both shapes, a second long, in case that they differ (numba/np/arrayobj.py).

    Numba has a shorter one, too, for targets without strings: the same error that says nothing of shapes.
    """
    from numba.core.typing.templates import builtin_registry
    from numba.np import arrayobj

    for template in builtin_registry.functions:
        if template.key is arrayobj.raise_with_shape_context:
            template._overload_func = staticmethod(arrayobj.ol_raise_with_shape_context_generic)
