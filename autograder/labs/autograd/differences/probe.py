"""Probe of finite differences: polynomials, whose central differences are exact in binary fractions."""

from autograder.examine.raised import type_name
from autograder.labs.autograd.script.probe import tensor_of


def differences(engine, x, y, polynomials, moved, step, exponent):
    """Return the result of `directional_derivatives`, and the values of its argument before and afterwards.

    Args:
        x, y: (sizes, values): two arguments.
        polynomials: for each result (kind, coefficients): "x" and "y" take one argument, "both" their product, "view"
            is a view of x, "alone" the same as "x" and not in a tuple; "grows" has more elements and "halves" another
            dtype where the sum of x is larger than the coefficient.
        moved: "x", "y", or ("x", indices) for one element.
        step: u, values for each element that is moved, or a number; it is multiplied by eps.
        exponent: eps is 2 ** -exponent.
    Returns:
        (type name, each result: sizes, values, requires_grad; x afterwards, y afterwards, their versions), or
        ("raised", type name).
    Raises:
        NotImplementedError: the exercise is not written yet.
    """
    eps = 2.0**-exponent
    arguments = {"x": tensor_of(engine, *x, True), "y": tensor_of(engine, *y, True)}
    name, indices = moved if isinstance(moved, tuple) else (moved, None)
    memory = arguments[name].data
    memory = memory if indices is None else memory[indices]
    direction = step * eps if isinstance(step, float) else tensor_of(engine, tuple(memory.shape), step) * eps

    def func(x, y):
        results = tuple(polynomial(kind, coefficients, x, y) for kind, coefficients in polynomials)
        return results[0] if polynomials[0][0] == "alone" else results

    find = engine.autograd.jacobians.directional_derivatives
    try:
        found = find(func, tuple(arguments.values()), memory, direction, eps)
    except (NotImplementedError, NameError):
        raise
    except Exception as error:
        return ("raised", type_name(error))
    shown = [(tuple(each.shape), each.tolist(), each.requires_grad) for each in found]
    after = [(tensor.tolist(), tensor._version) for tensor in arguments.values()]
    return (type(found).__name__, shown, after)


def polynomial(kind, coefficients, x, y):
    """A polynomial of one of the arguments, by Horner's rule."""
    if kind == "view":
        return x.view(-1)
    if kind in ("grows", "halves"):
        is_large = x.detach().sum().item() > coefficients[0]
        return x.view(-1).narrow(0, 0, 1 + is_large) if kind == "grows" else x.float() if is_large else x
    at = {"x": x, "alone": x, "y": y}.get(kind)
    at = x * y if at is None else at
    result = at * 0.0
    for coefficient in coefficients:
        result = result * at + coefficient
    return result
