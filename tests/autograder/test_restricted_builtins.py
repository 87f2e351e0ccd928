"""Tests of the fence: the builtins and tools that a cell has at run time."""

import types

import pytest

from autograder.examine import cell_rules
from autograder.sandbox import restricted_builtins

MAY_USE, WITHOUT = frozenset(("_mine",)), frozenset(cell_rules.FORBIDDEN_NAMES)


@pytest.mark.parametrize("source", [
    "x._mine", "x._replace(a=1)", "'{}'.format(1)", "f(x) if (1).__add__ else 1",
    "class A:\n    y: int = 1\n    def f(self): return getattr(self, 'a')",
    "match x:\n    case int(): pass", "from functools import reduce",
])  # fmt: skip
def test_harmless_code_may_run(source):
    restricted_builtins.require(source, "<cell>", MAY_USE, WITHOUT)


@pytest.mark.parametrize("source", [
    "x._other", "def f():\n    return lambda: x.__globals__", "x._other = 1", "del x._other", "exec('1')",
    "def f(): return eval", "f'{x._other}'", "'{0.a}'.format(x)", "text.format(x)", "text.format_map(x)",
    "__import__('gc')", "__builtins__", "match x:\n    case object(_other=y): pass", "import typing\ntyping._eval_type",
    "from functools import update_wrapper", "[a._other for a in x]", "x.f_locals", "enum.property", "x.tofile('a')",
    "class A:\n    def __array_interface__(self): pass", "class A:\n    __dict__ = 1", "f(__buffer__=1)",
    "type('A', (), {'__array_struct__': 1})", "x = ('a', ('__annotations__',))",
])  # fmt: skip
def test_code_that_reaches_for_insides_may_not(source):
    with pytest.raises(restricted_builtins.Refused, match="line .* may not be used in an exercise"):
        restricted_builtins.require(source, "<cell>", MAY_USE, WITHOUT)


@pytest.fixture
def module():
    made = types.ModuleType("enclosed")
    made.thing = type("T", (), {"_mine": 1, "_other": 2, "a": 3})
    exec("def own(name): return getattr(thing, name)", vars(made))
    restricted_builtins.enclose(made, MAY_USE, WITHOUT)
    return made


def test_getattr_gives_what_may_be_used_to_functions_of_before_and_after(module):
    exec("def new(name): return getattr(thing, name)", vars(module))
    for function in (module.own, module.new):
        assert (function("a"), function("_mine")) == (3, 1)
        for name in ("_other", "__dict__", "__class__" + "_", "mro", type("Text", (str,), {})("a")):
            with pytest.raises(AttributeError, match="may not be used"):
                function(name)


def test_numpy_has_the_names_that_are_offered_and_no_others():
    import numpy

    made = types.ModuleType("enclosed")
    made.np = numpy
    restricted_builtins.enclose(made, MAY_USE, WITHOUT, frozenset(("zeros", "no_such_name")))
    assert made.np.zeros is numpy.zeros and made.np.__name__ == "numpy"
    for name in ("load", "lib", "_core", "no_such_name"):
        assert not hasattr(made.np, name)


def test_an_import_of_numpy_gets_the_names_that_are_offered():
    names = frozenset(("zeros",))
    assert not hasattr(restricted_builtins.imported("numpy", (), names), "load")
    assert restricted_builtins.imported("numpy", ("zeros",), names).zeros
    with pytest.raises(ImportError, match="numpy.lib may not be used"):
        restricted_builtins.imported("numpy", ("zeros", "lib"), names)


@pytest.mark.parametrize(
    "call", ["exec('1')", "eval('1')", "open('x')", "compile('1', 'x', 'eval')", "vars()", "dir()"]
)
def test_builtins_are_missing(module, call):
    exec(f"def f(): {call}", vars(module))
    with pytest.raises(NameError, match="may not be used in an exercise"):
        module.f()
    with pytest.raises(NameError, match="may not be used in an exercise"):
        types.FunctionType(module.f.__code__, {"__builtins__": vars(module)["__builtins__"]})()


def test_tools_are_there_but_for_those_that_take_texts():
    import collections
    import functools
    import operator
    import typing

    assert (
        restricted_builtins.tools(operator).add(1, 2) == 3
        and restricted_builtins.tools(collections).abc.Mapping is collections.abc.Mapping
    )
    assert restricted_builtins.tools(functools).wraps(len)(lambda x: 1).__name__ == "len"
    for tool, name in ((functools, "update_wrapper"), (typing, "get_type_hints"),
                       (typing, "ForwardRef"), (typing, "sys"), (functools, "singledispatch"),
                       (collections, "_sys")):  # fmt: skip
        assert hasattr(tool, name) and not hasattr(restricted_builtins.tools(tool), name)
    with pytest.raises(TypeError):
        restricted_builtins.tools(functools).wraps(len, updated=("__globals__",))


def test_getters_look_at_the_names_that_they_are_given():
    import operator

    tools = restricted_builtins.tools(operator)
    assert tools.attrgetter("real", "imag")(3) == (3, 0) and tools.methodcaller("index", "b")("abc") == 1
    for name in ("__class__.mro", "a.__dict__", "_a", "f_globals", type("Text", (str,), {})("a"), 1, "sys.modules"):
        with pytest.raises(AttributeError, match="may not be used"):
            tools.attrgetter("real", name)
        with pytest.raises(AttributeError, match="may not be used"):
            tools.methodcaller(name)
    with pytest.raises(AttributeError, match="may not be used"):
        tools.methodcaller("format", 1)
    with pytest.raises(TypeError):
        type(tools.attrgetter("real"))("__class__")
