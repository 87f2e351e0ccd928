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
    """Leave out the passes over single functions, which do nothing then, and the events of LLVM's lock.

    Numba builds a pipeline of passes for each function, and announces to nobody each of some 60,000 calls of LLVM.
    """
    from llvmlite.binding import ffi
    from numba.core.codegen import CPUCodeLibrary

    CPUCodeLibrary._optimize_functions = _give_layout
    for announce in list(ffi.lib._lock._cblist):
        ffi.unregister_lock_callback(*announce)


def _give_layout(library: Any, module: Any) -> None:
    """The rest of what numba's method of that name does (numba/core/codegen.py)."""
    module.data_layout = library._codegen._data_layout
