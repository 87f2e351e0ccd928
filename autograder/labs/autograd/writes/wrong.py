"""Wrong answers to the exercises about writes."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

CHECK_INPLACE = "autograd.variable.check_inplace"
SLICES = "autograd.copy_slices.CopySlices"
REBASE_VIEW = "autograd.copy_slices.rebase_view"
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
    WrongAnswer(CHECK_INPLACE, "what is raised below gets other words", ("views",), (
        "check_view_is_writable(tensor, meta)",
        """
try:
    check_view_is_writable(tensor, meta)
except RuntimeError:
    raise RuntimeError(VIEW_OF_LEAF) from None
""",
    )),
    WrongAnswer(CHECK_INPLACE, "only leaves are refused, views of them are not", ("views",), """
def check_inplace(tensor):
    if tensor._autograd_meta is not None and requires_grad(tensor) and is_leaf(tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(CHECK_INPLACE, "every tensor that requires grad is refused", ("ordinary", "views"), """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    if meta is not None and meta.is_view:
        check_view_is_writable(tensor, meta)
    if requires_grad(tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(CHECK_INPLACE, "every view is refused", ("views",), (
        """
check_view_is_writable(tensor, meta)
if requires_grad(tensor) and is_leaf(meta.base):
    raise RuntimeError(VIEW_OF_LEAF)
""",
        "raise RuntimeError(VIEW_OF_LEAF)",
    )),
    WrongAnswer(CHECK_INPLACE, "how a view was made is asked only if it requires grad", ("views",), (
        "if meta is None:",
        "if meta is None or not requires_grad(tensor):",
        "if requires_grad(tensor) and is_leaf(meta.base):",
        "if is_leaf(meta.base):",
        "if requires_grad(tensor) and is_leaf(tensor):",
        "if is_leaf(tensor):",
    )),
    WrongAnswer(CHECK_INPLACE, "how a view was made is not asked", ("views",), """
def check_inplace(tensor):
    meta = tensor._autograd_meta
    if meta is None or not requires_grad(tensor):
        return
    if is_leaf(meta.base if meta.is_view else tensor):
        raise RuntimeError(LEAF)
"""),
    WrongAnswer(CHECK_INPLACE, "a leaf is refused whether or not it requires grad", ("ordinary", "views"), (
        "if requires_grad(tensor) and is_leaf(meta.base):",
        "if is_leaf(meta.base):",
        "if requires_grad(tensor) and is_leaf(tensor):",
        "elif is_leaf(tensor):",
    )),
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
    WrongAnswer(SLICES, "the gradient is detached, and the second one is wrong", ("ordinary", "absent"), (
        "at.copy_(result, grad)", "at.copy_(result, grad.detach())")),
    WrongAnswer(SLICES, "what goes through is detached", ("ordinary", "absent"), (
        "through = self.written.apply([at.clone(part)], needs)",
        "through = self.written.apply([at.clone(part).detach()], needs)")),
    WrongAnswer(SLICES, "a list comes back", ("ordinary", "absent"), (
        "return (result, *through[1:])", "return [result, *through[1:]]")),
    WrongAnswer(SLICES, "refuses a freed graph although nothing has come", ("absent",), (
        """
if grad is None:
    return (None,) * len(self.next_edges)
if self.written is None:
    raise RuntimeError(FREED)
""",
        """
if self.written is None:
    raise RuntimeError(FREED)
if grad is None:
    return (None,) * len(self.next_edges)
""")),
    WrongAnswer(SLICES, "strides of the gradient", ("ordinary", "absent"), (
        "result = at.new_empty_strided(grad, sizes, strides)", "result = at.clone(grad)",
        "at.copy_(result, grad)", "pass")),
    WrongAnswer(CHECK_INPLACE, "makes the node of a view by asking", ("views",), (
        "if requires_grad(tensor) and is_leaf(tensor):",
        "if requires_grad(tensor) and variable_grad_fn(tensor) is None:",
        "meta = tensor._autograd_meta",
        "meta, variable_grad_fn = tensor._autograd_meta, grad_fn",
    )),
    WrongAnswer(CHECK_INPLACE, "gives every tensor a meta", ("ordinary", "views"), (
        """
meta = tensor._autograd_meta
if meta is None:
    return
""",
        "meta = get_or_create_meta(tensor)")),
    WrongAnswer(REBASE_VIEW, "the CopySlices is made before anybody asks", ("refusals",), (
        "variable.check_view_is_writable(tensor, meta)",
        """
slices = CopySlices(meta.base, geometry_of(tensor), node)
variable.check_view_is_writable(tensor, meta)
""",
        "variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))",
        "variable.set_gradient_edge(meta.base, slices)")),
    WrongAnswer(REBASE_VIEW, "the view before the base", ("ordinary", "refusals"), """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    slices = CopySlices(meta.base, geometry_of(tensor), node)
    variable.set_gradient_edge(tensor, make_view_node(tensor, meta))
    variable.set_gradient_edge(meta.base, slices)
"""),
    WrongAnswer(REBASE_VIEW, "forgets the base: only the view has a new history", ("ordinary", "refusals"), """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(tensor, node, node.add_input_metadata(tensor))
"""),
    WrongAnswer(REBASE_VIEW, "forgets the view: it is asked anew only later", ("ordinary", "refusals"), """
def rebase_view(tensor, meta, node):
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))
"""),
    WrongAnswer(REBASE_VIEW, "the geometry of the base, not of the view", ("ordinary", "refusals"),
        ("variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))",
         "variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(meta.base), node))"),
    ),
    WrongAnswer(REBASE_VIEW, "asks whether it may when it is done", ("refusals",), """
def rebase_view(tensor, meta, node):
    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(tensor, make_view_node(tensor, meta))
"""),
    WrongAnswer(
        REBASE_VIEW, "the base was made by the operator that wrote to a part of it", ("ordinary", "refusals"),
        ("variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))",
         "variable.set_gradient_edge(meta.base, node, node.add_input_metadata(meta.base))"),
    ),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(SLICES, "grad = grads[0]", "grad = grads[-1]", "a base is the only output: there is one gradient"),
    Equivalent(SLICES, *("if self.written is None:\nraise RuntimeError()",) * 2, "a fresh tensor is filled in vain"),
)  # fmt: skip
