"""Every claim in the opening and the payoff of lab 2 is true of an engine that runs a student's dispatcher."""

import re
from pathlib import Path

import pytest

import engine
from autograder import overlay
from autograder.author import lab_text
from engine.dispatch import backend_select, dispatcher, recording
from engine.dispatch.keys import DispatchKey, DispatchKeySet
from engine.dispatch.table import Kernel, computed_kernel
from engine.library import fallthrough_kernel

LAB = lab_text.load("02-dispatch")
TEXT = LAB.path.read_text(encoding="utf-8")
NAME = "dispatch.dispatcher.Dispatcher"
OWN = """
class Dispatcher:
    def call(self, entry, arguments):
        RAN.append(entry.name)
        return self.run(entry, key_set_of_stack(arguments), arguments, "call")

    def redispatch(self, entry, key_set, arguments):
        RAN.append(entry.name)
        return self.run(entry, key_set, arguments, "redispatch")

    def run(self, entry, key_set, arguments, label):
        table = table_of(entry)
        kept = dispatch_key_set(key_set, table)
        kernel, origin = table[highest_key(kept)]
        if kernel is None or kernel.is_fallthrough:
            raise refusal(entry, highest_key(kept), origin)
        return runnable(entry, highest_key(kept), kept, kernel, label)(*arguments)
"""


@pytest.fixture(scope="module")
def ran():
    """A student's dispatcher is live, beside the reference's text as a part of every other exercise."""
    answers = {exercise.name: overlay.source_of(exercise.name) for exercise in LAB.exercises} | {NAME: OWN}
    dispatcher.RAN = []
    for name, source in answers.items():
        overlay.graft(name, source)
    assert overlay.rebuilt(answers) == {}
    yield dispatcher.RAN
    overlay.restore()
    overlay.rebuilt(answers)
    del dispatcher.RAN


@pytest.fixture(scope="module")
def payoff(ran):
    """The function `payoff` of the text, and the names beside it."""
    namespace = {"__name__": "__main__"}
    imports, *others = (cell for cell in LAB.cells if cell.kind == "code")
    for cell in (imports, *(cell for cell in others if "payoff" in cell.metadata.get("tags", []))):
        exec(compile(cell.source, "<payoff>", "exec"), namespace)
    return namespace


@pytest.fixture(scope="module")
def result(payoff):
    return payoff["payoff"]()


def steps_of(call):
    call()
    with recording.trace() as steps:
        call()
    return steps


def test_two_functions_run_for_an_addition_at_autograd_and_at_the_backend(ran):
    x, y = engine.ones(2), engine.ones(2)
    assert [step.key.name for step in steps_of(lambda: x + y)] == ["AutogradCPU", "CPU"]


def test_each_step_of_the_opening_goes_through_the_students_dispatcher(ran):
    x, y = engine.ones(2), engine.ones(2)
    ran.clear()
    x + y
    assert ran == ["aten::add.Tensor"] * 2


def test_there_are_more_than_a_thousand_operators():
    assert len(engine.dispatch.registry.operators) > 1000


def test_the_tensors_of_the_device_say_what_it_is(result):
    assert {*result["devices"]} == {"privateuseone"}


def test_the_kernels_of_the_device_write_down_what_they_do(result):
    assert result["in the cloud"].count("aten::mm") == 2


def test_the_fallback_of_the_device_serves_what_has_nothing_better_there(result):
    with engine.library._scoped_library("_", "IMPL") as library:
        library.fallback(lambda op, *arguments: None, "PrivateUse1")
        tables = {name: engine.dispatch.table(f"aten::{name}") for name in ("relu", "mm", "sum.dim_IntList", "sum")}
    assert [table["PrivateUse1"][1] for table in tables.values()] == ["fallback"] * 3 + ["default"]
    assert "aten::sum.dim_IntList" in result["in the cloud"] and "aten::sum" not in result["in the cloud"]


def test_the_graph_has_one_line(result):
    assert result["graph"].splitlines() == ["%2 = lab02::affine(%0, %1, 3)"]


def test_an_operators_own_kernel_goes_before_the_fallback_and_its_handle_brings_that_back(result):
    assert result["relu, with a kernel of its own and without"] == ["a kernel for relu alone", "aten::relu"]


def test_numbers_and_gradient_are_those_of_the_cpu(result):
    assert result["y"] == [[4.5, 4.5], [4.5, 4.5]] and result["gradient of w"] == [[6.0, 6.0]] * 3
    assert result["y + y"] == [[9.0, 9.0], [9.0, 9.0]]


def test_nothing_is_left_of_the_device(result):
    assert result["afterwards"].startswith("Could not run 'aten::relu'")


def test_the_payoff_is_the_same_without_the_students_dispatcher(payoff, result):
    with overlay.swapped({}):
        assert payoff["payoff"]() == result


def test_all_calls_of_the_payoff_go_through_the_students_dispatcher(ran, payoff):
    ran.clear()
    payoff["payoff"]()
    assert {"lab02::affine", "aten::mm", "aten::relu", "aten::ones"} <= {*ran}


def test_the_backward_pass_goes_through_the_students_dispatcher(ran):
    x = engine.ones(2, requires_grad=True)
    y = (x * x).sum()
    ran.clear()
    y.backward()
    assert "aten::mul.Tensor" in ran


