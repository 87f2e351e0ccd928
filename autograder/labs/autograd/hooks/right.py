"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.python_variable.register_hook": """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient will ever come here")
    node = variable.grad_fn(self)
    number = 0 if node is None else self._autograd_meta.output_nr
    if node is None:
        node = variable.grad_accumulator(self)
        node.hooks_made().tensor_pre_hooks[number] = variable.get_or_create_leaf_meta(self).hooks
    by_output = node.hooks_made().tensor_pre_hooks
    if number not in by_output:
        by_output[number] = {}
    return add_hook(by_output[number], hook)
""",
}
