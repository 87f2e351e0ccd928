"""The language of a counted cell: what it has room for, and that nothing in it leads to the recorder."""

import functools
import importlib
import types

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.types import Type
from red_team.count_cells import FUSED, fused

from autograder import overlay
from autograder.examine import plain_text
from autograder.examine.counting import read
from autograder.labs import CHECKS
from autograder.made_up.answers import RIGHT_ANSWERS
from engine import memory_trace
from engine.cuda import bias_activation
from engine.cuda.driver import cuda

TRACED = [name for name in CHECKS if name.startswith(("cuda.", "cpu."))]
OTHERS = {"cuda.queue.schedule", "cuda.caching_allocator.find_free_block", "cuda.caching_allocator.CachingAllocator",
          "cpu.capability.compute_cpu_capability", "cpu.loops.Compiled"}  # fmt: skip
KERNEL = "def bias_activation_kernel(activate):\n    {}\n"


def said(statement, exercise=FUSED):
    return plain_text.unlisted(exercise, KERNEL.format(statement))


@pytest.mark.parametrize("exercise", sorted({*TRACED} - OTHERS))
def test_right_answers_to_counted_exercises_are_plain(exercise):
    for source in (overlay.source_of(exercise), *RIGHT_ANSWERS.get(exercise, ())):
        assert plain_text.unlisted(exercise, source) == ""


@pytest.mark.parametrize(
    "statement",
    [
        "class Held: pass", "try: pass\n    finally: pass", "with activate: pass", "import sys", "global activate",
        "from engine import memory_trace", "import numpy.lib", "from numpy import load", "del activate", "yield",
        "return {1}", "return 'O'", "return {'a': 1}", "return named(lambda: 'O', f'{1}')",
        "return named(activate, (x := 'O'))", "return named(activate, f'{(x := \"O\")}')",
        "def f():\n        raise ValueError((x := 'O'))", "from types import CodeType",
        "from typing import get_type_hints",
        "from math import exp as named; return named('O')", "return f'{activate}'", "return named(activate, 1) or 'O'",
        "named = lambda text: text; return named('O')", "return activate(**activate)", "def f(**k): return k",
        "match activate:\n        case int(): pass", "async def f(): pass", "assert (x := 'O')",
        "activate.x = 1", "del activate.x", "activate.__globals__", "activate.f_back", "cuda.simulator", "cuda._run",
        "np.lib", "np.load", "np.ctypeslib", "np.ndarray", "np.vectorize", "return getattr", "return exec",
        "return open",
        "return __builtins__", "return __import__", "return str", "return object", "return super", "return print",
        "return vars", "return setattr", "return dict", "return dict(O=1)", "return unknown", "return instantiate",
        "return addmm_activation",
        "return kernel_of", "x = lambda exec: exec; exec('1')", "x = [open for open in ()]; open('x')",
        "def f(vars): return lambda: vars\n    vars()", "return lambda x=eval: x", "nonlocal activate", "return engine",
    ],
)  # fmt: skip
def test_what_is_not_listed_is_named(statement):
    assert said(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "return lambda open, vars: open + vars", "return {1: 2}", "return dict(zip((1,), (2,)))",
        "return named(activate, f'a{1}')",
        "return [activate(i) for i in range(3)]", "for i in range(cuda.grid(1), 9, cuda.gridsize(1)): activate(i)",
        "x = cuda.shared.array((3, 4), int); x[0, 1] += 1", "import math; return math.exp(1.0)",
        "return (lambda x, *more: x if x > 0 else -x)(3)", "raise ValueError(f'{activate}')",
        "raise ValueError(f'{activate:.3f} of {3}')", "assert activate", "assert activate, f'{activate}'",
    ],
)  # fmt: skip
def test_what_kernels_need_is_listed(statement):
    assert said(statement) == ""


@pytest.mark.parametrize("name", ["exec", "kernel_of"])
def test_a_name_that_a_text_has_given_to_nothing_is_not_the_engine_s(name):
    assert plain_text.unlisted(FUSED, f"if 0:\n    {name} = 1\n" + KERNEL.format(f"return {name}"))  # no code
    text = KERNEL.format(f"return {name}") + f"if not bias_activation_kernel:\n    {name} = 1\n"
    assert plain_text.unlisted(FUSED, text) == ""
    with overlay.swapped({FUSED: text}), pytest.raises(NameError):
        bias_activation.bias_activation_kernel(None)


def test_a_trace_of_another_text_earns_nothing():
    none = {"events": np.empty((0, 8), np.int64), "kernel": "", "rest": ((), (), ())}
    with plain_text.submitted(FUSED, fused("import functools")), pytest.raises(ValueError, match="line .: functools"):
        read(none, {})


PLAIN = (int, float, bool, complex, str, tuple, list, type(None), np.generic, np.ndarray, np.dtype, np.finfo, np.iinfo,
         type, types.UnionType, np.ufunc, Type, Dispatcher, _Intrinsic)  # fmt: skip
OF_MODULES = {"numpy", "math", "itertools", "numba.cuda", "numba.types", "numba.core.types"}
OURS = ("engine.memory_trace.arrays", "engine.memory_trace.block", "engine.memory_trace.frozen")


def reached(roots, names):
    """All objects that the names lead to from some, and the path to each."""
    waiting, seen = [(root, name) for name, root in roots.items()], {}
    while waiting:
        thing, path = waiting.pop()
        if id(thing) in seen or path.count(".") > 5:
            continue
        seen[id(thing)] = thing, path
        for name in names:
            try:
                waiting.append((getattr(thing, name), f"{path}.{name}"))
            except Exception:
                continue
    return seen.values()


def odd_of(roots, names):
    return {path: thing for thing, path in reached(roots, names) if not is_harmless(thing)}


def test_nothing_that_a_kernel_is_given_leads_to_the_recorder():
    looks = []

    def look(*given):
        roots = dict(zip(("cuda", "out", "here", "value"), given, strict=True))
        looks.append((odd_of(roots, plain_text.attributes()), len(reached(roots, plain_text.attributes()))))

    seen = functools.partial(look)

    def kernel(out):
        here = cuda.shared.array(4, np.float32)
        seen(cuda, out, here, out[0])

    memory_trace.record(cuda.jit(kernel), 1, 1, np.zeros(4, np.float32))
    assert looks[0][0] == {} and looks[0][1] > 50


@pytest.mark.parametrize("module", sorted({name.rpartition(".")[0] for name in {*TRACED} - OTHERS}))
def test_no_name_that_a_text_takes_from_outside_leads_to_the_recorder(module):
    scope = vars(importlib.import_module(f"engine.{module}"))
    names = plain_text.attributes() | plain_text._fields(f"engine.{module}")
    assert odd_of({name: value for name, value in scope.items() if plain_text._is_listed(name, value)}, names) == {}


def is_harmless(thing):
    if isinstance(thing, types.ModuleType):
        return thing.__name__ in OF_MODULES
    return isinstance(thing, PLAIN) or type(thing).__module__ in OURS or callable(thing) or hasattr(thing, "__get__")
