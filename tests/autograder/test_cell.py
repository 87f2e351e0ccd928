"""The rules for a solution cell, applied to its text alone."""

import ast
import inspect
import time

import pytest

from autograder.examine import cell_rules
from autograder.examine.own_imports import without_own_imports
from engine import strides

GIVEN = "def permute(sizes, strides, dims):\n    return sizes, strides\n"


def reason(source: str, exercise: str = "strides.permute") -> str:
    with pytest.raises(cell_rules.CellRefused) as refused:
        cell_rules.inspect_cell(source, exercise)
    return refused.value.reason


@pytest.mark.parametrize(
    "source",
    [
        GIVEN,
        "import math\n" + GIVEN,
        "from math import prod\n" + GIVEN,
        "import enum as e\n" + GIVEN,
        "from itertools import accumulate\nimport functools, operator\n" + GIVEN,
        "from __future__ import annotations\nfrom collections.abc import Iterator\n" + GIVEN,
        "def helper(a):\n    return a % 2\n" + GIVEN,
        "text = '''\n%matplotlib\n!ls\n'''\n" + GIVEN,
        "half = 7 \\\n%2\n" + GIVEN,
        "def f(x):\n    setattr(x, 'b', getattr(x, 'a', 0))\n" + GIVEN,
        "class Box:\n    __slots__ = ('_a',)\n    def __init__(self): self._a = (1).__add__(2)\n" + GIVEN,
        "def f(x):\n    match x:\n        case int() | (_, *_): return type(x).__name__\n" + GIVEN,
        "import functools\ndef f(g):\n    return functools.wraps(g)(lambda: '{} of {!r}'.format(g(), 1))\n" + GIVEN,
        "class Box:\n    _b = 1\n    def _a(self): self._c = self._a() + self._b + self._c\n" + GIVEN,
        "def f(x):\n    return x._replace(a=1)._asdict()\n" + GIVEN,
        "def f(x, dir):\n    open = []\n    def g(): return open + dir\n    return g\n" + GIVEN,
        "from operator import attrgetter, methodcaller\na, b = attrgetter('x.y', 'z'), methodcaller('index', 1)\n"
        + GIVEN,
        "import operator\na = operator.attrgetter('x')\n" + GIVEN,
        "from dataclasses import dataclass\n\n@dataclass\nclass Pair:\n    a: int\n\n" + GIVEN,
    ],
)
def test_a_definition_with_what_it_needs_may_run(source):
    cell_rules.inspect_cell(source, "strides.permute")


@pytest.mark.parametrize(
    ("cell", "dropped"),
    [
        ("from engine.strides import wrap_dim\n", "pass\n"),
        ("from .strides import (\n    wrap_dim,\n)  # again\n", "pass  # again\n\n\n"),
        ("def f():\n    from engine.strides import wrap_dim, permute\n", "def f():\n    pass\n"),
        ("from engine.strides import wrap_dim as wrap\n", "from engine.strides import wrap_dim as wrap\n"),
        ("from numpy import permute\n", "from numpy import permute\n"),
        ("from engine.aten import codegen\n", "from engine.aten import codegen\n"),
        ("def (", "def ("),
    ],
)
def test_an_import_of_what_the_module_has_is_dropped(cell, dropped):
    assert without_own_imports(cell, "strides.permute") == dropped


