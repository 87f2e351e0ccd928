"""Elementwise kernels: tables of functions of single numbers and of vectors, which become kernels of a stub.

The plain loop that the kernel of `add` replaces:

    for to, of_self, of_other in zip(offsets of out, offsets of self, offsets of other):
        out[to] = add(self[of_self], other[of_other], alpha)

The tables are in `binary_ops`, `unary_ops`, `activation` and `tensor_compare`; `register` makes a kernel of each row.
A kernel with a function of vectors is made for what the processor has, and found by that in the stub's table.
Mirrors cpu_kernel, cpu_kernel_vec and REGISTER_DISPATCH of aten/src/ATen/native.
"""

from collections.abc import Callable, Mapping
from typing import Any

from numba import types

from ..aten.stubs import DispatchStub
from ..dtypes import bool_, dtype, float32, float64, int8, int16, int32, int64, uint8
from . import elementwise_loops as loops
from . import half_blocks
from .capability import ByCapability, get_cpu_capability
from .elementwise_loops import Scalar
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, named
from .parallel import GRAIN_SIZE
from .ternary_loops import ternary

FLOATS = (float32, float64)
INTEGERS = (uint8, int8, int16, int32, int64)
NUMBERS = FLOATS + INTEGERS
ALL = (*NUMBERS, bool_)

# ---- how a kernel reads an iterator

Kernel = Callable[..., None]


def rows_of(plan: Any) -> int:
    """Return the length of a strided loop's range: the number of rows, or of elements if there is only one row."""
    return plan.numel if len(plan.loop_sizes) == 1 or not plan.numel else plan.numel // plan.loop_sizes[-1]


