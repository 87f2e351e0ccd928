"""Behaviors of autograd, a small function of `T` each, run with `T = engine` and `T = torch`.

A snippet's name says what it shows. `DIFFERENT` lists what differs on purpose, with the reason.
"""

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import (
    accumulation,
    backward,
    function_backward,
    function_results,
    functions,
    grad,
    graphs,
    higher_order,
    hooks,
    inplace,
    leaves,
    modes,
    threads,
    views,
)
from .observe import outcome

MODULES = (
    leaves, accumulation, graphs, backward, grad, higher_order, inplace, views, modes, hooks, functions,
    function_results, function_backward, threads,
)  # fmt: skip

DIFFERENT: dict[str, str] = {
    "modes.a_clone_of_an_inference_tensor_is_ordinary": "PyTorch's clone of an inference tensor begins at version 1: "
    "the copy inside of it is counted as a write. Here the clone is new, and begins at 0 as any other.",
}
"""Name of a snippet -> why the engine does not do as PyTorch."""


def _snippets(module: ModuleType) -> dict[str, Callable[[Any], Any]]:
    """The public functions of a module, in the order of the file."""
    subject = module.__name__.rpartition(".")[2]
    return {
        f"{subject}.{name}": function
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }


SNIPPETS = {name: function for module in MODULES for name, function in _snippets(module).items()}
"""subject.behavior -> the function."""


def difference(name: str) -> str:
    """Return what the engine and PyTorch make of a snippet, if the results differ; else nothing."""
    import torch

    import engine

    torch.set_warn_always(True)
    got, expected = outcome(engine, SNIPPETS[name]), outcome(torch, SNIPPETS[name])
    return "" if got == expected else f"{name}\n  engine:  {got}\n  PyTorch: {expected}"


def differences() -> list[str]:
    """Return the differences that are not listed in `DIFFERENT`, and the listed ones that no longer differ."""
    found = {name: difference(name) for name in SNIPPETS}
    return [text for name, text in found.items() if text and name not in DIFFERENT] + [
        f"{name}: listed as different, and is not" for name in DIFFERENT if not found[name]
    ]
