"""Names by which code gets hold of what nobody gave it: attributes, builtins and tools that an exercise may not use.

The text of a cell is held against these before it runs (`cell_rules.py`), and so is its compiled code where it runs
(`sandbox/restricted_builtins.py`): two programs, one list.
"""

import string
from collections.abc import Collection

MODULE_TOOLS = ("collections", "collections.abc", "dataclasses", "functools", "itertools", "operator", "typing")
GETTERS = ("attrgetter", "methodcaller")  # of operator; `restricted_builtins.tools` has them look at each name
# Of these modules what takes the name of an attribute, or an expression, in a text.
BY_TEXT = frozenset((
    *GETTERS, "get_type_hints", "ForwardRef", "update_wrapper", "singledispatch",
    "singledispatchmethod", "Formatter", "evaluate_forward_ref", "make_dataclass",
))  # fmt: skip
FORBIDDEN_NAMES = BY_TEXT | {
    "importlib", "exec", "eval", "open", "compile", "breakpoint",
    "globals", "locals", "vars", "dir", "getattr", "setattr", "delattr",
}  # fmt: skip
FORBIDDEN_ATTRIBUTES = BY_TEXT | {
    "importlib", "exec", "eval", "getattr", "globals",
    "sys", "os", "builtins", "bltns", "modules",  # what Python's own modules import: `enum.sys.modules`
    "inspect", "ctypes", "ctypeslib", "threading", "traceback", "linecache", "pickle", "mmap", "dis", "copyreg",
    "contextlib", "warnings", "weakref", "subprocess",
    "stride_tricks", "memmap", "fromfile", "carray", "farray", "objmode", "simulator",  # raw memory
    "tofile", "dump", "dumps", "property",  # files and pickles of an array; `enum.property` is a getattr
    "testing", "f2py", "distutils", "pycc", "cudadrv", "kernelapi",  # parts of NumPy and numba that execute texts
    "f_back", "f_globals", "f_locals", "f_builtins", "f_code", "tb_frame", "tb_next", "gi_frame", "cr_frame",
    "ag_frame", "gi_code", "cr_code", "ag_code", "co_code", "co_consts", "cell_contents", "mro",
    "obj", "global_enum",  # the object of an AttributeError; writes into the module of any name
}  # fmt: skip
HARMLESS_DUNDERS = {
    "__init__", "__new__", "__slots__", "__class__", "__name__", "__qualname__", "__module__", "__doc__", "__debug__",
    "__len__", "__iter__", "__next__", "__contains__", "__getitem__", "__setitem__", "__delitem__", "__reversed__",
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__", "__int__", "__index__",
    "__add__", "__sub__", "__mul__", "__floordiv__", "__truediv__", "__mod__", "__pow__", "__neg__", "__abs__",
    "__and__", "__or__", "__xor__", "__invert__", "__lshift__", "__rshift__", "__radd__", "__rsub__", "__rmul__",
    "__call__", "__enter__", "__exit__", "__repr__", "__str__",
}  # fmt: skip
# What nothing is called in an exercise, nor in a text: with it an object says where in memory its data are, what its
# attributes are, or what is to be executed for it.
PROTOCOLS = ("__array", "__cuda_array_interface__", "__buffer__", "__dlpack", "__dict__", "__dataclass_",
             "__annotations__", "__match_args__", "__getattribute__")  # fmt: skip
FORMATS = ("format", "format_map")  # a text names the attributes
OF_NAMED_TUPLES = {"_replace", "_asdict", "_fields", "_make"}


def is_inside(name: str) -> bool:
    """Return True for names of Python internals, "__globals__" or "_sys_", except ordinary special methods."""
    return len(name) > 2 and name[0] == name[-1] == "_" and name not in HARMLESS_DUNDERS


def is_protocol(name: object) -> bool:
    """Return True for a text that is the name of one of the `PROTOCOLS`, "__array_struct__" among them."""
    return isinstance(name, str) and name.startswith(PROTOCOLS) and is_inside(name)


def is_private(name: str) -> bool:
    """Return True for names with a leading underscore, except special methods and methods of named tuples."""
    return name[:1] == "_" and name not in HARMLESS_DUNDERS and name not in OF_NAMED_TUPLES


def refuses_attribute(name: str, allowed: Collection[str]) -> bool:
    """Return True if the attribute is forbidden; `allowed` are the module's and the cell's."""
    return name not in allowed and (name in FORBIDDEN_ATTRIBUTES or is_private(name))


def looks_into(template: str) -> bool:
    """Return True if a template of `str.format` accesses attributes or items, as in "{0.x}", or is malformed.

    >>> [looks_into(text) for text in ("{} of {n!r}", "{0.real}", "{0[1]}", "{:{1.x}}", "{")]
    [False, True, True, True, True]
    """
    try:
        fields = [(name or "", inner or "") for _, name, inner, _ in string.Formatter().parse(template)]
    except ValueError:
        return True
    return any("." in name or "[" in name or "{" in inner for name, inner in fields)
