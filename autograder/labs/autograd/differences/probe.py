"""Probe of finite differences: polynomials, whose central differences are exact in binary fractions."""

from autograder.examine.error_data import message, type_name
from autograder.labs.autograd.script.probe import tensor_of


def differences(engine, x, y, polynomials, moved, step, exponent):
    """Call `directional_derivatives` on polynomials; return its results and the state of its arguments afterwards.

    Args:
        x, y: (sizes, values): two arguments.
        polynomials: for each result (kind, coefficients): "x" and "y" take one argument, "both" their product, "view"
            is a view of x, "alone" the same as "x" and not in a tuple, "listed" the same and in a list; "turned" is the
            transpose of what "x" gives, "total" its sum, "whole" as integers; "grows" has more elements and "halves"
            another dtype where the sum of x is larger than the coefficient, and "fails" and "stops" raise ValueError
            and an error outside of Exception where it is.
        moved: "x", "y", or ("x", indices) for one element.
        step: u, values for each element that is moved, or a number; it is multiplied by eps.
        exponent: eps is 2 ** -exponent; or eps itself, a float, and then results are rounded to 6 digits.
    Returns:
        the type of what came back, or ("raised", type name), and what an AssertionError says; of each result sizes,
        values and requires_grad; x, y and the step afterwards, and the versions of x and y.
    Raises:
        NotImplementedError: the exercise is not written yet.
    """
    eps = exponent if isinstance(exponent, float) else 2.0**-exponent
    arguments = {"x": tensor_of(engine, *x, True), "y": tensor_of(engine, *y, True)}
    name, indices = moved if isinstance(moved, tuple) else (moved, None)
    memory = arguments[name].data
    memory = memory if indices is None else memory[indices]
    where = "" if indices is None else f"on index {indices} "
    direction = step * eps if isinstance(step, float) else tensor_of(engine, tuple(memory.shape), step) * eps

    held = direction if isinstance(direction, float) else direction.tolist()

    def func(x, y):
        results = tuple(polynomial(kind, coefficients, x, y) for kind, coefficients in polynomials)
        kind = polynomials[0][0]
        return results[0] if kind == "alone" else list(results) if kind == "listed" else results

    find = engine.autograd.jacobians.directional_derivatives
    shown = {}
    try:
        found = find(func, tuple(arguments.values()), memory, direction, eps, where)
    except (NotImplementedError, NameError):
        raise
    except Stop:
        came = ("raised", "an error outside of Exception")
    except Exception as error:
        came = ("raised", type_name(error))
        if isinstance(error, AssertionError):
            shown = {"the error says": message(error)}
    else:
        came = type(found).__name__
        digits = 6 if isinstance(exponent, float) else None
        several = found if isinstance(found, (list, tuple)) else []
        shown = {f"result {number}": _shown(engine, each, digits) for number, each in enumerate(several)}
    after = {f"{name} afterwards": tensor.tolist() for name, tensor in arguments.items()}
    versions = [tensor._version for tensor in arguments.values()]
    step_after = direction if isinstance(direction, float) else direction.tolist()
    is_same = "as it was" if step_after == held else "changed"
    return {"came back": came, **shown, **after, "versions": versions, "step afterwards": is_same}


class Stop(BaseException):
    """An error that does not derive from Exception, like KeyboardInterrupt."""


def _shown(engine, result, digits):
    if not isinstance(result, engine.Tensor):
        return type(result).__name__
    values = result.tolist()
    if digits is not None and isinstance(values, list):
        values = [float(f"{value:.{digits}g}") if isinstance(value, float) else value for value in values]
    return (tuple(result.shape), values, result.requires_grad)


def polynomial(kind, coefficients, x, y):
    """Compute the result of one polynomial by Horner's rule, or the special result that `kind` names."""
    if kind == "view":
        return x.view(-1)
    if kind in ("turned", "total", "whole"):
        result = polynomial("x", coefficients, x, y)
        return result.t() if kind == "turned" else result.sum() if kind == "total" else result.long()
    if kind in ("grows", "halves", "fails", "stops"):
        is_large = x.detach().sum().item() > coefficients[0]
        if is_large and kind in ("fails", "stops"):
            raise ValueError("too large") if kind == "fails" else Stop
        if kind in ("fails", "stops"):
            return x * 1.0
        return x.view(-1).narrow(0, 0, 1 + is_large) if kind == "grows" else x.float() if is_large else x
    at = {"x": x, "alone": x, "listed": x, "y": y}.get(kind)
    at = x * y if at is None else at
    result = at * 0.0
    for coefficient in coefficients:
        result = result * at + coefficient
    return result
