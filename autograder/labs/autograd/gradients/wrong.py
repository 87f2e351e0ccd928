"""Wrong answers to the exercises about gradients."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

DERIVATIVES = "autograd.functions_manual.elementary.Derivatives"
SUM_TO = "aten.expand_utils.sum_to"
ACCUMULATE_GRAD = "autograd.accumulate_grad.accumulate_grad"
ALL = "a sum over all dimensions, viewed without dimensions, is the same number; only the nodes that record it differ"
BOTH = ("ordinary", "twice")
RIGHT = {
    "mul": ("grad, other", "grad * other"),
    "div_self": ("grad, other", "grad / other"),
    "div_other": ("grad, self, other", "-grad * self / (other * other)"),
    "exp": ("grad, result", "grad * result"),
    "log": ("grad, self", "grad / self"),
    "sqrt": ("grad, result", "grad / (2 * result)"),
    "bmm_self": ("grad, mat2", "grad.bmm(mat2.transpose(1, 2))"),
    "bmm_mat2": ("grad, self", "self.transpose(1, 2).bmm(grad)"),
}


def formulas(**changed: str) -> str:
    """The cell with all formulas, some of them changed."""
    lines = ["class Derivatives:"]
    for name, (arguments, formula) in RIGHT.items():
        body = changed.get(name, f"return {formula}")
        lines += ["    @staticmethod", f"    def {name}({arguments}):", f"        {body}", ""]
    return "\n".join(lines)


WRONG_ANSWERS = (
    WrongAnswer(DERIVATIVES, "the upstream gradient is ignored: exp", BOTH, formulas(exp="return result")),
    WrongAnswer(DERIVATIVES, "the upstream gradient is ignored: mul", BOTH, formulas(mul="return other")),
    WrongAnswer(DERIVATIVES, "the upstream gradient is ignored: div_other", ("ordinary", "twice"), (
        "return -grad * ((self / other) / other)",
        "return -self / (other * other)",
        "return grad.bmm(mat2.mT)",
        "return grad.bmm(mat2.transpose(1, 2))",
        "return self.mT.bmm(grad)",
        "return self.transpose(1, 2).bmm(grad)",
    )),
    WrongAnswer(DERIVATIVES, "the gradient of log is zero", BOTH, formulas(log="return grad * 0")),
    WrongAnswer(DERIVATIVES, "the gradient of exp is zero", BOTH, formulas(exp="return grad * 0")),
    WrongAnswer(DERIVATIVES, "the exponential of the result", BOTH, formulas(exp="return grad * result.exp()")),
    WrongAnswer(DERIVATIVES, "the sign of div_other", ("ordinary", "twice"), (
        "return -grad * ((self / other) / other)",
        "return grad * self / (other * other)",
        "return grad.bmm(mat2.mT)",
        "return grad.bmm(mat2.transpose(1, 2))",
        "return self.mT.bmm(grad)",
        "return self.transpose(1, 2).bmm(grad)",
    )),
    WrongAnswer(DERIVATIVES, "sqrt without the factor", BOTH, formulas(sqrt="return grad / result")),
    WrongAnswer(DERIVATIVES, "matrices in the wrong order", ("ordinary", "twice"), (
        "return -grad * ((self / other) / other)",
        "return -grad * self / (other * other)",
        "return grad.bmm(mat2.mT)",
        "return grad.bmm(mat2.transpose(1, 2))",
        "return self.mT.bmm(grad)",
        "return grad.transpose(1, 2).bmm(self).transpose(0, 0)",
    )),
    WrongAnswer(DERIVATIVES, "matrices that are not transposed", ("ordinary", "twice"), (
        "return -grad * ((self / other) / other)",
        "return -grad * self / (other * other)",
        "return grad.bmm(mat2.mT)",
        "return grad.bmm(mat2)",
        "return self.mT.bmm(grad)",
        "return self.transpose(1, 2).bmm(grad)",
    )),
    WrongAnswer(DERIVATIVES, "the result is detached, so the second derivative is lost", ("twice",),
                formulas(exp="return grad * result.detach()")),
    WrongAnswer(DERIVATIVES, "grad is written to in place", BOTH, formulas(mul="return grad.mul_(other)")),
    WrongAnswer(SUM_TO, "no sum over broadcast dims: the tensor as it came", ("ordinary", "edge"), """
def sum_to(tensor, sizes):
    return tensor
"""),
    WrongAnswer(SUM_TO, "only the new dimensions are summed", ("ordinary", "edge"), """
def sum_to(tensor, sizes):
    for _ in range(len(tensor.shape) - len(sizes)):
        tensor = tensor.sum(0)
    return tensor
"""),
    WrongAnswer(SUM_TO, "only dimensions of size 1 are summed, and the rest is viewed", ("ordinary", "edge"), """
def sum_to(tensor, sizes):
    if len(tensor.shape) > len(sizes):
        tensor = tensor[0]
    for dim, size in enumerate(sizes):
        if size == 1 and tensor.shape[dim] != 1:
            tensor = tensor.sum(dim, True)
    return tensor
"""),
    WrongAnswer(SUM_TO, "aligned on the left", ("ordinary", "edge"), """
def sum_to(tensor, sizes):
    for dim, size in enumerate(sizes):
        if tensor.shape[dim] != size:
            tensor = tensor.sum(dim, True)
    while len(tensor.shape) > len(sizes):
        tensor = tensor.sum(-1)
    return tensor
"""),
    WrongAnswer(SUM_TO, "the dimensions of size 1 are lost", ("ordinary", "edge"), """
