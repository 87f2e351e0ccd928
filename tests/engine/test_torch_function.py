"""`__torch_function__`: programs print what they print with PyTorch, and off nothing of it is left.

What the programs of torch_function_programs.py print is recorded in golden/torch_function.txt, which
`python tests/engine/test_torch_function.py` writes anew with PyTorch.
"""

import contextlib
import gc
import importlib
import io
import re
import subprocess
import sys
import threading
import types
import warnings
from pathlib import Path

import pytest
from compare import needs_torch, torch
from torch_function_programs import PROGRAMS

import engine
from engine import journey
from engine.aten.python_bindings import NAMES
from engine.transforms import overridable, overrides

RECORDED = Path(__file__).parent / "golden" / "torch_function.txt"


def printed(program, T, T_overrides):
    """The output of a program, without the addresses and modules of classes."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program(T, T_overrides)
    gc.collect()  # its classes
    return re.sub(r"torch_function_programs\.\w+\.<locals>\.", "", re.sub(r" at 0x\w+", "", out.getvalue()))


def recorded():
    """Program -> what it printed with PyTorch."""
    parts = RECORDED.read_text(encoding="utf-8").split("==== ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_prints_what_was_recorded(program):
    assert printed(program, engine, overrides) == recorded()[program.__name__]


@needs_torch
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_prints_with_pytorch_what_was_recorded(program):
    assert printed(program, torch, importlib.import_module("torch.overrides")) == recorded()[program.__name__]


def codes():
    """The code of every public function, method and property."""
    functions = {f"{names.owner}{name}": function for names in NAMES for name, function in names.bound.items()}
    functions |= {override.label: override.function for override in overridable.switch.overrides}
    return {name: function.__code__ for name, function in functions.items()}


def test_when_the_last_mode_is_left_all_functions_have_their_own_code_again():
    engine.add(engine.ones(2), 1)
    before = codes()
    with overrides.BaseTorchFunctionMode():
        with overrides.BaseTorchFunctionMode():
            engine.add(engine.ones(2), 1)
        same = {override.label for override in overridable.switch.overrides} & {
            name for name, code in codes().items() if code is before[name]
        }
        assert same == set()
        assert engine.add.__code__ is not before["add"]
    assert codes().keys() == before.keys()
    assert {name for name, code in codes().items() if code is not before[name]} == set()


def test_when_the_last_class_is_gone_all_functions_have_their_own_code_again():
    before = codes()
    kind = type("Sub", (engine.Tensor,), {})
    assert type(engine.ones(2).as_subclass(kind) + 1) is kind
    assert engine.add.__code__ is not before["add"]
    del kind
    gc.collect()
    assert {name for name, code in codes().items() if code is not before[name]} == set()


def test_a_journey_while_it_is_on_leaves_nothing_behind():
    before = codes()
    with overrides.BaseTorchFunctionMode():
        assert "Override.__call__" in {
            frame.place.function
            for frame in journey.frames("x.clone().sum().backward()", {"x": engine.ones(2, requires_grad=True)})
        }  # which forgets all memos
    assert {name for name, code in codes().items() if code is not before[name]} == set()


def test_parameters_and_classes_that_take_nothing_over_leave_it_off():
    class Silent(engine.Tensor):
        __torch_function__ = engine._C._disabled_torch_function_impl

    class Own(engine.nn.Parameter):
        pass

    assert overridable.switch.users == 0


def test_a_mode_is_of_its_thread():
    seen = []

    class Log(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((func.__name__, threading.get_ident()))
            return func(*args, **(kwargs or {}))

    with Log():
        other = threading.Thread(target=lambda: engine.ones(2).add(1))
        other.start()
        other.join()
        engine.ones(2)
    assert seen == [("ones", threading.get_ident())]


def test_an_error_of_a_handler_leaves_the_modes_as_they_were():
    class Fails(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise KeyError(func.__name__)

    with Fails() as mode:
        with pytest.raises(KeyError, match="ones"):
            engine.ones(2)
        assert overrides._get_current_function_mode_stack() == [mode]
    assert engine.ones(2).tolist() == [1, 1]


def test_functions_that_are_made_anew_within_a_mode_can_still_be_taken_over():
    from engine.aten import python_bindings

    class Log(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func.__name__

    with Log():
        python_bindings.rebuild()
        assert engine.add(engine.ones, 1) == "add"
    assert engine.add(engine.ones(2), 1).tolist() == [2, 2]


def test_every_handwritten_public_function_has_an_override():
    """Those that have none are listed here, with the reason."""
    none_in_pytorch = {"is_tensor", "from_numpy", "broadcast_shapes", "manual_seed", "seed", "initial_seed",
                       "get_rng_state", "set_rng_state", "set_printoptions"}  # fmt: skip
    wrapped = {override.function for override in overridable.switch.overrides}
    generated = {function for names in NAMES for function in names.bound.values()}
    public = {
        name: function for name, function in engine.api.PUBLIC.items() if isinstance(function, types.FunctionType)
    }
    assert {name for name, function in public.items() if function not in wrapped | generated} == none_in_pytorch


def test_the_engine_imports_it_when_the_first_class_is_made():
    program = (
        "import sys, engine; print(any(name.startswith('engine.transforms') for name in sys.modules));"
        "engine.nn.Linear(2, 2); print(any(name.startswith('engine.transforms') for name in sys.modules));"
        "type('Sub', (engine.Tensor,), {}); print('engine.transforms.overridable' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


def write():
    """Record what the programs print with PyTorch."""
    torch_overrides = importlib.import_module("torch.overrides")
    parts = [f"==== {program.__name__}\n{printed(program, torch, torch_overrides)}" for program in PROGRAMS]
    RECORDED.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    write()
