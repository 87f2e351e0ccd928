"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.variable.gradient_edge": """
def gradient_edge(tensor):
    meta = tensor._autograd_meta
    match (meta, grad_fn(tensor)):
        case (None, _):
            return None
        case (_, None):
            return (grad_accumulator(tensor), 0) if meta.requires_grad else None
        case (_, node):
            return (node, meta.output_nr)
""",
    "autograd.variable_type_manual.mul": """
def mul(self, other, below):
    wanted = [factor for factor in (self, other) if requires_grad(factor)]
    if not wanted or not state.grad_mode:
        with AutoDispatchBelowADInplaceOrView():
            return below(self, other)
    to_self, to_other = gradient_edge(self), gradient_edge(other)
    kept_other, kept_self = to_self and SavedVariable(other), to_other and SavedVariable(self)
    with AutoDispatchBelowADInplaceOrView():
        product = below(self, other)
    node = MulBackward0((to_self, to_other))
    node.saved_other, node.saved_self = kept_other, kept_self
    set_history(product, node)
    return product
""",
}
