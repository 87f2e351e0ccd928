"""Derivatives of reductions, scans, sorting, softmax, normalizations and products: first and second ones, and names of
nodes, against PyTorch, at kinks and where a formula divides by zero, too."""

import warnings

import pytest
from compare import assert_close, needs_torch

import engine
from engine.nn import functional

INPUTS = {
    "plain": [[1.0, -2.0, 3.0], [2.5, 0.5, -1.0], [4.0, 0.25, -3.0]],
    "ties": [[1.0, 3.0, 3.0], [2.0, 2.0, 1.0], [3.0, 3.0, 3.0]],
    "a zero": [[1.0, 0.0, 3.0], [2.0, 2.0, 5.0], [1.0, 2.0, 3.0]],
    "zeros": [[0.0, 0.0, 3.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    "infinities": [[1.0, float("-inf"), 3.0], [float("-inf")] * 3, [float("inf"), 1.0, 2.0]],
    "a number": 2.0,
    "nothing": [[], [], []],
}

REDUCTIONS = {
    "sum": lambda T, x: x.sum(),
    "sum of float32": lambda T, x: x.sum(-1, dtype=T.float32),
    "nansum": lambda T, x: x.nansum(-1),
    "mean": lambda T, x: x.mean(),
    "mean of rows": lambda T, x: x.mean(-1, keepdim=True),
    "prod": lambda T, x: x.prod(),
    "prod of columns": lambda T, x: x.prod(0),
    "cumprod": lambda T, x: x.cumprod(-1),
    "cumsum": lambda T, x: x.cumsum(0),
    "cummax": lambda T, x: x.cummax(-1).values,
    "logcumsumexp": lambda T, x: x.logcumsumexp(-1),
    "logsumexp": lambda T, x: x.logsumexp(0),
    "amax": lambda T, x: x.amax(),
    "amin of rows": lambda T, x: x.amin(-1),
    "max": lambda T, x: x.max(),
    "max of rows": lambda T, x: x.max(-1).values,
    "median": lambda T, x: x.median(),
    "median of columns": lambda T, x: x.median(0, True).values,
    "aminmax": lambda T, x: sum(T.aminmax(x, dim=0)),
    "var": lambda T, x: x.var(-1),
    "var of few": lambda T, x: x.var(correction=9),
    "std": lambda T, x: x.std(0),
    "std_mean": lambda T, x: sum(T.std_mean(x)),
    "mean of var_mean": lambda T, x: T.var_mean(x, 0)[1],
    "norm 0": lambda T, x: x.norm(0),
    "norm 1.5": lambda T, x: x.norm(1.5, 0),
    "norm 2": lambda T, x: x.norm(),
    "norm 3": lambda T, x: x.norm(3, -1, True),
    "norm 0.5": lambda T, x: x.norm(0.5, 0),
    "sort": lambda T, x: x.sort(-1, descending=True).values,
    "topk": lambda T, x: x.topk(1, 0).values,
    "kthvalue": lambda T, x: x.kthvalue(1).values,
    "softmax": lambda T, x: x.softmax(-1),
    "log_softmax": lambda T, x: x.log_softmax(0),
    "safe softmax": lambda T, x: T.ops.aten._safe_softmax(x, -1),
    "trace": lambda T, x: x.trace(),
    "in place": lambda T, x: (x * 1).cumsum_(0),
}


def pattern(T, *sizes, kind="float64"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([(n * 37 % 11 - 5) * 0.21 for n in range(count)], dtype=getattr(T, kind)).view(sizes)


def twice(T, result, *inputs):
    """The name of the result's node, the gradients by a pattern, and the gradients of those; None for none."""
    seen = [result.grad_fn.name(), result.dtype]
    first = T.autograd.grad(result, inputs, pattern(T, *result.shape).to(result.dtype), True, True, allow_unused=True)
    differentiable = [grad for grad in first if grad is not None and grad.requires_grad]
    seen += [None if grad is None else grad.detach().clone() for grad in first]
    if differentiable:
        patterns = [pattern(T, *grad.shape) + 0.1 for grad in differentiable]
        second = T.autograd.grad(differentiable, inputs, patterns, allow_unused=True)
        seen += [grad is not None and grad + 0 for grad in second]
    return [*seen]


# ---- without PyTorch


def test_gradients_in_equal_parts_to_all_that_are_the_largest():
    x = engine.tensor([1.0, 3.0, 3.0]).requires_grad_()
    x.amax().backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.5]


def test_the_gradient_of_a_mean_of_squares_is_theirs():
    x = engine.arange(4.0).requires_grad_()
    (x * x).mean().backward()
    assert x.grad.tolist() == [0.0, 0.5, 1.0, 1.5]


def test_a_linear_layer_has_addmm_and_t_in_its_history():
    w, b = engine.ones(2, 3).requires_grad_(), engine.zeros(2).requires_grad_()
    out = functional.linear(engine.ones(4, 3), w, b)
    assert out.grad_fn.name() == "AddmmBackward0"
    assert [node and node.name() for node, _ in out.grad_fn.next_functions][2] == "TBackward0"


def test_an_argument_without_a_derivative_is_refused():
    x, mean = engine.ones(2, 3).requires_grad_(), engine.zeros(3).requires_grad_()
    with pytest.raises(RuntimeError, match="not differentiable with respect to argument 'running_mean'"):
        functional.batch_norm(x, mean, engine.ones(3))


# ---- against PyTorch


@needs_torch
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(name):
    for values in INPUTS.values():

        def program(T, values=values):
            x = T.tensor(values, dtype=T.float64).requires_grad_()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return twice(T, REDUCTIONS[name](T, x), x)

        assert_close(program)


PRODUCTS = {
    "mm": (lambda T, a, b, c, d: T.mm(a, b), (3, 4), (4, 2)),
    "mm of a transposed": (lambda T, a, b, c, d: T.mm(a.t(), b.t()), (4, 3), (2, 4)),
    "bmm": (lambda T, a, b, c, d: T.bmm(a, b), (2, 3, 4), (2, 4, 2)),
    "mv": (lambda T, a, b, c, d: T.mv(a, b), (3, 4), (4,)),
    "dot": (lambda T, a, b, c, d: T.dot(a, b), (4,), (4,)),
    "outer": (lambda T, a, b, c, d: T.outer(a, b), (4,), (3,)),
    "addmm": (lambda T, a, b, c, d: T.addmm(a, b, c, beta=0.5, alpha=2), (2,), (3, 4), (4, 2)),
    "addmv": (lambda T, a, b, c, d: T.addmv(a, b, c, beta=0.5, alpha=2), (3,), (3, 4), (4,)),
    "addr": (lambda T, a, b, c, d: T.addr(a, b, c, beta=0.5, alpha=2), (3, 4), (3,), (4,)),
    "addbmm": (lambda T, a, b, c, d: T.addbmm(a, b, c, beta=0.5, alpha=2), (3, 2), (2, 3, 4), (2, 4, 2)),
    "baddbmm": (lambda T, a, b, c, d: T.baddbmm(a, b, c, beta=0.5, alpha=2), (3, 1), (2, 3, 4), (2, 4, 2)),
    "matmul 3, 2": (lambda T, a, b, c, d: T.matmul(a, b), (2, 3, 4), (4, 2)),
    "matmul 2, 3": (lambda T, a, b, c, d: T.matmul(a, b), (3, 4), (2, 4, 5)),
    "matmul 1, 3": (lambda T, a, b, c, d: T.matmul(a, b), (4,), (2, 4, 5)),
    "matmul 4, 3": (lambda T, a, b, c, d: T.matmul(a, b), (2, 1, 3, 4), (2, 4, 5)),
    "einsum": (lambda T, a, b, c, d: T.einsum("ij,kj->ik", a, b), (3, 4), (2, 4)),
    "tensordot": (lambda T, a, b, c, d: T.tensordot(a, b, 2), (3, 4), (3, 4)),
    "linear": (lambda T, a, b, c, d: T.nn.functional.linear(a, b, c), (2, 3, 4), (5, 4), (5,)),
    "layer_norm": (lambda T, a, b, c, d: T.nn.functional.layer_norm(a, (4,), b, c), (3, 4), (4,), (4,)),
    "rms_norm": (lambda T, a, b, c, d: T.nn.functional.rms_norm(a, (4,), b), (3, 4), (4,)),
    "group_norm": (lambda T, a, b, c, d: T.nn.functional.group_norm(a, 2, b, c), (3, 4, 2), (4,), (4,)),
    "batch_norm": (
        lambda T, a, b, c, d: T.nn.functional.batch_norm(a, None, None, b, c, True), (3, 4, 2), (4,), (4,)
    ),
    "batch_norm in evaluation": (
        lambda T, a, b, c, d: T.nn.functional.batch_norm(a, d.detach(), d.detach() ** 2 + 1, b, c),
        (3, 4, 2), (4,), (4,), (4,),
    ),
}  # fmt: skip


@needs_torch
@pytest.mark.parametrize("name", PRODUCTS)
def test_product_or_norm(name):
    make, *sizes = PRODUCTS[name]

    def program(T):
        inputs = [(pattern(T, *size) + 0.07 * number).requires_grad_() for number, size in enumerate(sizes)]
        return twice(T, make(T, *inputs, *(None for _ in range(4 - len(inputs)))), *inputs)

    assert_close(program)


@needs_torch
def test_attention():
    def program(T, is_causal):
        q, k, v = (pattern(T, 2, 3, n, 4).requires_grad_() for n in (5, 6, 6))
        out = T.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
        grads = T.autograd.grad(out, (q, k, v), pattern(T, 2, 3, 5, 4))
        return [out.grad_fn.name(), *(grad + 0 for grad in grads)]

    for is_causal in (False, True):
        assert_close(lambda T, is_causal=is_causal: program(T, is_causal))
