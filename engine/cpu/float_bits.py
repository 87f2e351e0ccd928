"""Helpers of elementary functions besides + - * /: a float's bits, products rounded once, constants in its dtype.

All of it is LLVM instructions on one number, so a loop over an array compiles to vectors. A function that is written
with these serves float32 and float64 alike: `like(x, (a, b))` is a for a float32 x and b for a float64, in its dtype.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

inlined = register_jitable(forceinline=True)
"""Decorator of a function that becomes part of each that calls it; a call would keep a loop from becoming vectors."""

INTEGER_OF = {types.float32: types.int32, types.float64: types.int64}


@intrinsic
def fma(typingctx, a, b, c):
    """Return a * b + c, rounded once, as the fused multiply-add that PyTorch's compiler emits does."""
    return a(a, a, a), lambda context, builder, signature, args: builder.fma(*args)


@intrinsic
def bits_of(typingctx, value):
    """Reinterpret the bits of a float as an integer of the same width."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(signature.return_type))

    return INTEGER_OF[value](value), codegen


@intrinsic
def from_bits(typingctx, bits, x):
    """Reinterpret the bits of an integer as a float of the dtype of x; only the low bits of a wider integer count."""

    def codegen(context, builder, signature, args):
        narrow = context.cast(builder, args[0], bits, INTEGER_OF[x])
        return builder.bitcast(narrow, context.get_value_type(x))

    return x(bits, x), codegen


@intrinsic
def select(typingctx, condition, a, b):
    """Return a if condition else b, without a branch, which would keep LLVM from vectorizing long computations."""
    return a(condition, a, a), lambda context, builder, signature, args: builder.select(*args)


def _chosen(x, value):
    """Return the index of the entry of a pair that is meant for the width of `x`."""
    return 0 if x.bitwidth == 32 else 1


@intrinsic
def like(typingctx, x, value):
    """Return a constant in the dtype of x; from a pair, the first for 32 bits and the second for 64."""
    pair = isinstance(value, types.BaseTuple)
    given = value[_chosen(x, value)] if pair else value

    def codegen(context, builder, signature, args):
        constant = builder.extract_value(args[1], _chosen(x, value)) if pair else args[1]
        return context.cast(builder, constant, given, x)

    return x(x, value), codegen


@intrinsic
def series(typingctx, x, coefficients):
    """Return c0 + c1 * x + c2 * x**2 + ..., by Horner's rule with fused multiply-adds.

    Args:
        coefficients: a pair of tuples, for float32 and for float64.
    """

    def codegen(context, builder, signature, args):
        chosen = _chosen(x, coefficients)
        row, kinds = builder.extract_value(args[1], chosen), coefficients[chosen]
        terms = [context.cast(builder, builder.extract_value(row, k), kinds[k], x) for k in range(len(kinds))]
        total = terms.pop()
        while terms:
            total = builder.fma(total, args[0], terms.pop())
        return total

    return x(x, coefficients), codegen


def _made_of_two(name):
    """Return the code generator that calls an LLVM intrinsic of two floats of one dtype."""

    def codegen(context, builder, signature, args):
        kind = args[0].type
        function = builder.module.declare_intrinsic(name, (kind,), ir.FunctionType(kind, (kind, kind)))
        return builder.call(function, args)

    return codegen


@intrinsic
def copysign(typingctx, size, sign):
    """Return a number with the absolute value of `size` and the sign of `sign`."""
    return size(size, size), _made_of_two("llvm.copysign")


def _made_of_one(name):
    """Return the code generator that calls an LLVM intrinsic of one float."""

    def codegen(context, builder, signature, args):
        kind = args[0].type
        function = builder.module.declare_intrinsic(name, (kind,), ir.FunctionType(kind, (kind,)))
        return builder.call(function, args)

    return codegen


@intrinsic
def fabs(typingctx, x):
    """Return the absolute value of x, by clearing its sign bit."""
    return x(x), _made_of_one("llvm.fabs")
