"""Probes of gradients on their way: formulas, sums over what was broadcast, and what becomes of `.grad`."""

import numpy as np


def derivative(engine, name, values, weights=None):
    """A formula of `Derivatives`, called with tensors of these values.

    Args:
        weights: None, or the gradient that comes in when the formula itself is differentiated, with the sizes of
            what it returns; then all its arguments require grad.
    Returns:
        without weights (the gradient, the arguments afterwards), with them for each argument its gradient, or None, or
        "no history" if the formula was not recorded. Numbers to twelve digits: the order of factors does not count.
    """
    is_recorded = weights is not None
    tensors = [engine.tensor(value, dtype=engine.float64, requires_grad=is_recorded) for value in values]
    got = getattr(engine.autograd.functions_manual.elementary.Derivatives, name)(*tensors)
    if not is_recorded:
        return _seen(engine, got), [_seen(engine, tensor) for tensor in tensors]
    if not isinstance(got, engine.Tensor) or got.grad_fn is None:
        return "no history"
    grads = engine.autograd.grad(got, tensors, engine.tensor(weights, dtype=engine.float64), allow_unused=True)
    return [_seen(engine, grad) for grad in grads]


def sum_to(engine, values, sizes):
    """(the sums, whether they are the very tensor that went in)."""
    tensor = engine.from_numpy(np.array(values))
    got = engine.aten.expand_utils.sum_to(tensor, sizes)
    return _seen(engine, got), got is tensor


def accumulate(engine, layout, arrivals):
    """The `.grad` of a leaf of 2 x 3, gradient after gradient.

    Args:
        layout: of the leaf: "rows" (contiguous) or "columns".
        arrivals: for each gradient (its six values, its layout, may_steal, whether the pass is recorded); layouts also
            "steps", with gaps.
    Returns:
        after each: values, strides (None from the first recorded sum on: they follow either summand), whether it is
        the tensor that was `.grad` before, whether it shares memory with the gradient, its version, whether it has a
        history and requires grad; and the gradient's own values.
    """
    state = engine.autograd.state.state
    leaf = _laid_out(engine, [0.0] * 6, layout).detach().requires_grad_()
    before, steps, grad, is_summed = state.grad_mode, [], None, False
    try:
        for values, new_layout, may_steal, recorded in arrivals:
            new = _laid_out(engine, values, new_layout).requires_grad_()
            if recorded:
                new = new.neg()  # what arrives in a recorded pass has a history
            state.grad_mode = recorded
            after = engine.autograd.accumulate_grad.accumulate_grad(leaf, grad, new, may_steal)
            state.grad_mode = before
            is_summed = is_summed or (recorded and grad is not None)
            steps.append(_step(engine, after, grad, new, not is_summed))
            if not isinstance(after, engine.Tensor):
                break
            grad = after
    finally:
        state.grad_mode = before
    return steps


def _step(engine, after, before, new, shows_strides):
    if not isinstance(after, engine.Tensor):
        return type(after).__name__
    return {
        "grad": after.tolist(),
        "strides": tuple(after.stride()) if shows_strides else None,
        "same tensor": after is before,
        "memory of the new one": after.data_ptr() == new.data_ptr(),
        "version": after._version,
        "history": after.grad_fn is not None,
        "requires grad": after.requires_grad,
        "arrived": new.tolist(),
    }


def _laid_out(engine, values, layout):
    if layout == "rows":
        return engine.tensor(values).view(2, 3)
    if layout == "columns":
        columns = engine.empty(3, 2).t()
        return columns.copy_(engine.tensor(values).view(2, 3))
    return engine.zeros(2, 6)[:, ::2].copy_(engine.tensor(values).view(2, 3))


def _seen(engine, tensor):
    """Its elements as an array, to twelve digits."""
    if not isinstance(tensor, engine.Tensor):
        return None if tensor is None else ("no tensor", type(tensor).__name__)
    array = np.array(tensor.detach().numpy())
    return np.array([float(f"{value:.12g}") + 0.0 for value in array.ravel()]).reshape(array.shape)
