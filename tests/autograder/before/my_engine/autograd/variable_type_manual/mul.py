def mul(self: Tensor, other: Tensor, below: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """The autograd kernel of mul.Tensor: the product, and if a gradient is asked for, how it came about.

    Args:
        self, other: the factors; they may be the same tensor.
        below: `below(self, other)` computes the product; it is the kernel of the next key of the call.
    Returns:
        What `below` returned. Nothing is recorded unless `state.grad_mode` is True and a factor requires grad,
        `requires_grad(tensor)`. If it is recorded, the result has a history, `set_history(result, node)`: a
        `MulBackward0(edges)`, where `edges` is the pair of the `gradient_edge` of `self` and of `other`. It saves each
        factor that the gradient of the other one needs, as a `SavedVariable(factor)`: `other` in `node.saved_other` if
        `self` has an edge, `self` in `node.saved_self` if `other` has one. They are saved before `below` runs.

    While a call is recorded, `below` runs in a `with AutoDispatchBelowADInplaceOrView():`, so that operators which it
    calls are not recorded as well.

    Source: VariableType::mul_Tensor (torch/csrc/autograd/generated/VariableType_0.cpp, made by
    tools/autograd/gen_variable_type.py).
    """
    if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other)
    edges = (gradient_edge(self), gradient_edge(other))
    node = MulBackward0(edges)
    if edges[0] is not None:
        node.saved_other = SavedVariable(other)
    if edges[1] is not None:
        node.saved_self = SavedVariable(self)
    with AutoDispatchBelowADInplaceOrView():
        result = below(self, other)
    set_history(result, node)
    return result
