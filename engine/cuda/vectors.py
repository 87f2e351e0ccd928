"""16 bytes at a time: four float32, or two float64, that one instruction brings to a thread.

    x = load_global(a, i)          # a[i], a[i + 1], a[i + 2], a[i + 3]: ld.global.v4.f32
    store_shared(tile, j, x)       # tile[j], ... = x: st.shared.v4.f32

The address must be a multiple of 16 bytes. On the simulator they are loops over single elements.
Mirrors aten/src/ATen/native/cuda/MemoryAccess.cuh, aligned_vector.
"""

from typing import Any

from .driver import is_simulated

BYTES = 16  # of a vector: the widest access that a thread has
GLOBAL, SHARED = 1, 3  # address spaces of LLVM's for NVIDIA's GPUs


def lanes_of(itemsize: int) -> int:
    """How many elements of so many bytes are a vector."""
    return BYTES // itemsize


def load_elements(array, index):
    """Elements index, index + 1, ... of a flat array, as a tuple."""
    return tuple([array[index + lane] for lane in range(BYTES // array.dtype.itemsize)])


def store_elements(array, index, values):
    """Write a tuple into elements index, index + 1, ... of a flat array."""
    for lane in range(len(values)):
        array[index + lane] = values[lane]


def accesses_of(space: int) -> tuple[Any, Any]:
    """(load, store) for arrays in one of the address spaces, as `load_elements` and `store_elements`."""
    return (load_elements, store_elements) if is_simulated() else compiled_accesses(space)


def compiled_accesses(space: int) -> tuple[Any, Any]:
    """The same as intrinsics: LLVM's load and store of a vector."""
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import intrinsic

    lane_type = ir.IntType(32)

    def vector_at(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> tuple[Any, Any]:
        """(a pointer to a vector, its type)"""
        element = context.get_data_type(kind.dtype)
        vector = ir.VectorType(element, BYTES * 8 // kind.dtype.bitwidth)
        cell = builder.gep(context.make_array(kind)(context, builder, array).data, [index])
        cell = builder.addrspacecast(cell, ir.PointerType(element, addrspace=space))
        return builder.bitcast(cell, ir.PointerType(vector, addrspace=space)), vector

    @intrinsic
    def load(typingctx, array, index):
        values = types.UniTuple(array.dtype, BYTES * 8 // array.dtype.bitwidth)

        def build(context, builder, signature, args):
            pointer, vector = vector_at(context, builder, signature.args[0], *args)
            loaded = builder.load(pointer, align=BYTES)
            lanes = [builder.extract_element(loaded, lane_type(lane)) for lane in range(vector.count)]
            return context.make_tuple(builder, values, lanes)

        return values(array, types.int64), build

    @intrinsic
    def store(typingctx, array, index, values):
        def build(context, builder, signature, args):
            pointer, vector = vector_at(context, builder, signature.args[0], *args[:2])
            stored = ir.Constant(vector, ir.Undefined)
            for lane in range(vector.count):
                stored = builder.insert_element(stored, builder.extract_value(args[2], lane), lane_type(lane))
            builder.store(stored, pointer, align=BYTES)
            return context.get_dummy_value()

        return types.void(array, types.int64, values), build

    return load, store


def add_outer_elements(sums, x, y):
    """sums + the outer product of x and y; tuples, of which `sums` has the rows of the matrix one after the other."""
    return tuple([sums[i * len(y) + j] + x[i] * y[j] for i in range(len(x)) for j in range(len(y))])


def add_outer_of() -> Any:
    """`add_outer_elements`, as one multiplication and addition after the other.

    Loops over an array of the thread's own would do the same if the compiler unrolled all of them; where it does not,
    the array is in memory.
    """
    if is_simulated():
        return add_outer_elements
    from llvmlite import ir
    from numba.cuda.extending import intrinsic

    def add_product(builder: Any, total: Any, x: Any, y: Any) -> Any:
        if isinstance(x.type, ir.IntType):
            return builder.add(total, builder.mul(x, y))
        fma = builder.module.declare_intrinsic("llvm.fma", (x.type,), ir.FunctionType(x.type, (x.type,) * 3))
        return builder.call(fma, (x, y, total))

    @intrinsic
    def add_outer(typingctx, sums, x, y):
        def build(context, builder, signature, args):
            totals, rows, columns = (entries(builder, arg) for arg in args)
            made = [
                add_product(builder, totals[i * len(columns) + j], row, column)
                for i, row in enumerate(rows)
                for j, column in enumerate(columns)
            ]
            return context.make_tuple(builder, sums, made)

        return sums(sums, x, y), build

    def entries(builder: Any, values: Any) -> list[Any]:
        return [builder.extract_value(values, i) for i in range(values.type.count)]

    return add_outer


def aligned_of() -> Any:
    """aligned(array): a shared array, after it is seen to that it begins at a multiple of 16 bytes.

    numba aligns shared arrays to one element.
    """
    if is_simulated():
        return lambda array: array
    from numba.cuda.extending import intrinsic

    @intrinsic
    def aligned(typingctx, array):
        def build(context, builder, signature, args):
            for variable in builder.module.global_values:
                if getattr(variable, "addrspace", 0) == SHARED:
                    variable.align = BYTES
            return args[0]

        return array(array), build

    return aligned


load_global, store_global = accesses_of(GLOBAL)
load_shared, store_shared = accesses_of(SHARED)
aligned = aligned_of()
add_outer = add_outer_of()
