"""Vectorized: several numbers that one instruction computes with, as values of compiled code.

    i = 0
    while i + 16 <= n:                                   # 16 float32 are a register of AVX-512
        x = loadu(a, i, 16)                              # a[i : i + 16]
        storeu(out, i, blendv(x, -x, x < 0))             # |x|
        i += 16

Arithmetic, comparisons, `abs`, `np.sqrt`, `np.floor`... mean for each number what they mean for one, a number beside a
vector becomes a vector of it, and comparisons give masks. `blendv`, `fmadd` and `bits` take single
numbers, too: a function written with them serves both. Mirrors at::vec::Vectorized (aten/src/ATen/cpu/vec).
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template
from numba.extending import models, register_model

# ---- the type


class Vectorized(types.Type):
    """The numba type of a vector: `lanes` numbers of one type, or a mask if the type is `types.boolean`."""

    def __init__(self, dtype: types.Type, lanes: int):
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Vectorized({dtype}, {lanes})")


@register_model(Vectorized)
class VectorizedModel(models.PrimitiveModel):
    """The LLVM representation of a `Vectorized`, such as <16 x float>."""

    def __init__(self, manager: Any, kind: Vectorized):
        element = ir.IntType(1) if kind.dtype is types.boolean else manager.lookup(kind.dtype).get_value_type()
        super().__init__(manager, kind, ir.VectorType(element, kind.lanes))


def splat(context: Any, builder: ir.IRBuilder, value: ir.Value, given: types.Type, kind: Vectorized) -> ir.Value:
    """Return a vector whose lanes all hold `value`, or `value` itself if it is a vector."""
    if isinstance(given, Vectorized):
        return value
    value = context.cast(builder, value, given, kind.dtype)
    undefined = ir.Constant(ir.VectorType(value.type, kind.lanes), ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), kind.lanes), [0] * kind.lanes)
    return builder.shuffle_vector(one, undefined, lanes)


# ---- what compiled code makes of a function

Build = Callable[..., ir.Value]
Typed = Callable[..., tuple[Any, Callable] | None]  # types of arguments -> signature and builder; None if unsupported


def compile_as(function: Any, arity: int, typed: Typed, of_literals: bool = False) -> None:
    """Teach numba to compile calls of `function` to LLVM instructions; the types that it supports already stay.

    An `overload` would compile a function for every call, and kernels have dozens. An `intrinsic` would have another
    name in every process, so that kernels made by closures would never be found on disk.

    Args:
        function: a function of Python or NumPy, or an empty one: compiled code knows it by its name.
        arity: number of its arguments, 1 to 3.
        typed: says for which types, and how. The builder takes (context, builder, signature, args), as an intrinsic's.
        of_literals: try the types of literals first, `Literal[int](8)`.
    Source: make_intrinsic_template (numba/core/typing/templates.py)
    """
    takes: dict[int, Callable] = {
        1: lambda typingctx, a: typed(a),
        2: lambda typingctx, a, b: typed(a, b),
        3: lambda typingctx, a, b, c: typed(a, b, c),
    }
    template = make_intrinsic_template(function, takes[arity], function.__name__, prefer_literal=of_literals)
    infer(template)
    infer_global(function, types.Function(template))


def compiled_as(arity: int, typed: Typed, of_literals: bool = False) -> Callable[[Callable], Callable]:
    """Return a decorator that calls `compile_as`, for a function that only compiled code can run."""

    def decorate(function: Callable) -> Callable:
        compile_as(function, arity, typed, of_literals)
        return function

    return decorate


# ---- memory


def _typed_load(array, index, lanes):
    if not isinstance(lanes, types.IntegerLiteral):
        return None
    kind = Vectorized(array.dtype, lanes.literal_value)

    def build(context, builder, signature, args):
        pointer, element = _pointer(context, builder, signature, args)
        vector = ir.VectorType(element, kind.lanes)
        loaded = builder.load(builder.bitcast(pointer, vector.as_pointer()), align=1)
        if kind.dtype is types.boolean:
            return builder.icmp_unsigned("!=", loaded, ir.Constant(vector, None))
        return loaded

    return kind(array, types.int64, lanes), build


def _typed_store(array, index, value):

    def build(context, builder, signature, args):
        pointer, element = _pointer(context, builder, signature, args)
        vector = ir.VectorType(element, value.lanes)
        stored = builder.zext(args[2], vector) if value.dtype is types.boolean else args[2]
        builder.store(stored, builder.bitcast(pointer, vector.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(array, types.int64, value), build


def _pointer(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> tuple[ir.Value, ir.Type]:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return builder.gep(data, [args[1]]), data.type.pointee


def _typed_broadcast(value, lanes):
    if not isinstance(lanes, types.IntegerLiteral):
        return None
    kind = Vectorized(types.unliteral(value), lanes.literal_value)

    def build(context, builder, signature, args):
        return splat(context, builder, args[0], kind.dtype, kind)

    return kind(kind.dtype, lanes), build


@compiled_as(3, _typed_load, of_literals=True)
def loadu(array, index, lanes):
    """Return array[index : index + lanes] of a flat array as a vector, at any alignment; bools become a mask."""
    raise NotImplementedError("a function of compiled code")


@compiled_as(3, _typed_store)
def storeu(array, index, value):
    """Store `value`, a vector or a mask, in array[index : index + lanes]."""
    raise NotImplementedError("a function of compiled code")


@compiled_as(2, _typed_broadcast, of_literals=True)
def broadcast(value, lanes):
    """Return a vector with `value` in every lane."""
    raise NotImplementedError("a function of compiled code")


# ---- arithmetic: a table of builders


def llvm(name: str) -> Build:
    """Return the builder of calls to an LLVM intrinsic, such as "llvm.sqrt", on values of one type."""

    def build(builder: ir.IRBuilder, *args: ir.Value) -> ir.Value:
        kind = ir.FunctionType(args[0].type, [value.type for value in args])
        return builder.call(declared(builder, name, args[0].type, kind), args)

    return build


def declared(builder: ir.IRBuilder, name: str, kind: ir.Type, signature: ir.FunctionType) -> ir.Function:
    """Declare and return the LLVM intrinsic of a name and a type, such as `llvm.sqrt.v16f32`."""
    element = kind.element if isinstance(kind, ir.VectorType) else kind
    lanes = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    return cgutils.get_or_insert_function(builder.module, signature, f"{name}.{lanes}{element.intrinsic_name}")


def compare(sign: str) -> tuple[Build, Build, Build, Build]:
    """Return the builders of a comparison for floats, integers, masks and unsigned ones; with NaN, only != is true."""

    def of_floats(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        return builder.fcmp_unordered(sign, a, b) if sign == "!=" else builder.fcmp_ordered(sign, a, b)

    def of_integers(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        return builder.icmp_signed(sign, a, b)

    def of_unsigned(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        return builder.icmp_unsigned(sign, a, b)

    return of_floats, of_integers, of_integers, of_unsigned


B = ir.IRBuilder
BITS = (None, B.xor, B.xor)
# Python's or NumPy's function: builders for floats, integers, masks
BINARY: dict[Any, tuple[Build | None, Build | None, Build | None]] = {
    operator.add: (B.fadd, B.add, None),
    operator.sub: (B.fsub, B.sub, None),
    operator.mul: (B.fmul, B.mul, None),
    operator.truediv: (B.fdiv, None, None),
    operator.and_: (None, B.and_, B.and_),
    operator.or_: (None, B.or_, B.or_),
    operator.xor: (None, B.xor, B.xor),
    operator.lshift: (None, B.shl, None),
    operator.rshift: (None, B.ashr, None),
}
IN_PLACE = {
    operator.iadd: operator.add, operator.isub: operator.sub,
    operator.imul: operator.mul, operator.itruediv: operator.truediv,
}  # fmt: skip
BINARY |= {in_place: BINARY[function] for in_place, function in IN_PLACE.items()}  # a vector is a value: `s += x`
COMPARISONS = {
    operator.eq: "==", operator.ne: "!=", operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
}  # fmt: skip
UNARY: dict[Any, tuple[Build | None, Build | None, Build | None]] = {
    operator.neg: (B.fneg, B.neg, None),
    operator.invert: (None, B.not_, B.not_),
    abs: (llvm("llvm.fabs"), None, None),
    np.sqrt: (llvm("llvm.sqrt"), None, None),
    np.floor: (llvm("llvm.floor"), None, None),
    np.ceil: (llvm("llvm.ceil"), None, None),
    np.trunc: (llvm("llvm.trunc"), None, None),
    np.rint: (llvm("llvm.rint"), None, None),
}


def builder_for(builders: tuple[Build | None, ...], kind: types.Type) -> Build | None:
    """Return the builder, out of those for floats, integers and masks, for numbers of a type."""
    if len(builders) == 4 and not getattr(kind, "signed", True):
        return builders[3]
    return builders[0 if isinstance(kind, types.Float) else 2 if kind is types.boolean else 1]


def vector_type(*kinds: types.Type) -> Vectorized | None:
    """Return the first vector type of `kinds`, or None if there is none."""
    return next((kind for kind in kinds if isinstance(kind, Vectorized)), None)


def define(function: Any, builders: tuple[Build | None, ...], is_test: bool = False) -> None:
    """Make a function of Python or NumPy accept vectors in compiled code."""

    def typed(*given):
        kind = vector_type(*given)
        build_one = builder_for(builders, kind.dtype) if kind else None
        if build_one is None:
            return None

        def build(context, builder, signature, args):
            return build_one(builder, *(splat(context, builder, *pair, kind) for pair in zip(args, given, strict=True)))

        return (Vectorized(types.boolean, kind.lanes) if is_test else kind)(*given), build

    compile_as(function, 1 if function in UNARY else 2, typed)


for _function, _builders in {**UNARY, **BINARY}.items():
    define(_function, _builders)
for _function, _sign in COMPARISONS.items():
    define(_function, compare(_sign), is_test=True)

# ---- functions of vectors and of single numbers


def of_both(arity: int, build_one: Callable, result: Callable | None = None) -> Callable[[Callable], Callable]:
    """Return `compiled_as` for vectors and single numbers; next to a vector, a number is broadcast.

    Args:
        build_one: (builder, type of the numbers, *values) -> value.
        result: type of the first -> type of the result; None: the same.
    """

    def typed(*given):
        given = tuple(map(types.unliteral, given))
        vector = vector_type(*given)
        first = vector or given[0]

        def cast(context, builder, value, kind):
            if kind is types.boolean or isinstance(kind, Vectorized):
                return value
            return splat(context, builder, value, kind, vector) if vector else context.cast(builder, value, kind, first)

        def build(context, builder, signature, args):
            values = [cast(context, builder, value, kind) for value, kind in zip(args, signature.args, strict=True)]
            return build_one(builder, vector.dtype if vector else first, *values)

        return (result(first) if result else first)(*given), build

    return compiled_as(arity, typed)


def with_dtype(kind: types.Type, dtype: types.Type) -> types.Type:
    """Return the type of a vector or number with its element type replaced by `dtype`."""
    return Vectorized(dtype, kind.lanes) if isinstance(kind, Vectorized) else dtype


OTHER: dict[types.Type, types.Type] = {
    types.float32: types.int32,
    types.float64: types.int64,
    types.int32: types.float32,
    types.int64: types.float64,
}
WIDTH = {
    types.float32: ir.IntType(32),
    types.float64: ir.IntType(64),
    types.int32: ir.FloatType(),
    types.int64: ir.DoubleType(),
}


def _other(kind: types.Type) -> types.Type:
    return with_dtype(kind, OTHER[kind.dtype if isinstance(kind, Vectorized) else kind])


def _fmadd(builder: ir.IRBuilder, kind: types.Type, *factors: ir.Value) -> ir.Value:
    if isinstance(kind, types.Integer):
        return builder.add(builder.mul(*factors[:2]), factors[2])
    return llvm("llvm.fma")(builder, *factors)


def _blendv(builder: ir.IRBuilder, kind: types.Type, a: ir.Value, b: ir.Value, mask: ir.Value) -> ir.Value:
    return builder.select(mask, b, a)


def _bits(builder: ir.IRBuilder, kind: types.Type, a: ir.Value) -> ir.Value:
    other = ir.VectorType(WIDTH[kind], a.type.count) if isinstance(a.type, ir.VectorType) else WIDTH[kind]
    return builder.bitcast(a, other)


@of_both(3, _fmadd)
def fmadd(a, b, c):
    """Return a * b + c; floats are rounded once."""
    raise NotImplementedError("a function of compiled code")


@of_both(3, _blendv)
def blendv(a, b, mask):
    """Return b where the mask is True, else a."""
    raise NotImplementedError("a function of compiled code")


@of_both(1, _bits, _other)
def bits(a):
    """Reinterpret the bits of floats as integers of the same width, and of integers as floats."""
    raise NotImplementedError("a function of compiled code")
