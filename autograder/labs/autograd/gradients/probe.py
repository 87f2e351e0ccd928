"""Probes of gradients on their way: formulas, sums over what was broadcast, and what becomes of `.grad`."""

import numpy as np


def derivative(engine, name, values, weights=None):
    """Call the formula `name` of `Derivatives` on tensors made of `values`, and return the gradients.

    Args:
        weights: None, or the gradient that comes in when the formula itself is differentiated, with the sizes of
            what it returns; then all its arguments require grad.
    Returns:
        without weights the gradient and the arguments afterwards, with them for each argument its gradient, or None; or
        "no history" if the formula was not recorded. Numbers to twelve digits: the order of factors does not count.
    """
    is_recorded = weights is not None
    tensors = [engine.tensor(value, dtype=engine.float64, requires_grad=is_recorded) for value in values]
    got = getattr(engine.autograd.functions_manual.elementary.Derivatives, name)(*tensors)
    if not is_recorded:
        return {"gradient": _seen(engine, got), "arguments afterwards": [_seen(engine, tensor) for tensor in tensors]}
    if not isinstance(got, engine.Tensor):
        return {"gradients": _seen(engine, got)}
    if got.grad_fn is None:
        return {"gradients": "no history"}
    grads = engine.autograd.grad(got, tensors, engine.tensor(weights, dtype=engine.float64), allow_unused=True)
    return {"gradients": [_seen(engine, grad) for grad in grads]}


def sum_to(engine, values, sizes, dtype="float64", weights=None):
    """Call `sum_to`; return the sums, whether they are the input tensor itself, and the input tensor afterwards.

    Args:
        dtype: "float64", "float32", or "float32 transposed": the tensor that goes in is the transpose of these values.
        weights: None, or the gradient of the sums, with `sizes`; then the gradient of the tensor is seen instead, or
            "no history" if the sums were not recorded.
    """
    kind, _, is_transposed = dtype.partition(" ")
    tensor = engine.tensor(values, dtype=getattr(engine, kind), requires_grad=weights is not None)
    given = tensor.t() if is_transposed else tensor
    given = given if weights is None else given * 1.0
    got = engine.aten.expand_utils.sum_to(given, sizes)
    if not isinstance(got, engine.Tensor):
        return type(got).__name__
    if weights is not None:
        if got.grad_fn is None:
            return {"gradient": "no history"}
        if tuple(got.shape) != sizes:
            return {"sums": _seen(engine, got)}
        return {
            "gradient": _seen(engine, engine.autograd.grad(got, tensor, engine.tensor(weights, dtype=got.dtype))[0])
        }
    return {
        "sums": _seen(engine, got),
        "dtype": str(got.dtype),
        "the very tensor": got is given,
        "tensor afterwards": _seen(engine, given),
    }


def accumulate(engine, layout, arrivals):
    """Accumulate gradients one by one into the `.grad` of a leaf, and return the state after each of them.

    Args:
        layout: of the leaf: "rows" (contiguous), "columns" or "steps" (with gaps) of 2 x 3, "line" of 1 x 6.
        arrivals: for each gradient (its six values, its layout, may_steal, whether the pass is recorded); layouts of a
            gradient of 1 x 6 are "line", and "odd", whose first stride is 1.
    Returns:
        after each: values, whether it is the tensor that was `.grad` before, whether it shares memory with the
        gradient, strides (None from the first recorded sum on: they follow either summand), whether it has a
        history and requires grad; the gradient's own values, and those that `.grad` had before; after a recorded pass
        the second gradients, of each gradient that was recorded.
    """
    state = engine.autograd.state.state
    leaf = _laid_out(engine, [0.0] * 6, layout).detach().requires_grad_()
    before, steps, grad, is_summed, sources = state.grad_mode, {}, None, False, []
    try:
        for number, (values, new_layout, may_steal, recorded) in enumerate(arrivals, 1):
            new = _laid_out(engine, values, new_layout).requires_grad_()
            if recorded:
                sources.append(new)
                new = new.neg()  # what arrives in a recorded pass has a history
            held = None if grad is None else grad.detach().clone()
            state.grad_mode = recorded
            after = engine.autograd.accumulate_grad.accumulate_grad(leaf, grad, new, may_steal)
            state.grad_mode = before
            is_summed = is_summed or (recorded and grad is not None)
            seen = _step(engine, after, grad, new, not is_summed)
            if not isinstance(after, engine.Tensor):
                return {**steps, f"gradient {number}": seen}
            if recorded and grad is not None:
                seen["grad before"] = grad.tolist() == held.tolist()
            if recorded:
                seen["second gradients"] = _second(engine, after, sources)
            steps |= {f"gradient {number}: {field}": value for field, value in seen.items()}
            grad = after
    finally:
        state.grad_mode = before
    return steps


def _second(engine, after, sources):
    """Return the gradients of `.grad` with respect to what the gradients were made from."""
    if after.grad_fn is None:
        return "no history"
    weights = engine.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).view(after.shape)
    found = engine.autograd.grad(after, sources, weights, retain_graph=True, allow_unused=True)
    return [grad if grad is None else grad.tolist() for grad in found]


def _step(engine, after, before, new, shows_strides):
    if not isinstance(after, engine.Tensor):
        return type(after).__name__
    return {
        "grad": after.tolist(),
        "same tensor": after is before,
        "memory of the new one": after.data_ptr() == new.data_ptr(),
        "strides": tuple(after.stride()) if shows_strides else None,  # which follow from the two above
        "history": after.grad_fn is not None,
        "requires grad": after.requires_grad,
        "arrived": new.tolist(),
    }


def _laid_out(engine, values, layout):
    if layout == "rows":
        return engine.tensor(values).view(2, 3)
    if layout in ("line", "odd"):
        return engine.tensor(values).as_strided((1, 6), (6 if layout == "line" else 1, 1), 0)
    if layout == "columns":
        columns = engine.empty(3, 2).t()
        return columns.copy_(engine.tensor(values).view(2, 3))
    return engine.zeros(2, 6)[:, ::2].copy_(engine.tensor(values).view(2, 3))


def _seen(engine, tensor):
    """Return the tensor's elements as an array, to twelve digits."""
    if not isinstance(tensor, engine.Tensor):
        return None if tensor is None else ("no tensor", type(tensor).__name__)
    array = np.array(tensor.detach().numpy())
    return np.array([float(f"{value:.12g}") + 0.0 for value in array.ravel()]).reshape(array.shape)
