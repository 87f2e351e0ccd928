"""engine.func: derivatives, modules as functions, Functions inside transforms; programs print what PyTorch prints.

The programs are in golden/func.txt and golden/autograd_function.txt: see recorded_programs.py.
"""

import importlib

import pytest
from recorded_programs import printed, programs
from tiers import fast_only

import engine
from engine.autograd.state import state
from engine.dispatch.local import local

PROGRAMS = programs("func") | programs("autograd_function")
FAST = [
    "grad and its argnums", "has_aux", "what grad refuses", "what vjp refuses", "what jvp refuses", "vjp", "jvp",
    "writes in place", "no_grad inside and outside", "requires_grad outside", "functional_call", "tied weights",
    "stack_module_state", "linearize", "saved tensor hooks", "names", "a Function without setup_context",
    "what a vmap staticmethod may not return", "a Function with jvp",
]  # fmt: skip


@pytest.mark.parametrize("title", fast_only(FAST, PROGRAMS))
def test_a_program_prints_what_it_prints_with_pytorch(title):
    program, output = PROGRAMS[title]
    assert printed(program, engine) == output


def interrupted(x):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "transform",
    [
        engine.func.grad,
        engine.func.jacrev,
        engine.func.jacfwd,
        engine.func.vmap,
        lambda f: lambda x: engine.func.vjp(f, x),
        lambda f: lambda x: engine.func.jvp(f, (x,), (x,)),
        lambda f: lambda x: engine.func.linearize(f, x),
        lambda f: engine.func.vmap(engine.func.grad(f)),
        lambda f: engine.func.grad(lambda x: engine.func.vmap(f)(x).sum()),
    ],
)
@pytest.mark.parametrize("grad_mode", [True, False])
def test_an_exception_leaves_the_thread_as_it_was(transform, grad_mode):
    before = local.state
    with engine.set_grad_enabled(grad_mode), pytest.raises(KeyboardInterrupt):
        try:
            transform(interrupted)(engine.ones(2))
        finally:
            level = engine._C._functorch.maybe_current_level()
            found = local.state, state.grad_mode, state.saved_tensor_hooks_disabled, level
    assert found == (before, grad_mode, None, None)


def test_jacfwd_counts_arguments_from_the_back_where_pytorch_returns_zeros():
    x, y = engine.tensor([1.0, 2.0]), engine.tensor([3.0, 4.0])
    assert engine.func.jacfwd(lambda x, y: x * y, argnums=-1)(x, y).tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize("name", ["functional", "forward_ad"])
def test_modules_that_are_left_out_are_refused_by_name(name):
    with pytest.raises(ImportError, match=f"torch.autograd.{name} is not supported: .*use func"):
        importlib.import_module(f"engine.autograd.{name}")
    with pytest.raises(AttributeError, match="is not supported"):
        getattr(engine.autograd, name)
