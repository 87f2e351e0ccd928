"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.variable.check_inplace": """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    is_view = meta is not None and meta.is_view
    if is_view:
        check_view_is_writable(tensor, meta)
    if requires_grad(tensor) and (is_leaf(tensor) or is_view and is_leaf(meta.base)):
        raise RuntimeError(VIEW_OF_LEAF if is_view else LEAF)
""",
    "autograd.copy_slices.CopySlices": """
class CopySlices(Node):
    def apply(self, grads, needs):
        (grad,) = grads
        if grad is None:
            return tuple(None for _ in self.next_edges)
        if self.written is None:
            raise RuntimeError("freed")
        whole = at.new_empty_strided(grad, *self.base[:2])
        at.copy_(whole, grad)
        sizes, strides, offset = self.view
        window = at.as_strided(whole, sizes, strides, offset - self.base[2])
        first, *others = self.written.apply((at.clone(window),), needs)
        if not needs[0]:
            return (None, *others)
        at.zero_(window)
        if first is not None:
            at.copy_(window, first)
        return (whole, *others)
""",
    "autograd.copy_slices.rebase_view": """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    base, view = meta.base, (tensor._sizes, tensor._strides, tensor._storage_offset)
    variable.set_gradient_edge(base, CopySlices(base, view, node))
    meta.attr_version = -1
    variable.view_grad_fn(tensor, meta)
""",
}
