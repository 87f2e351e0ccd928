"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.saved_variable.SavedVariable": (
        """
class SavedVariable:
    def save(self, tensor, is_output):
        meta = tensor._autograd_meta
        is_kept = not is_output or meta is None or meta.grad_fn is None
        self.data = tensor if is_kept else alias(tensor)
        self.version = self.data._version
        if not is_kept:
            self.weak_grad_fn, self.output_nr = weakref.ref(meta.grad_fn), meta.output_nr

    def load(self, node):
        data = self.data
        if self.version < data._version:
            raise RuntimeError(self.modified(node))
        if self.weak_grad_fn is None:
            return data
        maker = self.weak_grad_fn()
        return variable.with_edge(data, (node if maker is None else maker, self.output_nr))
""",
        """
class SavedVariable:
    def save(self, tensor, is_output):
        self.version = tensor._version
        self.data = tensor
        if is_output and not variable.is_leaf(tensor):
            meta = tensor._autograd_meta
            self.data, self.output_nr, self.weak_grad_fn = tensor.detach(), meta.output_nr, weakref.ref(meta.grad_fn)

    def load(self, node):
        if self.data._version != self.version:
            raise RuntimeError(self.modified(node))
        if self.output_nr is None:
            return self.data
        return variable.with_edge(self.data, (self.weak_grad_fn() or node, self.output_nr))
""",
    ),
}
