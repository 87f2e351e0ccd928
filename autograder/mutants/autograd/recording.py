"""Wrong answers about what is recorded: gradient_edge, mul."""

from autograder.mutants.model import WrongAnswer

EDGE = "autograd.variable.gradient_edge"
MUL = "autograd.variable_type_manual.mul"

WRONG_ANSWERS = (
    WrongAnswer(EDGE, "takes the node from the meta, where that of a view may be old", ("ordinary",), """
def gradient_edge(tensor):
    meta = tensor._autograd_meta
    if meta is None:
        return None
    if meta.grad_fn is not None:
        return meta.grad_fn, meta.output_nr
    if meta.requires_grad:
        return grad_accumulator(tensor), 0
"""),
    WrongAnswer(EDGE, "always leads to input 0", ("ordinary",), """
def gradient_edge(tensor):
    meta = tensor._autograd_meta
    if meta is None:
        return None
    node = grad_fn(tensor)
    if node is None and meta.requires_grad:
        node = grad_accumulator(tensor)
    return node and (node, 0)
"""),
    WrongAnswer(EDGE, "a new accumulator for each edge of a leaf", ("leaves",), """
def gradient_edge(tensor):
    meta = tensor._autograd_meta
    if meta is None:
        return None
    node = grad_fn(tensor)
    if node is not None:
        return node, meta.output_nr
    return (make_accumulator(tensor), 0) if meta.requires_grad else None
"""),
    WrongAnswer(EDGE, "every tensor that autograd has met has an accumulator", ("ordinary", "leaves"), """
def gradient_edge(tensor):
    meta = tensor._autograd_meta
    if meta is None:
        return None
    node = grad_fn(tensor)
    if node is not None:
        return node, meta.output_nr
    return grad_accumulator(tensor), 0
"""),
    WrongAnswer(EDGE, "asks requires_grad, which of an unrecorded view is its base's", ("leaves",), """
def gradient_edge(tensor):
    node = grad_fn(tensor)
    if node is not None:
        return node, tensor._autograd_meta.output_nr
    if not requires_grad(tensor):
        return None
    return grad_accumulator(tensor), 0
"""),
    WrongAnswer(EDGE, "leaves have no edge", ("leaves",), """
def gradient_edge(tensor):
    node = grad_fn(tensor)
    return None if node is None else (node, tensor._autograd_meta.output_nr)
"""),
    WrongAnswer(MUL, "saves self if self has an edge, other if other has one", ("ordinary", "plain", "below"), """
def mul(self, other, below):
    if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other)
    edges = (gradient_edge(self), gradient_edge(other))
    node = MulBackward0(edges)
    if edges[0] is not None:
        node.saved_self = SavedVariable(self)
    if edges[1] is not None:
        node.saved_other = SavedVariable(other)
    with AutoDispatchBelowADInplaceOrView():
        result = below(self, other)
    set_history(result, node)
    return result
"""),
    WrongAnswer(MUL, "saves both factors always", ("ordinary", "plain", "below"), """
def mul(self, other, below):
    if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other)
    node = MulBackward0((gradient_edge(self), gradient_edge(other)))
    node.saved_self, node.saved_other = SavedVariable(self), SavedVariable(other)
    with AutoDispatchBelowADInplaceOrView():
        result = below(self, other)
    set_history(result, node)
    return result
"""),
    WrongAnswer(MUL, "records under no_grad", ("plain",), """
def mul(self, other, below):
    if not (requires_grad(self) or requires_grad(other)):
        return below(self, other)
    edges = (gradient_edge(self), gradient_edge(other))
    node = MulBackward0(edges)
    if edges[0]:
        node.saved_other = SavedVariable(other)
    if edges[1]:
        node.saved_self = SavedVariable(self)
    with AutoDispatchBelowADInplaceOrView():
        result = below(self, other)
    set_history(result, node)
    return result
"""),
    WrongAnswer(MUL, "both factors must require grad", ("ordinary", "plain", "below"), """
def mul(self, other, below):
    if not (state.grad_mode and requires_grad(self) and requires_grad(other)):
        return below(self, other)
    edges = (gradient_edge(self), gradient_edge(other))
    node = MulBackward0(edges)
    node.saved_other, node.saved_self = SavedVariable(other), SavedVariable(self)
    with AutoDispatchBelowADInplaceOrView():
        result = below(self, other)
    set_history(result, node)
    return result
"""),
    WrongAnswer(MUL, "runs the product without the guard", ("below",), """
def mul(self, other, below):
    if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other)
    edges = (gradient_edge(self), gradient_edge(other))
    node = MulBackward0(edges)
    if edges[0]:
        node.saved_other = SavedVariable(other)
    if edges[1]:
        node.saved_self = SavedVariable(self)
    result = below(self, other)
    set_history(result, node)
    return result
"""),
    WrongAnswer(MUL, "opens the guard by hand, and leaves it open when the product fails", ("below",), """
def mul(self, other, below):
    if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other)
    edges = (gradient_edge(self), gradient_edge(other))
    node = MulBackward0(edges)
    if edges[0]:
        node.saved_other = SavedVariable(other)
    if edges[1]:
        node.saved_self = SavedVariable(self)
    guard = AutoDispatchBelowADInplaceOrView()
    guard.__enter__()
    result = below(self, other)
    guard.__exit__(None, None, None)
    set_history(result, node)
    return result
"""),
)  # fmt: skip
