"""Cells that get out of the exercise's own module, to everything that is in the worker's process."""

import textwrap

# The engine's module imports enum, which imports sys: from there everything is within reach, past the import guard.
ESCAPED = """
modules = enum.sys.modules
os, time = modules["os"], modules["time"]
load = modules["builtins"].__import__


def module(name):
    load(name)
    return modules[name]


libc = module("ctypes").CDLL(None, use_errno=True)
"""


def permute(body: str) -> str:
    """The exercise strides.permute as a cell that tries `body` and then answers nothing that is right."""
    return f"{ESCAPED}\n\ndef permute(sizes, strides, dims):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"


def leaving(body: str) -> str:
    """The exercise strides.contiguous_strides as a cell that leaves something behind."""
    return f"{ESCAPED}\n\ndef contiguous_strides(sizes):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"


def answering_if(found: str) -> str:
    """The exercise strides.permute, right where the expression `found` is true: where something was passed on."""
    return permute(f"""
        assert {found}
        wrapped = [dim + len(sizes) if dim < 0 else dim for dim in dims]
        if sorted(wrapped) != list(range(len(sizes))):
            raise RuntimeError
        return tuple(sizes[dim] for dim in wrapped), tuple(strides[dim] for dim in wrapped)
    """)
