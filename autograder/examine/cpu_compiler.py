"""numba's compiler, used once before it is needed: a first use costs half a second."""

import numpy as np

# The options that most checks compile with. Kernels with the same options share numba's own `min` or `np.zeros`.
OF_KERNELS: dict = {"nogil": True, "error_model": "numpy", "fastmath": set(), "no_cfunc_wrapper": True}


def warm_up() -> None:
    """Compile a small function in advance, because numba takes half a second longer the first time.

    It is also called, because numba imports numpy.ma on a first call.
    """
    import numba

    @numba.njit(**OF_KERNELS)
    def sum_of(x, most):
        total, seen = x.dtype.type(0), np.zeros(2, np.int64)
        for i in range(min(x.size, most)):
            total += x[i]
            seen[0] = max(seen[0], i)
        return total

    sum_of(np.ones(2, np.float32), 2)
