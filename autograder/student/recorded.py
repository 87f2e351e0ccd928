"""The recorded public cases of a lab: questions and the reference's answers, as `cases.json` beside the notebook.

    {"format": 2, "lab": "01-strides", "seed": 0,
     "exercises": {"strides.permute": {"aspects": {"ordinary": [[args, answer, about], ...]}}}}

A case that another probe than the check's is asked for has its name as a fourth item.

JSON has neither tuples nor arrays nor NaN, and a check tells them apart, so what JSON lacks is written as an
object with one key: {"tuple": [...]}, {"dict": [[key, value], ...]}, {"float": "nan"}, {"array": [dtype, shape,
[...]]}.
An answer is {"value": ...} or {"raised": "IndexError", "message": "..."}.
"""

import json
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from autograder.examine.model import Case, Check
from autograder.examine.questions import Observation, answered

FILE = "cases.json"  # beside the notebook
FORMAT = 2
SEED = 0
Recorded = dict[str, list[tuple[Case, Observation]]]


def encode(value: object) -> object:
    """Convert `value` to an object that JSON can represent.

    Raises:
        TypeError: `value` is not plain data.

    >>> encode((1, [2.0, None]))
    {'tuple': [1, [2.0, None]]}
    """
    kind = type(value)  # by exact type: NumPy's float64 is a float, and would come back as one
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}  # type: ignore[arg-type]
    if kind is tuple:
        return {"tuple": [encode(item) for item in value]}  # type: ignore[attr-defined]
    if kind is list:
        return [encode(item) for item in value]  # type: ignore[attr-defined]
    if kind is dict:
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}  # type: ignore[attr-defined]
    if isinstance(value, np.ndarray):
        return {"array": [value.dtype.str, list(value.shape), [encode(item) for item in value.ravel().tolist()]]}
    raise TypeError(f"a case can't hold {type(value).__name__}: {value!r}")


def decode(plain: object) -> object:
    """Return the value from which `encode` made `plain`.

    >>> decode(encode(({"a": float("inf")},)))
    ({'a': inf},)
    """
    if isinstance(plain, list):
        return [decode(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    [(tag, body)] = plain.items()
    if tag == "tuple":
        return tuple(decode(item) for item in body)
    if tag == "dict":
        return {decode(key): decode(item) for key, item in body}
    if tag == "float":
        return float(body)
    dtype, shape, items = body
    return np.array([decode(item) for item in items], dtype=dtype).reshape(shape)


def record(lab: str, checks: Iterable[Check], seed: int = SEED) -> str:
    """Return the text of `cases.json` for these checks, with the reference's answers; deterministic for a seed."""
    entries = {}
    for check in checks:
        aspects = {
            aspect: [
                [encode(case.args), _plain(answer), case.about, *filter(None, (case.probe,))] for case, answer in cases
            ]
            for aspect, cases in answered(check, seed).items()
        }
        entries[check.exercise] = {"aspects": aspects}
    return _dump({"format": FORMAT, "lab": lab, "seed": seed, "exercises": entries})


def load(path: Path) -> dict[str, Recorded]:
    """Return the recorded cases by exercise and aspect.

    Raises:
        FileNotFoundError, ValueError: the file is missing, or is not of this format.
    """
    return {
        exercise: {
            aspect: [(Case(decode(args), *about), _observation(answer)) for args, answer, *about in cases]  # type: ignore[arg-type]
            for aspect, cases in entry["aspects"].items()
        }
        for exercise, entry in _exercises(path).items()
    }


def _exercises(path: Path) -> dict[str, dict]:
    return _stored(path)["exercises"]


def _stored(path: Path) -> dict:
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)  # a check asks several times, and a file of a megabyte takes a while
def _parsed(path: Path, _: int) -> dict:
    stored = json.loads(path.read_text(encoding="utf-8"))
    if stored.get("format") != FORMAT:
        raise ValueError(f"{path}: expected format {FORMAT}, got {stored.get('format')!r}")
    return stored


def _plain(answer: Observation) -> dict:
    return {"raised": answer.raised, "message": answer.message} if answer.raised else {"value": encode(answer.value)}


def _observation(plain: Mapping) -> Observation:
    return Observation(decode(plain.get("value")), plain.get("raised", ""), plain.get("message", ""))


def _dump(stored: dict) -> str:
    """Write JSON with one case a line, so that a changed case is a changed line in a diff."""
    lines = json.dumps({key: stored[key] for key in ("format", "lab", "seed")})[:-1] + ', "exercises": {'
    exercises = []
    for exercise, entry in stored["exercises"].items():
        aspects = (
            f"  {json.dumps(aspect)}: [\n" + ",\n".join("   " + json.dumps(case) for case in cases) + "]"
            for aspect, cases in entry["aspects"].items()
        )
        head = f' {json.dumps(exercise)}: {{"aspects": {{\n'
        exercises.append(head + ",\n".join(aspects) + "}}")
    return lines + "\n" + ",\n".join(exercises) + "}}\n"
