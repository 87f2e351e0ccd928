"""The Jacobian of a function in two ways: by moving the inputs, and by backward.

It has a row for each element of the output and a column for each of the input. Two calls of the function give its
product with a direction u of the input, within O(eps^2),

    J u = (f(x + eps u) - f(x - eps u)) / (2 eps),

and one backward pass its product with a cotangent v of the output, v^T J. Mirrors torch/autograd/gradcheck.py.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..api import PUBLIC
from ..tensor_impl import Tensor
from .python_engine import grad

Func = Callable[..., Any]
Tensors = tuple[Tensor, ...]


class GradcheckError(RuntimeError):
    """The error raised when a backward disagrees with finite differences or breaks a rule of backward functions."""


@dataclass(frozen=True)
class Tolerance:
    """The tolerances and options of the comparison.

    Attributes:
        eps: how far an input is moved.
        atol, rtol: between finite differences and backward, as in `allclose`.
        nondet_tol: between two runs of one backward.
        check_grad_dtypes: a gradient has the dtype of its input.
    """

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool


# ---- arguments


def as_tuple(values: Any) -> tuple:
    """Return the arguments or results of a function as a tuple, with a single tensor wrapped in a tuple."""
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def requires_grad(argument: Any) -> bool:
    """Return True if an argument is a tensor that requires grad."""
    return isinstance(argument, Tensor) and argument.requires_grad


def leaves_of(arguments: tuple) -> list[Tensor]:
    """Return the arguments that require grad."""
    return [argument for argument in arguments if requires_grad(argument)]


def differentiable(results: tuple) -> Tensors:
    """Return the results that require grad."""
    return tuple(result for result in results if result.requires_grad)


# ---- J u: by moving the inputs


def directional_derivatives(
    func: Func, arguments: tuple, moved: Tensor, step: Any, eps: float, where: str = ""
) -> list[Tensor]:
    """Return J u for each result of `func(*arguments)`: the central difference (f(x + eps u) - f(x - eps u)) / (2 eps).

    `func` looks at the memory of `moved`: to move its input, write there with `moved.copy_(...)`, once for each of the
    two calls, in either order. Afterwards `moved` holds what it held before, to the last bit, also where `func` or the
    comparison raises. A result may be a view of that memory: `clone()` it before you write again. A tensor alone is a
    tuple of one (`as_tuple`).

    Args:
        func: a function of `arguments` that returns a tensor, or a tuple or a list of tensors, of integers too. An
            error that it raises goes on.
        moved: memory of an argument, or one element of it, that autograd does not see.
        step: eps u: a tensor of the sizes of `moved`, or a number. It stays as it is.
        eps: how far, a number.
        where: which element, for the error.
    Returns:
        list of tensors, one for each result: flat, with sizes (number of its elements,), of floating point, and without
        history (`detach()`).
    Raises:
        AssertionError: of `check_same_kind(results at x - eps u, results at x + eps u, eps, where)`: the results have
            other sizes or dtypes when the input is moved.

    Source: get_numerical_jacobian_wrt_specific_input, _compute_numerical_gradient (torch/autograd/gradcheck.py).
    """
    here = moved.clone()
    try:
        moved.copy_(here - step)
        before = [result.clone() for result in as_tuple(func(*arguments))]
        moved.copy_(here + step)
        after = [result.clone() for result in as_tuple(func(*arguments))]
    finally:
        moved.copy_(here)
    check_same_kind(before, after, eps, where)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after, strict=True)]


def check_same_kind(before: Sequence[Tensor], after: Sequence[Tensor], eps: float, where: str) -> None:
    """Check that the results of two calls have the same sizes and dtypes.

    Raises:
        AssertionError: they don't.
    """
    for one, other in zip(before, after, strict=True):
        for what, left, right in (("shape", one.shape, other.shape), ("dtype", one.dtype, other.dtype)):
            if left != right:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}"
                    f"by {eps}, but got: {what}s {left} and {right}."
                )


def numerical_jacobians(func: Func, arguments: tuple, at: int, results: Tensors, eps: float) -> list[Tensor]:
    """Compute, for each floating-point result, the Jacobian as a matrix (elements of argument `at`, of the result)."""
    memory = arguments[at].data  # the same memory, without history or a version that backward would look at
    rows = [
        directional_derivatives(func, arguments, memory[index], eps, eps, f"on index {index} ")
        for index in itertools.product(*map(range, memory.shape))
    ]
    matrices = []
    for number, result in enumerate(results):
        if result.is_floating_point():
            matrix = result.detach().new_zeros((len(rows), result.numel()))
            for row, derivatives in zip(matrix, rows, strict=True):
                row.copy_(derivatives[number])
            matrices.append(matrix)
    return matrices


# ---- v^T J: by backward


def vector_jacobian_products(
    output: Tensor, leaves: Sequence[Tensor], cotangents: Sequence[Tensor], tolerance: Tolerance
) -> list[Tensor]:
    """Compute v^T J with backward: for each leaf, a matrix (elements of the leaf, cotangents).

    Raises:
        GradcheckError: a gradient has the wrong sizes or dtype, or is another one the second time.
    """
    output = output.clone()  # as much a new root as the first time
    matrices = []
    for _ in range(2):
        found = [leaf.detach().new_zeros((leaf.numel(), len(cotangents))) for leaf in leaves]
        for column, cotangent in enumerate(cotangents):
            gradients = grad(output, leaves, cotangent, retain_graph=True, allow_unused=True)
            for matrix, leaf, gradient in zip(found, leaves, gradients, strict=True):
                if gradient is not None:
                    check_gradient(gradient, leaf, tolerance)
                    matrix[:, column].copy_(gradient.detach().reshape(-1))
        matrices.append(found)
    for one, other in zip(*matrices, strict=True):
        if one.numel() and (one - other).abs().max() > tolerance.nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {tolerance.nondet_tol}."
            )
    return matrices[0]


def check_gradient(gradient: Tensor, leaf: Tensor, tolerance: Tolerance) -> None:
    """Check that a gradient has the sizes of its leaf and, if requested, the dtype of its leaf.

    Raises:
        GradcheckError: it has other sizes, or another dtype where that matters.
    """
    if gradient.shape != leaf.shape:
        raise GradcheckError("Analytical gradient has incorrect size")
    if gradient.dtype != leaf.dtype and tolerance.check_grad_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")


def unit_vectors(output: Tensor) -> Iterator[Tensor]:
    """Yield, for each element of `output`, a tensor with the sizes of `output` that is 1 there and 0 elsewhere."""
    for index in range(output.numel()):
        unit = output.detach().new_zeros((output.numel(),))
        unit[index] = 1
        yield unit.view(output.shape)


def random_direction(tensor: Tensor, generator: Any) -> Tensor:
    """Return a flat tensor of random nonnegative numbers with norm 1 and as many elements as `tensor`."""
    direction = PUBLIC["rand"](tensor.numel(), generator=generator).to(tensor.dtype)
    return direction.div_(direction.norm())
