"""Building blocks of compiled functions that work on Python objects: a C extension without a C compiler.

An object is its address, a field is a load at an offset. All else is a function of Python's C API, which LLVM finds in
the process. A compiled function of (self, args, nargs), all of them words, has the C signature of METH_FASTCALL.

Nothing here raises: a function of the C API that fails leaves its exception set, and the caller clears it or returns.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WORD = types.intp
I32, I64, FLOAT, DOUBLE = ir.IntType(32), ir.IntType(64), ir.FloatType(), ir.DoubleType()
FLOATS = 8  # arguments that the ABIs of x86-64 and AArch64 pass in vector registers

Build = Callable[..., Any]


def word_function(build: Build, count: int, result: types.Type = WORD) -> Any:
    """Return an intrinsic that takes `count` words, from its code builder: (context, builder, signature, args)."""
    scope: dict[str, Any] = {"typed": lambda: (result(*(WORD,) * count), build)}
    parameters = ", ".join(("typingctx", *(f"word_{k}" for k in range(count))))  # numba counts the parameters
    exec(f"def made({parameters}):\n    return typed()", scope)
    return intrinsic(scope["made"])


def _load(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
    return builder.load(builder.inttoptr(builder.add(*args), I64.as_pointer()))


def _store(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
    builder.store(args[2], builder.inttoptr(builder.add(args[0], args[1]), I64.as_pointer()))
    return context.get_dummy_value()


load = word_function(_load, 2)  # (address, offset): the word that is there
store = word_function(_store, 3, types.void)  # (address, offset, word)


def words_on_stack(count: int) -> Any:
    """Return a function that returns the address of `count` words on the stack, valid until its caller returns."""

    def build(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        with builder.goto_entry_block():
            return builder.ptrtoint(builder.alloca(I64, count), I64)

    return word_function(build, 0)


# ---- functions of C


def c_function(name: str, *arguments: ir.Type, result: ir.Type | None = I64) -> Any:
    """Return an intrinsic that calls a C function by name, with words truncated or extended to its argument types."""

    def build(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        kind = ir.FunctionType(result or ir.VoidType(), arguments)
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return _called(context, builder, function, arguments, args, result)

    return word_function(build, len(arguments), WORD if result else types.void)


def c_pointer(*arguments: ir.Type) -> Any:
    """Return an intrinsic that calls the C function at an address: (address, *arguments), and returns a word."""

    def build(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        kind = ir.FunctionType(I64, arguments)
        return _called(context, builder, builder.inttoptr(args[0], kind.as_pointer()), arguments, args[1:], I64)

    return word_function(build, 1 + len(arguments))


def _called(context: Any, builder: ir.IRBuilder, function: Any, kinds: Any, words: Any, result: Any) -> ir.Value:
    given = [builder.trunc(word, kind) if kind is I32 else word for kind, word in zip(kinds, words, strict=True)]
    made = builder.call(function, given)
    return context.get_dummy_value() if result is None else builder.sext(made, I64) if result is I32 else made


inc_ref = c_function("Py_IncRef", I64, result=None)
dec_ref = c_function("Py_DecRef", I64, result=None)
allocate_object = c_function("PyType_GenericAlloc", I64, I64)  # (class, 0): its slots are empty
vectorcall = c_function("PyObject_Vectorcall", I64, I64, I64, I64)
int_of = c_function("PyLong_FromLongLong", I64)
value_of_int = c_function("PyLong_AsLongLong", I64)
hash_of = c_function("PyObject_Hash", I64)
compare = c_function("PyObject_RichCompareBool", I64, I64, I32, result=I32)
tuple_of = c_function("PyTuple_New", I64)
tuple_size = c_function("PyTuple_Size", I64)
tuple_item = c_function("PyTuple_GetItem", I64, I64)
set_tuple_item = c_function("PyTuple_SetItem", I64, I64, I64, result=I32)
dict_item = c_function("PyDict_GetItem", I64, I64)
clear_error = c_function("PyErr_Clear", result=None)
thread_state = c_function("PyThreadState_Get")
save_thread = c_function("PyEval_SaveThread")
restore_thread = c_function("PyEval_RestoreThread", I64, result=None)
fill_memory = c_function("memset", I64, I32, I64)
# (at, class, dtype (taken), ndim, address of the sizes, of the strides, of the data, flags, obj), and (at, array, base)
new_array_at = c_pointer(I64, I64, I32, I64, I64, I64, I32, I64)
set_base_at = c_pointer(I64, I64)


def _bits_of_float(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(DOUBLE, [I64]), "PyFloat_AsDouble")
    return builder.bitcast(builder.call(function, args), I64)


def converted(source: ir.Type, target: ir.Type) -> Any:
    """Return an intrinsic that reinterprets the bits of an 8-byte number as another type; integers are signed."""

    def build(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        if source is DOUBLE:
            number = builder.fptrunc(builder.bitcast(args[0], DOUBLE), target)
        else:
            number = builder.sitofp(args[0], target)
        bits = ir.IntType(64 if target is DOUBLE else 32)
        return builder.zext(builder.bitcast(number, bits), I64) if bits.width == 32 else builder.bitcast(number, bits)

    return word_function(build, 1)


bits_of_float = word_function(_bits_of_float, 1)
float_of_double, float_of_int, double_of_int = converted(DOUBLE, FLOAT), converted(I64, FLOAT), converted(I64, DOUBLE)


def kernel_call(words: int) -> Any:
    """Return an intrinsic that calls a kernel: (address, address of its words, of its floats); it returns the status.

    It passes `words` words and FLOATS floats, more than the kernel takes. The ABIs of x86-64 and AArch64 pass the two
    kinds apart, and a function does not see what it does not take, so one call serves kernels of any signature.
    """

    def build(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        kinds = [I64] * words + [DOUBLE] * FLOATS
        function = builder.inttoptr(args[0], ir.FunctionType(I32, kinds).as_pointer())
        integers, floats = (builder.inttoptr(args[1], I64.as_pointer()), builder.inttoptr(args[2], DOUBLE.as_pointer()))
        given = [builder.load(builder.gep(integers, [I64(k)])) for k in range(words)]
        given += [builder.load(builder.gep(floats, [I64(k)])) for k in range(FLOATS)]
        return builder.sext(builder.call(function, given), I64)

    return word_function(build, 3)


# ---- what Python does


class PyMethodDef(ctypes.Structure):
    """The C struct PyMethodDef of Include/methodobject.h."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


