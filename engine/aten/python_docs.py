"""Docstrings of the bound names: a sentence and an example from operators.txt, schemas, and where the code is.

A block of operators.txt is a line `abs: Return the absolute value of each element.` and an example below it, as doctest
writes it; or a line `row_stack = vstack` for another name. An entry with `alias_of` needs neither, and an in-place form
derives its docstring from the operator's.
Mirrors torch/_torch_docs.py and torch/_tensor_docs.py.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import registration

PATH = Path(__file__).with_name("operators.txt")
OPERATOR = re.compile(r"(.*) (?:&|\||\^|<<|>>) (.*)")
MIRRORED = re.compile(r"\b(?:aten|torch|c10)/[^\s;)`]*\w\}?(?:\.\w+)?")


def docstrings(native_functions: Iterable[Any]) -> dict[str, str]:
    """Return the docstring of each operator's name."""
    written = dict(blocks(PATH.read_text("utf-8")))
    entries: dict[str, list[Any]] = {}
    for entry in native_functions:
        entries.setdefault(entry.func.name.base, []).append(entry)
        if entry.alias_of and entry.alias_of.base in written:
            written.setdefault(entry.func.name.base, f"={entry.alias_of.base}")
    files = kernel_files(entries)
    made = {}
    for name, overloads in entries.items():
        is_method = any("method" in entry.variants for entry in overloads)
        schemas = "\n".join(["Schemas:", *(f"    {entry.func}" for entry in overloads)])
        made[name] = "\n\n".join(filter(None, (about(name, written, is_method), schemas, files.get(name, ""))))
    return made


def blocks(text: str) -> Iterable[tuple[str, str]]:
    """Yield each name in operators.txt with the beginning of its docstring: the sentence and its example."""
    for block in text.strip().split("\n\n"):
        head, _, example = block.partition("\n")
        name, separator, sentence = head.partition(": ")
        if separator:
            yield name, f"{sentence}\n\n{example}" if example else sentence
        else:
            other, _, name = head.partition(" = ")
            yield other, f"={name}"


def about(name: str, written: dict[str, str], is_method: bool = True) -> str:
    """Return the sentence and the example for a name; "" if there are none.

    Args:
        written: name -> what operators.txt says.
        is_method: of `Tensor`, so that an in-place form is called as one.
    """
    text = written.get(name)
    if text is not None:
        if not text.startswith("="):
            return text
        other = text[1:]
        example = written[other].partition("\n\n")[2].replace(f".{other}(", f".{name}(")
        return f"Another name for `{other}`.\n\n{example}"
    base = f"__{name[3:]}" if name.startswith("__i") else name.removesuffix("_")
    text = about(base, written) if base != name else ""
    call, _, result = text.partition("\n\n")[2].partition("\n")
    changed = in_place(call, base, name) if is_method else call.replace(f".{base}(", f".{name}(", 1)
    example = f"{changed}\n{result}" if call else ""
    return f"Write the result of `{base}` into `self` and return it.\n\n{example}" if text else ""


def in_place(call: str, base: str, name: str) -> str:
    """Return an example call of an in-place form, made from the operator's example call.

    >>> in_place(">>> torch.add(x, 1)", "add", "add_"), in_place(">>> x & 1", "__and__", "__iand__")
    ('>>> x.add_(1)', '>>> x.__iand__(1)')
    """
    operator = OPERATOR.fullmatch(call)
    if operator:
        return f"{operator[1]}.{name}({operator[2]})"
    arguments = call.partition(f"{base}(")[2]
    depth = 0
    for end, character in enumerate(arguments):
        if depth == 0 and character in ",)":
            return f">>> {arguments[:end]}.{name}({arguments[end:].removeprefix(', ')}"
        depth += (character in "([{") - (character in ")]}")
    return call


def kernel_files(entries: dict[str, list[Any]]) -> dict[str, str]:
    """Return, for each operator name, the lines that name PyTorch's source file and the engine's."""
    there = {entry.func.name: entry for overloads in entries.values() for entry in overloads}
    lines: dict[str, str] = {}
    of_module: dict[str, str] = {}
    for name, overloads in entries.items():
        for entry in overloads:
            entry = there.get(entry.target, entry)
            entry = there.get(entry.structured_delegate, entry)
            for kernel in entry.kernels.values():
                function = registration.NATIVE_KERNELS.get(kernel)
                if function is not None and name not in lines:
                    module = function.__module__
                    lines[name] = of_module.get(module) or of_module.setdefault(module, module_files(module))
    return lines


def module_files(module: str) -> str:
    """Return `PyTorch: aten/src/ATen/native/Copy.cpp` and `Here: engine/aten/native/copy.py` for a module."""
    mirrored = MIRRORED.findall(sys.modules[module].__doc__ or "")
    theirs = f"PyTorch: {', '.join(mirrored)}\n" if mirrored else ""
    return f"{theirs}Here: {module.replace('.', '/')}.py"
