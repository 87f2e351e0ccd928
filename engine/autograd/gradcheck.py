"""Is a backward right? The gradients that it gives beside those that finite differences find.

The slow mode takes every unit vector as direction u and as cotangent v, and compares the Jacobians J, element by
element. The fast mode takes one u and one v, and compares the numbers (v^T J) u, where backward computes v^T J, and
v^T (J u), where finite differences give J u. A wrong J is not noticed if u and v happen to miss the error. They are
drawn with the same seed in each call, so a second call misses it too. Mirrors torch/autograd/gradcheck.py.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from ..api import PUBLIC
from ..dtypes import float64
from ..tensor_impl import Tensor
from .function import Function
from .jacobians import (
    Func,
    GradcheckError,
    Tensors,
    Tolerance,
    as_tuple,
    differentiable,
    directional_derivatives,
    leaves_of,
    numerical_jacobians,
    random_direction,
    requires_grad,
    unit_vectors,
    vector_jacobian_products,
)
from .python_engine import grad


def gradcheck(
    func: Func,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Return True if the gradients of `func` agree with finite differences, for all inputs that require grad.

    Args:
        func: a function of `inputs` that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of arguments. Those that require grad should be float64: float32 has too few
            digits for differences.
        raise_exception: raise where the answer is no.
        check_undefined_grad: also check that no gradient for an output counts as zeros.
        fast_mode: compare in one direction, the same in each call, not the whole Jacobians.
    Raises:
        GradcheckError: the answer is no.
        ValueError: no input requires grad.
        RuntimeError: an input has elements that share memory; or forward AD or vmap, which are not supported.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_forward_ad or check_batched_grad:
        raise RuntimeError("gradcheck: forward AD and vmap over gradients are out of the scope of this engine")
    arguments = as_tuple(inputs)
    try:
        check_inputs(arguments)
        results = as_tuple(func(*arguments))
        outputs = differentiable(results)
        tolerance = Tolerance(eps, atol, rtol, nondet_tol, check_grad_dtypes)
        (check_direction if fast_mode else check_jacobians)(func, arguments, results, tolerance)
        if outputs:
            check_multiplied_by_cotangent(outputs, leaves_of(arguments))
            if check_undefined_grad:
                check_undefined_cotangents(func, arguments)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Func,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    gen_non_contig_grad_outputs: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    **options: Any,
) -> bool:
    """Return True if the second derivatives of `func` are right: apply `gradcheck` to the gradients of `func`.

    Args:
        grad_outputs: cotangents of the outputs, by default random numbers in -1..1; the gradients depend on them too.
        options: as of `gradcheck`.
    """
    arguments = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable(as_tuple(func(*arguments)))
        cotangents = tuple(random_cotangent(output, gen_non_contig_grad_outputs) for output in outputs)
    else:
        cotangents = as_tuple(grad_outputs)
    differentiated = [at for at, argument in enumerate(arguments) if requires_grad(argument)]

    def gradients(*given: Any) -> Tensors:
        values, cotangents_given = given[: -len(cotangents)], given[-len(cotangents) :]
        outputs = differentiable(as_tuple(func(*values)))
        leaves = [values[at] for at in differentiated]
        found = grad(outputs, leaves, cotangents_given, create_graph=True, allow_unused=True)
        return tuple(gradient for gradient in found if gradient is not None)

    return gradcheck(
        gradients,
        arguments + cotangents,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        **options,
    )


def random_cotangent(output: Tensor, with_gaps: bool) -> Tensor:
    """Return a tensor of random numbers in -1..1 with the sizes of `output`, which requires grad."""
    cotangent = output.new_empty(output.shape).uniform_(-1, 1)
    if with_gaps and cotangent.numel() > 1:
        cotangent = cotangent.repeat_interleave(2, -1)[..., ::2]
    return cotangent.requires_grad_()


# ---- one beside the other


def check_jacobians(func: Func, arguments: tuple, results: Tensors, tolerance: Tolerance) -> None:
    """Compare every element of each Jacobian with finite differences (slow mode).

    Raises:
        GradcheckError: one is not what finite differences give.
    """
    leaves = [at for at, argument in enumerate(arguments) if requires_grad(argument)]
    numerical = [numerical_jacobians(func, arguments, at, results, tolerance.eps) for at in leaves]
    outputs = differentiable(results)
    if not outputs and any((matrix != 0).any() for matrices in numerical for matrix in matrices):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    floating = [result for result in results if result.is_floating_point()]
    for number, output in enumerate(outputs):
        place = next(at for at, result in enumerate(floating) if result is output)
        units = list(unit_vectors(output))
        analytical = vector_jacobian_products(output, leaves_of(arguments), units, tolerance)
        for leaf, (found, expected) in enumerate(zip(analytical, numerical, strict=True)):
            if not is_close(found, expected[place], tolerance.rtol, tolerance.atol):
                raise GradcheckError(mismatch(number, leaf, expected[place], found))


def check_direction(func: Func, arguments: tuple, results: Tensors, tolerance: Tolerance) -> None:
    """Compare v^T J u for each Jacobian J and random u and v with a fixed seed (fast mode).

    Raises:
        GradcheckError: a product is not what finite differences give.
    """
    leaves, outputs = leaves_of(arguments), differentiable(results)
    generator = PUBLIC["Generator"]()  # the numbers that the program draws stay its own
    u = [random_direction(leaf, generator) for leaf in leaves]
    v = [random_direction(output, generator) for output in outputs]
    jacobian_u = [
        directional_derivatives(func, arguments, leaf.data, eps_u.reshape(leaf.shape), tolerance.eps)
        for leaf, eps_u in ((leaf, tolerance.eps * direction) for leaf, direction in zip(leaves, u, strict=True))
    ]
    if not outputs and any((column.abs() > tolerance.nondet_tol).any() for found in jacobian_u for column in found):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    for number, output in enumerate(outputs):
        place = next(at for at, result in enumerate(results) if result is output)
        v_jacobian = vector_jacobian_products(output, leaves, [v[number].reshape(output.shape)], tolerance)
        for leaf, (column, direction) in enumerate(zip(v_jacobian, u, strict=True)):
            analytical, numerical = column[:, 0].dot(direction), (v[number] * jacobian_u[leaf][place]).sum()
            atol = tolerance.atol * float(direction.sum()) * float(v[number].sum())  # an error of atol in each element
            if not is_close(analytical, numerical, tolerance.rtol, atol):
                raise GradcheckError(mismatch(number, leaf, numerical, analytical))


def is_close(one: Tensor, other: Tensor, rtol: float, atol: float) -> bool:
    """Return True if two tensors are `allclose`, compared in the larger of their dtypes."""
    dtype = PUBLIC["promote_types"](one.dtype, other.dtype)
    return one.to(dtype).allclose(other.to(dtype), rtol, atol)


def mismatch(output: int, leaf: int, numerical: Tensor, analytical: Tensor) -> str:
    """Return the error text for two Jacobians that differ."""
    return (
        f"Jacobian mismatch for output {output} with respect to input {leaf},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


# ---- rules of backwards


def check_multiplied_by_cotangent(outputs: Tensors, leaves: Sequence[Tensor]) -> None:
    """Check that the gradients of `leaves` are zero if the gradients of `outputs` are zero.

    Raises:
        GradcheckError: they do not, or what comes back is not as the leaf is.
    """
    zeros = [output.detach().new_zeros(output.shape) for output in outputs]
    for gradient, leaf in zip(grad(outputs, leaves, zeros, allow_unused=True), leaves, strict=True):
        if gradient is None:
            continue
        if (gradient != 0).any():
            raise GradcheckError("backward not multiplied by grad_output")
        if gradient.dtype != leaf.dtype:
            raise GradcheckError("grad is incorrect type")
        if gradient.device != leaf.device:
            raise GradcheckError("grad is incorrect device")
        if gradient.shape != leaf.shape:
            raise GradcheckError("grad is incorrect size")


UNDEFINED_IS_CHECKED = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    "existing callers of this function. If this is true for you, you can call this function with "
    '"check_undefined_grad=False" to disable the feature'
)
NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


class UndefinedGrad(Function):
    """The identity function, with a backward that returns no gradient."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor) -> Tensor:
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor) -> None:
        return None


