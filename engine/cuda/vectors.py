"""16 bytes at a time: four float32, or two float64, that one instruction brings to a thread.

    x = load_global(a, i)          # a[i], a[i + 1], a[i + 2], a[i + 3]: ld.global.v4.f32
    store_shared(tile, j, x)       # tile[j], ... = x: st.shared.v4.f32
    load_four(a, i)                # four elements of any dtype: 4 bytes of bools, 32 of float64

The address must be a multiple of 16 bytes, or of the four elements if these are fewer. On the simulator they are loops
over single elements.
Mirrors aten/src/ATen/native/cuda/MemoryAccess.cuh, aligned_vector.
"""

from typing import Any

from .driver import is_simulated, simulates

BYTES = 16  # of a vector: the widest access that a thread has
FOUR = 4  # elements that a thread of an elementwise kernel takes
GLOBAL, SHARED = 1, 3  # address spaces of LLVM's for NVIDIA's GPUs


def lanes_of(itemsize: int) -> int:
    """Return the number of elements of `itemsize` bytes in a vector."""
    return BYTES // itemsize


def simulated_accesses(lanes: int | None) -> tuple[Any, Any]:
    """Return (load, store) as loops over single elements, for the simulator."""

    def load_elements(array, index):
        """Return elements index, index + 1, ... of a flat array, as a tuple."""
        return tuple([array[index + lane] for lane in range(lanes or lanes_of(array.dtype.itemsize))])

    def store_elements(array, index, values):
        """Write a tuple into elements index, index + 1, ... of a flat array, each converted to its dtype."""
        for lane in range(len(values)):
            array[index + lane] = values[lane]

    return load_elements, store_elements


def make_accesses(space: int, lanes: int | None = None) -> tuple[Any, Any]:
    """Return (load, store) for arrays in an address space; `lanes` elements at a time, or 16 bytes for None."""
    if not is_simulated():
        return compiled_accesses(space, lanes)
    load, store = simulated_accesses(lanes)
    return (
        simulates(load, lambda: compiled_accesses(space, lanes)[0]),
        simulates(store, lambda: compiled_accesses(space, lanes)[1]),
    )


def compiled_accesses(space: int, lanes: int | None) -> tuple[Any, Any]:
    """Return (load, store) as intrinsics that emit LLVM's vector loads and stores."""
    from llvmlite import ir
    from numba import types
    from numba.cuda.extending import intrinsic

    lane_type = ir.IntType(32)

    def count_of(kind: Any) -> int:
        return lanes or BYTES * 8 // kind.dtype.bitwidth

    def vector_at(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> tuple[Any, Any, int]:
        """Return (a pointer to a vector, its type, its alignment in bytes)."""
        element = context.get_data_type(kind.dtype)
        vector = ir.VectorType(element, count_of(kind))
        cell = builder.gep(context.make_array(kind)(context, builder, array).data, [index])
        cell = builder.addrspacecast(cell, ir.PointerType(element, addrspace=space))
        align = min(BYTES, vector.count * context.get_abi_sizeof(element))
        return builder.bitcast(cell, ir.PointerType(vector, addrspace=space)), vector, align

    @intrinsic
    def load(typingctx, array, index):
        values = types.UniTuple(array.dtype, count_of(array))

        def build(context, builder, signature, args):
            pointer, vector, align = vector_at(context, builder, signature.args[0], *args)
            loaded, model = builder.load(pointer, align=align), context.data_model_manager[array.dtype]
            cells = [builder.extract_element(loaded, lane_type(lane)) for lane in range(vector.count)]
            return context.make_tuple(builder, values, [model.from_data(builder, cell) for cell in cells])

        return values(array, types.int64), build

    @intrinsic
    def store(typingctx, array, index, values):
        def build(context, builder, signature, args):
            pointer, vector, align = vector_at(context, builder, signature.args[0], *args[:2])
            stored, model = ir.Constant(vector, ir.Undefined), context.data_model_manager[array.dtype]
            for lane in range(vector.count):
                value = context.cast(builder, builder.extract_value(args[2], lane), values[lane], array.dtype)
                stored = builder.insert_element(stored, model.as_data(builder, value), lane_type(lane))
            builder.store(stored, pointer, align=align)
            return context.get_dummy_value()

        return types.void(array, types.int64, values), build

    return load, store


def add_outer_elements(sums, x, y):
    """Return sums + the outer product of x and y, all tuples; `sums` has the matrix row by row."""
    return tuple([sums[i * len(y) + j] + x[i] * y[j] for i in range(len(x)) for j in range(len(y))])


def make_add_outer() -> Any:
    """Return `add_outer_elements` itself on the simulator, an intrinsic on a GPU."""
    return simulates(add_outer_elements, compiled_add_outer) if is_simulated() else compiled_add_outer()


def compiled_add_outer() -> Any:
    """Return `add_outer_elements` as an intrinsic: a sequence of multiplications and additions.

    Loops over an array of the thread's own would do the same if the compiler unrolled all of them; where it does not,
    the array is in memory.
    """
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


def as_it_is(array):
    """Return the array unchanged: arrays of the simulator are aligned."""
    return array


def make_aligned() -> Any:
    """Build aligned(array), which returns the shared array with its address aligned to 16 bytes.

    numba aligns shared arrays to one element.
    """
    return simulates(as_it_is, compiled_aligned) if is_simulated() else compiled_aligned()


def compiled_aligned() -> Any:
    """Compile `aligned` to an intrinsic, which changes the alignment of shared arrays in the module."""
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


load_global, _ = make_accesses(GLOBAL)
load_shared, store_shared = make_accesses(SHARED)
load_four, store_four = make_accesses(GLOBAL, FOUR)
aligned = make_aligned()
add_outer = make_add_outer()
