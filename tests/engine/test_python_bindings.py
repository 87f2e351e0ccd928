"""Functions, methods and operators as they are generated, and how Python's own protocols reach a tensor."""

import dis
import itertools
import linecache
import re
import traceback
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from compare import Raised, assert_same, needs_torch, outcome, torch

import engine
from engine.aten import python_bindings, python_codegen
from engine.aten.python_arg_parser import PythonArgParser
from engine.aten.python_bindings import GLOBALS, NAMES, generated_source
from engine.aten.registration import NATIVE_FUNCTIONS

FUNCTIONS, METHODS, *_ = NAMES


# ---- the generated text


class Recorder(dict):
    """Globals of a generated function, in which every operator returns its name and what it was given."""

    def __missing__(self, name):
        if not name.startswith("at_"):
            raise KeyError(name)
        return lambda *arguments: (name, *map(comparable, arguments))


def comparable(value):
    if isinstance(value, engine.Tensor):
        return "tensor", value.dtype, value._wrapped_number, value.tolist()
    return [type(value), *map(comparable, value)] if isinstance(value, tuple) else (type(value), value)


def recorded(names, name):
    """The function of a name over recorders of its operators."""
    scope = Recorder(GLOBALS, below_autograd=lambda operator, *arguments: operator(*arguments))
    scope[f"{name}_parser"] = PythonArgParser(*(form.signature for form in names.forms(name)))
    exec(names.source(name), scope)
    return scope[name]


def result(call, *args):
    try:
        return call(*args)
    except Exception as error:
        return type(error), str(error)


X = engine.ones(2, 3)
ARGUMENTS = (X, 1, 2**63, 0.5, True, "a", None, (0, 1), [1], (), (1, 2.0), (X, X), [], engine.float64, np.int64(1),
             engine.tensor(1), engine.Size((2, 3)))  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("names", (FUNCTIONS, METHODS), ids=["functions", "methods"])
def test_a_frequent_call_and_the_parser_give_operators_the_same(names, monkeypatch):
    fast = {name: recorded(names, name) for name in names.schemas}
    monkeypatch.setattr(python_codegen, "fast_calls", lambda forms, signatures: [])
    own = (X,) if names is METHODS else ()
    for name in names.schemas:
        slow = recorded(names, name)
        for count in range(4):
            for args in (
                itertools.product(ARGUMENTS, repeat=count) if count < 3 else [(X, 1, (2, 3)), (1, 2, 3), (X, X, X)]
            ):
                assert result(fast[name], *own, *args) == result(slow, *own, *args), (name, args)
        for args in [(X, 1, (2, 3)), (1, 2, 3), (X, X, X), (X, 1, True), (X, X, 2.5), (0, 1, (2,)), (X, 0, 1)]:
            assert result(fast[name], *own, *args) == result(slow, *own, *args), (name, args)


def test_every_operator_that_a_generated_function_calls_exists():
    from engine.aten.at import at

    called = set(re.findall(r"\bat_(\w+)", generated_source()))
    assert called and {name for name in called if not hasattr(at, name)} == set()


