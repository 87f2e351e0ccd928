"""The parts of reductions: functions of single numbers.

They combine two results, convert an element before it is included, and convert the result at the end.
Mirrors the operations of aten/src/ATen/native/SharedReduceOps.h.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..dtypes import bool_, dtype

# ---- two numbers


def of_two(
    name: str, of_floats: Callable, of_integers: Callable, of_bools: Callable, of_unsigned: Callable | None = None
) -> Callable:
    """Build an intrinsic of two numbers of one type, given builders of LLVM code for floats, integers and bools.

    Args:
        of_unsigned: for integers without a sign, if it is not as for those with one.
    """

    def typed(typingctx, a, b):
        integers = of_integers if getattr(a, "signed", True) else of_unsigned or of_integers
        build = of_floats if isinstance(a, types.Float) else of_bools if a is types.boolean else integers
        return a(a, a), lambda context, builder, signature, args: build(builder, *args)

    typed.__name__ = name
    return intrinsic(typed)


def instruction(name: str) -> Callable:
    """Return the builder of calls to an LLVM intrinsic of two numbers."""

    def build(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        kind = ir.FunctionType(a.type, (a.type, a.type))
        flags = ("nsz",) if isinstance(a.type, (ir.FloatType, ir.DoubleType)) else ()
        return builder.call(builder.module.declare_intrinsic(name, (a.type,), kind), (a, b), fastmath=flags)

    return build


# The order of these sums is the compiler's to choose: else there could be no vectors. As PyTorch's, maximum and minimum
# are NaN where one of the two is.
BUILDER = ir.IRBuilder
REASSOCIATED = ("reassoc", "nsz")
plus = of_two("plus", lambda builder, a, b: builder.fadd(a, b, flags=REASSOCIATED), BUILDER.add, BUILDER.or_)
times = of_two("times", lambda builder, a, b: builder.fmul(a, b, flags=REASSOCIATED), BUILDER.mul, BUILDER.and_)
maximum = of_two(
    "maximum", instruction("llvm.maximum"), instruction("llvm.smax"), BUILDER.or_, instruction("llvm.umax")
)
minimum = of_two(
    "minimum", instruction("llvm.minimum"), instruction("llvm.smin"), BUILDER.and_, instruction("llvm.umin")
)


def sum(total, a):
    """Return the sum so far plus one more number."""
    return plus(total, a)


def prod(total, a):
    """Return the product so far times one more number."""
    return times(total, a)


def amax(largest, a):
    """Return the larger of `largest` and a; NaN if either is NaN."""
    return maximum(largest, a)


def amin(smallest, a):
    """Return the smaller of `smallest` and a; NaN if either is NaN."""
    return minimum(smallest, a)


# ---- an element, and a result

# What becomes of an element before it is taken in: functions of (what converts it to what is accumulated, the element,
# a parameter).


def itself(cast, a, parameter):
    """Return the element, converted by `cast`."""
    return cast(a)


def unless_nan(cast, a, parameter):
    """Return the element converted by `cast`, or 0 if it is NaN."""
    return cast(a) if a == a else cast(0)


def is_nonzero(cast, a, parameter):
    """Return 1 if the element is not 0, else 0."""
    return cast(a != 0)


def size_of(cast, a, parameter):
    """Return the absolute value of the element."""
    return abs(cast(a))


def square(cast, a, parameter):
    """Return a * a."""
    return cast(a) * cast(a)


def power(cast, a, parameter):
    """Return |a| ** parameter."""
    return abs(cast(a)) ** parameter


# What becomes of the result: functions of (what was accumulated, parameter).


def unchanged(total, parameter):
    """Return the result unchanged."""
    return total


def quotient(total, parameter):
    """Return the result divided by `parameter`."""
    return total / parameter


def root(total, parameter):
    """Return the square root of the result."""
    return np.sqrt(total)


def any_root(total, parameter):
    """Return total ** (1 / parameter)."""
    return total ** (1 / parameter)


# ---- where a reduction starts


def lowest(kind: dtype) -> Any:
    """Return the lowest number of a dtype; -infinity for floats."""
    if kind is bool_:
        return False
    return -np.inf if kind.is_floating_point else int(np.iinfo(kind.storage).min)


def highest(kind: dtype) -> Any:
    """Return the highest number of a dtype; infinity for floats."""
    if kind is bool_:
        return True
    return np.inf if kind.is_floating_point else int(np.iinfo(kind.storage).max)


def zero(kind: dtype) -> Any:
    """Return the number that a sum starts from."""
    return 0


def one(kind: dtype) -> Any:
    """Return the number that a product starts from."""
    return 1