def on_threads(plan: Any, contiguous: Compiled, strided: Compiled, kind: dtype, args: tuple, scalars: tuple) -> None:
    """Run the contiguous or the strided loop of a plan, in pieces on several threads."""
    if plan.is_contiguous:
        contiguous.on_threads(kind, plan.numel, GRAIN_SIZE, (*args, scalars))
    else:
        rows = rows_of(plan)
        grain_size = max(1, GRAIN_SIZE * rows // plan.numel)
        strided.on_threads(kind, rows, grain_size, (*args, plan.geometry, scalars))


def unary_kernel(contiguous: Compiled, strided: Compiled) -> Kernel:
    """Build kernel(iter, *scalars), which computes out = f(a, *scalars) over the iterator's plan and operands."""

    def kernel(iter: Any, *scalars: Any) -> None:
        plan = iter.plan
        out, a = iter.operands
        to, x = out._elements, a._elements
        if to is None or x is None:  # `_flat` is a call
            to, x = out._flat(), a._flat()
        o, p = out._storage_offset, a._storage_offset
        if plan.numel > GRAIN_SIZE:
            on_threads(plan, contiguous, strided, a._dtype, (to, o, x, p), scalars)
        elif plan.is_contiguous:
            contiguous[a._dtype](0, plan.numel, to, o, x, p, scalars)
        else:
            strided[a._dtype](0, rows_of(plan), to, o, x, p, plan.geometry, scalars)

    return kernel


def binary_kernel(contiguous: Compiled, strided: Compiled) -> Kernel:
    """Build kernel(iter, *scalars), which computes out = f(a, b, *scalars) over the iterator's plan and operands."""

    def kernel(iter: Any, *scalars: Any) -> None:
        plan = iter.plan
        out, a, b = iter.operands
        to, x, y = out._elements, a._elements, b._elements
        if to is None or x is None or y is None:  # `_flat` is a call
            to, x, y = out._flat(), a._flat(), b._flat()
        o, p, q = out._storage_offset, a._storage_offset, b._storage_offset
        if plan.numel > GRAIN_SIZE:
            on_threads(plan, contiguous, strided, b._dtype, (to, o, x, p, y, q), scalars)
        elif plan.is_contiguous:
            contiguous[b._dtype](0, plan.numel, to, o, x, p, y, q, scalars)
        else:
            strided[b._dtype](0, rows_of(plan), to, o, x, p, y, q, plan.geometry, scalars)

    return kernel


def ternary_kernel(contiguous: Compiled, strided: Compiled) -> Kernel:
    """Build kernel(iter, *scalars), which computes out = f(a, b, c, *scalars) over the iterator's plan and operands."""

    def kernel(iter: Any, *scalars: Any) -> None:
        plan = iter.plan
        out, a, b, c = iter.operands
        to, x, y, z = out._elements, a._elements, b._elements, c._elements
        if to is None or x is None or y is None or z is None:  # `_flat` is a call
            to, x, y, z = out._flat(), a._flat(), b._flat(), c._flat()
        o, p, q, r = out._storage_offset, a._storage_offset, b._storage_offset, c._storage_offset
        if plan.numel > GRAIN_SIZE:
            on_threads(plan, contiguous, strided, c._dtype, (to, o, x, p, y, q, z, r), scalars)
        elif plan.is_contiguous:
            contiguous[c._dtype](0, plan.numel, to, o, x, p, y, q, z, r, scalars)
        else:
            strided[c._dtype](0, rows_of(plan), to, o, x, p, y, q, z, r, plan.geometry, scalars)

    return kernel


# ---- from a table to kernels

# Dtypes of (output, inputs...) in a row; None means the dtype in which the operation computes.
SAME1, SAME2, SAME3 = (None,) * 2, (None,) * 3, (None,) * 4
TEST1, TEST2 = (bool_, None), (bool_, None, None)
MAKERS = {2: (loops.unary, unary_kernel), 3: (loops.binary, binary_kernel), 4: (ternary, ternary_kernel)}

Row = tuple[DispatchStub, str, Mapping[Any, Callable | Scalar], tuple[dtype | None, ...], int]
Table = tuple[Row, ...]
_entered: list[tuple[DispatchStub, ByCapability]] = []


def vec(of_one: Callable, of_many: Callable | None = None) -> Scalar:
    """Return a `Scalar` of a function of single numbers and one of vectors, which is the same function by default."""
    return Scalar(of_one, of_many or of_one)


def register(table: Table) -> None:
    """Register a CPU kernel for each stub of a table.

    Args:
        table: rows of (stub, name in messages, {dtypes: function of single numbers, or `vec` of it}, dtypes of output
            and inputs, how many scalars follow the inputs).
    """
    for stub, name, functions, operands, scalars in table:
        of_dtype = {kind: scalar for kinds, scalar in functions.items() for kind in kinds}
        enter(stub, by_capability(name, of_dtype, operands, scalars))


def enter(stub: DispatchStub, kernels: ByCapability) -> None:
    """Register the kernel for this processor's capability at `stub`."""
    stub.register("cpu", kernels[get_cpu_capability()], kernels)
    _entered.append((stub, kernels))


def reselect_capability() -> None:
    """Make each stub use the kernel for the capability that `get_cpu_capability` returns now."""
    for stub, kernels in _entered:
        stub.kernels["cpu"] = kernels[get_cpu_capability()]


def by_capability(
    name: str,
    functions: Mapping[dtype, Callable | Scalar],
    operands: tuple[dtype | None, ...],
    scalars: int,
    make: Callable[[Scalar, int], loops.Loops] | None = None,
) -> ByCapability:
    """Return the kernels of a table row, one for each CPU capability.

    Args:
        make: the loops of a function; the loops for the number of operands if None.
    """
    usual, kernel = MAKERS[len(operands)]
    make = make or usual

    def of_width(vector_bytes: int) -> Kernel:
        def compiled(which: int, *walk: types.Type) -> Compiled:
            def signature(kind: dtype) -> tuple:
                kinds = half_blocks.operands_of(name, kind, operands)
                arrays = [array for operand in kinds for array in (NUMBA[operand][::1], INDEX)]
                numbers = types.Tuple((NUMBA[half_blocks.scalar_of(name, kind)],) * scalars)
                return (INDEX, INDEX, *arrays, *walk, numbers)

            def loop(kind: dtype) -> Callable:
                given = functions[half_blocks.computed_in(kind)]
                scalar = given if isinstance(given, Scalar) else Scalar(given)
                if half_blocks.is_in_blocks(name, kind):
                    contiguous = make(scalar, vector_bytes // float32.itemsize)[0]
                    return named(half_blocks.in_blocks(name, kind, operands, contiguous)[which], scalar.of_one)
                return named(make(scalar, vector_bytes // kind.itemsize)[which], scalar.of_one)

            return Compiled(name, half_blocks.kinds_of(name, functions, operands), loop, signature)

        return kernel(compiled(0), compiled(1, GEOMETRY))

    return ByCapability(of_width)