@pytest.mark.parametrize(
    ("before", "named"),
    [
        ("import numpy as np", "numpy"),
        ("import math, os.path", "os.path"),
        ("from numpy import broadcast_shapes", "numpy.broadcast_shapes"),
        ("from enum import sys", "enum.sys"),
        ("from .dtypes import float32", "engine.dtypes.float32"),
        ("from . import native", "engine.native"),
        ("def f():\n    import torch", "torch"),
        ("import importlib", "importlib"),
        ("from operator import *\nattrgetter('sys.modules')", "attrgetter"),
        ("import operator\noperator.attrgetter('a.__dict__')", "attrgetter"),
        ("import operator\nname = 'x'\noperator.attrgetter(name)", "attrgetter"),
        ("import operator\ng = operator.attrgetter", "attrgetter"),
        ("import operator\noperator = enum\noperator.attrgetter('x')", "attrgetter"),
        ("enum.operator.attrgetter('x')", "attrgetter"),
        ("from enum import operator\noperator.attrgetter('x')", "attrgetter"),
        ("from operator import methodcaller\nmethodcaller('format')", "methodcaller"),
        ("from operator import methodcaller\nmethodcaller('__reduce__')", "methodcaller"),
        ("from dataclasses import make_dataclass", "dataclasses.make_dataclass"),
        ("import collections\ncollections._sys", "_sys"),
        ("__import__('os')", "__import__"),
        ("exec('1')", "exec"),
        ("f = eval", "eval"),
        ("open('x')", "open"),
        ("open = open", "open"),
        ("def f(open): return open('x')\nf(open)", "open"),
        ("def f():\n    open = 1\ndef g():\n    return open('x')", "open"),
        ("def f():\n    global eval\n    eval = eval", "eval"),
        ("def f():\n    class Open:\n        open = open", "open"),
        ("compile('1', '', 'eval')", "compile"),
        ("enum.sys.path", ".sys"),
        ("().__class__.__base__.__subclasses__()", "__subclasses__"),
        ("getattr(enum, 's' + 'ys')", "getattr"),
        ("getattr(enum, 'sys')", "getattr"),
        ("getattr(enum, '__dict__', {})", "getattr"),
        ("getattr(*[enum, 's' + 'ys'], 'name')", "getattr"),
        ("f = getattr", "getattr"),
        ("enum.__dict__['s' + 'ys']", "__dict__"),
        ("print.__self__", "__self__"),
        ("object.__getattribute__(enum, 's' + 'ys')", "__getattribute__"),
        ("enum.Enum._convert_('X', 'sys', lambda name: name == 'modules')", "_convert_"),
        ("enum.global_enum(X)", "global_enum"),
        ("match enum:\n    case object(sys=found): pass", "class pattern"),
        ("match enum:\n    case Anything(found): pass", "class pattern"),
        ("class Anything:\n    __match_args__ = ('sys',)", "__match_args__"),
        ("try: (1).real.x\nexcept AttributeError as error: error.obj", ".obj"),
        ("'{0.real}'.format(1)", ".format"),
        ("text = '{}'\ntext.format(1)", ".format"),
        ("'{0.real}'.format_map({})", ".format_map"),
        ("import functools\nfunctools.update_wrapper(1, 2)", ".update_wrapper"),
        ("import functools\nfunctools.wraps(1, updated=('__globals__',))", "wraps with more"),
        ("from functools import singledispatch", "functools.singledispatch"),
        ("from typing import _eval_type", "typing._eval_type"),
        ("import typing\ntyping._eval_type", "._eval_type"),
        ("x = strides._recorder", "._recorder"),
        ("getattr(strides, '_recorder')", "getattr"),
        ("def f():\n    yield f.gi_frame", "gi_frame"),
        ("class A:\n    def __array_interface__(self): pass", "__array_interface__"),
        ("class A:\n    @property\n    def __dict__(self): pass", "__dict__"),
        ("type('A', (), {'__annotations__': {}})", "__annotations__"),
        ("type('A', (), dict(__buffer__=1))", "__buffer__"),
        ("class A:\n    import math as __array_struct__", "__array_struct__"),
        ("enum.property()", ".property"),
        ("x.tofile('a')", ".tofile"),
        ("x.dumps()", ".dumps"),
    ],
)
def test_a_way_to_other_modules_is_refused_by_name_and_line(before, named):
    text = reason(f"# first line\n{before}\n{GIVEN}")
    assert named in text
    assert text.startswith("line ")


LINES = "def lines(f):\n    return f\n"


@pytest.mark.parametrize("before", [
    "x = np.zeros(3)", "import numpy\nx = numpy.add(1, 2)", "from numpy import zeros, float32 as f",
    "x = np.finfo(np.float32).eps",
    "import numpy as other\nx = other.matmul(a, b)", "def f(x: np.ndarray): return np.add.reduce(x)",
])  # fmt: skip
def test_of_numpy_what_arithmetic_needs_may_be_used(before):
    cell_rules.inspect_cell(f"{before}\n{LINES}", "cpu.scatter_gather.lines")


