"""jvp and linearize: derivatives along a direction, by two backward passes.

The vjp of a function is linear in the cotangent. So the vjp of the vjp, with respect to the cotangent, is the jvp: a
first pass records how the gradients depend on the cotangents, whose values do not matter; a second one passes the
tangents back through that record. PyTorch has dual tensors instead, with a second formula for each operator, which take
one pass; this takes about three times the work. Mirrors torch/_functorch/eager_transforms.py.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..aten.at import at
from ..autograd import variable
from ..autograd.node import Gradients, Node
from ..autograd.state import state as autograd
from ..tensor_impl import Size, Tensor
from .argnums import replace_args, slice_argnums
from .eager_transforms import (
    check_outputs,
    create_differentiable,
    gradients,
    output_and_aux,
    recording,
    unwrap_all,
    without_inference_mode,
)  # fmt: skip
from .grad_wrapper import JvpInterpreter
from .pytree import tree_flatten, tree_map_only, tree_unflatten

__all__ = ["jvp", "linearize"]

OTHER_SIZE = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
    "supported. Tensor is of size {} while the given forward gradient is of size {}."
)
NO_DERIVATIVE = re.compile("derivative for (.*) is not implemented")
NO_FORWARD_AD = "Trying to use forward AD with {} that does not support it."
JVP = "jvp(f, primals, tangents)"


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """Return `func(*primals)` and the Jacobian there times a tangent: (output, jvp_out).

    Args:
        primals: a tuple of trees of tensors.
        tangents: of the same structure and sizes.
        strict: an output that does not depend on the primals is an error, instead of having the tangent 0.
        has_aux: `func` returns (output, aux), and `jvp` (output, jvp_out, aux).
    Raises:
        RuntimeError: the structures or sizes differ, or `func` returned something that is not a tensor.
        ValueError: a primal or tangent is not of a floating-point dtype.

    Source: _jvp_with_argnums (torch/_functorch/eager_transforms.py).
    """
    return jvp_with_argnums(func, primals, tangents, None, strict, has_aux)


def jvp_with_argnums(
    func: Callable[..., Any], primals: Any, tangents: Any, argnums: Any, strict: bool = False, has_aux: bool = False
) -> Any:
    """Return `jvp` for the primals that `argnums` says; None: for all."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    chosen = primals if argnums is None else slice_argnums(primals, argnums)
    given = tangents_of(chosen, tangents)
    output, push, aux = recorded_for_jvp(func, primals, chosen, argnums, strict, has_aux)
    return (output, push(given), aux) if has_aux else (output, push(given))


def recorded_for_jvp(
    func: Callable[..., Any], primals: Any, chosen: Any, argnums: Any, strict: bool, has_aux: bool
) -> tuple[Any, Callable[[Sequence[Tensor]], Any], Any]:
    """Return the output of `func`, a function from a list of tangents of the chosen primals to its tangent, and aux."""
    with without_inference_mode(), JvpInterpreter() as layer:
        values, spec = tree_flatten(chosen)
        inputs = [*map(layer.wrap, values)]
        create_differentiable(inputs)
        given = tree_unflatten([writable(one, layer) for one in inputs], spec)
        if argnums is not None:
            given = replace_args(tree_map_only(Tensor, layer.wrap, primals), given, argnums)
        output, aux = output_and_aux(func(*given), has_aux, JVP)
        if has_aux:
            aux = unwrap_all(aux, layer)
        outputs, output_spec = tree_flatten(output)
        check_outputs(outputs, JVP)
        if strict and not all(map(variable.requires_grad, outputs)):
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                "allowed with strict=True."
            )
        result = unwrap_all(output, layer)
    push = linear_map(outputs, inputs)
    return result, lambda tangents: tree_unflatten(push(tangents), output_spec), aux


class Identity(Node):
    """The node of a primal that a function may write to."""

    __slots__ = ()

    def apply(self, grads: Gradients, needs: Sequence[Any]) -> Gradients:
        return grads


def writable(leaf: Any, layer: JvpInterpreter) -> Tensor:
    """Return a tensor computed from a leaf, with the same value: to a leaf itself nothing could be written."""
    made = layer.wrap(leaf._value)
    variable.set_history(made, Identity((variable.gradient_edge(leaf),)))
    return made


def linear_map(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> Callable[[Sequence[Tensor]], list[Tensor]]:
    """Return the function from tangents of inputs to tangents of outputs, by the graph that a layer recorded.

    Raises:
        NotImplementedError: an operator in the graph has no derivative.
    """
    differentiable = [one for one in outputs if variable.requires_grad(one)]
    ones = [at.ones_like(one) for one in differentiable]  # any but zeros: a few formulas take their logarithm
    with recording() as layer:
        cotangents = [*map(layer.wrap, ones)]
        create_differentiable(cotangents)
        try:
            grads = gradients(differentiable, inputs, cotangents)
        except RuntimeError as error:
            if (found := NO_DERIVATIVE.fullmatch(str(error))) is None:
                raise
            raise NotImplementedError(NO_FORWARD_AD.format(found[1])) from None

    def push(tangents: Sequence[Tensor]) -> list[Tensor]:
        found = iter(gradients(grads, cotangents, tangents, retain_graph=True, create_graph=autograd.grad_mode))
        return [next(found) if variable.requires_grad(one) else at.zeros_like(one) for one in outputs]

    return push


def tangents_of(primals: Any, tangents: Any) -> list[Tensor]:
    """Return the leaves of the tangents, after checking that they fit the primals."""
    flat, spec = tree_flatten(primals)
    given, given_spec = tree_flatten(tangents)
    if spec != given_spec:
        raise RuntimeError(
            f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{given_spec}"
        )
    for name, leaves in (("primals", flat), ("tangents", given)):
        if not leaves:
            raise RuntimeError(f"{JVP}: Expected {name} to contain at least one Tensor.")
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"{JVP}: Expected {name} to only contain Tensors, got {type(leaf)}")
    for primal, tangent in zip(flat, given, strict=True):
        for name, one in (("primal", primal), ("tangent", tangent)):
            if not one.is_floating_point():
                raise ValueError(f"Expected {name} to be floating point or complex, but got: {one.dtype}")
        if primal._sizes != tangent._sizes:
            raise RuntimeError(OTHER_SIZE.format([*primal._sizes], [*tangent._sizes]))
    return given


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return `func(*primals)`, and a function from tangents to the Jacobian there times them: (output, jvp_fn).

    `func` is called twice, as in PyTorch, and not again by `jvp_fn`.

    Raises:
        RuntimeError: of `jvp_fn`: the tangents have another structure, shape, device or dtype than the primals.

    Source: linearize (torch/_functorch/eager_transforms.py).
    """
    output = func(*primals)
    _, push, _ = recorded_for_jvp(func, primals, primals, None, strict=False, has_aux=False)
    flat, spec = tree_flatten(primals)
    expected = [{"shape": Size(one._sizes), "device": one.device, "dtype": one.dtype} for one in flat]

    def jvp_fn(*tangents: Any) -> Any:
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise RuntimeError(f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}")
        for number, (tangent, wanted) in enumerate(zip(given, expected, strict=True)):
            for name, value in wanted.items():
                if getattr(tangent, name) != value:
                    raise RuntimeError(
                        f"tangent:{number} with {name} {getattr(tangent, name)} in flattened pytree doesn't match the "
                        f"{name} {value} of the corresponding primal."
                    )
        return push(given)

    return output, jvp_fn
