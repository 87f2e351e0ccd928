"""Tests of what Python's library executes for an exercise, or reads by a name: nothing that it was not to have.

Each text runs in a process of its own: once as Python is, where it takes something, and once as in a worker.
"""

import subprocess
import sys

import pytest
from red_team.names import BEGIN, OF_PYTHON

from autograder.sandbox.isolation import REPOSITORY

RUN = """
import sys
from autograder.sandbox import checked_generators, restricted_builtins
if sys.argv[1] == "restricted":
    checked_generators.restrict()
    sys.modules["operator"] = restricted_builtins.tools(sys.modules["operator"])
scope = {"__name__": "engine.strides"}
exec(sys.stdin.read(), scope)
print(len(scope.get("taken", ())))
"""
HONEST = """
import abc, functools
from dataclasses import InitVar, KW_ONLY, asdict, astuple, dataclass, field, fields, is_dataclass, replace
from typing import ClassVar, Generic, TypeVar

@dataclass(order=True, frozen=True, slots=True)
class Pair:
    a: int
    _b: "str" = "x"
    c: list = field(default_factory=list, compare=False)

@dataclass
class Base(abc.ABC):
    x: int = 1
    count: ClassVar[int] = 0

@dataclass(unsafe_hash=True)
class Derived(Base):
    start: InitVar[int] = 0
    _: KW_ONLY
    y: int = 2

@dataclass
class Box(Generic[TypeVar("T")]):
    content: object

@functools.wraps(len)
def counted(things): return len(things)

counted = functools.wraps(counted, assigned=("__doc__",))(functools.lru_cache(counted))
assert Pair(1) < Pair(2) and replace(Pair(1), a=3) == Pair(3) and asdict(Derived()) == {"x": 1, "y": 2}
assert astuple(Box[int](1)) == (1,) and [one.name for one in fields(Pair)] == ["a", "_b", "c"]
assert is_dataclass(Box) and counted((1,)) == 1 and counted.__doc__ == len.__doc__
taken = [1]
"""


def run(text, way):
    done = subprocess.run([sys.executable, "-c", RUN, way], input=text, capture_output=True, text=True, cwd=REPOSITORY)
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize("found", OF_PYTHON.values(), ids=OF_PYTHON)
def test_a_text_that_takes_something_takes_nothing_in_a_worker(found):
    assert run(BEGIN + found, "free")[0] not in ("", "0")
    said, why = run(BEGIN + found, "restricted")
    assert said == "" and "Error" in why


def test_what_honest_code_does_with_data_classes_stays():
    assert run(HONEST, "restricted") == ("1", "")
