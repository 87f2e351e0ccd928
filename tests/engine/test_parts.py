"""Grafting a student's part: a small package of its own, so that each test says what it grafts onto."""

import functools
import importlib
import inspect
import sys
import traceback

import pytest

import engine
from autograder import overlay
from tests.engine import toy_engine

SHAPES = '''
import functools
import math

LIMIT = 10

def area(width, height=2, *, scale=1):
    """The reference."""
    return width * height * scale

def double(x):
    return helper(x)

def helper(x):
    return 2 * x

def factorial(n):
    return math.prod(range(1, n + 1))

@functools.lru_cache
def slow(x):
    return x

def enclosed():
    return None

TABLE = {"area": area}

class Box:
    __slots__ = ("width",)
    unit = "m"

    def __init__(self, width):
        self.width = width

    def size(self):
        return self.width

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.width = 0

    def total(self, *others):
        return self.width + sum(others)

    def __repr__(self):
        return f"Box({self.width})"

    @property
    def half(self):
        return self.width / 2

    @staticmethod
    def one():
        return Box(1)
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A fresh package `toyengine` with the module `shapes`; returns (parts, shapes)."""
    toy_engine.write(tmp_path, shapes=SHAPES)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("toyengine.overlay"), importlib.import_module("toyengine.shapes")
    for name in [name for name in sys.modules if name.partition(".")[0] == "toyengine"]:
        del sys.modules[name]


AREA = "def area(width, height=3, *, scale=10):\n    return ('mine', width, height, scale)\n"


def reason(parts, name, source):
    with pytest.raises(parts.PartError) as raised:
        parts.graft(name, source)
    return str(raised.value)


def test_memos_are_emptied_when_a_part_comes_and_when_it_goes(toy):
    parts, shapes = toy
    cell = "import functools\n@functools.cache\ndef twice(x):\n    return 2 * x\ndef helper(x):\n    return twice(x)\n"
    shapes.slow(1)
    parts.graft("shapes.helper", cell)
    assert (shapes.slow.cache_info().currsize, shapes.double(1)) == (0, 2)
    own_memo = vars(shapes)["twice@helper"]
    assert own_memo.cache_info().currsize == 1
    shapes.later = functools.cache(lambda x: x)  # a name that the module got meanwhile
    shapes.later(1)
    parts.graft("shapes.area", AREA)
    assert (own_memo.cache_info().currsize, shapes.later.cache_info().currsize) == (0, 0)
    shapes.slow(1)
    parts.restore("shapes.area")
    assert shapes.slow.cache_info().currsize == 0


def test_a_table_that_held_the_function_runs_the_part(toy):
    parts, shapes = toy
    parts.graft("shapes.area", AREA)
    assert shapes.TABLE["area"](1, 2, scale=3) == ("mine", 1, 2, 3)


def test_defaults_are_those_of_the_part(toy):
    parts, shapes = toy
    parts.graft("shapes.area", AREA)
    assert shapes.area(1) == ("mine", 1, 3, 10)


def test_the_function_stays_the_same_object(toy):
    parts, shapes = toy
    before = shapes.area
    parts.graft("shapes.area", AREA)
    assert shapes.area is before


def test_restore_puts_everything_back(toy):
    parts, shapes = toy
    before = dict(vars(shapes)), shapes.area.__code__, dict(vars(shapes.Box))
    parts.graft("shapes.area", AREA + "def helper(): pass\n")
    parts.graft("shapes.Box", "class Box:\n    unit = 1\n    def size(self): pass\n    def new(self): pass\n")
    parts.restore()
    assert (dict(vars(shapes)), shapes.area.__code__, dict(vars(shapes.Box))) == before
    assert shapes.area(1) == 2
    assert parts.active() == ()


def test_restore_of_one_name_leaves_the_others(toy):
    parts, _ = toy
    parts.graft("shapes.area", AREA)
    parts.graft("shapes.double", "def double(x): return 0")
    parts.restore("shapes.area")
    assert parts.active() == ("shapes.double",)


@pytest.mark.parametrize(
    "body, expected",
    [
        ("def double(x): return helper(x)\ndef helper(x): return x + 100", 105),
        ("def double(x): return double(x - 1) + 1 if x else 0", 5),
        ("SCALE = 3\ndef double(x): return SCALE * x", 15),
        ("SCALE: int = 3\ndef double(x: int) -> int: return SCALE * x", 15),
        ("def double(x):\n    def helper(y): return y\n    return helper(x)\ndef helper(x): return -1", 5),
        ("def double(x): return [helper for helper in range(x)][-1]\ndef helper(x): return -1", 4),
        ("def double(x): return sum(helper(y) for y in range(x))\ndef helper(x): return 1", 5),
        ("def double(x): return (lambda: helper(x))()\ndef helper(x): return -x", -5),
        ("def double(x): return f'{helper(x)}'\ndef helper(x): return -x", "-5"),
        ("def double(x): return f'''\n{helper(x)}'''\ndef helper(x): return -x", "\n-5"),
        ("def double(x):\n    def inner(helper): return helper\n    return inner(x)\ndef helper(x): return -x", 5),
        ("class Acc:\n    def helper(self): return helper\ndef double(x): return Acc().helper()(x)\n"
         "def helper(x): return -x", -5),
        ("class Acc:\n    helper = helper = 7\ndef double(x): return Acc.helper\ndef helper(x): return -x", 7),
        ("helper = 6\nclass Acc:\n    helper = helper\ndef double(x): return Acc.helper", 6),
        ("count = 0\ndef double(x):\n    global count\n    count += x\n    return count", 5),
        ("def double(x):\n    from math import prod as helper\n    return helper([x, 3])\ndef helper(x): return 0", 15),
        ("import math as m\ndef double(x): return m.prod([x, 4])", 20),
        ("import os.path\ndef double(x): return os.path.basename('a/b')", "b"),
        ("def double(x):\n    helper = 1\n    def inner():\n        nonlocal helper\n        helper += x\n    inner()\n"
         "    return helper\ndef helper(x): return 0", 6),
        ("def double(x):\n    try:\n        return helper(x)\n    except Oops as helper_error:\n"
         "        return str(helper_error)\nclass Oops(Exception): pass\ndef helper(x): raise Oops('oops')", "oops"),
        ("def helper(x): return 1\ndef double(x): return helper(x)\ndef helper(x): return 2", 2),
        ("double = lambda x: x + 1", 6),
        ("from __future__ import annotations\ndef double(x: Nowhere): return helper(x)\ndef helper(x): return 8", 8),
        ("def double(x): return LIMIT", 10),
    ],
)  # fmt: skip
def test_names_of_the_cell_are_found_by_python_s_own_scoping(toy, body, expected):
    parts, shapes = toy
    parts.graft("shapes.double", body)
    assert shapes.double(5) == expected


def test_a_helper_shadows_the_engine_s_only_inside_its_part(toy):
    parts, shapes = toy
    parts.graft("shapes.area", "def area(width, height=2, *, scale=1): return helper(1)\ndef helper(_): return 'mine'")
    assert (shapes.area(1), shapes.double(1), shapes.helper(1)) == ("mine", 2, 2)


def test_two_parts_with_a_helper_of_one_name_keep_their_own(toy):
    parts, shapes = toy
    parts.graft("shapes.double", "def double(x): return step(x)\ndef step(x): return 'double'")
    parts.graft("shapes.factorial", "def factorial(n): return step(n)\ndef step(x): return 'factorial'")
    assert (shapes.double(1), shapes.factorial(1)) == ("double", "factorial")


def test_a_traceback_shows_the_text_and_line_of_the_cell(toy):
    parts, shapes = toy
    parts.graft("shapes.double", "\ndef double(x):\n    return deeper(x)\n\ndef deeper(x):\n    return 1 / 0  # here\n")
    with pytest.raises(ZeroDivisionError) as raised:
        shapes.double(1)
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.name, last.line) == (
        "<shapes.double>", 6, "deeper", "return 1 / 0  # here",
    )  # fmt: skip


def test_a_name_declared_global_stays_out_of_the_engine_s_own(toy):
    parts, shapes = toy
    parts.graft("shapes.double", "LIMIT = 0\ndef double(x):\n    global LIMIT\n    LIMIT += x\n    return LIMIT")
    assert (shapes.double(5), shapes.double(1), shapes.LIMIT) == (5, 6, 10)


def test_a_remembered_result_of_the_reference_is_forgotten(toy):
    parts, shapes = toy
    shapes.slow(1)
    parts.graft("shapes.slow", "def slow(x): return 'mine'")
    assert shapes.slow(1) == "mine"


def test_methods_of_a_class_are_replaced_and_the_others_stay(toy):
    parts, shapes = toy
    box = shapes.Box(4)
    parts.graft(
        "shapes.Box", "class Box:\n    def size(self): return self.new()\n    def new(self): return -self.width"
    )
    assert (box.size(), repr(box)) == (-4, "Box(4)")


@pytest.mark.parametrize(
    "body, read, expected",
    [
        ("@property\n    def half(self): return 'mine'", lambda box: box.half, "mine"),
        ("@staticmethod\n    def one(): return 'mine'", lambda box: type(box).one(), "mine"),
        ("@classmethod\n    def one(cls): return cls.__name__", lambda box: box.one(), "Box"),
        ("unit = 'cm'", lambda box: box.unit, "cm"),
        ("def size(self): return Box", lambda box: box.size() is type(box), True),
        ("def size(self): return super().__init__", lambda box: box.size().__self__ is box, True),
        (
            "def size(self): return [super().__repr__() for _ in '1'] and super()",
            lambda box: box.size().__self__ is box,
            True,
        ),
        ("def size(self): return self.__secret()\n    def __secret(self): return 3", lambda box: box.size(), 3),
    ],
)
def test_each_kind_of_class_attribute_can_be_a_part(toy, body, read, expected):
    parts, shapes = toy
    parts.graft("shapes.Box", f"class Box:\n    {body}\n")
    assert read(shapes.Box(4)) == expected


@pytest.mark.parametrize(
    "name, source, said",
    [
        ("shapes.double", "def double(x:", "does not parse"),
        ("shapes.double", "def double(x): return '\0'", "does not parse"),
        ("shapes.double", "def other(x): pass", "defines no double"),
        ("shapes.double", "double = 3", "with `def`"),
        ("shapes.double", "double = helper", "with `def`"),
        ("shapes.double", "def double(y): pass", "must take (x), the part takes (y)"),
        ("shapes.double", "def double(x, y): pass", "must take (x), the part takes (x, y)"),
        ("shapes.area", "def area(width, height, *, scale=1): pass", "must take (width, height=2, *, scale=1)"),
        ("shapes.area", "def area(width, height=1, scale=1): pass", "must take"),
        ("shapes.double", "1 / 0\ndef double(x): pass", "ZeroDivisionError"),
        ("shapes.double", "from math import *\ndef double(x): pass", "instead of *"),
        (
            "shapes.double",
            "def make(y):\n    def f(x): return y\n    return f\ndouble = make(1)",
            "closure over y",
        ),
        ("shapes.Box", "class Box:\n    def size(self): return __class__", "name the class instead"),
        ("shapes.Box", "class Box(int): pass", "bases of the reference"),
        ("shapes.Box", "class Box:\n    __slots__ = ('other',)", "add a slot"),
        ("shapes.Box", "def Box(): pass", "must be a class"),
        ("shapes.Box", "class Box:\n    def total(self, other): pass", "must take (self, *others)"),
        ("shapes.Box", "class Box:\n    def __exit__(self, error): pass", "must take (self, *error)"),
        ("shapes.nothing", "def nothing(): pass", "has no nothing"),
        ("nowhere.f", "def f(): pass", "no module"),
        ("shapes.LIMIT", "LIMIT = 3", "no function or class"),
        ("shapes.double", "def double(x):\n    global step\n    def step(): pass\nstep = 1", "at top level"),
    ],
)
def test_a_text_that_cannot_be_a_part_is_refused_with_the_reason(toy, name, source, said):
    parts, _ = toy
    assert said in reason(parts, name, source)


def test_a_refused_part_changes_nothing(toy):
    parts, shapes = toy
    before = dict(vars(shapes))
    reason(parts, "shapes.double", "def helper(x): pass\ndef double(y): pass")
    assert (dict(vars(shapes)), parts.active()) == (before, ())


def test_a_refused_part_leaves_the_earlier_part_active(toy):
    parts, shapes = toy
    parts.graft("shapes.double", "def double(x): return step()\ndef step(): return 'first'")
    reason(parts, "shapes.double", "def step(): pass\ndef double(y): pass")
    assert (shapes.double(1), parts.active()) == ("first", ("shapes.double",))


def test_parameters_that_no_call_names_may_have_other_names(toy):
    parts, shapes = toy
    parts.graft("shapes.Box", "class Box:\n    def total(self, *more): return max(more)")
    assert shapes.Box(1).total(2, 3) == 3


@pytest.mark.parametrize("parameters", ["self, *_", "self, kind, error, trace", "self, kind=None, *rest"])
def test_exit_takes_three_arguments_by_position_whatever_they_are_called(toy, parameters):
    parts, shapes = toy
    parts.graft("shapes.Box", f"class Box:\n    def __exit__({parameters}): self.width = 7")
    with shapes.Box(1) as box:
        pass
    assert box.width == 7


def test_extra_parameters_with_defaults_are_accepted(toy):
    parts, shapes = toy
    parts.graft("shapes.double", "def double(x, times=3): return x * times")
    assert shapes.double(2) == 6


def test_swapped_runs_exactly_the_given_parts(toy):
    parts, shapes = toy
    parts.graft("shapes.area", AREA)
    with parts.swapped({"shapes.double": "def double(x): return 'swapped'"}):
        assert (shapes.area(1), shapes.double(1), parts.active()) == (2, "swapped", ("shapes.double",))


def test_swapped_puts_back_what_was_active_when_the_body_raises(toy):
    parts, shapes = toy
    parts.graft("shapes.area", AREA)
    with pytest.raises(KeyError), parts.swapped({"shapes.double": "def double(x): return 0"}):
        raise KeyError
    assert (shapes.area(1)[0], shapes.double(1), parts.active()) == ("mine", 2, ("shapes.area",))


def test_swapped_puts_back_what_was_active_when_a_part_is_refused(toy):
    parts, _ = toy
    parts.graft("shapes.area", AREA)
    with (
        pytest.raises(parts.PartError),
        parts.swapped({"shapes.double": "def double(x): 0", "shapes.slow": "?"}),
    ):
        pass
    assert parts.active() == ("shapes.area",)


def test_swapped_nests(toy):
    parts, shapes = toy
    with parts.swapped({"shapes.double": "def double(x): return step()\ndef step(): return 'outer'"}):
        with parts.swapped({}):
            assert shapes.double(1) == 2
        assert shapes.double(1) == "outer"


@pytest.mark.parametrize("name", ["shapes.area", "shapes.slow", "shapes.Box"])
def test_source_of_is_the_reference_s_text_even_with_a_part_active(toy, name):
    parts, shapes = toy
    text = inspect.getsource(getattr(shapes, name.partition(".")[2]))
    parts.graft("shapes.area", AREA)
    assert parts.source_of(name) == text


def test_the_reference_s_own_text_can_be_grafted(toy):
    parts, shapes = toy
    for name in ("area", "double", "factorial", "slow", "Box"):
        parts.graft(f"shapes.{name}", parts.source_of(f"shapes.{name}"))
    assert (shapes.area(1), shapes.double(2), shapes.factorial(3), repr(shapes.Box.one())) == (2, 4, 6, "Box(1)")


@pytest.fixture
def folder(tmp_path):
    texts = {"area": AREA, "double": "def double(y): pass", "gone": "def gone(): pass"}
    for name, text in texts.items():
        path = tmp_path / "my_engine" / "shapes" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "my_engine"


def test_use_parts_leaves_to_the_reference_what_it_cannot_graft(toy, folder):
    parts, _ = toy
    assert [(name, bool(said)) for name, said in parts.use_parts(folder)] == [
        ("shapes.area", False), ("shapes.double", True), ("shapes.gone", True),
    ]  # fmt: skip
    assert parts.active() == ("shapes.area",)


def test_use_parts_names_on_stderr_what_it_left_out(toy, folder, capsys):
    parts, _ = toy
    parts.use_parts(folder)
    assert [line.split()[1] for line in capsys.readouterr().err.splitlines()] == ["shapes.double", "shapes.gone"]


def test_use_parts_of_a_missing_folder_raises(toy, tmp_path):
    parts, _ = toy
    with pytest.raises(NotADirectoryError):
        parts.use_parts(tmp_path / "nothing")


@pytest.fixture
def later(toy, tmp_path):
    """(parts, a folder with a part of the module `later`, which is imported when it is first used)."""
    parts, _ = toy
    (tmp_path / "toyengine" / "later.py").write_text("def f():\n    return 'reference'\n\nmade = f()\n")
    folder = tmp_path / "mine" / "later"
    folder.mkdir(parents=True)
    (folder / "f.py").write_text("def f():\n    return 'mine'\n")
    importlib.import_module("toyengine.overlay.lazy_imports").LATER.add("toyengine.later")
    return parts, folder


def test_a_part_of_a_module_that_is_imported_later_waits_for_it(later):
    parts, folder = later
    assert parts.use_parts(folder.parent) == [("later.f", "")]
    assert "toyengine.later" not in sys.modules and parts.active() == ("later.f",)
    assert importlib.import_module("toyengine.later").f() == "mine"
    parts.restore()
    assert sys.modules["toyengine.later"].f() == "reference" and parts.active() == ()


def test_a_part_that_waits_can_be_restored_and_replaced(later):
    parts, folder = later
    parts.use_parts(folder.parent)
    parts.graft("later.f", "def f(): return 'newer'")
    assert sys.modules["toyengine.later"].f() == "newer"
    parts.restore("later.f")
    assert sys.modules["toyengine.later"].f() == "reference"


def test_inside_swapped_a_part_that_waits_is_the_reference_and_afterwards_it_is_there(later):
    parts, folder = later
    parts.use_parts(folder.parent)
    with parts.swapped({}):
        assert parts.active() == () and importlib.import_module("toyengine.later").f() == "reference"
    assert sys.modules["toyengine.later"].f() == "mine"


def test_a_part_that_waits_and_can_not_be_grafted_is_named_when_its_module_comes(later, capsys):
    parts, folder = later
    (folder / "f.py").write_text("def f(x): pass\n")
    parts.use_parts(folder.parent)
    assert importlib.import_module("toyengine.later").f() == "reference"
    assert "later.f is left to the reference: f must take ()" in capsys.readouterr().err


def test_boot_uses_the_folder_that_the_environment_names(toy, folder, monkeypatch):
    parts, _ = toy
    monkeypatch.setenv("ENGINE_PARTS", str(folder))
    parts.boot()
    assert parts.active() == ("shapes.area",)


def test_boot_uses_nothing_because_a_folder_exists(toy, folder, monkeypatch):
    parts, _ = toy
    monkeypatch.delenv("ENGINE_PARTS", raising=False)
    monkeypatch.chdir(folder.parent)
    parts.boot()
    assert parts.active() == ()


def test_a_counter_around_the_function_stays_around_the_part(toy):
    parts, shapes = toy
    calls = []

    @functools.wraps(shapes.double)
    def counted(x):
        calls.append(x)
        return inspect.unwrap(counted)(x)

    shapes.double = counted
    parts.graft("shapes.double", "def double(x): return 'mine'")
    assert (shapes.double(5), calls) == ("mine", [5])


@pytest.fixture
def made(toy, monkeypatch):
    """The values that the toy engine made while it was imported: the area of 2, again at each call of `measure`."""
    _, shapes = toy
    areas = []
    shapes.measure = lambda: areas.append(shapes.area(2))
    rebuild = importlib.import_module("toyengine.overlay.regenerate")
    monkeypatch.setattr(rebuild, "REBUILDERS", ((("shapes",), "shapes:measure"),))
    return areas


def test_what_was_made_from_a_part_is_made_again(toy, made):
    parts, _ = toy
    parts.graft("shapes.area", "def area(width, height=2, *, scale=1):\n    return 10 * width")
    assert parts.rebuilt(["shapes.area"]) == {} and made == [20]


def test_a_part_that_the_engine_can_not_be_made_with_is_the_reference_again(toy, made):
    parts, shapes = toy
    parts.graft("shapes.area", "def area(width, height=2, *, scale=1):\n    return width / 0")
    said = parts.rebuilt(["shapes.area"])
    assert "ZeroDivisionError" in said["shapes.area"] and made == [shapes.area(2)] and parts.active() == ()


def test_inside_swapped_things_are_made_by_the_reference_and_afterwards_by_the_parts(toy, made):
    parts, _ = toy
    reference = toy[1].area(2)
    parts.graft("shapes.area", "def area(width, height=2, *, scale=1):\n    return 10 * width")
    with parts.swapped({}):
        assert made == [reference]
    assert made == [reference, 20]


def test_parts_of_a_folder_are_made_again_together(toy, made, tmp_path):
    parts, _ = toy
    path = tmp_path / "mine" / "shapes" / "area.py"
    path.parent.mkdir(parents=True)
    path.write_text("def area(width, height=2, *, scale=1):\n    return width / 0")
    assert "ZeroDivisionError" in dict(parts.use_parts(tmp_path / "mine"))["shapes.area"]


def test_every_rebuilder_is_a_function_of_a_module_it_may_name():
    from autograder.overlay import regenerate
    from engine import layers

    for consumed, function in (*regenerate.READERS, *regenerate.REBUILDERS):
        module, _, name = function.partition(":")
        assert {module, *consumed} <= set(layers.MODULES)
        assert callable(getattr(importlib.import_module(f"engine.{module}"), name))
    assert regenerate.FOLLOWERS.keys() <= set(layers.MODULES)


def test_a_graft_elsewhere_leaves_a_compiled_reduction_as_it_is():
    from engine.cpu import reduce

    engine.ones(2, 3).sum()
    before = {key: id(loop) for key, loop in reduce._LOOPS.items()}
    with overlay.swapped({"strides.permute": overlay.source_of("strides.permute")}):
        engine.ones(2, 3).sum()
    assert {key: id(loop) for key, loop in reduce._LOOPS.items()} == before != {}
