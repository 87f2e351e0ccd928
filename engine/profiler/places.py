"""The functions that are looked at while a profile is on, beside the calls of operators.

Layers above and below enter theirs here; importing this costs nothing, and the profiler is not needed for it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

Function = Callable[..., Any]


class Place(NamedTuple):
    """A function that is watched while a recorder is on: then another one replaces it where it is looked up.

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
        """Return the owner, and its subclasses that have the name too."""
        found, left = [], [self.owner]
        while left:
            owner = left.pop()
            found += [owner] if self.name in entries_of(owner) else []
            left += owner.__subclasses__() if isinstance(owner, type) else []
        return found


PLACES: list[Place] = []


def entries_of(owner: Any) -> Any:
    """Return the own entries of a dict, a module or a class, by name."""
    return owner if isinstance(owner, dict) else vars(owner)


def put(owner: Any, name: str, function: Function) -> None:
    """Set the function that is looked up as `name` in `owner` from now on."""
    if isinstance(owner, dict):
        owner[name] = function
    else:
        setattr(owner, name, function)


def annotated(name_of: Callable[..., str]) -> Callable[[Any, Function], Function]:
    """Build `wrapped` of a `Place`: each call is an event named `name_of(*arguments)`, as with `record_function`."""

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