def test_a_name_stays_the_same_object_when_its_text_is_made():
    names = python_bindings.Names("", FUNCTIONS.schemas)
    relu = names.bound["relu"]
    before = relu.__code__
    assert relu(engine.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
    assert relu is names.bound["relu"] and relu.__code__ is not before and relu.__name__ == "relu"


def test_entries_come_and_go_and_the_other_names_stay_the_same_objects():
    add, fewer = engine.add, [e for e in NATIVE_FUNCTIONS if e.func.name.base != "relu"]
    members = [vars(engine.Tensor)[name] for name in ("view", "double", "T")]
    try:
        functions = python_bindings.rebind(fewer)
        assert "relu" not in functions and not hasattr(engine.Tensor, "relu")
        assert functions["add"] is add
        assert [vars(engine.Tensor)[name] for name in ("view", "double", "T")] == members
    finally:
        functions = python_bindings.rebind(NATIVE_FUNCTIONS)
        engine.relu = engine.api.PUBLIC["relu"] = functions["relu"]
    assert engine.tensor([-1.0, 2.0]).relu().tolist() == [0.0, 2.0]


def test_after_a_rebuild_names_are_made_anew_and_stay_the_same_objects(monkeypatch):
    relu, x = engine.relu, engine.tensor([-1.0, 2.0])
    relu(x)
    with monkeypatch.context() as patched:
        patched.setattr(python_bindings, "function_source", lambda name, forms, method: f"def {name}(x): return 'new'")
        python_bindings.rebuild()
        assert engine.relu is relu and relu(x) == "new"
    python_bindings.rebuild()
    assert relu(x).tolist() == [0.0, 2.0]


def test_threads_that_call_a_name_first_all_get_its_result():
    python_bindings.rebuild()
    with ThreadPoolExecutor(8) as pool:
        results = [pool.submit(lambda: (X + X).view(6).tolist()) for _ in range(64)]
    assert {tuple(future.result()) for future in results} == {(2.0,) * 6}


def test_a_traceback_shows_the_generated_text():
    engine.exp(X)
    try:
        engine.exp("a")
    except TypeError as error:
        frames = traceback.extract_tb(error.__traceback__)
    (line,) = [frame.line for frame in frames if frame.filename == "<python: exp>"]
    assert line == "_form, _values = exp_parser.parse(args, kwargs)"
    assert "<python: exp>" in linecache.cache


def test_the_text_of_a_function_is_this():
    assert FUNCTIONS.source("mm") == MM
    assert METHODS.source("__mul__") == MUL


MM = """\
def mm(*args, **kwargs):
    if not kwargs:
        _given = len(args)
        if _given == 2:
            input, mat2 = args
            if isinstance(input, Tensor) and isinstance(mat2, Tensor):
                return at_mm(input, mat2)
    _form, _values = mm_parser.parse(args, kwargs)
    if _form < 0:
        return mm(*args, **kwargs)
    input, mat2, out = _values
    if out is None:
        return at_mm(input, mat2)
    return at_mm_out(input, mat2, out)
"""
MUL = """\
def __mul__(self, other):
    try:
        if isinstance(other, Tensor):
            return at_mul_Tensor(self, other)
        if type(other) in Numbers and MIN <= other < END:
            return at_mul_Tensor(self, wrapped_scalar_tensor(other))
        return mul(self, other)
    except TypeError:
        return NotImplemented
"""


def test_the_try_of_an_operator_is_no_instruction():
    X * X
    assert [one.opname for one in dis.get_instructions(engine.Tensor.__mul__)][:2] == ["RESUME", "LOAD_GLOBAL"]


@needs_torch
def test_every_bound_name_is_one_of_pytorchs():
    ours = {"accessor"}  # C++ only, in PyTorch
    methods = {*METHODS.bound, *python_bindings.python_methods.METHODS}
    functions = {*FUNCTIONS.bound, *python_bindings.python_functions.FUNCTIONS}
    hidden = set(dir(torch._C._VariableFunctions))  # `__and__`
    assert (functions - set(dir(torch)) - hidden, methods - set(dir(torch.Tensor))) == (set(), ours)


def test_every_entry_that_is_a_method_is_bound_as_one():
    shown = {"numpy_T": "T", "matrix_H": "H"}
    inner = {
        "hardshrink_backward",
        "_reshape_alias",
        "alias",
        "slice",
        "data",
        "set_",
        "index",
        "nonzero_numpy",
    }  # PyTorch hides these, too
    names = {entry.func.name.base for entry in NATIVE_FUNCTIONS if "method" in entry.variants} - inner
    assert {name for name in names if not hasattr(engine.Tensor, shown.get(name, name))} == set()


# ---- how arguments arrive

# Calls whose `int` argument is put in at the place of `at`.
TAKING_INTS = {
    "select, dim": lambda x, at: x.select(at, 1),
    "select, index": lambda x, at: x.select(0, at),
    "narrow, start": lambda x, at: x.narrow(0, at, 1),
    "narrow, length": lambda x, at: x.narrow(0, 0, length=at),
    "unfold": lambda x, at: x.unfold(0, at, 1),
    "diagonal": lambda x, at: x.diagonal(at),
    "transpose": lambda x, at: x.transpose(at, 0),
    "unsqueeze": lambda x, at: x.unsqueeze(at),
    "flatten": lambda x, at: x.flatten(at),
    "unflatten": lambda x, at: x.unflatten(at, (3, 1)),
    "as_strided": lambda x, at: x.as_strided((2,), (1,), at),
    "split": lambda x, at: x.split(at),
    "chunk": lambda x, at: x.chunk(at),
    "unbind": lambda x, at: x.unbind(at),
}


def geometry(result):
    """All numbers of the geometry of one tensor, or of several."""
    tensors = result if isinstance(result, tuple) else (result,)
    return [number for x in tensors for number in (*x.shape, *x.stride(), x.storage_offset())]


@pytest.mark.parametrize("call", [call for name, call in TAKING_INTS.items() if name != "split"])
def test_a_numpy_int_is_taken_for_an_int_and_leaves_python_ints(call):
    assert {type(number) for number in geometry(call(engine.zeros(4, 3), np.int64(1)))} == {int}


@needs_torch
@pytest.mark.parametrize("call", TAKING_INTS.values(), ids=TAKING_INTS.keys())
@pytest.mark.parametrize("wrong", [True, 1.0, "1", [1.0]], ids=repr)
def test_what_is_no_int_is_refused_as_pytorch_refuses_it(call, wrong):
    types = [getattr(outcome(T, lambda T: call(T.zeros(4, 3), wrong)), "type", "done") for T in (engine, torch)]
    assert types[0] == types[1] == "TypeError"


@needs_torch
@pytest.mark.parametrize("program", [
    lambda T: int(T.zeros(2)),
    lambda T: float(T.zeros(0)),
    lambda T: bool(T.zeros(2)),
    lambda T: bool(T.zeros(0)),
    lambda T: len(T.tensor(1)),
    lambda T: list(T.tensor(1)),
    lambda T: [1, 2][T.tensor([0, 1])],
    lambda T: [1, 2][T.tensor(1.0)],
    lambda T: "a" in T.zeros(2),
    lambda T: T.tensor([1, 2]).item(),
], ids=range(10))  # fmt: skip
def test_python_asks_for_one_element_and_is_refused_as_by_pytorch(program):
    assert isinstance(outcome(engine, program), Raised)
    assert_same(program)


@needs_torch
@pytest.mark.parametrize("program", [
    lambda T: [int(T.tensor(2.7)), float(T.tensor(3)), bool(T.tensor([0.0])), [5, 6][T.tensor(1)]],
    lambda T: [complex(T.tensor(2)), T.tensor(True).__index__(), T.tensor([[2.5]]).__float__()],
    lambda T: [len(T.zeros(3, 2)), list(T.arange(3))],
    lambda T: [T.zeros(2, 3).view(3, 2), T.zeros(2, 3).view((3, 2)), T.zeros(2, 3).view(size=(3, 2))],
    lambda T: [T.permute(T.zeros(2, 3), (1, 0)), T.zeros(2, 3).permute(1, 0), T.zeros(2, 3).permute(dims=[1, 0])],
    lambda T: [T.zeros(2, 3).T, T.zeros(2, 3).mT, T.swapaxes(T.zeros(2, 3), 0, 1), T.zeros(2, 3).swapdims(0, 1)],
    lambda T: [T.zeros(2, 3).H, T.zeros(4, 2, 3).mH],
    lambda T: [T.zeros(2).to("cpu", T.int64), T.zeros(2).to(T.zeros(1, dtype=T.bool)), T.zeros(2).to(dtype=T.int32)],
    lambda T: [T.zeros(2).to(float), T.zeros(2).to(2.5), T.zeros(2).to(True), T.zeros(2).to(T.int32, copy=True)],
    lambda T: (lambda x: [x.to() is x, x.to(x) is x, x.cpu() is x, x.float() is x, x.contiguous() is x])(T.zeros(2)),
    lambda T: [T.tensor([1.9, -1.9]).long(), T.tensor([0.5, 0.0]).bool(), T.tensor([2**40 + 1]).int()],
    lambda T: [T.zeros(2).type(), T.zeros(2).type(T.int64), T.zeros(2).type("torch.DoubleTensor")],
    lambda T: [np.asarray(T.arange(3)), np.asarray(T.arange(6).view(2, 3).t(), dtype=np.float32)],
    lambda T: T.zeros(3).copy_(2.5),
    lambda T: [T.zeros(2, 3), T.zeros((2, 3)), T.zeros([2, 3]), T.zeros(size=(2, 3)), T.zeros(T.Size([2, 3]))],
    lambda T: [T.zeros(np.int64(2)), T.zeros(T.tensor(2), 1), T.zeros(()), T.zeros(2, True), T.zeros(2, out=T.ones(2))],
    lambda T: [T.zeros(2, dtype=int), T.zeros(2, dtype=bool), T.zeros(2, dtype=None, device="cpu", layout=T.strided)],
    lambda T: [T.full((2,), 3), T.full((2,), T.tensor(2.5)), T.full((2,), np.float32(2)), T.full((2,), True)],
    lambda T: [T.arange(3), T.arange(1, 3), T.arange(0, 3, 2), T.arange(end=3), T.arange(start=1, end=2.5)],
    lambda T: [T.add(T.ones(2), 2), T.add(2, T.ones(2)), T.add(1, 2), T.add(T.ones(2), T.ones(2), alpha=3)],
    lambda T: [T.add(T.ones(2), 2, T.ones(2)), T.ones(2).add(2, T.ones(2)), T.ones(2).add_(2, T.ones(2))],
    lambda T: [T.add(x1=T.ones(2), x2=T.ones(2)), T.mul(input=T.ones(2), other=2), T.ones(2).add(np.float32(2))],
    lambda T: [T.ones(2).add(T.ones(2), out=None) if T is None else T.add(T.ones(2), 1, out=T.zeros(2))],
    lambda T: T.split(T.arange(5), 2) + T.arange(5).split([2, 3]) + T.arange(4).split(T.tensor(2)),
    lambda T: [T.numel(T.ones(2, 3)), T.is_floating_point(T.ones(2)), T.is_tensor(3), T.ones(2).get_device()],
    lambda T: [T.result_type(T.ones(2), 2), T.result_type(T.tensor(1), 1.5), T.result_type(2, 3)],
    lambda T: [T.promote_types(T.float32, T.int64), T.promote_types(float, T.int32), T.can_cast(T.float32, T.int64)],
    lambda T: [T.broadcast_tensors(T.ones(2, 1), T.ones(3)), T.broadcast_shapes((2, 1), 3), T.broadcast_shapes()],
    lambda T: [T.finfo(T.float64).eps, T.finfo().max, T.iinfo(T.int32).min, T.iinfo(T.int64).bits],
    lambda T: [repr(T.finfo(T.float32)), repr(T.iinfo(T.int32)), T.finfo(T.float32) == T.finfo()],
    lambda T: [T.ones(2).new_tensor([1, 2]), T.ones(2).new_zeros(3), T.ones(2).new_full((2,), 1), T.ones(2).data],
    lambda T: [T.ones(2).grad, T.ones(2).grad_fn, T.ones(2).requires_grad_(False), T.ones(2).is_leaf],
], ids=itertools.count())  # fmt: skip
def test_a_way_of_calling_gives_what_it_gives_in_pytorch(program):
    assert not isinstance(outcome(engine, program), Raised), outcome(engine, program)
    assert_same(program)


# ---- operators of Python

OPERANDS = [2, 2.5, True, np.float32(2), np.float64(2), np.int64(2)]


@needs_torch
@pytest.mark.parametrize("operand", OPERANDS, ids=repr)
@pytest.mark.parametrize("program", [
    lambda x, y: [x + y, y + x, x * y, y * x, x / y, y / x],
    lambda x, y: [x == y, x != y, x < y, y < x, x >= y, y >= x],
    lambda x, y: [x - y, y - x],
], ids=itertools.count())  # fmt: skip
def test_operators_with_a_number_are_pytorchs(program, operand):
    for values in ([1.5, 2.0, -3.0], [1, 2, 4]):
        assert_same(lambda T, values=values: program(T.tensor(values), operand))


@needs_torch
@pytest.mark.parametrize("program", [
    lambda x, y: [x + y, x - y, x * y, x / y, x == y, x != y, x < y, x <= y, x > y, x >= y, -x],
    lambda x, y: [x.__iadd__(y), x.__isub__(y), x.__imul__(y), x.__itruediv__(y)],
    lambda x, y: [x == "a", x != "a", x == None, x.__add__("a"), x.__eq__("a"), x.__rsub__("a"), x.__matmul__(2)],  # noqa: E711
    lambda x, y: [x + np.ones(3), hash(x) == hash(x), 2.0 in x, 7 in x],
], ids=itertools.count())  # fmt: skip
def test_operators_of_two_tensors_are_pytorchs(program):
    assert not isinstance(outcome(engine, lambda T: program(T.tensor([1.0, 2.0, 4.0]), T.ones(3))), Raised)
    assert_same(lambda T: program(T.tensor([1.0, 2.0, 4.0]), T.ones(3)))


# ---- versions, and what is not there yet


@needs_torch
@pytest.mark.parametrize("call", [
    "zeros(3)", "ones(2, 2)", "full((2,), 1)", "arange(3)", "randn(3)", "rand(2)", "randint(3, (2,))", "randperm(3)",
    "tensor([1, 2])", "as_tensor([1])", "empty(2)", "zeros(2, out=T.empty(2))", "arange(3, out=T.empty(3))",
])  # fmt: skip
def test_what_a_factory_makes_has_the_version_that_it_has_in_pytorch(call):
    versions = [eval(f"T.{call}", {"T": T})._version for T in (engine, torch)]
    assert versions[0] == versions[1]


def test_a_factory_leaves_the_state_of_the_thread_as_it_was():
    from engine.dispatch.local import local

    before = local.state
    engine.zeros(2)
    with pytest.raises(RuntimeError):
        engine.zeros(-1)
    assert local.state is before


@pytest.mark.parametrize("call", [
    lambda: engine.zeros(2, requires_grad=True), lambda: engine.zeros(2).requires_grad_(),
    lambda: engine.tensor([1.0], requires_grad=True), lambda: engine.ones_like(engine.zeros(2), requires_grad=True),
])  # fmt: skip
def test_a_factory_makes_a_leaf_that_requires_grad(call):
    made = call()
    assert made.requires_grad and made.is_leaf and made._version == 0