METH_FASTCALL = 0x80
_definitions: list[PyMethodDef] = []  # a built-in function points to its definition for as long as it lives


def definition_of(name: str, address: int) -> int:
    """Return the address of a new PyMethodDef for a built-in function (self, args, nargs), which is kept alive."""
    _definitions.append(PyMethodDef(name.encode(), address, METH_FASTCALL, None))
    return ctypes.addressof(_definitions[-1])


def builtin(definition: int, table: np.ndarray) -> Callable[..., Any]:
    """Return a built-in function whose `self` is the array `table`, to which it holds a reference."""
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(("PyCFunction_NewEx", ctypes.pythonapi))(definition, table, None)


def this_thread() -> int:
    """Return the address of the current PyThreadState, as `thread_state()` does in compiled code."""
    return int(ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_Get", ctypes.pythonapi))())


def numpy_function(number: int) -> int:
    """Return the address of a NumPy C API function by its index, which never changes (numpy_api.py of NumPy)."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    table = get(_multiarray_umath._ARRAY_API, None)
    return (ctypes.c_void_p * (number + 1)).from_address(table)[number] or 0


def words_of(obj: Any, count: int) -> list[int]:
    """Return the first `count` words of an object's memory."""
    return list((ctypes.c_int64 * count).from_address(id(obj)))


def offsets_of_slots(cls: type) -> dict[str, int]:
    """Return the byte offset of each slot in an instance, found by setting the slot and searching for the value.

    Raises:
        ValueError: the value is not there.
    """
    found = {}
    for base in cls.__mro__:
        for name, member in vars(base).items():
            if type(member).__name__ == "member_descriptor":
                probe: Any = object.__new__(cls)
                mark = object()
                member.__set__(probe, mark)
                found[name] = 8 * words_of(probe, cls.__basicsize__ // 8).index(id(mark))
    return found
