"""Tables that the two dispatchers compute for random sequences of registrations."""

import itertools
import re
from typing import Any

import torch

import engine

from .registrations import FILE, RUNTIME_KEYS, Action, Side, describe, draw

ORIGINS = {"kernel": "kernel", "default backend kernel": "default", "math kernel": "math",
           "autograd kernel": "autograd", "batched kernel": "batched", "backend fallback": "fallback",
           "ambiguous autogradother": "ambiguous"}  # fmt: skip
LINE = re.compile(r"(?P<key>\w+): (?P<skipped>fallthrough )?(?P<where>.*) \[(?P<origin>[\w ]+)\]$")
OWN = re.compile(rf"registered at {FILE}:(\d+)$")
Entry = tuple[int | None, str]  # number of the action that registered it (None: not one of ours), origin

_namespaces = (f"conformance_{number}" for number in itertools.count())


def table_of_torch(name: str) -> dict[str, Entry]:
    """PyTorch's computed table, by runtime key."""
    table: dict[str, Entry] = dict.fromkeys(RUNTIME_KEYS, (None, "missing"))
    for text in torch._C._dispatch_dump_table(name).splitlines():
        match = LINE.match(text)
        if match and match["key"] in table:
            own = OWN.match(match["where"])
            origin = "fallthrough" if match["skipped"] else ORIGINS[match["origin"]]
            table[match["key"]] = (int(own[1]) - 1 if own and not match["skipped"] else None, origin)
    return table


def table_of_engine(name: str, numbers: dict[Any, int]) -> dict[str, Entry]:
    """The engine's, with each function replaced by the number of the action that registered it."""
    table = engine.dispatch.table(name)
    return {
        key: (numbers.get(table[key][0]) if table[key][1] != "fallthrough" else None, table[key][1])
        for key in RUNTIME_KEYS
    }


def compare(actions: tuple[Action, ...]) -> list[str]:
    """Run a sequence on both sides and compare errors and tables after each action."""
    namespace = next(_namespaces)
    functions: dict[int, Any] = {}

    def function(number: int) -> Any:
        return functions.setdefault(number, lambda *arguments: number)

    sides = [Side(T, namespace, "op(Tensor x) -> Tensor", function, function) for T in (engine, torch)]
    name = f"{namespace}::op"
    found = []
    try:
        for number, action in enumerate(actions):
            ours, theirs = (side.run(number, action) for side in sides)
            if ours != theirs:
                found.append(f"action {number} {action}: engine {ours or 'accepts'} | PyTorch {theirs or 'accepts'}")
                break
            if sides[1].defined is not None:
                found += _compare_tables(number, name, {function: at for at, function in functions.items()})
            if found:
                break
    finally:
        for side in sides:
            side.close()
    return found


def _compare_tables(number: int, name: str, numbers: dict[Any, int]) -> list[str]:
    try:
        ours = table_of_engine(name, numbers)
    except Exception as error:
        return [f"after action {number}: engine's table raises {type(error).__name__}: {error}"]
    theirs = table_of_torch(name)
    return [
        f"after action {number}, {key}: engine {ours[key]} | PyTorch {theirs[key]}"
        for key in RUNTIME_KEYS
        if ours[key] != theirs[key]
    ]


def check(sets: int, first_seed: int = 0) -> list[str]:
    """Return the differences, one line a sequence."""
    failures = []
    for seed in range(first_seed, first_seed + sets):
        actions = draw(seed)
        if found := compare(actions):
            failures.append(f"seed {seed}: {found[0]} (of {len(found)}) in {describe(actions)}")
    return failures
