"""Rules for the members of a module and their names. Mirrors the checks of torch/nn/modules/module.py."""

from typing import Any

from ...tensor_impl import Tensor


def typename(value: Any) -> str:
    """Return the type name of a value for messages; for a tensor, the name depends on the dtype: `torch.FloatTensor`.

    Source: torch.typename.
    """
    if isinstance(value, Tensor):
        return value.type()
    kind = value if isinstance(value, type) else type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def check_name(module: Any, kind: str, name: Any, members: dict[str, Any]) -> None:
    """Check that `name` is allowed for a new member of a module.

    Args:
        kind: "parameter", "buffer" or "module".
        members: existing members of that kind, which may be replaced.
    Raises:
        TypeError: the name is not a string.
        KeyError: it is empty, has a dot, or is something else's.
    """
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')
    if hasattr(module, name) and name not in members:
        raise KeyError(f"attribute '{name}' already exists")


def check_initialised(module: Any, dict_name: str, what: str) -> None:
    """Raise AttributeError if the module's `__init__` has not run yet."""
    if dict_name not in module.__dict__:
        raise AttributeError(f"cannot assign {what} before Module.__init__() call")


def take_out(module: Any, name: str, kept: str) -> None:
    """Remove a name from a module's attributes and member dicts, so that another kind of member can use it.

    Args:
        kept: the dict that will hold the name.
    """
    own = module.__dict__
    own.pop(name, None)
    for dict_name in ("_parameters", "_buffers", "_modules"):
        if dict_name != kept:
            own[dict_name].pop(name, None)
    own["_non_persistent_buffers_set"].discard(name)
