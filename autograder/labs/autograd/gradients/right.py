"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.functions_manual.elementary.Derivatives": """
class Derivatives:
    @staticmethod
    def mul(grad, other):
        return other * grad

    @staticmethod
    def div_self(grad, other):
        return grad * other.reciprocal()

    @staticmethod
    def div_other(grad, self, other):
        return (grad * self / (other * other)).neg()

    @staticmethod
    def exp(grad, result):
        return result * grad

    @staticmethod
    def log(grad, self):
        return self.reciprocal() * grad

    @staticmethod
    def sqrt(grad, result):
        return 0.5 * grad / result

    @staticmethod
    def bmm_self(grad, mat2):
        return mat2.bmm(grad.transpose(1, 2)).transpose(1, 2)

    @staticmethod
    def bmm_mat2(grad, self):
        return grad.transpose(1, 2).bmm(self).transpose(1, 2)
""",
    "aten.expand_utils.sum_to": """
def sum_to(tensor, sizes):
    if tuple(tensor.shape) == tuple(sizes):
        return tensor
    while len(tensor.shape) > len(sizes):
        tensor = tensor.sum(0)
    for dim, size in enumerate(sizes):
        if size != tensor.shape[dim]:
            tensor = tensor.sum(dim, True)
    return tensor
""",
    "autograd.accumulate_grad.accumulate_grad": """
def accumulate_grad(leaf, grad, new_grad, may_steal):
    if grad is not None:
        return new_grad + grad if state.grad_mode else grad.add_(new_grad)
    is_fit = may_steal and obeys_layout_contract(new_grad, leaf)
    return clone_obey_contract(new_grad, leaf) if state.grad_mode or not is_fit else undifferentiated(new_grad)
""",
}
