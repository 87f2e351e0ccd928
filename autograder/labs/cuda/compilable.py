"""Kernels of students as a GPU's compiler sees them: what no GPU could run is refused, though the simulator runs it."""

import re
import warnings
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder.examine import error_data, gpu_compiler

SAID: tuple[tuple[str, str], ...] = (
    (
        r"Untyped (?:global name|freevar\w*|.*?) '(\w+)':.*<class 'function'>",
        r"`\1` is a plain Python function: put @cuda.jit(device=True) above it",
    ),
    (
        r"Untyped .*? '(\w+)':.*<class '(?:type|builtin_function_or_method)'>",
        r"a kernel cannot use `\1`: the compiler does not know it",
    ),
    (r"Untyped .*? '(\w+)':.*<class '(?:.*\.)?(\w+)'>", r"`\1` is an object of Python's, of type \2"),
    (
        r"Cannot unify (.+) and (.+) for '(\w+?)(?:\.\d+)?'",
        r"`\3` is \1 and \2: a name has one type in all of a function",
    ),
    (r"there is no getitem\(\w*Tuple\(.*slice<", "a slice of a tuple must have constant bounds"),
    (r"there is no getitem\(Tuple\(", "the index into a tuple of several types must be a constant"),
    (
        r"there is no array\(",
        "the size of a shared or local array must be a number that was worked out outside of the kernel",
    ),
    (r"there is no i?add\(\w*Tuple\(", "a tuple cannot grow: its length belongs to its type"),
    (r"No conversion from .* to none", "a kernel returns nothing"),
    (r"build_list|build_set|build_map|NRT required", "a list, or another thing that needs new memory"),
    (r"set_try_status|exception_match", "`try`"),
    (r"insert_unresolved_ref|maximum recursion depth", "a function that calls itself, with other types"),
)
"""Numba's messages as patterns, each with its meaning; all others are repeated in numba's words."""

_reasons: dict[frozenset[CodeType], str] = {}
"""Code of a student's that was compiled -> why no GPU could run it, or ""."""


def require(driver: ModuleType, function: FunctionType, arguments: tuple[Any, ...]) -> None:
    """Check that a GPU could run a kernel; each code of a student is compiled once, for the first types that it meets.

    Args:
        driver: the engine's module `cuda.driver`.
        function: the kernel in Python.
    Raises:
        RuntimeError: no GPU could run it; with the line and the reason.
        Exception: as numba raised it, if nothing of a student's is in the kernel: then our side is broken.
    """
    file = f"<{error_data.exercise}>"
    codes = gpu_compiler.reached(function)
    written = frozenset(code for code in codes if code.co_filename == file)
    key = written or frozenset(codes)
    if key not in _reasons:
        _reasons[key] = _refusal(driver, function, arguments, is_ours=not written)
    if _reasons[key]:
        raise RuntimeError(_reasons[key])


def _refusal(driver: ModuleType, function: FunctionType, arguments: tuple[Any, ...], is_ours: bool) -> str:
    """Return why no GPU could run a kernel, or ""."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gpu_compiler.compile_for_gpu(function, arguments, driver)
    except Exception as error:
        if is_ours:
            raise
        line = error_data.place(error)[0]
        return f"no GPU can run this{f', line {line}' * bool(line)}: {reason_of(error)}"
    return ""


def reason_of(error: Exception) -> str:
    """Return the part of a numba error message that helps a student.

    >>> reason_of(TypeError("Untyped global name 'half': Cannot determine Numba type of <class 'function'>"))
    '`half` is a plain Python function: put @cuda.jit(device=True) above it'
    """
    text = error_data.message(error)
    for pattern, meaning in SAID:
        if found := re.search(pattern, text, re.DOTALL):
            return found.expand(meaning)
    return text
