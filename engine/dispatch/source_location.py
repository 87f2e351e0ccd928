"""The place where a function is defined: which file, and whether someone wrote it or a generator did.

A function written by hand has a file below the repository's root, `engine/aten/native/copy.py`. Generated source is
kept in memory under a name in angle brackets; `GENERATORS` maps it to its generator. Any other name in brackets is
code that replaces a function's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .table import Kernel

ROOT = Path(__file__).resolve().parents[2]

# How the name of a generated text begins -> the file of its generator.
GENERATORS = {
    "<dispatcher: ": "engine/dispatch/calling.py",
    "<generated: ": "engine/aten/codegen.py",
    "<python: ": "engine/aten/python_codegen.py",
    "<node: ": "engine/autograd/gen_autograd_functions.py",
    "<autograd: ": "engine/autograd/gen_variable_type.py",
    "<view: ": "engine/autograd/gen_inplace_or_view_type.py",
}


@dataclass(frozen=True)
class Place:
    """A function and the location of its source.

    Attributes:
        file: relative to the repository; of generated text its name in angle brackets.
        function: the qualified name in that file.
        line: the first one of the function; 0 if it is not known.
        generator: the file that generated the text; "" if it was written by hand.
    """

    file: str
    function: str
    line: int = 0
    generator: str = ""

    @property
    def is_generated(self) -> bool:
        return self.generator != ""

    def __str__(self) -> str:
        return f"{self.file}:{self.function}"


def place_in(filename: str, function: str, line: int = 0) -> Place:
    """Return the place of a function whose file is named as in a code object."""
    generator = next((maker for start, maker in GENERATORS.items() if filename.startswith(start)), "")
    path = Path(filename)
    file = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else filename
    return Place(file, function.replace(".<locals>", ""), line, generator)


def place_of_function(function: Callable[..., Any]) -> Place:
    """Return the place of a Python function, or of the class of a callable without code, such as a partial."""
    code = getattr(function, "__code__", None)
    if code is None:
        return place_in(f"<{type(function).__module__}>", type(function).__qualname__)
    return place_in(code.co_filename, code.co_qualname, code.co_firstlineno)


def place_of(kernel: Kernel) -> Place:
    """Return the place of a kernel's function; if it is not generated yet, the place that it will have."""
    debug = kernel.debug.removeprefix("registered at ")
    if debug.startswith("<") and debug.endswith(">"):
        compiled = kernel.function.__code__.co_filename == debug
        return place_of_function(kernel.function) if compiled else place_in(debug, kernel.function.__qualname__)
    return place_of_function(kernel.registered or kernel.function)
