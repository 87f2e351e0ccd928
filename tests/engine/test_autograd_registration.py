"""Kernels that record are made from derivatives.yaml: what an entry says, what is refused, what debug builds assert."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import engine as T
from engine import extend
from engine.aten.registration import NATIVE_FUNCTIONS
from engine.autograd import derivatives, formulas, gen_autograd_functions, registration
from engine.autograd.gen_variable_type import Recorded, kernel_source

ROOT = Path(T.__file__).parents[1]
ENTRIES = registration.entries()
WITH_NODES = {operator: info for operator, info in ENTRIES.items() if info.node}
NAMES = {str(f.name): f for f in NATIVE_FUNCTIONS}
ENTRY = """
- func: cubed(Tensor self) -> Tensor
  variants: function, method
  dispatch:
    CompositeExplicitAutograd: cubed
"""


def cubed(self):
    return self * self * self


@pytest.fixture
def registered():
    handles = []

    def register(derivatives, **kernels):
        handles.append(extend.register(ENTRY, {"cubed": cubed, **kernels}, derivatives=derivatives))

    yield register
    for handle in handles:
        handle.destroy()


def test_an_entry_is_for_an_operator_that_exists_with_the_same_schema():
    for operator, info in ENTRIES.items():
        assert str(info.func).split(" -> ")[0] == str(NAMES[operator].func).split(" -> ")[0], info.location


def test_a_node_and_its_kernel_compile():
    for operator, info in WITH_NODES.items():
        assert registration.node_class(info).__name__ == info.node, info.location
        compile(kernel_source(Recorded(NAMES[operator], info), debug=True), info.location, "exec")


def test_a_formula_names_only_what_there_is():
    for info in WITH_NODES.values():
        apply = registration.node_class(info).apply
        used = {name for formula in formulas.formulas_of(info) for name in formula.used}
        known = {argument.name for argument in info.func.arguments} | set(formulas.results_of(info.func))
        known |= {f"{name}_" for name in known} | {"grad", "grads", "grad_input_mask", "result"}
        assert used - known - set(apply.__globals__) - set(dir(__import__("builtins"))) == set(), info.location


def test_an_operator_of_ones_own_is_differentiated_by_its_entry(registered):
    registered("- name: cubed(Tensor self) -> Tensor\n  self: 3 * square(self) * grad\n", square=lambda x: x * x)
    x = T.tensor([2.0], requires_grad=True)
    y = x.cubed()
    y.backward()
    assert (y.grad_fn.name(), x.grad.tolist()) == ("CubedBackward0", [12.0])


def test_an_operator_without_an_entry_says_so_when_its_gradient_is_asked_for(registered):
    registered("")
    y = T.cubed(T.ones(1, requires_grad=True))
    assert y.requires_grad
    with pytest.raises(RuntimeError, match="derivative for aten::cubed is not implemented"):
        y.backward()


def test_a_handle_takes_the_derivative_out_again(registered):
    handle = extend.register(
        ENTRY, {"cubed": cubed}, derivatives="- name: cubed(Tensor self) -> Tensor\n  self: grad\n"
    )
    T.cubed(T.ones(1, requires_grad=True))
    handle.destroy()
    assert not [text for text in registration.NODES if text.startswith("cubed")]


@pytest.mark.parametrize("text, message", [
    ("- self: grad", "derivatives:1: the entry has no name"),
    ("- name: f(Tensor self) -> Tensor\n  self: grad\n- name: f(Tensor self) -> Tensor\n  self: grad",
     "derivatives:3: f has an entry already, at derivatives:1"),
])  # fmt: skip
def test_an_entry_that_makes_no_sense_is_refused_with_its_line(text, message):
    with pytest.raises(ValueError, match=message):
        derivatives.parse(text, "derivatives")


@pytest.mark.parametrize("formula, message", [
    ("self: grad *", "invalid syntax"), ("other: grad", "other is no tensor argument of f"),
])  # fmt: skip
def test_a_formula_that_makes_no_sense_is_refused_with_its_line(formula, message):
    (info,) = derivatives.parse(f"- name: f(Tensor self) -> Tensor\n  {formula}", "derivatives").values()
    with pytest.raises(ValueError, match=f"derivatives:1: .*{message}"):
        gen_autograd_functions.node_source(info)


# ---- ENGINE_DEBUG=1

GOOD = "x = T.ones(2, 3, requires_grad=True); (x.clone().mul_(2).t() @ x).sum().backward(); print('fine')"
MOVES_ITS_INPUT = """
from engine.library import Library
library = Library("aten", "IMPL")
def neg(x):
    x._storage = T.ones(9).untyped_storage()
    return T.ones(2)
library.impl("neg", neg, "CPU")
T.ones(2, requires_grad=True).neg()
"""
RETURNS_ITS_INPUT = """
from engine.library import Library
library = Library("aten", "IMPL")
library.impl("neg", lambda x: x, "CPU")
T.ones(2, requires_grad=True).neg()
"""


def run(program, debug):
    environment = os.environ | {"ENGINE_DEBUG": "1" if debug else ""}
    command = [sys.executable, "-c", f"import engine as T\n{program}"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_a_debug_build_asserts_that_kernels_leave_their_inputs_where_they_are():
    assert run(GOOD, debug=True).stdout == "fine\n"
    assert "AssertionError: neg: tensor input 0 has another storage after the call" in run(MOVES_ITS_INPUT, True).stderr
    assert "AssertionError: neg: the result shares memory with an input" in run(RETURNS_ITS_INPUT, True).stderr
    assert run(MOVES_ITS_INPUT, debug=False).returncode == 0
