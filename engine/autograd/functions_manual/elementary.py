"""The formulas of elementary operators, which derivatives.yaml names: `self: Derivatives.exp(grad, result)`.

In PyTorch these are expressions in tools/autograd/derivatives.yaml itself.
"""

from ...tensor_impl import Tensor


class Derivatives:
    """Formulas that compute the gradient of an operator's input from the gradient of its output.

    Args:
        grad: gradient of the output, with the sizes of the output.
        self, other, mat2: inputs of the operator.
        result: its output.
    Returns:
        The gradient of one input. For `bmm` it has the sizes of the input. For the others, which work element by
        element, it has the sizes of `grad`: where the input was broadcast, the engine sums later.

    Each is made of operators on tensors, so that it can be recorded and differentiated again, and changes none of its
    arguments. Products of matrices: (n, i, k) times (n, k, j) is (n, i, j), for each of the n.

    Source: mul, div, exp, log, sqrt, bmm in tools/autograd/derivatives.yaml.
    """

    @staticmethod
    def mul(grad: Tensor, other: Tensor) -> Tensor:
        """Compute the gradient of `self * other` for one of the factors; `other` is the other one."""
        return grad * other

    @staticmethod
    def div_self(grad: Tensor, other: Tensor) -> Tensor:
        """Compute the gradient of `self / other` for `self`."""
        return grad / other

    @staticmethod
    def div_other(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
        """Compute the gradient of `self / other` for `other`."""
        return -grad * ((self / other) / other)

    @staticmethod
    def exp(grad: Tensor, result: Tensor) -> Tensor:
        """Compute the gradient of `self.exp()` for `self`."""
        return grad * result

    @staticmethod
    def log(grad: Tensor, self: Tensor) -> Tensor:
        """Compute the gradient of `self.log()` for `self`."""
        return grad / self

    @staticmethod
    def sqrt(grad: Tensor, result: Tensor) -> Tensor:
        """Compute the gradient of `self.sqrt()` for `self`."""
        return grad / (2 * result)

    @staticmethod
    def bmm_self(grad: Tensor, mat2: Tensor) -> Tensor:
        """Compute the gradient of `self.bmm(mat2)` for `self`, (n, i, k), from `grad` (n, i, j), `mat2` (n, k, j)."""
        return grad.bmm(mat2.mT)

    @staticmethod
    def bmm_mat2(grad: Tensor, self: Tensor) -> Tensor:
        """Compute the gradient of `self.bmm(mat2)` for `mat2`, (n, k, j), from `grad` (n, i, j), `self` (n, i, k)."""
        return self.mT.bmm(grad)
