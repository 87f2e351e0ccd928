"""Wrong answers to autograd.variable.gradient_edge, autograd.variable_type_manual.mul."""

from autograder.made_up.wrong_answer import WrongAnswer

GRADIENT_EDGE = "autograd.variable.gradient_edge"
MUL = "autograd.variable_type_manual.mul"

WRONG_ANSWERS = (
    WrongAnswer(GRADIENT_EDGE, "there is no edge in no_grad", ("ordinary", "leaves"), (
        "if meta is None:", "if meta is None or not state.grad_mode:",
    )),
    WrongAnswer(GRADIENT_EDGE, "takes the node from the meta, where that of a view may be old", ("ordinary",), """
def gradient_edge(tensor):
    meta = tensor._autograd_meta
    if meta is None:
        return None
    if meta.grad_fn is not None:
        return meta.grad_fn, meta.output_nr
    if meta.requires_grad:
        return grad_accumulator(tensor), 0
"""),
    WrongAnswer(GRADIENT_EDGE, "always leads to input 0", ("ordinary",), (
        """
if node is not None:
    return node, meta.output_nr
return (grad_accumulator(tensor), 0) if meta.requires_grad else None
""",
        """
if node is None and meta.requires_grad:
    node = grad_accumulator(tensor)
return node and (node, 0)
""",
    )),
    WrongAnswer(GRADIENT_EDGE, "a new accumulator for each edge of a leaf", ("leaves",),
        ("return (grad_accumulator(tensor), 0) if meta.requires_grad else None",
         "return (make_accumulator(tensor), 0) if meta.requires_grad else None"),
    ),
    WrongAnswer(GRADIENT_EDGE, "every tensor that autograd has met has an accumulator", ("ordinary", "leaves"),
        ("return (grad_accumulator(tensor), 0) if meta.requires_grad else None", "return grad_accumulator(tensor), 0"),
    ),
    WrongAnswer(GRADIENT_EDGE, "asks requires_grad, which of an unrecorded view is its base's", ("leaves",), """
def gradient_edge(tensor):
    node = grad_fn(tensor)
    if node is not None:
        return node, tensor._autograd_meta.output_nr
    if not requires_grad(tensor):
        return None
    return grad_accumulator(tensor), 0
"""),
    WrongAnswer(GRADIENT_EDGE, "leaves have no edge", ("leaves",), """
def gradient_edge(tensor):
    node = grad_fn(tensor)
    return None if node is None else (node, tensor._autograd_meta.output_nr)
"""),
    WrongAnswer(GRADIENT_EDGE, "requires_grad comes before the node, which a view may have got", ("ordinary",), (
        "node = grad_fn(tensor)", "node = None if meta.requires_grad else grad_fn(tensor)")),
    WrongAnswer(MUL, "saves self if self has an edge, other if other has one", ("ordinary", "plain", "below"), (
        "if edges[0] is not None:",
        """
if edges[0] is not None:
    node.saved_self = SavedVariable(self)
if edges[1] is not None:
""",
        """
if edges[1] is not None:
    node.saved_self = SavedVariable(self)
with AutoDispatchBelowADInplaceOrView():
""",
        "with AutoDispatchBelowADInplaceOrView():",
    )),
    WrongAnswer(MUL, "saves both factors always", ("ordinary", "plain", "below"), (
        """
edges = (gradient_edge(self), gradient_edge(other))
node = MulBackward0(edges)
if edges[0] is not None:
    node.saved_other = SavedVariable(other)
if edges[1] is not None:
    node.saved_self = SavedVariable(self)
""",
        """
node = MulBackward0((gradient_edge(self), gradient_edge(other)))
node.saved_self, node.saved_other = SavedVariable(self), SavedVariable(other)
""",
    )),
    WrongAnswer(MUL, "records under no_grad", ("plain",), (
        "if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):",
        "if not (requires_grad(self) or requires_grad(other)):",
        "if edges[0] is not None:",
        "if edges[0]:",
        "if edges[1] is not None:",
        "if edges[1]:",
    )),
    WrongAnswer(MUL, "both factors must require grad", ("ordinary", "plain", "below"), (
        "if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):",
        "if not (state.grad_mode and requires_grad(self) and requires_grad(other)):",
        """
if edges[0] is not None:
    node.saved_other = SavedVariable(other)
if edges[1] is not None:
    node.saved_self = SavedVariable(self)
""",
        "node.saved_other, node.saved_self = SavedVariable(other), SavedVariable(self)",
    )),
    WrongAnswer(MUL, "runs the product without the guard", ("below",), (
        "if edges[0] is not None:",
        "if edges[0]:",
        "if edges[1] is not None:",
        "if edges[1]:",
        """
with AutoDispatchBelowADInplaceOrView():
    result = below(self, other)
""",
        "result = below(self, other)",
    )),
    WrongAnswer(MUL, "switches the grad mode off instead of opening the guard", ("below",), (
        """
with AutoDispatchBelowADInplaceOrView():
    result = below(self, other)
""",
        """
state.grad_mode = False
try:
    result = below(self, other)
finally:
    state.grad_mode = True
""",
    )),
    WrongAnswer(MUL, "opens the guard by hand, and leaves it open when the product fails", ("below",), (
        "if edges[0] is not None:",
        "if edges[0]:",
        "if edges[1] is not None:",
        "if edges[1]:",
        """
with AutoDispatchBelowADInplaceOrView():
    result = below(self, other)
""",
        """
guard = AutoDispatchBelowADInplaceOrView()
guard.__enter__()
result = below(self, other)
guard.__exit__(None, None, None)
""",
    )),
    WrongAnswer(MUL, "closes the guard only after an Exception", ("below",), (
        """
with AutoDispatchBelowADInplaceOrView():
    result = below(self, other)
""",
        """
guard = AutoDispatchBelowADInplaceOrView()
guard.__enter__()
try:
    result = below(self, other)
except Exception:
    guard.__exit__(None, None, None)
    raise
guard.__exit__(None, None, None)
""",
    )),
    WrongAnswer(MUL, "saves when below has run", ("below",), (
        """
if edges[0] is not None:
    node.saved_other = SavedVariable(other)
if edges[1] is not None:
    node.saved_self = SavedVariable(self)
with AutoDispatchBelowADInplaceOrView():
    result = below(self, other)
""",
        """
with AutoDispatchBelowADInplaceOrView():
    result = below(self, other)
if edges[0] is not None:
    node.saved_other = SavedVariable(other)
if edges[1] is not None:
    node.saved_self = SavedVariable(self)
""",
    )),
    WrongAnswer(MUL, "saves by requires_grad, not by the edge", ("ordinary", "plain", "below"), (
        "if edges[0] is not None:", "if requires_grad(self):", "if edges[1] is not None:", "if requires_grad(other):")),
    WrongAnswer(MUL, "records by the edges, not by requires_grad", ("ordinary", "plain", "below"), (
        "if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):",
        "if not (state.grad_mode and (gradient_edge(self) or gradient_edge(other))):")),
    WrongAnswer(MUL, "multiplies again instead of calling below", ("ordinary", "plain", "below"), (
        "result = below(self, other)", "result = self * other")),
    WrongAnswer(GRADIENT_EDGE, "is_leaf, by which a view is one whose node is not made yet", ("ordinary",), (
        "node = grad_fn(tensor)", "node = None if is_leaf(tensor) else grad_fn(tensor)")),
    WrongAnswer(GRADIENT_EDGE, "a list", ("ordinary", "leaves"), (
        "return node, meta.output_nr", "return [node, meta.output_nr]",
        "return (grad_accumulator(tensor), 0) if meta.requires_grad else None",
        "return [grad_accumulator(tensor), 0] if meta.requires_grad else None")),
)  # fmt: skip
