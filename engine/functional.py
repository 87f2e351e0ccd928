"""Functions in front of operators whose arguments Python writes in another way: `T.einsum`, `T.tensordot`, ...

Mirrors torch/functional.py.
"""

from collections.abc import Sequence
from typing import Any

from .aten.at import at
from .tensor_impl import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

NO_OPERANDS = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts "
    "list"
)


def einsum(*args: Any) -> Tensor:
    """Compute an Einstein sum: `einsum(equation, *operands)`, or `einsum(x, [0, 1], y, [1, 2], [0, 2])`.

    Raises:
        ValueError: there is no equation, or no operand.
        TypeError: the equation is not a str.
        RuntimeError: the equation is not one, or does not fit the operands.
    """
    if len(args) < 2:
        raise ValueError(NO_OPERANDS)
    if isinstance(args[0], Tensor):
        written = [subscripts_of(own) for own in args[1::2]]
        equation = ",".join(written)
        if len(args) % 2:
            equation += "->" + subscripts_of(args[-1])
        operands: Sequence[Any] = args[:-1:2] if len(args) % 2 else args[::2]
    else:
        equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
        if not operands:
            raise ValueError(NO_OPERANDS)
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    return at.einsum(equation, tuple(operands))


def subscripts_of(numbers: Sequence[Any]) -> str:
    """Return the letters for subscripts that are given as ints.

    Raises:
        ValueError: one is not in 0..51.
    """
    for number in numbers:
        if number is not Ellipsis and number not in range(len(LETTERS)):
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return "".join("..." if number is Ellipsis else LETTERS[number] for number in numbers)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Return the contraction of two tensors: the sum of products over pairs of dimensions.

    Args:
        dims: number of last dimensions of `a` and first dimensions of `b`; or the dimensions of `a` and of `b`.
    Raises:
        RuntimeError: dims that are not there, or of other sizes.
    """
    if not isinstance(dims, (tuple, list, Tensor, int)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if isinstance(dims, Tensor) and dims.numel() > 1:
        dims = dims.tolist()
    if isinstance(dims, (tuple, list)):
        of_a, of_b = ([own] if isinstance(own, int) else list(own) for own in dims)
    else:
        count = int(dims)
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={count}")
        if count > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
        of_a, of_b = list(range(-count, 0)), list(range(count))
    return at.tensordot(a, b, of_a, of_b) if out is None else at.tensordot_out(a, b, of_a, of_b, out=out)


def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the product of matrices, in the order that takes the fewest multiplications.

    Raises:
        RuntimeError: no matrices, or sizes do not fit.
    """
    return at.chain_matmul(matrices) if out is None else at.chain_matmul_out(matrices, out=out)


FUNCTIONS = {"einsum": einsum, "tensordot": tensordot, "chain_matmul": chain_matmul}