def test_the_table_of_keys_is_the_header_of_pytorch(pytorch):
    header = (Path(pytorch.__file__).parent / "include/c10/core/DispatchKey.h").read_text(encoding="utf-8")
    listed = header[header.index("  Dense,") : header.index("  EndOfFunctionalityKeys,")]
    keys = re.findall(r"^ +(\w+),", listed, re.M)
    table = TEXT[TEXT.index("| functionality, highest first") : TEXT.index("The 16 backends")]
    named = [name for row in re.findall(r"^\| (`[^|]*) \|", table, re.M) for name in re.findall(r"`(\w+)`", row)]
    assert named == keys[::-1] and len(keys) == 46


def test_a_set_of_an_alias_is_refused_here_and_empty_in_pytorch(pytorch):
    with pytest.raises(RuntimeError):
        DispatchKeySet(DispatchKey.Autograd)
    assert pytorch._C.DispatchKeySet(pytorch._C.DispatchKey.Autograd).raw_repr() == 0


@pytest.mark.parametrize("gradient", [False, True])
def test_the_guard_of_autograd_holds_in_every_call_of_pytorch_and_here_if_something_requires_grad(pytorch, gradient):
    seen = []
    with pytorch.library._scoped_library("aten", "IMPL") as library:
        library.impl("exp", lambda x: (seen.append(x), x.clone())[1], "AutogradCPU")
        library.impl("neg", lambda x: x.exp(), "CPU")
        pytorch.ones(2, requires_grad=gradient).neg()
    with engine.library._scoped_library("aten", "IMPL") as library:
        library.impl("neg", lambda x: x.exp(), "CPU")
        x = engine.ones(2, requires_grad=gradient)
        steps = steps_of(lambda: x.neg())
    here = [step for step in steps if (step.op, step.key.name) == ("aten::exp", "AutogradCPU")]
    assert (len(seen), len(here)) == (0, 0 if gradient else 1)


@pytest.mark.parametrize("gradient", [False, True])
def test_an_operator_of_ones_own_has_no_guard_of_autograd_here_and_in_pytorch(pytorch, gradient):
    seen = []
    scoped = pytorch.library._scoped_library
    with scoped("aten", "IMPL") as library, scoped("lab27", "DEF") as own:
        library.impl("neg", lambda x: (seen.append(x), x.clone())[1], "AutogradCPU")
        own.define("outer(Tensor x) -> Tensor")
        own.impl("outer", lambda x: x.neg(), "CPU")
        pytorch.ops.lab27.outer(pytorch.ones(2, requires_grad=gradient))
    with engine.library._scoped_library("lab27", "DEF") as own:
        own.define("outer(Tensor x) -> Tensor")
        own.impl("outer", lambda x: x.neg(), "CPU")
        x = engine.ones(2, requires_grad=gradient)
        steps = steps_of(lambda: engine.ops.lab27.outer(x))
    here = [step for step in steps if (step.op, step.key.name) == ("aten::neg", "AutogradCPU")]
    assert (len(seen), len(here)) == (1, 1)


def test_a_factory_in_the_cloud_takes_the_bits_of_the_key_of_the_device(payoff, monkeypatch):
    keys, bits = [], backend_select.bits
    monkeypatch.setattr(backend_select, "bits", lambda key: (keys.append(key), bits(key))[1])
    backend_select.key_set_of_options.cache_clear()  # which runs once for the options of a call
    with engine.library._scoped_library("_", "IMPL") as library:
        library.fallback(payoff["cloud_kernel"], "PrivateUse1")
        engine.ones(2, 3, device="privateuseone")
    assert DispatchKey.PrivateUse1 in keys


def test_the_addition_in_the_cloud_starts_again_at_autograd_of_the_cpu(payoff):
    with engine.library._scoped_library("_", "IMPL") as library:
        library.fallback(payoff["cloud_kernel"], "PrivateUse1")
        far = engine.ones(2, device="privateuseone")
        steps = steps_of(lambda: far + far)
    assert [step.key.name for step in steps] == ["AutogradPrivateUse1", "PrivateUse1", "AutogradCPU", "CPU"]


def test_the_program_of_the_diagnosis_is_right_with_a_line_that_writes_into_nothing():
    with engine.library._scoped_library("aten", "IMPL") as library:
        library.impl("mul_.Tensor", fallthrough_kernel, "ADInplaceOrView")
        x = engine.tensor([0.0, 1.0], requires_grad=True)
        y = x.exp()
        y = y * 2
        y.sum().backward()
    assert x.grad.tolist() == pytest.approx([2.0, 5.43656], rel=1e-5)


ROWS = re.findall(r"^\| (`[^|]*) \| `(\w+)` \| ([^|]*) \| (\w+) \|", TEXT, re.M)


def test_the_table_of_examples_has_ten_rows():
    assert len(ROWS) == 10


@pytest.mark.parametrize(("registered", "key", "kernel", "origin"), ROWS)
def test_a_row_of_the_examples_is_what_the_table_has(ran, registered, key, kernel, origin):
    kernels = {DispatchKey[name]: Kernel(print, debug=name) for name in re.findall(r"`(\w+)`", registered)}
    fallbacks = {DispatchKey[name]: Kernel(fallthrough_kernel, debug="fallback") for name in ("AutogradCPU", "Tracer")}
    found, said = computed_kernel(kernels, fallbacks, DispatchKey[key])
    assert (found.debug if found else "nothing", said) == (kernel.strip("` "), origin)
