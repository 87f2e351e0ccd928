"""Modules that hold others: in a row, in a list, in a dict. Mirrors torch/nn/modules/container.py."""

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain, groupby
from typing import Any

from .module import Module, block, indented


def check_index(index: Any, size: int) -> int:
    """Return an index with a negative one counted from the end; raise IndexError if it is out of range."""
    place = operator.index(index)
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of range")
    return place % size


def pairs_of(name: str, given: Any) -> Iterator[tuple[str, Any]]:
    """Yield the key-value pairs of a mapping or of an iterable of pairs.

    Args:
        name: of the container, for messages.
    Raises:
        TypeError, ValueError: it is neither a mapping nor an iterable of pairs.
    """
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{name}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}"
        )
    if isinstance(given, Mapping) or hasattr(given, "items"):
        yield from given.items()
        return
    for place, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{place} should be Iterable; is{type(pair).__name__}")
        entries = tuple(pair)
        if len(entries) != 2:
            raise ValueError(f"{name} update sequence element #{place} has length {len(entries)}; 2 is required")
        yield entries


class _Numbered(Module):
    """Modules under the names "0", "1", ..."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, list(self._modules)[check_index(index, len(self))], module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else (names[check_index(index, len(self))],):
            delattr(self, name)
        self._modules = {str(place): module for place, module in enumerate(self)}

    def append(self, module: Module) -> Any:
        """Put a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Put several modules at the end."""
        if not isinstance(modules, Iterable):
            kind = type(modules).__name__
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {kind}")
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before the one at `index`."""
        entries = list(self)
        entries.insert(index, module)
        self._modules = {str(place): entry for place, entry in enumerate(entries)}
        return self

    def pop(self, index: int | slice) -> Any:
        """Take out a module, or the modules of a slice."""
        taken = self[index]  # type: ignore[index]  # subclasses define it
        del self[index]
        return taken


class Sequential(_Numbered):
    """Modules that run one after the other: each gets the output of the one before.

    Args:
        modules: the modules; or an OrderedDict of them, whose keys are their names.
    """

    def __init__(self, *modules: Any):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], OrderedDict):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(modules):
                self.add_module(str(place), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, index: int | slice) -> Any:
        entries = list(self._modules.items())
        if isinstance(index, slice):
            return type(self)(OrderedDict(entries[index]))
        return entries[check_index(index, len(self))][1]

    def insert(self, index: int, module: Module) -> "Sequential":
        """Insert a module before the one at `index`.

        Raises:
            AssertionError: it is not a module.
            IndexError: there is no such place.
        """
        assert isinstance(module, Module), f"module should be of type: {Module}"
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        return super().insert(index, module)

    def __add__(self, other: Any) -> "Sequential":
        _check_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> "Sequential":
        _check_sequential(other)
        return self.extend(list(other))

    def __mul__(self, times: Any) -> "Sequential":
        self._check_times(times)
        return Sequential(*(list(self) * times))

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> "Sequential":
        self._check_times(times)
        return self.extend(list(self) * (times - 1))

    def _check_times(self, times: Any) -> None:
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")


def _check_sequential(other: Any) -> None:
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")


class ModuleList(_Numbered):
    """A list of modules, which the owner's `forward` can call in any order."""

    def __init__(self, modules: Iterable[Module] | None = None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[str(check_index(index, len(self)))]

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before the one at `index`."""
        super().insert(index, module)

    def __iadd__(self, modules: Iterable[Module]) -> "ModuleList":
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        """Show modules that print alike and follow each other once, with their number: `(0-2): 3 x Linear(...)`."""
        lines, first = [], 0
        for text, alike in groupby(map(repr, self)):
            count = len(list(alike))
            place = f"({first})" if count == 1 else f"({first}-{first + count - 1})"
            lines.append(indented(f"{place}: {text}" if count == 1 else f"{place}: {count} x {text}"))
            first += count
        return f"{self._get_name()}({block(lines)})"


class ModuleDict(Module):
    """A dict of modules, in insertion order."""

    def __init__(self, modules: Any = None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove the module under `key` and return it."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """Return the names of the modules."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Any]:
        """Return the modules with their names."""
        return self._modules.items()

    def values(self) -> ValuesView[Any]:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add the modules of a mapping or of an iterable of pairs."""
        for key, module in pairs_of("ModuleDict", modules):
            self[key] = module
