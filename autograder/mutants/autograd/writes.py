"""Wrong answers about writes that are recorded: what may be written to, and what becomes of the history."""

from autograder.mutants.model import WrongAnswer

INPLACE = "autograd.variable.check_inplace"
SLICES, REBASE = "autograd.copy_slices.CopySlices", "autograd.copy_slices.rebase_view"

APPLY = """class CopySlices(Node):
    def apply(self, grads, needs):
        grad = grads[0]
        if grad is None:
            return (None,) * len(self.next_edges)
        if self.written is None:
            raise RuntimeError(FREED)
        sizes, strides, offset = self.base
        view_sizes, view_strides, view_offset = self.view
        result = at.new_empty_strided(grad, sizes, strides)
        at.copy_(result, grad)
        part = at.as_strided(result, view_sizes, view_strides, view_offset - offset)
        through = self.written.apply([at.clone(part)], needs)
        if not needs[0]:
            result = None
        elif through[0] is None:
            at.zero_(part)
        else:
            at.copy_(part, through[0])
        return (result, *through[1:])
"""

WRONG_ANSWERS = (
    WrongAnswer(INPLACE, "only leaves are refused, views of them are not", ("views",), """
def check_inplace(tensor):
    if tensor._autograd_meta is not None and requires_grad(tensor) and is_leaf(tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(INPLACE, "every tensor that requires grad is refused", ("ordinary", "views"), """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    if meta is not None and meta.is_view:
        check_view_is_writable(tensor, meta)
    if requires_grad(tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(INPLACE, "every view is refused", ("views",), """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    if meta is None:
        return
    if meta.is_view:
        raise RuntimeError(VIEW_OF_LEAF)
    if requires_grad(tensor) and is_leaf(tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(INPLACE, "how a view was made is asked only if it requires grad", ("views",), """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    if meta is None or not requires_grad(tensor):
        return
    if meta.is_view:
        check_view_is_writable(tensor, meta)
        if is_leaf(meta.base):
            raise RuntimeError(VIEW_OF_LEAF)
    if is_leaf(tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(INPLACE, "how a view was made is not asked", ("views",), """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    if meta is None or not requires_grad(tensor):
        return
    if is_leaf(meta.base if meta.is_view else tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(INPLACE, "a leaf is refused whether or not it requires grad", ("ordinary", "views"), """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    if meta is None:
        return
    if meta.is_view:
        check_view_is_writable(tensor, meta)
        if is_leaf(meta.base):
            raise RuntimeError(VIEW_OF_LEAF)
    elif is_leaf(tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(SLICES, "forgets the rest of the base", ("ordinary", "absent"), APPLY.replace(
        "        at.copy_(result, grad)\n", "        at.zero_(result)\n        at.copy_(at.as_strided(result, "
        "*self.view[:2], self.view[2] - offset), at.as_strided(grad, *self.view[:2], self.view[2] - offset))\n")),
    WrongAnswer(SLICES, "the gradient passes by the write", ("ordinary", "absent"), APPLY.replace(
        "            at.copy_(part, through[0])\n", "            pass\n")),
    WrongAnswer(SLICES, "the offset of the view is counted from its storage", ("ordinary", "absent"), APPLY.replace(
        "view_offset - offset", "view_offset")),
    WrongAnswer(SLICES, "writes into the gradient that came in", ("ordinary", "absent"), APPLY.replace(
        "result = at.new_empty_strided(grad, sizes, strides)\n        at.copy_(result, grad)", "result = grad")),
    WrongAnswer(SLICES, "what `written` was given is overwritten", ("ordinary", "absent"), APPLY.replace(
        "at.clone(part)", "part")),
    WrongAnswer(SLICES, "no gradient for the view leaves the old one there", ("absent",), APPLY.replace(
        "            at.zero_(part)\n", "            pass\n")),
    WrongAnswer(SLICES, "what was written gets no gradient", ("ordinary", "absent"), APPLY.replace(
        "(result, *through[1:])", "(result,) + (None,) * (len(self.next_edges) - 1)")),
    WrongAnswer(SLICES, "needs are not looked at", ("absent",), APPLY.replace(
        "if not needs[0]:\n            result = None\n        elif", "if")),
    WrongAnswer(REBASE, "forgets the base: only the view has a new history", ("ordinary", "refusals"), """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(tensor, node, node.add_input_metadata(tensor))
"""),
    WrongAnswer(REBASE, "forgets the view: it is asked anew only later", ("ordinary", "refusals"), """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))
"""),
    WrongAnswer(REBASE, "the geometry of the base, not of the view", ("ordinary", "refusals"), """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(meta.base), node))
    variable.set_gradient_edge(tensor, make_view_node(tensor, meta))
"""),
    WrongAnswer(REBASE, "asks whether it may when it is done", ("refusals",), """
def rebase_view(tensor, meta, node):
    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(tensor, make_view_node(tensor, meta))
"""),
    WrongAnswer(REBASE, "the base was made by the operator that wrote to a part of it", ("ordinary", "refusals"), """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(meta.base, node, node.add_input_metadata(meta.base))
    variable.set_gradient_edge(tensor, make_view_node(tensor, meta))
"""),
)  # fmt: skip