def check_undefined_cotangents(func: Func, arguments: tuple) -> None:
    """Check that a missing output gradient counts as zeros: of all outputs together, and of each one of several.

    Raises:
        GradcheckError: its backward raises, or gives something.
    """
    count = len(differentiable(as_tuple(func(*arguments))))
    for undefined in [set(range(count)), *([{at} for at in range(count)] if count > 1 else [])]:
        outputs = differentiable(as_tuple(func(*arguments)))
        zeros = [output.detach().new_zeros(output.shape) for output in outputs]
        reached = [UndefinedGrad.apply(output) if at in undefined else output for at, output in enumerate(outputs)]
        try:
            gradients = grad(reached, leaves_of(arguments), zeros, allow_unused=True)
        except RuntimeError as error:
            warnings.warn(UNDEFINED_IS_CHECKED, stacklevel=4)
            raise GradcheckError(f"Expected backward function to handle undefined output grads. {NOTES}") from error
        if any(gradient is not None and (gradient != 0).any() for gradient in gradients):
            warnings.warn(UNDEFINED_IS_CHECKED, stacklevel=4)
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. " + NOTES
            )


def check_inputs(arguments: tuple) -> None:
    """Check that finite differences can be computed for these arguments.

    Raises:
        ValueError: none requires grad.
        RuntimeError: elements of one share memory.
    """
    for at, argument in enumerate(arguments):
        if not requires_grad(argument):
            continue
        if argument.dtype != float64:
            warnings.warn(
                f"Input #{at} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if any(stride == 0 and size > 1 for stride, size in zip(argument.stride(), argument.shape, strict=True)):
            raise RuntimeError(
                f"The {at}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                ".contiguous on the input before passing it to gradcheck."
            )
    if not leaves_of(arguments):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
