"""A case as Python text that can be pasted into a cell and runs."""

import math

import numpy as np

from autograder.examine.model import Case, Check
from autograder.examine.plain_data import NUMPY_NUMBERS

LONGEST = 400  # characters; nobody pastes more
LONGEST_SCRIPT = 700  # of a call with what it needs


def call_text(check: Check, case: Case) -> str:
    """Return the call of the function with a case's arguments, or "" if a probe runs the case or the call is too long.

    Where a probe asks, the check may say how a reader asks the same.
    """
    if check.call is not None and not case.probe:
        text = check.call(case.args)
        return text if len(text) <= LONGEST_SCRIPT else ""
    if check.probe_of(case):
        return ""
    try:
        given = ", ".join(map(python_text, case.args))
    except ValueError:
        return ""
    call = f"{check.exercise.rpartition('.')[2]}({given})"
    text = f"import numpy as np; {call}" if "np." in given else call
    return text if len(text) <= LONGEST else ""


def python_text(value: object) -> str:
    """Return an expression that evaluates to plain data, with NumPy as `np`.

    Raises:
        ValueError: `value` is not plain data.

    >>> python_text((1, float("inf"), [np.float32(0.5)], {"a": np.arange(2)}))
    "(1, float('inf'), [np.float32(0.5)], {'a': np.array([0, 1], 'int64')})"
    """
    kind = type(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"  # type: ignore[arg-type]
    if value is None or kind in (bool, int, str):
        return repr(value)
    if kind is tuple:
        inside = ", ".join(map(python_text, value))  # type: ignore[call-overload]
        return f"({inside},)" if len(value) == 1 else f"({inside})"  # type: ignore[arg-type]
    if kind is list:
        return f"[{', '.join(map(python_text, value))}]"  # type: ignore[call-overload]
    if kind is dict:
        pairs = value.items()  # type: ignore[attr-defined]
        return "{" + ", ".join(f"{python_text(key)}: {python_text(item)}" for key, item in pairs) + "}"
    if kind is np.ndarray and value.dtype.type in NUMPY_NUMBERS:  # type: ignore[attr-defined]
        text = f"np.array({python_text(value.tolist())}, {value.dtype.name!r})"  # type: ignore[attr-defined]
        return text if 0 not in value.shape else f"np.zeros({value.shape}, {value.dtype.name!r})"  # type: ignore[attr-defined]
    if kind in NUMPY_NUMBERS:
        return f"np.{kind.__name__}({python_text(value.item())})"  # type: ignore[attr-defined]
    raise ValueError(f"expected plain data, got {kind.__name__}")
