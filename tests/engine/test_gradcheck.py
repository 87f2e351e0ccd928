"""gradcheck and gradgradcheck say of right and of wrong backwards what PyTorch's do."""

import warnings
from typing import Any

import pytest
from compare import needs_torch, torch
from tiers import fast_first

import engine


def double(T: Any, backward: Any) -> Any:
    """A function that doubles, with a backward of one's own."""

    class Double(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2

    Double.backward = staticmethod(lambda ctx, cotangent: backward(cotangent))
    return Double.apply


def numbers(T: Any, dtype: str = "float64") -> Any:
    return T.tensor([0.3, -1.2, 0.8], dtype=getattr(T, dtype)).requires_grad_()


def refuse(cotangent: Any) -> Any:
    if cotangent is None:
        raise RuntimeError("no gradient")
    return cotangent * 2


def matrices(T: Any) -> tuple:
    return T.arange(6, dtype=T.float64).view(2, 3).requires_grad_(), numbers(T)


def two(T: Any) -> tuple:
    return numbers(T), numbers(T), 2


FUNCTIONS = {
    "exp": lambda T: (lambda x: x.exp(), numbers(T)),
    "of a number": lambda T: (lambda x: x.exp(), numbers(T)[0].detach().requires_grad_()),
    "in a list": lambda T: (lambda x: x * 2, [numbers(T)]),
    "several": lambda T: (lambda x, y, n: (x * y * n, y.exp()), two(T)),
    "sort": lambda T: (lambda x: x.sort(), numbers(T)),
    "none": lambda T: (lambda x: x[:0], numbers(T)),
    "layer_norm": lambda T: (lambda x, w: T.nn.functional.layer_norm(x, (3,), w), matrices(T)),
    "constant": lambda T: (lambda x: x.detach() * 0, numbers(T)),
    "cut off": lambda T: (lambda x: x.detach() * 2, numbers(T)),
    "partly cut off": lambda T: (lambda x: (x * 2, x.detach()), numbers(T)),
    "float32": lambda T: (lambda x: x * 2, numbers(T, "float32")),
    "no leaf": lambda T: (lambda x: x * 2, numbers(T).detach()),
    "expanded": lambda T: (lambda x: x * 2, numbers(T)[:1].detach().requires_grad_().expand(3)),
    "not a tensor": lambda T: (lambda x: (x, 3), numbers(T)),
    "right": lambda T: (double(T, lambda cotangent: None if cotangent is None else cotangent * 2), numbers(T)),
    "wrong": lambda T: (double(T, lambda cotangent: cotangent * 3), numbers(T)),
    "without cotangent": lambda T: (double(T, lambda cotangent: T.full((3,), 2.0, dtype=T.float64)), numbers(T)),
    "refuses None": lambda T: (double(T, refuse), numbers(T)),
    "random": lambda T: (double(T, lambda cotangent: cotangent * (2 + T.rand(1, dtype=T.float64))), numbers(T)),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "slow": {},
    "fast": {"fast_mode": True},
    "quiet": {"raise_exception": False},
    "lenient": {"nondet_tol": 10.0, "atol": 10.0, "check_undefined_grad": False},
}


def said(T: Any, check: str, function: str, options: dict[str, Any]) -> tuple:
    """The answer or the error's type and first line, and the warnings."""
    T.manual_seed(0)
    func, inputs = FUNCTIONS[function](T)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            answer: Any = getattr(T.autograd, check)(func, inputs, **options)
        except Exception as error:
            answer = type(error).__name__, str(error).partition("\n")[0]
    return answer, [str(entry.message) for entry in warned if entry.category is UserWarning]


@needs_torch
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradcheck_says_what_pytorchs_says(function, options):
    assert said(engine, "gradcheck", function, OPTIONS[options]) == said(torch, "gradcheck", function, OPTIONS[options])


@needs_torch
@pytest.mark.parametrize("options", [{}, {"fast_mode": True}, {"gen_non_contig_grad_outputs": True}])
@pytest.mark.parametrize("function", ["exp", "sort", "layer_norm", "right", "no leaf"])
def test_gradgradcheck_says_what_pytorchs_says(function, options):
    assert said(engine, "gradgradcheck", function, options) == said(torch, "gradgradcheck", function, options)


@pytest.mark.parametrize("fast_mode", fast_first(1, [False, True]))
def test_each_output_and_each_input_is_looked_at(fast_mode):
    def func(x, y, n):
        return x.argmax(), x * y, y.exp() * n

    assert engine.autograd.gradcheck(func, two(engine), fast_mode=fast_mode)

    wrong = double(engine, lambda cotangent: None if cotangent is None else cotangent * 2.01)
    with pytest.raises(RuntimeError, match="output 1 with respect to input 1"):
        engine.autograd.gradcheck(
            lambda x, y, n: (x.argmax(), x * y, wrong(y)), two(engine), fast_mode=fast_mode, check_undefined_grad=False
        )


def test_inputs_are_left_as_they_were():
    x, y, n = two(engine)
    versions = x._version, y._version
    engine.autograd.gradcheck(lambda x, y, n: x * y, (x, y, n))
    assert (x._version, y._version) == versions and x.grad is None
    assert engine.equal(x, numbers(engine)) and engine.equal(y, numbers(engine))
