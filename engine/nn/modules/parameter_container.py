"""Modules that hold parameters: in a list, in a dict. Mirrors torch/nn/modules/container.py."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any

from ...tensor_impl import Tensor
from ..parameter import Parameter
from .container import check_index, pairs_of
from .module import Module


def as_parameter(value: Any) -> Any:
    """Convert a tensor to a parameter; return anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def shown_entries(entries: Iterable[tuple[Any, Any]], kind: Any) -> str:
    """Return the repr of the entries of a container of parameters, one line for each entry.

    Args:
        kind: a function from a tensor to the text for its type.
    """
    lines = []
    for key, value in entries:
        if isinstance(value, Tensor):
            sizes, name = "x".join(map(str, value.shape)), "Parameter" if isinstance(value, Parameter) else "Tensor"
            lines.append(f"  ({key}): {name} containing: [{kind(value)} of size {sizes}]")
        else:
            lines.append(f"  ({key}): Object of type: {type(value).__name__}")
    return "\n".join(lines)


class ParameterList(Module):
    """A list of parameters; tensors become parameters, other values stay as they are."""

    def __init__(self, values: Iterable[Any] | None = None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self[place] for place in range(len(self))[index])
        return getattr(self, str(check_index(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(check_index(index, len(self))), as_parameter(value))

    def append(self, value: Any) -> "ParameterList":
        """Append a value."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> "ParameterList":
        """Append several values.

        Raises:
            TypeError: `values` is not iterable, or a tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            kind = type(values).__name__
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {kind}")
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")

    def extra_repr(self) -> str:
        return shown_entries(enumerate(self), lambda tensor: tensor.dtype)


class ParameterDict(Module):
    """A dict of parameters; tensors become parameters, other values stay as they are."""

    def __init__(self, parameters: Any = None):
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the names with their values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """Return the values."""
        return (self[key] for key in self._keys)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value under `key`, or `default` if there is none."""
        return self[key] if key in self._keys else default

    def pop(self, key: str) -> Any:
        """Remove the value under `key` and return it."""
        value = self[key]
        del self[key]
        return value

    def update(self, parameters: Any) -> None:
        """Add the values of a mapping or of pairs; add a plain dict's values in sorted order of their names."""
        pairs = pairs_of("ParameterDict", parameters)
        is_plain = isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict)
        for key, value in sorted(pairs, key=lambda pair: pair[0]) if is_plain else pairs:
            self[key] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def extra_repr(self) -> str:
        return shown_entries(self.items(), lambda tensor: tensor.type())
