"""The aten operators as functions: how formulas reach other operators, always through the dispatcher.

    from .at import at
    at.add_Tensor(x, y)

A name is the operator's name, then its overload, as in C++'s at::_ops. The functions have the schema's names and
defaults, and check and convert nothing: they are for the engine, `engine.ops.aten` and the methods are for everyone.
"""

from types import SimpleNamespace
from typing import Any

at: Any = SimpleNamespace()
