"""Classes that stay as they are: what a kernel is given can't be changed by it, nor can its class."""

from collections.abc import Callable
from typing import Any


class Frozen(type):
    """A metaclass for classes that cannot be subclassed, and whose attributes cannot be changed."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> "Frozen":
        if bases:
            raise TypeError(f"{bases[0].__name__} has no subclasses")
        return super().__new__(cls, name, bases, members)

    def __setattr__(cls, name: str, value: Any) -> None:
        raise AttributeError(f"{cls.__name__} keeps its {name!r}")

    def __delattr__(cls, name: str) -> None:
        raise AttributeError(f"{cls.__name__} keeps its {name!r}")


def set_once(kind: type) -> tuple[Callable[[Any, Any], None], ...]:
    """Return the setters of a class's slots, in order, for a class that forbids assignment."""
    return tuple(vars(kind)[name].__set__ for name in vars(kind)["__slots__"])


def namespace(name: str, members: dict[str, Any], fallback: Callable[[str], Any] | None = None) -> Any:
    """Return an immutable object with these members, which may include functions and properties.

    Args:
        fallback: gives what is asked for by any other name.
    """
    kept = {key: staticmethod(value) if callable(value) else value for key, value in members.items()}
    if fallback is not None:
        kept["__getattr__"] = lambda self, key: fallback(key)
    return Frozen(name, (), {"__slots__": (), **kept})()