@pytest.mark.parametrize(("before", "named"), [
    ("np.load(x, allow_pickle=True)", "np.load"), ("np.lib.scimath", "np.lib"), ("np._core", "._core"),
    ("np.frombuffer(x)", "np.frombuffer"), ("np.genfromtxt(x)", "np.genfromtxt"), ("np.f2py", "f2py"),
    ("np.core.multiarray", "np.core"), ("np.memmap('x')", "memmap"), ("np.savetxt('x', y)", "np.savetxt"),
    ("np.frompyfunc", "np.frompyfunc"), ("np.random.rand", "np.random"), ("np.broadcast_shapes", "np.broadcast_shapes"),
    ("import numpy\nnumpy.load(x)", "numpy.load"), ("import numpy as n\nn.load(x)", "n.load"),
    ("from numpy import load", "numpy.load"), ("import numpy.lib", "numpy.lib"),
    ("from numpy.lib import format", "numpy.lib"),
    ("n = np", "np without a dot"), ("f(np)", "np without a dot"), ("getattr(np, 'load')", "np without a dot"),
    ("from ..tensor_impl import np as n\nn.load(x)", "np"), ("dtype.np.load(x)", "dtype.np.load"),
])  # fmt: skip
def test_of_numpy_nothing_else_may_be_used(before, named):
    text = reason(f"{before}\n{LINES}", "cpu.scatter_gather.lines")
    assert named in text and text.startswith("line ")


@pytest.mark.parametrize("line", ["%time", "%%bash", "!ls", "x = !ls", "x = %time 1", "permute?", "!!ls"])
def test_notebook_magic_is_refused_by_name(line):
    assert reason(f"{line}\n{GIVEN}") == (
        f"line 1: {line!r} is notebook magic, not Python: put it in a cell of its own"
    )


@pytest.mark.parametrize("letters", [" ", "\t", "a", "a,", "a=", "=", "%", "!", "?", "a?", ".", "\x0b"])
def test_a_line_of_a_hundred_kilobytes_costs_no_time(letters):
    begun = time.process_time()
    reason(GIVEN + letters * (99_000 // len(letters)) + " (")
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def permute(:\n", "line 1: syntax error"),
        ("x = 1", "`def permute` must stand at its top level"),
        ("if True:\n    def permute(): pass", "does not define permute"),
        ("permute = lambda: 1", "does not define permute"),
        (GIVEN + "\0", "NUL"),
        (GIVEN + "\ud800", "surrogate"),
        (GIVEN + "#" * 100_001, "100,000 are allowed"),
    ],
)
def test_what_can_not_be_the_exercise_is_refused(source, said):
    assert said in reason(source)


@pytest.mark.parametrize(
    "bomb",
    [
        "x = " + "(" * 90_000,
        "x = " + "-" * 90_000 + "1",
        "x = " + "a." * 40_000 + "b",
        "x = " + "1 + " * 20_000 + "1",
        "f" + "(1)" * 30_000,
        "x = " + "lambda: " * 10_000 + "1",
        "x = 1" + " if 1 else 1" * 7_000,
        "x = " + "9" * 5_000,
        "if 1:\n x\n" + "elif 1:\n x\n" * 5_000,
    ],
    ids=lambda bomb: bomb[:12],
)
def test_a_text_made_to_exhaust_the_parser_is_refused(bomb):
    assert reason(f"{bomb}\n{GIVEN}")


def test_a_class_is_defined_as_a_class():
    assert "`class TensorAccessor` must stand" in reason("x = 1", "accessor.TensorAccessor")


def test_an_unknown_exercise_is_our_mistake():
    with pytest.raises(ValueError, match="there is no engine/nowhere.py"):
        cell_rules.inspect_cell(GIVEN, "nowhere.permute")


def test_the_reference_is_the_same_as_the_reference_without_docstring_and_comments():
    tree = ast.parse(inspect.getsource(strides.permute))
    tree.body[0].body = tree.body[0].body[1:]
    assert cell_rules.same_as_reference("import math\n" + ast.unparse(tree) + "  # mine", "strides.permute")


@pytest.mark.parametrize("source", [GIVEN, "def permute(:"])
def test_another_text_is_not_the_same_as_the_reference(source):
    assert not cell_rules.same_as_reference(source, "strides.permute")
