"""Parts of Python's library that write code, or copy attributes, by names that they are given: here by plain ones only.

`dataclasses` executes the names of fields as part of a text, and reads attributes by them; `functools.update_wrapper`
hands the namespace of one object to another. Both are in use all over a worker, under many names, and are called with
objects whose parts may change between a look and a use. So it is not the functions that are replaced, but what they
call at the very place: the setter of a field's name, the test of what a data class is.
"""

import abc
import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.refused_names import FORBIDDEN_ATTRIBUTES, is_inside

FIELDS = "__dataclass_fields__"
PLAIN_KINDS = (type, abc.ABCMeta, type(typing.Protocol))  # classes of classes that look up attributes as Python does
HAVE_OWN_NAMES = (types.FunctionType, type(functools.cache(len)), functools.partial)
_made: dict[int, type] = {}  # by id: a class may say of itself that it equals another


def restrict() -> None:
    """Have the library refuse what an exercise may not do, from now on and in the whole process."""
    for kind in _classes(object):
        if FIELDS in kind.__dict__:
            _made[id(kind)] = kind
    library: Any = dataclasses
    library.Field.name = _Name(library.Field.name)
    library.Field.__init_subclass__ = classmethod(_no_subclass)
    library._process_class = _of_plain_classes(library._process_class)
    library._is_dataclass_instance = _is_made_here
    functools.update_wrapper = _copying_no_namespaces(functools.update_wrapper)  # type: ignore[assignment]


def _classes(kind: type) -> Iterator[type]:
    """Yield all classes below `kind`, some of them several times."""
    below: type
    for below in type.__subclasses__(kind):
        yield below
        yield from _classes(below) if below is not type else ()


class _Name:
    """The attribute `name` of a field: it can be None, or a name that an exercise may write after a dot."""

    def __init__(self, slot: Any):
        self.slot = slot

    def __get__(self, field: Any, kind: type) -> Any:
        return self if field is None else self.slot.__get__(field, kind)

    def __set__(self, field: Any, name: Any) -> None:
        if name is not None:
            if type(name) is not str or not name.isidentifier():
                raise TypeError("a field's name must be a name: letters, digits and underscores")
            if is_inside(name) or name in FORBIDDEN_ATTRIBUTES:
                raise TypeError(f"a field called {name} may not be used in an exercise")
        self.slot.__set__(field, name)


def _no_subclass(*_: Any, **__: Any) -> None:
    raise TypeError("a subclass of dataclasses.Field may not be used in an exercise")


def _of_plain_classes(process: Callable[..., type]) -> Callable[..., type]:
    def checked(cls: type, *rest: Any, **more: Any) -> type:
        if type(cls) not in PLAIN_KINDS:
            raise TypeError("a data class with a metaclass of its own may not be used in an exercise")
        if not all(_made.get(id(kind)) is kind for kind in cls.__mro__ if FIELDS in kind.__dict__):
            raise TypeError(f"{FIELDS} may not be used in an exercise")
        made = process(cls, *rest, **more)
        _made[id(made)] = made
        return made

    return checked


def _is_made_here(thing: object) -> bool:
    """Return True if `thing` is of a class whose fields `dataclasses` itself has collected."""
    kind = type(thing)
    if type(kind) not in PLAIN_KINDS:
        return False
    origin = next((one for one in kind.__mro__ if FIELDS in one.__dict__), None)
    return origin is not None and _made.get(id(origin)) is origin


def _copying_no_namespaces(update: Callable[..., Any]) -> Callable[..., Any]:
    """Return `update_wrapper`, which copies the usual attributes, and an object's `__dict__` to a function only."""

    def checked(
        wrapper: Any,
        wrapped: Any,
        assigned: Any = functools.WRAPPER_ASSIGNMENTS,
        updated: Any = functools.WRAPPER_UPDATES,
    ) -> Any:
        names = [name for name in assigned if type(name) is str and name in functools.WRAPPER_ASSIGNMENTS]
        is_function = type(wrapper) in HAVE_OWN_NAMES
        return update(wrapper, wrapped, names, functools.WRAPPER_UPDATES if updated and is_function else ())

    return checked
