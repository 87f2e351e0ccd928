"""The callers of an operator: the frames of Python, as PyTorch would have them.

PyTorch's operators are written in C++; here they are Python, and left out. What is Python there too is kept: modules,
functionals, optimizers. The call of a module has its name above it, "nn.Module: Linear_0": the first Linear seen.
PyTorch gives the line where a function begins; here it is the line that runs, because that is what one looks for.
"""

import functools
import os
import sys
from collections import Counter
from typing import Any

ENGINE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
KEPT = tuple(os.path.join(ENGINE, kept) for kept in ("nn" + os.sep, "optim" + os.sep))
MODULE_CALL = os.path.join(ENGINE, "nn", "modules", "module.py"), "__call__"


class Stacks:
    """The call stacks of one recording.

    Attributes:
        modules: id of a module -> its name, and the module, so that no other one gets its id.
    """

    def __init__(self) -> None:
        self.modules: dict[int, tuple[str, Any]] = {}
        self._counts: Counter[str] = Counter()

    def current(self) -> tuple[str, ...]:
        """Return the stack frames outside the engine, innermost first, such as "train.py(12): step"."""
        found = []
        frame = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            file = shown_file(code.co_filename)
            if file is not None:
                found.append(f"{file}({frame.f_lineno}): {code.co_name}")
                if (code.co_filename, code.co_name) == MODULE_CALL:
                    found.append(self.name_of(frame.f_locals.get("self")))
            frame = frame.f_back  # type: ignore[assignment]
        return tuple(found)

    def name_of(self, module: Any) -> str:
        """Return a module's class name and its number among modules of that class, in order of first appearance."""
        if id(module) not in self.modules:
            kind = type(module).__name__
            self.modules[id(module)] = f"nn.Module: {kind}_{self._counts[kind]}", module
            self._counts[kind] += 1
        return self.modules[id(module)][0]


@functools.lru_cache(maxsize=4096)
def shown_file(path: str) -> str | None:
    """Return the path shown in stacks, relative to the folder in `sys.path` that contains it; None if hidden.

    The engine's own files are left out, except `nn` and `optim`, and so is generated code.
    """
    if path.startswith(ENGINE):
        return os.path.relpath(path, os.path.dirname(os.path.dirname(ENGINE))) if path.startswith(KEPT) else None
    if path.startswith("<") and not path.startswith("<ipython") and path not in ("<stdin>", "<string>"):
        return None
    folders = [os.path.abspath(folder) + os.sep for folder in sys.path]
    inside = [folder for folder in folders if path.startswith(folder)]
    return path[len(max(inside, key=len)) :] if inside else path
