"""The functions that are looked at while a profile is on, beside the calls of operators.

Layers above and below enter theirs here; importing this costs nothing, and the profiler is not needed for it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

Function = Callable[..., Any]


class Place(NamedTuple):
    """A function that a recorder wraps, and the place where it is looked up and replaced while the recorder is on.

    Attributes:
        owner: the module, class or dict that it is looked up in at each call. Of a class, subclasses that have one of
            their own are looked at too.
        name: of the attribute, or the key.
        wrapped: f(recorder, function) -> the replacement while the recorder is on; `function` itself
            if this recorder does not care.
    """

    owner: Any
    name: str
    wrapped: Callable[[Any, Function], Function]

    def owners(self) -> list[Any]:
        """Return the owner, and all of its subclasses, that define `name` themselves."""
        found, left = [], [self.owner]
        while left:
            owner = left.pop()
            found += [owner] if self.name in entries_of(owner) else []
            left += owner.__subclasses__() if isinstance(owner, type) else []
        return found


PLACES: list[Place] = []


def entries_of(owner: Any) -> Any:
    """Return the attributes that a module or class itself defines, or the entries of a dict, keyed by name."""
    return owner if isinstance(owner, dict) else vars(owner)


def put(owner: Any, name: str, function: Function) -> None:
    """Set `name` in `owner`, a dict, module or class, to a function."""
    if isinstance(owner, dict):
        owner[name] = function
    else:
        setattr(owner, name, function)


def annotated(name_of: Callable[..., str]) -> Callable[[Any, Function], Function]:
    """Return a `wrapped` for `Place` that records each call as an event named `name_of(*arguments)`."""

    def wrapped(recorder: Any, function: Function) -> Function:
        def call(*arguments: Any, **keywords: Any) -> Any:
            if not recorder.is_on():  # a kept reference to the function may be called later
                return function(*arguments, **keywords)
            record = recorder.annotate(name_of(*arguments))
            try:
                return function(*arguments, **keywords)
            finally:
                recorder.end(record)

        return call

    return wrapped
