"""Loops over memory, made from functions of single numbers: write `a + b`, get the kernel for every dtype and layout.

The plain loop that `binary(f)` replaces, `out`, `a`, `b` being the flat arrays of three storages:

    for to, of_a, of_b in zip(offsets of out, offsets of a, offsets of b):
        out[to] = f(a[of_a], b[of_b], *scalars)

Each maker gives two functions that numba compiles: `contiguous`, where every operand is one run of n cells, and
`strided`, which walks any geometry. Neither is compiled before `Compiled` is asked for a dtype; the result stays in
numba's disk cache. A scalar function is plain Python, stands at the top level of a module, so that the cache knows it
by name, and takes the inputs, then the scalars. Mirrors aten/src/ATen/native/cpu/Loops.h and aten/src/ATen/Dispatch.h.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numba import from_dtype, njit, types
from numba.extending import register_jitable

from .. import dtypes
from ..aten.type_promotion import SCALAR_TYPE_NAMES

Entry = Callable[..., None]
Makers = tuple[Callable, Callable]
Kinds = tuple[dtypes.dtype, ...]

INDEX = types.int64
GEOMETRY = types.int64[:, ::1]
NUMBA = {kind: from_dtype(kind.numpy) for kind in dtypes.DTYPES.values()}


class Compiled(dict[dtypes.dtype, Entry]):
    """dtype -> a function compiled for it, as AT_DISPATCH chooses one; compiled when first asked for.

    The entry is called directly: the signature is known, so numba's own dispatch by argument types is not needed.

    Args:
        name: of the kernel, in messages.
        kinds: the dtypes that are supported.
        function: dtype -> what numba compiles for it.
        signature: dtype -> numba's types of the arguments.
        fastmath: what LLVM may do with floats besides: "contract" fuses a product and a sum.
    Raises:
        NotImplementedError: on asking for a dtype that is not supported.
    """

    def __init__(
        self,
        name: str,
        kinds: Collection[dtypes.dtype],
        function: Callable[[dtypes.dtype], Callable],
        signature: Callable[[dtypes.dtype], tuple],
        fastmath: Collection[str] = (),
    ):
        self.name, self.kinds, self.function, self.signature = name, kinds, function, signature
        self.options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": set(fastmath)}

    def __missing__(self, kind: dtypes.dtype) -> Entry:
        if kind not in self.kinds:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        dispatcher = njit(**self.options)(self.function(kind))
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        return entry


def named(function: Callable, *scalars: Callable) -> Callable:
    """`function` under a name of its own: numba keeps one index file a name, which two processes must not share."""
    function.__qualname__ = ".".join(part.__name__ for part in (*scalars, function))
    return function


def elementwise(
    make: Callable[[Callable], Makers],
    name: str,
    functions: Mapping[Kinds, Callable],
    operands: tuple[dtypes.dtype | None, ...],
    scalars: int = 0,
) -> tuple[Compiled, Compiled]:
    """The contiguous and the strided loop of an operation, ready for each of its dtypes.

    Args:
        make: `unary`, `binary` or `ternary`.
        name: of the kernel, in messages.
        functions: dtypes -> the function of single numbers that computes in them.
        operands: dtype of the output and of each input; None is the dtype in which it computes.
        scalars: how many numbers follow the inputs, in that dtype too.
    """

    scalar_of = {kind: scalar for kinds, scalar in functions.items() for kind in kinds}

    def compiled(which: int, walk: types.Type) -> Compiled:
        def signature(kind: dtypes.dtype) -> tuple:
            arrays = [array for operand in operands for array in (NUMBA[operand or kind][::1], INDEX)]
            return (*arrays, walk, types.Tuple((NUMBA[kind],) * scalars))

        def loop(kind: dtypes.dtype) -> Callable:
            return named(make(register_jitable(forceinline=True)(scalar_of[kind]))[which], scalar_of[kind])

        return Compiled(name, scalar_of, loop, signature)

    return compiled(0, INDEX), compiled(1, GEOMETRY)


@njit(cache=True, nogil=True, error_model="numpy")
def rows_of(geometry):
    """How many inner loops there are: the product of all sizes but the last."""
    rows = 1
    for d in range(geometry.shape[1] - 1):
        rows *= geometry[0, d]
    return rows


@njit(cache=True, nogil=True, error_model="numpy")
def advance(index, cells, geometry):
    """One step of the odometer: `cells` becomes each operand's first cell in the next inner loop.

    Args:
        index: (ndim - 1,) the place in the outer dimensions.
        cells: (operands,) changed in place.
        geometry: (1 + operands, ndim) sizes, then the strides of each operand.
    """
    for d in range(index.size - 1, -1, -1):
        index[d] += 1
        for k in range(cells.size):
            cells[k] += geometry[k + 1, d]
        if index[d] < geometry[0, d]:
            return
        for k in range(cells.size):
            cells[k] -= geometry[0, d] * geometry[k + 1, d]
        index[d] = 0


# Where the output is an input, as in `x += y`, LLVM sees that the two may overlap and gives up its vectors, unless the
# loop reads and writes one array. A loop of its own for an input that stands still lets LLVM keep it in a register;
# for the case that all strides are 1 LLVM makes one by itself. Indices are unsigned because numba would test others
# for being negative.


def unary(f: Callable) -> Makers:
    """out = f(a, *scalars)"""

    def contiguous(out, o, a, p, n, scalars):
        to, x = out[o : o + n], a[p : p + n]
        if to.ctypes.data == x.ctypes.data and to.itemsize == x.itemsize:
            for i in range(n):
                x[i] = f(x[i], *scalars)
        else:
            for i in range(n):
                to[i] = f(x[i], *scalars)

    def strided(out, o, a, p, geometry, scalars):
        last = geometry.shape[1] - 1
        index, cells = np.zeros(last, np.int64), np.array((o, p))
        n, so, sa = np.uintp(geometry[0, last]), np.uintp(geometry[1, last]), np.uintp(geometry[2, last])
        for _ in range(rows_of(geometry)):
            o, p = np.uintp(cells[0]), np.uintp(cells[1])
            for i in range(n):
                out[o + i * so] = f(a[p + i * sa], *scalars)
            advance(index, cells, geometry)

    return contiguous, strided


def binary(f: Callable) -> Makers:
    """out = f(a, b, *scalars)"""

    def contiguous(out, o, a, p, b, q, n, scalars):
        to, x, y = out[o : o + n], a[p : p + n], b[q : q + n]
        if to.ctypes.data == x.ctypes.data and to.itemsize == x.itemsize:
            if y.ctypes.data == x.ctypes.data:
                for i in range(n):
                    x[i] = f(x[i], x[i], *scalars)
            else:
                for i in range(n):
                    x[i] = f(x[i], y[i], *scalars)
        elif to.ctypes.data == y.ctypes.data and to.itemsize == y.itemsize:
            for i in range(n):
                y[i] = f(x[i], y[i], *scalars)
        else:
            for i in range(n):
                to[i] = f(x[i], y[i], *scalars)

    def strided(out, o, a, p, b, q, geometry, scalars):
        last = geometry.shape[1] - 1
        index, cells = np.zeros(last, np.int64), np.array((o, p, q))
        n, so = np.uintp(geometry[0, last]), np.uintp(geometry[1, last])
        sa, sb = np.uintp(geometry[2, last]), np.uintp(geometry[3, last])
        for _ in range(rows_of(geometry)):
            o, p, q = np.uintp(cells[0]), np.uintp(cells[1]), np.uintp(cells[2])
            if sb == 0:
                still = b[q]
                for i in range(n):
                    out[o + i * so] = f(a[p + i * sa], still, *scalars)
            elif sa == 0:
                still = a[p]
                for i in range(n):
                    out[o + i * so] = f(still, b[q + i * sb], *scalars)
            else:
                for i in range(n):
                    out[o + i * so] = f(a[p + i * sa], b[q + i * sb], *scalars)
            advance(index, cells, geometry)

    return contiguous, strided


def ternary(f: Callable) -> Makers:
    """out = f(a, b, c, *scalars)"""

    def contiguous(out, o, a, p, b, q, c, r, n, scalars):
        to, x, y, z = out[o : o + n], a[p : p + n], b[q : q + n], c[r : r + n]
        for i in range(n):
            to[i] = f(x[i], y[i], z[i], *scalars)

    def strided(out, o, a, p, b, q, c, r, geometry, scalars):
        last = geometry.shape[1] - 1
        index, cells = np.zeros(last, np.int64), np.array((o, p, q, r))
        n, so, sa = np.uintp(geometry[0, last]), np.uintp(geometry[1, last]), np.uintp(geometry[2, last])
        sb, sc = np.uintp(geometry[3, last]), np.uintp(geometry[4, last])
        for _ in range(rows_of(geometry)):
            o, p, q, r = np.uintp(cells[0]), np.uintp(cells[1]), np.uintp(cells[2]), np.uintp(cells[3])
            for i in range(n):
                out[o + i * so] = f(a[p + i * sa], b[q + i * sb], c[r + i * sc], *scalars)
            advance(index, cells, geometry)

    return contiguous, strided
