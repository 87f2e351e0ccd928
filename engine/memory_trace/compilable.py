"""Code that Python runs and a GPU cannot compile: lists and their like in a kernel, shapes that a launch decides.

numba for CUDA refuses these on a machine with a GPU; numba's simulator, and a recording, would run them.
"""

import dis
import itertools
import types
from collections.abc import Iterator

from .functions import instructions_of

MAKES = {
    "BUILD_LIST": "a list", "BUILD_SET": "a set", "BUILD_MAP": "a dict", "BUILD_CONST_KEY_MAP": "a dict",
    "BUILD_STRING": "a string", "FORMAT_VALUE": "a string", "PUSH_EXC_INFO": "try or with",
    "SETUP_FINALLY": "try or with", "YIELD_VALUE": "yield", "IMPORT_NAME": "an import",
}  # fmt: skip
CALLS = {
    "list": "a list", "sorted": "a list", "dict": "a dict", "set": "a set", "zeros": "an array of NumPy",
    "ones": "an array of NumPy", "full": "an array of NumPy", "empty": "an array of NumPy",
    "arange": "an array of NumPy", "zeros_like": "an array of NumPy", "ones_like": "an array of NumPy",
    "full_like": "an array of NumPy", "empty_like": "an array of NumPy",
}  # fmt: skip
OF_TYPE = ("dtype", "ndim")  # of an array that is an argument: the compiler knows these
OF_LAUNCH = ("blockDim", "gridDim", "threadIdx", "blockIdx", "shape", "size")


def require_compilable(function: types.FunctionType) -> None:
    """Raise RuntimeError if a kernel, or a function that it calls, contains something that no GPU compiler accepts."""
    found = next(_not_compilable(function.__code__), None)
    if found:
        raise RuntimeError(f"{function.__qualname__} has {found} in it, which no GPU can compile")


def _not_compilable(code: types.CodeType) -> Iterator[str]:
    at = instructions_of(code)
    # f(*numbers) makes a list too, and a tuple of it at once, which numba understands.
    into_tuples = sum(one.opname == "LIST_TO_TUPLE" or one.argrepr == "INTRINSIC_LIST_TO_TUPLE" for one in at)
    lists = sum(one.opname == "BUILD_LIST" for one in at)
    yield from (MAKES[one.opname] for one in at if one.opname in MAKES and one.opname != "BUILD_LIST")
    yield from ["a list"] * (lists > into_tuples)
    yield from (CALLS[name] for name in code.co_names if name in CALLS)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>"):
            yield f"a {constant.co_name[1:-5]}"
        elif isinstance(constant, types.CodeType):
            yield from _not_compilable(constant)


def not_constant(code: types.CodeType, offset: int) -> str:
    """Return the name in the shape or dtype of an array made at `offset` that is not a compile-time constant, or ""."""
    arguments: list[dis.Instruction] = []
    for one in instructions_of(code):
        if one.offset >= offset:
            break
        arguments = [] if one.opname in ("LOAD_METHOD", "LOAD_ATTR") and one.argval == "array" else [*arguments, one]
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    for one, after in itertools.zip_longest(arguments, arguments[1:]):
        names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
        if after is not None and after.opname == "LOAD_ATTR" and after.argval in OF_TYPE:
            names = names[:-1]
        if one.opname.startswith("LOAD_FAST") and set(names) & set(given):
            return next(name for name in names if name in given)
        if one.opname == "LOAD_ATTR" and one.argval in OF_LAUNCH:
            return str(one.argval)
    return ""
