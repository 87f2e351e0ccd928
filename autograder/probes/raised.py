"""What was raised, as plain data."""

import builtins


def type_name(error: BaseException) -> str:
    """Exact name of the error's type; one that is not Python's own carries its module.

    So a class of a student's that is called IndexError is not taken for IndexError.
    """
    kind = type(error)
    name = str(kind.__name__)
    return name if getattr(builtins, name, None) is kind else f"{kind.__module__}.{name}"


def message(error: BaseException, limit: int = 500) -> str:
    """At most `limit` characters of the error's text, "" if it has none that can be read."""
    try:
        # A student's __str__ may raise, or return a subclass of str, which is not plain data.
        return str.__getitem__(str(error), slice(limit))
    except Exception:
        return ""
