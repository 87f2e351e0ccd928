"""The bytecode of the exercises, kept apart from the code objects that it belongs to.

The engine can't be imported without its exercises, some of which run meanwhile; and whatever held one of them then
(a table, a closure, a template of numba's) would hold it in front of a student's code. So in what the sandbox is
given the code objects of the exercises are empty: they have names and constants, and all that they do is raise. The
zygote writes the bytecode into them in place, imports the engine, and empties them again; a worker gets the bytecode
of all exercises but its own. So there is nothing to search for: no copy was made, and whoever holds the code object
holds the empty one.

Bytecode is in an object's last field, and in the `bytes` that `co_code` hands out and remembers.
"""

import ctypes
import os
from collections.abc import Iterator, Mapping
from types import CodeType

Exercises = Mapping[str, tuple[str, ...]]  # qualified name -> of a class the methods that the student writes


def _raising() -> None:
    raise


RAISING = _raising.__code__.co_code  # a RuntimeError; any code is at least as long
BYTES_HEADER = bytes.__basicsize__ - 1


def codes_of(module: CodeType, name: str, methods: tuple[str, ...]) -> list[CodeType]:
    """Return the code objects of an exercise and of the functions nested in it, in source order.

    Args:
        module: code of the module.
        name, methods: as in `Exercises`.
    """
    return [code for code, is_own in _walk(module, _qualnames({name: methods}), False) if is_own]


def emptied(module: CodeType, exercises: Exercises) -> CodeType:
    """Return the module's code object with the bytecode of these exercises emptied."""
    return _emptied(module, _qualnames(exercises), False)


def bytecode(codes: list[CodeType]) -> bytes:
    """Return the concatenated bytecode of these code objects, for `fill`."""
    return b"".join(code.co_code for code in codes)


def fill(codes: list[CodeType], source: bytes | memoryview) -> None:
    """Write the bytes that `bytecode` returned into code objects of the same structure."""
    first = 0
    for code in codes:
        own, copy = _places(code)
        own[:] = copy[:] = source[first : first + len(own)]
        first += len(own)
    if first != len(source):
        raise ValueError(f"{first} bytes of code to fill, but {len(source)} to fill them with")


def fill_from_file(codes: list[CodeType], descriptor: int, offset: int) -> int:
    """Do what `fill` does, but read directly from an open file, without a copy; return the offset after it."""
    for code in codes:
        own, copy = _places(code)
        if os.preadv(descriptor, [own], offset) != len(own):
            raise ValueError("the file ends before the code")
        copy[:] = own
        offset += len(own)
    return offset


def empty(codes: list[CodeType]) -> None:
    """Overwrite all bytecode, so that calling a function with this code raises a RuntimeError."""
    for code in codes:
        for place in _places(code):
            place[:] = _nothing(len(place))


def _nothing(size: int) -> bytes:
    return RAISING + bytes(size - len(RAISING))


def _places(code: CodeType) -> tuple[memoryview, memoryview]:
    """Return the memory of the bytecode, and of the copy that `co_code` remembers, to be written to."""
    copy = code.co_code
    addresses = id(code) + CodeType.__basicsize__, id(copy) + BYTES_HEADER
    own, remembered = ((ctypes.c_char * len(copy)).from_address(address) for address in addresses)
    return memoryview(own).cast("B"), memoryview(remembered).cast("B")


def _walk(code: CodeType, qualnames: set[str], is_own: bool) -> Iterator[tuple[CodeType, bool]]:
    is_own = is_own or code.co_qualname in qualnames
    yield code, is_own
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _walk(value, qualnames, is_own)


def _emptied(code: CodeType, qualnames: set[str], is_own: bool) -> CodeType:
    is_own = is_own or code.co_qualname in qualnames
    inner = (_emptied(value, qualnames, is_own) if isinstance(value, CodeType) else value for value in code.co_consts)
    code = code.replace(co_consts=tuple(inner))
    return code.replace(co_code=_nothing(len(code.co_code))) if is_own else code


def _qualnames(exercises: Exercises) -> set[str]:
    return {f"{name}.{method}" if method else name for name in exercises for method in exercises[name] or ("",)}
