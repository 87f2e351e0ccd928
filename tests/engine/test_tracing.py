"""A dispatch trace says which kernels ran, in PyTorch's debug format, and costs nothing while it is off."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import engine
from autograder import overlay
from engine.dispatch import boxing, observers, registry
from engine.library import Library

ROOT = Path(engine.__file__).parents[1]


def lines_of(program):
    """Return the lines that `program` (a function without arguments) traces."""
    with engine.dispatch.trace() as steps:
        program()
    return [str(step) for step in steps]


@pytest.fixture
def library():
    made = []

    def open_library(*args):
        made.append(Library(*args))
        return made[-1]

    yield open_library
    for library in made:
        library._destroy()


def test_a_call_is_a_line_in_the_format_of_pytorch():
    x = engine.ones(2)
    assert lines_of(lambda: x + x) == [
        " [call] op=[aten::add.Tensor], key=[AutogradCPU]",
        "  [redispatch] op=[aten::add.Tensor], key=[CPU]",
    ]


def test_what_a_composite_calls_is_indented_below_it():
    x = engine.ones(2, 2)
    assert lines_of(lambda: engine.matmul(x, x)) == [
        " [call] op=[aten::matmul], key=[AutogradCPU]",
        "  [call] op=[aten::mm], key=[AutogradCPU]",
        "   [redispatch] op=[aten::mm], key=[CPU]",
    ]


def test_a_factory_goes_by_backend_select_and_calls_empty_and_normal():
    assert lines_of(lambda: engine.randn(3)) == [
        " [call] op=[aten::randn], key=[BackendSelect]",
        "  [redispatch] op=[aten::randn], key=[CPU]",
        "   [call] op=[aten::empty.memory_format], key=[BackendSelect]",
        "    [redispatch] op=[aten::empty.memory_format], key=[CPU]",
        "   [call] op=[aten::normal_], key=[CPU]",
    ]


def test_boxed_calls_are_named_so(library):
    keys = engine._C.DispatchKeySet(engine._C.DispatchKey.CPU).raw_repr()

    def log(op, *args):
        stack = boxing.stack_of(op._declared, args, {})
        boxing.redispatch_boxed(registry.find(op.name()), keys, stack)
        return stack[0]

    library("_", "IMPL").fallback(log, "PrivateUse1")
    x = engine.ones(2)
    with engine._C._IncludeDispatchKeyGuard(engine._C.DispatchKey.PrivateUse1):
        boxed = lines_of(lambda: engine.ops.aten.neg.default.call_boxed([x]))
    assert boxed == [
        " [callBoxed] op=[aten::neg], key=[AutogradPrivateUse1]",
        "  [redispatch] op=[aten::neg], key=[PrivateUse1]",
        "   [redispatchBoxed] op=[aten::neg], key=[CPU]",
    ]


def test_a_step_knows_where_its_kernel_stands():
    x = engine.ones(2, 2)
    with engine.dispatch.trace() as steps:
        engine.matmul(x, x)
    assert [str(step.place) for step in steps] == [
        "engine/aten/native/linear_algebra.py:matmul",
        "<autograd: mm>:Autograd_mm",
        "<generated: mm>:wrapper_CPU_mm",
    ]
    assert [step.place.is_generated for step in steps] == [False, True, True]


def test_a_step_of_a_kernel_from_a_library_knows_its_function(library):
    def my_add(x):
        return x

    library("tracing", "DEF").define("same(Tensor x) -> Tensor")
    library("tracing", "IMPL").impl("same", my_add, "CPU")
    with engine.dispatch.trace() as steps:
        engine.ops.tracing.same(engine.ones(1))
    place = steps[-1].place
    assert (place.file, place.function.rpartition(".")[2]) == ("tests/engine/test_tracing.py", "my_add")


def test_every_step_of_every_operator_has_a_place_in_the_repository_or_a_generator():
    cells_of_parts = {f"<{part}>" for part in overlay.active()}  # none, unless a student's engine is tested
    for name, entry in registry.operators.items():
        for kernel in entry.kernels.values():
            if not kernel.is_fallthrough:
                place = engine.dispatch.source_location.place_of(kernel)
                is_part = place.file in cells_of_parts
                assert place.is_generated or is_part or (ROOT / place.file).is_file(), f"{name}: {place}"


def test_an_exception_leaves_the_depth_and_the_calls_as_they_were():
    x = engine.ones(2, 3)
    with engine.dispatch.trace() as steps:
        for _ in range(2):
            with pytest.raises(RuntimeError):
                engine.matmul(x, x)
    assert [step.depth for step in steps] == [1, 2, 3, 1, 2, 3]
    with pytest.raises(ZeroDivisionError), engine.dispatch.trace():
        raise ZeroDivisionError
    assert not observers.is_on()


def test_traces_may_be_nested():
    x = engine.ones(2)
    with engine.dispatch.trace() as outer:
        x.neg()
        with engine.dispatch.trace() as inner:
            x.exp()
        x.relu()
    assert [step.op for step in outer if step.depth == 1] == ["aten::neg", "aten::exp", "aten::relu"]
    assert [step.op for step in inner] == ["aten::exp"] * 2


def test_each_thread_traces_its_own_calls():
    x = engine.ones(2, 2)
    ops = {"neg": [], "exp": [], "relu": []}
    together = threading.Barrier(len(ops))

    def run(name):
        together.wait()
        with engine.dispatch.trace() as steps:
            for _ in range(50):
                getattr(x, name)()
        ops[name] = [(step.op, step.depth) for step in steps]

    threads = [threading.Thread(target=run, args=(name,)) for name in ops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ops == {name: [(f"aten::{name}", 1), (f"aten::{name}", 2)] * 50 for name in ops}


def test_nothing_is_wrapped_while_nobody_listens(monkeypatch):
    monkeypatch.setattr(observers, "_replay", None)
    x = engine.ones(2)
    entry = registry.find("aten::add.Tensor")
    assert lines_of(lambda: x + x)
    x + x
    kernel = entry.kernels[engine._C.DispatchKey.CPU]
    assert list(entry.redispatches.values()) == [kernel.function]


@pytest.mark.slow
def test_the_environment_variable_prints_from_import_on():
    program = "import engine; x = engine.ones(1); import sys; print('--', file=sys.stderr); x + x"
    environment = os.environ | {"ENGINE_SHOW_DISPATCH_TRACE": "1"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stderr.partition("--\n")[2] == (
        " [call] op=[aten::add.Tensor], key=[AutogradCPU]\n  [redispatch] op=[aten::add.Tensor], key=[CPU]\n"
    )
