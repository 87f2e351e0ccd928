"""Walks through a network: all modules, parameters and buffers with their paths. Methods of `Module`.

Mirrors Module.named_modules, Module.named_parameters and their kin.
"""

from collections.abc import Iterator
from typing import Any

from ...tensor_impl import Tensor
from ..parameter import Parameter

Module = Any  # the class in module.py; these functions are its methods


def named_modules(
    self: Module, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, Module]]:
    """Yield this module and all its descendants with their paths, each once."""
    memo = set() if memo is None else memo
    if self in memo:
        return
    if remove_duplicate:
        memo.add(self)
    yield prefix, self
    for name, module in self._modules.items():
        if module is not None:
            yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)


def modules(self: Module, remove_duplicate: bool = True) -> Iterator[Module]:
    """Yield this module and all its descendants."""
    return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))


def named_children(self: Module) -> Iterator[tuple[str, Module]]:
    """Yield the direct submodules with their names, each once."""
    memo: set[Module] = set()
    for name, module in self._modules.items():
        if module is not None and module not in memo:
            memo.add(module)
            yield name, module


def children(self: Module) -> Iterator[Module]:
    """Yield the direct submodules."""
    return (module for _, module in self.named_children())


def _named_members(self: Module, kind: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[Any]:
    memo: set[Tensor] = set()
    modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
    for path, module in modules:
        for name, member in module.__dict__[kind].items():
            if member is not None and member not in memo:
                if remove_duplicate:
                    memo.add(member)
                yield (f"{path}.{name}" if path else name), member


def named_parameters(
    self: Module, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Parameter]]:
    """Yield the parameters of this module and its descendants with their paths, each once."""
    return self._named_members("_parameters", prefix, recurse, remove_duplicate)


def parameters(self: Module, recurse: bool = True) -> Iterator[Parameter]:
    """Yield the parameters of this module and its descendants."""
    return (parameter for _, parameter in self.named_parameters(recurse=recurse))


def named_buffers(
    self: Module, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Tensor]]:
    """Yield the buffers of this module and its descendants with their paths, each once."""
    return self._named_members("_buffers", prefix, recurse, remove_duplicate)


def buffers(self: Module, recurse: bool = True) -> Iterator[Tensor]:
    """Yield the buffers of this module and its descendants."""
    return (buffer for _, buffer in self.named_buffers(recurse=recurse))