def sum_to(tensor, sizes):
    leading = len(tensor.shape) - len(sizes)
    dims = [dim for dim in range(len(tensor.shape)) if dim < leading or sizes[dim - leading] != tensor.shape[dim]]
    return tensor.sum(dims) if dims else tensor
"""),
    WrongAnswer(SUM_TO, "the mean instead of the sum", ("ordinary", "edge"), """
def sum_to(tensor, sizes):
    leading = len(tensor.shape) - len(sizes)
    dims = [dim for dim in range(len(tensor.shape)) if dim < leading or sizes[dim - leading] != tensor.shape[dim]]
    return tensor.mean(dims, True).view(sizes) if dims else tensor
"""),
    WrongAnswer(SUM_TO, "sum() without dims where there are none: all of them", ("ordinary", "edge"), """
def sum_to(tensor, sizes):
    leading = len(tensor.shape) - len(sizes)
    dims = [dim for dim in range(len(tensor.shape)) if dim < leading or sizes[dim - leading] != tensor.shape[dim]]
    return tensor.sum(dims, True).view(sizes)
"""),
    WrongAnswer(SUM_TO, "the sums are detached", ("edge",), (
        "tensor = tensor.sum(dims, True)", "tensor = tensor.detach().sum(dims, True)")),
    WrongAnswer(SUM_TO, "always in double precision", ("edge",), (
        "tensor = tensor.sum(dims, True)", "tensor = tensor.double().sum(dims, True)")),
    WrongAnswer(ACCUMULATE_GRAD, "compares strides with the leaf's, which may have gaps", ("ordinary", "recording"), (
        "if may_steal and not state.grad_mode and obeys_layout_contract(new_grad, leaf):",
        "if may_steal and not state.grad_mode and new_grad._strides == leaf._strides:")),
    WrongAnswer(ACCUMULATE_GRAD, "a recorded sum loses the history of the first gradient", ("recording",), (
        "return at.add_Tensor(grad, new_grad)", "return at.add_Tensor(at.detach(grad), new_grad)")),
    WrongAnswer(ACCUMULATE_GRAD, "a recorded sum loses the history of the new gradient", ("recording",), (
        "return at.add_Tensor(grad, new_grad)", "return at.add_Tensor(grad, at.detach(new_grad))")),
    WrongAnswer(ACCUMULATE_GRAD, "a .grad with a history is never written to", ("recording",), (
        "if state.grad_mode:", "if state.grad_mode or variable.requires_grad(grad):")),
    WrongAnswer(ACCUMULATE_GRAD, "the gradient is taken with its history", ("ordinary", "recording"), (
        "return undifferentiated(new_grad)", "return new_grad")),
    WrongAnswer(ACCUMULATE_GRAD, "nothing comes back after the sum in place", ("ordinary", "recording"), (
        "return at.add__Tensor(grad, new_grad)", "at.add__Tensor(grad, new_grad)")),
    WrongAnswer(ACCUMULATE_GRAD, "the last gradient replaces the others", ("ordinary", "recording"), """
def accumulate_grad(leaf, grad, new_grad, may_steal):
    if may_steal and not state.grad_mode and obeys_layout_contract(new_grad, leaf):
        return undifferentiated(new_grad)
    return clone_obey_contract(new_grad, leaf)
"""),
    WrongAnswer(ACCUMULATE_GRAD, "the first gradient is always taken as it is", ("ordinary", "recording"), """
def accumulate_grad(leaf, grad, new_grad, may_steal):
    if grad is None:
        return new_grad
    if state.grad_mode:
        return grad + new_grad
    return grad.add_(new_grad)
"""),
    WrongAnswer(ACCUMULATE_GRAD, "adds in place in a recorded pass too", ("recording",), (
        """
if state.grad_mode:
    return at.add_Tensor(grad, new_grad)
return at.add__Tensor(grad, new_grad)
""",
        "return grad.add_(new_grad)",
    )),
    WrongAnswer(ACCUMULATE_GRAD, "never adds in place", ("ordinary", "recording"), (
        """
if state.grad_mode:
    return at.add_Tensor(grad, new_grad)
return at.add__Tensor(grad, new_grad)
""",
        "return grad + new_grad",
    )),
    WrongAnswer(ACCUMULATE_GRAD, "steals in a recorded pass, and the history is lost", ("recording",), """
def accumulate_grad(leaf, grad, new_grad, may_steal):
    if grad is None:
        if may_steal and obeys_layout_contract(new_grad, leaf):
            return undifferentiated(new_grad)
        return clone_obey_contract(new_grad, leaf)
    return grad + new_grad if state.grad_mode else grad.add_(new_grad)
"""),
    WrongAnswer(ACCUMULATE_GRAD, "steals whatever the strides are", ("ordinary", "recording"), """
def accumulate_grad(leaf, grad, new_grad, may_steal):
    if grad is None:
        if may_steal and not state.grad_mode:
            return undifferentiated(new_grad)
        return clone_obey_contract(new_grad, leaf)
    return grad + new_grad if state.grad_mode else grad.add_(new_grad)
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent("aten.expand_utils.sum_to", "if leading and (not sizes):\nreturn tensor.sum()", "pass", ALL),
    Equivalent("aten.expand_utils.sum_to", "return tensor.sum()", "pass", ALL),
    Equivalent(
        "autograd.accumulate_grad.accumulate_grad",
        "return at.add_Tensor(grad, new_grad)", "return at.add_Tensor(new_grad, grad)",
        "a sum is the same in either order; only its strides may follow the other summand",
    ),
)  # fmt: skip
